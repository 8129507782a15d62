/* SPDX-License-Identifier: MIT */
/*
 * Statistics of a context's sessions on a UNIX socket, for `livetcp stat` and other readers with
 * permission. If LIVETCP_STATS_DIR names a directory, each context has a socket PID-N.sock with
 * mode 0600 there, until the context ends.
 *
 * A reader writes a line of any content and gets one line of JSON. Readers cost memory and time
 * only when they ask: an answer is composed after the previous one was taken, a reader that does
 * not take its answer is disconnected after some seconds, and there are at most
 * LT_IO_STATS_READERS.
 */
#ifndef LT_IO_STATS_SOCKET_H
#define LT_IO_STATS_SOCKET_H

#include "io/context.h"

#define LT_IO_STATS_READERS 8

/* Loop's thread, for each session and listener that is created: the first call opens the socket. A
 * failure is logged once, as a warning. */
void lt_io_stats_open(livetcp_context *context);

#endif
