/* SPDX-License-Identifier: MIT */
/*
 * Minimum round trip of the recent 4 to 8 seconds, in two periods, so that the value of an
 * abandoned route is forgotten (LEDBAT's base history, RFC 6817, section 3.4.2).
 */
#ifndef LT_ENGINE_LINKS_RTT_FLOOR_H
#define LT_ENGINE_LINKS_RTT_FLOOR_H

#include <livetcp/base.h>

/* One of the two periods. */
#define LT_RTT_FLOOR_US (4 * (livetcp_usec)LIVETCP_USEC_SEC)

typedef struct lt_rtt_floor {
    livetcp_usec min_us[2]; /* of the current and the previous period; LIVETCP_NEVER = none */
    livetcp_usec since_us;
} lt_rtt_floor;

static inline void lt_rtt_floor_init(lt_rtt_floor *floor)
{
    *floor = (lt_rtt_floor){{LIVETCP_NEVER, LIVETCP_NEVER}, INT64_MIN / 2};
}

static inline livetcp_usec lt_rtt_floor_get(const lt_rtt_floor *floor, livetcp_usec now)
{
    livetcp_usec age = now - floor->since_us, recent = floor->min_us[0];

    if (age >= 2 * LT_RTT_FLOOR_US)
        return LIVETCP_NEVER;
    return age < LT_RTT_FLOOR_US && floor->min_us[1] < recent ? floor->min_us[1] : recent;
}

static inline void lt_rtt_floor_add(lt_rtt_floor *floor, livetcp_usec rtt_us, livetcp_usec now)
{
    if (now - floor->since_us >= LT_RTT_FLOOR_US) {
        floor->min_us[1] =
            now - floor->since_us < 2 * LT_RTT_FLOOR_US ? floor->min_us[0] : LIVETCP_NEVER;
        floor->min_us[0] = LIVETCP_NEVER;
        floor->since_us = now;
    }
    if (rtt_us < floor->min_us[0])
        floor->min_us[0] = rtt_us;
}

/* The route has changed: forgets all samples before. */
static inline void lt_rtt_floor_set(lt_rtt_floor *floor, livetcp_usec rtt_us, livetcp_usec now)
{
    *floor = (lt_rtt_floor){{rtt_us, LIVETCP_NEVER}, now};
}

#endif
