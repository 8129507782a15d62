/* SPDX-License-Identifier: MIT */
/*
 * Expected delay of a packet in the send queue.
 *
 * Brosh et al., section 4, and Goel et al., section 4.3: a packet waits for the bytes ahead of it
 * in the application, then for those in the send buffer, then for the path and the repair of losses
 * ahead of it. livetcp_path_forecast() covers all but the first, for one connection. The first part
 * is the number of bytes ahead in our queue over the rate at which all connections together take
 * bytes, since any of them may carry the next packet.
 *
 * A round trip above the minimum is attributed to a queue in the sending direction:
 * acknowledgements are small, and the session rarely fills the other direction. The forecast
 * includes half of the round trip, so the other half of the excess is added here.
 */
#include "engine/sender/send_delay.h"

#include "base/usec.h"

/* 10 GB/s. Above it delays are negligible, and products with a time must fit into 63 bits. */
#define RATE_MAX UINT64_C(10000000000)

/* Bytes; assumed while nothing was sent yet. */
#define DEFAULT_PACKET_SIZE 1200

static bool is_known(const livetcp_path *path, uint32_t what)
{
    return (path->known & what) == what;
}

/* The rate at which a path takes bytes: TCP's delivery rate unless it was application-limited, else
 * one window per round trip. 0 in timeout, when nothing is sent until the repair. */
static uint64_t path_rate(const livetcp_path *path)
{
    if (path->tcp_state == LIVETCP_TCP_TIMEOUT)
        return 0;
    if (is_known(path, LIVETCP_PATH_DELIVERY_RATE) && !path->app_limited && path->delivery_rate)
        return path->delivery_rate < RATE_MAX ? path->delivery_rate : RATE_MAX;
    if (!is_known(path, LIVETCP_PATH_CWND | LIVETCP_PATH_RTT) || path->rtt_us <= 0)
        return 0;
    uint64_t rate = path->cwnd_bytes * (uint64_t)LIVETCP_USEC_SEC / (uint64_t)path->rtt_us;
    return rate < RATE_MAX ? rate : RATE_MAX;
}

static livetcp_usec half_of_standing_queue(const livetcp_path *path)
{
    if (is_known(path, LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT) && path->rtt_us > path->min_rtt_us)
        return (path->rtt_us - path->min_rtt_us) / 2;
    return 0;
}

static livetcp_usec floor_delay(const livetcp_path *path)
{
    if (is_known(path, LIVETCP_PATH_MIN_RTT))
        return path->min_rtt_us / 2;
    return is_known(path, LIVETCP_PATH_RTT) ? path->rtt_us / 2 : 0;
}

lt_send_delay lt_send_delay_measure(const livetcp_path *paths, unsigned count,
                                    const lt_send_rates *rates, livetcp_usec now)
{
    lt_send_delay delay = {.usable = false,
                           .base_us = LIVETCP_NEVER,
                           .forecast_us = LIVETCP_NEVER,
                           .floor_us = LIVETCP_NEVER};
    uint64_t rate = 0;

    for (unsigned i = 0; i < count; i++) {
        const livetcp_path *path = &paths[i];
        if (!path->usable || path->link_stalled)
            continue;
        delay.usable = true;
        delay.idle |= is_known(path, LIVETCP_PATH_QUEUED) && path->queued_bytes == 0;
        livetcp_usec forecast = livetcp_path_forecast(path, DEFAULT_PACKET_SIZE, now);
        delay.base_us = lt_usec_min(delay.base_us, forecast + half_of_standing_queue(path));
        delay.forecast_us = lt_usec_min(delay.forecast_us, forecast);
        delay.floor_us = lt_usec_min(delay.floor_us, floor_delay(path));
        rate += path_rate(path);
    }
    if (!delay.usable)
        return (lt_send_delay){.usable = false};
    rate = rate < RATE_MAX ? rate : RATE_MAX;
    if (rates->carries && (rates->carries < rate || !rate))
        rate = rates->carries;
    delay.rate = rates->extra > 0 ? (uint64_t)((double)rate / (1 + rates->extra)) : rate;
    delay.rest = delay.rate - (rates->audio < delay.rate / 2 ? rates->audio : delay.rate / 2);
    return delay;
}

livetcp_usec lt_send_delay_behind(const lt_send_delay *delay, uint64_t ahead_bytes)
{
    if (!delay->rest)
        return delay->base_us;
    return delay->base_us + (livetcp_usec)(ahead_bytes * LIVETCP_USEC_SEC / delay->rest);
}

int64_t lt_send_delay_bytes(const lt_send_delay *delay, bool is_audio, livetcp_usec wait_us)
{
    uint64_t rate = is_audio ? delay->rate : delay->rest;
    /* Longer than any limit; avoids overflow. */
    livetcp_usec hour = 3600 * (livetcp_usec)LIVETCP_USEC_SEC;
    uint64_t wait = (uint64_t)(wait_us < hour ? wait_us : hour);

    if (!rate)
        return INT64_MAX;
    return (int64_t)(wait / LIVETCP_USEC_SEC * rate +
                     wait % LIVETCP_USEC_SEC * rate / LIVETCP_USEC_SEC);
}
