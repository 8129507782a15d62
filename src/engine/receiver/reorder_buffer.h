/* SPDX-License-Identifier: MIT */
/* Sequence order. Packets of a stream are delivered by number; a gap is waited for, within bounds
 * of time and memory. Held packets are found by number within their stream, and by age within the
 * session. */
#ifndef LT_ENGINE_RECEIVER_REORDER_BUFFER_H
#define LT_ENGINE_RECEIVER_REORDER_BUFFER_H

#include "engine/arrival.h"

#include <livetcp/base.h>

/* Bounds of the packets held by a session. Beyond them, the oldest gap is abandoned. */
#define LT_REORDER_MAX_PACKETS 2048
#define LT_REORDER_MAX_BYTES   (4 * 1024 * 1024)

/* Range of sequence numbers of one stream's held packets, missing ones included. */
#define LT_REORDER_SPAN 4096

/* The first packets of a stream are collected for this time, or for `wait_us` if that is shorter.
 * Over several connections the first packet to arrive may not be the first one sent, and losing the
 * start of the first key frame would cost all frames up to the next. */
#define LT_REORDER_START_US (50 * LIVETCP_USEC_MSEC)

struct lt_reorder_stream;

/* Copy of a packet that is held. */
typedef struct lt_held {
    struct lt_held *older, *newer; /* list by arrival, over all streams of the session */
    struct lt_reorder_stream *stream;
    uint64_t extended;
    lt_arrival arrival; /* holds a reference to its packet */
} lt_held;

/* NULL without memory. */
lt_held *lt_held_create(const lt_arrival *arrival);

/* Frees it and its reference, and clears the pointer. *held may be NULL. */
void lt_held_destroy(lt_held **held);

/* State of one stream. Zeroed before the start. */
typedef struct lt_reorder_stream {
    uint64_t next;  /* next number to deliver; while starting, the lowest received */
    uint64_t floor; /* while starting: lower numbers are not delivered */
    bool starting;  /* collecting the first packets */
    livetcp_usec start_until;
    bool broken; /* packets before the next delivered one are missing */

    /* Held packets, indexed by extended number modulo capacity. */
    lt_held **slots;
    size_t capacity; /* 0 or a power of two, at most LT_REORDER_SPAN */
    size_t count;
    uint64_t highest; /* highest held number; undefined if none is held */
} lt_reorder_stream;

/* Held packets of a session. The owner sets the first four fields; the rest begins zeroed. */
typedef struct lt_reorder_buffer {
    livetcp_usec wait_us;
    void (*deliver)(void *user, const lt_arrival *arrival); /* must not call back */
    void *user;
    uint64_t *gaps; /* counter of abandoned sequence numbers */

    lt_held *oldest, *newest;
    size_t packets;
    size_t bytes;      /* of packets, framing excluded */
    unsigned starting; /* streams that are starting */
} lt_reorder_buffer;

/* Starts a stream, or restarts it after a confirmed jump: it collects packets from `extended` on.
 * Lower numbers than `floor` are not delivered. */
void lt_reorder_start(lt_reorder_buffer *buffer, lt_reorder_stream *stream, uint64_t extended,
                      uint64_t floor, livetcp_usec now);

/* The lowest number that the stream still accepts; 0 if it was never started. */
uint64_t lt_reorder_lowest(const lt_reorder_stream *stream);

/* Delivers or holds a packet that is not below lt_reorder_lowest() and not a duplicate. Errors:
 * LIVETCP_ERR_NO_MEMORY; the packet is lost. */
livetcp_result lt_reorder_push(lt_reorder_buffer *buffer, lt_reorder_stream *stream,
                               uint64_t extended, const lt_arrival *arrival);

/* lt_reorder_push() for a copy, which it takes over, also on failure. */
livetcp_result lt_reorder_push_held(lt_reorder_buffer *buffer, lt_reorder_stream *stream,
                                    uint64_t extended, lt_held *held);

/* Delivers everything that the stream holds. */
void lt_reorder_flush(lt_reorder_buffer *buffer, lt_reorder_stream *stream);

/* Frees everything that the stream holds; it returns to the state before the start. */
void lt_reorder_clear(lt_reorder_buffer *buffer, lt_reorder_stream *stream);

/* End of the wait for the oldest gap; LIVETCP_NEVER if nothing is held. Starting streams have their
 * own deadline, start_until; lt_reorder_end_start() ends that phase. */
livetcp_usec lt_reorder_deadline(const lt_reorder_buffer *buffer);
void lt_reorder_expire(lt_reorder_buffer *buffer, livetcp_usec now);
void lt_reorder_end_start(lt_reorder_buffer *buffer, lt_reorder_stream *stream);

#endif
