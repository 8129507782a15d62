/* SPDX-License-Identifier: MIT */
/* Skew of the sender's media clock relative to ours, positive if it is slower: the slope of the
 * minimum transit times. */
#ifndef LT_PLAYOUT_SKEW_H
#define LT_PLAYOUT_SKEW_H

#define LT_SKEW_VERTICES 64

/* Lower convex hull of the points (media time, transit time), both in microseconds. Empty when
 * zeroed. */
typedef struct lt_skew {
    double x[LT_SKEW_VERTICES], y[LT_SKEW_VERTICES];
    unsigned count;
    double slope;      /* current estimate */
    double slope_span; /* span of media time that it is based on */
} lt_skew;

/* x of the last point; below any valid x if there is none. */
double lt_skew_reach(const lt_skew *skew);

/* Adds a point to the right of all others. */
void lt_skew_add(lt_skew *skew, double x, double y);

/* Discards the points, which belong to another path. The clocks are the same, so the slope is kept
 * until the new points give a better one. */
void lt_skew_restart(lt_skew *skew);

#endif
