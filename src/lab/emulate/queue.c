/* SPDX-License-Identifier: MIT */
#include "lab/emulate/queue.h"

#include "lab/emulate/ecn.h"

#include <stdlib.h>

enum {
    QUANTUM = 1500, /* bytes per turn: RFC 8290 section 5.2.4, without the Ethernet header */
    DROP_BATCH =
        64, /* maximum number of packets dropped from a full queue at once (section 4.1.3) */
};

typedef struct flow flow;

struct flow {
    lt_fifo fifo;
    lt_codel codel;
    int64_t deficit;
    bool listed;
    flow *next; /* in its list */
};

typedef struct flow_list {
    flow *first, *last;
} flow_list;

struct lt_queue {
    lt_queue_params params;
    flow *flows; /* one, unless fq-codel */
    unsigned flow_count;
    flow_list fresh, old; /* new and old flows (RFC 8290 section 4.2) */
    size_t packets;
    uint64_t bytes;
};

static void append(flow_list *list, flow *which)
{
    which->next = NULL;
    if (list->last)
        list->last->next = which;
    else
        list->first = which;
    list->last = which;
}

static flow *remove_first(flow_list *list)
{
    flow *first = list->first;
    list->first = first->next;
    if (!list->first)
        list->last = NULL;
    return first;
}

lt_queue *lt_queue_create(const lt_queue_params *params)
{
    lt_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    queue->params = *params;
    queue->flow_count = params->aqm == LT_AQM_FQ_CODEL ? params->flows : 1;
    queue->flows = calloc(queue->flow_count, sizeof *queue->flows);
    if (!queue->flows)
        lt_queue_destroy(&queue);
    return queue;
}

void lt_queue_destroy(lt_queue **queue)
{
    if (!*queue)
        return;
    for (unsigned i = 0; (*queue)->flows && i < (*queue)->flow_count; i++)
        lt_fifo_clear(&(*queue)->flows[i].fifo);
    free((*queue)->flows);
    free(*queue);
    *queue = NULL;
}

/* Drops half of the flow with the most bytes, from its head (RFC 8290 section 4.1.3). */
static void drop_from_longest(lt_queue *queue, lt_fifo *dropped)
{
    flow *longest = queue->flows;
    lt_held held;
    for (unsigned i = 1; i < queue->flow_count; i++)
        if (queue->flows[i].fifo.bytes > longest->fifo.bytes)
            longest = &queue->flows[i];
    size_t count = (longest->fifo.count + 1) / 2;
    if (count > DROP_BATCH)
        count = DROP_BATCH;
    while (count-- && lt_fifo_pop(&longest->fifo, &held)) {
        queue->packets--;
        queue->bytes -= held.size;
        lt_fifo_push(dropped, &held);
    }
}

static bool insert(lt_queue *queue, const lt_held *held)
{
    flow *of = &queue->flows[held->flow % queue->flow_count];
    if (!lt_fifo_push(&of->fifo, held))
        return false;
    queue->packets++;
    queue->bytes += held->size;
    if (!of->listed) {
        of->listed = true;
        of->deficit = QUANTUM;
        append(&queue->fresh, of);
    }
    return true;
}

lt_queue_result lt_queue_push(lt_queue *queue, const lt_held *held, const lt_held *sending,
                              lt_fifo *dropped)
{
    const uint64_t packets = queue->packets + 1 + (sending ? 1 : 0);
    const uint64_t bytes = queue->bytes + held->size + (sending ? sending->size : 0);
    const bool full = lt_limit_exceeded(&queue->params.limit, packets, bytes);

    if (full && queue->params.aqm != LT_AQM_FQ_CODEL)
        return LT_QUEUE_FULL;
    if (!insert(queue, held))
        return LT_QUEUE_NO_MEMORY;
    if (full)
        drop_from_longest(queue, dropped);
    return LT_QUEUE_TAKEN;
}

/* Takes a packet of one flow, after those that CoDel drops. */
static bool pull_flow(lt_queue *queue, flow *from, livetcp_usec now, lt_held *out, lt_fifo *dropped)
{
    const size_t packets = from->fifo.count;
    const uint64_t bytes = from->fifo.bytes;
    const bool there =
        queue->params.aqm == LT_AQM_OFF
            ? lt_fifo_pop(&from->fifo, out)
            : lt_codel_pull(&from->codel, &queue->params.codel, &from->fifo, now, out, dropped);

    queue->packets -= packets - from->fifo.count;
    queue->bytes -= bytes - from->fifo.bytes;
    return there;
}

/* RFC 8290 section 4.2. An empty new flow becomes an old one before it is removed, so that a flow
 * cannot stay new by timing its packets. */
static bool pull_fair(lt_queue *queue, livetcp_usec now, lt_held *out, lt_fifo *dropped)
{
    for (;;) {
        flow_list *list = queue->fresh.first ? &queue->fresh : &queue->old;
        flow *first = list->first;
        if (!first)
            return false;
        if (first->deficit <= 0) {
            first->deficit += QUANTUM;
            append(&queue->old, remove_first(list));
        } else if (pull_flow(queue, first, now, out, dropped)) {
            first->deficit -= out->size;
            return true;
        } else {
            remove_first(list);
            first->listed = list == &queue->fresh && queue->old.first;
            if (first->listed)
                append(&queue->old, first);
        }
    }
}

bool lt_queue_pull(lt_queue *queue, livetcp_usec now, lt_held *out, lt_fifo *dropped)
{
    if (!pull_fair(queue, now, out, dropped))
        return false;
    if (queue->params.l4s && out->ecn == LT_ECN_ECT1 && now - out->arrival > queue->params.l4s)
        out->marked = true;
    return true;
}

bool lt_queue_take_any(lt_queue *queue, lt_held *out)
{
    for (unsigned i = 0; queue->packets && i < queue->flow_count; i++)
        if (lt_fifo_pop(&queue->flows[i].fifo, out)) {
            queue->packets--;
            queue->bytes -= out->size;
            return true;
        }
    return false;
}

void lt_queue_change(lt_queue *queue, const lt_queue_params *params)
{
    queue->params = *params;
}

size_t lt_queue_packets(const lt_queue *queue)
{
    return queue->packets;
}

uint64_t lt_queue_bytes(const lt_queue *queue)
{
    return queue->bytes;
}
