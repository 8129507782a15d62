/* SPDX-License-Identifier: MIT */
/* What a peer speaks: LT_FIRST_BYTES are enough, what is decided stays so, and pieces change
 * nothing. The first byte is the size of a piece, the rest the stream. */
#include "fuzz.h"

#include "wire/first_bytes.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lt_peer_kind decided = LT_PEER_UNDECIDED, whole;
    lt_first_bytes first;
    size_t piece;

    if (!size)
        return 0;
    piece = 1u + data[0];
    data++;
    size--;
    whole = lt_first_bytes_classify(data, size);
    for (size_t n = 0; n <= size; n++) {
        lt_peer_kind kind = lt_first_bytes_classify(data, n);
        FUZZ_REQUIRE(decided == LT_PEER_UNDECIDED || kind == decided);
        FUZZ_REQUIRE(kind != LT_PEER_UNDECIDED ||
                     n - lt_first_bytes_skip(data, n) < LT_FIRST_BYTES);
        decided = kind;
        if (n > 4096)
            break;
    }
    memset(&first, 0, sizeof first);
    for (size_t at = 0; at < size; at += piece)
        lt_first_bytes_add(&first, data + at, piece < size - at ? piece : size - at);
    FUZZ_REQUIRE(first.kind == whole);
    FUZZ_REQUIRE(first.size <= LT_FIRST_BYTES);
    return 0;
}
