/* SPDX-License-Identifier: MIT */
/* The sender's media clock relative to ours: positive if slower. It is the slope of the minimum
 * transit times. */
#ifndef LT_PLAYOUT_SKEW_H
#define LT_PLAYOUT_SKEW_H

#define LT_SKEW_VERTICES 64

/* The lower convex hull of points (media time, transit time), both in microseconds. Zero is empty.
 */
typedef struct lt_skew {
    double x[LT_SKEW_VERTICES], y[LT_SKEW_VERTICES];
    unsigned count;
    double slope;      /* the current estimate */
    double slope_span; /* the span of media time behind it */
} lt_skew;

/* x of the last point; less than that of any point if there is none. */
double lt_skew_reach(const lt_skew *skew);

/* Adds a point to the right of all others. */
void lt_skew_add(lt_skew *skew, double x, double y);

/* Forgets the points, which belonged to another path. The clocks are the same, so the slope stays
 * until the new points give a better one. */
void lt_skew_restart(lt_skew *skew);

#endif
