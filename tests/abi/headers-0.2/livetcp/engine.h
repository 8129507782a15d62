/* SPDX-License-Identifier: MIT */
/*
 * The engine behind a session, for programs that bring their own transport or event loop (ICE-TCP,
 * a TLS stack, a WebSocket, poll(), a browser): all connections of one session without a clock, a
 * socket or a thread. Bytes, path information and the time come in; bytes to write, packets, events
 * and one deadline go out. livetcp/session.h is the same engine with libuv and TCP sockets.
 *
 * The owner does this after every call that changed something:
 *
 *     while (livetcp_engine_next_connect(...))    start a TCP connection for that slot
 *     wanted = livetcp_engine_wants_path_info(...)  ask the platform about those connections
 *     while (livetcp_engine_next_write(...))      write; report wrote, blocked or lost
 *     while (livetcp_engine_next_close(...))      close that slot's socket
 *     while (livetcp_engine_next_event(...))      tell the application
 *     arm one timer for livetcp_engine_deadline(), which calls livetcp_engine_expire()
 *
 * samples/own_transport.c is a whole owner over poll().
 *
 * Time. Every `now` is a point in time of one monotonic clock, in microseconds; it must not go
 * backwards from one call to the next.
 *
 * Threads. An engine has no lock: its owner makes sure that calls do not overlap. Different engines
 * share nothing. Callbacks run inside the call that causes them and must not call the engine.
 *
 * Slots. A connection is named by its index, 0..livetcp_engine_connections() - 1: a slot in which
 * one TCP connection replaces another. What an index out of that range names is ignored.
 */
#ifndef LIVETCP_ENGINE_H
#define LIVETCP_ENGINE_H

#include <livetcp/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct livetcp_engine livetcp_engine;

/* An accepted connection that does not belong to a session yet; see below. */
typedef struct livetcp_pending livetcp_pending;

typedef enum livetcp_session_state {
    LIVETCP_SESSION_CONNECTING = 0, /* no connection is open yet, or none is any more */
    LIVETCP_SESSION_OPEN,           /* at least one connection carries media */
    LIVETCP_SESSION_CLOSED          /* ended; nothing will be sent or received any more */
} livetcp_session_state;

/* A packet from the peer. Valid during the callback only. */
typedef struct livetcp_packet {
    const uint8_t *data; /* the RTP or RTCP packet, without framing */
    size_t size;
    livetcp_usec arrival_us; /* when it was read from the socket, on the owner's clock (a session's:
                                CLOCK_MONOTONIC, uv_hrtime()) */
    unsigned connection;     /* index of the connection it came on */
    bool rtcp;
    bool discontinuity; /* order = sequence: packets before this one are missing */
    bool report;        /* RTCP that LiveTCP made at the other end, see livetcp_config.rtcp; who has
                           an RTP stack hands it there like any RTCP, others ignore it */
} livetcp_packet;

/* Fills `bytes`, at most 256, with unpredictable bytes. Anything but LIVETCP_OK is passed on by the
 * function that asked. */
typedef livetcp_result (*livetcp_random_fn)(void *user, uint8_t *bytes, size_t size);

/* ---- made and freed ---- */

typedef struct livetcp_engine_setup {
    size_t struct_size;             /* sizeof(livetcp_engine_setup) */
    const livetcp_config *config;   /* copied */
    const livetcp_policy *policy;   /* must outlive the engine; NULL = the one that config names */
    bool caller;                    /* connects; false: connections are adopted */
    const livetcp_pending *pending; /* listener, session wire: the connection that asked for this
                                       session and was accepted; copied. NULL otherwise */
    livetcp_random_fn random;       /* nonces, keys and SSRCs: must be unpredictable */
    void *random_user;

    /* A packet has come. Called from livetcp_engine_receive() and livetcp_engine_expire(). `data`
     * that lies within the input of receive() stays valid as long as that input. May be NULL. */
    void (*on_packet)(void *user, const livetcp_packet *packet);
    void *user;
    const char *cname; /* of RTCP reports, at most 63 bytes: sessions of one endpoint have the same;
                          NULL = one of its own. Copied */
} livetcp_engine_setup;

/* On success the caller owns *engine, on failure it is NULL. Errors: what livetcp_config_check()
 * finds (host and port excepted: who connects is the owner's business),
 * LIVETCP_ERR_UNKNOWN_POLICY, LIVETCP_ERR_NO_MEMORY, and what `random` returns. */
