/* SPDX-License-Identifier: MIT */
#include "lab/emulate/flow.h"

#include "base/bytes.h"
#include "base/rng.h"

#include <stdbool.h>
#include <string.h>

enum {
    IPV4_HEADER = 20,
    IPV6_HEADER = 40,
    TCP = 6,
    UDP = 17,
    PORTS = 4,         /* bytes of both ports, the first fields of TCP and UDP */
    FRAGMENT = 0x3fff, /* "more fragments" flag, or an offset */
};

static uint64_t mix(uint64_t hash, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 4) {
        lt_rng word = {hash ^ lt_read_be32(bytes + i)};
        hash = lt_rng_next(&word);
    }
    return hash;
}

static uint64_t mix_rest(uint64_t hash, uint8_t protocol, const uint8_t *ports, bool there)
{
    const uint8_t number[4] = {0, 0, 0, protocol};
    hash = mix(hash, number, sizeof number);
    return there && (protocol == TCP || protocol == UDP) ? mix(hash, ports, PORTS) : hash;
}

uint32_t lt_flow_hash(const uint8_t *packet, size_t size, uint64_t seed)
{
    uint64_t hash;

    if (size >= IPV4_HEADER && packet[0] >> 4 == 4) {
        const size_t header = (size_t)(packet[0] & 15) * 4;
        const bool whole = !(lt_read_be16(packet + 6) & FRAGMENT) && header >= IPV4_HEADER;
        hash = mix_rest(mix(seed, packet + 12, 8), packet[9], packet + header,
                        whole && size >= header + PORTS);
    } else if (size >= IPV6_HEADER && packet[0] >> 4 == 6) {
        hash = mix_rest(mix(seed, packet + 8, 32), packet[6], packet + IPV6_HEADER,
                        size >= IPV6_HEADER + PORTS);
    } else {
        return 0;
    }
    return (uint32_t)(hash >> 32);
}
