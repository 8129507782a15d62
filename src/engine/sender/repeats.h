/* SPDX-License-Identifier: MIT */
/* Packets that repeat the frames of those before them (RFC 2198) go elsewhere than these: behind
 * the same loss a frame comes no sooner the second time (Zhang et al., section 4.2). This remembers
 * where the last packets of such streams went. */
#ifndef LT_ENGINE_SENDER_REPEATS_H
#define LT_ENGINE_SENDER_REPEATS_H

#include "engine/packet.h"

/* Streams remembered, and the maximum number of packets that one may repeat. */
#define LT_REPEATING_MAX 8
#define LT_REPEATS_MAX   3

typedef struct lt_repeating {
    uint32_t ssrc;
    uint32_t carriers[LT_REPEATS_MAX]; /* of its last packets, the newest first: bit i: it went on
                                          connection i */
} lt_repeating;

/* Zero is empty. */
typedef struct lt_repeats {
    lt_repeating streams[LT_REPEATING_MAX];
    unsigned count, next;
} lt_repeats;

/* A packet of the application's went to these connections. */
void lt_repeats_placed(lt_repeats *repeats, const lt_packet *packet, uint32_t connections);

/* Bit i: connection i carries a frame that the packet repeats. */
uint32_t lt_repeats_carriers(const lt_repeats *repeats, const lt_packet *packet);

#endif
