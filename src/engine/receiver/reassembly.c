/* SPDX-License-Identifier: MIT */
/* Reassembly: the table of streams, and each packet's way through it. The first packet after a jump
 * of sequence numbers is held on probation (RFC 3550, A.1) until the second one confirms the jump.
 */
#include "engine/receiver/reassembly.h"

#include "engine/receiver/reorder_buffer.h"
#include "rtp/sequence_tracker.h"

#include <stdlib.h>

/* Maximum number of SSRCs; the least recently active one is evicted. */
#define MAX_STREAMS 64

typedef struct lt_stream {
    uint32_t ssrc;
    /* value of `packets` at its last packet; the stream with the lowest is evicted */
    uint64_t used;
    lt_sequence_tracker tracker;
    /* the packet on probation; NULL if there is none, or it could not be copied */
    lt_held *probation;
    lt_reorder_stream ordered; /* sequence order only; otherwise never started */
} lt_stream;

struct lt_reassembly {
    livetcp_order order;
    livetcp_order next_order; /* applies from the next push or expire */
    unsigned count;
    lt_stream *last;             /* stream of the last packet, which is likely that of the next */
    uint32_t ssrcs[MAX_STREAMS]; /* separate from the streams, so that a search touches few cache
                                    lines */
    lt_stream *streams[MAX_STREAMS];
    uint64_t packets; /* pushed so far; the clock of lt_stream.used */
    lt_deliver_fn deliver;
    void *user;
    lt_reassembly_stats stats;
    lt_reorder_buffer buffer;
};

static void deliver(void *user, const lt_arrival *arrival)
{
    lt_reassembly *r = user;

    r->stats.delivered++;
    r->stats.delivered_bytes += arrival->size;
    r->deliver(r->user, arrival);
}

lt_reassembly *lt_reassembly_create(livetcp_order order, livetcp_usec wait_us,
                                    lt_deliver_fn deliver_fn, void *user)
{
    lt_reassembly *reassembly = calloc(1, sizeof *reassembly);

    if (!reassembly)
        return NULL;
    reassembly->order = reassembly->next_order = order;
    reassembly->deliver = deliver_fn;
    reassembly->user = user;
    reassembly->buffer = (lt_reorder_buffer){.wait_us = wait_us,
                                             .deliver = deliver,
                                             .user = reassembly,
                                             .gaps = &reassembly->stats.gaps};
    return reassembly;
}

/* ---- streams ---- */

static lt_stream *create_stream(const lt_arrival *first)
{
    lt_stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->ssrc = first->header.ssrc;
    lt_sequence_tracker_start(&stream->tracker, first->header.sequence, first->arrival_us);
    return stream;
}

static void destroy_stream(lt_reassembly *r, lt_stream *stream)
{
    lt_reorder_clear(&r->buffer, &stream->ordered);
    lt_held_destroy(&stream->probation);
    free(stream);
}

void lt_reassembly_destroy(lt_reassembly **reassembly)
{
    lt_reassembly *r = *reassembly;

    *reassembly = NULL;
    if (!r)
        return;
    for (unsigned i = 0; i < r->count; i++)
        destroy_stream(r, r->streams[i]);
    free(r);
}

static lt_stream *find_stream(lt_reassembly *r, uint32_t ssrc)
{
    if (r->last && r->last->ssrc == ssrc)
        return r->last;
    for (unsigned i = 0; i < r->count; i++)
        if (r->ssrcs[i] == ssrc)
            return r->last = r->streams[i];
    return NULL;
}

/* Drops the packet on probation: an unconfirmed jump cannot be told from a stray packet. */
static void drop_probation(lt_reassembly *r, lt_stream *stream)
{
    if (stream->probation)
        r->stats.late_discarded++;
    lt_held_destroy(&stream->probation);
}

/* Evicts the least recently active stream after delivering its held packets. Returns its index. */
static unsigned evict_stream(lt_reassembly *r)
{
    unsigned idle = 0;

    for (unsigned i = 1; i < r->count; i++)
        if (r->streams[i]->used < r->streams[idle]->used)
            idle = i;
    lt_reorder_flush(&r->buffer, &r->streams[idle]->ordered);
    drop_probation(r, r->streams[idle]);
    destroy_stream(r, r->streams[idle]);
    r->stats.evicted++;
    return idle;
}

static lt_stream *add_stream(lt_reassembly *r, const lt_arrival *first)
{
    lt_stream *stream = create_stream(first);
    unsigned place;

    if (!stream)
        return NULL;
    if (r->order == LIVETCP_ORDER_SEQUENCE)
        lt_reorder_start(&r->buffer, &stream->ordered, stream->tracker.window.highest, 0,
                         first->arrival_us);
    place = r->count < MAX_STREAMS ? r->count++ : evict_stream(r);
    r->streams[place] = stream;
    r->ssrcs[place] = first->header.ssrc;
    return r->last = stream; /* `last` may have been evicted */
}

/* ---- order ---- */

void lt_reassembly_set_order(lt_reassembly *r, livetcp_order order)
{
    r->next_order = order;
}

static void leave_sequence(lt_reassembly *r, lt_stream *stream)
{
    lt_reorder_flush(&r->buffer, &stream->ordered);
    lt_reorder_clear(&r->buffer, &stream->ordered);
}

static void enter_sequence(lt_reassembly *r, lt_stream *stream)
{
    uint64_t next = stream->tracker.window.highest + 1;

    lt_reorder_start(&r->buffer, &stream->ordered, next, next, 0);
    lt_reorder_end_start(&r->buffer, &stream->ordered);
}

