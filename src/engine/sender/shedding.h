/* SPDX-License-Identifier: MIT */
/* Selects packets to drop from the send queue when not all can be delivered in time, or kept. They
 * are marked here (lt_packet.shed); lt_send_queue_sweep() removes them. */
#ifndef LT_ENGINE_SENDER_SHEDDING_H
#define LT_ENGINE_SENDER_SHEDDING_H

#include "engine/sender/send_delay.h"
#include "engine/sender/send_queue.h"

/* An application hands over the packets of a frame within this time: a later packet with the same
 * timestamp is another frame, of a source without a clock. */
#define LT_FRAME_SPAN_US 100000

/*
 * Marks packets to drop so that the rest is delivered within `limit_us` of being enqueued, the
 * least important class first and the oldest within a class first; packets certain to be late go in
 * any case. The more important a packet, the better the path assumed for it: see lt_send_delay. Key
 * frames go only when they are past their own deadline, regardless of the packets behind them. One
 * packet stays when a connection is idle: without it a recovery of the path would go unnoticed.
 * Returns true if anything is marked. O(packets).
 */
bool lt_shed_late(lt_send_queue *queue, const lt_send_delay *delay, livetcp_usec limit_us,
                  livetcp_usec now);

/* Marks packets so that `packet` fits, as long as less important ones will do, or, if `newest`, as
 * important ones, oldest first. False, with nothing marked: `packet` is the one to drop. It must
 * fit the empty queue. */
bool lt_shed_for_room(lt_send_queue *queue, const lt_packet *packet, bool newest);

/* Marks the rest of the frame of a packet that is not queued, but would be at `position`: that rest
 * is useless without it. Key packets stay unless it is one: parameter sets share the timestamp of a
 * frame, and later ones need them. Does nothing for audio, RTCP, and unknown packets. */
void lt_shed_frame(lt_send_queue *queue, const lt_packet *packet, size_t position);

/* True if `packet` goes with a frame of which `lost` is a part. */
bool lt_shed_same_frame(const lt_packet *packet, const lt_packet *lost);

#endif
