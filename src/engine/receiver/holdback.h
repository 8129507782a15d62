/* SPDX-License-Identifier: MIT */
/* Packets held back until those before them have come: found by number within their stream, by
 * age within the session. */
#ifndef LT_ENGINE_RECEIVER_HOLDBACK_H
#define LT_ENGINE_RECEIVER_HOLDBACK_H

#include "engine/packet.h"

/* Numbers that one stream's held packets may span, missing ones included. */
#define LT_HOLDBACK_SPAN 4096

struct lt_arrival;
struct lt_stream;

/* One held packet. */
typedef struct lt_held {
    struct lt_held *older, *newer; /* by arrival, all streams of the session */
    struct lt_stream *stream;
    uint64_t extended;
    lt_packet *packet;
    livetcp_usec arrival_us;
    unsigned connection;
} lt_held;

/* All held packets of a session. Zero is empty. */
typedef struct lt_holdback {
    lt_held *oldest, *newest;
    size_t packets;
    size_t bytes; /* of packets, framing excluded */
} lt_holdback;

/* The held packets of one stream, by extended number. Zero is empty. */
typedef struct lt_held_ring {
    lt_held **slots; /* indexed by extended number modulo capacity */
    size_t capacity; /* 0 or a power of two, at most LT_HOLDBACK_SPAN */
    size_t count;
    uint64_t highest; /* among those held; undefined if there are none */
} lt_held_ring;

/* Copies a packet. NULL if memory is out. */
lt_held *lt_held_create(const struct lt_arrival *arrival, uint32_t ssrc, uint16_t sequence);

/* Frees it and gives up its packet; clears the pointer, which may be NULL. */
void lt_held_destroy(lt_held **held);

/* Takes over a held packet whose stream and number are set. `lowest` is the lowest number that the
 * stream still waits for or holds: it and every held number lie within LT_HOLDBACK_SPAN, and the
 * place must be free. False if memory is out; it stays the caller's then. */
bool lt_holdback_put(lt_holdback *holdback, lt_held_ring *ring, lt_held *held, uint64_t lowest);

/* Hands out the packet of that number, or NULL if it is not held. */
lt_held *lt_holdback_take(lt_holdback *holdback, lt_held_ring *ring, uint64_t extended);

/* Destroys all that one stream holds, and its ring. */
void lt_holdback_clear(lt_holdback *holdback, lt_held_ring *ring);

#endif
