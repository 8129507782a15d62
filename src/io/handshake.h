/* SPDX-License-Identifier: MIT */
/* A caller's TLS handshake on a socket that is connected. */
#ifndef LT_IO_TLS_HANDSHAKE_H
#define LT_IO_TLS_HANDSHAKE_H

#include "io/context.h"
#include "io/tls.h"
#include "platform/socket.h"

/* Called on the loop's thread. One of the first two ends every handshake that is not cancelled; it
 * is gone then. */
typedef struct lt_io_tls_handshake_owner {
    /* Socket and filter are the owner's now. The filter may hold input already. */
    void (*on_secured)(void *owner, unsigned index, uv_os_sock_t socket, lt_tls_filter *filter);
    void (*on_failed)(void *owner, unsigned index, const livetcp_error *error);

    /* The owner must not be freed between the two. */
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_tls_handshake_owner;

typedef struct lt_io_tls_handshake lt_io_tls_handshake;

/* Loop's thread. Takes over the socket, and `outer`, the TLS of a proxy on the way or NULL; nothing
 * is sent yet. `tls` must live as long as the owner is held. NULL without memory: socket and outer
 * stay the caller's. */
lt_io_tls_handshake *lt_io_tls_handshake_create(livetcp_context *context, unsigned index,
                                                uv_os_sock_t socket, lt_tls_filter *outer,
                                                lt_io_tls *tls, livetcp_usec timeout_us,
                                                const lt_io_tls_handshake_owner *functions,
                                                void *owner);

/* Speaks first, on the next turn of the loop. Once is enough. */
void lt_io_tls_handshake_begin(lt_io_tls_handshake *handshake);
bool lt_io_tls_handshake_has_begun(const lt_io_tls_handshake *handshake);

/* Closes the socket without calling back; clears *handshake, which may be NULL already. */
void lt_io_tls_handshake_cancel(lt_io_tls_handshake **handshake);

#endif
