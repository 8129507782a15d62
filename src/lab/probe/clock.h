/* SPDX-License-Identifier: MIT */
/* The clock of a prober: monotonic, µs. */
#ifndef LT_LAB_PROBE_CLOCK_H
#define LT_LAB_PROBE_CLOCK_H

#include <livetcp/time.h>

#include <time.h>

static inline livetcp_usec lt_probe_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (livetcp_usec)t.tv_sec * LIVETCP_USEC_SEC + t.tv_nsec / 1000;
}

static inline livetcp_usec lt_probe_now(void)
{
    return lt_probe_clock(CLOCK_MONOTONIC);
}

#endif
