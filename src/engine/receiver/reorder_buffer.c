/* SPDX-License-Identifier: MIT */
/*
 * Held packets are in a ring by sequence number in each stream, and in one list by age for the
 * session. Every held packet waits for a lower number, and its gap was detected when the first
 * packet beyond it arrived. Thus the arrival of the oldest held packet, the head of the list, is
 * the time at which the oldest gap was detected. When the wait is over, all gaps before that packet
 * are abandoned at once, and no packet is held for longer than wait_us.
 */
#include "engine/receiver/reorder_buffer.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64

/* ---- held packets ---- */

lt_held *lt_held_create(const lt_arrival *arrival)
{
    lt_held *held = calloc(1, sizeof *held);

    if (!held)
        return NULL;
    held->arrival = *arrival;
    held->arrival.packet = lt_packet_create(arrival->data, arrival->size);
    if (!held->arrival.packet) {
        free(held);
        return NULL;
    }
    held->arrival.packet->ssrc = arrival->header.ssrc;
    held->arrival.packet->sequence = arrival->header.sequence;
    held->arrival.data = lt_packet_data(held->arrival.packet);
    return held;
}

void lt_held_destroy(lt_held **held)
{
    if (*held)
        lt_packet_unref(&(*held)->arrival.packet);
    free(*held);
    *held = NULL;
}

static lt_held **slot_of(const lt_reorder_stream *stream, uint64_t extended)
{
    return &stream->slots[extended & (stream->capacity - 1)];
}

/* Grows the ring for `span` consecutive numbers. */
static bool reserve(lt_reorder_stream *stream, uint64_t span)
{
    lt_reorder_stream grown = *stream;

    if (span <= stream->capacity)
        return true;
    grown.capacity = FIRST_CAPACITY;
    while (grown.capacity < span)
        grown.capacity *= 2;
    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < stream->capacity; i++)
        if (stream->slots[i])
            *slot_of(&grown, stream->slots[i]->extended) = stream->slots[i];
    free(stream->slots);
    *stream = grown;
    return true;
}

static void append(lt_reorder_buffer *buffer, lt_held *held)
{
    held->newer = NULL;
    held->older = buffer->newest;
    if (buffer->newest)
        buffer->newest->newer = held;
    else
        buffer->oldest = held;
    buffer->newest = held;
    buffer->packets++;
    buffer->bytes += held->arrival.size;
}

/* Takes over a packet whose stream and number are set. It and all held numbers lie within
 * LT_REORDER_SPAN of the stream's next number, and its entry is free. False without memory; the
 * caller keeps the packet. */
static bool put(lt_reorder_buffer *buffer, lt_reorder_stream *stream, lt_held *held)
{
    uint64_t highest = held->extended;

    if (stream->count && stream->highest > highest)
        highest = stream->highest;
    if (!reserve(stream, highest - stream->next + 1))
        return false;
    *slot_of(stream, held->extended) = held;
    stream->highest = highest;
    stream->count++;
    append(buffer, held);
    return true;
}

static void unlink_held(lt_reorder_buffer *buffer, lt_held *held)
{
    if (held->older)
        held->older->newer = held->newer;
    else
        buffer->oldest = held->newer;
    if (held->newer)
        held->newer->older = held->older;
    else
        buffer->newest = held->older;
    held->older = held->newer = NULL;
    buffer->packets--;
    buffer->bytes -= held->arrival.size;
}

/* Removes and returns the stream's next packet; NULL if it is not held. */
static lt_held *take_next(lt_reorder_buffer *buffer, lt_reorder_stream *stream)
{
    lt_held *held;

    if (!stream->count)
        return NULL;
    held = *slot_of(stream, stream->next);
    if (!held || held->extended != stream->next)
        return NULL;
    *slot_of(stream, stream->next) = NULL;
    stream->count--;
    unlink_held(buffer, held);
    return held;
}

void lt_reorder_clear(lt_reorder_buffer *buffer, lt_reorder_stream *stream)
{
    for (size_t i = 0; i < stream->capacity; i++) {
        if (stream->slots[i]) {
            unlink_held(buffer, stream->slots[i]);
            lt_held_destroy(&stream->slots[i]);
        }
    }
    free(stream->slots);
    buffer->starting -= stream->starting;
    *stream = (lt_reorder_stream){0};
}

/* ---- delivery ---- */

static void deliver_held(lt_reorder_buffer *buffer, lt_reorder_stream *stream, lt_held *held)
{
    held->arrival.discontinuity = stream->broken;
    stream->broken = false;
    buffer->deliver(buffer->user, &held->arrival);
    lt_held_destroy(&held);
}

