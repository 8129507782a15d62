/* SPDX-License-Identifier: MIT */
/*
 * TCP information from the operating system, and options that it sets on a socket. One file an
 * operating system implements this interface (linux.c, none.c); nothing else in LiveTCP knows which
 * system it runs on. Everything is in bytes and microseconds; fields that a system does not report
 * stay unknown.
 */
#ifndef LT_PLATFORM_PROBE_H
#define LT_PLATFORM_PROBE_H

#include <livetcp/engine.h>
#include <livetcp/policy.h>

#include <stddef.h>

/* The same type as uv_os_sock_t, which cannot be had here: uv.h includes netinet/tcp.h, and that
 * contradicts linux/tcp.h. */
#ifdef _WIN32
#include <winsock2.h>
typedef SOCKET lt_os_socket;
#else
typedef int lt_os_socket;
#endif

/* Name of the implementation: "linux", "none". */
const char *lt_platform_name(void);

/* Fills `known` and the fields it names; the rest of *path is left alone. A socket that cannot be
 * asked has known = 0. `briefly`: when nothing is in flight, only the queues and the state are
 * filled in, and the system is not asked for the rest. */
void lt_platform_probe(lt_os_socket socket, bool briefly, livetcp_path *path);

/* Media defaults: Nagle off, keepalive on, close-on-exec, acknowledgements delayed by little and
 * the kernel's user timeout, where there is such a thing (0 = leave the timeout). */
livetcp_result lt_platform_prepare(lt_os_socket socket, livetcp_usec user_timeout_us);

/* Before connecting or listening: segments are to hold a whole number of frames of `frame` bytes,
 * as many as fit an Ethernet packet. Returns false, and leaves the segments alone, if none fits or
 * the system cannot; a path with smaller packets may still cut them otherwise. 0 leaves them alone.
 */
bool lt_platform_align_segments(lt_os_socket socket, size_t frame);

#define LT_CONGESTION_AUTO "auto"

/* Congestion control by name, "" = leave the system's. LIVETCP_ERR_NOT_SUPPORTED, with a message
 * that names those available, if this one is not. LT_CONGESTION_AUTO = the best one that this
 * program may use on this host; it leaves the system's, and does not fail, where there is none. */
livetcp_result lt_platform_set_congestion_control(lt_os_socket socket, const char *name,
                                                  livetcp_error *error);

/* Lets the socket count as writable only while less than `bytes` of the written data are unsent;
 * UINT32_MAX = as the system likes. Returns false where the system has no such limit. On some
 * systems writing itself stops there, too. */
bool lt_platform_limit_unsent(lt_os_socket socket, uint32_t bytes);

/* Asks the kernel to acknowledge the data just read at once: thin streams look late otherwise. Not
 * sticky on Linux: call it after every read. */
void lt_platform_acknowledge_now(lt_os_socket socket);

/* ---- timestamps of the kernel's, in its wall clock ---- */

/* True if sockets of this system report them at all. */
bool lt_platform_has_timestamps(void);

/* A connected socket reports them from here on. *first: the position that they give the next byte
 * that is written. False, and nothing is changed, if it cannot. */
bool lt_platform_start_timestamps(lt_os_socket socket, uint32_t *first);

/* Like send(), and requests a timestamp of the last byte that was taken. Bytes, or -errno. */
long lt_platform_write_timestamped(lt_os_socket socket, const void *data, size_t size);

/* Like recv(), with when the newest segment of it came to this host. Bytes, or -errno. */
long lt_platform_read_timestamped(lt_os_socket socket, void *data, size_t size, bool *known,
                                  livetcp_usec *at);

/* Takes the oldest timestamps reported and not taken yet, LT_TIMESTAMP_BATCH at most, and returns
 * their number: less, and there are no more. While there is one, the socket polls as if it had
 * failed. */
#define LT_TIMESTAMP_BATCH 8
unsigned lt_platform_take_timestamps(lt_os_socket socket,
                                     livetcp_tx_timestamp timestamps[LT_TIMESTAMP_BATCH]);

/* Number of segments that had to wait here for one before them, modulo 2^32. */
bool lt_platform_out_of_order(lt_os_socket socket, uint32_t *segments);

#endif
