/* SPDX-License-Identifier: MIT */
/*
 * Lingering close: closes a socket so that the peer still reads our last data. close() with unread
 * input makes the kernel send a RST, and a RST discards data that the peer has received and not yet
 * read: the last media, the BYE, the REJECT. So we shut down our direction, discard further input,
 * and close when the peer has shut down its own, or after two seconds.
 */
#ifndef LT_IO_LINGERING_CLOSE_H
#define LT_IO_LINGERING_CLOSE_H

#include "io/context.h"
#include "platform/socket.h"

/* Loop's thread. Takes over the socket, which no handle of the loop may watch any more. */
void lt_io_close_lingering(livetcp_context *context, uv_os_sock_t socket);

/* Call after the loop has reported an error on this socket and stopped watching. Pending kernel
 * timestamps look like an error: they are discarded. False if the socket has really failed. */
bool lt_io_discard_timestamps(uv_os_sock_t socket);

#endif
