/* SPDX-License-Identifier: MIT */
/*
 * Path info of TCP connections from the operating system, and socket options that differ between
 * systems. One file per system implements this interface (linux.c, none.c); nothing else in LiveTCP
 * depends on the system. Values are in bytes and microseconds; fields that a system does not report
 * stay unknown.
 */
#ifndef LT_PLATFORM_PROBE_H
#define LT_PLATFORM_PROBE_H

#include <livetcp/engine.h>
#include <livetcp/policy.h>

#include <stddef.h>

/* uv_os_sock_t without including uv.h, which includes netinet/tcp.h, which conflicts with
 * linux/tcp.h. */
#ifdef _WIN32
#include <winsock2.h>
typedef SOCKET lt_os_socket;
#else
typedef int lt_os_socket;
#endif

/* Name of the implementation: "linux", "none". */
const char *lt_platform_name(void);

/* Sets `known` and the fields that it names; other fields of *path are not changed. known = 0 if
 * the socket has no path info. `briefly`: with nothing in flight, only queue sizes and state are
 * read. */
void lt_platform_probe(lt_os_socket socket, bool briefly, livetcp_path *path);

/* Sets the options for media: Nagle off, keepalive on, close-on-exec, short delayed
 * acknowledgements and the user timeout where the system has one (0 = do not set it). */
livetcp_result lt_platform_prepare(lt_os_socket socket, livetcp_usec user_timeout_us);

/* Before connecting or listening: sizes segments so that they hold a whole number of frames of
 * `frame` bytes, as many as fit an Ethernet frame. False, without effect, if none fits or the
 * system cannot. A path with a smaller MTU may still cut frames. 0 has no effect. */
bool lt_platform_align_segments(lt_os_socket socket, size_t frame);

#define LT_CONGESTION_AUTO "auto"

/* Sets congestion control by name, "" = keep the system's. LIVETCP_ERR_NOT_SUPPORTED, with a
 * message that names the available ones, if it is not available. LT_CONGESTION_AUTO: the best
 * one that this program may use on this host; keeps the system's, without an error, if there is
 * none. */
livetcp_result lt_platform_set_congestion_control(lt_os_socket socket, const char *name,
                                                  livetcp_error *error);

/* Makes the socket count as writable only while less than `bytes` of the written data are unsent;
 * UINT32_MAX = the system's default. False where the system has no such limit. On some systems
 * send() itself stops there as well. */
bool lt_platform_limit_unsent(lt_os_socket socket, uint32_t bytes);

/* Makes the kernel acknowledge the data just read at once; delayed acknowledgements make thin
 * streams look late. Not sticky on Linux: call it after every read. */
void lt_platform_acknowledge_now(lt_os_socket socket);

/* ---- timestamps of the kernel's, in its wall clock ---- */

/* True if this system reports timestamps of TCP sockets. */
bool lt_platform_has_timestamps(void);

/* Enables timestamps on a connected socket. *first: the position that the kernel assigns to the
 * next written byte. False, with nothing changed, on failure. */
bool lt_platform_start_timestamps(lt_os_socket socket, uint32_t *first);

/* As send(), and requests a tx timestamp of the last byte that is accepted. Bytes, or -errno. */
long lt_platform_write_timestamped(lt_os_socket socket, const void *data, size_t size);

/* As recv(), with the rx timestamp of the newest segment in the data. Bytes, or -errno. */
long lt_platform_read_timestamped(lt_os_socket socket, void *data, size_t size, bool *known,
                                  livetcp_usec *at);

/* Reads up to LT_TIMESTAMP_BATCH pending timestamps, the oldest first, and returns their number; a
 * smaller number means that there are no more. While timestamps are pending, poll() reports an
 * error on the socket. */
#define LT_TIMESTAMP_BATCH 8
unsigned lt_platform_take_timestamps(lt_os_socket socket,
                                     livetcp_tx_timestamp timestamps[LT_TIMESTAMP_BATCH]);

/* Number of segments received out of order, modulo 2^32. */
bool lt_platform_out_of_order(lt_os_socket socket, uint32_t *segments);

#endif
