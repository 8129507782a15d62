/* SPDX-License-Identifier: MIT */
/*
 * Contexts, sessions and listeners.
 *
 * Threads. Every callback of a context runs on its loop's thread, one at a time, and without a lock
 * held: callbacks may call any function here, including the destruction of their own object.
 * Functions marked "any thread" may be called on any thread. The others must be called on the
 * loop's thread if the context uses the application's loop; if it runs its own thread, they may be
 * called on any thread, too.
 */
#ifndef LIVETCP_SESSION_H
#define LIVETCP_SESSION_H

#include <livetcp/engine.h>
#include <livetcp/playout.h>
#include <livetcp/rtp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct livetcp_context livetcp_context;   /* an event loop */
typedef struct livetcp_session livetcp_session;   /* the connections that carry one stream pair */
typedef struct livetcp_listener livetcp_listener; /* a port that accepts sessions */

struct uv_loop_s; /* uv_loop_t, for programs with their own loop */

/* ---- context ---- */

/* `loop` is the application's loop, which it runs and closes; with NULL, LiveTCP starts a thread
 * with its own loop. On failure *context is NULL. */
LIVETCP_API livetcp_result livetcp_context_create(struct uv_loop_s *loop, livetcp_context **context,
                                                  livetcp_error *error);

/* Ends the context and everything that still belongs to it; clears *context, which may be NULL. Own
 * thread: returns when the thread has ended, after which no callback runs; called in a callback,
 * the thread ends after the callback. Application's loop: no more callbacks run, but the loop must
 * be run until its handles have closed. */
LIVETCP_API void livetcp_context_destroy(livetcp_context **context);

/* livetcp_context_destroy(), with a call of on_closed(user), which may be NULL, when nothing of the
 * context is left. Application's loop: on its thread, from within uv_run(), once the last handle of
 * the context has closed. When uv_run() has returned after that, the loop can be closed, unless the
 * application has handles of its own on it. Own thread: before this returns; or, called in a
 * callback, as the last action of the thread. */
LIVETCP_API void livetcp_context_close(livetcp_context **context, void (*on_closed)(void *user),
                                       void *user);

/* ---- log ---- */

/* Level of a log line; each level includes those before it. */
typedef enum livetcp_log_level {
    LIVETCP_LOG_OFF = 0,
    LIVETCP_LOG_ERROR,   /* a failure that the user must fix */
    LIVETCP_LOG_WARNING, /* a connection was lost or refused; the rest continues */
    LIVETCP_LOG_INFO,    /* once per listener: its address */
    LIVETCP_LOG_DEBUG,   /* states of sessions and connections, addresses that failed, settings */
    LIVETCP_LOG_TRACE    /* every change of an estimate */
} livetcp_log_level;

/* Receives one line, without a line feed, of at most 319 bytes. `category` is "listener",
 * "session", "connection" or "policy"; later versions may add others. Texts contain addresses and
 * settings, never secrets; they are for people and may change. Both strings are valid during the
 * call.
 *
 * Called on the loop's thread, one call at a time per context. It must not call LiveTCP, and should
 * not block, since media waits meanwhile. */
typedef void (*livetcp_log_fn)(livetcp_log_level level, const char *category, const char *text,
                               void *user);

/* Sets the log function for all levels up to `level` of this context, its sessions and its
 * listeners. The previous function is not called any more once this has returned. NULL or
 * LIVETCP_LOG_OFF turns the log off, which is the default. */
LIVETCP_API void livetcp_context_set_log(livetcp_context *context, livetcp_log_level level,
                                         livetcp_log_fn function, void *user);

/* "error", "warning", "info", "debug", "trace", "off"; never NULL. Any thread. */
LIVETCP_API const char *livetcp_log_level_name(livetcp_log_level level);

/* ---- session ---- */

/* Callbacks of a session. Any may be NULL. `user` is the pointer passed with the table. A table
 * without struct_size is LIVETCP_ERR_INVALID_ARGUMENT. */
