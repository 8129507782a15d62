/* SPDX-License-Identifier: MIT */
/* A listener with a fixed playout delay: which packets come too late for it, and how good the call
 * then is by the E-model. */
#ifndef LT_BENCH_PLAYOUT_H
#define LT_BENCH_PLAYOUT_H

#include <livetcp/quality.h>

#include <stdbool.h>

enum { LT_BENCH_MAX_PLAYOUTS = 16 };

typedef struct lt_playout_point {
    char name[16];     /* as given: "40", "static" */
    livetcp_usec over; /* from when a packet would arrive without any queue or loss, L after it was
                          sent, until it is played */
} lt_playout_point;

typedef struct lt_playout_list {
    unsigned count;
    lt_playout_point points[LT_BENCH_MAX_PLAYOUTS];
    const livetcp_speech_codec *codec;
} lt_playout_list;

/* Parses "10,40,static": ms over L, and RTT + 3/f (Brosh et al., section 6.6), where f is the
 * packet rate. NULL is an empty list. `codec` NULL is G.711 with concealment. */
livetcp_result lt_playout_parse(lt_playout_list *list, const char *text, const char *codec,
                                livetcp_usec rtt, livetcp_usec interval, livetcp_error *error);

/* What came of one point. Packets that never arrived are late as well. */
typedef struct lt_playout {
    livetcp_usec delay; /* from sending to playing: L + over */
    uint64_t packets, late;
    uint64_t bursts; /* runs of late packets of one stream */
    bool in_burst;   /* the packet before was late */
    double burst_ratio;
    double rating, mos; /* of a call with this delay and loss; NAN without packets */
    double most_mos;    /* and the most that this delay allows, with no packet late */
} lt_playout;

/* The next packet of a stream in the order of sending. */
static inline void lt_playout_take(lt_playout *playout, livetcp_usec delay)
{
    bool late = delay > playout->delay;
    playout->packets++;
    playout->late += late;
    playout->bursts += late && !playout->in_burst;
    playout->in_burst = late;
}

/* What comes next does not follow what came before. */
static inline void lt_playout_interrupt(lt_playout *playout)
{
    playout->in_burst = false;
}

double lt_playout_late_share(const lt_playout *playout); /* NAN without packets */

/* All packets have been taken. */
void lt_playout_rate(lt_playout *playout, const livetcp_speech_codec *codec);

#endif
