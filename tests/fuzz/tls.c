/* SPDX-License-Identifier: MIT */
/* A stranger and either end of TLS. The first byte says how the stream is cut and which end it goes
 * to; the rest is the stream. The stranger does not have the shared key: whatever he sends, the
 * filter neither opens nor gives plaintext. */
#include "fuzz.h"

#include "base/rng.h"
#include "tls/filter.h"

#include <string.h>

/* The same for every input; libssl's tickets do not matter here. */
static lt_tls_context *context_of(bool listener)
{
    static lt_tls_context *contexts[2];
    static const uint8_t key[LT_TLS_PSK_SIZE] = {7};
    lt_tls_setup setup = {.listener = listener, .psk = key, .name = "localhost"};

    if (!contexts[listener])
        FUZZ_REQUIRE(lt_tls_context_create(&setup, NULL, &contexts[listener], NULL) == LIVETCP_OK);
    return contexts[listener];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned first = size ? *data : 0;
    lt_tls_filter *filter;
    uint8_t plaintext[64];
    lt_rng cuts;

    FUZZ_REQUIRE(lt_tls_filter_create(context_of(first & 1), 0, &filter) == LIVETCP_OK);
    lt_rng_seed(&cuts, first);
    for (size_t at = size > 0; at < size;) {
        size_t take = 1 + (size_t)(lt_rng_next(&cuts) % (first + 1)), left = size - at;
        const uint8_t *output;

        take = take < left ? take : left;
        lt_tls_filter_receive(filter, data + at, take);
        at += take;
        FUZZ_REQUIRE(lt_tls_filter_state(filter) != LT_TLS_OPEN);
        FUZZ_REQUIRE(lt_tls_filter_read(filter, plaintext, sizeof plaintext) == 0);
        lt_tls_filter_written(filter, lt_tls_filter_output(filter, &output));
        if (lt_tls_filter_state(filter) == LT_TLS_FAILED)
            FUZZ_REQUIRE(strlen(lt_tls_filter_error(filter)->message) > 0);
    }
    lt_tls_filter_destroy(&filter);
    return 0;
}