typedef struct livetcp_session_callbacks {
    size_t struct_size; /* sizeof(livetcp_session_callbacks) */

    /* A packet was received. It is valid during the callback. */
    void (*on_packet)(livetcp_session *session, const livetcp_packet *packet, void *user);

    /* The session's state has changed. `error` is the reason if it is CONNECTING again or CLOSED,
     * otherwise NULL. There are no callbacks after CLOSED. */
    void (*on_state)(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user);

    /* A connection's state has changed. `error` is the reason of a loss, otherwise NULL; the
     * session replaces the connection by itself. A session that is refused loses one connection:
     * attempts in progress on others become IDLE without an error, and continue when that one is
     * open. So does a connection that leaves a longer route; it connects again at once. */
    void (*on_connection)(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user);

    /* The send queue is empty after it was full or blocked. */
    void (*on_drained)(livetcp_session *session, void *user);

    /* A degradation that the user should know about; the session continues. */
    void (*on_warning)(livetcp_session *session, const livetcp_error *warning, void *user);

    /* Packets that later ones refer to were dropped because of max-send-delay: the encoder of this
     * SSRC should send a key frame. At most once per round trip. */
    void (*on_keyframe_wanted)(livetcp_session *session, uint32_t ssrc, void *user);

    /* The estimated bit rate that the connections carry without delay has changed: the target for
     * the encoders, all media streams of the session together, in bit/s. It changes by 2 % or more,
     * by 5 % at low rates, and every 300 ms at most; a fall of a tenth, and of 3 % where nobody
     * shares the path, is told at once. A source that sends more than it is told, as an encoder
     * that misses its rate, is told so much less while a queue stands. */
    void (*on_bitrate)(livetcp_session *session, uint32_t bitrate, void *user);

    /* The answer to livetcp_session_notify_when_sent(): all packets sent before it have left the
     * send queue. */
    void (*on_sent)(livetcp_session *session, void *user);
} livetcp_session_callbacks;

/* Connects to the peer named in `config`. Connecting continues in the background: on_state reports
 * the result, and packets sent meanwhile wait in the send queue. `config` and `callbacks` are
 * copied. On success the caller owns *session; on failure it is NULL, and nothing was started. The
 * context must outlive the session. Errors: those of livetcp_config_check(). */
LIVETCP_API livetcp_result livetcp_session_connect(livetcp_context *context,
                                                   const livetcp_config *config,
                                                   const livetcp_session_callbacks *callbacks,
                                                   void *user, livetcp_session **session,
                                                   livetcp_error *error);

/* Sets the callbacks of a session that a listener accepted; see livetcp_listener_callbacks. NULL
 * removes them. Errors: LIVETCP_ERR_INVALID_ARGUMENT for a table without struct_size; the callbacks
 * are unchanged then. */
LIVETCP_API livetcp_result livetcp_session_set_callbacks(livetcp_session *session,
                                                         const livetcp_session_callbacks *callbacks,
                                                         void *user);

/* Sends an RTP or RTCP packet. Any thread; never blocks. If a connection can take the packet now,
 * it is written before this returns; otherwise it is copied. Errors, on which the packet is not
 * taken: LIVETCP_ERR_PACKET_TOO_LARGE, LIVETCP_ERR_NOT_RTP, LIVETCP_ERR_CLOSED,
 * LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_INVALID_ARGUMENT for NULL. A full send queue is not an error:
 * the least important packets are dropped, the oldest of them first, and counted in
 * dropped.queue_full. */
LIVETCP_API livetcp_result livetcp_session_send(livetcp_session *session, const void *packet,
                                                size_t size);