LIVETCP_API livetcp_result livetcp_engine_create(const livetcp_engine_setup *setup,
                                                 livetcp_engine **engine, livetcp_error *error);

/* Frees it without a word to the peer; clears *engine, which may be NULL already. */
LIVETCP_API void livetcp_engine_destroy(livetcp_engine **engine);

/* ---- connections ---- */

/* A slot that wants a TCP connection now; it is CONNECTING from here on, until connected() or
 * lost(). Returns false if none does. Callers only. How long an attempt may take is the owner's
 * business (connect-timeout): one that takes longer is lost(). */
LIVETCP_API bool livetcp_engine_next_connect(livetcp_engine *engine, livetcp_usec now,
                                             unsigned *connection);

/* The TCP connection of that slot is up (caller). */
LIVETCP_API void livetcp_engine_connected(livetcp_engine *engine, unsigned connection,
                                          livetcp_usec now);

/* Takes in a connection of a listener: the one that the setup's `pending` came on, one that has
 * proved that it belongs to the session, or one of a plain wire (index 0). Errors:
 * LIVETCP_ERR_INDEX_RANGE, LIVETCP_ERR_INDEX_IN_USE, LIVETCP_ERR_CLOSED; the connection stays the
 * caller's. */
LIVETCP_API livetcp_result livetcp_engine_adopt(livetcp_engine *engine, unsigned connection,
                                                livetcp_usec now);

/* The socket of that slot failed or ended, or could not be connected, for `reason`. What it had not
 * delivered goes back to the send queue. */
LIVETCP_API void livetcp_engine_lost(livetcp_engine *engine, unsigned connection,
                                     livetcp_result reason, livetcp_usec now);

/* A slot whose socket is to be closed now, because the engine has ended the connection; it is not
 * reported with lost() again. False if there is none. The slot may still be connecting, or have no
 * socket. What was written may still be on its way, a BYE or REJECT last: end the sending
 * direction, and read to the peer's end before closing, or a reset destroys it. */
LIVETCP_API bool livetcp_engine_next_close(livetcp_engine *engine, unsigned *connection,
                                           livetcp_result *reason);

/* Ends the session: what is queued is sent until now + drain_us, then BYE, then every slot is
 * closed. The event of state CLOSED carries `reason`. */
LIVETCP_API void livetcp_engine_close(livetcp_engine *engine, livetcp_result reason,
                                      livetcp_usec drain_us, livetcp_usec now);

/* ---- data ---- */

/* Takes one RTP or RTCP packet from the application, as livetcp_session_send_with(); `info` may be
 * NULL. It waits in the send queue until next_write(): call that at once for the least delay.
 * Errors: LIVETCP_ERR_PACKET_TOO_LARGE, LIVETCP_ERR_NOT_RTP, LIVETCP_ERR_CLOSED,
 * LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_INVALID_ARGUMENT for an `info` without its struct_size; the
 * packet was not taken then. */
LIVETCP_API livetcp_result livetcp_engine_send(livetcp_engine *engine, const void *packet,
                                               size_t size, const livetcp_packet_info *info,
                                               livetcp_usec now);

/* When bytes came to this host, as the kernel tells (SO_TIMESTAMPING). */
typedef struct livetcp_rx_timestamp {
    bool known;
    bool repaired; /* segments had to wait there for one that was late */
    livetcp_usec at_us;
} livetcp_rx_timestamp;

/* Takes bytes that a slot's socket delivered; `timestamp` may be NULL. On an error the engine has
 * ended the connection: it comes out of next_close(), with a REJECT to write before if the peer
 * can read one. Errors: LIVETCP_ERR_GARBAGE, LIVETCP_ERR_PROTOCOL, LIVETCP_ERR_FRAME_TOO_LARGE,
 * LIVETCP_ERR_VERSION, LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_NO_MEMORY, the peer's reason. */
LIVETCP_API livetcp_result livetcp_engine_receive(livetcp_engine *engine, unsigned connection,
                                                  const uint8_t *data, size_t size,
                                                  const livetcp_rx_timestamp *timestamp,
                                                  livetcp_usec now);

/* One write call: exactly these bytes in one go, since a policy may have cut the frame on purpose
 * (split). Never spans two frames. */
typedef struct livetcp_engine_write {
    unsigned connection;
    const uint8_t *data; /* valid until the next call */
    size_t size;
    bool timestamp; /* the kernel is to tell about the last byte that it takes; see
                       livetcp_engine_has_timestamps() */
} livetcp_engine_write;

