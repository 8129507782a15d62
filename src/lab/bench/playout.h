/* SPDX-License-Identifier: MIT */
/* A listener with a fixed playout delay, or an adaptive one (listener.h): which packets come too
 * late, and how good the call then is by the E-model. */
#ifndef LT_LAB_BENCH_PLAYOUT_H
#define LT_LAB_BENCH_PLAYOUT_H

#include <livetcp/playout.h>

#include <stdbool.h>

enum { LT_BENCH_MAX_PLAYOUTS = 16 };

typedef struct lt_playout_point {
    char name[16]; /* as given: "40ms", "static", "adaptive" */
    bool adaptive;
    livetcp_usec over; /* from when a packet would arrive without any queue or loss, L after it was
                          sent, until it is played; 0 if adaptive */
} lt_playout_point;

typedef struct lt_playout_list {
    unsigned count;
    lt_playout_point points[LT_BENCH_MAX_PLAYOUTS];
    const livetcp_speech_codec *codec;
} lt_playout_list;

/* Parses "10ms,40ms,static,adaptive": times over L; RTT + 3/f (Brosh et al., section 6.6), where f
 * is the packet rate; the adaptive delay of livetcp_playout (Zhang et al., section 4.1.1). NULL is
 * an empty list. `codec` NULL is G.711 with concealment. */
livetcp_result lt_playout_parse(lt_playout_list *list, const char *text, const char *codec,
                                livetcp_usec rtt, livetcp_usec interval, livetcp_error *error);

/* The part of a packet that is played. */
typedef enum lt_heard { LT_HEARD_NOTHING, LT_HEARD_PRIMARY, LT_HEARD_SECONDARY } lt_heard;

/* Result of one point. Packets that never arrived are late as well. */
typedef struct lt_playout {
    livetcp_usec delay;  /* from sending to playing: L + over; adaptive: the mean over talkspurts */
    livetcp_usec stddev; /* over talkspurts; 0 if fixed */
    uint64_t talkspurts; /* adaptive */
    double mean, squares;
    uint64_t packets, late;
    uint64_t secondary; /* packets of which a copy was played */
    uint64_t bursts;    /* runs of late packets of one stream */
    bool in_burst;      /* the packet before was late */
    double burst_ratio;
    double rating, mos; /* of a call with this delay and loss; NAN without packets */
    double most_mos;    /* and the maximum for this delay, with no packet late */
} lt_playout;

/* The part of a packet that a fixed delay plays, from the delays of the packet and its copy. */
static inline lt_heard lt_playout_heard(const lt_playout *playout, livetcp_usec delay,
                                        livetcp_usec copy)
{
    return delay <= playout->delay  ? LT_HEARD_PRIMARY
           : copy <= playout->delay ? LT_HEARD_SECONDARY
                                    : LT_HEARD_NOTHING;
}

/* The next packet of a stream in the order of sending. */
static inline void lt_playout_take(lt_playout *playout, lt_heard heard)
{
    bool late = heard == LT_HEARD_NOTHING;
    playout->packets++;
    playout->late += late;
    playout->secondary += heard == LT_HEARD_SECONDARY;
    playout->bursts += late && !playout->in_burst;
    playout->in_burst = late;
}

/* The next packet does not continue the one before. */
static inline void lt_playout_interrupt(lt_playout *playout)
{
    playout->in_burst = false;
}

double lt_playout_late_share(const lt_playout *playout); /* NAN without packets */

/* The share of late or lost packets that a copy replaced (Zhang et al., section 4.1.3); NAN without
 * any. */
double lt_playout_saved_share(const lt_playout *playout);

/* All packets have been taken. */
void lt_playout_rate(lt_playout *playout, const livetcp_speech_codec *codec);

#endif
