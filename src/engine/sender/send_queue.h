/* SPDX-License-Identifier: MIT */
/* The bounded queue between the application and the policy. Unlike bytes in the kernel, packets
 * here can still be dropped, or take any connection. */
#ifndef LT_ENGINE_SENDER_SEND_QUEUE_H
#define LT_ENGINE_SENDER_SEND_QUEUE_H

#include "engine/packet.h"

#include <livetcp/base.h>

typedef struct lt_send_queue lt_send_queue;

/* Holds at most `max_packets` packets and `max_bytes` bytes of packets, without framing. NULL
 * without memory. */
lt_send_queue *lt_send_queue_create(size_t max_packets, size_t max_bytes);
void lt_send_queue_destroy(lt_send_queue **queue);

/* Allocates for one packet of that size, even if the queue is full, so that the next push() cannot
 * fail for memory. Errors: LIVETCP_ERR_PACKET_TOO_LARGE if it never fits, LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_send_queue_reserve(lt_send_queue *queue, size_t size);

/* True if the queue has space for a packet of that size now. */
bool lt_send_queue_fits(const lt_send_queue *queue, size_t size);

/* Appends a packet; or returns one that a lost connection did not deliver to the front. Audio and
 * RTCP precede all others, in their own order. Takes over the caller's reference. Errors, on which
 * the caller keeps it: those of lt_send_queue_reserve(), and LIVETCP_ERR_BAD_STATE without space
 * (engine/sender/shedding.h frees some). */
livetcp_result lt_send_queue_push(lt_send_queue *queue, lt_packet *packet);
livetcp_result lt_send_queue_push_front(lt_send_queue *queue, lt_packet *packet);

/* The next packet, still owned by the queue, or NULL. */
lt_packet *lt_send_queue_front(const lt_send_queue *queue);

/* enqueued_us of the oldest packet; LIVETCP_NEVER if the queue is empty. */
livetcp_usec lt_send_queue_oldest_us(const lt_send_queue *queue);

/* Removes the next packet and passes its reference to the caller; NULL if the queue is empty. */
lt_packet *lt_send_queue_pop(lt_send_queue *queue);

/* The packet behind `position` others, still owned by the queue, or NULL. */
lt_packet *lt_send_queue_at(const lt_send_queue *queue, size_t position);

/* Removes every packet with `shed` set, oldest first, in one pass. `take` gets the references. */
void lt_send_queue_sweep(lt_send_queue *queue, void (*take)(void *user, lt_packet *packet),
                         void *user);

void lt_send_queue_clear(lt_send_queue *queue);

size_t lt_send_queue_packets(const lt_send_queue *queue);
size_t lt_send_queue_bytes(const lt_send_queue *queue);

/* Packets and bytes of one class; see lt_packet_class(). */
typedef struct lt_send_queue_share {
    size_t packets, bytes;
} lt_send_queue_share;

lt_send_queue_share lt_send_queue_of_class(const lt_send_queue *queue, livetcp_importance class_of);

size_t lt_send_queue_max_packets(const lt_send_queue *queue);
size_t lt_send_queue_max_bytes(const lt_send_queue *queue);

#endif
