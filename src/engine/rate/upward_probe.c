/* SPDX-License-Identifier: MIT */
#include "engine/rate/upward_probe.h"

#include "engine/links/path_info.h"

#include <math.h>

#define SECOND ((double)LIVETCP_USEC_SEC)

/* The packets of a frame are written within this time of each other. */
#define FRAME_END_US 3000

/* A train: GAIN times the told rate, or GAIN_MORE times that of a train that met no queue. It is as
 * long as a frame's interval, and has at least TRAIN_MIN bytes. Where a queue has stood before, the
 * encoder may have come near the path's rate, and four times that is more than a buffer. */
#define GAIN       4.0
#define GAIN_STOOD 2.0
#define GAIN_MORE  2.0
#define TRAIN_US   40000
#define TRAIN_MIN  5000
#define PART_US    1000 /* padding that is written at once, */
#define PART_MIN   960  /*   and at least: smaller packets would be half headers */

/* There is no train before the result of the last one, while frames themselves show the rate, or
 * near a known rate. */
#define PAUSE_US 100000
#define FRESH_US 1000000
#define ENOUGH   2 /* trains that show a rate */
#define NEAR     0.7
#define LOSS_US  1000000 /* after a loss: the buffer may be shorter than the train */

/* The queue that ends a train, and the queue from which it does not count as carried. */
#define QUEUE_US 20000
#define MET_US   10000

/* Lower bound shown by a train without a queue: it may have queued for less than MET_US. */
#define CARRIED 0.65

void lt_upward_probe_init(lt_upward_probe *probe)
{
    *probe = (lt_upward_probe){.pad_us = LIVETCP_NEVER,
                               .pause_us = INT64_MIN,
                               .shown = HUGE_VAL,
                               .shown_us = INT64_MIN / 2,
                               .train = {.asked = true}};
}

static void begin(lt_upward_probe *p, livetcp_usec now)
{
    double rate = (p->stood ? GAIN_STOOD : GAIN) * p->estimate, size;

    if (p->carried > 0 && GAIN_MORE * p->carried / CARRIED > rate)
        rate = GAIN_MORE * p->carried / CARRIED;
    size = rate * TRAIN_US / SECOND;
    p->train.begun_us = now;
    p->train.rate = rate;
    p->train.size = size > TRAIN_MIN ? (uint64_t)size : TRAIN_MIN;
    p->train.sent = 0;
    p->train.trains = p->trains;
    p->train.queue_us = 0;
    p->train.asked = false;
}

static void end(lt_upward_probe *p)
{
    p->pad_us = LIVETCP_NEVER;
}

/* Takes the result of a train that has been delivered. */
static void ask(lt_upward_probe *p, livetcp_usec now)
{
    double rate = (double)p->train.sent * SECOND / TRAIN_US;

    if (p->train.asked || p->pad_us != LIVETCP_NEVER || now < p->pause_us)
        return;
    p->train.asked = true;
    if (p->train.queue_us < MET_US && p->trains == p->train.trains && rate > p->estimate)
        p->carried = CARRIED * (rate < p->train.rate ? rate : p->train.rate);
}

/* The rate of the path is known, or near. */
static bool is_known(const lt_upward_probe *p, livetcp_usec now)
{
    return (p->trains >= ENOUGH && p->shown_us > now - FRESH_US) || p->estimate > NEAR * p->shown;
}

void lt_upward_probe_on_media(lt_upward_probe *p, livetcp_usec now)
{
    bool runs = p->pad_us != LIVETCP_NEVER && p->train.begun_us != LIVETCP_NEVER;

    ask(p, now);
    if (!p->wanted || runs || now < p->pause_us || is_known(p, now))
        return;
    p->pad_us = now + FRAME_END_US;
    p->train.begun_us = LIVETCP_NEVER;
}

void lt_upward_probe_update(lt_upward_probe *p, const lt_upward_probe_view *view,
                            const lt_packet_trains *trains)
{
    bool lost = view->retransmitted > p->retransmitted;

    if (trains->count != p->trains)
        p->shown_us = view->now_us;
    p->trains = trains->count;
    p->shown = trains->count ? lt_packet_trains_rate(trains) : HUGE_VAL;
    p->base_us = view->base_us;
    p->estimate = view->estimate;
    p->retransmitted = view->retransmitted;
    p->wanted = view->wanted && view->base_us > 0;
    p->stood = view->stood;
    if (view->queue_us != LIVETCP_NEVER && view->queue_us > p->train.queue_us)
        p->train.queue_us = view->queue_us;
    if (!p->wanted || lost || (view->queue_us != LIVETCP_NEVER && view->queue_us > QUEUE_US))
        end(p);
    if (lost || !p->wanted) {
        p->train.asked = true;
        p->carried = 0;
    }
    if (lost)
        p->pause_us = view->now_us + LOSS_US;
    ask(p, view->now_us);
}

uint64_t lt_upward_probe_due(lt_upward_probe *p, livetcp_usec now)
{
    if (now < p->pad_us)
        return 0;
    if (p->train.begun_us == LIVETCP_NEVER)
        begin(p, now);
    double due = p->train.rate * (double)(now - p->train.begun_us + PART_US) / SECOND;
    uint64_t left = p->train.size - p->train.sent;
    uint64_t part =
        due > (double)(p->train.sent + PART_MIN) ? (uint64_t)due - p->train.sent : PART_MIN;
    return part < left ? part : left;
}

void lt_upward_probe_on_padding(lt_upward_probe *p, size_t size, livetcp_usec now)
{
    p->train.sent += size ? size + LT_TCP_HEADERS : 0;
    p->pause_us = now + p->base_us + PAUSE_US;
    if (!size || p->train.sent >= p->train.size) {
        end(p);
        return;
    }
    p->pad_us = p->train.begun_us + (livetcp_usec)((double)p->train.sent * SECOND / p->train.rate);
}

double lt_upward_probe_carried(const lt_upward_probe *p)
{
    return p->carried;
}

livetcp_usec lt_upward_probe_deadline(const lt_upward_probe *p)
{
    return p->pad_us;
}
