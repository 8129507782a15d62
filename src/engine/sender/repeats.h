/* SPDX-License-Identifier: MIT */
/* Remembers where the last packets of streams with RFC 2198 redundancy went. A packet that repeats
 * frames of earlier packets should take another connection than these: behind the same loss, the
 * repeated frame arrives no sooner (Zhang et al., section 4.2). */
#ifndef LT_ENGINE_SENDER_REPEATS_H
#define LT_ENGINE_SENDER_REPEATS_H

#include "engine/packet.h"

/* Maximum number of streams, and of preceding packets that one packet may repeat. */
#define LT_REPEATING_MAX 8
#define LT_REPEATS_MAX   3

typedef struct lt_repeating {
    uint32_t ssrc;
    uint32_t carriers[LT_REPEATS_MAX]; /* connections (bits) of its last packets, newest first */
} lt_repeating;

/* Empty when zeroed. */
typedef struct lt_repeats {
    lt_repeating streams[LT_REPEATING_MAX];
    unsigned count, next;
} lt_repeats;

/* An application packet was placed on these connections. */
void lt_repeats_placed(lt_repeats *repeats, const lt_packet *packet, uint32_t connections);

/* Connections (bits) that carry a frame which the packet repeats. */
uint32_t lt_repeats_carriers(const lt_repeats *repeats, const lt_packet *packet);

#endif
