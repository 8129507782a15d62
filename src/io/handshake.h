/* SPDX-License-Identifier: MIT */
/* A caller's handshakes on a connected socket: TLS, a WebSocket, or TLS then WebSocket. */
#ifndef LT_IO_HANDSHAKE_H
#define LT_IO_HANDSHAKE_H

#include "io/context.h"
#include "io/filter.h"
#include "io/tls.h"
#include "platform/socket.h"

/* Called on the loop's thread. Each handshake that is not cancelled ends with exactly one of
 * on_open and on_failed; it is freed after it. */
typedef struct lt_io_handshake_owner {
    /* The owner takes over socket and filter. The filter may already hold input. */
    void (*on_open)(void *owner, unsigned index, uv_os_sock_t socket, lt_io_filter *filter);
    void (*on_failed)(void *owner, unsigned index, const livetcp_error *error);

    /* Reference the owner, and release it. */
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_handshake_owner;

typedef struct lt_io_handshake lt_io_handshake;

/* Parameters shared by the connections of a session. They live as long as the owner is held. */
typedef struct lt_io_handshake_kind {
    const livetcp_config *config; /* has the WebSocket setting */
    lt_io_tls *tls;               /* NULL without TLS */
    const char *host;             /* for the WebSocket's request, */
    const char *headers;          /* and additional header fields, NULL = none */
} lt_io_handshake_kind;

/* Loop's thread. Takes over the socket and `outer`, the TLS of a proxy in between (or NULL); sends
 * nothing yet. NULL without memory: socket and outer stay the caller's. */
lt_io_handshake *lt_io_handshake_create(livetcp_context *context, unsigned index,
                                        uv_os_sock_t socket, lt_tls_filter *outer,
                                        const lt_io_handshake_kind *kind,
                                        const lt_io_handshake_owner *functions, void *owner);

/* Sends the first message, on the next turn of the loop. Further calls have no effect. */
void lt_io_handshake_begin(lt_io_handshake *handshake);
bool lt_io_handshake_has_begun(const lt_io_handshake *handshake);

/* Closes the socket without a callback; clears *handshake, which may already be NULL. */
void lt_io_handshake_cancel(lt_io_handshake **handshake);

#endif