/* livetcp_session_send() with metadata of the packet, which determines the order in which packets
 * are dropped (max-send-delay, full send queue); NULL = none. With a codec and without an
 * importance, the payload is parsed. A video frame that has lost a packet is dropped completely:
 * all packets of known importance with the same SSRC and timestamp, within 100 ms. A packet with
 * `info->more` waits for the next call, for 16 KiB, or for the next turn of the loop, whichever is
 * first; the packets of a video frame then cost one system call. An `info` without struct_size is
 * LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_send_with(livetcp_session *session, const void *packet,
                                                     size_t size, const livetcp_packet_info *info);

/* Any thread. Requests one call of on_sent() for the time when the send queue and the queues of the
 * connections are empty, which may be now. Every packet that livetcp_session_send() accepted before
 * is then written to a socket, or dropped and counted. A session that ends before calls
 * on_state(CLOSED) instead. Two requests before the answer have one answer; packets sent meanwhile
 * delay it. */
LIVETCP_API void livetcp_session_notify_when_sent(livetcp_session *session);

/* Any thread. Fills in the fields within `stats->struct_size`. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_get_stats(const livetcp_session *session,
                                                     livetcp_session_stats *stats);

/* Any thread. `connection` is 0..connections-1, otherwise LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_get_connection_stats(const livetcp_session *session,
                                                                unsigned connection,
                                                                livetcp_connection_stats *stats);

/* Any thread. `link` is 0..links-1, see livetcp_session_stats.links, otherwise
 * LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_get_link_stats(const livetcp_session *session,
                                                          unsigned link, livetcp_link_stats *stats);

/* TLS parameters of a session's connections, and the peer's identity. */
typedef struct livetcp_tls_info {
    size_t struct_size; /* set it to sizeof(livetcp_tls_info) before the call */
    char version[16];   /* "TLSv1.3"; "" = no TLS, or no connection yet */
    char cipher[48];    /* "TLS_AES_256_GCM_SHA384" */
    char subject[256];  /* of the peer's certificate (RFC 2253): "CN=camera 7,O=Example"; "" without
                           one */
    char fingerprint[104]; /* of the peer's certificate, in the format of tls-fingerprint */
    bool shared_key;       /* the peer has the same passphrase */
    unsigned handshakes;   /* number of connections secured, */
    unsigned resumptions;  /* and of these, by resumption of an earlier session */
} livetcp_tls_info;

/* Any thread, and within on_session. Version, cipher and peer are those of the newest connection.
 * Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_get_tls(const livetcp_session *session,
                                                   livetcp_tls_info *info);

/* Any thread. Writes both statistics as one JSON object without line breaks, NUL-terminated. Its
 * keys are the fields' names; an unknown time is null. Returns the length of the text without NUL,
 * or 0 without memory. If the text is not shorter than `size`, "" is written instead, unless `size`
 * is 0. */
LIVETCP_API size_t livetcp_session_stats_json(const livetcp_session *session, char *text,
                                              size_t size);

/* Any thread. Writes the statistics of sessions in Prometheus text format 0.0.4, NUL-terminated:
 * base units, counters ending in _total, the lines of a family together. labels[i] are those of
 * sessions[i], at least one, such as stream="news",peer="192.0.2.7:5004", with backslashes,
 * quotation marks and line feeds in values escaped; they must be unique. Families begin with
 * livetcp_; a program with further metrics writes them before or after. Returns as
 * livetcp_session_stats_json(). */
LIVETCP_API size_t livetcp_sessions_prometheus(livetcp_session *const *sessions,
                                               const char *const *labels, size_t count, char *text,
                                               size_t size);

/* Any thread. Passes a playout's report to the session, which sends it to the peer with its next
 * feedback; ten times a second suffices. Errors: LIVETCP_ERR_INVALID_ARGUMENT for a value out of
 * range; nothing is changed then. */
LIVETCP_API livetcp_result livetcp_session_report_playout(livetcp_session *session,
                                                          const livetcp_playout_report *report);

/* Any thread. The argument for livetcp_playout_set_path(): round trip and repair as reported by the
 * sender; before its first report the minimum round trip of this side, and repair by TCP. Unknown
 * values are 0. Fills in the fields within `path->struct_size`. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_get_playout_path(livetcp_session *session,
                                                            livetcp_playout_path *path);

/* Settings for feeding a playout from a session. All zero: every RTP packet, an audio stream
 * without redundant packets, everything on the loop's thread. */
