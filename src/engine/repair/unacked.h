/* SPDX-License-Identifier: MIT */
/* The packets of one connection that are in the kernel and not acknowledged, by the position of
 * their end in the byte stream: a policy can send them again elsewhere, and they are not lost when
 * the connection breaks. */
#ifndef LT_ENGINE_REPAIR_UNACKED_H
#define LT_ENGINE_REPAIR_UNACKED_H

#include "engine/packet.h"

/* More than this and the oldest are forgotten: they can no longer be sent again, nothing else. */
#define LT_UNACKED_MAX 4096

typedef struct lt_unacked_entry {
    uint64_t end; /* position behind the packet's last byte */
    livetcp_usec written_us;
    lt_packet *packet;
    uint64_t number;      /* of the packet in the record of losses */
    uint64_t retransmits; /* of the connection, when the packet was written */
    uint64_t place;       /* of the packet among those of the connection, from 1 */
} lt_unacked_entry;

typedef struct lt_unacked {
    lt_unacked_entry *ring;
    size_t capacity, first, count; /* the capacity is a power of two */
} lt_unacked;

/* Takes over the reference in the entry. When memory is out the packet is forgotten at once. */
void lt_unacked_add(lt_unacked *unacked, const lt_unacked_entry *entry);

/* The entry that is `position` behind the oldest: where the next one goes, if that is `count`. */
static inline lt_unacked_entry *lt_unacked_entry_at(const lt_unacked *unacked, size_t position)
{
    return &unacked->ring[(unacked->first + position) & (unacked->capacity - 1)];
}

/* The same of those that there are, or NULL. */
static inline const lt_unacked_entry *lt_unacked_at(const lt_unacked *unacked, size_t position)
{
    return position < unacked->count ? lt_unacked_entry_at(unacked, position) : NULL;
}

/* Takes out the oldest entry if its packet ends at or before `acknowledged`, with the reference.
 * False otherwise. */
bool lt_unacked_take(lt_unacked *unacked, uint64_t acknowledged, lt_unacked_entry *entry);

/* Takes out the youngest packet; hands over the reference. NULL if there is none. */
lt_packet *lt_unacked_take_last(lt_unacked *unacked);

/* The session ends: the number of media packets that the peer has not confirmed. They count as
 * confirmed from here on, so that each counts once, however many copies of it there are. */
uint64_t lt_unacked_write_off(lt_unacked *unacked);

/* Drops every reference and frees the memory. */
void lt_unacked_clear(lt_unacked *unacked);

#endif
