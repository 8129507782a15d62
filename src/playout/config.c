/* SPDX-License-Identifier: MIT */
/* Configuration of a playout: defaults and validation. */
#include "base/error.h"
#include "base/sized.h"
#include "playout/engine.h"

#define HOUR_US (3600 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Size of livetcp_playout_config in version 0.1, whose initializer cleared this many bytes. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_playout_config, user)

void livetcp_playout_config_init_sized(livetcp_playout_config *config, size_t size)
{
    const livetcp_playout_config defaults = {.mode = LIVETCP_PLAYOUT_ADAPTIVE,
                                             .latency_us = 100 * LIVETCP_USEC_MSEC,
                                             .max_latency_us = 400 * LIVETCP_USEC_MSEC,
                                             .alpha = 0.998002,
                                             .beta = 4,
                                             .target_late = 0.005,
                                             .capacity_packets = 2048,
                                             .capacity_bytes = 4 * 1024 * 1024};

    lt_sized_write(config, size, &defaults, sizeof defaults);
}

void(livetcp_playout_config_init)(livetcp_playout_config *config)
{
    livetcp_playout_config_init_sized(config, SIZE_0_1);
}

static livetcp_result check_times(const livetcp_playout_config *c, livetcp_error *error)
{
    if (c->max_latency_us < LIVETCP_USEC_MSEC || c->max_latency_us > HOUR_US)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "max_latency_us is %lld: give 1 ms to 1 hour", (long long)c->max_latency_us);
    if (c->min_latency_us < 0 || c->min_latency_us > c->max_latency_us)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "min_latency_us is %lld: give 0 to max_latency_us, %lld",
                       (long long)c->min_latency_us, (long long)c->max_latency_us);
    if (c->latency_us < c->min_latency_us || c->latency_us > c->max_latency_us)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "latency_us is %lld: give min_latency_us, %lld, to max_latency_us, %lld",
                       (long long)c->latency_us, (long long)c->min_latency_us,
                       (long long)c->max_latency_us);
    if (c->packet_duration_us < 0 || c->packet_duration_us > LIVETCP_USEC_SEC)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "packet_duration_us is %lld: give 1 us to 1 s, or 0 to have it learnt",
                       (long long)c->packet_duration_us);
    return LIVETCP_OK;
}

livetcp_result lt_playout_config_check(const livetcp_playout_config *c, livetcp_error *error)
{
    if (c->mode < LIVETCP_PLAYOUT_NONE || c->mode > LIVETCP_PLAYOUT_POLICY_AWARE)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%d is no playout mode", (int)c->mode);
    if (c->media != LIVETCP_PLAYOUT_AUDIO && c->media != LIVETCP_PLAYOUT_VIDEO)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%d is no playout media",
                       (int)c->media);
    if (c->release < LIVETCP_PLAYOUT_WHEN_DUE || c->release > LIVETCP_PLAYOUT_TIMES_ONLY)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%d is no playout release",
                       (int)c->release);
    if (c->clock_rate < 1000 || c->clock_rate > 1000000000)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "clock_rate is %u: give that of the payload type, 1000 to 1000000000 Hz",
                       c->clock_rate);
    if (!(c->alpha > 0 && c->alpha < 1))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "alpha is %g: give 0 to 1, exclusive",
                       c->alpha);
    if (!(c->beta >= 0 && c->beta <= 100))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "beta is %g: give 0 to 100", c->beta);
    if (!(c->target_late >= 0 && c->target_late <= 0.5))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "target_late is %g: give 0 to 0.5, the share of packets that may be late",
                       c->target_late);
    if (c->capacity_packets < 16 || c->capacity_packets > 65536)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "capacity_packets is %zu: give 16 to 65536", c->capacity_packets);
    if (c->capacity_bytes < 65535)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "capacity_bytes is %zu: give at least 65535", c->capacity_bytes);
    return check_times(c, error);
}
