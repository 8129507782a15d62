/* SPDX-License-Identifier: MIT */
/* The prober's end of the connection: sends messages one at a time, and receives messages. */
#ifndef LT_LAB_PROBE_CONNECTION_H
#define LT_LAB_PROBE_CONNECTION_H

#include "lab/probe/options.h"
#include "lab/probe/wire.h"
#include "lab/tcp.h"

#include <signal.h>

typedef struct lt_probe_connection {
    int socket; /* -1: none */
    char peer[300];
    sigset_t waiting; /* signal mask during waits */
    bool timestamps;
    bool identified; /* the peer has identified itself as a prober's listener */
    uint64_t written;
    uint8_t out[LT_WIRE_MAX];
    size_t out_size, out_done;
    bool out_timestamped;
    lt_wire_reader reader;
    uint8_t ignored[LT_WIRE_MAX];
} lt_probe_connection;

/* Connects. On failure nothing is open, and the error has the remedy. */
livetcp_result lt_connection_open(lt_probe_connection *c, const lt_probe_options *options,
                                  const sigset_t *waiting, livetcp_error *error);
void lt_connection_close(lt_probe_connection *c);

/* Sets the next message to write; none may be in progress. `timestamp`: requests a tx timestamp. */
void lt_connection_put(lt_probe_connection *c, const lt_wire_message *message, bool timestamp);

/* True while a message is partly written. */
bool lt_connection_busy(const lt_probe_connection *c);

/* Writes as much as the socket accepts. `written` is the total number of bytes, which tx timestamps
 * refer to. */
livetcp_result lt_connection_write(lt_probe_connection *c, livetcp_error *error);

/* Returns the next message, or NULL if there is none yet. */
livetcp_result lt_connection_read(lt_probe_connection *c, const lt_wire_message **message,
                                  livetcp_error *error);

/* Waits until the socket is readable, or writable while a message is in progress, until `until`, or
 * a signal. */
void lt_connection_wait(lt_probe_connection *c, livetcp_usec until);

typedef struct lt_connection_counters {
    lt_tcp_counters tcp;
    uint32_t unacknowledged; /* bytes in the send buffer */
    char congestion_control[LT_TCP_CONGESTION_NAME];
} lt_connection_counters;

void lt_connection_count(const lt_probe_connection *c, lt_connection_counters *counters);

#endif
