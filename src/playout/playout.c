/* SPDX-License-Identifier: MIT */
/* The public functions of a playout. */
#include "playout/engine.h"

#include "base/error.h"
#include "base/sized.h"

#include <stdlib.h>
#include <string.h>

/* Times beyond this are rejected: their differences could overflow. */
#define LAST_US (INT64_MAX / 8)

#define LONGEST_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* ---- creation ---- */

static livetcp_result check_size(const livetcp_playout_config *config, livetcp_error *error)
{
    return LT_CHECK_INITIALIZED(config, livetcp_playout_config, 0, error);
}

livetcp_result livetcp_playout_create(const livetcp_playout_config *config,
                                      livetcp_playout **playout, livetcp_error *error)
{
    livetcp_playout_config whole;
    livetcp_result result = check_size(config, error);
    livetcp_playout *p;

    *playout = NULL;
    if (result != LIVETCP_OK)
        return result;
    livetcp_playout_config_init(&whole);
    lt_sized_read(&whole, sizeof whole, config);
    result = lt_playout_config_check(&whole, error);
    if (result != LIVETCP_OK)
        return result;
    p = calloc(1, sizeof *p);
    if (!p)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a playout");
    p->config = whole;
    p->buffer.drop_token = whole.drop_token;
    p->buffer.user = whole.user;
    p->timeline.clock_rate = whole.clock_rate;
    p->schedule.video = whole.media == LIVETCP_PLAYOUT_VIDEO;
    p->target_us = whole.mode == LIVETCP_PLAYOUT_NONE ? 0 : whole.latency_us;
    p->arrival_us = -LAST_US;
    lt_interval_init(&p->interval, p->schedule.video, whole.clock_rate, whole.packet_duration_us);
    lt_playout_delay_init(&p->delay, &p->config);
    *playout = p;
    return LIVETCP_OK;
}

void livetcp_playout_flush(livetcp_playout *p)
{
    lt_buffer_drop(&p->buffer, &p->given);
    lt_buffer_clear(&p->buffer);
    lt_playout_clear_probation(p);
    p->timeline.started = false;
    p->started = false;
    p->flowing = false;
    p->schedule.end_us = 0; /* no earlier item limits the next packet */
    p->outcome.delays_second = 0;
    lt_playout_outcome_restart(&p->outcome);
}

void livetcp_playout_destroy(livetcp_playout **playout)
{
    livetcp_playout *p = *playout;

    *playout = NULL;
    if (!p)
        return;
    livetcp_playout_flush(p);
    free(p);
}

static livetcp_result check_playout(const livetcp_playout *p)
{
    return p ? LIVETCP_OK
             : lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT, "the livetcp_playout is NULL");
}

/* ---- packets ---- */

static livetcp_result check_packet(const livetcp_playout *p, const livetcp_playout_packet *packet)
{
    if (packet->size && !packet->data)
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the data of a livetcp_playout_packet of %zu bytes is NULL", packet->size);
    if (packet->arrival_us > LAST_US || packet->arrival_us < -LAST_US)
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "arrival_us is %lld: give microseconds of a monotonic clock",
                       (long long)packet->arrival_us);
    if (packet->token && !p->config.drop_token)
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "a packet with a token needs drop_token in the livetcp_playout_config");
    return LIVETCP_OK;
}

static livetcp_result read_packet(const livetcp_playout *p, const livetcp_playout_packet *given,
                                  lt_incoming *in)
{
    livetcp_playout_packet packet = {0};
    livetcp_result result = LT_CHECK_SIZED(given, livetcp_playout_packet, NULL);

    if (result != LIVETCP_OK)
        return result;
    lt_sized_read(&packet, sizeof packet, given);
    result = check_packet(p, &packet);
    if (result != LIVETCP_OK)
        return result;
    if (packet.size > UINT16_MAX || !lt_rtp_parse(packet.data, packet.size, &in->header))
        return lt_fail(NULL, LIVETCP_ERR_NOT_RTP, "the %zu bytes are not an RTP packet",
                       packet.size);
    in->data = packet.data;
    in->size = packet.size;
    in->arrival_us = packet.arrival_us > p->arrival_us ? packet.arrival_us : p->arrival_us;
    in->flags = packet.flags;
    in->token = packet.token;
    return LIVETCP_OK;
}

