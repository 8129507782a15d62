/* SPDX-License-Identifier: MIT */
/* Sequence order: packets of a stream leave by number, and a gap is waited for, but not for long
 * and not at any cost of memory. Packets that wait are found by number within their stream, by age
 * within the session. */
#ifndef LT_ENGINE_RECEIVER_REORDER_BUFFER_H
#define LT_ENGINE_RECEIVER_REORDER_BUFFER_H

#include "engine/arrival.h"

#include <livetcp/base.h>

/* Bounds of a session's held packets. Over either, the gap that has lasted longest is abandoned. */
#define LT_REORDER_MAX_PACKETS 2048
#define LT_REORDER_MAX_BYTES   (4 * 1024 * 1024)

/* Numbers that one stream's held packets may span, missing ones included. */
#define LT_REORDER_SPAN 4096

/* A stream's first packets are collected for this long, or `wait_us` if that is shorter: over
 * several connections the first to come need not be the first sent, and losing the start of the
 * first key frame would cost all frames up to the next. */
#define LT_REORDER_START_US (50 * LIVETCP_USEC_MSEC)

struct lt_reorder_stream;

/* A copy of a packet, held or about to be. */
typedef struct lt_held {
    struct lt_held *older, *newer; /* by arrival, all streams of the session */
    struct lt_reorder_stream *stream;
    uint64_t extended;
    lt_arrival arrival; /* with a packet, whose reference it has */
} lt_held;

/* NULL if memory is out. */
lt_held *lt_held_create(const lt_arrival *arrival);

/* Frees it and drops its packet; clears the pointer, which may be NULL. */
void lt_held_destroy(lt_held **held);

/* One stream's part. Zero, to be started. */
typedef struct lt_reorder_stream {
    uint64_t next;  /* to be delivered next; while starting, the lowest that came */
    uint64_t floor; /* while starting: nothing below may be delivered any more */
    bool starting;  /* collecting the first packets, since the first to come may not be the first */
    livetcp_usec start_until;
    bool broken; /* packets before the next one delivered are missing */

    /* Held packets, by extended number modulo capacity. */
    lt_held **slots;
    size_t capacity; /* 0 or a power of two, at most LT_REORDER_SPAN */
    size_t count;
    uint64_t highest; /* among those held; undefined if there are none */
} lt_reorder_stream;

/* All held packets of a session. Zero but for the first four. */
typedef struct lt_reorder_buffer {
    livetcp_usec wait_us;
    void (*deliver)(void *user, const lt_arrival *arrival); /* must not call back */
    void *user;
    uint64_t *gaps; /* counts the sequence numbers abandoned */

    lt_held *oldest, *newest;
    size_t packets;
    size_t bytes;      /* of packets, framing excluded */
    unsigned starting; /* streams that collect their first packets */
} lt_reorder_buffer;

/* A new stream, or one that goes on elsewhere: it collects packets from `extended` on. `floor` is
 * the lowest number that may still be delivered. */
void lt_reorder_start(lt_reorder_buffer *buffer, lt_reorder_stream *stream, uint64_t extended,
                      uint64_t floor, livetcp_usec now);

/* The lowest number that the stream still takes; 0 for one that was never started. */
uint64_t lt_reorder_lowest(const lt_reorder_stream *stream);

/* Delivers or holds a packet that is not below lt_reorder_lowest() and did not come before.
 * Errors: LIVETCP_ERR_NO_MEMORY, the packet is lost. */
livetcp_result lt_reorder_push(lt_reorder_buffer *buffer, lt_reorder_stream *stream,
                               uint64_t extended, const lt_arrival *arrival);

/* The same for a packet that was copied already; takes it over, also on failure. */
livetcp_result lt_reorder_push_held(lt_reorder_buffer *buffer, lt_reorder_stream *stream,
                                    uint64_t extended, lt_held *held);

/* Delivers all that a stream holds, without waiting. */
void lt_reorder_flush(lt_reorder_buffer *buffer, lt_reorder_stream *stream);

/* Destroys all that a stream holds; it is as if never started. */
void lt_reorder_clear(lt_reorder_buffer *buffer, lt_reorder_stream *stream);

/* When the wait for the oldest gap ends; LIVETCP_NEVER if nothing is held. Streams that start have
 * their own deadline, start_until; end it with lt_reorder_end_start(). */
livetcp_usec lt_reorder_deadline(const lt_reorder_buffer *buffer);
void lt_reorder_expire(lt_reorder_buffer *buffer, livetcp_usec now);
void lt_reorder_end_start(lt_reorder_buffer *buffer, lt_reorder_stream *stream);

#endif
