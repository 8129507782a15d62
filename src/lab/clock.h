/* SPDX-License-Identifier: MIT */
/* Clocks of the lab. Times are on the monotonic clock, in microseconds, so that processes on one
 * machine can compare them. */
#ifndef LT_LAB_CLOCK_H
#define LT_LAB_CLOCK_H

#include <livetcp/base.h>

#include <errno.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

enum { LT_CLOCK_DATE = 32 }; /* size of a date's text */

/* Any clock, in ns. */
static inline int64_t lt_clock_nsec(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Any clock, in µs. */
static inline livetcp_usec lt_clock_read(clockid_t clock)
{
    return lt_clock_nsec(clock) / 1000;
}

static inline livetcp_usec lt_clock_now(void)
{
    return lt_clock_read(CLOCK_MONOTONIC);
}

/* A time or time-out for system calls; must not be negative. */
static inline struct timespec lt_clock_timespec(livetcp_usec time)
{
    return (struct timespec){.tv_sec = time / LIVETCP_USEC_SEC,
                             .tv_nsec = time % LIVETCP_USEC_SEC * 1000};
}

static inline void lt_clock_sleep_until(livetcp_usec when)
{
    const struct timespec t = lt_clock_timespec(when);
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

/* Date and time as ISO 8601, UTC; "" if unknown. */
static inline void lt_clock_date(char text[LT_CLOCK_DATE])
{
    const time_t now = time(NULL);
    struct tm utc;
    text[0] = '\0';
    if (gmtime_r(&now, &utc))
        strftime(text, LT_CLOCK_DATE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

#endif
