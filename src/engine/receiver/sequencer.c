/* SPDX-License-Identifier: MIT */
/*
 * Sequence order. Every held packet waits for a number below its own, and that gap was noticed when
 * the first packet beyond it came. So the packet that has been held longest tells when the oldest
 * gap was noticed: when its wait is over, all gaps before it are given up at once, and no packet is
 * ever held for longer than wait_us.
 */
#include "engine/receiver/sequencer.h"

static void deliver_held(lt_sequencer *sequencer, lt_stream *stream, lt_held *held)
{
    lt_arrival arrival = {
        .data = lt_packet_data(held->packet),
        .size = lt_packet_size(held->packet),
        .arrival_us = held->arrival_us,
        .connection = held->connection,
        .discontinuity = stream->broken,
        .packet = held->packet,
    };

    stream->broken = false;
    sequencer->stats->delivered++;
    sequencer->stats->delivered_bytes += arrival.size;
    sequencer->deliver(sequencer->user, &arrival);
    lt_held_destroy(&held);
}

/* Delivers held packets up to the next gap. */
static void drain(lt_sequencer *sequencer, lt_stream *stream)
{
    lt_held *held;

    while ((held = lt_holdback_take(&sequencer->holdback, &stream->held, stream->next))) {
        stream->next++;
        deliver_held(sequencer, stream, held);
    }
}

/* Delivers what is held up to `last` and gives up what is missing there. */
static void give_up_to(lt_sequencer *sequencer, lt_stream *stream, uint64_t last)
{
    while (stream->next <= last) {
        lt_held *held = lt_holdback_take(&sequencer->holdback, &stream->held, stream->next);
        uint64_t missing = held ? 0 : 1;

        if (!held && !stream->held.count)
            missing = last + 1 - stream->next;
        stream->next += held ? 1 : missing;
        if (missing) {
            sequencer->stats->gaps += missing;
            stream->broken = true;
        } else {
            deliver_held(sequencer, stream, held);
        }
    }
    drain(sequencer, stream);
}

void lt_sequencer_start(lt_sequencer *sequencer, lt_stream *stream, uint64_t extended,
                        uint64_t floor, livetcp_usec now)
{
    livetcp_usec start_us = LT_SEQUENCER_START_US;

    if (start_us > sequencer->wait_us)
        start_us = sequencer->wait_us;
    if (!stream->starting)
        sequencer->starting++;
    stream->starting = true;
    stream->start_until = now + start_us;
    stream->next = extended;
    stream->floor = floor;
}

void lt_sequencer_end_start(lt_sequencer *sequencer, lt_stream *stream)
{
    if (!stream->starting)
        return;
    stream->starting = false;
    sequencer->starting--;
    drain(sequencer, stream);
}

/* Gives up the gap that was noticed first. At least one packet is delivered. */
static void give_up_oldest(lt_sequencer *sequencer)
{
    lt_held *oldest = sequencer->holdback.oldest;
    lt_stream *stream = oldest->stream;

    if (stream->starting)
        lt_sequencer_end_start(sequencer, stream);
    else
        give_up_to(sequencer, stream, oldest->extended);
}

static void enforce_bounds(lt_sequencer *sequencer)
{
    while (sequencer->holdback.packets > LT_SEQUENCER_MAX_PACKETS ||
           sequencer->holdback.bytes > LT_SEQUENCER_MAX_BYTES)
        give_up_oldest(sequencer);
}

livetcp_result lt_sequencer_hold(lt_sequencer *sequencer, lt_stream *stream, uint64_t extended,
                                 lt_held *held)
{
    if (extended < stream->next && !stream->starting) {
        sequencer->stats->late_discarded++;
        lt_held_destroy(&held);
        return LIVETCP_OK;
    }
    if (extended >= stream->next + LT_HOLDBACK_SPAN) {
        lt_sequencer_end_start(sequencer, stream);
        give_up_to(sequencer, stream, extended - LT_HOLDBACK_SPAN);
    }
    if (stream->starting && extended < stream->next)
        stream->next = extended;
    held->stream = stream;
    held->extended = extended;
    if (!lt_holdback_put(&sequencer->holdback, &stream->held, held, stream->next)) {
        lt_held_destroy(&held);
        return LIVETCP_ERR_NO_MEMORY;
    }
    lt_stream_accept(stream, extended, held->arrival_us);
    if (!stream->starting)
        drain(sequencer, stream);
    enforce_bounds(sequencer);
    return LIVETCP_OK;
}

livetcp_result lt_sequencer_push(lt_sequencer *sequencer, lt_stream *stream, uint64_t extended,
                                 const lt_arrival *arrival)
{
    lt_arrival due = *arrival;
    lt_held *held;

    if (stream->starting || extended != stream->next) {
        held = lt_held_create(arrival, stream->ssrc, (uint16_t)extended);
        return held ? lt_sequencer_hold(sequencer, stream, extended, held) : LIVETCP_ERR_NO_MEMORY;
    }
    lt_stream_accept(stream, extended, arrival->arrival_us);
    due.discontinuity = stream->broken;
    stream->broken = false;
    stream->next++;
    sequencer->stats->delivered++;
    sequencer->stats->delivered_bytes += due.size;
    sequencer->deliver(sequencer->user, &due);
    if (stream->held.count)
        drain(sequencer, stream);
    return LIVETCP_OK;
}

void lt_sequencer_flush(lt_sequencer *sequencer, lt_stream *stream)
{
    lt_sequencer_end_start(sequencer, stream);
    if (stream->held.count)
        give_up_to(sequencer, stream, stream->held.highest);
}

livetcp_usec lt_sequencer_deadline(const lt_sequencer *sequencer)
{
    const lt_held *oldest = sequencer->holdback.oldest;
    return oldest ? oldest->arrival_us + sequencer->wait_us : LIVETCP_NEVER;
}

void lt_sequencer_expire(lt_sequencer *sequencer, livetcp_usec now)
{
    while (sequencer->holdback.oldest && lt_sequencer_deadline(sequencer) <= now)
        give_up_oldest(sequencer);
}
