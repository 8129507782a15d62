/* SPDX-License-Identifier: MIT */
/* The clock of sessions: monotonic, microseconds (CLOCK_MONOTONIC on POSIX). */
#ifndef LT_IO_CLOCK_H
#define LT_IO_CLOCK_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <uv.h>

/* Delay beyond which the loop counts as stalled: longer than any timer's normal lateness, and not
 * longer than the shortest peer timeout. */
#define LT_IO_STALL_US (100 * LIVETCP_USEC_MSEC)

/* Delay of a timer that lets the loop poll the sockets once first. With 0 the timer would fire
 * before the poll. */
#define LT_IO_AFTER_INPUT_MS 1

static inline livetcp_usec lt_io_now(void)
{
    return (livetcp_usec)(uv_hrtime() / 1000);
}

/* Offset of the wall clock from the monotonic clock, in microseconds. Takes the attempt with the
 * shortest time between the two readings. */
static inline livetcp_usec lt_io_wall_clock_ahead(void)
{
    livetcp_usec ahead = 0, shortest = LIVETCP_USEC_SEC;

    for (unsigned attempt = 0; attempt < 3 && shortest > 5; attempt++) {
        uv_timeval64_t time;
        livetcp_usec before = lt_io_now();
        if (uv_gettimeofday(&time) != 0)
            break;
        livetcp_usec between = lt_io_now() - before;
        if (between < shortest) {
            shortest = between;
            ahead = time.tv_sec * LIVETCP_USEC_SEC + time.tv_usec - before - between / 2;
        }
    }
    return ahead;
}

/* The timeout for uv_timer_start() to fire at `at`: whole milliseconds after the loop's cached
 * time, rounded up so that the timer never fires early. */
static inline uint64_t lt_io_timeout_ms(const uv_loop_t *loop, livetcp_usec at)
{
    uint64_t due_ms = at <= 0 ? 0 : ((uint64_t)at + 999) / 1000;
    uint64_t now_ms = uv_now(loop);
    return due_ms > now_ms ? due_ms - now_ms : 0;
}

/* True if overdue work should be put off once because the loop was stalled: input that arrived
 * during the stall is read first, so that a stall here does not count as a peer's silence. *put_off
 * is this function's state, initially 0. */
static inline bool lt_io_put_off(livetcp_usec *put_off, livetcp_usec due)
{
    if (*put_off == due || lt_io_now() - due <= LT_IO_STALL_US)
        return false;
    *put_off = due;
    return true;
}

#endif
