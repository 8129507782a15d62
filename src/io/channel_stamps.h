/* SPDX-License-Identifier: MIT */
/* Kernel timestamps between a socket and the engine. */
#ifndef LT_IO_CHANNEL_STAMPS_H
#define LT_IO_CHANNEL_STAMPS_H

#include "io/channel.h"

/* Loop's thread, session locked, before the engine writes: asks the kernel to tell, if the settings
 * want it to. */
void lt_channel_start_stamps(lt_channel *channel);

/* Any thread, session locked. As lt_socket_write(); `stamp`: and it will be told. */
long lt_channel_write(lt_channel *channel, const void *data, size_t size, bool stamp);

/* Loop's thread. As lt_socket_read(), with when it came. */
long lt_channel_read(lt_channel *channel, void *data, size_t size, livetcp_rx_timestamp *stamp);

/* The loop was told of an error, and stopped watching. Stamps that wait look like one: they are
 * given to the engine. False if the socket has really failed. */
bool lt_channel_take_stamps(lt_channel *channel);

/* The same for a socket that no session has any more. */
bool lt_socket_discard_stamps(int socket);

#endif
