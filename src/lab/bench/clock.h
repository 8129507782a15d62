/* SPDX-License-Identifier: MIT */
/* The one clock of a benchmark: both ends run on this machine, so their times compare. */
#ifndef LT_LAB_BENCH_CLOCK_H
#define LT_LAB_BENCH_CLOCK_H

#include <livetcp/time.h>

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

static inline livetcp_usec lt_clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (livetcp_usec)t.tv_sec * LIVETCP_USEC_SEC + t.tv_nsec / 1000;
}

static inline void lt_clock_sleep_until(livetcp_usec when)
{
    struct timespec t = {.tv_sec = when / LIVETCP_USEC_SEC,
                         .tv_nsec = when % LIVETCP_USEC_SEC * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* CPU time, user and system, of RUSAGE_SELF (the process) or RUSAGE_THREAD. */
static inline livetcp_usec lt_clock_cpu(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return ((livetcp_usec)u.ru_utime.tv_sec + u.ru_stime.tv_sec) * LIVETCP_USEC_SEC +
           u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

#endif
