/* SPDX-License-Identifier: MIT */
/*
 * A wrong clock rate shows as media time that runs faster or slower than ours, always by the same
 * factor. Stalls and silences do that too, so two successive stretches must agree.
 */
#include "playout/timeline.h"

#include <math.h>

/* Pictures sent out of order stay within this; so does a sender that catches up. */
#define JUMP_US LIVETCP_USEC_SEC

#define STRETCH_US (3 * (livetcp_usec)LIVETCP_USEC_SEC)
#define WRONG      0.1  /* clocks agree better than that */
#define AGREES     0.05 /* two stretches of the same rate */

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
        (lt_timeline_stretch){true, timeline->media_us, timeline->arrival_us, ratio};
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

/* Compares the stretch that ends here with the one before. */
static bool compare(lt_timeline *timeline)
{
    const lt_timeline_stretch *stretch = &timeline->stretch;
    double ratio = (double)(timeline->media_us - stretch->media_us) /
                   (double)(timeline->arrival_us - stretch->arrival_us);
    bool wrong = fabs(ratio - 1) > WRONG && ratio > 0;
    bool agrees = stretch->ratio > 0 && fabs(ratio / stretch->ratio - 1) < AGREES;
    double known = (double)timeline->measured_rate / timeline->clock_rate;
    bool news = wrong && agrees && fabs(ratio - known) > AGREES;

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
