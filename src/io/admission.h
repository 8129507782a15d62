/* SPDX-License-Identifier: MIT */
/* The sessions of a listener: who is let in, and who has to leave for it. Nobody gets here who has
 * not proved to be somebody, save on a plain wire, where nothing can be proved. Loop's thread. */
#ifndef LT_IO_ADMISSION_H
#define LT_IO_ADMISSION_H

#include "io/session.h"

void lt_io_listener_reference(livetcp_listener *listener);
void lt_io_listener_release(livetcp_listener *listener);

/* True if a connection that was turned away now is worth a notice: not every one in a flood is. The
 * caller composes it, and calls lt_io_admission_tell(). */
bool lt_io_admission_may_tell(livetcp_listener *listener);

/* Logs that a connection was turned away, and notifies the application, unless that is no news. */
void lt_io_admission_tell(livetcp_listener *listener, const char *remote, const livetcp_error *why);

/* The two of them. */
void lt_io_admission_rejected(livetcp_listener *listener, const char *remote,
                              const livetcp_error *error);

/* The session with that id that can still be joined, or NULL. */
livetcp_session *lt_io_admission_find(const livetcp_listener *listener, const uint8_t *id);

/* There is room for a session of that address, if need be instead of one that may be evicted: one
 * without connections, by its own address, whose program was started again; and a plain one from
 * which nothing has come for peer-timeout, where peers send (peer-sends). */
bool lt_io_admission_has_room(const livetcp_listener *listener,
                              const uint8_t address[LT_ADDRESS_KEY], bool plain);

/* Makes a session, a plain one without `pending`, and offers it to the application, which can ask
 * who the peer is: how it has introduced itself, and its certificate if it came by TLS (NULL = it
 * did not). On LIVETCP_OK *session is alive and wanted, or undecided (LT_IO_LATER). The listener
 * may have ended meanwhile; the caller holds a reference. Errors: LIVETCP_ERR_TOO_MANY_SESSIONS,
 * LIVETCP_ERR_CANCELLED if the application does not want it, with its words in *refusal, those of
 * livetcp_engine_create(). */
livetcp_result lt_io_admission_offer(livetcp_listener *listener, const char *remote,
                                     const uint8_t address[LT_ADDRESS_KEY],
                                     const lt_io_filter *filter, const livetcp_pending *pending,
                                     livetcp_session **session, lt_io_refusal *refusal);

/* Its caller's other connections are about to ask for it, which is no news. */
void lt_io_admission_note_refused(livetcp_listener *listener, const uint8_t *id);
bool lt_io_admission_was_refused(const livetcp_listener *listener, const uint8_t *id);

/* A connection that becomes part of a session. */
typedef struct lt_io_first_connection {
    unsigned index;
    uv_os_sock_t socket;
    lt_io_filter *filter;         /* NULL = none */
    const livetcp_pending *state; /* NULL of a plain one */
    const livetcp_reply *reply;   /* to write first, or NULL */
    const uint8_t *data;          /* its input */
    size_t size;
} lt_io_first_connection;

/* Gives it to the session, with socket and filter; on failure they stay the caller's. */
livetcp_result lt_io_admission_attach(livetcp_listener *listener, livetcp_session *session,
                                      const lt_io_first_connection *first);

/* After that: what was held comes first, then the input, then what the filter holds. Calls back. */
void lt_io_admission_feed(livetcp_session *session, const lt_io_first_connection *first);

/* The listener ends: its sessions live on without it. */
void lt_io_admission_end(livetcp_listener *listener);

#endif
