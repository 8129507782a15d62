/* SPDX-License-Identifier: MIT */
/*
 * Copies of packets that TCP repeats in vain, where there is no room for others. In a buffer of a
 * few packets a repair meets the session's next frame and is lost, too, and TCP's timer doubles
 * each time (RFC 6298, section 5.5): single packets came up to 15 s late while the other
 * connections carried all that followed.
 *
 * A packet is copied once its connection's timer has fired and the next repair should have come,
 * others have overtaken it, and hardly anything of the session waits at the bottleneck. The next
 * copy waits twice as long, as TCP does.
 */
#ifndef LT_POLICY_TIMED_OUT_H
#define LT_POLICY_TIMED_OUT_H

#include <livetcp/policy.h>

/* A packet was placed: gives it a review, if it has none. */
void lt_timed_out_placed(const livetcp_policy_view *view, livetcp_decision *decision);

void lt_timed_out_review(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                         livetcp_decision *decision);

#endif
