/* SPDX-License-Identifier: MIT */
/* Connections whose sessions the application has not decided about: livetcp_session_admit_later().
 * Their callers have proved themselves, and wait; nothing is read from them. Loop's thread. */
#ifndef LT_IO_UNDECIDED_H
#define LT_IO_UNDECIDED_H

#include "io/admission.h"

/* What was taken out of a pending connection; all of it is the undecided's on success. */
typedef struct lt_io_undecided_parts {
    uv_os_sock_t socket;
    lt_io_filter *filter; /* NULL = none */
    livetcp_pending *state;
    livetcp_reply joined; /* JOINED, for when it is admitted */
    const uint8_t *rest;  /* what came behind PROOF; copied */
    size_t rest_size;
    void (*on_decided)(livetcp_listener *listener); /* its JOINs are in listener->resumed */
} lt_io_undecided_parts;

/* Waits for the answer to that session. Errors: LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_SYSTEM; the
 * parts stay the caller's then. */
livetcp_result lt_io_undecided_start(livetcp_listener *listener, livetcp_session *session,
                                     const lt_io_undecided_parts *parts);

/* JOINs of that session that wait for the answer, or NULL if it was given. */
lt_list *lt_io_undecided_joins(const livetcp_session *session);

/* The listener ends: turns all away. */
void lt_io_undecided_end(livetcp_listener *listener);

#endif
