/* SPDX-License-Identifier: MIT */
#include "engine/rate/media_queue.h"

#include <math.h>

#define SECOND ((double)LIVETCP_USEC_SEC)

/* The packets of a frame are written within this time of the first. */
#define BURST_US 3000

/* Of the waiting time: rates from the time of single frames are up to a fifth too high. */
#define GENEROUS 1.3

void lt_media_queue_init(lt_media_queue *q)
{
    *q = (lt_media_queue){.rate = HUGE_VAL, .last_us = INT64_MIN / 2};
    for (unsigned i = 0; i < LT_MEDIA_BURSTS; i++)
        q->bursts[i].from_us = INT64_MAX;
}

void lt_media_queue_set_rate(lt_media_queue *q, double rate)
{
    q->rate = rate;
}

static double left(const lt_media_queue *q, livetcp_usec now)
{
    double drained = (double)(now - q->last_us) / SECOND * q->rate;

    return q->bytes > drained ? q->bytes - drained : 0;
}

static livetcp_usec wait_for(const lt_media_queue *q, double bytes)
{
    return (livetcp_usec)(GENEROUS * bytes / q->rate * SECOND);
}

void lt_media_queue_on_written(lt_media_queue *q, size_t size, livetcp_usec now)
{
    q->bytes = left(q, now);
    q->last_us = now;
    if (q->bursts[q->newest].from_us == INT64_MAX ||
        now - q->bursts[q->newest].from_us > BURST_US) {
        q->newest = (q->newest + 1) % LT_MEDIA_BURSTS;
        q->bursts[q->newest].from_us = now;
    }
    q->bursts[q->newest].wait_us = wait_for(q, q->bytes);
    q->bytes += (double)size;
}

livetcp_usec lt_media_queue_at(const lt_media_queue *q, livetcp_usec written_us)
{
    for (unsigned i = 0; i < LT_MEDIA_BURSTS; i++) {
        unsigned at = (q->newest + LT_MEDIA_BURSTS - i) % LT_MEDIA_BURSTS;
        if (q->bursts[at].from_us <= written_us)
            return q->bursts[at].wait_us;
    }
    return LIVETCP_NEVER;
}

livetcp_usec lt_media_queue_of(const lt_media_queue *q, size_t size, livetcp_usec now)
{
    return wait_for(q, left(q, now) + (double)size);
}
