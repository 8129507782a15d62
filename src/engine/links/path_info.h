/* SPDX-License-Identifier: MIT */
/* Path information of one connection: from the platform, and from our own writes since. */
#ifndef LT_ENGINE_LINKS_PATH_INFO_H
#define LT_ENGINE_LINKS_PATH_INFO_H

#include <livetcp/policy.h>

/* Bytes of TCP and IPv4 headers with timestamps. */
#define LT_TCP_HEADERS 52

/* Resets the path to that of a fresh connection: only its link is known. `*path` is zeroed, or that
 * of the slot's previous connection. */
void lt_path_reset(livetcp_path *path, unsigned connection);

/* Takes path info from the platform. Fields of the engine keep their values, and so do known fields
 * that are missing this time. */
void lt_path_update(livetcp_path *path, const livetcp_path *info, livetcp_usec now);

/* `size` bytes were written. */
void lt_path_wrote(livetcp_path *path, size_t size, livetcp_usec now);

/* A round-trip time measured with PING, for platforms that report none. */
void lt_path_measured_rtt(livetcp_path *path, livetcp_usec rtt_us);

/* Bytes in the kernel's send buffer that the peer does not have; 0 = unknown. */
static inline uint64_t lt_path_undelivered(const livetcp_path *path)
{
    uint64_t bytes = path->known & LIVETCP_PATH_QUEUED ? path->queued_bytes : 0;
    uint64_t sacked = path->known & LIVETCP_PATH_SACKED ? path->sacked_bytes : 0;

    return bytes > sacked ? bytes - sacked : 0;
}

/* True if so many more bytes are beyond TCP's window, as far as it is known. */
static inline bool lt_path_exceeds_window(const livetcp_path *path, size_t size)
{
    const uint32_t needed = LIVETCP_PATH_CWND | LIVETCP_PATH_QUEUED;

    return (path->known & needed) == needed && lt_path_undelivered(path) + size > path->cwnd_bytes;
}

/* Those under way: where the retransmission timer fired, none until it is repaired. */
static inline uint64_t lt_path_in_network(const livetcp_path *path)
{
    return path->tcp_state == LIVETCP_TCP_TIMEOUT ? 0 : lt_path_undelivered(path);
}

/* Maximum age of path info when a packet is placed, in microseconds. */
livetcp_usec lt_path_max_age(const livetcp_path *path);

/* TCP's retransmission timeout (RFC 6298, section 2), without its minimum and backoff; the round
 * trip is known. */
static inline livetcp_usec lt_path_timeout(const livetcp_path *path)
{
    return path->rtt_us + 4 * path->rtt_variation_us;
}

#endif
