/* SPDX-License-Identifier: MIT */
#include "lab/emulate/held.h"

#include <stdlib.h>

enum { INITIAL_CAPACITY = 64 };

bool lt_fifo_reserve(lt_fifo *fifo, size_t count)
{
    size_t capacity = fifo->capacity ? fifo->capacity : INITIAL_CAPACITY;
    if (count <= fifo->capacity)
        return true;
    while (capacity < count)
        capacity *= 2;
    lt_held *slots = malloc(capacity * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < fifo->count; i++)
        slots[i] = fifo->slots[(fifo->head + i) & (fifo->capacity - 1)];
    free(fifo->slots);
    fifo->slots = slots;
    fifo->capacity = capacity;
    fifo->head = 0;
    return true;
}

bool lt_fifo_push(lt_fifo *fifo, const lt_held *held)
{
    if (!lt_fifo_reserve(fifo, fifo->count + 1))
        return false;
    fifo->slots[(fifo->head + fifo->count) & (fifo->capacity - 1)] = *held;
    fifo->count++;
    fifo->bytes += held->size;
    return true;
}

bool lt_fifo_pop(lt_fifo *fifo, lt_held *out)
{
    if (!fifo->count)
        return false;
    *out = fifo->slots[fifo->head];
    fifo->head = (fifo->head + 1) & (fifo->capacity - 1);
    fifo->count--;
    fifo->bytes -= out->size;
    return true;
}

void lt_fifo_clear(lt_fifo *fifo)
{
    free(fifo->slots);
    *fifo = (lt_fifo){0};
}

static bool departs_before(const lt_held *a, const lt_held *b)
{
    return a->departure != b->departure ? a->departure < b->departure : a->order < b->order;
}

bool lt_flight_reserve(lt_flight *flight, size_t count)
{
    if (count <= flight->capacity)
        return true;
    size_t capacity = flight->capacity ? flight->capacity : INITIAL_CAPACITY;
    while (capacity < count)
        capacity *= 2;
    lt_held *slots = realloc(flight->slots, capacity * sizeof *slots);
    if (!slots)
        return false;
    flight->slots = slots;
    flight->capacity = capacity;
    return true;
}

void lt_flight_push(lt_flight *flight, const lt_held *held)
{
    size_t at = flight->count++;
    while (at > 0 && departs_before(held, &flight->slots[(at - 1) / 2])) {
        flight->slots[at] = flight->slots[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    flight->slots[at] = *held;
}

const lt_held *lt_flight_first(const lt_flight *flight)
{
    return flight->count ? flight->slots : NULL;
}

bool lt_flight_pop(lt_flight *flight, lt_held *out)
{
    if (!flight->count)
        return false;
    *out = flight->slots[0];
    const lt_held last = flight->slots[--flight->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= flight->count)
            break;
        if (child + 1 < flight->count &&
            departs_before(&flight->slots[child + 1], &flight->slots[child]))
            child++;
        if (!departs_before(&flight->slots[child], &last))
            break;
        flight->slots[at] = flight->slots[child];
        at = child;
    }
    flight->slots[at] = last;
    return true;
}

void lt_flight_clear(lt_flight *flight)
{
    free(flight->slots);
    *flight = (lt_flight){0};
}