/* The next thing to write; asks the policy when it must. False if nothing can be written now.
 * wants_path_info() is to be asked before every call, not once for several. */
LIVETCP_API bool livetcp_engine_next_write(livetcp_engine *engine, livetcp_usec now,
                                           livetcp_engine_write *write);

/* The kernel took `size` of the bytes that next_write() named. */
LIVETCP_API void livetcp_engine_wrote(livetcp_engine *engine, unsigned connection, size_t size,
                                      livetcp_usec now);

/* The kernel takes no more on this slot (EAGAIN); call writable() when it does again. */
LIVETCP_API void livetcp_engine_blocked(livetcp_engine *engine, unsigned connection);

/* The kernel takes more, or has sent some of what it held; path information from before does not
 * count. */
LIVETCP_API void livetcp_engine_writable(livetcp_engine *engine, unsigned connection);

/* Slots (bit i = slot i) where packets wait, by the send limit and not the kernel's, until less
 * than unsent_limit() is unsent. deadline() covers them, but an owner who can learn of that earlier
 * calls writable(). */
LIVETCP_API uint32_t livetcp_engine_wants_room(const livetcp_engine *engine);

/* Bytes that may be in a slot's kernel send buffer without having been sent, as
 * min-buf-a, min-buf-b and the path information say; at least 1,
 * UINT32_MAX = any number. */
LIVETCP_API uint32_t livetcp_engine_unsent_limit(const livetcp_engine *engine, unsigned connection);

/* Slots (bit i = slot i) whose path information is too old for the decision that next_write() has
 * to make; 0 if none is due. Answer with path_info() before next_write(). */
LIVETCP_API uint32_t livetcp_engine_wants_path_info(livetcp_engine *engine, livetcp_usec now);

/* What the platform tells about a connection: `known`, the byte counts, tcp_state, cwnd, times.
 * connection, usable, blocked and last_write_us are the engine's own and ignored. What is not known
 * this time stays as it was. An owner that can tell nothing answers with known = 0. */
LIVETCP_API void livetcp_engine_path_info(livetcp_engine *engine, unsigned connection,
                                          const livetcp_path *info, livetcp_usec now);

/* ---- kernel timestamps ---- */

typedef enum livetcp_tx_timestamp_kind {
    LIVETCP_TX_SCHEDULED = 0, /* left TCP for the queue of the network interface */
    LIVETCP_TX_SENT,          /* left that queue for the interface; again if it is sent again */
    LIVETCP_TX_ACKNOWLEDGED,  /* the peer's TCP has it, and all before it */
    LIVETCP_TX_OTHER          /* something else; the rest means nothing */
} livetcp_tx_timestamp_kind;

/* One byte that was written, and what became of it. */
typedef struct livetcp_tx_timestamp {
    livetcp_tx_timestamp_kind kind;
    uint32_t byte; /* its position in the stream modulo 2^32, from 0 for the engine's first */
    livetcp_usec at_us;
} livetcp_tx_timestamp;

/* The slot's socket, whose first byte is yet to be written by the engine, tells them: next_write()
 * asks for some. Until it is told the engine asks for none, and infers. */
LIVETCP_API void livetcp_engine_has_timestamps(livetcp_engine *engine, unsigned connection);

/* The kernel told one, on the clock of `now`. */
LIVETCP_API void livetcp_engine_tx_timestamp(livetcp_engine *engine, unsigned connection,
                                             const livetcp_tx_timestamp *timestamp,
                                             livetcp_usec now);

/* ---- time ---- */

/* Wall-clock time less `now`, both in µs, for the NTP times of reports; 0 until it is told. Tell it
 * before expire(). */
LIVETCP_API void livetcp_engine_set_wall_clock(livetcp_engine *engine, livetcp_usec ahead_us);

/* When expire() has something to do; LIVETCP_NEVER if nothing is pending. */
LIVETCP_API livetcp_usec livetcp_engine_deadline(const livetcp_engine *engine);

LIVETCP_API void livetcp_engine_expire(livetcp_engine *engine, livetcp_usec now);

/* ---- events, settings and statistics ---- */

