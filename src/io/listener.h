/* SPDX-License-Identifier: MIT */
/*
 * A listener from the inside. Its files, each of which calls only those above it:
 *
 *   admission.c           its sessions: admission, eviction, the application's decision
 *   undecided.c           connections that wait for a decision that takes time
 *   opening.c             the first bytes of a connection: its protocol, and layers around it
 *   joining.c             its handshake: into which session, and which connection waits for which
 *   released.c            its end: attached to a session, or turned away with a reason
 *   pending_connection.c  connections without a session: their sockets, turns and timeouts
 *   listener.c            the listening sockets
 *
 * A stranger is an unauthenticated peer. Strangers are in the pool (pending_pool.h) and nowhere
 * else. A CREATE becomes a session, counts towards max-sessions, may evict and is offered to the
 * application only once its PROOF is verified. Until then it costs one place in the pool, one key
 * agreement, and memory for the media that follows CREATE. TLS costs another key agreement, for
 * which each connection waits for its turn; after that all input is decrypted at once, and held
 * input is plaintext.
 *
 * lt_io_admission_offer() asks the application after PROOF is verified and before JOINED is
 * written. If the answer takes time, the connection moves to undecided.c with its held media and
 * the JOINED. A refusal there is a REJECT with a reason; the caller is not OPEN before JOINED.
 * Checks that need no key agreement (free sessions, unknown names) belong beside
 * lt_io_admission_has_room().
 *
 * Loop's thread only.
 */
#ifndef LT_IO_LISTENER_H
#define LT_IO_LISTENER_H

#include "base/bucket.h"
#include "base/notice_limit.h"
#include "io/context.h"
#include "io/lazy_watch.h"
#include "io/pending_pool.h"
#include "io/tls.h"
#include "platform/socket.h"

/* A name such as "localhost" may have several addresses. */
#define LT_IO_LISTENER_SOCKETS 8

/* Number of refused session ids that are remembered, so that JOINs for them are not reported. */
#define LT_IO_LISTENER_REFUSED 16

typedef struct lt_io_listener_socket {
    livetcp_listener *listener;
    uv_os_sock_t socket;
    uv_poll_t poll;
} lt_io_listener_socket;

struct livetcp_listener {
    lt_io_member member; /* of the context */
    livetcp_context *context;
    livetcp_config config;
    livetcp_listener_callbacks callbacks;
    void *user;
    uint16_t port;  /* constant */
    lt_io_tls *tls; /* NULL without TLS */

    lt_io_listener_socket sockets[LT_IO_LISTENER_SOCKETS];
    unsigned socket_count;
    uv_timer_t
        pause; /* stops accepting until it fires: out of descriptors, or collecting a batch */
    lt_bucket accepts; /* connections that are accepted one by one */
    lt_bucket batches; /* full batches that follow each other without a pause */

    lt_io_pool pool;            /* connections without a session */
    lt_list unproved;           /* of these: ACCEPT sent, PROOF not yet received */
    lt_list resumed;            /* of these: JOINs that no longer wait for their session */
    lt_io_lazy_watches watches; /* and their sockets */
    lt_list undecided; /* first connections whose session the application has not decided about */
    uv_timer_t timer;  /* next timeout or turn in the pool */
    livetcp_usec put_off_us; /* see lt_io_put_off() */
    uint64_t agreements;     /* key agreements so far */

    uint8_t refused[LT_IO_LISTENER_REFUSED][LIVETCP_SESSION_ID_SIZE];
    unsigned next_refused;

    lt_notice_limit rejections; /* of peers that come again and again */
    lt_bucket notices;          /* and of all others */
    unsigned unreported;        /* since the last notice */

    lt_list sessions; /* the newest first */
    unsigned session_count;

    unsigned references; /* the owner, open handles, and functions that call back */
    bool ended;
};

#endif
