/* SPDX-License-Identifier: MIT */
/* Information about one connection's path: from the platform, and from our writes since. */
#ifndef LT_ENGINE_LINKS_PATH_INFO_H
#define LT_ENGINE_LINKS_PATH_INFO_H

#include <livetcp/policy.h>

/* Nothing is known but the link: a fresh connection. `*path` was zeroed, or is its predecessor's.
 */
void lt_path_reset(livetcp_path *path, unsigned connection);

/* Takes path info from the platform. The engine's own fields stay, and so do known fields that are
 * missing this time. */
void lt_path_update(livetcp_path *path, const livetcp_path *info, livetcp_usec now);

/* We wrote `size` bytes. */
void lt_path_wrote(livetcp_path *path, size_t size, livetcp_usec now);

/* A PING came back: the round-trip time where the platform does not report it. */
void lt_path_measured_rtt(livetcp_path *path, livetcp_usec rtt_us);

/* Bytes that the kernel holds and the peer does not have; 0 where the platform does not tell. */
static inline uint64_t lt_path_undelivered(const livetcp_path *path)
{
    uint64_t bytes = path->known & LIVETCP_PATH_QUEUED ? path->queued_bytes : 0;
    uint64_t sacked = path->known & LIVETCP_PATH_SACKED ? path->sacked_bytes : 0;

    return bytes > sacked ? bytes - sacked : 0;
}

/* Maximum age of the information when a packet is decided on. */
livetcp_usec lt_path_max_age(const livetcp_path *path);

#endif
