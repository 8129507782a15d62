/* SPDX-License-Identifier: MIT */
/*
 * State of the links component, shared by its files:
 *
 *   slot.c           a slot's state, and what the others ask about it
 *   slot_path.c      a slot's traffic and path information
 *   joining.c        CREATE, JOIN and PROOF: a connection becomes part of the session
 *   reconnect.c      the end of a TCP connection, and the time of the next attempt
 *   longer_routes.c  connections on a longer route than others are replaced
 *   stuck_connections.c  connections that an outage has left stuck
 *   spare.c          the spare slot
 *   links.c          creation, messages, deadlines, statistics
 *
 * Each calls only those before it.
 */
#ifndef LT_ENGINE_LINKS_LINKS_PRIVATE_H
#define LT_ENGINE_LINKS_LINKS_PRIVATE_H

#include "engine/links/keepalive.h"
#include "engine/links/links.h"
#include "engine/links/rtt_average.h"

/* One slot. Times are LIVETCP_NEVER where they do not apply. */
typedef struct lt_slot {
    livetcp_connection_state state;
    uint64_t stream_bytes; /* written since the TCP connection was handed to the engine */
    bool early_media;      /* media was written while JOINING */
    livetcp_usec info_us;  /* time of the last path info; INT64_MIN = none */
    bool ponged;           /* a PONG has updated the round trip since then */
    lt_rtt_average rtt_average;

    /* Joining. */
    bool handshake_started; /* caller: CREATE or JOIN is written */
    lt_caller_handshake handshake;
    lt_channel_binding binding;             /* caller: of the TLS connection below */
    lt_pending_authenticator authenticator; /* listener: checks the PROOF that answers our ACCEPT */
    uint32_t number;                        /* listener: of the connection; 0 = unknown */
    livetcp_usec join_by_us;                /* handshake timeout, while JOINING or PROOF is due */

    /* Keepalive. */
    livetcp_usec ping_at_us;     /* OPEN: time of the next PING, unless something is sent before */
    livetcp_usec silent_from_us; /* last input, or when the connection was established; */
    livetcp_usec later_us;       /*   beside thin media the next may be as much later */
    uint64_t delivered;          /* bytes of ours that the peer's TCP has, */
    livetcp_usec progress_us;    /*   and when that last grew; INT64_MIN = never */
    uint64_t heard;              /* bytes read since the last write */
    livetcp_usec open_since_us;

    /* Closing. */
    livetcp_result failure; /* reason for which the session must close it; LIVETCP_OK = none */
    bool closing;
    livetcp_result close_reason;
    livetcp_usec closing_since_us;
    bool withdrawn; /* closed although it did not fail: it leaves a longer route, the session
                       was refused on another slot, or is created on another because, */
    bool create_unanswered; /*   here, CREATE was not answered in time */

    /* A longer route: see longer_routes.c. */
    double carried;   /* bytes read and written of late */
    unsigned longer;  /* reviews in a row that found the route longer, */
    unsigned useless; /*   and the connection of no use */
    livetcp_usec leaving_since_us;

    /* IDLE: time of the next attempt, and the backoff before the one after that. */
    livetcp_usec connect_at_us, backoff_us;

    /* Survive reconnects. */
    livetcp_result last_error;
    uint64_t opened;          /* times it was OPEN */
    uint64_t left;            /* times its route was left for being longer, */
    livetcp_usec leave_at_us; /*   and the earliest time for the next one */
} lt_slot;

struct lt_links {
    bool caller, plain, reconnect;
    bool fixed_ports; /* a slot's connections have the same ports, and so the same route */
    livetcp_usec reconnect_min_us, reconnect_max_us, handshake_timeout_us;
    livetcp_usec peer_timeout_us;
    livetcp_usec heard_us; /* last input on any connection */
    lt_keepalive keepalive;
    livetcp_random_fn random;
    void *random_user;
    lt_rng *jitter;
    lt_events *events;
    lt_control_writer writer;

