/* SPDX-License-Identifier: MIT */
/* Sequence order: packets of a stream leave by number, and a gap is waited for, but not for long
 * and not at any cost of memory. */
#ifndef LT_ENGINE_RECEIVER_SEQUENCER_H
#define LT_ENGINE_RECEIVER_SEQUENCER_H

#include "engine/receiver/reassembly.h"
#include "engine/receiver/stream.h"

/* Bounds of what a session holds back. Over either, the gap that has lasted longest is given up. */
#define LT_SEQUENCER_MAX_PACKETS 2048
#define LT_SEQUENCER_MAX_BYTES   (4 * 1024 * 1024)

/* A stream's first packets are collected for this long, or `wait_us` if that is shorter: over
 * several connections the first to come need not be the first sent, and losing the start of the
 * first key frame would cost all frames up to the next. */
#define LT_SEQUENCER_START_US (50 * LIVETCP_USEC_MSEC)

typedef struct lt_sequencer {
    lt_holdback holdback;
    livetcp_usec wait_us;
    unsigned starting; /* streams that collect their first packets */
    lt_deliver_fn deliver;
    void *user;
    lt_reassembly_stats *stats;
} lt_sequencer;

/* A new stream, or one that goes on elsewhere: it collects packets from `extended` on. `floor` is
 * the lowest number that may still be delivered. */
void lt_sequencer_start(lt_sequencer *sequencer, lt_stream *stream, uint64_t extended,
                        uint64_t floor, livetcp_usec now);

/* Delivers or holds a packet that lt_stream_judge() found NEW, and accepts it in its stream.
 * Errors: LIVETCP_ERR_NO_MEMORY, the packet is lost. */
livetcp_result lt_sequencer_push(lt_sequencer *sequencer, lt_stream *stream, uint64_t extended,
                                 const lt_arrival *arrival);

/* The same for a packet that was copied already; takes it over, also on failure. */
livetcp_result lt_sequencer_hold(lt_sequencer *sequencer, lt_stream *stream, uint64_t extended,
                                 lt_held *held);

/* Delivers all that a stream holds, without waiting. */
void lt_sequencer_flush(lt_sequencer *sequencer, lt_stream *stream);

/* When the wait for the oldest gap ends; LIVETCP_NEVER if nothing is held. Streams that start have
 * their own deadline, start_until; end it with lt_sequencer_end_start(). */
livetcp_usec lt_sequencer_deadline(const lt_sequencer *sequencer);
void lt_sequencer_expire(lt_sequencer *sequencer, livetcp_usec now);
void lt_sequencer_end_start(lt_sequencer *sequencer, lt_stream *stream);

#endif