/* Release mode TIMES_ONLY has no pulls: skips and counts the items that are due. */
static void pass_time(livetcp_playout *p)
{
    livetcp_playout_item item;

    do
        lt_playout_next(p, p->arrival_us, &item);
    while (item.kind != LIVETCP_PLAYOUT_NOTHING);
}

livetcp_result livetcp_playout_put(livetcp_playout *p, const livetcp_playout_packet *packet,
                                   livetcp_playout_slot *slot)
{
    livetcp_playout_slot taken = {.struct_size = sizeof taken};
    livetcp_result result = check_playout(p);
    lt_incoming in;

    if (result == LIVETCP_OK && slot)
        result = LT_CHECK_SIZED(slot, livetcp_playout_slot, NULL);
    if (result == LIVETCP_OK)
        result = read_packet(p, packet, &in);
    if (result != LIVETCP_OK)
        return result;
    p->arrival_us = in.arrival_us;
    if (in.flags & LIVETCP_PLAYOUT_DISCONT)
        livetcp_playout_flush(p);
    result = lt_playout_take(p, &in, &taken);
    if (result != LIVETCP_OK)
        return result;
    p->counts.received++;
    if (p->config.release == LIVETCP_PLAYOUT_TIMES_ONLY)
        pass_time(p);
    if (slot)
        lt_sized_fill(slot, &taken, sizeof taken);
    return LIVETCP_OK;
}

livetcp_result livetcp_playout_pull(livetcp_playout *p, livetcp_usec now,
                                    livetcp_playout_item *item)
{
    livetcp_result result = check_playout(p);
    livetcp_playout_item next;

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(item, livetcp_playout_item, NULL);
    if (result != LIVETCP_OK)
        return result;
    if (p->config.release == LIVETCP_PLAYOUT_TIMES_ONLY)
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "a playout with LIVETCP_PLAYOUT_TIMES_ONLY holds nothing to pull: take "
                       "play_us from livetcp_playout_put()");
    lt_playout_next(p, now, &next);
    lt_sized_fill(item, &next, sizeof next);
    return LIVETCP_OK;
}

livetcp_result livetcp_playout_peek(const livetcp_playout *p, livetcp_playout_item *item)
{
    livetcp_result result = check_playout(p);
    livetcp_playout_item first;

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(item, livetcp_playout_item, NULL);
    if (result != LIVETCP_OK)
        return result;
    lt_playout_peek(p, &first);
    lt_sized_fill(item, &first, sizeof first);
    return LIVETCP_OK;
}

livetcp_usec livetcp_playout_next_deadline(const livetcp_playout *p)
{
    return p->config.release == LIVETCP_PLAYOUT_TIMES_ONLY ? LIVETCP_NEVER : lt_playout_deadline(p);
}

/* ---- path info and statistics ---- */

static void take_time(livetcp_playout *p, livetcp_usec *known, livetcp_usec fact)
{
    if (fact > 0 && fact <= LONGEST_US)
        *known = fact;
    else
        p->counts.path_ignored += fact != 0;
}

static void take_count(livetcp_playout *p, unsigned *known, unsigned fact, unsigned most)
{
    if (fact > 0 && fact <= most)
        *known = fact;
    else
        p->counts.path_ignored += fact != 0;
}

/* Gain of the average of the shares: about ten seconds with one report per second. */
#define SHARES_GAIN 0.1

static bool shares_make_sense(const livetcp_playout_path *path)
{
    double sum = 0;

    for (unsigned i = 0; i < LIVETCP_PLAYOUT_REPAIRS; i++) {
        if (!(path->shares[i] >= 0))
            return false;
        sum += path->shares[i];
    }
    return sum <= 1.01 && path->copy_spacing_us >= 0 &&
           path->copy_spacing_us <= LIVETCP_USEC_SEC * 60;
}

