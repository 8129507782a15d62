/* SPDX-License-Identifier: MIT */
/*
 * The empirical envelope of a trace (Wrege, Knightly, Zhang and Liebeherr 1996), and the delay
 * bound that follows from it and a service curve.
 *
 * The envelope steps up where a window of k frames, from the first frame's time to the last one's,
 * is shorter than every other with as much data. It is computed for windows of 1, 2, 3, ... frames
 * on demand: a delay bound needs it only up to the first window that the curve serves within its
 * own length. From there on E(t) <= S(t0) + E(t - t0), since E is subadditive, and S, being convex,
 * is superadditive: no longer window can have a larger bound.
 */
#include <livetcp/service_curve.h>

#include "base/error.h"

#include <stdbool.h>
#include <stdlib.h>

#define MAX_BYTES (UINT64_C(1) << 30)

typedef struct burst { /* all frames of one time */
    livetcp_usec time;
    uint64_t before; /* bytes of the trace before it */
} burst;

struct livetcp_envelope {
    size_t frames;
    size_t *burst_of; /* index by frame */
    burst *bursts;    /* and an end element, whose `before` is the total */
    size_t count;     /* bursts */
};

static livetcp_result check(const livetcp_trace_frame *frames, size_t count, livetcp_error *error)
{
    if (!count)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the trace has no frames");
    for (size_t i = 0; i < count; i++) {
        if (!frames[i].bytes || frames[i].bytes > MAX_BYTES)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "frame %zu of the trace has %llu bytes: 1 to %llu are possible", i + 1,
                           (unsigned long long)frames[i].bytes, (unsigned long long)MAX_BYTES);
        if (i && frames[i].time_us < frames[i - 1].time_us)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "frame %zu of the trace is before the one ahead of it: sort them in "
                           "the order in which they are sent",
                           i + 1);
    }
    return LIVETCP_OK;
}

static void gather(livetcp_envelope *e, const livetcp_trace_frame *frames)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < e->frames; i++) {
        if (!i || frames[i].time_us != frames[i - 1].time_us)
            e->bursts[e->count++] = (burst){.time = frames[i].time_us, .before = bytes};
        e->burst_of[i] = e->count - 1;
        bytes += frames[i].bytes;
    }
    e->bursts[e->count] = (burst){.time = e->bursts[e->count - 1].time, .before = bytes};
}

livetcp_result livetcp_envelope_create(const livetcp_trace_frame *frames, size_t count,
                                       livetcp_envelope **envelope, livetcp_error *error)
{
    livetcp_envelope *e;
    livetcp_result result = check(frames, count, error);

    *envelope = NULL;
    if (result != LIVETCP_OK)
        return result;
    e = calloc(1, sizeof *e);
    if (e) {
        e->frames = count;
        e->bursts = calloc(count + 1, sizeof *e->bursts);
        e->burst_of = calloc(count, sizeof *e->burst_of);
    }
    if (!e || !e->bursts || !e->burst_of) {
        livetcp_envelope_destroy(&e);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a trace of %zu frames", count);
    }
    gather(e, frames);
    *envelope = e;
    return LIVETCP_OK;
}

void livetcp_envelope_destroy(livetcp_envelope **envelope)
{
    if (!envelope || !*envelope)
        return;
    free((*envelope)->bursts);
    free((*envelope)->burst_of);
    free(*envelope);
    *envelope = NULL;
}

double livetcp_envelope_at(const livetcp_envelope *envelope, livetcp_usec t_us)
{
    const burst *b = envelope->bursts;
    uint64_t max = 0;

    for (size_t first = 0, last = 0; t_us >= 0 && first < envelope->count; first++) {
        while (last + 1 < envelope->count && b[last + 1].time - b[first].time <= t_us)
            last++;
        if (b[last + 1].before - b[first].before > max)
            max = b[last + 1].before - b[first].before;
    }
    return 8.0 * (double)max;
}

double livetcp_envelope_mean_rate(const livetcp_envelope *envelope)
{
    const burst *last = &envelope->bursts[envelope->count - 1];
    livetcp_usec length = last->time - envelope->bursts[0].time;

    return length ? 8.0 * (double)last->before * LIVETCP_USEC_SEC / (double)length : 0;
}

/* Time that the curve needs for the data of bursts `first` to `last`, minus the window's length. At
 * most 0 if the curve serves it within its own length. */
static livetcp_usec excess(const livetcp_envelope *e, size_t first, size_t last,
                           const livetcp_service_point *points, size_t count)
{
    const burst *b = e->bursts;
    double bits = 8.0 * (double)(b[last + 1].before - b[first].before);

    return livetcp_service_time(points, count, bits) - (b[last].time - b[first].time);
}

static double largest_rate(const livetcp_service_point *points, size_t count)
{
    double rate = 0;

    for (size_t i = 0; i < count; i++)
        if (points[i].rate > rate)
            rate = points[i].rate;
    return rate;
}

livetcp_usec livetcp_delay_bound(const livetcp_service_point *points, size_t count,
                                 const livetcp_envelope *envelope)
{
    livetcp_usec bound = 0, worst = 1;

    if (livetcp_envelope_mean_rate(envelope) > largest_rate(points, count) || !count)
        return INT64_MAX;
    for (size_t bursts = 1; worst > 0 && bursts <= envelope->count; bursts++) {
        worst = 0;
        for (size_t first = 0; first + bursts <= envelope->count; first++) {
            livetcp_usec d = excess(envelope, first, first + bursts - 1, points, count);
            if (d > worst)
                worst = d;
        }
        if (worst > bound)
            bound = worst;
    }
    return bound;
}

/* Number of bursts from which on every window is served in time: a frame's delay depends on no
 * earlier burst. */
static size_t memory(const livetcp_service_point *points, size_t count, const livetcp_envelope *e)
{
    for (size_t bursts = 1; bursts <= e->count; bursts++) {
        bool late = false;
        for (size_t first = 0; !late && first + bursts <= e->count; first++)
            late = excess(e, first, first + bursts - 1, points, count) > 0;
        if (!late)
            return bursts;
    }
    return e->count;
}

void livetcp_delay_bounds(const livetcp_service_point *points, size_t count,
                          const livetcp_envelope *envelope, livetcp_usec *bounds)
{
    bool exceeded = !count || livetcp_envelope_mean_rate(envelope) > largest_rate(points, count);
    size_t back = exceeded ? 0 : memory(points, count, envelope);

    for (size_t i = 0; i < envelope->frames; i++) {
        size_t last = envelope->burst_of[i], first = last + 1 > back ? last + 1 - back : 0;
        bounds[i] = exceeded ? INT64_MAX : 0;
        for (; !exceeded && first <= last; first++) {
            livetcp_usec d = excess(envelope, first, last, points, count);
            if (d > bounds[i])
                bounds[i] = d;
        }
    }
}
