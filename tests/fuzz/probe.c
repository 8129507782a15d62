/* SPDX-License-Identifier: MIT */
/* The stream of a prober's messages: every read that is asked for is in bounds and ends no later
 * than the message, whatever the peer sends and in which pieces; an accepted head comes back from
 * what it is encoded to. The first byte says how long the pieces are at most. */
#include "fuzz.h"

#include "lab/probe/wire.h"

#include <string.h>

static void check_message(const lt_wire_message *m)
{
    uint8_t head[LT_WIRE_HEAD];
    lt_wire_message again;

    FUZZ_REQUIRE(m->length >= LT_WIRE_HEAD && m->length <= LT_WIRE_MAX);
    lt_wire_encode(m, head);
    FUZZ_REQUIRE(lt_wire_decode(head, &again, NULL) == LIVETCP_OK);
    FUZZ_REQUIRE(again.type == m->type && again.flags == m->flags && again.length == m->length &&
                 again.a == m->a && again.b == m->b && again.c == m->c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lt_wire_reader reader = {.have = 0};
    size_t most = size ? data[0] + 1u : 1;

    for (size_t at = size ? 1 : 0; at < size;) {
        const lt_wire_message *message;
        uint8_t *where;
        size_t take = lt_wire_wants(&reader, &where);
        FUZZ_REQUIRE(take > 0 && take <= LT_WIRE_MAX);
        if (take > most)
            take = most;
        if (take > size - at)
            take = size - at;
        if (where) {
            FUZZ_REQUIRE(where >= reader.head && where + take <= reader.head + LT_WIRE_HEAD);
            memcpy(where, data + at, take);
        }
        at += take;
        livetcp_result result = lt_wire_got(&reader, take, &message, NULL);
        if (result != LIVETCP_OK) {
            FUZZ_REQUIRE(result == LIVETCP_ERR_PROTOCOL || result == LIVETCP_ERR_VERSION);
            return 0;
        }
        if (message)
            check_message(message);
    }
    return 0;
}