typedef enum livetcp_engine_event_type {
    LIVETCP_ENGINE_SESSION_STATE = 0, /* state.session, reason */
    LIVETCP_ENGINE_CONNECTION_STATE,  /* connection, state.connection, reason */
    LIVETCP_ENGINE_DRAINED,           /* the send queue, full or blocked before, is empty again */
    LIVETCP_ENGINE_WARNING,           /* reason, and what belongs to it: the session goes on */
    LIVETCP_ENGINE_KEYFRAME_WANTED,   /* ssrc */
    LIVETCP_ENGINE_BITRATE,           /* bitrate: the estimate has changed */
    LIVETCP_ENGINE_SENT               /* see livetcp_engine_notify_when_sent() */
} livetcp_engine_event_type;

typedef struct livetcp_engine_event {
    livetcp_engine_event_type type;
    unsigned connection;
    union {
        livetcp_session_state session;
        livetcp_connection_state connection;
    } state;
    livetcp_result reason; /* LIVETCP_OK unless something was lost */
    uint32_t ssrc;
    uint32_t bitrate;      /* bit/s */
    livetcp_usec asked_us; /* WARNING, LIVETCP_ERR_INVALID_ARGUMENT: max-send-delay, */
    livetcp_usec used_us;  /*   and what is in force instead */
} livetcp_engine_event;

/* The oldest event that was not taken yet; false if there is none. */
LIVETCP_API bool livetcp_engine_next_event(livetcp_engine *engine, livetcp_engine_event *event);

LIVETCP_API livetcp_session_state livetcp_engine_state(const livetcp_engine *engine);

#define LIVETCP_SESSION_ID_SIZE 16

/* What connections that join name; LIVETCP_SESSION_ID_SIZE bytes, all zero on a plain wire. A
 * caller whose listener has forgotten the session takes a new one. */
LIVETCP_API const uint8_t *livetcp_engine_session_id(const livetcp_engine *engine);

/* Slots of the session, open or not. */
LIVETCP_API unsigned livetcp_engine_connections(const livetcp_engine *engine);

/* What a playout has made of the packets that on_packet gave it. */
typedef struct livetcp_playout_report {
    size_t struct_size;     /* sizeof(livetcp_playout_report) */
    livetcp_usec delay_us;  /* from delivery to playing, mean of late; 0..60 s */
    livetcp_usec margin_us; /* the least time left until its turn with which a packet came since the
                               report before; negative: it was late. -60 s..60 s, or
                               LIVETCP_NO_MARGIN if none came */
    uint64_t late;          /* packets that came too late to play, since the session exists */
} livetcp_playout_report;

/* See livetcp_session_report_playout(). */
LIVETCP_API livetcp_result livetcp_engine_report_playout(livetcp_engine *engine,
                                                         const livetcp_playout_report *report);

/* Every payload type whose clock rate neither the application nor RFC 3551 says. */
#define LIVETCP_ANY_PAYLOAD (-1)

/* See livetcp_session_set_clock_rate(). */
LIVETCP_API livetcp_result livetcp_engine_set_clock_rate(livetcp_engine *engine, int payload_type,
                                                         uint32_t hz);

/* Fill as much as `stats->struct_size` has room for. The second one's addresses stay empty: they
 * are the owner's. Errors: LIVETCP_ERR_INVALID_ARGUMENT, for a connection out of range or a struct
 * without its size. */
LIVETCP_API livetcp_result livetcp_engine_get_stats(const livetcp_engine *engine, livetcp_usec now,
                                                    livetcp_session_stats *stats);
LIVETCP_API livetcp_result livetcp_engine_get_connection_stats(const livetcp_engine *engine,
                                                               unsigned connection,
                                                               livetcp_usec now,
                                                               livetcp_connection_stats *stats);

/* ---- a listener's side of joining ---- */

/* A frame to write on the connection it belongs to; size 0 = none. */
#define LIVETCP_REPLY_MAX 160
typedef struct livetcp_reply {
    uint8_t frame[LIVETCP_REPLY_MAX];
    size_t size;
} livetcp_reply;

typedef enum livetcp_pending_step {
    LIVETCP_PENDING_MORE = 0, /* all input is consumed; wait for more, or for the deadline */
    LIVETCP_PENDING_CREATE,   /* a new session is asked for: livetcp_pending_accept() */
    LIVETCP_PENDING_JOIN,     /* the session of that id: livetcp_pending_challenge() */
    LIVETCP_PENDING_PROVED,   /* it belongs to that session: livetcp_engine_adopt() */
    LIVETCP_PENDING_FAILED    /* write the reply, if any, and close; *error says why */
} livetcp_pending_step;

