/* SPDX-License-Identifier: MIT */
/* The layers between a socket and a session: TLS, a WebSocket, or a WebSocket within TLS. Bytes in,
 * bytes out; no socket. One thread at a time. */
#ifndef LT_IO_FILTER_H
#define LT_IO_FILTER_H

#include "tls/filter.h"
#include "websocket/filter.h"

#include <livetcp/config.h>

typedef enum lt_io_filter_state {
    LT_IO_FILTER_HANDSHAKE =
        0, /* of one of the layers: plaintext is neither accepted nor delivered */
    LT_IO_FILTER_OPEN,
    LT_IO_FILTER_ENDED, /* orderly end by the peer: no more plaintext */
    LT_IO_FILTER_FAILED /* see lt_io_filter_error() */
} lt_io_filter_state;

typedef struct lt_io_filter lt_io_filter;

/* Takes over `tls`, which may be NULL. `end_to_end`: TLS ends at the session's peer, not at a
 * proxy. NULL without memory: tls stays the caller's. */
lt_io_filter *lt_io_filter_create(lt_tls_filter *tls, bool end_to_end);
void lt_io_filter_destroy(lt_io_filter **filter);

/* Adds a WebSocket as the upper layer, once; `data` is its first input. A caller's request is for
 * `host` with the header `fields`, which may be NULL. Errors: LIVETCP_ERR_NO_MEMORY and
 * LIVETCP_ERR_SYSTEM. */
livetcp_result lt_io_filter_add_websocket(lt_io_filter *filter, const livetcp_config *config,
                                          const char *host, const char *fields, const uint8_t *data,
                                          size_t size);

lt_io_filter_state lt_io_filter_state_of(const lt_io_filter *filter);

/* Takes bytes received from the peer and continues the handshakes. Follow with read() until it
 * returns 0. */
void lt_io_filter_receive(lt_io_filter *filter, const uint8_t *data, size_t size);

/* Reads received plaintext: number of bytes, 0 = no more for now. `size` must be at least
 * LT_WS_READ_MIN. */
size_t lt_io_filter_read(lt_io_filter *filter, uint8_t *data, size_t size);

/* Writes all of the plaintext. Errors: LIVETCP_ERR_BAD_STATE unless it is open; that of
 * lt_io_filter_error(). */
livetcp_result lt_io_filter_write(lt_io_filter *filter, const void *data, size_t size);

/* Bytes to write to the peer; they stay valid until the next call. */
size_t lt_io_filter_output(const lt_io_filter *filter, const uint8_t **data);
void lt_io_filter_written(lt_io_filter *filter, size_t size);

/* Sends the closing message of each layer, with the reason where the protocol has one; LIVETCP_OK =
 * none. */
void lt_io_filter_end(lt_io_filter *filter, livetcp_result reason);

/* The head of a WebSocket request did not arrive in time: the filter fails, and output() has the
 * HTTP error. */
void lt_io_filter_time_out(lt_io_filter *filter);

/* After a failure: cause and remedy. */
const livetcp_error *lt_io_filter_error(const lt_io_filter *filter);

/* Of a peer that has ended TCP: true if it has not ended TLS before, so that somebody on the way
 * may have cut it. */
bool lt_io_filter_is_cut(const lt_io_filter *filter);

/* The TLS to the other end of the session, and the WebSocket; NULL without. */
const lt_tls_filter *lt_io_filter_tls(const lt_io_filter *filter);
const lt_ws *lt_io_filter_websocket(const lt_io_filter *filter);

/* True if both ends know that TLS connects them directly, so that authenticators are bound to it
 * (RFC 9266). */
bool lt_io_filter_is_bound(const lt_io_filter *filter);

/* The binding, of a filter that is bound. False if libssl fails. */
bool lt_io_filter_binding(lt_io_filter *filter, uint8_t binding[LT_TLS_BINDING_SIZE]);

#endif
