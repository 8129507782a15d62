/* SPDX-License-Identifier: MIT */
/* When packets leave and come, by the kernel: SO_TIMESTAMPING of Linux. Times that the kernel does
 * not report are 0. */
#ifndef LT_LAB_PROBE_TIMESTAMPS_H
#define LT_LAB_PROBE_TIMESTAMPS_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Asks for both from now on; before anything is written. False if the kernel has none. */
bool lt_timestamps_enable(int socket);

/* Like send() and recv(), non-blocking. `timestamp`: report when the last of these bytes leaves for
 * the network interface. *came: when the last of these bytes came to the kernel. */
long lt_timestamps_send(int socket, const void *data, size_t size, bool timestamp);
long lt_timestamps_receive(int socket, void *data, size_t size, livetcp_usec *came);

/* The next report about sent bytes: the number of the byte, modulo 2^32, and when it left. False
 * when there is none. */
bool lt_timestamps_next_sent(int socket, uint32_t *byte, livetcp_usec *left);

#endif
