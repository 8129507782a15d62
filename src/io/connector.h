/* SPDX-License-Identifier: MIT */
/* Getting a connected socket for a slot: resolve the host, try its addresses in turn. */
#ifndef LT_IO_CONNECTOR_H
#define LT_IO_CONNECTOR_H

#include "io/session_io.h"

typedef struct lt_connector lt_connector;

/* Loop's thread. Ends in lt_session_io_attach() or lt_session_io_lost(), never within this call,
 * and then in lt_session_io_service(). NULL if memory is out. */
lt_connector *lt_connector_start(livetcp_session *session, unsigned index);

/* Loop's thread. Gives up without a word; clears *connector, which may be NULL already. */
void lt_connector_cancel(lt_connector **connector);

#endif
