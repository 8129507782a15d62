/* SPDX-License-Identifier: MIT */
/* Kernel timestamps of sent and received packets: SO_TIMESTAMPING on Linux. Unreported times are
 * 0. */
#ifndef LT_LAB_PROBE_TIMESTAMPS_H
#define LT_LAB_PROBE_TIMESTAMPS_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enables both, before anything is written. False if the kernel lacks them. */
bool lt_timestamps_enable(int socket);

/* As send() and recv(), non-blocking. `timestamp`: requests the time at which the last byte is
 * passed to the network interface. *came: time at which the kernel received the last byte. */
long lt_timestamps_send(int socket, const void *data, size_t size, bool timestamp);
long lt_timestamps_receive(int socket, void *data, size_t size, livetcp_usec *came);

/* The next tx timestamp: byte number modulo 2^32, and time. False if there is none. */
bool lt_timestamps_next_sent(int socket, uint32_t *byte, livetcp_usec *left);

#endif
