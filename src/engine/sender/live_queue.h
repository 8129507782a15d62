/* SPDX-License-Identifier: MIT */
/* The send queue of live media. A packet leaves it unsent when it is too late, when the queue is
 * full, or when another part of its frame was dropped. */
#ifndef LT_ENGINE_SENDER_LIVE_QUEUE_H
#define LT_ENGINE_SENDER_LIVE_QUEUE_H

#include "engine/events.h"
#include "engine/links/links.h"
#include "engine/sender/keyframes.h"
#include "engine/sender/send_delay.h"
#include "engine/sender/send_queue.h"

/* Counts of dropped packets, by lt_packet_class(). */
typedef struct lt_drop_count {
    uint64_t packets, droppable, delta, audio, key;
} lt_drop_count;

typedef struct lt_live_queue {
    lt_send_queue *packets;
    livetcp_usec max_delay_us; /* max-send-delay; 0 = no limit */
    lt_send_rates rates;
    lt_events *events;
    lt_keyframes keyframes;        /* streams that need a key frame */
    livetcp_usec check_us;         /* time at which a packet may be late, or a request is due */
    livetcp_usec scan_from_us;     /* earliest time of the next scan of the whole queue */
    livetcp_usec key_warn_from_us; /* earliest time of the next warning of a dropped key frame */
    bool key_lost;                 /* a key frame was dropped, and no warning sent yet: */
    uint32_t key_lost_ssrc;        /* its stream */
    bool limit_warned; /* a warning that max-send-delay is below a round trip was sent */
    lt_drop_count late, full;
    uint64_t keyframes_wanted;
} lt_live_queue;

/* `extra`: bytes that the policy always sends beyond each byte of media. False without memory. */
bool lt_live_queue_init(lt_live_queue *queue, const livetcp_config *config, double extra,
                        lt_events *events);
void lt_live_queue_configure(lt_live_queue *queue, const livetcp_config *config, double extra);
void lt_live_queue_clear(lt_live_queue *queue);

/* The application's packet enters the queue; other packets, or this one, may be dropped for that.
 * Takes over the reference; on failure (see lt_send_queue_reserve()) the caller keeps it. */
livetcp_result lt_live_queue_push(lt_live_queue *queue, lt_packet *packet);

/* Returns a packet to the front of the queue; it displaces less important ones if necessary. On
 * failure, false, the caller keeps the reference. */
bool lt_live_queue_put_back(lt_live_queue *queue, lt_packet *packet);

/* A packet outside the queue is lost for good. */
void lt_live_queue_lost(lt_live_queue *queue, const lt_packet *packet);

/* Drops packets that would arrive too late, and requests key frames where necessary. */
void lt_live_queue_drop_late(lt_live_queue *queue, const lt_links *links, livetcp_usec now);

/* The limit of the send delay in force; 0 = none. */
livetcp_usec lt_live_queue_limit(const lt_live_queue *queue, const lt_links *links);

lt_send_delay lt_live_queue_delay(const lt_live_queue *queue, const lt_links *links,
                                  livetcp_usec now);

void lt_live_queue_gather(const lt_live_queue *queue, const lt_links *links, livetcp_usec now,
                          livetcp_session_stats *stats);

#endif