typedef struct livetcp_playout_attachment {
    size_t struct_size; /* sizeof(livetcp_playout_attachment) */

    /* Called around every use of the playout, for programs that pull on another thread under the
     * same lock. Both or neither. */
    void (*lock)(void *user);
    void (*unlock)(void *user);

    /* Selects the RTP packets of the playout, which plays one stream, if a session carries several.
     * NULL = all packets. Called without the lock. */
    bool (*wants)(const livetcp_packet *packet, void *user);

    void *user;          /* for the three functions */
    livetcp_codec codec; /* of video, to recognize its key frames */
    /* for redundant audio; used under the lock; owned by the caller; NULL = none */
    livetcp_redundancy_decoder *decoder;
} livetcp_playout_attachment;

/*
 * Makes the session feed the playout until either is detached or destroyed:
 *
 * - RTP packets are put into the playout as they arrive, before on_packet(), with flags from their
 *   payload. RTCP is not.
 * - The playout gets the path (livetcp_session_get_playout_path()), and again after changes.
 * - The session gets a report ten times a second while packets arrive: their waiting time in the
 *   playout, their margin, and the number of late packets (livetcp_session_report_playout()). The
 *   sender's statistics and decisions use it.
 *
 * The application pulls, and calls all other functions of the playout. Times are of CLOCK_MONOTONIC
 * (uv_hrtime() / 1000); pull() must use the same clock.
 *
 * Threads: as livetcp_session_set_callbacks(). Packets arrive on the loop's thread. A program that
 * pulls on another thread sets `lock` and `unlock`, and holds that lock while it calls the playout
 * and while it uses item.data. It must not hold the lock while it attaches, detaches, or destroys
 * the session. None of the three functions may call LiveTCP.
 *
 * Ownership: the caller owns the playout, which must outlive the session or be detached before. The
 * destruction of a session, or of its context, detaches it. A playout may be attached to several
 * sessions, one after another or at once, such as those of a listener: another sender has another
 * SSRC, and the playout restarts. Several playouts may be attached to one session. `attachment` is
 * copied, and may be NULL. Attach a session that a listener accepted in on_session(), before its
 * first packet.
 *
 * Errors, with nothing attached: LIVETCP_ERR_INVALID_ARGUMENT (NULL, struct_size, lock without
 * unlock), LIVETCP_ERR_BAD_STATE (already attached), LIVETCP_ERR_NO_MEMORY.
 */
LIVETCP_API livetcp_result livetcp_playout_attach(livetcp_playout *playout,
                                                  livetcp_session *session,
                                                  const livetcp_playout_attachment *attachment);

/* Detaches the playout: when this returns, the session does not use it any more, and has sent the
 * last report. No effect if they are not attached. */
LIVETCP_API void livetcp_playout_detach(livetcp_playout *playout, livetcp_session *session);

/* Any thread. RTP packets of this payload type (0..127, or LIVETCP_ANY_PAYLOAD), sent and received
 * from now on, have timestamps of `hz` units per second, as in SDP (a=rtpmap) and caps; 0 =
 * unknown. Reports are then exact from the first one. Otherwise the rate is that of RFC 3551 for a
 * static payload type, or is estimated from the stream within about three seconds. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_set_clock_rate(livetcp_session *session,
                                                          int payload_type, uint32_t hz);

/* ---- settings of a running session ----
 *
 * Any thread. They apply from the next decision on: packets in the send queue stay there under the
 * new setting. The new value is checked together with the session's other settings, as by
 * livetcp_config_check(); on failure nothing is changed, and *error (may be NULL) has the reason.
 * Each end of a session has its own settings. Errors: LIVETCP_ERR_INVALID_ARGUMENT,
 * LIVETCP_ERR_CLOSED once the session is closed, and those named. */

/* The policy with that name (livetcp_policy_find()), with fresh state. The number of connections
 * remains that of the session's creation: a policy that needs more is rejected, and a session
 * created for one connection keeps one. Errors: LIVETCP_ERR_UNKNOWN_POLICY, LIVETCP_ERR_NO_MEMORY.
 */
