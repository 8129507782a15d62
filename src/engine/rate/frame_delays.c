/* SPDX-License-Identifier: MIT */
#include "engine/rate/frame_delays.h"

#include "base/usec.h"
#include "engine/links/path_info.h"

#define SECOND ((double)LIVETCP_USEC_SEC)

/* Period of the minimum. */
#define MIN_US 5000000

/* A difference of this size between two delays is a change of the peer's clock. */
#define JUMP_US (10 * (int64_t)LIVETCP_USEC_SEC)

/* At the start round trips count: they show the queue of an encoder that begins with too much
 * sooner than a report, which follows when the peer has sent some media. */
#define START_US 2000000

/* Round trips count again when no report has come for this time. */
#define FRESH_US 300000

#define GAIN 0.03

/* Maximum of the wait for media of the other direction, whose frame may take all the time to its
 * next one: more are repairs. */
#define BACK_MAX_US 40000

/* Reports come with each frame. One that has not come for this time waits. */
#define EXPECTED_US 100000

/* A wait beyond this is a slow moment of the other direction's link. It counts up to an upper
 * bound: both ways may be slow, and bytes that are let through on this one wait in its network. */
#define LATE_US     100000
#define LATE_MAX_US 360000

/* A shorter train measures single packets. */
#define TRAIN_US    4500
#define TRAIN_BYTES 2400

void lt_frame_delays_init(lt_frame_delays *d)
{
    *d = (lt_frame_delays){
        .begun_us = INT64_MIN, .told_us = INT64_MIN / 2, .queue_us = LIVETCP_NEVER};
    lt_recent_min_init(&d->there.min, MIN_US);
    lt_recent_min_init(&d->back.min, MIN_US);
}

/* The newest such frame; NULL if there is none. */
static const lt_frame_write *find(const lt_frame_delays *d, uint32_t ssrc, uint32_t timestamp)
{
    for (unsigned i = 1; i <= LT_FRAME_WRITES; i++) {
        const lt_frame_write *write = &d->writes[(d->next + LT_FRAME_WRITES - i) % LT_FRAME_WRITES];
        if (!write->used)
            return NULL;
        if (write->ssrc == ssrc && write->timestamp == timestamp)
            return write;
    }
    return NULL;
}

void lt_frame_delays_on_written(lt_frame_delays *d, const lt_packet *packet,
                                const livetcp_path *path, livetcp_usec now)
{
    if (packet->rtcp || packet->parity || find(d, packet->ssrc, packet->timestamp))
        return;
    bool waits = lt_path_exceeds_window(path, lt_packet_size(packet));
    d->writes[d->next] =
        (lt_frame_write){true, packet->ssrc, packet->timestamp, waits ? LIVETCP_NEVER : now};
    d->next = (d->next + 1) % LT_FRAME_WRITES;
}

/* The two clocks differ by any time. */
static void remember(lt_way_delay *d, int64_t delay_us, livetcp_usec now)
{
    if (delay_us > d->last_us + JUMP_US || delay_us < d->last_us - JUMP_US)
        lt_recent_min_set(&d->min, delay_us, now);
    else
        lt_recent_min_add(&d->min, delay_us, now);
    d->last_us = delay_us;
}

static livetcp_usec queue_of(const lt_way_delay *d)
{
    return d->last_us - lt_recent_min_last(&d->min);
}

void lt_frame_delays_on_arrival(lt_frame_delays *d, const lt_frame_arrival *arrival,
                                livetcp_usec now)
{
    const lt_frame_write *write = find(d, arrival->ssrc, arrival->timestamp);

    if (!write || write->at_us == LIVETCP_NEVER || arrival->at_us > INT64_MAX / 4)
        return;
    remember(&d->there, (int64_t)arrival->at_us - write->at_us, now);
    remember(&d->back, now - (int64_t)arrival->at_us, now);
    d->queue_us = lt_usec_min(d->queue_us, queue_of(&d->there));
    d->told_us = now;
    d->train = arrival->train_us >= TRAIN_US && arrival->train_bytes >= TRAIN_BYTES
                   ? (double)arrival->train_bytes * SECOND / (double)arrival->train_us
                   : 0;
}

static void average(double *average_us, livetcp_usec us)
{
    if (us != LIVETCP_NEVER)
        *average_us += GAIN * ((double)us - *average_us);
}

/* How much longer acknowledgements wait now than for frames of the other direction. */
static livetcp_usec back_late(const lt_frame_delays *d, livetcp_usec now)
{
    livetcp_usec overdue_us = lt_usec_max(now - d->told_us - EXPECTED_US, 0);

    return lt_usec_clamp(queue_of(&d->back) + overdue_us - LATE_US, 0, LATE_MAX_US);
}

void lt_frame_delays_apply(lt_frame_delays *d, double media_share, lt_congestion_sample *s)
{
    livetcp_usec queue_us = d->queue_us;
    double train = d->train;

    d->queue_us = LIVETCP_NEVER;
    d->train = 0;
    if (d->begun_us == INT64_MIN)
        d->begun_us = s->now_us;
    if (!s->answered || d->told_us < s->now_us - FRESH_US) {
        d->trip_us = d->way_us = 0;
        return;
    }
    average(&d->trip_us, s->queue_us);
    average(&d->way_us, queue_us);
    if (s->now_us < d->begun_us + START_US)
        return;
    s->one_way = true;
    s->train = media_share > 0 ? train / media_share : 0;
    s->queue_us = s->busy_us = s->exact_us = queue_us;
    s->back_us = lt_usec_clamp((livetcp_usec)(d->trip_us - d->way_us), 0, BACK_MAX_US);
    s->back_late_us = back_late(d, s->now_us);
}
