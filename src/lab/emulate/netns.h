/* SPDX-License-Identifier: MIT */
/* Anonymous network namespaces: without a name in /run/netns, they end with the last descriptor,
 * socket and process in them. */
#ifndef LT_LAB_EMULATE_NETNS_H
#define LT_LAB_EMULATE_NETNS_H

#include <livetcp/base.h>

#include <stddef.h>

/* Makes the creation of namespaces possible: no effect if the process may create them; otherwise
 * moves it into a user namespace of its own, as root there. That affects the whole process, for
 * good, and Linux permits it only while the process has one thread. */
livetcp_result lt_netns_prepare(livetcp_error *error);

/* Creates a namespace with its loopback up, runs `setup` inside it (may be NULL), and stores its
 * descriptor in *out, which the caller closes. The calling thread stays where it is. */
livetcp_result lt_netns_create(int *out,
                               livetcp_result (*setup)(void *context, livetcp_error *error),
                               void *context, livetcp_error *error);

/* Moves the calling thread and its future children into the namespace. */
livetcp_result lt_netns_enter(int netns, livetcp_error *error);

/* Runs `function` inside the namespace, on a thread of its own, and waits for it. */
livetcp_result lt_netns_call(int netns,
                             livetcp_result (*function)(void *context, livetcp_error *error),
                             void *context, livetcp_error *error);

/* Writes a file under /proc/sys of the calling thread's namespace; `key` with slashes, such as
 * "net/ipv4/tcp_congestion_control". */
livetcp_result lt_sysctl_set(const char *key, const char *value, livetcp_error *error);

/* Reads it, without the newline, truncated to `size`. */
livetcp_result lt_sysctl_get(const char *key, char *value, size_t size, livetcp_error *error);

#endif
