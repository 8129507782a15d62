/* SPDX-License-Identifier: MIT */
/* Delivery to the application: of packets from the engine, which runs under the lock, to callbacks,
 * which run without it; and of events. */
#ifndef LT_IO_NOTIFY_H
#define LT_IO_NOTIFY_H

#include <livetcp/session.h>

typedef struct lt_io_arrivals {
    livetcp_packet *items;
    uint8_t **copies; /* per item: a copy of its bytes, to be freed; NULL = they are in the input */
    size_t count, capacity;
    const uint8_t *input; /* the bytes being received: packets within need no copy */
    size_t input_size;
} lt_io_arrivals;

/* The engine's on_packet; `user` is an lt_io_arrivals. */
void lt_io_arrivals_collect(void *user, const livetcp_packet *packet);

/* Frees the packets and their list. */
void lt_io_arrivals_free(lt_io_arrivals *arrivals);

/* Loop's thread, without the session's lock. Logs changed settings. */
void lt_io_log_changes(livetcp_session *session);

/* Loop's thread, without the session's lock. Calls back for events and collected packets in order:
 * a connection's opening before its packets, the end of the session after the last packet. */
void lt_io_notify(livetcp_session *session);

#endif
