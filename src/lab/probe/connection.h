/* SPDX-License-Identifier: MIT */
/* The prober's end of the connection: messages out, one at a time, and messages in. */
#ifndef LT_LAB_PROBE_CONNECTION_H
#define LT_LAB_PROBE_CONNECTION_H

#include "lab/probe/options.h"
#include "lab/probe/wire.h"
#include "lab/tcp.h"

#include <signal.h>

typedef struct lt_probe_connection {
    int socket; /* -1: none */
    char peer[300];
    sigset_t waiting; /* signal mask while it waits */
    bool timestamps;
    bool heard; /* the peer has shown that it is a prober */
    uint64_t written;
    uint8_t out[LT_WIRE_MOST];
    size_t out_size, out_done;
    bool out_timestamped;
    lt_wire_reader reader;
    uint8_t ignored[LT_WIRE_MOST];
} lt_probe_connection;

/* Connects. On failure nothing is open, and the error gives the remedy. */
livetcp_result lt_connection_open(lt_probe_connection *c, const lt_probe_options *options,
                                  const sigset_t *waiting, livetcp_error *error);
void lt_connection_close(lt_probe_connection *c);

/* The next message to write; none is under way. `timestamp`: the kernel reports when it leaves. */
void lt_connection_put(lt_probe_connection *c, const lt_wire_message *message, bool timestamp);

/* True while a message is not written to its end. */
bool lt_connection_busy(const lt_probe_connection *c);

/* Writes as much as the socket takes. `written` then is the number of bytes since the beginning, by
 * which timestamps go. */
livetcp_result lt_connection_write(lt_probe_connection *c, livetcp_error *error);

/* The next message, or NULL when there is none yet. */
livetcp_result lt_connection_read(lt_probe_connection *c, const lt_wire_message **message,
                                  livetcp_error *error);

/* Waits until the socket is readable, or writable where a message is under way, or `until`; a
 * signal ends it, too. */
void lt_connection_wait(lt_probe_connection *c, livetcp_usec until);

typedef struct lt_connection_counters {
    lt_tcp_counters tcp;
    uint32_t unacknowledged; /* bytes in the send buffer */
    char congestion_control[LT_TCP_CONGESTION_NAME];
} lt_connection_counters;

void lt_connection_count(const lt_probe_connection *c, lt_connection_counters *counters);

#endif
