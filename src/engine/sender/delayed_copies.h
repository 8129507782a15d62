/* SPDX-License-Identifier: MIT */
/* Copies that are sent a certain time after the first one, so that one burst of losses does not hit
 * both. Copies that have become useless are dropped. */
#ifndef LT_ENGINE_SENDER_DELAYED_COPIES_H
#define LT_ENGINE_SENDER_DELAYED_COPIES_H

#include "engine/packet.h"

/* Maximum number of delayed copies; further ones are not sent. */
#define LT_DELAYED_COPIES_MAX 1024

typedef struct lt_delayed_copy {
    lt_packet *packet;
    uint32_t slots;          /* bit i: the policy chose slot i */
    livetcp_usec due_us;     /* time to send it, */
    livetcp_usec expires_us; /* and time after which it is useless */
} lt_delayed_copy;

typedef struct lt_delayed_copies {
    lt_delayed_copy *heap; /* binary heap by due_us */
    size_t count, capacity;
    uint64_t dropped;
} lt_delayed_copies;

/* Takes a reference of its own. False without space or memory. */
bool lt_delayed_copies_add(lt_delayed_copies *copies, const lt_delayed_copy *copy);

/* The copy that is due first and still useful, or NULL; it stays in the heap. Useless ones before
 * it are dropped: those of acknowledged packets, and expired ones. */
const lt_delayed_copy *lt_delayed_copies_first(lt_delayed_copies *copies, livetcp_usec now);

/* Removes the first copy, which was sent; or counts it as dropped. */
void lt_delayed_copies_pop(lt_delayed_copies *copies);
void lt_delayed_copies_drop(lt_delayed_copies *copies);

/* Sets the time of the first copy. */
void lt_delayed_copies_postpone(lt_delayed_copies *copies, livetcp_usec due_us);

/* Makes all copies due at once. */
void lt_delayed_copies_make_due(lt_delayed_copies *copies);

/* Removes the packet's copies, since it is placed again. */
void lt_delayed_copies_cancel(lt_delayed_copies *copies, const lt_packet *packet);

/* Time of the first copy; LIVETCP_NEVER = none. */
livetcp_usec lt_delayed_copies_deadline(const lt_delayed_copies *copies);

/* Drops all copies, since the peer reads none of them. */
void lt_delayed_copies_drop_all(lt_delayed_copies *copies);

void lt_delayed_copies_clear(lt_delayed_copies *copies);

#endif
