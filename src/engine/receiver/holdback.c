/* SPDX-License-Identifier: MIT */
/* Held packets: a ring by number in each stream, one list by age for the session. The list's head
 * is the packet whose wait ends first, and so says when to give up waiting. */
#include "engine/receiver/holdback.h"

#include "engine/receiver/reassembly.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64

lt_held *lt_held_create(const lt_arrival *arrival, uint32_t ssrc, uint16_t sequence)
{
    lt_held *held = calloc(1, sizeof *held);

    if (!held)
        return NULL;
    held->packet = lt_packet_create(arrival->data, arrival->size);
    if (!held->packet) {
        free(held);
        return NULL;
    }
    held->packet->ssrc = ssrc;
    held->packet->sequence = sequence;
    held->arrival_us = arrival->arrival_us;
    held->connection = arrival->connection;
    return held;
}

void lt_held_destroy(lt_held **held)
{
    if (*held)
        lt_packet_unref(&(*held)->packet);
    free(*held);
    *held = NULL;
}

static lt_held **slot_of(const lt_held_ring *ring, uint64_t extended)
{
    return &ring->slots[extended & (ring->capacity - 1)];
}

/* Makes the ring hold `span` consecutive numbers. */
static bool reserve(lt_held_ring *ring, uint64_t span)
{
    lt_held_ring grown = *ring;

    if (span <= ring->capacity)
        return true;
    grown.capacity = FIRST_CAPACITY;
    while (grown.capacity < span)
        grown.capacity *= 2;
    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < ring->capacity; i++)
        if (ring->slots[i])
            *slot_of(&grown, ring->slots[i]->extended) = ring->slots[i];
    free(ring->slots);
    *ring = grown;
    return true;
}

bool lt_holdback_put(lt_holdback *holdback, lt_held_ring *ring, lt_held *held, uint64_t lowest)
{
    uint64_t highest = held->extended;

    if (ring->count && ring->highest > highest)
        highest = ring->highest;
    if (!reserve(ring, highest - lowest + 1))
        return false;
    *slot_of(ring, held->extended) = held;
    ring->highest = highest;
    ring->count++;

    held->newer = NULL;
    held->older = holdback->newest;
    if (holdback->newest)
        holdback->newest->newer = held;
    else
        holdback->oldest = held;
    holdback->newest = held;
    holdback->packets++;
    holdback->bytes += lt_packet_size(held->packet);
    return true;
}

static void unlink_held(lt_holdback *holdback, lt_held *held)
{
    if (held->older)
        held->older->newer = held->newer;
    else
        holdback->oldest = held->newer;
    if (held->newer)
        held->newer->older = held->older;
    else
        holdback->newest = held->older;
    held->older = held->newer = NULL;
    holdback->packets--;
    holdback->bytes -= lt_packet_size(held->packet);
}

lt_held *lt_holdback_take(lt_holdback *holdback, lt_held_ring *ring, uint64_t extended)
{
    lt_held *held;

    if (!ring->count)
        return NULL;
    held = *slot_of(ring, extended);
    if (!held || held->extended != extended)
        return NULL;
    *slot_of(ring, extended) = NULL;
    ring->count--;
    unlink_held(holdback, held);
    return held;
}

void lt_holdback_clear(lt_holdback *holdback, lt_held_ring *ring)
{
    for (size_t i = 0; i < ring->capacity; i++) {
        if (ring->slots[i]) {
            unlink_held(holdback, ring->slots[i]);
            lt_held_destroy(&ring->slots[i]);
        }
    }
    free(ring->slots);
    *ring = (lt_held_ring){0};
}
