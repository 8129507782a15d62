/* SPDX-License-Identifier: MIT */
/*
 * A listener from the inside; each of these calls only those before it:
 *
 *   admission.c           the sessions it serves, room for more, and the application's consent
 *   undecided.c           connections that wait for an answer that takes time
 *   opening.c             the first bytes of a connection: which protocol, within which others
 *   joining.c             its handshake: into which session, and who waits for whom
 *   released.c            what becomes of it: part of a session, or turned away with a reason
 *   pending_connection.c  connections that belong to no session yet: their sockets, turns and time
 *   listener.c            its sockets, and its life
 *
 * A stranger is whoever has proved nothing. Strangers are in the pool (pending_pool.h) and nowhere
 * else: a CREATE becomes a session, takes one of max-sessions, evicts and is shown to the
 * application when its PROOF has come, and until then costs one place in the pool, one key
 * agreement, and the media that follows CREATE, which is held. TLS costs another key agreement, for
 * which each connection waits for its turn before that; then all input is decrypted at once, and
 * whatever is held or waits is plaintext.
 *
 * lt_io_admission_offer() asks the application, with the PROOF checked and JOINED not yet written.
 * An answer that takes time moves the connection to undecided.c, its held media and the JOINED with
 * it. What is refused there is refused by REJECT with a reason, on a connection whose caller is not
 * OPEN before JOINED. What can be refused before the key agreement (room, a name that
 * does not exist) belongs beside lt_io_admission_has_room().
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

/* A name like "localhost" may mean several addresses. */
#define LT_IO_LISTENER_SOCKETS 8

/* Sessions refused last, which are remembered: their callers' other connections are no news. */
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
    uint16_t port;  /* never changes */
    lt_io_tls *tls; /* NULL without TLS */

    lt_io_listener_socket sockets[LT_IO_LISTENER_SOCKETS];
    unsigned socket_count;
    uv_timer_t pause;  /* no accepting until it fires: out of descriptors, or for a batch */
    lt_bucket accepts; /* that need no batch */

    lt_io_pool pool;            /* connections that belong to no session */
    lt_list unproved;           /* of these, the ones that were sent ACCEPT */
    lt_list resumed;            /* of these, JOINs that wait for their session no more */
    lt_io_lazy_watches watches; /* and their sockets */
    lt_list undecided;          /* first connections whose session the application decides about */
    uv_timer_t timer;           /* the pool's first deadline, and its next turn */
    livetcp_usec put_off_us;    /* see lt_io_put_off() */
    uint64_t agreements;        /* key agreements since it exists */

    uint8_t refused[LT_IO_LISTENER_REFUSED][LIVETCP_SESSION_ID_SIZE];
    unsigned next_refused;

    lt_notice_limit rejections; /* of peers that come again and again */
    lt_bucket notices;          /* and of all others */
    unsigned untold;            /* since the last notice */

    lt_list sessions; /* the newest first */
    unsigned session_count;

    unsigned references; /* the owner, open handles, and functions that call back */
    bool ended;
};

#endif
