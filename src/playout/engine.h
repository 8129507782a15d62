/* SPDX-License-Identifier: MIT */
/*
 * A playout: one media stream from arrival to its play times.
 *
 *     put ── source ── timeline ── transit ── delay ── schedule ── buffer ── pull
 *            (number)  (media      (minimum   (mode)   (talkspurt)            │
 *                       time)       transit)                               outcome
 */
#ifndef LT_PLAYOUT_ENGINE_H
#define LT_PLAYOUT_ENGINE_H

#include "playout/buffer.h"
#include "playout/delay.h"
#include "playout/interval.h"
#include "playout/outcome.h"
#include "playout/schedule.h"
#include "playout/source.h"
#include "playout/talkspurt.h"
#include "playout/timeline.h"
#include "playout/transit.h"

#include <livetcp/playout.h>

/* Reason of a probation, which a second packet that agrees ends. */
typedef enum lt_probation_reason {
    LT_PROBATION_SSRC,
    LT_PROBATION_SEQUENCE,
    LT_PROBATION_TIME
} lt_probation_reason;

/* A packet on input. */
typedef struct lt_incoming {
    lt_rtp_header header;
    const uint8_t *data;
    size_t size;
    livetcp_usec arrival_us;
    unsigned flags;
    void *token;
} lt_incoming;

/* The packet on probation: it may start a new stream, or be a jump. */
typedef struct lt_probation {
    bool present;
    lt_probation_reason reason;
    lt_incoming in;        /* data and token are in `held` */
    livetcp_usec media_us; /* LT_PROBATION_TIME: by the current clock */
    lt_waiting *held;
} lt_probation;

struct livetcp_playout {
    livetcp_playout_config config;
    livetcp_playout_path path;

    lt_playout_source source;
    lt_timeline timeline;
    lt_interval interval;
    lt_transit transit;
    lt_playout_delay delay;
    lt_talkspurt talkspurt;
    lt_playout_schedule schedule;
    lt_buffer buffer;
    lt_probation probation;
    lt_playout_outcome outcome;

    uint64_t highest;        /* highest packet number received */
    uint64_t epoch;          /* first one since the media clock last restarted; UINT64_MAX = none */
    livetcp_usec epoch_us;   /* arrival of that packet */
    livetcp_usec arrival_us; /* of the latest packet; never decreases */
    livetcp_usec queueing_us;
    livetcp_usec frame_queueing_us; /* video: maximum over the current frame */
    livetcp_usec frame_media_us;
    livetcp_usec delay_us;
    livetcp_usec target_us;
    double jitter_us;

    bool started;          /* `next` is valid */
    uint64_t next;         /* number of the next packet to play */
    uint64_t begin;        /* first number played since the last restart */
    livetcp_usec start_us; /* IN_ORDER: end of the wait for the first packets */
    bool broken;           /* the next item does not continue the previous one */
    bool flowing;          /* played recently: the fields below are valid */
    livetcp_usec last_us;  /* play time of the last item */
    livetcp_usec end_us;
    uint32_t end_timestamp;
    unsigned guesses;
    lt_waiting *given; /* last packet returned by pull() */

    livetcp_playout_stats counts; /* counters kept by no other part */
};

livetcp_result lt_playout_config_check(const livetcp_playout_config *config, livetcp_error *error);

/* Takes a packet: holds it, puts it on probation, or rejects it (take.c). Errors:
 * LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_playout_take(livetcp_playout *playout, const lt_incoming *in,
                               livetcp_playout_slot *slot);

/* Drops the packet on probation. */
void lt_playout_clear_probation(livetcp_playout *playout);

/* The item to play at `now`, and the time of the next item (pull.c). */
void lt_playout_next(livetcp_playout *playout, livetcp_usec now, livetcp_playout_item *item);
livetcp_usec lt_playout_deadline(const livetcp_playout *playout);

/* The packet that lt_playout_next() will return next, without removing it. */
void lt_playout_peek(const livetcp_playout *playout, livetcp_playout_item *item);

/* True if numbers jump between the two, so that nothing is missing between them. */
static inline bool lt_playout_breaks(uint64_t next, uint64_t extended)
{
    return extended > next + LT_WINDOW_MAX_STEP;
}

#endif
