/* SPDX-License-Identifier: MIT */
/* How a caller's session gets its connections: links, connectors, handshakes, probes during an
 * outage. Loop's thread. */
#ifndef LT_IO_SESSION_CONNECT_H
#define LT_IO_SESSION_CONNECT_H

#include "io/session.h"

/* The links of a caller's configuration, and which connection uses which. */
livetcp_result lt_io_session_create_links(livetcp_session *session, livetcp_error *error);

/* After that, once the session is complete; a listener's session, too. Links that may vanish are
 * watched from now on. */
void lt_io_session_init_connecting(livetcp_session *session);

/* Under the lock: starts the connections, outage probes and handshakes that are due. */
void lt_io_session_connect(livetcp_session *session);

/* Ends the outage probes and the watch of the links; connections stay. */
void lt_io_session_stop_connecting(livetcp_session *session);

#endif
