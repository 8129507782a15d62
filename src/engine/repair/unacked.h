/* SPDX-License-Identifier: MIT */
/* Packets of one connection that are in the kernel and not acknowledged, by the offset of their end
 * in the byte stream. A policy can send them again on other connections, and they are not lost with
 * the connection. */
#ifndef LT_ENGINE_REPAIR_UNACKED_H
#define LT_ENGINE_REPAIR_UNACKED_H

#include "engine/packet.h"

/* Beyond it the oldest are dropped: they cannot be sent again any more. */
#define LT_UNACKED_MAX 4096

typedef struct lt_unacked_entry {
    uint64_t end; /* offset after the packet's last byte */
    livetcp_usec written_us;
    lt_packet *packet;
    uint64_t number;      /* of the packet in the record of losses */
    uint64_t retransmits; /* of the connection, at the time of writing */
    uint64_t place;       /* position of the packet among those of the connection, from 1 */
} lt_unacked_entry;

typedef struct lt_unacked {
    lt_unacked_entry *ring;
    size_t capacity, first, count; /* the capacity is a power of two */
} lt_unacked;

/* Takes over the reference in the entry. Without memory the packet is dropped at once. */
void lt_unacked_add(lt_unacked *unacked, const lt_unacked_entry *entry);

/* The entry `position` behind the oldest; `count` is that of the next one. */
static inline lt_unacked_entry *lt_unacked_entry_at(const lt_unacked *unacked, size_t position)
{
    return &unacked->ring[(unacked->first + position) & (unacked->capacity - 1)];
}

/* The same for existing entries; otherwise NULL. */
static inline const lt_unacked_entry *lt_unacked_at(const lt_unacked *unacked, size_t position)
{
    return position < unacked->count ? lt_unacked_entry_at(unacked, position) : NULL;
}

/* Removes the oldest entry, with its reference, if its packet ends at or before `acknowledged`.
 * False otherwise. */
bool lt_unacked_take(lt_unacked *unacked, uint64_t acknowledged, lt_unacked_entry *entry);

/* Removes the newest packet and returns its reference; NULL if there is none. */
lt_packet *lt_unacked_take_last(lt_unacked *unacked);

/* The session ends: returns the number of media packets that the peer has not confirmed. They count
 * as confirmed afterwards, so that each is counted once, however many copies of it there are. */
uint64_t lt_unacked_write_off(lt_unacked *unacked);

/* Drops every reference and frees the memory. */
void lt_unacked_clear(lt_unacked *unacked);

#endif