LIVETCP_API livetcp_result livetcp_session_set_policy(livetcp_session *session, const char *name,
                                                      livetcp_error *error);

/* Bytes of copies and parity per byte of media, as redundancy-budget; -1 = auto. */
LIVETCP_API livetcp_result livetcp_session_set_redundancy_budget(livetcp_session *session,
                                                                 double budget,
                                                                 livetcp_error *error);

/* Bounds of the estimated bit rate in bit/s, as min-bitrate and max-bitrate; 0 = none. An estimate
 * outside of them is moved to the bound at once, and on_bitrate() is called. */
LIVETCP_API livetcp_result livetcp_session_set_bitrate_bounds(livetcp_session *session,
                                                              uint32_t min, uint32_t max,
                                                              livetcp_error *error);

/* Maximum delay of delivery, beyond which a packet is dropped, as max-send-delay; 0 = unlimited. */
LIVETCP_API livetcp_result livetcp_session_set_max_send_delay(livetcp_session *session,
                                                              livetcp_usec delay_us,
                                                              livetcp_error *error);

/* Delivery order of received packets, as order. When sequence order ends, waiting packets are
 * delivered at once; when it begins, a stream continues behind the highest number received, and
 * lower ones are late. */
LIVETCP_API livetcp_result livetcp_session_set_order(livetcp_session *session, livetcp_order order,
                                                     livetcp_error *error);

/* Any thread. */
LIVETCP_API livetcp_session_state livetcp_session_get_state(const livetcp_session *session);

/* Any thread. Sends queued packets for up to `drain_us` (0 drops them), sends BYE, closes every
 * connection, and ends in on_state(CLOSED) with LIVETCP_ERR_CANCELLED. */
LIVETCP_API void livetcp_session_close(livetcp_session *session, livetcp_usec drain_us);

/* Frees the session, and closes it without waiting if it is open; clears *session, which may be
 * NULL. When this returns, no callback of it runs, except one from which this is called. No other
 * thread may be using it. */
LIVETCP_API void livetcp_session_destroy(livetcp_session **session);

/* ---- listener ---- */

/* Callbacks of a listener. Any may be NULL. */
typedef struct livetcp_listener_callbacks {
    size_t struct_size; /* sizeof(livetcp_listener_callbacks) */

    /* A new session (session wire), or a new connection (plain wire, on which each is a session);
     * with wire = auto, either. `remote` is its "address:port"; livetcp_session_get_caller() and
     * livetcp_session_get_tls() have further information. The callee owns `session` and must set
     * its callbacks before it returns; packets follow after that. Return false to refuse it,
     * optionally after livetcp_session_reject(): the session is then freed and must not be used.
     * Return true after livetcp_session_admit_later() to decide later. NULL refuses all. */
    bool (*on_session)(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user);

    /* A connection was rejected before it belonged to a session: no data, plain RTP where sessions
     * are expected, another protocol such as HTTP or TLS, an unknown session, a wrong
     * authenticator. The listener continues. A peer that uses the wrong protocol
     * (LIVETCP_ERR_PROTOCOL, _GARBAGE, _FRAME_TOO_LARGE, _VERSION) is reported once in ten seconds
     * per address and reason, with the number of further ones; one that closes without data
     * (_CONNECTION_LOST), if nothing else was reported of its address. `remote` is "" if the
     * listener cannot accept connections now, because the system has no more file descriptors or
     * memory. */
    void (*on_rejected)(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user);
} livetcp_listener_callbacks;

/* ---- callers, and the decision about them ---- */

/* A caller's introduction to a listener. A plain peer, and one older than version 0.2, has "" and
 * LIVETCP_ROLE_BOTH. */
typedef struct livetcp_caller {
    size_t struct_size; /* set it to sizeof(livetcp_caller) before the call */
    livetcp_role role;  /* its intention. Media of a subscriber is dropped; a program that only
                           allows publishing sends it none */
    char remote[64];    /* "address:port" */
    char stream_id[LIVETCP_STREAM_ID_MAX + 1]; /* UTF-8 without control characters; otherwise
                                                  arbitrary, so not a valid file name */
    char token[LIVETCP_TOKEN_MAX + 1];         /* until the decision; received over TLS. A secret */
} livetcp_caller;

