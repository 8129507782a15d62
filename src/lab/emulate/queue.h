/* SPDX-License-Identifier: MIT */
/* The queue before a transmitter, by its discipline:
 *
 *   drop-tail  one FIFO
 *   codel      one FIFO that CoDel empties (RFC 8289)
 *   fq-codel   a FIFO and a CoDel for each flow, served by deficit round robin, those that have
 * just begun first (RFC 8290)
 *
 * Packets that a discipline drops after they were taken move to `dropped`, where their owner finds
 * them. Pure: time is an argument. */
#ifndef LT_LAB_EMULATE_QUEUE_H
#define LT_LAB_EMULATE_QUEUE_H

#include "lab/emulate/codel.h"
#include "lab/units.h"

typedef enum lt_aqm { LT_AQM_OFF, LT_AQM_CODEL, LT_AQM_FQ_CODEL } lt_aqm;

enum { LT_FLOWS_DEFAULT = 1024, LT_FLOWS_MAX = 65536 };

typedef struct lt_queue_params {
    lt_aqm aqm;
    lt_codel_params codel;
    unsigned flows;   /* queues of fq-codel, 1 to LT_FLOWS_MAX */
    lt_limit limit;   /* of all waiting packets */
    livetcp_usec l4s; /* queueing time above which ECT(1) packets are marked; 0: never */
} lt_queue_params;

typedef struct lt_queue lt_queue;

lt_queue *lt_queue_create(const lt_queue_params *params); /* NULL: out of memory */
void lt_queue_destroy(lt_queue **queue);                  /* drops its packets */

/* Adds a packet. `sending` is the transmitter's content, which counts towards the limit. With
 * fq-codel a full queue accepts the packet and drops the oldest of the longest flow, which need
 * space in `dropped`. */
typedef enum lt_queue_result { LT_QUEUE_TAKEN, LT_QUEUE_FULL, LT_QUEUE_NO_MEMORY } lt_queue_result;
lt_queue_result lt_queue_push(lt_queue *queue, const lt_held *held, const lt_held *sending,
                              lt_fifo *dropped);

/* Takes the next packet to transmit; false if the queue is empty. */
bool lt_queue_pull(lt_queue *queue, livetcp_usec now, lt_held *out, lt_fifo *dropped);

/* Takes any packet, in any order and without CoDel: to move packets or return them. */
bool lt_queue_take_any(lt_queue *queue, lt_held *out);

/* Changes limits and times; the discipline and its number of flows must be the same. */
void lt_queue_change(lt_queue *queue, const lt_queue_params *params);

size_t lt_queue_packets(const lt_queue *queue);
uint64_t lt_queue_bytes(const lt_queue *queue);

#endif
