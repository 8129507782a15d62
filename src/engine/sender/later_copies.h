/* SPDX-License-Identifier: MIT */
/* Copies that are sent some time after the first one, so that one burst of losses does not take
 * both. Those that have become pointless are dropped. */
#ifndef LT_ENGINE_SENDER_LATER_COPIES_H
#define LT_ENGINE_SENDER_LATER_COPIES_H

#include "engine/packet.h"

/* Copies that wait at most; beyond, copies are sent at once. */
#define LT_LATER_COPIES_MAX 1024

typedef struct lt_later_copy {
    lt_packet *packet;
    uint32_t slots;            /* bit i: the policy chose slot i */
    livetcp_usec due_us;       /* when it is to be sent, */
    livetcp_usec pointless_us; /*   and from when on not any more */
} lt_later_copy;

typedef struct lt_later_copies {
    lt_later_copy *heap; /* the one due first at the top */
    size_t count, capacity;
    uint64_t dropped;
} lt_later_copies;

/* Takes a reference of its own. False if there is no room: nothing waits then. */
bool lt_later_copies_add(lt_later_copies *copies, const lt_later_copy *copy);

/* The copy due first that still makes sense, or NULL; it stays where it is. The pointless ones
 * before it are dropped: packets that were acknowledged, and what is too late. */
const lt_later_copy *lt_later_copies_first(lt_later_copies *copies, livetcp_usec now);

/* Takes out the first one, which was sent; or which is dropped. */
void lt_later_copies_pop(lt_later_copies *copies);
void lt_later_copies_drop(lt_later_copies *copies);

/* The first one is due later. */
void lt_later_copies_postpone(lt_later_copies *copies, livetcp_usec due_us);

/* All are due at once. */
void lt_later_copies_hurry(lt_later_copies *copies);

/* The packet is placed anew, and its copies with it. */
void lt_later_copies_forget(lt_later_copies *copies, const lt_packet *packet);

/* When the first is due; LIVETCP_NEVER = none waits. */
livetcp_usec lt_later_copies_deadline(const lt_later_copies *copies);

/* Those that wait are pointless: the peer reads none of them. */
void lt_later_copies_drop_all(lt_later_copies *copies);

void lt_later_copies_clear(lt_later_copies *copies);

#endif
