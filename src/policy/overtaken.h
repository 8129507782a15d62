/* SPDX-License-Identifier: MIT */
/*
 * Copies of lost packets on thin links, which have no room for others. A packet is lost, and does
 * not just wait in a queue, if others that left after it on its route have been acknowledged: RACK
 * (RFC 8985) over all connections. TCP itself learns it only from later packets of the same
 * connection, on eight connections eight packets later, or by a timer.
 *
 * A copy leaves when nothing of the session waits at the bottleneck. It still delays the packets
 * behind it, until the link has caught up: those are limited.
 */
#ifndef LT_POLICY_OVERTAKEN_H
#define LT_POLICY_OVERTAKEN_H

#include <livetcp/policy.h>

typedef struct lt_overtaken {
    double allowed; /* packets that copies may still delay; negative = none */
} lt_overtaken;

/* A packet was placed. */
void lt_overtaken_placed(lt_overtaken *overtaken);

/* Decides about a packet that is late. `times`: the rate of its link, as a multiple of the media's
 * with headers. */
void lt_overtaken_review(lt_overtaken *overtaken, const livetcp_policy_view *view,
                         const livetcp_packet_view *packet, double times,
                         livetcp_decision *decision);

#endif
