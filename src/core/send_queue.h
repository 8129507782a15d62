/* SPDX-License-Identifier: MIT */
/* The bounded queue between the application and the policy. Packets here can still be dropped or
 * given to another connection, which bytes in the kernel cannot. */
#ifndef LT_CORE_SEND_QUEUE_H
#define LT_CORE_SEND_QUEUE_H

#include "core/packet.h"

#include <livetcp/result.h>

typedef struct lt_send_queue lt_send_queue;

/* At most `max_packets` packets and `max_bytes` bytes of packets (framing excluded). NULL if
 * memory is out. */
lt_send_queue *lt_send_queue_create(size_t max_packets, size_t max_bytes);
void lt_send_queue_destroy(lt_send_queue **queue);

/* Takes over the caller's reference. When the packet does not fit, the oldest are dropped until
 * it does; *dropped counts them. A packet larger than max_bytes is refused with
 * LIVETCP_ERR_PACKET_TOO_LARGE; on failure (LIVETCP_ERR_NO_MEMORY too) the reference stays the
 * caller's and nothing was dropped. */
livetcp_result lt_send_queue_push(lt_send_queue *queue, lt_packet *packet, size_t *dropped);

/* Puts a packet back before all others, for one that a lost connection cut short. Takes over the
 * reference, also when it drops it: then it returns false, which it does when the queue is full. */
bool lt_send_queue_push_front(lt_send_queue *queue, lt_packet *packet);

/* The oldest packet, still the queue's, or NULL. */
lt_packet *lt_send_queue_front(const lt_send_queue *queue);

/* Removes the oldest packet and hands its reference to the caller; NULL if empty. */
lt_packet *lt_send_queue_pop(lt_send_queue *queue);

void lt_send_queue_clear(lt_send_queue *queue);

size_t lt_send_queue_packets(const lt_send_queue *queue);
size_t lt_send_queue_bytes(const lt_send_queue *queue);

#endif
