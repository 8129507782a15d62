/* SPDX-License-Identifier: MIT */
/* Information about one connection's path: from the platform, and from what we wrote since. */
#ifndef LT_ENGINE_LINKS_PATH_INFO_H
#define LT_ENGINE_LINKS_PATH_INFO_H

#include <livetcp/policy.h>

/* Nothing is known: a fresh connection. */
void lt_path_reset(livetcp_path *path, unsigned connection);

/* Takes over what the platform told. The engine's own fields stay, and so does what was known
 * before and is not told this time. */
void lt_path_update(livetcp_path *path, const livetcp_path *info, livetcp_usec now);

/* We wrote `size` bytes. */
void lt_path_wrote(livetcp_path *path, size_t size, livetcp_usec now);

/* A PING came back: the round-trip time where the platform does not tell it. */
void lt_path_measured_rtt(livetcp_path *path, livetcp_usec rtt_us);

/* How old the information may be when a packet is decided on. */
livetcp_usec lt_path_max_age(const livetcp_path *path);

#endif