    lt_credentials credentials;
    uint32_t capabilities; /* of both ends */
    livetcp_role role;     /* caller: its introduction */
    char stream_id[LIVETCP_STREAM_ID_MAX + 1], token[LIVETCP_TOKEN_MAX + 1];
    uint32_t ticket;             /* the last that was used */
    livetcp_usec review_us;      /* caller: of the routes' lengths */
    livetcp_usec spare_us;       /* when the spare slot was last taken; INT64_MIN = never */
    int creator;                 /* caller: slot whose CREATE is in flight, or -1 */
    livetcp_usec create_by_us;   /* without an answer by then, another slot creates the session, */
    livetcp_usec create_wait_us; /*   and has this long for its answer */
    bool confirmed;
    bool ending, ended;

    /* Caller: the session was refused. One slot tries again; the others wait until it is open. */
    bool refused;
    livetcp_usec backoff_us; /* before the session's next attempt */
    livetcp_result last_loss;

    unsigned base;    /* slots of the session; the spare slot has this index */
    unsigned count;   /* those, and the spare slot while it has a connection */
    uint32_t closing; /* bit i: slot i is closing */
    lt_slot slots[LIVETCP_MAX_CONNECTIONS];
    livetcp_path paths[LIVETCP_MAX_CONNECTIONS];
    lt_path_groups groups;
    lt_path_sample samples[LIVETCP_MAX_CONNECTIONS]; /* of the last path info */
};

/* Time for the answer to the first CREATE; it doubles for each further one. TCP may have repaired a
 * loss by then, and a listener under attack has had its turns. */
#define LT_CREATE_WAIT_US LIVETCP_USEC_SEC

/* ---- slot.c ---- */

/* Forgets the TCP connection: handshake, times, path information. */
void lt_slot_reset(lt_links *links, unsigned slot);

void lt_slot_set_state(lt_links *links, unsigned slot, livetcp_connection_state state,
                       livetcp_result reason);

/* The connection is part of the session and may carry media. */
void lt_slot_open(lt_links *links, unsigned slot, livetcp_usec now);

/* The next PING is due a keepalive from now, a little later at a listener. */
void lt_slot_put_off_ping(lt_links *links, unsigned slot, livetcp_usec now);

/* The session must close the slot: see lt_links_next_failed(). The first reason counts. */
static inline void lt_slot_fail(lt_slot *slot, livetcp_result reason)
{
    if (slot->failure == LIVETCP_OK && !slot->closing)
        slot->failure = reason;
}

/* CREATE was not answered with JOINED: the listener has no session yet. */
static inline bool lt_slot_is_creating(const lt_slot *slot)
{
    return slot->handshake_started && slot->handshake.creating && !slot->handshake.joined;
}

/* ---- slot_path.c ---- */

/* Takes the round trip of a PONG, unless its PING was written before or during an outage. */
void lt_slot_measure_pong(lt_links *links, unsigned slot, const lt_control *pong, livetcp_usec now);

/* ---- joining.c ---- */

/* New session id and key pair: the listener does not know the session. */
livetcp_result lt_joining_renew_identity(lt_links *links);

/* Writes CREATE or JOIN on every connected slot that has not sent one and may do so. The first
 * connected slot creates the session; the others join once the key is agreed. */
void lt_joining_start(lt_links *links, livetcp_usec now);

/* A handshake's message. An error ends the connection. */
livetcp_result lt_joining_control(lt_links *links, unsigned slot, const lt_control *message,
                                  livetcp_usec now);

/* Creates the session on another slot when CREATE is not answered in time. */
livetcp_usec lt_joining_deadline(const lt_links *links);
void lt_joining_expire(lt_links *links, livetcp_usec now);

/* ---- spare.c and joining.c ---- */

/* Both ends know the slot behind those of the session. */
static inline bool lt_links_shares_spare(const lt_links *links)
{
    return links->base < LIVETCP_MAX_CONNECTIONS && links->capabilities & LT_CAPABILITY_SPARE;
}

static inline bool lt_links_may_connect(const lt_links *links)
{
    return links->caller && !links->ended;
}

#endif
