/* SPDX-License-Identifier: MIT */
/* Error texts for two ends that do not match: the peer's protocol, the expected one, and advice. */
#ifndef LT_IO_WRONG_END_H
#define LT_IO_WRONG_END_H

#include "wire/first_bytes.h"

#include <livetcp/config.h>

#include <stdbool.h>

/* True if a peer of this protocol cannot be served on this wire. False for protocols not yet known:
 * the reader of the data decides. */
bool lt_io_wrong_end(livetcp_wire wire, lt_peer_kind kind);

/* Error for such a peer: LIVETCP_ERR_PROTOCOL if a setting of either end is wrong,
 * LIVETCP_ERR_GARBAGE if it sends no RTP. The text begins with `who`. */
livetcp_result lt_io_wrong_end_error(livetcp_error *error, const char *who,
                                     const livetcp_config *config, lt_peer_kind kind);

/* Error for a peer without TLS at a port that requires it: LIVETCP_ERR_PROTOCOL. */
livetcp_result lt_io_no_tls_error(livetcp_error *error, const char *who, lt_peer_kind kind);

/* The same for a WebSocket. */
livetcp_result lt_io_no_websocket_error(livetcp_error *error, const char *who, lt_peer_kind kind);

#endif
