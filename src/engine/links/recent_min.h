/* SPDX-License-Identifier: MIT */
/*
 * Minimum of recent samples, of two periods, so that the value of an abandoned route is forgotten
 * (LEDBAT's base history, RFC 6817, section 3.4.2).
 */
#ifndef LT_ENGINE_LINKS_RECENT_MIN_H
#define LT_ENGINE_LINKS_RECENT_MIN_H

#include <livetcp/base.h>

typedef struct lt_recent_min {
    livetcp_usec min[2]; /* of the current and the previous period; LIVETCP_NEVER = none */
    livetcp_usec since_us, period_us;
} lt_recent_min;

static inline void lt_recent_min_init(lt_recent_min *m, livetcp_usec period_us)
{
    *m = (lt_recent_min){{LIVETCP_NEVER, LIVETCP_NEVER}, INT64_MIN / 2, period_us};
}

/* As of the last sample; LIVETCP_NEVER = there is none. */
static inline livetcp_usec lt_recent_min_last(const lt_recent_min *m)
{
    return m->min[0] < m->min[1] ? m->min[0] : m->min[1];
}

/* LIVETCP_NEVER = there is no recent sample. */
static inline livetcp_usec lt_recent_min_get(const lt_recent_min *m, livetcp_usec now)
{
    livetcp_usec age = now - m->since_us;

    if (age >= 2 * m->period_us)
        return LIVETCP_NEVER;
    return age < m->period_us ? lt_recent_min_last(m) : m->min[0];
}

static inline void lt_recent_min_add(lt_recent_min *m, livetcp_usec sample, livetcp_usec now)
{
    livetcp_usec age = now - m->since_us;

    if (age >= m->period_us) {
        m->min[1] = age < 2 * m->period_us ? m->min[0] : LIVETCP_NEVER;
        m->min[0] = LIVETCP_NEVER;
        m->since_us = now;
    }
    if (sample < m->min[0])
        m->min[0] = sample;
}

/* The route has changed: `sample` replaces all before. */
static inline void lt_recent_min_set(lt_recent_min *m, livetcp_usec sample, livetcp_usec now)
{
    *m = (lt_recent_min){{sample, LIVETCP_NEVER}, now, m->period_us};
}

/* The current period begins anew: the minimum is remembered for longer. */
static inline void lt_recent_min_keep(lt_recent_min *m, livetcp_usec now)
{
    if (lt_recent_min_last(m) != LIVETCP_NEVER)
        m->since_us = now;
}

#endif
