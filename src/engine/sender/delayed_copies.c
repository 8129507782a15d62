/* SPDX-License-Identifier: MIT */
#include "engine/sender/delayed_copies.h"

#include <stdlib.h>

#define FIRST_CAPACITY 16

static bool reserve(lt_delayed_copies *copies)
{
    size_t capacity = copies->capacity ? 2 * copies->capacity : FIRST_CAPACITY;
    lt_delayed_copy *heap;

    if (copies->count < copies->capacity)
        return true;
    if (capacity > LT_DELAYED_COPIES_MAX)
        return false;
    heap = realloc(copies->heap, capacity * sizeof *heap);
    if (!heap)
        return false;
    copies->heap = heap;
    copies->capacity = capacity;
    return true;
}

static void swap(lt_delayed_copies *copies, size_t a, size_t b)
{
    lt_delayed_copy kept = copies->heap[a];

    copies->heap[a] = copies->heap[b];
    copies->heap[b] = kept;
}

static bool before(const lt_delayed_copies *copies, size_t a, size_t b)
{
    return copies->heap[a].due_us < copies->heap[b].due_us;
}

/* Restores the heap's order after the element `at` has changed. */
static void sift(lt_delayed_copies *copies, size_t at)
{
    size_t child;

    for (; at && before(copies, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(copies, at, (at - 1) / 2);
    for (; (child = 2 * at + 1) < copies->count; at = child) {
        if (child + 1 < copies->count && before(copies, child + 1, child))
            child++;
        if (!before(copies, child, at))
            break;
        swap(copies, at, child);
    }
}

bool lt_delayed_copies_add(lt_delayed_copies *copies, const lt_delayed_copy *copy)
{
    if (!reserve(copies))
        return false;
    copies->heap[copies->count] = *copy;
    lt_packet_ref(copy->packet);
    sift(copies, copies->count++);
    return true;
}

static void take_out(lt_delayed_copies *copies, size_t at)
{
    lt_packet_unref(&copies->heap[at].packet);
    copies->heap[at] = copies->heap[--copies->count];
    if (at < copies->count)
        sift(copies, at);
}

void lt_delayed_copies_pop(lt_delayed_copies *copies)
{
    take_out(copies, 0);
}

void lt_delayed_copies_drop(lt_delayed_copies *copies)
{
    copies->dropped++;
    take_out(copies, 0);
}

void lt_delayed_copies_cancel(lt_delayed_copies *copies, const lt_packet *packet)
{
    for (size_t i = copies->count; i--;)
        if (copies->heap[i].packet == packet)
            take_out(copies, i);
}

void lt_delayed_copies_postpone(lt_delayed_copies *copies, livetcp_usec due_us)
{
    copies->heap[0].due_us = due_us;
    sift(copies, 0);
}

void lt_delayed_copies_make_due(lt_delayed_copies *copies)
{
    for (size_t i = 0; i < copies->count; i++)
        copies->heap[i].due_us = INT64_MIN;
}

const lt_delayed_copy *lt_delayed_copies_first(lt_delayed_copies *copies, livetcp_usec now)
{
    while (copies->count && copies->heap[0].due_us <= now) {
        const lt_delayed_copy *first = &copies->heap[0];
        if (!first->packet->delivered && now < first->expires_us)
            return first;
        lt_delayed_copies_drop(copies);
    }
    return NULL;
}

livetcp_usec lt_delayed_copies_deadline(const lt_delayed_copies *copies)
{
    return copies->count ? copies->heap[0].due_us : LIVETCP_NEVER;
}

void lt_delayed_copies_drop_all(lt_delayed_copies *copies)
{
    while (copies->count)
        lt_delayed_copies_drop(copies);
}

void lt_delayed_copies_clear(lt_delayed_copies *copies)
{
    lt_delayed_copies_drop_all(copies);
    free(copies->heap);
    *copies = (lt_delayed_copies){.heap = NULL};
}
