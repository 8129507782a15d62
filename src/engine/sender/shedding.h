/* SPDX-License-Identifier: MIT */
/* Selects packets to drop from the send queue when not all can be delivered in time, or stored.
 * They are marked here (lt_packet.shed); lt_send_queue_sweep() removes them. */
#ifndef LT_ENGINE_SENDER_SHEDDING_H
#define LT_ENGINE_SENDER_SHEDDING_H

#include "engine/sender/send_delay.h"
#include "engine/sender/send_queue.h"

/* Maximum time within which an application hands over the packets of one frame. A later packet with
 * the same timestamp is another frame, of a source without a clock. */
#define LT_FRAME_SPAN_US 100000

/*
 * Marks packets to drop so that the others are delivered within `limit_us` of being enqueued: the
 * least important class first, and within a class the oldest packet first. Packets that are certain
 * to be late are always marked. The more important a packet, the better the path that is assumed
 * for it: see lt_send_delay. Key frames are marked only when they are past their own deadline,
 * whatever the packets behind them. One packet remains when a connection is idle; without it, a
 * recovery of the path would go unnoticed. Returns true if anything is marked. O(packets).
 */
bool lt_shed_late(lt_send_queue *queue, const lt_send_delay *delay, livetcp_usec limit_us,
                  livetcp_usec now);

/* Marks less important packets, or if `newest` also equally important ones, oldest first, so that
 * `packet` fits. False, with nothing marked: drop `packet` itself. It must fit into the empty
 * queue. */
bool lt_shed_for_space(lt_send_queue *queue, const lt_packet *packet, bool newest);

/* Marks the rest of the frame of a packet that is not queued, but would be at `position`: it is
 * useless without that packet. Key packets stay unless `packet` is one: parameter sets share the
 * timestamp of a frame, and later frames need them. Ignores audio, RTCP, and packets of unknown
 * importance. */
void lt_shed_frame(lt_send_queue *queue, const lt_packet *packet, size_t position);

/* True if `packet` belongs to the frame of `lost`. */
bool lt_shed_same_frame(const lt_packet *packet, const lt_packet *lost);

#endif
