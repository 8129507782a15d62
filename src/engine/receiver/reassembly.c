/* SPDX-License-Identifier: MIT */
/* Reassembly: the table of streams, and each packet's way through it. */
#include "engine/receiver/reassembly.h"

#include "engine/receiver/sequencer.h"

#include <stdlib.h>

/* SSRCs known at a time. A peer that uses more makes the least recently active one forgotten. */
#define MAX_STREAMS 64

struct lt_reassembly {
    livetcp_order order;
    unsigned count;
    lt_stream *last;             /* the stream of the last packet: most often also of the next */
    uint32_t ssrcs[MAX_STREAMS]; /* apart from the streams, to be searched in few cache lines */
    lt_stream *streams[MAX_STREAMS];
    uint64_t packets; /* pushed so far: the clock of lt_stream.used */
    lt_deliver_fn deliver;
    void *user;
    lt_reassembly_stats stats;
    lt_sequencer sequencer;
};

lt_reassembly *lt_reassembly_create(livetcp_order order, livetcp_usec wait_us,
                                    lt_deliver_fn deliver, void *user)
{
    lt_reassembly *reassembly = calloc(1, sizeof *reassembly);

    if (!reassembly)
        return NULL;
    reassembly->order = order;
    reassembly->deliver = deliver;
    reassembly->user = user;
    reassembly->sequencer.wait_us = wait_us;
    reassembly->sequencer.deliver = deliver;
    reassembly->sequencer.user = user;
    reassembly->sequencer.stats = &reassembly->stats;
    return reassembly;
}

