/* SPDX-License-Identifier: MIT */
/*
 * A playout: one media stream from arrival to its play times.
 *
 *     put ── source ── timeline ── transit ── delay ── schedule ── buffer ── pull
 *            (number)  (media      (least     (mode)   (talkspurt)            │
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

/* What made a packet suspect, and so what a second one confirms. */
typedef enum lt_suspicion { LT_SUSPECT_SSRC, LT_SUSPECT_SEQUENCE, LT_SUSPECT_TIME } lt_suspicion;

/* A packet on its way in. */
typedef struct lt_incoming {
    lt_rtp_header header;
    const uint8_t *data;
    size_t size;
    livetcp_usec arrival_us;
    unsigned flags;
    void *token;
} lt_incoming;

/* The packet that may be the first of something new. */
typedef struct lt_suspect {
    bool present;
    lt_suspicion suspicion;
    lt_incoming in;        /* its data and token are in `held` */
    livetcp_usec media_us; /* LT_SUSPECT_TIME: as the old clock reads it */
    lt_waiting *held;
} lt_suspect;

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
    lt_suspect suspect;
    lt_playout_outcome outcome;

    uint64_t highest;        /* packet that came, by number */
    uint64_t epoch;          /* the first since the media clock last restarted; none: UINT64_MAX */
    livetcp_usec epoch_us;   /* when it came */
    livetcp_usec arrival_us; /* of the latest; time does not go back */
    livetcp_usec queueing_us;
    livetcp_usec frame_queueing_us; /* video: the longest of the frame under way */
    livetcp_usec frame_media_us;
    livetcp_usec delay_us;
    livetcp_usec target_us;
    double jitter_us;

    bool begun;            /* next is known */
    uint64_t next;         /* to be played */
    uint64_t begin;        /* first that was played since the last restart */
    livetcp_usec start_us; /* IN_ORDER: the first packets are waited for until then */
    bool broken;           /* what is played next does not follow what was */
    bool flowing;          /* played something lately: its end, and guesses after it */
    livetcp_usec last_us;  /* play time of what was given last */
    livetcp_usec end_us;
    uint32_t end_timestamp;
    unsigned guesses;
    lt_waiting *given; /* what pull() gave last */

    livetcp_playout_stats counts; /* those that nobody else keeps */
};

livetcp_result lt_playout_config_check(const livetcp_playout_config *config, livetcp_error *error);

/* Takes a packet: it is held, suspect, or of no use (take.c). Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_playout_take(livetcp_playout *playout, const lt_incoming *in,
                               livetcp_playout_slot *slot);

/* Gives up the packet that may be the first of something new. */
void lt_playout_clear_suspect(livetcp_playout *playout);

/* What is to be played at `now`, and when that is something (pull.c). */
void lt_playout_next(livetcp_playout *playout, livetcp_usec now, livetcp_playout_item *item);
livetcp_usec lt_playout_deadline(const livetcp_playout *playout);

/* Whether numbers go on elsewhere, so that nothing is missing between these two. */
static inline bool lt_playout_breaks(uint64_t next, uint64_t extended)
{
    return extended > next + LT_WINDOW_MAX_STEP;
}

#endif
