/* SPDX-License-Identifier: MIT */
/* The policies that come with LiveTCP, one file each, and code that several of them share;
 * registry.c lists them by name. */
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

/* Bytes of a path in version 0.1, whose policies take them by index: all later fields are behind.
 */
#define LT_PATH_SIZE_0_1 LT_SIZE_THROUGH(livetcp_path, state_since_us)

/* Checks that livetcp_policy_register() can take the table; conflicts of names are not checked. */
livetcp_result lt_policy_check_table(const livetcp_policy *policy, livetcp_error *error);

/* The bit of a connection in a decision. */
static inline uint32_t lt_bit(unsigned connection)
{
    return UINT32_C(1) << connection;
}

/* Of these connections (bits) those that there are, and the first of some. */
static inline uint32_t lt_there(const livetcp_policy_view *view, uint32_t connections)
{
    return view->path_count < 32 ? connections & (lt_bit(view->path_count) - 1) : connections;
}

static inline unsigned lt_first(uint32_t connections)
{
    return (unsigned)__builtin_ctz(connections);
}

/* The `count` ready connections with the smallest forecast (livetcp_path_forecast), as bits, none
 * of those that carry the packet, and none that it should avoid unless all of them. Fewer when
 * fewer are ready; 0 for none. Among those whose forecasts are about the same the one with the
 * smallest send queue goes first, then the one longest not written to: that spreads a stream over
 * all. */
uint32_t lt_pick_earliest(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                          unsigned count);

/* So many more, of routes that take extra bytes, beside those that are `placed`. */
uint32_t lt_pick_copies(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                        uint32_t placed, unsigned count);

/* The shortest round trip of the connections of `among`; LIVETCP_NEVER if none is known. */
livetcp_usec lt_shortest_rtt(const livetcp_policy_view *view, uint32_t among);

/* Places a packet on the `copies` best connections, to be reviewed when it should have been
 * acknowledged on one of them, or cannot be expected to be, since something before it on each of
 * them is late: after a smoothed round trip plus `delay_us` (0: derived from its variation). */
void lt_hedge_place(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                    unsigned copies, livetcp_usec delay_us, livetcp_decision *decision);

/* The same for connections that were chosen otherwise: only sets review_us. */
void lt_hedge_placed(const livetcp_policy_view *view, uint32_t placed, livetcp_usec delay_us,
                     livetcp_decision *decision);

/* A packet that is not acknowledged and should be: decides on a further copy on the best other
 * connection. One that is late by a round trip of its own (and does not only wait behind such a
 * one) goes on the two best, if the budget allows: it cannot afford to lose another round trip. */
void lt_hedge_review(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                     livetcp_usec delay_us, livetcp_decision *decision);

/* Packets that are late with all of their copies come before the copies of fresh ones. */
typedef struct lt_rescue {
    livetcp_usec unpaid_us; /* when the budget last had nothing for a late packet; 0 = never */
} lt_rescue;

/* After lt_hedge_review(). */
void lt_rescue_reviewed(lt_rescue *rescue, const livetcp_policy_view *view,
                        const livetcp_packet_view *packet);

/* A late packet waits for the budget: fresh ones leave it alone. */
bool lt_rescue_waits(const lt_rescue *rescue, const livetcp_policy_view *view);

#endif
