/* SPDX-License-Identifier: MIT */
/* The send queue: a ring of references that grows with the backlog. */
#include "engine/sender/send_queue.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64

struct lt_send_queue {
    lt_packet **ring;
    size_t capacity; /* entries of the ring, at most max_packets */
    size_t first;    /* entry of the oldest packet */
    size_t count;
    size_t express; /* packets of these, at the front, that are audio or RTCP */
    size_t bytes;
    size_t max_packets;
    size_t max_bytes;
    lt_send_queue_share shares[LIVETCP_IMPORTANCE_KEY + 1]; /* by class */
};

/* The entry `offset` (0..capacity) behind the oldest packet. */
static size_t slot_at(const lt_send_queue *queue, size_t offset)
{
    size_t slot = queue->first + offset;
    return slot < queue->capacity ? slot : slot - queue->capacity;
}

/* Grows the ring for one more reference; false without memory. */
static bool reserve(lt_send_queue *queue)
{
    size_t capacity = queue->capacity ? 2 * queue->capacity : FIRST_CAPACITY;
    lt_packet **ring;

    if (queue->count < queue->capacity)
        return true;
    if (capacity > queue->max_packets)
        capacity = queue->max_packets;
    ring = malloc(capacity * sizeof *ring);
    if (!ring)
        return false;
    for (size_t i = 0; i < queue->count; i++)
        ring[i] = queue->ring[slot_at(queue, i)];
    free(queue->ring);
    queue->ring = ring;
    queue->capacity = capacity;
    queue->first = 0;
    return true;
}

lt_send_queue *lt_send_queue_create(size_t max_packets, size_t max_bytes)
{
    lt_send_queue *queue = calloc(1, sizeof *queue);

    if (!queue)
        return NULL;
    queue->max_packets = max_packets ? max_packets : 1;
    queue->max_bytes = max_bytes;
    return queue;
}

void lt_send_queue_destroy(lt_send_queue **queue)
{
    if (*queue) {
        lt_send_queue_clear(*queue);
        free((*queue)->ring);
        free(*queue);
    }
    *queue = NULL;
}

livetcp_result lt_send_queue_reserve(lt_send_queue *queue, size_t size)
{
    if (size > queue->max_bytes)
        return LIVETCP_ERR_PACKET_TOO_LARGE;
    if (queue->count < queue->max_packets && !reserve(queue))
        return LIVETCP_ERR_NO_MEMORY;
    return LIVETCP_OK;
}

bool lt_send_queue_fits(const lt_send_queue *queue, size_t size)
{
    return queue->count < queue->max_packets && size <= queue->max_bytes - queue->bytes;
}

static void count_in(lt_send_queue *queue, const lt_packet *packet)
{
    lt_send_queue_share *share = &queue->shares[lt_packet_class(packet)];

    queue->count++;
    queue->bytes += lt_packet_size(packet);
    share->packets++;
    share->bytes += lt_packet_size(packet);
}

static void count_out(lt_send_queue *queue, const lt_packet *packet)
{
    lt_send_queue_share *share = &queue->shares[lt_packet_class(packet)];

    queue->count--;
    queue->bytes -= lt_packet_size(packet);
    share->packets--;
    share->bytes -= lt_packet_size(packet);
}

static livetcp_result prepare_push(lt_send_queue *queue, const lt_packet *packet)
{
    livetcp_result result = lt_send_queue_reserve(queue, lt_packet_size(packet));

    if (result == LIVETCP_OK && !lt_send_queue_fits(queue, lt_packet_size(packet)))
        result = LIVETCP_ERR_BAD_STATE;
    return result;
}

/* Audio and RTCP overtake video: audio is small, and every gap is audible; reports are as small,
 * and describe the current state. */
static bool is_express(const lt_packet *packet)
{
    return lt_packet_class(packet) == LIVETCP_IMPORTANCE_AUDIO;
}

static void insert(lt_send_queue *queue, size_t position, lt_packet *packet)
{
    for (size_t i = queue->count; i > position; i--)
        queue->ring[slot_at(queue, i)] = queue->ring[slot_at(queue, i - 1)];
    queue->ring[slot_at(queue, position)] = packet;
}

livetcp_result lt_send_queue_push(lt_send_queue *queue, lt_packet *packet)
{
    livetcp_result result = prepare_push(queue, packet);

    if (result != LIVETCP_OK)
        return result;
    if (is_express(packet)) {
        insert(queue, queue->express++, packet);
    } else {
        insert(queue, queue->count, packet);
    }
    count_in(queue, packet);
    return LIVETCP_OK;
}

livetcp_result lt_send_queue_push_front(lt_send_queue *queue, lt_packet *packet)
{
    livetcp_result result = prepare_push(queue, packet);

    if (result != LIVETCP_OK)
        return result;
    /* The free entry is at the front, so the audio packets move up. */
    queue->first = slot_at(queue, queue->capacity - 1);
    if (is_express(packet)) {
        queue->ring[queue->first] = packet;
        queue->express++;
    } else {
        for (size_t i = 0; i < queue->express; i++)
            queue->ring[slot_at(queue, i)] = queue->ring[slot_at(queue, i + 1)];
        queue->ring[slot_at(queue, queue->express)] = packet;
    }
    count_in(queue, packet);
    return LIVETCP_OK;
}

lt_packet *lt_send_queue_front(const lt_send_queue *queue)
{
    return queue->count ? queue->ring[queue->first] : NULL;
}

livetcp_usec lt_send_queue_oldest_us(const lt_send_queue *queue)
{
    const lt_packet *front = lt_send_queue_front(queue);
    const lt_packet *behind = lt_send_queue_at(queue, queue->express);

    if (!front)
        return LIVETCP_NEVER;
    return behind && behind->enqueued_us < front->enqueued_us ? behind->enqueued_us
                                                              : front->enqueued_us;
}

lt_packet *lt_send_queue_pop(lt_send_queue *queue)
{
    lt_packet *packet;

    if (!queue->count)
        return NULL;
    packet = queue->ring[queue->first];
    queue->first = slot_at(queue, 1);
    queue->express -= queue->express > 0;
    count_out(queue, packet);
    return packet;
}

lt_packet *lt_send_queue_at(const lt_send_queue *queue, size_t position)
{
    return position < queue->count ? queue->ring[slot_at(queue, position)] : NULL;
}

void lt_send_queue_sweep(lt_send_queue *queue, void (*take)(void *user, lt_packet *packet),
                         void *user)
{
    size_t count = queue->count, express = queue->express, kept = 0;

    for (size_t i = 0; i < count; i++) {
        lt_packet *packet = queue->ring[slot_at(queue, i)];
        if (packet->shed) {
            queue->express -= i < express;
            count_out(queue, packet);
            take(user, packet);
        } else {
            queue->ring[slot_at(queue, kept++)] = packet;
        }
    }
}

void lt_send_queue_clear(lt_send_queue *queue)
{
    while (queue->count) {
        lt_packet *packet = lt_send_queue_pop(queue);
        lt_packet_unref(&packet);
    }
}

size_t lt_send_queue_packets(const lt_send_queue *queue)
{
    return queue->count;
}

size_t lt_send_queue_bytes(const lt_send_queue *queue)
{
    return queue->bytes;
}

lt_send_queue_share lt_send_queue_of_class(const lt_send_queue *queue, livetcp_importance class_of)
{
    return queue->shares[class_of];
}

size_t lt_send_queue_max_packets(const lt_send_queue *queue)
{
    return queue->max_packets;
}

size_t lt_send_queue_max_bytes(const lt_send_queue *queue)
{
    return queue->max_bytes;
}
