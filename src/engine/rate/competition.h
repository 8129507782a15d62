/* SPDX-License-Identifier: MIT */
/*
 * Beside a flow that fills the bottleneck's buffer whatever we do: the session takes the share of
 * one flow of TCP, however many connections it has, and finds out when the other has gone.
 *
 * Source: Copa's TCP-competitive mode (Arun and Balakrishnan, NSDI 2018, section 4), which also
 * takes a queue that does not become short for the sign of a buffer-filling flow, and additive
 * increase and multiplicative decrease meanwhile. Deviation: Copa waits for the queue to be nearly
 * empty once in five round trips, which its own oscillation sees to; we keep a steady rate, so that
 * we drain our own part of the queue now and then, and look.
 */
#ifndef LT_ENGINE_RATE_COMPETITION_H
#define LT_ENGINE_RATE_COMPETITION_H

#include "engine/rate/constant_rate.h"
#include "engine/rate/delay_history.h"
#include "engine/rate/heavy_losses.h"

#define LT_COMPETITION_LOSSES 3

typedef struct lt_competition {
    livetcp_usec little_us;  /* little of the path gets through since; LIVETCP_NEVER = much does */
    livetcp_usec since_us;   /* a queue of others has stood since; LIVETCP_NEVER = none stands */
    livetcp_usec from_us;    /* the queue then */
    livetcp_usec known_us;   /* when it was last known, or forgotten */
    double plateau;          /* CUBIC: the share before the last reduction, in segments, */
    double plateau_s;        /*   and the time in which it is reached again, */
    livetcp_usec epoch_us;   /*   from this moment */
    livetcp_usec updated_us; /* at the last look */
    livetcp_usec lost_us[LT_COMPETITION_LOSSES]; /* losses in a queue that is not ours, a ring */
    unsigned losses;                             /* their number so far */
    lt_heavy_losses heavy;
    lt_constant_rate constant;         /* of the only connection */
    double share;                      /* bytes in flight */
    unsigned empty_drains;             /* in succession */
    uint64_t delivered, retransmitted; /* at the last look */
    livetcp_usec shrunk_us;            /* when the share was last made smaller */
    livetcp_usec stood_us;             /* when a queue last stood */
    livetcp_usec unmet_us;             /* round trips meet none since; NEVER = they do */
    livetcp_usec queue_max_us;         /* the longest queue since the last drain */
    livetcp_usec drained_us;           /* when the last drain was, or they were found */
    bool return_soon;                  /* they may only seem gone for a moment */
    livetcp_usec drain_until_us;       /* LIVETCP_NEVER: none is under way */
    livetcp_usec drain_min_us;         /* the shortest queue that it has shown */
    double before_drain;     /* bytes per second delivered when the first of two drains began */
    double drain_rate;       /* part of the share that the encoder sends meanwhile; 0 = all */
    double crest_us;         /* the longest queue of late */
    double left_rate;        /* of the share, bytes per second, when they seemed gone; */
    livetcp_usec remains_us; /*   a queue stands at no more since; NEVER = none does */
} lt_competition;

void lt_competition_init(lt_competition *competition);

/* Detects other senders that fill the queue: it is longer than our own target `own_us` (0 = the
 * session has no limit) for some time, or it overflows repeatedly while ours is short. `ours`: this
 * queue may be our own. `part`: delivered rate as a part of the maximum that the path has recently
 * carried; where that is little, and something is lost, less is needed. `rate`: that which a
 * standing queue of now delivers, bytes per second; 0 = none stands. */
bool lt_competition_found(lt_competition *competition, const lt_congestion_sample *sample,
                          const lt_delay_window *window, livetcp_usec own_us, double part,
                          double rate, bool ours);

/* Begins with a share of the bytes that `rate` (bytes per second; 0 = not known) keeps in flight.
 * Where nothing was lost for a while the others may be sessions like this one. */
void lt_competition_begin(lt_competition *competition, const lt_congestion_sample *sample,
                          const lt_delay_window *window, double rate);

/* Updates the share. False when the others have gone. */
bool lt_competition_update(lt_competition *competition, const lt_congestion_sample *sample,
                           const lt_delay_window *window);

/* Bytes that may be in flight; UINT64_MAX = no limit above the only connection's own window. */
uint64_t lt_competition_window(const lt_competition *competition,
                               const lt_congestion_sample *sample, const lt_delay_window *window);

/* Bytes per second of the share. */
double lt_competition_share_rate(const lt_competition *competition,
                                 const lt_congestion_sample *sample, const lt_delay_window *window);

/* The same; no more than is delivered while packets wait, since the connections' own windows may be
 * smaller. 0 = not known during a drain of the window. */
double lt_competition_rate(const lt_competition *competition, const lt_congestion_sample *sample,
                           const lt_delay_window *window);

/* Part of the share that the encoder is told while it drains the queue; 0 = no such drain. */
static inline double lt_competition_drain_rate(const lt_competition *competition)
{
    return competition->drain_rate;
}

/* Drains that found no queue, in succession: the others seem to have gone. */
static inline unsigned lt_competition_empty_drains(const lt_competition *competition)
{
    return competition->empty_drains;
}

/* The losses that a smaller window does not end. */
static inline const lt_heavy_losses *lt_competition_heavy_losses(const lt_competition *competition)
{
    return &competition->heavy;
}

#endif