/* Any thread, and within on_session, when the caller has completed the handshake. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_BAD_STATE for a session created by
 * livetcp_session_connect(). */
LIVETCP_API livetcp_result livetcp_session_get_caller(const livetcp_session *session,
                                                      livetcp_caller *caller);

/* Call within on_session, which then returns true, if the decision takes time, for example a query
 * of a server. It is livetcp_session_admit() or livetcp_session_reject(), within admission-timeout.
 * Until then the caller waits: its session is CONNECTING, counts as one of max-sessions, and
 * carries no packets in either direction. It becomes CLOSED if the caller leaves
 * (LIVETCP_ERR_CONNECTION_LOST), without a decision in time (LIVETCP_ERR_HANDSHAKE_TIMEOUT), or
 * with the listener (LIVETCP_ERR_CLOSED). Callers older than version 0.2 wait no longer than their
 * handshake-timeout. Errors: LIVETCP_ERR_BAD_STATE elsewhere, LIVETCP_ERR_NOT_SUPPORTED for a plain
 * peer. */
LIVETCP_API livetcp_result livetcp_session_admit_later(livetcp_session *session);

/* Admits a caller that waits. On the loop's thread, callbacks may run before this returns. Errors:
 * LIVETCP_ERR_CLOSED if the session has ended, LIVETCP_ERR_BAD_STATE if the decision was made. */
LIVETCP_API livetcp_result livetcp_session_admit(livetcp_session *session);

/* Rejects the caller, within on_session (which returns false) or while it waits: the session
 * becomes CLOSED with LIVETCP_ERR_CANCELLED, and the application must still destroy it. The
 * caller's on_state and error text have `code` and `text`. Codes are as HTTP's, 0..65535: after 1
 * to 499 (401 unauthorized, 403 forbidden, 404 no such stream) the caller does not try again, and
 * its session is CLOSED; after 0 and others (503 unavailable) it tries again later. `text` is UTF-8
 * without control characters, of which the first 120 bytes are sent; NULL = none. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_CLOSED, LIVETCP_ERR_BAD_STATE as above. */
LIVETCP_API livetcp_result livetcp_session_reject(livetcp_session *session, unsigned code,
                                                  const char *text);

/* The rejection as the caller received it. */
typedef struct livetcp_rejection {
    size_t struct_size; /* set it to sizeof(livetcp_rejection) before the call */
    unsigned code;      /* 0 = none */
    char text[LIVETCP_REJECTION_MAX + 1];
} livetcp_rejection;

/* Any thread. The code and text with which the listener's application last rejected this session.
 * Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_session_get_rejection(const livetcp_session *session,
                                                         livetcp_rejection *rejection);

/* Listens at the address and port of `config`; its other settings apply to every accepted session.
 * Copies config and callbacks. On success the caller owns *listener; on failure it is NULL. Errors:
 * LIVETCP_ERR_ADDRESS_IN_USE, LIVETCP_ERR_ADDRESS_INVALID, LIVETCP_ERR_PERMISSION,
 * LIVETCP_ERR_RESOLVE, and those of livetcp_config_check(). */
LIVETCP_API livetcp_result livetcp_listener_create(livetcp_context *context,
                                                   const livetcp_config *config,
                                                   const livetcp_listener_callbacks *callbacks,
                                                   void *user, livetcp_listener **listener,
                                                   livetcp_error *error);

/* Any thread. The port on which it listens, also if the setting is 0. */
LIVETCP_API uint16_t livetcp_listener_port(const livetcp_listener *listener);

/* Stops listening and frees the listener; clears *listener, which may be NULL. Accepted sessions
 * continue, but their lost connections cannot be replaced any more. */
LIVETCP_API void livetcp_listener_destroy(livetcp_listener **listener);

#ifdef __cplusplus
}
#endif

#endif
