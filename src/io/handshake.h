/* SPDX-License-Identifier: MIT */
/* A caller's handshakes on a socket that is connected: TLS, the opening of a WebSocket, or both in
 * turn. */
#ifndef LT_IO_HANDSHAKE_H
#define LT_IO_HANDSHAKE_H

#include "io/context.h"
#include "io/filter.h"
#include "io/tls.h"
#include "platform/socket.h"

/* Called on the loop's thread. One of the first two ends every handshake that is not cancelled; it
 * is gone then. */
typedef struct lt_io_handshake_owner {
    /* Socket and filter are the owner's now. The filter may hold input already. */
    void (*on_open)(void *owner, unsigned index, uv_os_sock_t socket, lt_io_filter *filter);
    void (*on_failed)(void *owner, unsigned index, const livetcp_error *error);

    /* The owner must not be freed between the two. */
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_handshake_owner;

typedef struct lt_io_handshake lt_io_handshake;

/* What the connections of a session have in common. All of it lives as long as the owner is held.
 */
typedef struct lt_io_handshake_kind {
    const livetcp_config *config; /* says whether there is a WebSocket */
    lt_io_tls *tls;               /* NULL without TLS */
    const char *host;             /* for the WebSocket's request; */
    const char *headers;          /*   fields of it, NULL = none */
} lt_io_handshake_kind;

/* Loop's thread. Takes over the socket, and `outer`, the TLS of a proxy on the way or NULL; nothing
 * is sent yet. NULL without memory: socket and outer stay the caller's. */
lt_io_handshake *lt_io_handshake_create(livetcp_context *context, unsigned index,
                                        uv_os_sock_t socket, lt_tls_filter *outer,
                                        const lt_io_handshake_kind *kind,
                                        const lt_io_handshake_owner *functions, void *owner);

/* Speaks first, on the next turn of the loop. Once is enough. */
void lt_io_handshake_begin(lt_io_handshake *handshake);
bool lt_io_handshake_has_begun(const lt_io_handshake *handshake);

/* Closes the socket without calling back; clears *handshake, which may be NULL already. */
void lt_io_handshake_cancel(lt_io_handshake **handshake);

#endif
