/* SPDX-License-Identifier: MIT */
/*
 * The statistics of a context's sessions on a UNIX socket, for `livetcp stat` and other readers
 * with permission: when LIVETCP_STATS_DIR names a directory, one socket a context there,
 * PID-N.sock, mode 0600, until the context ends.
 *
 * A reader writes a line of any content, and gets one line of JSON. Readers cost memory and time
 * only when they ask: an answer is made when the one before has been taken, a reader that does not
 * take its answer is disconnected after some seconds, and there are at most LT_IO_STATS_READERS.
 */
#ifndef LT_IO_STATS_SOCKET_H
#define LT_IO_STATS_SOCKET_H

#include "io/context.h"

#define LT_IO_STATS_READERS 8

/* Loop's thread, for each session and listener that is made: the first call opens the socket. A
 * failure is a warning in the log, once. */
void lt_io_stats_open(livetcp_context *context);

#endif
