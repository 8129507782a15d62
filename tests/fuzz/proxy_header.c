/* SPDX-License-Identifier: MIT */
/* The beginning of a connection from a proxy in front of a listener. A decision does not depend on
 * what follows the header, and none is made before it is whole. */
#include "fuzz.h"

#include "proxy/proxy_protocol.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* An allocation of its own size, so that a read beyond it is found. */
    uint8_t *copy = calloc(size ? size : 1, 1);
    lt_proxy_header whole = {.size = 0}, part = {.size = 0};
    lt_proxy_header_state state;

    FUZZ_REQUIRE(copy);
    if (size)
        memcpy(copy, data, size);
    state = lt_proxy_header_read(copy, size, &whole);
    FUZZ_REQUIRE(whole.size <= size && whole.size <= LT_PROXY_HEADER_MAX);
    FUZZ_REQUIRE((state == LT_PROXY_HEADER_READ) == (whole.size > 0));
    if (state == LT_PROXY_HEADER_MORE)
        FUZZ_REQUIRE(size < LT_PROXY_HEADER_MAX);
    for (size_t i = 0; i < size; i += 1 + i / 8) {
        lt_proxy_header_state early = lt_proxy_header_read(copy, i, &part);
        FUZZ_REQUIRE(early == LT_PROXY_HEADER_MORE || early == state);
        if (early == LT_PROXY_HEADER_READ)
            FUZZ_REQUIRE(part.size == whole.size);
    }
    free(copy);
    return 0;
}
