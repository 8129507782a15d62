/* SPDX-License-Identifier: MIT */
/*
 * A route that has become longer looks like a queue: round trips are above their minimum and stay
 * there. A window made for the shorter one then delivers less, which looks like a slower
 * bottleneck, and makes the window smaller still.
 *
 * But a queue of ours builds up, and a longer route comes at once. An excess that came at once and
 * stays is therefore tested: nothing is sent for as long as it would take such a queue to drain,
 * and the next packets show whether it did. BBR drains its pipe to find the minimum round trip, too
 * (ProbeRTT; Cardwell et al., 2016). Meanwhile the excess counts as the route's.
 */
#ifndef LT_ENGINE_RATE_DRAIN_TEST_H
#define LT_ENGINE_RATE_DRAIN_TEST_H

#include "engine/rate/delay_history.h"

typedef enum lt_drain_phase {
    LT_DRAIN_CALM = 0, /* no excess, or a queue */
    LT_DRAIN_SUSPECT,  /* an excess came at once: a frame's own packets make one, too */
    LT_DRAIN_WATCH,    /* it neither goes nor grows */
    LT_DRAIN_PAUSE,    /* nothing is sent, a queue would drain */
    LT_DRAIN_LOOK      /* the next packets are under way */
} lt_drain_phase;

typedef struct lt_drain_test {
    lt_drain_phase phase;
    livetcp_usec since_us;      /* the phase began */
    livetcp_usec begun_us;      /* the excess came at once, */
    uint64_t delivered;         /*   when so many bytes had been */
    livetcp_usec jumped_us;     /* so much, */
    livetcp_usec min_us;        /*   minimum since then, */
    livetcp_usec level_us;      /*   and the largest minimum of a part */
    unsigned samples;           /* of the phase */
    livetcp_usec part_us;       /* a part of the phase began, */
    livetcp_usec part_min_us;   /*   with this minimum; LIVETCP_NEVER = no sample */
    unsigned looks;             /* successive looks without a result */
    livetcp_usec last_us;       /* the excess before this one, */
    livetcp_usec last_at_us;    /*   which was then */
    livetcp_usec not_before_us; /* the next test */
} lt_drain_test;

void lt_drain_test_init(lt_drain_test *test);

/* `may_begin`: an excess that comes now is tested. Returns the increase of the route's round trip;
 * 0 = none found. */
livetcp_usec lt_drain_test_update(lt_drain_test *test, const lt_congestion_sample *sample,
                                  bool may_begin);

static inline bool lt_drain_test_is_under_way(const lt_drain_test *test)
{
    return test->phase != LT_DRAIN_CALM;
}

/* True while the excess counts as that of a longer route. */
static inline bool lt_drain_test_is_presumed_route(const lt_drain_test *test)
{
    return test->phase >= LT_DRAIN_WATCH;
}

/* True while the test stops sending. */
static inline bool lt_drain_test_pauses(const lt_drain_test *test)
{
    return test->phase == LT_DRAIN_PAUSE;
}

#endif
