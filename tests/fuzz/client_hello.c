/* SPDX-License-Identifier: MIT */
/* The beginning of a connection that may be TLS. A decision does not depend on what follows the
 * first record, and none is made before the record is there. */
#include "fuzz.h"

#include "wire/client_hello.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* An allocation of its own size, so that a read beyond it is found. */
    uint8_t *copy = calloc(size ? size : 1, 1);
    lt_client_hello whole;

    FUZZ_REQUIRE(copy);
    if (size)
        memcpy(copy, data, size);
    whole = lt_client_hello_classify(copy, size, "livetcp");
    for (size_t part = 0; part < size; part += 1 + part / 4) {
        lt_client_hello early = lt_client_hello_classify(copy, part, "livetcp");
        FUZZ_REQUIRE(early == LT_CLIENT_HELLO_MORE || early == whole);
    }
    if (whole == LT_CLIENT_HELLO_MORE)
        FUZZ_REQUIRE(size < LT_CLIENT_HELLO_MAX);
    free(copy);
    return 0;
}
