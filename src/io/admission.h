/* SPDX-License-Identifier: MIT */
/* The sessions of a listener: admission, eviction and the application's decision. Only
 * authenticated peers get here, except on a plain wire, which has no authentication. Loop's
 * thread. */
#ifndef LT_IO_ADMISSION_H
#define LT_IO_ADMISSION_H

#include "io/session.h"

void lt_io_listener_reference(livetcp_listener *listener);
void lt_io_listener_release(livetcp_listener *listener);

/* True if a connection that was turned away now may be reported; the rate of reports is limited.
 * The caller then composes the text and calls lt_io_admission_notify(). */
bool lt_io_admission_may_notify(livetcp_listener *listener);

/* Logs that a connection was turned away and notifies the application, unless the same was reported
 * recently. */
void lt_io_admission_notify(livetcp_listener *listener, const char *remote,
                            const livetcp_error *why);

/* lt_io_admission_may_notify() and lt_io_admission_notify() in one call. */
void lt_io_admission_rejected(livetcp_listener *listener, const char *remote,
                              const livetcp_error *error);

/* The session with this id that accepts JOINs, or NULL. */
livetcp_session *lt_io_admission_find(const livetcp_listener *listener, const uint8_t *id);

/* True if a session of this address can be admitted, if necessary by evicting one. Evictable are: a
 * session of the same address without connections (its program was restarted), and, with
 * peer-sends, a plain session that has received nothing for peer-timeout. */
bool lt_io_admission_has_room(const livetcp_listener *listener,
                              const uint8_t address[LT_ADDRESS_KEY], bool plain);

/* Creates a session (a plain one if `pending` is NULL) and offers it to the application, which can
 * query the peer's introduction and, with TLS, its certificate (NULL: no TLS). On LIVETCP_OK
 * *session is alive and admitted, or undecided (LT_IO_LATER). The listener may have ended
 * meanwhile; the caller holds a reference. Errors: LIVETCP_ERR_TOO_MANY_SESSIONS;
 * LIVETCP_ERR_CANCELLED if the application refuses it, with its text in *refusal; those of
 * livetcp_engine_create(). */
livetcp_result lt_io_admission_offer(livetcp_listener *listener, const char *remote,
                                     const uint8_t address[LT_ADDRESS_KEY],
                                     const lt_io_filter *filter, const livetcp_pending *pending,
                                     livetcp_session **session, lt_io_refusal *refusal);

/* Remembers the id of a refused session: JOINs for it are not reported. */
void lt_io_admission_note_refused(livetcp_listener *listener, const uint8_t *id);
bool lt_io_admission_was_refused(const livetcp_listener *listener, const uint8_t *id);

/* The first connection of a session, with the state that it brings along. */
typedef struct lt_io_first_connection {
    unsigned index;
    uv_os_sock_t socket;
    lt_io_filter *filter;         /* NULL = none */
    const livetcp_pending *state; /* NULL for a plain connection */
    const livetcp_reply *reply;   /* written first; NULL = none */
    const uint8_t *data;          /* input after the handshake */
    size_t size;
} lt_io_first_connection;

/* Attaches the connection to the session, which takes over socket and filter; on failure they stay
 * the caller's. */
livetcp_result lt_io_admission_attach(livetcp_listener *listener, livetcp_session *session,
                                      const lt_io_first_connection *first);

/* After lt_io_admission_attach(): delivers the held media, then this input, then the plaintext in
 * the filter. Calls back. */
void lt_io_admission_feed(livetcp_session *session, const lt_io_first_connection *first);

/* The listener ends: its sessions continue without it. */
void lt_io_admission_end(livetcp_listener *listener);

#endif
