/* SPDX-License-Identifier: MIT */
/* Opens a caller's connections: links, connectors, handshakes, and probes during an outage. Loop's
 * thread. */
#ifndef LT_IO_SESSION_CONNECT_H
#define LT_IO_SESSION_CONNECT_H

#include "io/session.h"

/* Creates the links of a caller's configuration and assigns the connections to them. */
livetcp_result lt_io_session_create_links(livetcp_session *session, livetcp_error *error);

/* After creation, also for a listener's session. Starts to watch links that may vanish. */
void lt_io_session_init_connecting(livetcp_session *session);

/* Under the lock: starts the connections, outage probes and handshakes that are due. */
void lt_io_session_connect(livetcp_session *session);

/* Ends outage probes and the watch of the links. Connections stay. */
void lt_io_session_stop_connecting(livetcp_session *session);

#endif
