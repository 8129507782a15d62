/* SPDX-License-Identifier: MIT */
/* Connections whose session the application has not decided about: livetcp_session_admit_later().
 * Their callers are authenticated and wait; nothing is read from them. Loop's thread. */
#ifndef LT_IO_UNDECIDED_H
#define LT_IO_UNDECIDED_H

#include "io/admission.h"

/* State of a pending connection; on success all of it is taken over. */
typedef struct lt_io_undecided_parts {
    uv_os_sock_t socket;
    lt_io_filter *filter; /* NULL = none */
    livetcp_pending *state;
    livetcp_reply joined; /* the JOINED message, written after admission */
    const uint8_t *rest;  /* input after PROOF; copied */
    size_t rest_size;
    void (*on_decided)(
        livetcp_listener *listener); /* JOINs that wait are in listener->resumed then */
} lt_io_undecided_parts;

/* Waits for the decision about that session. Errors: LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_SYSTEM; the
 * parts stay the caller's then. */
livetcp_result lt_io_undecided_start(livetcp_listener *listener, livetcp_session *session,
                                     const lt_io_undecided_parts *parts);

/* The list of JOINs that wait for the decision about this session; NULL once it is decided. */
lt_list *lt_io_undecided_joins(const livetcp_session *session);

/* The listener ends: turns all of its connections away. */
void lt_io_undecided_end(livetcp_listener *listener);

#endif
