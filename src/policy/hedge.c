/* SPDX-License-Identifier: MIT */
/*
 * hedge: one copy of a packet, and another one on a different connection when the first is late.
 *
 * Source: our own, after the hedged requests of Dean and Barroso, "The Tail at Scale" (2013). A
 * packet that is not acknowledged `hedge-delay` after one average round trip (EWMA), or whose
 * connection has entered recovery or timeout, is lost or waits behind a loss. An identical copy
 * takes the best other connection, and arrives a round trip later than the first should have.
 * Packets behind a late one on the same connection wait for the same repair and are copied at once,
 * so they are hardly late. A packet that has lost a full round trip takes two connections, if the
 * budget allows. `redundancy-budget` is the limit.
 */
#include "policy/builtin.h"

typedef struct hedge {
    livetcp_usec delay_us;
} hedge;

static void init(void *state, const livetcp_config *config)
{
    hedge *own = state;
    own->delay_us = config->hedge_delay_us;
}

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    const hedge *own = state;
    lt_hedge_place(view, packet, 1, own->delay_us, decision);
}

static void review(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                   livetcp_decision *decision)
{
    const hedge *own = state;
    lt_hedge_review(view, packet, own->delay_us, decision);
}

const livetcp_policy lt_policy_hedge = {
    .struct_size = sizeof(livetcp_policy),
    .name = "hedge",
    .summary = "a copy on another connection when a packet is late",
    .min_connections = 2,
    .wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES,
    .state_size = sizeof(hedge),
    .init = init,
    .place = place,
    .review = review,
};
