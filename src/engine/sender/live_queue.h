/* SPDX-License-Identifier: MIT */
/* The send queue of live media: packets wait in it, and leave it unsent when they are too late, or
 * too much, or the rest of a frame that was dropped. */
#ifndef LT_ENGINE_SENDER_LIVE_QUEUE_H
#define LT_ENGINE_SENDER_LIVE_QUEUE_H

#include "engine/events.h"
#include "engine/links/links.h"
#include "engine/sender/keyframes.h"
#include "engine/sender/send_delay.h"
#include "engine/sender/send_queue.h"

/* Packets that were dropped, by lt_packet_class(). */
typedef struct lt_drop_count {
    uint64_t packets, droppable, delta, audio, key;
} lt_drop_count;

typedef struct lt_live_queue {
    lt_send_queue *packets;
    livetcp_usec max_delay_us; /* max-send-delay; 0 = none */
    double extra;              /* bytes the policy always sends beyond each byte of media */
    uint64_t carries;          /* bytes per second that the path carries for us; 0 = not known */
    lt_events *events;
    lt_keyframes keyframes;        /* streams that need one */
    livetcp_usec check_us;         /* when something may be late, or a key frame is wanted */
    livetcp_usec scan_from_us;     /* not to look at the whole queue before */
    livetcp_usec key_warn_from_us; /* not to warn of a dropped key frame before */
    bool key_lost;                 /* a key frame was dropped, and not warned of yet: */
    uint32_t key_lost_ssrc;        /*   of this stream */
    bool limit_warned;             /* that max-send-delay is less than a round trip */
    lt_drop_count late, full;
    uint64_t keyframes_wanted;
} lt_live_queue;

/* False if memory is out. */
bool lt_live_queue_init(lt_live_queue *queue, const livetcp_config *config, double extra,
                        lt_events *events);
void lt_live_queue_configure(lt_live_queue *queue, const livetcp_config *config, double extra);
void lt_live_queue_clear(lt_live_queue *queue);

/* The application's packet enters the queue, for which others, or it, may be dropped. Takes over
 * the reference; on failure (see lt_send_queue_reserve()) it stays the caller's. */
livetcp_result lt_live_queue_push(lt_live_queue *queue, lt_packet *packet);

/* A packet goes back to the front, and displaces less important ones if need be. On failure, which
 * returns false, the reference stays the caller's. */
bool lt_live_queue_put_back(lt_live_queue *queue, lt_packet *packet);

/* A packet that is not in the queue is lost for good. */
void lt_live_queue_lost(lt_live_queue *queue, const lt_packet *packet);

/* Drops packets that would be delivered too late, and asks for the key frames that are wanted. */
void lt_live_queue_drop_late(lt_live_queue *queue, const lt_links *links, livetcp_usec now);

/* The limit in force; 0 = none. */
livetcp_usec lt_live_queue_limit(const lt_live_queue *queue, const lt_links *links);

lt_send_delay lt_live_queue_delay(const lt_live_queue *queue, const lt_links *links,
                                  livetcp_usec now);

void lt_live_queue_gather(const lt_live_queue *queue, const lt_links *links, livetcp_usec now,
                          livetcp_session_stats *stats);

#endif
