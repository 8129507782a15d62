/* SPDX-License-Identifier: MIT */
/* Two ends that do not belong together: an error text with the peer's protocol, the expected one,
 * and advice. */
#ifndef LT_IO_WRONG_END_H
#define LT_IO_WRONG_END_H

#include "wire/first_bytes.h"

#include <livetcp/config.h>

#include <stdbool.h>

/* True if a peer of this protocol cannot be served on this wire. An undecided or unknown protocol
 * may still be served: the reader finds out. */
bool lt_io_wrong_end(livetcp_wire wire, lt_peer_kind kind);

/* Of such a peer: LIVETCP_ERR_PROTOCOL if a setting of either end is wrong, LIVETCP_ERR_GARBAGE if
 * it is no RTP at all, with a text that begins with `who`. */
livetcp_result lt_io_wrong_end_error(livetcp_error *error, const char *who,
                                     const livetcp_config *config, lt_peer_kind kind);

/* Of a peer at a port where everybody has to speak TLS: LIVETCP_ERR_PROTOCOL. */
livetcp_result lt_io_no_tls_error(livetcp_error *error, const char *who, lt_peer_kind kind);

/* The same at a port where everybody has to speak WebSocket. */
livetcp_result lt_io_no_websocket_error(livetcp_error *error, const char *who, lt_peer_kind kind);

#endif
