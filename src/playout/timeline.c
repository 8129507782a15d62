/* SPDX-License-Identifier: MIT */
/*
 * A wrong clock rate shows as media time that runs faster or slower than ours by a constant factor.
 * Stalls and silences look similar, so two consecutive intervals must agree.
 */
#include "playout/timeline.h"

#include <math.h>

/* Bound for pictures sent out of order, and for a sender that catches up. */
#define JUMP_US LIVETCP_USEC_SEC

#define STRETCH_US     (3 * (livetcp_usec)LIVETCP_USEC_SEC)
#define MIN_DEVIATION  0.1  /* minimum deviation of the ratio from 1; clocks agree better */
#define MAX_DIFFERENCE 0.05 /* maximum difference of two intervals with the same rate */

int64_t lt_timeline_extend(const lt_timeline *timeline, uint32_t timestamp)
{
    return timeline->timestamp + (int32_t)(timestamp - (uint32_t)timeline->timestamp);
}

livetcp_usec lt_timeline_media(const lt_timeline *timeline, int64_t timestamp)
{
    int64_t rate = timeline->clock_rate;

    return timestamp / rate * LIVETCP_USEC_SEC + timestamp % rate * LIVETCP_USEC_SEC / rate;
}

static void begin_stretch(lt_timeline *timeline, double ratio)
{
    timeline->stretch =
        (lt_timeline_interval){true, timeline->media_us, timeline->arrival_us, ratio};
}

static void set_latest(lt_timeline *timeline, int64_t timestamp, livetcp_usec arrival_us)
{
    timeline->timestamp = timestamp;
    timeline->media_us = lt_timeline_media(timeline, timestamp);
    timeline->arrival_us = arrival_us;
}

void lt_timeline_start(lt_timeline *timeline, uint32_t timestamp, livetcp_usec arrival_us)
{
    timeline->started = true;
    timeline->measured_rate = 0;
    set_latest(timeline, (int64_t)timestamp, arrival_us);
    begin_stretch(timeline, 0);
}

bool lt_timeline_jumps(const lt_timeline *timeline, int64_t timestamp, livetcp_usec arrival_us,
                       livetcp_usec queueing_us)
{
    livetcp_usec ahead = lt_timeline_media(timeline, timestamp) - timeline->media_us;
    livetcp_usec passed = arrival_us - timeline->arrival_us;

    return ahead < -JUMP_US || ahead > passed + queueing_us + JUMP_US;
}

/* Compares the interval that ends here with the previous one. */
static bool compare(lt_timeline *timeline)
{
    const lt_timeline_interval *stretch = &timeline->stretch;
    double ratio = (double)(timeline->media_us - stretch->media_us) /
                   (double)(timeline->arrival_us - stretch->arrival_us);
    bool wrong = fabs(ratio - 1) > MIN_DEVIATION && ratio > 0;
    bool agrees = stretch->ratio > 0 && fabs(ratio / stretch->ratio - 1) < MAX_DIFFERENCE;
    double known = (double)timeline->measured_rate / timeline->clock_rate;
    bool news = wrong && agrees && fabs(ratio - known) > MAX_DIFFERENCE;

    if (news)
        timeline->measured_rate = (uint32_t)fmin(ratio * timeline->clock_rate + 0.5, UINT32_MAX);
    else if (!wrong && stretch->ratio > 0 && agrees)
        timeline->measured_rate = 0;
    begin_stretch(timeline, ratio);
    return news;
}

bool lt_timeline_advance(lt_timeline *timeline, int64_t timestamp, livetcp_usec arrival_us)
{
    set_latest(timeline, timestamp, arrival_us);
    return arrival_us - timeline->stretch.arrival_us >= STRETCH_US && compare(timeline);
}
