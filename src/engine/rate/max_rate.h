/* SPDX-License-Identifier: MIT */
/* The maximum rate that the path has carried in the last 15 to 30 seconds, in two periods. */
#ifndef LT_ENGINE_RATE_MAX_RATE_H
#define LT_ENGINE_RATE_MAX_RATE_H

#include <livetcp/base.h>

#define LT_MAX_RATE_US (15 * (livetcp_usec)LIVETCP_USEC_SEC)

typedef struct lt_max_rate {
    double max[2];         /* bytes per second, in the present period and in the last */
    livetcp_usec since_us; /* start of the present period */
} lt_max_rate;

static inline void lt_max_rate_init(lt_max_rate *rate)
{
    *rate = (lt_max_rate){{0, 0}, INT64_MIN / 2};
}

static inline void lt_max_rate_add(lt_max_rate *rate, double carried, livetcp_usec now)
{
    if (rate->since_us < now - LT_MAX_RATE_US) {
        rate->max[1] = rate->max[0];
        rate->max[0] = 0;
        rate->since_us = now;
    }
    if (carried > rate->max[0])
        rate->max[0] = carried;
}

static inline double lt_max_rate_get(const lt_max_rate *rate)
{
    return rate->max[0] > rate->max[1] ? rate->max[0] : rate->max[1];
}

#endif
