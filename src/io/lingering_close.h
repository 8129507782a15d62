/* SPDX-License-Identifier: MIT */
/*
 * Closing sockets so that the peer still reads our last data. close() on a socket with unread input
 * makes the kernel send a reset, and a reset discards the data that the peer has not read yet: the
 * tail of the media, the BYE, the REJECT with its reason. So we write the rest, end our direction,
 * discard further input, and close when the peer has ended its own, or two seconds later. The rest
 * may take ten seconds without progress.
 */
#ifndef LT_IO_LINGERING_CLOSE_H
#define LT_IO_LINGERING_CLOSE_H

#include "io/context.h"
#include "platform/socket.h"

/* Loop's thread. Takes over the socket, which no handle of the loop may watch any more. `rest`: the
 * last `size` bytes for the peer, which the kernel had no space for yet; they are copied. */
void lt_io_close_lingering(livetcp_context *context, uv_os_sock_t socket, const void *rest,
                           size_t size);

/* Call after the loop has reported an error on this socket and stopped watching. Pending kernel
 * timestamps look like an error: they are discarded. False if the socket has really failed. */
bool lt_io_discard_timestamps(uv_os_sock_t socket);

#endif
