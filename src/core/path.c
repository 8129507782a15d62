/* SPDX-License-Identifier: MIT */
/* Facts about a connection, from the platform and from what we wrote ourselves since. */
#include "core/connection.h"

void lt_path_reset(livetcp_path *path, unsigned connection)
{
    *path = (livetcp_path){.connection = connection, .last_write_us = INT64_MIN};
}

void lt_path_update(livetcp_path *path, const livetcp_path *facts)
{
    livetcp_path merged = *facts;
    merged.connection = path->connection;
    merged.usable = path->usable;
    merged.blocked = path->blocked;
    merged.last_write_us = path->last_write_us;
    if (!(facts->known & LIVETCP_PATH_RTT) && path->known & LIVETCP_PATH_RTT) {
        merged.rtt_us = path->rtt_us;
        merged.rtt_variation_us = path->rtt_variation_us;
        merged.known |= LIVETCP_PATH_RTT;
    }
    if (!(merged.known & LIVETCP_PATH_TCP_STATE))
        merged.tcp_state = LIVETCP_TCP_UNKNOWN;
    *path = merged;
}

static uint32_t add_saturating(uint32_t value, size_t more)
{
    return more > UINT32_MAX - value ? UINT32_MAX : value + (uint32_t)more;
}

void lt_path_wrote(livetcp_path *path, size_t size, livetcp_usec now)
{
    if (path->known & LIVETCP_PATH_QUEUED)
        path->queued_bytes = add_saturating(path->queued_bytes, size);
    if (path->known & LIVETCP_PATH_UNSENT)
        path->unsent_bytes = add_saturating(path->unsent_bytes, size);
    path->last_write_us = now;
}

/* The estimator of RFC 6298 section 2, which is TCP's own. */
void lt_path_measured_rtt(livetcp_path *path, livetcp_usec rtt_us)
{
    if (!(path->known & LIVETCP_PATH_RTT)) {
        path->known |= LIVETCP_PATH_RTT;
        path->rtt_us = rtt_us;
        path->rtt_variation_us = rtt_us / 2;
        return;
    }
    livetcp_usec error = rtt_us - path->rtt_us;
    path->rtt_variation_us += ((error < 0 ? -error : error) - path->rtt_variation_us) / 4;
    path->rtt_us += error / 8;
}
