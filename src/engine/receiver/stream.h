/* SPDX-License-Identifier: MIT */
/* One SSRC at the receiving end: what came of it, and whether one more packet is new. */
#ifndef LT_ENGINE_RECEIVER_STREAM_H
#define LT_ENGINE_RECEIVER_STREAM_H

#include "engine/receiver/holdback.h"
#include "rtp/window.h"

typedef struct lt_stream {
    uint32_t ssrc;
    uint64_t used; /* grows with every packet: the stream with the lowest is evicted */
    lt_window window;
    livetcp_usec new_us; /* when a new packet came last */

    lt_held *candidate; /* came from elsewhere in the number space; a second one confirms it.
                           NULL too if it could not be copied */
    bool has_candidate;
    uint16_t candidate_sequence;
    livetcp_usec candidate_us;

    /* Sequence order only; all zero in arrival order. */
    uint64_t next;  /* to be delivered next; while starting, the lowest that came */
    uint64_t floor; /* while starting: nothing below may be delivered any more */
    bool starting;  /* collecting the first packets, since the first to come may not be the first */
    livetcp_usec start_until;
    bool broken; /* packets before the next one delivered are missing */
    lt_held_ring held;
} lt_stream;

typedef enum lt_verdict {
    LT_VERDICT_NEW,
    LT_VERDICT_DUPLICATE,
    LT_VERDICT_LATE,   /* its place was given up, or is too far back to tell it from a duplicate */
    LT_VERDICT_JUMP,   /* from elsewhere: it is the candidate now, to be kept in `candidate` */
    LT_VERDICT_RESTART /* confirms the candidate: the stream goes on from there */
} lt_verdict;

/* A stream that starts with this packet. NULL if memory is out. */
lt_stream *lt_stream_create(uint32_t ssrc, uint16_t sequence, livetcp_usec now);

/* Frees it with its candidate; it must hold no packets any more. */
void lt_stream_destroy(lt_stream **stream);

/* Judges one packet; *extended is its number if it is NEW. The caller accepts a NEW one with
 * lt_stream_accept() once it is delivered or held for sure. */
lt_verdict lt_stream_judge(lt_stream *stream, uint16_t sequence, livetcp_usec now,
                           uint64_t *extended);

/* A packet that is known to come from elsewhere in the number space: JUMP, the first of its kind,
 * or RESTART, one that confirms; or a DUPLICATE of the first. */
lt_verdict lt_stream_weigh_jump(lt_stream *stream, uint16_t sequence, livetcp_usec now);

void lt_stream_accept(lt_stream *stream, uint64_t extended, livetcp_usec now);

/* After RESTART: moves to the candidate, hands it out (NULL if it could not be copied), and tells
 * the candidate's number and that of the packet that confirmed it. Both are new then. */
lt_held *lt_stream_restart(lt_stream *stream, uint16_t confirming, uint64_t *candidate_extended,
                           uint64_t *confirming_extended);

#endif
