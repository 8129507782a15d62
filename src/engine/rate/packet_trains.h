/* SPDX-License-Identifier: MIT */
/*
 * Rate of a path, from packet trains: while each packet meets a queue, they are delivered at the
 * rate of the bottleneck, also when the source sends less on average. A video frame is a train, so
 * a path that has become faster shows at once, without probing.
 *
 * Source: packet pairs and trains (Keshav, "A control-theoretic approach to flow control", 1991;
 * Dovrolis et al., "What do packet dispersion techniques measure?", 2001). Beside other traffic
 * they show more than a fair share, so their rate is a hint and no limit.
 */
#ifndef LT_ENGINE_RATE_PACKET_TRAINS_H
#define LT_ENGINE_RATE_PACKET_TRAINS_H

#include "engine/rate/delay_history.h"

#define LT_PACKET_TRAINS 5

typedef struct lt_packet_trains {
    bool open;                              /* one passes */
    livetcp_usec from_us, before_us, to_us; /* its first look, the last but one, and the last */
    uint64_t from, before, to;              /* bytes delivered then */

    double rates[LT_PACKET_TRAINS]; /* of the last ones, a ring */
    unsigned count;                 /* ever */
} lt_packet_trains;

/* `busy_us`: a sample that waited less in the network met no queue. */
void lt_packet_trains_add(lt_packet_trains *trains, const lt_congestion_sample *sample,
                          livetcp_usec busy_us);

/* The rate of one as the peer has seen it, in bytes per second; 0 = none. */
void lt_packet_trains_on_told(lt_packet_trains *trains, double rate);

/* The path has changed: trains of before show nothing. */
void lt_packet_trains_forget(lt_packet_trains *trains);

/* Median of the last ones, in bytes per second; 0 = there was none. */
double lt_packet_trains_rate(const lt_packet_trains *trains);

/* The same also of a long one that has not ended yet, while there was no other. */
double lt_packet_trains_early_rate(const lt_packet_trains *trains);

#endif