/* Delivers held packets up to the next gap. */
static void drain(lt_reorder_buffer *buffer, lt_reorder_stream *stream)
{
    lt_held *held;

    while ((held = take_next(buffer, stream))) {
        stream->next++;
        deliver_held(buffer, stream, held);
    }
}

/* Delivers the packets held up to number `last`, and abandons the missing ones. */
static void abandon_up_to(lt_reorder_buffer *buffer, lt_reorder_stream *stream, uint64_t last)
{
    while (stream->next <= last) {
        lt_held *held = take_next(buffer, stream);
        uint64_t missing = held ? 0 : 1;

        if (!held && !stream->count)
            missing = last + 1 - stream->next;
        stream->next += held ? 1 : missing;
        if (missing) {
            *buffer->gaps += missing;
            stream->broken = true;
        } else {
            deliver_held(buffer, stream, held);
        }
    }
    drain(buffer, stream);
}

void lt_reorder_start(lt_reorder_buffer *buffer, lt_reorder_stream *stream, uint64_t extended,
                      uint64_t floor, livetcp_usec now)
{
    livetcp_usec start_us = LT_REORDER_START_US;

    if (start_us > buffer->wait_us)
        start_us = buffer->wait_us;
    if (!stream->starting)
        buffer->starting++;
    stream->starting = true;
    stream->start_until = now + start_us;
    stream->next = extended;
    stream->floor = floor;
}

void lt_reorder_end_start(lt_reorder_buffer *buffer, lt_reorder_stream *stream)
{
    if (!stream->starting)
        return;
    stream->starting = false;
    buffer->starting--;
    drain(buffer, stream);
}

uint64_t lt_reorder_lowest(const lt_reorder_stream *stream)
{
    uint64_t lowest = stream->floor;

    if (!stream->starting)
        return stream->next;
    if (stream->count && stream->highest + 1 > lowest + LT_REORDER_SPAN)
        lowest = stream->highest + 1 - LT_REORDER_SPAN;
    return lowest;
}

/* Abandons the gap that was detected first. At least one packet is delivered. */
static void abandon_oldest(lt_reorder_buffer *buffer)
{
    lt_held *oldest = buffer->oldest;
    lt_reorder_stream *stream = oldest->stream;

    if (stream->starting)
        lt_reorder_end_start(buffer, stream);
    else
        abandon_up_to(buffer, stream, oldest->extended);
}

static void enforce_bounds(lt_reorder_buffer *buffer)
{
    while (buffer->packets > LT_REORDER_MAX_PACKETS || buffer->bytes > LT_REORDER_MAX_BYTES)
        abandon_oldest(buffer);
}

livetcp_result lt_reorder_push_held(lt_reorder_buffer *buffer, lt_reorder_stream *stream,
                                    uint64_t extended, lt_held *held)
{
    if (extended >= stream->next + LT_REORDER_SPAN) {
        lt_reorder_end_start(buffer, stream);
        abandon_up_to(buffer, stream, extended - LT_REORDER_SPAN);
    }
    if (stream->starting && extended < stream->next)
        stream->next = extended;
    held->stream = stream;
    held->extended = extended;
    if (!put(buffer, stream, held)) {
        lt_held_destroy(&held);
        return LIVETCP_ERR_NO_MEMORY;
    }
    if (!stream->starting)
        drain(buffer, stream);
    enforce_bounds(buffer);
    return LIVETCP_OK;
}

livetcp_result lt_reorder_push(lt_reorder_buffer *buffer, lt_reorder_stream *stream,
                               uint64_t extended, const lt_arrival *arrival)
{
    lt_arrival due = *arrival;
    lt_held *held;

    if (stream->starting || extended != stream->next) {
        held = lt_held_create(arrival);
        return held ? lt_reorder_push_held(buffer, stream, extended, held) : LIVETCP_ERR_NO_MEMORY;
    }
    due.discontinuity = stream->broken;
    stream->broken = false;
    stream->next++;
    buffer->deliver(buffer->user, &due);
    if (stream->count)
        drain(buffer, stream);
    return LIVETCP_OK;
}

void lt_reorder_flush(lt_reorder_buffer *buffer, lt_reorder_stream *stream)
{
    lt_reorder_end_start(buffer, stream);
    if (stream->count)
        abandon_up_to(buffer, stream, stream->highest);
}

livetcp_usec lt_reorder_deadline(const lt_reorder_buffer *buffer)
{
    const lt_held *oldest = buffer->oldest;
    return oldest ? oldest->arrival.arrival_us + buffer->wait_us : LIVETCP_NEVER;
}

void lt_reorder_expire(lt_reorder_buffer *buffer, livetcp_usec now)
{
    while (buffer->oldest && lt_reorder_deadline(buffer) <= now)
        abandon_oldest(buffer);
}
