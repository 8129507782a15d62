/* SPDX-License-Identifier: MIT */
/* The one clock of a running session: CLOCK_MONOTONIC where there is one. */
#ifndef LT_IO_CLOCK_H
#define LT_IO_CLOCK_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <uv.h>

/* Later than any timer of a loop that turns, and no later than the shortest limit for a peer. */
#define LT_IO_STALL_US (100 * LIVETCP_USEC_MSEC)

/* Puts a timer off until the sockets have been looked at once; with 0 it would come before that. */
#define LT_IO_AFTER_INPUT_MS 1

static inline livetcp_usec lt_io_now(void)
{
    return (livetcp_usec)(uv_hrtime() / 1000);
}

/* The offset of the time of day from that clock. A few attempts minimize the delay between the two
 * readings. */
static inline livetcp_usec lt_io_wall_clock_ahead(void)
{
    livetcp_usec ahead = 0, least = LIVETCP_USEC_SEC;

    for (unsigned attempt = 0; attempt < 3 && least > 5; attempt++) {
        uv_timeval64_t time;
        livetcp_usec before = lt_io_now();
        if (uv_gettimeofday(&time) != 0)
            break;
        livetcp_usec between = lt_io_now() - before;
        if (between < least) {
            least = between;
            ahead = time.tv_sec * LIVETCP_USEC_SEC + time.tv_usec - before - between / 2;
        }
    }
    return ahead;
}

/* The timeout for uv_timer_start() to fire at a point in time: whole milliseconds from the loop's
 * own idea of now, rounded up so that the timer never fires early. */
static inline uint64_t lt_io_timeout_ms(const uv_loop_t *loop, livetcp_usec at)
{
    uint64_t due_ms = at <= 0 ? 0 : ((uint64_t)at + 999) / 1000;
    uint64_t now_ms = uv_now(loop);
    return due_ms > now_ms ? due_ms - now_ms : 0;
}

/* True if due work should be put off, once, because the loop has been kept from its timers, and so
 * from its sockets: their input since then comes first. *put_off is for this function, 0 at the
 * start. */
static inline bool lt_io_put_off(livetcp_usec *put_off, livetcp_usec due)
{
    if (*put_off == due || lt_io_now() - due <= LT_IO_STALL_US)
        return false;
    *put_off = due;
    return true;
}

#endif
