/* SPDX-License-Identifier: MIT */
/* A listener from the inside: its sockets, the connections that do not belong to a session yet,
 * and the sessions it serves. Loop's thread only. */
#ifndef LT_IO_LISTENER_H
#define LT_IO_LISTENER_H

#include "io/context.h"
#include "io/session_io.h"

/* A name like "localhost" may mean several addresses. */
#define LT_LISTENER_SOCKETS 8

/* Connections that have not said yet what they want; beyond, the oldest is dropped. */
#define LT_LISTENER_INBOUNDS 1024

typedef struct lt_listener_socket {
    livetcp_listener *listener;
    int socket;
    uv_poll_t poll;
} lt_listener_socket;

struct livetcp_listener {
    LIST_ENTRY(livetcp_listener) in_context;
    livetcp_context *context;
    livetcp_config config;
    livetcp_listener_callbacks callbacks;
    void *user;
    uint16_t port; /* never changes */

    lt_listener_socket sockets[LT_LISTENER_SOCKETS];
    unsigned socket_count;
    livetcp_usec paused_until_us; /* out of descriptors: no accepting; 0 = not paused */

    TAILQ_HEAD(, lt_inbound_io) inbounds; /* in order of their deadlines */
    unsigned inbound_count;
    uv_timer_t timer;        /* the first deadline, and the end of the pause */
    livetcp_usec put_off_us; /* see lt_put_off() */

    LIST_HEAD(, livetcp_session) sessions;
    unsigned session_count;

    unsigned references; /* the owner, open handles, and functions that call back */
    bool ended;
};

/* Ends it and gives up the owner's reference. */
void lt_listener_end(livetcp_listener *listener);

void lt_listener_reference(livetcp_listener *listener);
void lt_listener_release(livetcp_listener *listener);

/* The session has ended or is being freed; it may belong to no listener. */
void lt_listener_forget_session(livetcp_session *session);

/* Makes room for one more session, if need be by ending one that has no connection open. */
bool lt_listener_make_room(livetcp_listener *listener);

/* Opens the sockets on the calling thread; resolving a name may wait for DNS. Sets the port. */
livetcp_result lt_listener_bind(livetcp_listener *listener, livetcp_error *error);

/* The session with that id that can still be joined, or NULL. */
livetcp_session *lt_listener_find_session(const livetcp_listener *listener, const uint8_t *id);

/* Makes a session and asks the application whether it wants it. On LIVETCP_OK *session is alive
 * and wanted. The listener may have ended meanwhile; the caller holds a reference. */
livetcp_result lt_listener_offer_session(livetcp_listener *listener, const char *remote,
                                         const livetcp_pending *pending, livetcp_session **session);

/* Tells the application that a connection was turned away. */
void lt_listener_rejected(livetcp_listener *listener, const char *remote,
                          const livetcp_error *error);

/* Arms the timer for the first deadline. */
void lt_listener_arm_timer(livetcp_listener *listener);

#endif