static void take_shares(livetcp_playout *p, const livetcp_playout_path *path)
{
    double sum = 0, before = 0;

    if (!shares_make_sense(path)) {
        p->counts.path_ignored++;
        return;
    }
    for (unsigned i = 0; i < LIVETCP_PLAYOUT_REPAIRS; i++) {
        sum += path->shares[i];
        before += p->path.shares[i];
    }
    if (!(sum > 0))
        return;
    p->path.copy_spacing_us = path->copy_spacing_us;
    for (unsigned i = 0; i < LIVETCP_PLAYOUT_REPAIRS; i++)
        p->path.shares[i] += (path->shares[i] - p->path.shares[i]) * (before > 0 ? SHARES_GAIN : 1);
}

livetcp_result livetcp_playout_set_path(livetcp_playout *p, const livetcp_playout_path *given)
{
    livetcp_playout_path path = {0};
    livetcp_result result = check_playout(p);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(given, livetcp_playout_path, NULL);
    if (result != LIVETCP_OK)
        return result;
    lt_sized_read(&path, sizeof path, given);
    take_time(p, &p->path.rtt_us, path.rtt_us);
    take_time(p, &p->path.hedge_delay_us, path.hedge_delay_us);
    take_count(p, &p->path.copies, path.copies, 1000);
    take_count(p, &p->path.parity_group, path.parity_group, 1000);
    take_shares(p, &path);
    if (path.repair >= LIVETCP_PLAYOUT_REPAIR_TCP && path.repair <= LIVETCP_PLAYOUT_REPAIR_PARITY)
        p->path.repair = path.repair;
    else
        p->counts.path_ignored++;
    return LIVETCP_OK;
}

livetcp_result livetcp_playout_get_latency(const livetcp_playout *p,
                                           livetcp_playout_latency *latency)
{
    livetcp_result result = check_playout(p);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(latency, livetcp_playout_latency, NULL);
    if (result != LIVETCP_OK)
        return result;
    const livetcp_playout_config *c = &p->config;
    livetcp_playout_latency present = {.delay_us = p->delay_us,
                                       .target_us = p->target_us,
                                       .min_us = c->min_latency_us,
                                       .max_us = c->max_latency_us};
    if (c->mode == LIVETCP_PLAYOUT_FIXED)
        present.min_us = present.max_us = c->latency_us;
    else if (c->mode == LIVETCP_PLAYOUT_NONE)
        present.delay_us = present.min_us = present.max_us = 0;
    if (!p->timeline.started)
        present.delay_us = present.target_us;
    lt_sized_fill(latency, &present, sizeof present);
    return LIVETCP_OK;
}

livetcp_result livetcp_playout_get_stats(const livetcp_playout *p, livetcp_playout_stats *stats)
{
    livetcp_result result = check_playout(p);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(stats, livetcp_playout_stats, NULL);
    if (result != LIVETCP_OK)
        return result;
    livetcp_playout_stats now = p->counts;
    lt_playout_outcome_report(&p->outcome, &now);
    now.delay_us = p->delay_us;
    now.queueing_us = p->queueing_us;
    now.jitter_us = (livetcp_usec)p->jitter_us;
    now.packet_duration_us = lt_interval_duration_us(&p->interval);
    now.packet_rate = lt_interval_packet_rate(&p->interval);
    now.mouth_to_ear_us = now.mean_delay_us + p->path.rtt_us / 2 + now.packet_duration_us;
    now.skew_ppm = p->transit.skew.slope * 1e6;
    now.measured_clock_rate = p->timeline.measured_rate;
    if (p->config.release != LIVETCP_PLAYOUT_TIMES_ONLY) {
        now.held_packets = p->buffer.packets;
        now.held_bytes = p->buffer.bytes;
    }
    now.ssrc = p->source.ssrc;
    lt_sized_fill(stats, &now, sizeof now);
    return LIVETCP_OK;
}