void lt_reassembly_destroy(lt_reassembly **reassembly)
{
    lt_reassembly *r = *reassembly;

    *reassembly = NULL;
    if (!r)
        return;
    for (unsigned i = 0; i < r->count; i++) {
        lt_holdback_clear(&r->sequencer.holdback, &r->streams[i]->held);
        lt_stream_destroy(&r->streams[i]);
    }
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

/* A jump that nothing confirmed cannot be told from a stray packet. */
static void drop_candidate(lt_reassembly *r, lt_stream *stream)
{
    if (stream->candidate)
        r->stats.late_discarded++;
    lt_held_destroy(&stream->candidate);
}

/* Forgets the least recently active stream, once what it held is delivered. Returns its place. */
static unsigned evict_stream(lt_reassembly *r)
{
    unsigned idle = 0;

    for (unsigned i = 1; i < r->count; i++)
        if (r->streams[i]->used < r->streams[idle]->used)
            idle = i;
    lt_sequencer_flush(&r->sequencer, r->streams[idle]);
    lt_holdback_clear(&r->sequencer.holdback, &r->streams[idle]->held);
    drop_candidate(r, r->streams[idle]);
    lt_stream_destroy(&r->streams[idle]);
    r->stats.evicted++;
    return idle;
}

static lt_stream *add_stream(lt_reassembly *r, const lt_rtp_header *header, livetcp_usec now)
{
    lt_stream *stream = lt_stream_create(header->ssrc, header->sequence, now);
    unsigned place;

    if (!stream)
        return NULL;
    if (r->order == LIVETCP_ORDER_SEQUENCE)
        lt_sequencer_start(&r->sequencer, stream, stream->window.highest, 0, now);
    place = r->count < MAX_STREAMS ? r->count++ : evict_stream(r);
    r->streams[place] = stream;
    r->ssrcs[place] = header->ssrc;
    return r->last = stream; /* the one before may have been evicted */
}

static void deliver_now(lt_reassembly *r, const lt_arrival *arrival)
{
    r->stats.delivered++;
    r->stats.delivered_bytes += arrival->size;
    r->deliver(r->user, arrival);
}

static livetcp_result accept(lt_reassembly *r, lt_stream *stream, uint64_t extended,
                             const lt_arrival *arrival)
{
    if (r->order == LIVETCP_ORDER_SEQUENCE)
        return lt_sequencer_push(&r->sequencer, stream, extended, arrival);
    lt_stream_accept(stream, extended, arrival->arrival_us);
    deliver_now(r, arrival);
    return LIVETCP_OK;
}

/* Accepts the copy of a jump's first packet, which was confirmed. */
static livetcp_result accept_held(lt_reassembly *r, lt_stream *stream, uint64_t extended,
                                  lt_held *held)
{
    if (r->order == LIVETCP_ORDER_SEQUENCE)
        return lt_sequencer_hold(&r->sequencer, stream, extended, held);
    lt_stream_accept(stream, extended, held->arrival_us);
    deliver_now(r, &(lt_arrival){.data = lt_packet_data(held->packet),
                                 .size = lt_packet_size(held->packet),
                                 .arrival_us = held->arrival_us,
                                 .connection = held->connection,
                                 .packet = held->packet});
    lt_held_destroy(&held);
    return LIVETCP_OK;
}

static livetcp_result keep_candidate(lt_reassembly *r, lt_stream *stream, const lt_arrival *arrival,
                                     const lt_rtp_header *header)
{
    drop_candidate(r, stream);
    stream->candidate = lt_held_create(arrival, header->ssrc, header->sequence);
    return stream->candidate ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
}

static livetcp_result restart(lt_reassembly *r, lt_stream *stream, const lt_arrival *arrival,
                              const lt_rtp_header *header)
{
    bool in_sequence = r->order == LIVETCP_ORDER_SEQUENCE;
    livetcp_result first = LIVETCP_OK, second;
    uint64_t candidate_extended, extended;
    lt_held *candidate;

    if (in_sequence)
        lt_sequencer_flush(&r->sequencer, stream);
    candidate = lt_stream_restart(stream, header->sequence, &candidate_extended, &extended);
    r->stats.restarts++;
    if (in_sequence) {
        lt_sequencer_start(&r->sequencer, stream, candidate_extended, stream->next,
                           arrival->arrival_us);
        stream->broken = true;
    }
    if (candidate)
        first = accept_held(r, stream, candidate_extended, candidate);
    second = accept(r, stream, extended, arrival);
    return second ? second : first;
}

/* Ends the starts whose wait is over. */
static void expire_starts(lt_reassembly *r, livetcp_usec now)
{
    for (unsigned i = 0; i < r->count && r->sequencer.starting; i++)
        if (r->streams[i]->starting && r->streams[i]->start_until <= now)
            lt_sequencer_end_start(&r->sequencer, r->streams[i]);
}

livetcp_result lt_reassembly_push(lt_reassembly *r, const lt_arrival *arrival,
                                  const lt_rtp_header *header)
{
    lt_stream *stream = find_stream(r, header->ssrc);
    livetcp_result result = LIVETCP_OK;
    uint64_t extended;

    if (!stream)
        stream = add_stream(r, header, arrival->arrival_us);
    if (!stream)
        return LIVETCP_ERR_NO_MEMORY;
    stream->used = ++r->packets;

    switch (lt_stream_judge(stream, header->sequence, arrival->arrival_us, &extended)) {
    case LT_VERDICT_NEW:
        result = accept(r, stream, extended, arrival);
        break;
    case LT_VERDICT_DUPLICATE:
        r->stats.duplicates++;
        break;
    case LT_VERDICT_LATE:
        r->stats.late_discarded++;
        break;
    case LT_VERDICT_JUMP:
        result = keep_candidate(r, stream, arrival, header);
        break;
    case LT_VERDICT_RESTART:
        result = restart(r, stream, arrival, header);
        break;
    }
    if (r->order == LIVETCP_ORDER_SEQUENCE)
        lt_reassembly_expire(r, arrival->arrival_us);
    return result;
}

livetcp_usec lt_reassembly_deadline(const lt_reassembly *r)
{
    livetcp_usec deadline = lt_sequencer_deadline(&r->sequencer);

    if (r->sequencer.starting)
        for (unsigned i = 0; i < r->count; i++)
            if (r->streams[i]->starting && r->streams[i]->start_until < deadline)
                deadline = r->streams[i]->start_until;
    return deadline;
}

void lt_reassembly_expire(lt_reassembly *r, livetcp_usec now)
{
    expire_starts(r, now);
    lt_sequencer_expire(&r->sequencer, now);
}

const lt_reassembly_stats *lt_reassembly_get_stats(const lt_reassembly *r)
{
    return &r->stats;
}
