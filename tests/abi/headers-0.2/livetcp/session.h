/* SPDX-License-Identifier: MIT */
/*
 * Contexts, sessions and listeners.
 *
 * Threads. Every callback of a context runs on its loop's thread, never two at a time, and never
 * with a lock held: callbacks may call anything here, destroy their own object included.
 * Functions marked "any thread" may be called from anywhere. The others must be called on the
 * loop's thread when the context uses the application's loop; with a context that runs its own
 * thread they may be called from anywhere, too.
 */
#ifndef LIVETCP_SESSION_H
#define LIVETCP_SESSION_H

#include <livetcp/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct livetcp_context livetcp_context;   /* an event loop */
typedef struct livetcp_session livetcp_session;   /* the connections that carry one stream pair */
typedef struct livetcp_listener livetcp_listener; /* a port that accepts sessions */

struct uv_loop_s; /* uv_loop_t, for those who bring their own */

/* ---- context ---- */

/* `loop` is the application's loop, which it runs and closes; NULL makes LiveTCP start one thread
 * with a loop of its own. On failure *context is NULL. */
LIVETCP_API livetcp_result livetcp_context_create(struct uv_loop_s *loop, livetcp_context **context,
                                                  livetcp_error *error);

/* Ends the context and everything that still belongs to it; clears *context, which may be NULL
 * already. Own thread: returns when the thread has ended, after which no callback runs; from
 * inside a callback the thread ends by itself after the callback. Application's loop: no callback
 * runs any more, but the loop must still be run until its handles have closed. */
LIVETCP_API void livetcp_context_destroy(livetcp_context **context);

/* ---- session ---- */

/* Any of these may be NULL. `user` is the pointer given with the table. A table without its
 * struct_size is LIVETCP_ERR_INVALID_ARGUMENT. */
typedef struct livetcp_session_callbacks {
    size_t struct_size; /* sizeof(livetcp_session_callbacks) */

    void (*on_packet)(livetcp_session *session, const livetcp_packet *packet, void *user);

    /* The session's state changed. `error` says why when it is CONNECTING again or CLOSED, and is
     * NULL otherwise. After CLOSED there are no more callbacks. */
    void (*on_state)(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user);

    /* A connection's state changed. `error` says why it was lost, NULL otherwise; the session
     * replaces it by itself. */
    void (*on_connection)(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user);

    /* The send queue, full or blocked before, is empty again. */
    void (*on_drained)(livetcp_session *session, void *user);

    /* Something the user should know about, and the session goes on. */
    void (*on_warning)(livetcp_session *session, const livetcp_error *warning, void *user);

    /* Packets that later ones refer to were dropped for being late (max-send-delay): the encoder of
     * this SSRC should start afresh. At most once per round trip. */
    void (*on_keyframe_wanted)(livetcp_session *session, uint32_t ssrc, void *user);

    /* The bit rate that the connections carry without delay has changed: what an encoder should be
     * set to, all media streams of the session together, in bit/s. */
    void (*on_bitrate)(livetcp_session *session, uint32_t bitrate, void *user);
} livetcp_session_callbacks;

/* Calls the peer that `config` names. Connecting goes on in the background: on_state tells the
 * outcome, and packets sent meanwhile wait in the send queue. `config` and `callbacks` are
 * copied. On success the caller owns *session; on failure it is NULL and nothing was started.
 * The context must outlive the session. Errors: whatever livetcp_config_check() finds. */
LIVETCP_API livetcp_result livetcp_session_connect(livetcp_context *context,
                                                   const livetcp_config *config,
                                                   const livetcp_session_callbacks *callbacks,
                                                   void *user, livetcp_session **session,
                                                   livetcp_error *error);

/* Sets the callbacks of a session that a listener accepted; see livetcp_listener_callbacks. NULL
 * sets none. Errors: LIVETCP_ERR_INVALID_ARGUMENT for a table without its struct_size; the
 * callbacks stay as they were. */
LIVETCP_API livetcp_result livetcp_session_set_callbacks(livetcp_session *session,
                                                         const livetcp_session_callbacks *callbacks,
                                                         void *user);

/* Sends one RTP or RTCP packet. Any thread; never blocks; copies what it cannot send at once.
 * When a connection can take the packet now, it is written before this returns.
 * Errors: LIVETCP_ERR_PACKET_TOO_LARGE, LIVETCP_ERR_NOT_RTP, LIVETCP_ERR_CLOSED,
 * LIVETCP_ERR_NO_MEMORY; the packet was not taken then. A full send queue is not an error: the
 * least important packets make room, the oldest of them first, and are counted in
 * dropped.queue_full. */
