/* SPDX-License-Identifier: MIT */
/* A listener with a fixed or adaptive (listener.h) playout delay: share of late packets, and call
 * quality by the E-model. */
#ifndef LT_LAB_BENCH_PLAYOUT_H
#define LT_LAB_BENCH_PLAYOUT_H

#include <livetcp/playout.h>

#include <stdbool.h>

enum { LT_BENCH_MAX_PLAYOUTS = 16 };

typedef struct lt_playout_point {
    char name[16]; /* as given: "40ms", "static", "adaptive" */
    bool adaptive;
    livetcp_usec over; /* playout delay over L, the delay of a packet without queueing and loss; 0
                          if adaptive */
} lt_playout_point;

typedef struct lt_playout_list {
    unsigned count;
    lt_playout_point points[LT_BENCH_MAX_PLAYOUTS];
    const livetcp_speech_codec *codec;
} lt_playout_list;

/* Parses "10ms,40ms,static,adaptive": delays over L; RTT + 3/f (Brosh et al., section 6.6), f being
 * the packet rate; the adaptive delay of livetcp_playout (Zhang et al., section 4.1.1). NULL is an
 * empty list. `codec` NULL is G.711 with concealment. */
livetcp_result lt_playout_parse(lt_playout_list *list, const char *text, const char *codec,
                                livetcp_usec rtt, livetcp_usec interval, livetcp_error *error);

/* The version of a packet that is played. */
typedef enum lt_played_part {
    LT_PLAYED_NOTHING,
    LT_PLAYED_PRIMARY,
    LT_PLAYED_SECONDARY
} lt_played_part;

/* Result for one playout delay. Lost packets count as late. */
typedef struct lt_playout {
    livetcp_usec delay;  /* from sending to playing: L + over; adaptive: the mean over talkspurts */
    livetcp_usec stddev; /* over talkspurts; 0 if fixed */
    uint64_t talkspurts; /* adaptive */
    double mean, squares;
    uint64_t packets, late;
    uint64_t secondary; /* packets replaced by a copy */
    uint64_t bursts;    /* runs of late packets of one stream */
    bool in_burst;      /* the previous packet was late */
    double burst_ratio;
    double rating, mos; /* of a call with this delay and loss; NAN without packets */
    double max_mos;     /* MOS at this delay without late packets */
} lt_playout;

/* The version that a fixed delay plays, from the delays of the packet and its copy. */
static inline lt_played_part lt_playout_part(const lt_playout *playout, livetcp_usec delay,
                                             livetcp_usec copy)
{
    return delay <= playout->delay  ? LT_PLAYED_PRIMARY
           : copy <= playout->delay ? LT_PLAYED_SECONDARY
                                    : LT_PLAYED_NOTHING;
}

/* Adds the next packet of a stream, in sending order. */
static inline void lt_playout_take(lt_playout *playout, lt_played_part part)
{
    bool late = part == LT_PLAYED_NOTHING;
    playout->packets++;
    playout->late += late;
    playout->secondary += part == LT_PLAYED_SECONDARY;
    playout->bursts += late && !playout->in_burst;
    playout->in_burst = late;
}

/* The next packet does not follow the previous one. */
static inline void lt_playout_interrupt(lt_playout *playout)
{
    playout->in_burst = false;
}

double lt_playout_late_share(const lt_playout *playout); /* NAN without packets */

/* Share of late or lost packets that a copy replaced (Zhang et al., section 4.1.3); NAN if there
 * are none. */
double lt_playout_saved_share(const lt_playout *playout);

/* Call after the last packet. */
void lt_playout_rate(lt_playout *playout, const livetcp_speech_codec *codec);

#endif
