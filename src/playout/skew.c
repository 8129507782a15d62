/* SPDX-License-Identifier: MIT */
/*
 * Clock skew from one-way transit times. S. Moon, P. Skelly and D. Towsley, "Estimation and Removal
 * of Clock Skew from Network Delay Measurements" (INFOCOM 1999): queueing can only increase the
 * transit time, so the skew is the slope of the closest line below all points. That line extends
 * the edge of their lower convex hull at the mean of x (their linear program, solved
 * geometrically); here the middle of the span replaces the mean.
 *
 * Deviations: points are the minima of one second each, of the last ten minutes. The slope of a
 * short span counts only in part, since a growing queue initially looks like skew.
 */
#include "playout/skew.h"

#include <math.h>
#include <string.h>

#define WINDOW_US 600e6

/* Minimum span for a result; and the span at which half of the measured slope counts. */
#define MIN_SPAN_US  5e6
#define HALF_SPAN_US 30e6

/* Oscillators are within 100 ppm of the nominal frequency, sound cards within a few hundred. */
#define MAX_SLOPE 500e-6

static void drop_first(lt_skew *skew)
{
    skew->count--;
    memmove(skew->x, skew->x + 1, skew->count * sizeof *skew->x);
    memmove(skew->y, skew->y + 1, skew->count * sizeof *skew->y);
}

/* True if the last vertex is on or above the line from the one before it to (x, y). */
static int last_is_above(const lt_skew *skew, double x, double y)
{
    unsigned b = skew->count - 1, a = b - 1;

    return (skew->y[b] - skew->y[a]) * (x - skew->x[a]) >=
           (y - skew->y[a]) * (skew->x[b] - skew->x[a]);
}

static double slope_at_middle(const lt_skew *skew)
{
    double middle = (skew->x[0] + skew->x[skew->count - 1]) / 2;
    unsigned i = 1;

    while (skew->x[i] < middle)
        i++;
    return (skew->y[i] - skew->y[i - 1]) / (skew->x[i] - skew->x[i - 1]);
}

static void conclude(lt_skew *skew)
{
    double span = skew->count ? skew->x[skew->count - 1] - skew->x[0] : 0, slope;

    if (span < MIN_SPAN_US || span < skew->slope_span)
        return;
    slope = slope_at_middle(skew);
    slope = slope > MAX_SLOPE ? MAX_SLOPE : slope < -MAX_SLOPE ? -MAX_SLOPE : slope;
    skew->slope = slope * span / (span + HALF_SPAN_US);
    skew->slope_span = span < 2 * HALF_SPAN_US ? span : 2 * HALF_SPAN_US;
}

double lt_skew_reach(const lt_skew *skew)
{
    return skew->count ? skew->x[skew->count - 1] : -HUGE_VAL;
}

void lt_skew_add(lt_skew *skew, double x, double y)
{
    while (skew->count > 1 && last_is_above(skew, x, y))
        skew->count--;
    if (skew->count == LT_SKEW_VERTICES)
        drop_first(skew);
    skew->x[skew->count] = x;
    skew->y[skew->count++] = y;
    while (skew->count > 2 && x - skew->x[0] > WINDOW_US)
        drop_first(skew);
    conclude(skew);
}

void lt_skew_restart(lt_skew *skew)
{
    skew->count = 0;
}