static void apply_order(lt_reassembly *r)
{
    if (r->order == r->next_order)
        return;
    r->order = r->next_order;
    for (unsigned i = 0; i < r->count; i++) {
        if (r->order == LIVETCP_ORDER_SEQUENCE)
            enter_sequence(r, r->streams[i]);
        else
            leave_sequence(r, r->streams[i]);
    }
}

/* ---- packets ---- */

/* A packet counts as seen only once it is delivered or held. */
static livetcp_result accept(lt_reassembly *r, lt_stream *stream, uint64_t extended,
                             const lt_arrival *arrival)
{
    livetcp_result result = LIVETCP_OK;

    if (r->order == LIVETCP_ORDER_SEQUENCE)
        result = lt_reorder_push(&r->buffer, &stream->ordered, extended, arrival);
    else
        deliver(r, arrival);
    if (result == LIVETCP_OK)
        lt_sequence_tracker_accept(&stream->tracker, extended, arrival->arrival_us);
    return result;
}

/* accept() for the copy of a jump's first packet, which was confirmed; takes it over. */
static livetcp_result accept_held(lt_reassembly *r, lt_stream *stream, uint64_t extended,
                                  lt_held *held)
{
    livetcp_usec arrival_us = held->arrival.arrival_us;
    livetcp_result result = LIVETCP_OK;

    if (r->order == LIVETCP_ORDER_SEQUENCE) {
        result = lt_reorder_push_held(&r->buffer, &stream->ordered, extended, held);
    } else {
        deliver(r, &held->arrival);
        lt_held_destroy(&held);
    }
    if (result == LIVETCP_OK)
        lt_sequence_tracker_accept(&stream->tracker, extended, arrival_us);
    return result;
}

static livetcp_result keep_on_probation(lt_reassembly *r, lt_stream *stream,
                                        const lt_arrival *arrival)
{
    drop_probation(r, stream);
    stream->probation = lt_held_create(arrival);
    return stream->probation ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
}

static livetcp_result restart(lt_reassembly *r, lt_stream *stream, const lt_arrival *arrival)
{
    bool in_sequence = r->order == LIVETCP_ORDER_SEQUENCE;
    livetcp_result first = LIVETCP_OK, second;
    uint64_t probation_extended, extended;
    lt_held *probation = stream->probation;

    if (in_sequence)
        lt_reorder_flush(&r->buffer, &stream->ordered);
    stream->probation = NULL;
    lt_sequence_tracker_restart(&stream->tracker, arrival->header.sequence, &probation_extended,
                                &extended);
    r->stats.restarts++;
    if (in_sequence) {
        lt_reorder_start(&r->buffer, &stream->ordered, probation_extended, stream->ordered.next,
                         arrival->arrival_us);
        stream->ordered.broken = true;
    }
    if (probation)
        first = accept_held(r, stream, probation_extended, probation);
    second = accept(r, stream, extended, arrival);
    return second ? second : first;
}

/* Ends the starting phase of streams where its time is over. */
static void expire_starts(lt_reassembly *r, livetcp_usec now)
{
    for (unsigned i = 0; i < r->count && r->buffer.starting; i++)
        if (r->streams[i]->ordered.starting && r->streams[i]->ordered.start_until <= now)
            lt_reorder_end_start(&r->buffer, &r->streams[i]->ordered);
}

livetcp_result lt_reassembly_push(lt_reassembly *r, const lt_arrival *arrival)
{
    lt_stream *stream;
    livetcp_result result = LIVETCP_OK;
    uint64_t extended;

    apply_order(r);
    stream = find_stream(r, arrival->header.ssrc);
    if (!stream)
        stream = add_stream(r, arrival);
    if (!stream)
        return LIVETCP_ERR_NO_MEMORY;
    stream->used = ++r->packets;

    switch (lt_sequence_tracker_classify(&stream->tracker, arrival->header.sequence,
                                         lt_reorder_lowest(&stream->ordered), arrival->arrival_us,
                                         &extended)) {
    case LT_SEQUENCE_NEW:
        result = accept(r, stream, extended, arrival);
        break;
    case LT_SEQUENCE_DUPLICATE:
        r->stats.duplicates++;
        break;
    case LT_SEQUENCE_LATE:
        r->stats.late_discarded++;
        break;
    case LT_SEQUENCE_JUMP:
        result = keep_on_probation(r, stream, arrival);
        break;
    case LT_SEQUENCE_RESTART:
        result = restart(r, stream, arrival);
        break;
    }
    if (r->order == LIVETCP_ORDER_SEQUENCE)
        lt_reassembly_expire(r, arrival->arrival_us);
    return result;
}

livetcp_usec lt_reassembly_deadline(const lt_reassembly *r)
{
    livetcp_usec deadline = lt_reorder_deadline(&r->buffer);

    if (r->order != r->next_order && r->buffer.packets)
        return 0; /* held packets are due at once */
    if (r->buffer.starting)
        for (unsigned i = 0; i < r->count; i++)
            if (r->streams[i]->ordered.starting && r->streams[i]->ordered.start_until < deadline)
                deadline = r->streams[i]->ordered.start_until;
    return deadline;
}

void lt_reassembly_expire(lt_reassembly *r, livetcp_usec now)
{
    apply_order(r);
    expire_starts(r, now);
    lt_reorder_expire(&r->buffer, now);
}

const lt_reassembly_stats *lt_reassembly_get_stats(const lt_reassembly *r)
{
    return &r->stats;
}
