/* SPDX-License-Identifier: MIT */
/* The result as the listener or viewer perceives it. */
#ifndef LT_PLAYOUT_OUTCOME_H
#define LT_PLAYOUT_OUTCOME_H

#include <livetcp/playout.h>

/* Mean and variance of a series (Welford). Empty when zeroed. */
typedef struct lt_series {
    uint64_t count;
    double mean, squares;
} lt_series;

typedef struct lt_playout_outcome {
    uint64_t played, played_secondary, played_late;
    uint64_t late, lost, overflowed, concealed;
    uint64_t bursts, burst_packets; /* consecutive packets not played: runs, and packets in them */
    bool in_burst;
    lt_series delays;           /* delays of talkspurts; for video, of seconds */
    livetcp_usec delays_second; /* video: the last second counted */

    bool shown;            /* an item was played since the last restart */
    bool broken;           /* an item was skipped since then */
    livetcp_usec shown_us; /* play time, and media time, of that item */
    livetcp_usec shown_media_us;
    uint64_t freezes;
    livetcp_usec longest_freeze_us, total_freeze_us;
} lt_playout_outcome;

void lt_series_add(lt_series *series, double value);
double lt_series_stddev(const lt_series *series);

/* A packet was played at `play_us`, in order. `late` (video only): after its time. */
void lt_playout_outcome_played(lt_playout_outcome *outcome, livetcp_usec play_us,
                               livetcp_usec media_us, livetcp_usec duration_us, bool secondary,
                               bool late);

/* Playout skipped the positions of `count` packets; `came`: they arrived, too late. */
void lt_playout_outcome_missed(lt_playout_outcome *outcome, uint64_t count, bool came);

/* A packet arrived after its position was skipped. `counted`: it was counted as lost, which is
 * corrected here. */
void lt_playout_outcome_came_late(lt_playout_outcome *outcome, bool counted);

/* Packets were dropped from the buffer. */
void lt_playout_outcome_overflowed(lt_playout_outcome *outcome, uint64_t count);

/* The stream restarts: nothing is missing before the restart. */
void lt_playout_outcome_restart(lt_playout_outcome *outcome);

void lt_playout_outcome_report(const lt_playout_outcome *outcome, livetcp_playout_stats *stats);

#endif
