/* SPDX-License-Identifier: MIT */
/* One slot of a session: a TCP connection, or the wait for the next one. Slots are replaced in
 * place, so counters and the index survive the connection. */
#ifndef LT_ENGINE_LINKS_CONNECTION_H
#define LT_ENGINE_LINKS_CONNECTION_H

#include "engine/repair/unacked.h"
#include "engine/sender/outbox.h"
#include "wire/frame.h"
#include "wire/handshake.h"

#include <livetcp/stats.h>

typedef struct lt_connection {
    unsigned index;
    livetcp_connection_state state;
    livetcp_path *path; /* the session's array has it, ready for the policy */

    /* Bytes in and out; empty while there is no TCP connection. */
    lt_deframer deframer;
    lt_outbox outbox;
    uint64_t stream_bytes; /* written since the TCP connection is ours */
    lt_unacked unacked;    /* packets of these that are not acknowledged */

    /* Joining. */
    bool handshake_started; /* caller: CREATE or JOIN is written */
    lt_caller_handshake handshake;
    lt_pending_proof pending; /* listener: the PROOF that answers our ACCEPT */

    /* Giving up: the outbox may still hold a REJECT or BYE. */
    bool doomed;
    livetcp_result doom_reason;
    livetcp_usec doomed_at_us;

    /* Times; LIVETCP_NEVER where they do not apply. */
    livetcp_usec connect_at_us;  /* IDLE: next attempt */
    livetcp_usec backoff_us;     /* wait before the attempt after that */
    livetcp_usec join_by_us;     /* the handshake's limit: JOINING, or PROOF pending */
    livetcp_usec ping_at_us;     /* OPEN: when to ping if nothing is sent before */
    livetcp_usec silent_from_us; /* last input, or when it was connected */
    livetcp_usec facts_at_us;    /* when the platform was last asked; INT64_MIN = never */
    livetcp_usec last_media_us;  /* when a packet of the application's was last written */
    livetcp_usec gap_us;         /* from one to the next, smoothed; 0 = not known yet */
    bool chase_when_late;        /* and only if that one is not acknowledged then */
    livetcp_usec chase_at_us;    /* when a small packet follows the last one */

    /* Survive reconnects. */
    livetcp_result last_error;
    uint64_t opened; /* times it was OPEN */
    uint64_t packets_sent, bytes_sent;
    uint64_t packets_received, bytes_read;
} lt_connection;

/* Forgets the TCP connection: buffers and what is in them, facts, handshake. */
void lt_connection_reset(lt_connection *connection);

/* Whether there is a connected socket behind the slot. */
static inline bool lt_connection_has_socket(const lt_connection *connection)
{
    return connection->state == LIVETCP_CONNECTION_JOINING ||
           connection->state == LIVETCP_CONNECTION_OPEN;
}

/* Whether bytes can be written to it now. */
static inline bool lt_connection_writable(const lt_connection *connection)
{
    return lt_connection_has_socket(connection) && !connection->path->blocked;
}

/* Whether media, and what is about it, may come: once the peer is known, that is at once on a plain
 * wire and after CREATE, for a joining caller only when the listener has taken it in. */
static inline bool lt_connection_takes_media(const lt_connection *connection)
{
    return connection->state == LIVETCP_CONNECTION_OPEN || connection->path->usable;
}

/* ---- facts ---- */

/* How old facts may be when a packet is decided on. Between two samples we add what we write
 * ourselves, so only what TCP does by itself goes unseen, and at thousands of packets a second
 * the platform is not asked for each. */
#define LT_FACTS_MAX_AGE_US 1000

/* And when nothing is in flight: a queue that we do not write to stays empty. */
#define LT_FACTS_IDLE_AGE_US 100000

/* Nothing is known: a fresh connection. */
void lt_path_reset(livetcp_path *path, unsigned connection);

/* Takes over what the platform said. The engine's own fields stay, and so does what was known
 * before and is not said this time. */
void lt_path_update(livetcp_path *path, const livetcp_path *facts, livetcp_usec now);

/* We wrote `size` bytes. */
void lt_path_wrote(livetcp_path *path, size_t size, livetcp_usec now);

/* A PING came back: the round-trip time where the platform does not tell it. */
void lt_path_measured_rtt(livetcp_path *path, livetcp_usec rtt_us);

#endif
