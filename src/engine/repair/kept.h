/* SPDX-License-Identifier: MIT */
/*
 * Packets that TCP has acknowledged and the peer has not: something on the way that ends TCP may
 * have acknowledged them, and may lose them. They are kept until the peer's receipt, by connection,
 * and what a connection that ended did not bring is handed out again.
 */
#ifndef LT_ENGINE_REPAIR_KEPT_H
#define LT_ENGINE_REPAIR_KEPT_H

#include "engine/repair/unacked.h"
#include "wire/control.h"

#include <livetcp/config.h>

/* Bytes kept by a session, and one packet of each connection beyond; over this the oldest of the
 * connection is let go, as if it had come. With feedback every 200 ms this is 160 Mbit/s. */
#define LT_KEPT_BYTES (4 * 1024 * 1024)

/* Connections that ended, and whose last receipt may yet come. */
#define LT_KEPT_ENDED LIVETCP_MAX_CONNECTIONS

typedef struct lt_kept_connection {
    uint32_t number;  /* 0 = the peer sends no receipts, or the place is free */
    uint64_t written; /* packets, from the connection's first */
    bool settled;     /* ended: the last receipt has come, with this outcome: */
    uint32_t missing, again;
    lt_unacked packets; /* `end` is the packet's place among those of the connection */
} lt_kept_connection;

typedef struct lt_kept {
    size_t bytes;
    lt_kept_connection live[LIVETCP_MAX_CONNECTIONS]; /* by slot */
    lt_kept_connection ended[LT_KEPT_ENDED];
    unsigned next; /* place in `ended` */
    uint64_t missing, again;
    uint64_t unconfirmed; /* let go when the session ended */
} lt_kept;

/* Lets go of everything. */
void lt_kept_clear(lt_kept *kept);

/* The session ends: counts the packets without a receipt, which will not come any more. */
void lt_kept_close(lt_kept *kept);

/* The slot's connection has that number: its packets are kept from here on. */
void lt_kept_start(lt_kept *kept, unsigned slot, uint32_t number);

/* A packet was written whole: its place. */
uint64_t lt_kept_written(lt_kept *kept, unsigned slot);

/* TCP has acknowledged a packet; takes over the reference. */
void lt_kept_add(lt_kept *kept, unsigned slot, const lt_unacked_entry *entry);

/* The slot's connection is gone. */
void lt_kept_end(lt_kept *kept, unsigned slot);

/* The slot's packets, and those of no slot any more, are not needed: the session ends. Counts them
 * as lt_kept_close() does. */
void lt_kept_forget(lt_kept *kept, unsigned slot);

/* A receipt of a connection that goes on. One that cannot be is ignored, and counted. */
void lt_kept_on_receipt(lt_kept *kept, const lt_receipt *receipt);

/* The connection of a receipt, and how many packets it says: NULL if it is none of those known, or
 * says more than was written. *slot: where it goes on at this end; -1 = nowhere. */
lt_kept_connection *lt_kept_find(lt_kept *kept, const lt_receipt *receipt, uint64_t *packets,
                                 int *slot);

/* After it: hands out the youngest packet that did not come there and that no other connection
 * brings, with the reference; NULL once there is no more. Packets that came are let go first. */
lt_packet *lt_kept_next_missing(lt_kept *kept, lt_kept_connection *connection, uint64_t packets);

/* After that: so many were missing, and of these so many are sent again. */
void lt_kept_settle(lt_kept *kept, lt_kept_connection *connection, uint32_t missing,
                    uint32_t again);
bool lt_kept_is_settled(const lt_kept_connection *connection);

/* The answer to a last receipt. */
void lt_kept_outcome(const lt_kept_connection *connection, lt_resent *outcome);

#endif
