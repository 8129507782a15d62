/* SPDX-License-Identifier: MIT */
/* What is dropped from the send queue when not everything can be delivered in time, or kept. It is
 * marked here (lt_packet.shed); lt_send_queue_sweep() removes it. */
#ifndef LT_ENGINE_SENDER_SHEDDING_H
#define LT_ENGINE_SENDER_SHEDDING_H

#include "engine/sender/send_delay.h"
#include "engine/sender/send_queue.h"

/* An application hands over the packets of a frame within this time: what comes with the same
 * timestamp later is another frame, of a source that does not count time. */
#define LT_FRAME_SPAN_US 100000

/*
 * Marks what has to go so that the rest is delivered within `limit_us` of being enqueued, the least
 * important class first and the oldest within a class first; what is beyond help goes in any case.
 * The more important a packet, the better the path it is judged by: see lt_send_delay. Key frames
 * go only when they are past their own deadline, whatever waits behind them. One packet stays when
 * a connection is idle: without it nobody would learn that the path has recovered. Returns whether
 * anything is marked. O(packets).
 */
bool lt_shed_late(lt_send_queue *queue, const lt_send_delay *delay, livetcp_usec limit_us,
                  livetcp_usec now);

/* Marks packets so that `packet` fits, as long as less important ones will do, or, if `newest`, as
 * important ones, oldest first. False, with nothing marked: `packet` is the one to drop. It must
 * fit the empty queue. */
bool lt_shed_for_room(lt_send_queue *queue, const lt_packet *packet, bool newest);

/* Marks the rest of the frame of a packet that is not queued, but would be at `position`: it is
 * worth nothing without it. Key packets stay unless it is one: parameter sets share the timestamp
 * of a frame, and later ones need them. Nothing for audio, RTCP, and what is unknown. */
void lt_shed_frame(lt_send_queue *queue, const lt_packet *packet, size_t position);

/* Whether `packet` goes with a frame of which `lost` is a part. */
bool lt_shed_same_frame(const lt_packet *packet, const lt_packet *lost);

#endif