/* Handshakes have to be done within `timeout_us` from now: sending a little now and then does not
 * extend that. At most 4 KiB are held. NULL if memory is out. */
LIVETCP_API livetcp_pending *livetcp_pending_create(livetcp_usec now, livetcp_usec timeout_us);

/* Frees it and wipes its secrets; clears *pending, which may be NULL already. */
LIVETCP_API void livetcp_pending_destroy(livetcp_pending **pending);

/* When the handshake has taken too long: reject it with LIVETCP_ERR_HANDSHAKE_TIMEOUT. */
LIVETCP_API livetcp_usec livetcp_pending_deadline(const livetcp_pending *pending);

/* Consumes input up to the end of the frame that decides something; what is left of it belongs to
 * the session once the connection is adopted, and to the next call after a challenge. The reply, if
 * any, is to be written first. Errors: LIVETCP_ERR_GARBAGE for what is not RTP at all,
 * LIVETCP_ERR_FRAME_TOO_LARGE for a frame that no handshake needs, LIVETCP_ERR_PROTOCOL for media,
 * somebody else's RTCP, a message out of place or too many bytes, LIVETCP_ERR_VERSION,
 * LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_NO_MEMORY, and the peer's reason if it left. */
LIVETCP_API livetcp_pending_step livetcp_pending_receive(livetcp_pending *pending,
                                                         const uint8_t **data, size_t *size,
                                                         livetcp_reply *reply,
                                                         livetcp_result *error);

/* What the peer asked for; valid after CREATE or JOIN. The id has LIVETCP_SESSION_ID_SIZE bytes. */
LIVETCP_API const uint8_t *livetcp_pending_session_id(const livetcp_pending *pending);
LIVETCP_API unsigned livetcp_pending_index(const livetcp_pending *pending);

/* After CREATE: agrees on the session's key; `reply` is the ACCEPT, to be written once a session
 * has been made with this in its setup and has adopted the connection. Errors:
 * LIVETCP_ERR_BAD_PROOF for a public key of low order, LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM,
 * what `random` returns: reject it then. */
LIVETCP_API livetcp_result livetcp_pending_accept(livetcp_pending *pending,
                                                  livetcp_random_fn random, void *random_user,
                                                  livetcp_reply *reply);

/* After JOIN: `reply` is the CHALLENGE of the session with that id, to be written at once. The
 * session may end meanwhile. Errors: LIVETCP_ERR_UNKNOWN_SESSION if it has no key any more,
 * LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM, what `random` returns: reject it then. */
LIVETCP_API livetcp_result livetcp_pending_challenge(livetcp_pending *pending,
                                                     const livetcp_engine *engine,
                                                     livetcp_random_fn random, void *random_user,
                                                     livetcp_reply *reply);

/* Turns the connection away, whatever its state; `reply` is a REJECT. */
LIVETCP_API void livetcp_pending_reject(livetcp_pending *pending, livetcp_result reason,
                                        livetcp_reply *reply);

/* ---- changed while it runs ---- */

/* Has the event LIVETCP_ENGINE_SENT come once, as soon as the send queue and the outboxes of all
 * connections are empty; that may be at once. A closed engine tells nothing. */
LIVETCP_API void livetcp_engine_notify_when_sent(livetcp_engine *engine);

/* Settings of a session that runs, checked together with its others; on failure *error (may be
 * NULL) says why and nothing is changed. See livetcp_session_set_policy() and those after it. The
 * policy must outlive the engine; it starts with fresh state. Call what follows a change, as after
 * any other. Errors: LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_CLOSED, and LIVETCP_ERR_NO_MEMORY
 * for a policy. */
LIVETCP_API livetcp_result livetcp_engine_set_policy(livetcp_engine *engine,
                                                     const livetcp_policy *policy,
                                                     livetcp_error *error);
LIVETCP_API livetcp_result livetcp_engine_set_redundancy_budget(livetcp_engine *engine,
                                                                double budget,
                                                                livetcp_error *error);
LIVETCP_API livetcp_result livetcp_engine_set_bitrate_bounds(livetcp_engine *engine, uint32_t min,
                                                             uint32_t max, livetcp_error *error);
LIVETCP_API livetcp_result livetcp_engine_set_max_send_delay(livetcp_engine *engine,
                                                             livetcp_usec delay_us,
                                                             livetcp_error *error);

#ifdef __cplusplus
}
#endif

#endif
