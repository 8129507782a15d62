/* SPDX-License-Identifier: MIT */
/*
 * Before a path has shown anything, several connections together have what TCP gives to one: an
 * initial window, which grows by what is delivered. Each connection's own would let a key frame
 * overflow the bottleneck as many times over as there are connections. After a quiet time the path
 * has to show it anew, and the window is what it held before.
 *
 * Source: RFC 6928 (the window), RFC 5681, section 3.1 (slow start), RFC 7661 (no growth while less
 * is sent, and a pause), and RFC 3124, which asks for one such state for all flows to a host.
 */
#ifndef LT_ENGINE_RATE_INITIAL_WINDOW_H
#define LT_ENGINE_RATE_INITIAL_WINDOW_H

#include <livetcp/service_curve.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct lt_initial_window {
    uint64_t window;       /* bytes; UINT64_MAX = no limit any more */
    uint64_t limit;        /* the same for the present number of connections */
    livetcp_usec begun_us; /* when much of it was first under way; LIVETCP_NEVER = not yet */
    livetcp_usec loud_us;  /* when more than speech was last under way */
    uint64_t delivered;    /* at the last update */
    uint64_t from;         /* delivered at the last look that showed nothing new, */
    livetcp_usec from_us;  /*   and its time */
} lt_initial_window;

typedef struct lt_initial_window_sample {
    livetcp_usec now_us, base_us; /* base_us: the round trip without queues */
    livetcp_usec progress_us;     /* when bytes were last delivered, or none were under way */
    uint64_t delivered;           /* bytes so far */
    uint64_t in_flight;           /* the most since the last update */
    uint64_t held; /* what the path held without a queue when it last showed it; 0 = not known */
    unsigned connections;
    bool media; /* some has been sent: handshakes are no beginning */
    bool shown; /* the path has lately shown what it carries */
} lt_initial_window_sample;

void lt_initial_window_init(lt_initial_window *initial);

void lt_initial_window_update(lt_initial_window *initial, const lt_initial_window_sample *sample);

/* Bytes that all connections together may have in flight; UINT64_MAX = no limit. */
static inline uint64_t lt_initial_window_get(const lt_initial_window *initial)
{
    return initial->limit;
}

/* True while the source begins to send more than a little. */
static inline bool lt_initial_window_is_in_use(const lt_initial_window *initial)
{
    return initial->window != UINT64_MAX && initial->begun_us != LIVETCP_NEVER;
}

#endif
