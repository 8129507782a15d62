/* SPDX-License-Identifier: MIT */
/*
 * duplicate: every packet on the `copies` best connections; the receiver keeps the first one to
 * arrive.
 *
 * Source: our own. Head-of-line blocking is per connection, so a packet is late only if all of its
 * copies are lost or wait behind a loss: with k copies and a loss rate p with a probability of
 * about [p (1 + 2R/(MT))]^k, where M connections alternate at intervals of T (Zhang et al., section
 * 4.1, send a lower-quality second copy of speech; here the copy is the packet).
 *
 * If all connections of a packet turn out to be stalled, one more copy is sent at once, as by
 * hedge: one packet in a thousand at 1 % loss, paid from the part of the budget beyond the cost of
 * the copies.
 *
 * If fewer connections can take a packet than there are copies, it takes those: a copy that waits
 * is not worth the wait.
 */
#include "policy/builtin.h"

#include "base/error.h"

typedef struct duplicate {
    unsigned copies;
    livetcp_usec delay_us;
    lt_rescue rescue;
} duplicate;

static livetcp_result check(const livetcp_config *config, livetcp_error *error)
{
    if (config->copies <= config->connections)
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "copies (%u) must not exceed connections (%u): copies on one connection wait "
                   "for each other",
                   config->copies, config->connections);
}

static double cost(const livetcp_config *config)
{
    return config->copies - 1;
}

static void init(void *state, const livetcp_config *config)
{
    duplicate *own = state;
    own->copies = config->copies;
    own->delay_us = config->hedge_delay_us;
}

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    const duplicate *own = state;
    unsigned copies = lt_rescue_waits(&own->rescue, view, packet) ? 1 : own->copies;

    lt_hedge_place(view, packet, copies, own->delay_us, decision);
}

static void review(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                   livetcp_decision *decision)
{
    duplicate *own = state;

    lt_hedge_review(view, packet, own->delay_us, decision);
    lt_rescue_reviewed(&own->rescue, view, packet);
}

const livetcp_policy lt_policy_duplicate = {
    .struct_size = sizeof(livetcp_policy),
    .name = "duplicate",
    .summary = "every packet on the best connections at once, as many as 'copies' says",
    .min_connections = 2,
    .wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES,
    .state_size = sizeof(duplicate),
    .check = check,
    .cost = cost,
    .init = init,
    .place = place,
    .review = review,
};