LIVETCP_API livetcp_result livetcp_session_send(livetcp_session *session, const void *packet,
                                                size_t size);

/* The same, saying what the packet is to its programme, which decides what is dropped first when
 * something must be (max-send-delay, a full send queue); NULL says nothing. With a codec and
 * without an importance, the payload is looked at. A video frame that has lost a packet is dropped
 * whole: all packets of known importance, one SSRC and the same timestamp, within 100 ms. An `info`
 * without its struct_size is LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_send_with(livetcp_session *session, const void *packet,
                                                     size_t size, const livetcp_packet_info *info);

/* Any thread. Fills what `stats->struct_size` has room for. */
LIVETCP_API livetcp_result livetcp_session_get_stats(livetcp_session *session,
                                                     livetcp_session_stats *stats);

/* Any thread. `connection` is 0..connections-1, else LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_get_connection_stats(livetcp_session *session,
                                                                unsigned connection,
                                                                livetcp_connection_stats *stats);

/* Any thread. Tells the session, which tells the peer with its next feedback; some ten times a
 * second is often enough. Errors: LIVETCP_ERR_INVALID_ARGUMENT for a value out of range, nothing is
 * changed then. */
LIVETCP_API livetcp_result livetcp_session_report_playout(livetcp_session *session,
                                                          const livetcp_playout_report *report);

/* Any thread. RTP packets of this payload type (0..127, or LIVETCP_ANY_PAYLOAD), sent and received
 * from now on, have timestamps of `hz` units a second, as SDP (a=rtpmap) and caps say; 0 = that is
 * not known. Reports are then exact from the first one; without it the rate is found from the
 * stream, which takes some three seconds, or is that of RFC 3551 for a static payload type. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_set_clock_rate(livetcp_session *session,
                                                          int payload_type, uint32_t hz);

/* Any thread. */
LIVETCP_API livetcp_session_state livetcp_session_get_state(livetcp_session *session);

/* Any thread. Sends what is queued for up to `drain_us` (0: drops it), tells the peer, closes
 * every connection, and ends in on_state(CLOSED) with LIVETCP_ERR_CANCELLED. */
LIVETCP_API void livetcp_session_close(livetcp_session *session, livetcp_usec drain_us);

/* Frees the session, closing it without waiting if it is open; clears *session, which may be NULL
 * already. No callback of it runs after this returns, save the one this is called from. No other
 * thread may be using it. */
LIVETCP_API void livetcp_session_destroy(livetcp_session **session);

/* ---- listener ---- */

typedef struct livetcp_listener_callbacks {
    size_t struct_size; /* sizeof(livetcp_listener_callbacks) */

    /* A new session (session wire), or a new connection (plain wire: each is a session).
     * `remote` is its "address:port". The callee owns `session` and must set its callbacks before
     * returning; packets follow after. Return false to turn it away: the session is then freed,
     * and must not be used again. NULL turns everyone away. */
    bool (*on_session)(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user);

    /* A connection was turned away before it belonged to a session: silence, garbage, an unknown
     * session, a wrong proof. The listener goes on. `remote` is "" when the listener cannot accept
     * anybody for now, because the system is out of file descriptors or memory. */
    void (*on_rejected)(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user);
} livetcp_listener_callbacks;

/* Listens where `config` says; its other settings apply to every accepted session. Copies config
 * and callbacks. On success the caller owns *listener, on failure it is NULL. Errors:
 * LIVETCP_ERR_ADDRESS_IN_USE, LIVETCP_ERR_ADDRESS_INVALID, LIVETCP_ERR_PERMISSION,
 * LIVETCP_ERR_RESOLVE, and whatever livetcp_config_check() finds. */
LIVETCP_API livetcp_result livetcp_listener_create(livetcp_context *context,
                                                   const livetcp_config *config,
                                                   const livetcp_listener_callbacks *callbacks,
                                                   void *user, livetcp_listener **listener,
                                                   livetcp_error *error);

/* Any thread. The port it listens on, also when 0 was asked for. */
LIVETCP_API uint16_t livetcp_listener_port(livetcp_listener *listener);

/* Stops listening and frees; clears *listener, which may be NULL already. Accepted sessions live
 * on, but lost connections of theirs can no longer be replaced. */
LIVETCP_API void livetcp_listener_destroy(livetcp_listener **listener);

/* Version of the library that is loaded, for example "0.1.0". */
LIVETCP_API const char *livetcp_version(void);

#ifdef __cplusplus
}
#endif

#endif
