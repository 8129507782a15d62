/* SPDX-License-Identifier: MIT */
/* Minimum, maximum and clamping of times and durations. LIVETCP_NEVER is the largest time, so the
 * minimum of deadlines is the next one that exists. */
#ifndef LT_BASE_USEC_H
#define LT_BASE_USEC_H

#include <livetcp/base.h>

static inline livetcp_usec lt_usec_min(livetcp_usec a, livetcp_usec b)
{
    return a < b ? a : b;
}

static inline livetcp_usec lt_usec_max(livetcp_usec a, livetcp_usec b)
{
    return a > b ? a : b;
}

/* `value` limited to [min, max]; min <= max. */
static inline livetcp_usec lt_usec_clamp(livetcp_usec value, livetcp_usec min, livetcp_usec max)
{
    return lt_usec_min(lt_usec_max(value, min), max);
}

#endif
