/* SPDX-License-Identifier: MIT */
/* Audio: the timestamp step between consecutive packets, once it was the same twice in a row;
 * pauses do not count. Video: moving averages, since the frame rate varies. */
#include "playout/interval.h"

#include <livetcp/base.h>

#include <string.h>

#define WEIGHT 0.125

/* Longer steps, in seconds, are pauses. */
#define LONGEST 1

void lt_interval_init(lt_interval *interval, bool video, uint32_t clock_rate, int64_t configured_us)
{
    memset(interval, 0, sizeof *interval);
    interval->video = video;
    interval->clock_rate = clock_rate;
    interval->configured = (double)configured_us * clock_rate / LIVETCP_USEC_SEC;
    interval->duration = interval->configured;
}

void lt_interval_restart(lt_interval *interval)
{
    interval->started = false;
    interval->step = 0;
}

static double average(double old, double sample)
{
    return old > 0 ? old + WEIGHT * (sample - old) : sample;
}

static void add_audio(lt_interval *interval, int64_t step)
{
    if (step == interval->step || !(interval->duration > 0))
        interval->duration = (double)step;
    interval->step = step;
}

/* A frame is complete, since the next one has begun. */
static void add_frame(lt_interval *interval, int64_t step)
{
    if (!(interval->configured > 0))
        interval->duration = average(interval->duration, (double)step);
    interval->per_frame = average(interval->per_frame, interval->in_frame);
}

void lt_interval_add(lt_interval *interval, uint64_t extended, int64_t timestamp)
{
    int64_t step = timestamp - interval->timestamp;
    bool neighbour = interval->started && extended == interval->extended + 1;
    bool counts = neighbour && step > 0 && step <= (int64_t)interval->clock_rate * LONGEST;

    if (interval->video && counts)
        add_frame(interval, step);
    else if (counts && !(interval->configured > 0))
        add_audio(interval, step);
    if (!interval->started || step != 0)
        interval->in_frame = 0;
    interval->in_frame++;
    interval->started = true;
    interval->extended = extended;
    interval->timestamp = timestamp;
}

int64_t lt_interval_duration_us(const lt_interval *interval)
{
    return (int64_t)(interval->duration * LIVETCP_USEC_SEC / interval->clock_rate);
}

double lt_interval_packet_rate(const lt_interval *interval)
{
    double packets = interval->video ? interval->per_frame : 1;

    return interval->duration > 0 ? packets * interval->clock_rate / interval->duration : 0;
}
