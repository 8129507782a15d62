/* SPDX-License-Identifier: MIT */
/* The bounded queue between the application and the policy. Packets here can still be dropped or
 * given to another connection, which bytes in the kernel cannot. */
#ifndef LT_ENGINE_SENDER_SEND_QUEUE_H
#define LT_ENGINE_SENDER_SEND_QUEUE_H

#include "engine/packet.h"

#include <livetcp/base.h>

typedef struct lt_send_queue lt_send_queue;

/* At most `max_packets` packets and `max_bytes` bytes of packets (framing excluded). NULL if
 * memory is out. */
lt_send_queue *lt_send_queue_create(size_t max_packets, size_t max_bytes);
void lt_send_queue_destroy(lt_send_queue **queue);

/* Memory for one packet of that size, even if the queue is full: LIVETCP_ERR_PACKET_TOO_LARGE if it
 * can never fit, LIVETCP_ERR_NO_MEMORY. A push() that follows has nothing to allocate. */
livetcp_result lt_send_queue_reserve(lt_send_queue *queue, size_t size);

/* True if the queue has space for a packet of that size now. */
bool lt_send_queue_fits(const lt_send_queue *queue, size_t size);

/* Puts a packet behind all others, or before them: one that a lost connection did not deliver.
 * Audio and RTCP wait for their like only: they go before all others, in their own order. Takes
 * over the caller's reference. Errors: those of reserve(), and LIVETCP_ERR_BAD_STATE without space
 * (engine/sender/shedding.h frees some); the reference stays the caller's then. */
livetcp_result lt_send_queue_push(lt_send_queue *queue, lt_packet *packet);
livetcp_result lt_send_queue_push_front(lt_send_queue *queue, lt_packet *packet);

/* The packet that goes next, still the queue's, or NULL. */
lt_packet *lt_send_queue_front(const lt_send_queue *queue);

/* Since when the oldest waits; LIVETCP_NEVER if the queue is empty. */
livetcp_usec lt_send_queue_oldest_us(const lt_send_queue *queue);

/* Removes the packet that goes next and hands its reference to the caller; NULL if empty. */
lt_packet *lt_send_queue_pop(lt_send_queue *queue);

/* The packet that `position` others are ahead of, still the queue's, or NULL. */
lt_packet *lt_send_queue_at(const lt_send_queue *queue, size_t position);

/* Removes every packet whose `shed` is set, oldest first, in one pass; the others keep their
 * order. `take` gets the references. */
void lt_send_queue_sweep(lt_send_queue *queue, void (*take)(void *user, lt_packet *packet),
                         void *user);

void lt_send_queue_clear(lt_send_queue *queue);

size_t lt_send_queue_packets(const lt_send_queue *queue);
size_t lt_send_queue_bytes(const lt_send_queue *queue);

/* Share of that in one class, see lt_packet_class(). */
typedef struct lt_send_queue_share {
    size_t packets, bytes;
} lt_send_queue_share;

lt_send_queue_share lt_send_queue_of_class(const lt_send_queue *queue, livetcp_importance class_of);

size_t lt_send_queue_max_packets(const lt_send_queue *queue);
size_t lt_send_queue_max_bytes(const lt_send_queue *queue);

#endif
