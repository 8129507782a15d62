/* SPDX-License-Identifier: MIT */
/*
 * Packets that the peer's TCP has acknowledged, without a receipt of the peer: a device that
 * terminates TCP on the path, a proxy or tunnel, may have acknowledged them, and may lose them.
 * They are kept by connection until the peer's receipt; packets that a connection did not deliver
 * before its end are returned to be sent again.
 */
#ifndef LT_ENGINE_REPAIR_KEPT_H
#define LT_ENGINE_REPAIR_KEPT_H

#include "engine/repair/unacked.h"
#include "wire/control.h"

#include <livetcp/config.h>

/* Bytes kept by a session, plus one packet per connection. Beyond it, the oldest packet of the
 * connection is dropped as if it were confirmed. With feedback every 200 ms this suffices for 160
 * Mbit/s. */
#define LT_KEPT_BYTES (4 * 1024 * 1024)

/* Maximum number of ended connections whose last receipt is awaited. */
#define LT_KEPT_ENDED LIVETCP_MAX_CONNECTIONS

typedef struct lt_kept_connection {
    uint32_t number;  /* 0 = the peer sends no receipts, or the entry is free */
    uint64_t written; /* packets since the connection's start */
    bool settled;     /* ended: the last receipt was processed, with this result: */
    uint32_t missing, again;
    lt_unacked packets; /* `end` is the packet's position among those of the connection */
} lt_kept_connection;

typedef struct lt_kept {
    size_t bytes;
    lt_kept_connection live[LIVETCP_MAX_CONNECTIONS]; /* by slot */
    lt_kept_connection ended[LT_KEPT_ENDED];
    unsigned next; /* next entry of `ended` */
    uint64_t missing, again;
    uint64_t unconfirmed; /* dropped at the end of the session */
} lt_kept;

/* Drops all packets. */
void lt_kept_clear(lt_kept *kept);

/* The session ends: counts the packets without a receipt, which will not arrive any more. */
void lt_kept_close(lt_kept *kept);

/* The slot's connection has this number: its packets are kept from now on. */
void lt_kept_start(lt_kept *kept, unsigned slot, uint32_t number);

/* A packet was written completely; returns its position. */
uint64_t lt_kept_written(lt_kept *kept, unsigned slot);

/* TCP has acknowledged a packet; takes over the reference. */
void lt_kept_add(lt_kept *kept, unsigned slot, const lt_unacked_entry *entry);

/* The slot's connection has ended. */
void lt_kept_end(lt_kept *kept, unsigned slot);

/* Drops the packets of the slot, and those of ended connections, since the session ends. Counts
 * them as lt_kept_close() does. */
void lt_kept_forget(lt_kept *kept, unsigned slot);

/* A receipt of an open connection. An impossible one is ignored, and counted. */
void lt_kept_on_receipt(lt_kept *kept, const lt_receipt *receipt);

/* The connection of a receipt, and the number of packets in it. NULL if the connection is unknown,
 * or the number exceeds the packets written. *slot: its slot here; -1 = it has ended. */
lt_kept_connection *lt_kept_find(lt_kept *kept, const lt_receipt *receipt, uint64_t *packets,
                                 int *slot);

/* Call after lt_kept_find(): returns the newest packet that was not received there and that no
 * other connection delivers, with the reference; NULL if there is none. Received packets are
 * dropped first. */
lt_packet *lt_kept_next_missing(lt_kept *kept, lt_kept_connection *connection, uint64_t packets);

/* Call after lt_kept_next_missing(): stores how many packets were missing, and how many of these
 * are sent again. */
void lt_kept_settle(lt_kept *kept, lt_kept_connection *connection, uint32_t missing,
                    uint32_t again);
bool lt_kept_is_settled(const lt_kept_connection *connection);

/* Fills in the answer to a last receipt. */
void lt_kept_outcome(const lt_kept_connection *connection, lt_resent *outcome);

#endif
