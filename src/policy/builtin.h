/* SPDX-License-Identifier: MIT */
/* The built-in policies, one file each, and functions that several of them share; registry.c lists
 * them by name. */
#ifndef LT_POLICY_BUILTIN_H
#define LT_POLICY_BUILTIN_H

#include "base/sized.h"

#include <livetcp/policy.h>

extern const livetcp_policy lt_policy_single;
extern const livetcp_policy lt_policy_round_robin;
extern const livetcp_policy lt_policy_shortest_queue;
extern const livetcp_policy lt_policy_earliest_delivery;
extern const livetcp_policy lt_policy_duplicate;
extern const livetcp_policy lt_policy_hedge;
extern const livetcp_policy lt_policy_parity;
extern const livetcp_policy lt_policy_auto;

/* Size of a path in version 0.1, whose policies index paths; all later fields are behind it. */
#define LT_PATH_SIZE_0_1 LT_SIZE_THROUGH(livetcp_path, state_since_us)

/* Bytes of TCP and IP headers, and framing, of a packet. */
#define LT_HEADERS 70

/* Checks that livetcp_policy_register() can accept the table, except for name conflicts. */
livetcp_result lt_policy_check_table(const livetcp_policy *policy, livetcp_error *error);

/* The bit of a connection in a decision. */
static inline uint32_t lt_bit(unsigned connection)
{
    return UINT32_C(1) << connection;
}

/* Those of these connections (bits) that exist; and the first one of a set. */
static inline uint32_t lt_there(const livetcp_policy_view *view, uint32_t connections)
{
    return view->path_count < 32 ? connections & (lt_bit(view->path_count) - 1) : connections;
}

static inline unsigned lt_first(uint32_t connections)
{
    return (unsigned)__builtin_ctz(connections);
}

/* The `count` ready connections with the earliest forecast (livetcp_path_forecast), as bits;
 * without those that carry the packet, and without those that it should avoid, unless it should
 * avoid all. Fewer if fewer are ready; 0 for none. Among about equal forecasts the connection with
 * the smallest send queue is first, then the one written to least recently, which spreads a stream
 * over all. */
uint32_t lt_pick_earliest(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                          unsigned count);

/* `count` further connections, on routes that take extra bytes, beside those in `placed`. */
uint32_t lt_pick_copies(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                        uint32_t placed, unsigned count);

/* Mean wait of a further copy of the packet on this connection, behind what the burst of losses
 * that took the other copies may have taken there; 0 where losses are independent. */
livetcp_usec lt_burst_wait(const livetcp_policy_view *view, const livetcp_path *path,
                           const livetcp_packet_view *packet);

/* The shortest round trip of the connections in `among`; LIVETCP_NEVER if none is known. */
livetcp_usec lt_shortest_rtt(const livetcp_policy_view *view, uint32_t among);

/* The same, or an assumption. */
livetcp_usec lt_typical_rtt(const livetcp_policy_view *view, uint32_t among);

/* Places a packet on the `copies` best connections. Its review is due when it should have been
 * acknowledged on one of them, or cannot be expected to be, since a packet ahead of it on each of
 * them is late: after an average round trip (EWMA) plus `delay_us` (0 = derived from its
 * variation). */
void lt_hedge_place(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                    unsigned copies, livetcp_usec delay_us, livetcp_decision *decision);

/* lt_hedge_place() for connections chosen otherwise: only sets review_us. */
void lt_hedge_placed(const livetcp_policy_view *view, uint32_t placed, livetcp_usec delay_us,
                     livetcp_decision *decision);

/* Decides about a packet whose acknowledgement is overdue: another copy on the best other
 * connection. A packet that is late by a full round trip itself (and does not just wait behind such
 * a one) takes the two best, if the budget allows, since it cannot afford to lose another round
 * trip. */
void lt_hedge_review(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                     livetcp_usec delay_us, livetcp_decision *decision);

/* Gives packets that are late with all of their copies precedence over copies of new packets, among
 * audio and among the rest: each has a budget of its own. */
typedef struct lt_rescue {
    /* when the budget last did not suffice for a late packet of the rest, of audio; 0 = never */
    livetcp_usec unpaid_us[2];
} lt_rescue;

/* Call after lt_hedge_review(). */
void lt_rescue_reviewed(lt_rescue *rescue, const livetcp_policy_view *view,
                        const livetcp_packet_view *packet);

/* True if a late packet waits for the budget of this one, so that a new one must not use it. */
bool lt_rescue_waits(const lt_rescue *rescue, const livetcp_policy_view *view,
                     const livetcp_packet_view *packet);

#endif
