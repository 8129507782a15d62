/* SPDX-License-Identifier: MIT */
/*
 * Ratios as in Zhang et al., section 4.1.3. BurstR as in ITU-T G.107, 3.5: the mean length of the
 * loss bursts divided by 1/(1 - p), its value for independent losses of probability p. Freezes as
 * in the W3C's webrtc-stats (freezeCount).
 */
#include "playout/outcome.h"

#include <math.h>

#define FREEZE_US (150 * LIVETCP_USEC_MSEC)

void lt_series_add(lt_series *series, double value)
{
    double off = value - series->mean;

    series->count++;
    series->mean += off / (double)series->count;
    series->squares += off * (value - series->mean);
}

double lt_series_stddev(const lt_series *series)
{
    return series->count ? sqrt(series->squares / (double)series->count) : 0;
}

/* Media that continues the last picture without a gap in media time is not a freeze, however late
 * it arrives: the sender had nothing to show. */
static void watch_freeze(lt_playout_outcome *o, livetcp_usec play_us, livetcp_usec media_us,
                         livetcp_usec duration_us)
{
    livetcp_usec passed = play_us - o->shown_us, long_us = duration_us + FREEZE_US;
    livetcp_usec media = media_us - o->shown_media_us;

    if (!o->broken && media > 0)
        passed -= media - (media < duration_us ? media : duration_us);
    if (long_us < 3 * duration_us)
        long_us = 3 * duration_us;
    if (!o->shown || passed <= long_us)
        return;
    o->freezes++;
    o->total_freeze_us += passed;
    if (passed > o->longest_freeze_us)
        o->longest_freeze_us = passed;
}

void lt_playout_outcome_played(lt_playout_outcome *o, livetcp_usec play_us, livetcp_usec media_us,
                               livetcp_usec duration_us, bool secondary, bool late)
{
    o->played += !late;
    o->played_late += late;
    o->late += late;
    o->played_secondary += !late && secondary;
    o->bursts += late && !o->in_burst;
    o->burst_packets += late;
    o->in_burst = late;
    watch_freeze(o, play_us, media_us, duration_us);
    o->shown = true;
    o->broken = false;
    o->shown_us = play_us;
    o->shown_media_us = media_us;
}

static void extend_burst(lt_playout_outcome *o, uint64_t count)
{
    o->bursts += !o->in_burst;
    o->burst_packets += count;
    o->in_burst = true;
    o->broken = true;
}

void lt_playout_outcome_missed(lt_playout_outcome *o, uint64_t count, bool came)
{
    *(came ? &o->late : &o->lost) += count;
    extend_burst(o, count);
}

void lt_playout_outcome_came_late(lt_playout_outcome *o, bool counted)
{
    o->late++;
    o->lost -= counted && o->lost > 0;
}

void lt_playout_outcome_overflowed(lt_playout_outcome *o, uint64_t count)
{
    o->overflowed += count;
    extend_burst(o, count);
}

void lt_playout_outcome_restart(lt_playout_outcome *o)
{
    o->shown = false;
    o->in_burst = false;
}

void lt_playout_outcome_report(const lt_playout_outcome *o, livetcp_playout_stats *stats)
{
    double missed = (double)(o->late + o->lost + o->overflowed);
    double due = (double)o->played + missed;
    double secondary = (double)o->played_secondary;

    stats->played = o->played;
    stats->played_secondary = o->played_secondary;
    stats->played_late = o->played_late;
    stats->late = o->late;
    stats->lost = o->lost;
    stats->overflowed = o->overflowed;
    stats->concealed = o->concealed;
    stats->played_ratio = due > 0 ? (double)o->played / due : 0;
    stats->played_secondary_ratio = due > 0 ? secondary / due : 0;
    stats->played_primary_ratio = stats->played_ratio - stats->played_secondary_ratio;
    stats->saved_ratio = missed + secondary > 0 ? secondary / (secondary + missed) : 0;
    stats->loss_ratio = due > 0 ? missed / due : 0;
    stats->burst_ratio = 1;
    if (o->bursts && stats->loss_ratio < 1)
        stats->burst_ratio = (double)o->burst_packets / (double)o->bursts * (1 - stats->loss_ratio);
    stats->mean_delay_us = (livetcp_usec)o->delays.mean;
    stats->stddev_delay_us = (livetcp_usec)lt_series_stddev(&o->delays);
    stats->talkspurts = o->delays.count;
    stats->freezes = o->freezes;
    stats->longest_freeze_us = o->longest_freeze_us;
    stats->total_freeze_us = o->total_freeze_us;
}
