/* SPDX-License-Identifier: MIT */
/* Room in send buffers, for those who can learn when there is some. */
#include "engine/session_internal.h"

/* A segment over Ethernet and IPv4, where the platform does not say. */
#define TYPICAL_MSS 1448

/* What the send limit leaves beyond a window in flight is the part that waits in the kernel.
 * Without facts there is no send limit (see session_place.c), and B alone has to do. */
uint32_t livetcp_engine_unsent_limit(const livetcp_engine *session, unsigned index)
{
    const livetcp_path *path = &session->paths[index];
    uint32_t send_limit = lt_session_send_limit(&session->config, path);
    uint64_t in_flight = path->cwnd_bytes;
    uint64_t limit = (uint64_t)session->config.min_buf_b * TYPICAL_MSS;

    if (!session->config.min_buf_a)
        return UINT32_MAX;
    if (path->known & LIVETCP_PATH_SACKED)
        in_flight += path->sacked_bytes;
    if (send_limit != UINT32_MAX)
        limit = send_limit > in_flight ? send_limit - in_flight : 0;
    if (limit < 1)
        return 1;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

/* Where less is unsent than that, the window itself is full, as in recovery: what the kernel sends
 * next makes no room, and the retry has to do. */
static bool waits_to_be_sent(const livetcp_engine *session, unsigned index)
{
    const livetcp_path *path = &session->paths[index];

    return path->usable && !path->blocked && path->queued_bytes >= path->send_limit_bytes &&
           (path->known & LIVETCP_PATH_UNSENT) &&
           path->unsent_bytes >= livetcp_engine_unsent_limit(session, index);
}

uint32_t livetcp_engine_wants_room(const livetcp_engine *session)
{
    uint32_t wanted = 0;

    if (session->retry_policy_us == LIVETCP_NEVER)
        return 0;
    for (unsigned i = 0; i < session->count; i++)
        if (waits_to_be_sent(session, i))
            wanted |= UINT32_C(1) << i;
    return wanted;
}
