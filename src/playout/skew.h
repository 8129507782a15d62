/* SPDX-License-Identifier: MIT */
/* How much slower the sender's media clock runs than ours: the slope of the least transit times. */
#ifndef LT_PLAYOUT_SKEW_H
#define LT_PLAYOUT_SKEW_H

#define LT_SKEW_VERTICES 64

/* The lower convex hull of points (media time, transit time), both in microseconds. Zero is empty.
 */
typedef struct lt_skew {
    double x[LT_SKEW_VERTICES], y[LT_SKEW_VERTICES];
    unsigned count;
    double slope;      /* what is believed */
    double slope_span; /* of how much media time that was learnt */
} lt_skew;

/* x of the last point; less than that of any point if there is none. */
double lt_skew_reach(const lt_skew *skew);

/* Adds a point that is right of all others. */
void lt_skew_add(lt_skew *skew, double x, double y);

/* Forgets the points, which belonged to another path; the clocks are the same, so the slope stays
 * until the new points know better. */
void lt_skew_restart(lt_skew *skew);

#endif
