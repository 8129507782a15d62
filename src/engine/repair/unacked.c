/* SPDX-License-Identifier: MIT */
#include "engine/repair/unacked.h"

#include <stdlib.h>

#define FIRST_CAPACITY 16 /* a power of two, as LT_UNACKED_MAX */

static bool grow(lt_unacked *unacked)
{
    size_t capacity = unacked->capacity ? 2 * unacked->capacity : FIRST_CAPACITY;
    lt_unacked_entry *ring = malloc(capacity * sizeof *ring);

    if (!ring)
        return false;
    for (size_t i = 0; i < unacked->count; i++)
        ring[i] = *lt_unacked_entry_at(unacked, i);
    free(unacked->ring);
    unacked->ring = ring;
    unacked->capacity = capacity;
    unacked->first = 0;
    return true;
}

void lt_unacked_add(lt_unacked *unacked, const lt_unacked_entry *entry)
{
    if (unacked->count == unacked->capacity && unacked->capacity < LT_UNACKED_MAX &&
        !grow(unacked)) {
        lt_packet *packet = entry->packet;
        lt_packet_unref(&packet);
        return;
    }
    if (unacked->count == unacked->capacity) {
        lt_unacked_entry oldest;
        if (lt_unacked_take(unacked, UINT64_MAX, &oldest))
            lt_packet_unref(&oldest.packet);
    }
    *lt_unacked_entry_at(unacked, unacked->count++) = *entry;
}

bool lt_unacked_take(lt_unacked *unacked, uint64_t acknowledged, lt_unacked_entry *entry)
{
    const lt_unacked_entry *oldest = lt_unacked_at(unacked, 0);

    if (!oldest || oldest->end > acknowledged)
        return false;
    *entry = *oldest;
    unacked->first = (unacked->first + 1) & (unacked->capacity - 1);
    unacked->count--;
    return true;
}

lt_packet *lt_unacked_take_last(lt_unacked *unacked)
{
    return unacked->count ? lt_unacked_entry_at(unacked, --unacked->count)->packet : NULL;
}

uint64_t lt_unacked_write_off(lt_unacked *unacked)
{
    const lt_unacked_entry *entry;
    uint64_t found = 0;

    for (size_t i = 0; (entry = lt_unacked_at(unacked, i)); i++) {
        found += !entry->packet->received && !entry->packet->parity;
        entry->packet->received = true;
    }
    return found;
}

void lt_unacked_clear(lt_unacked *unacked)
{
    lt_unacked_entry entry;

    while (lt_unacked_take(unacked, UINT64_MAX, &entry))
        lt_packet_unref(&entry.packet);
    free(unacked->ring);
    *unacked = (lt_unacked){.ring = NULL};
}
