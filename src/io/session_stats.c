/* SPDX-License-Identifier: MIT */
/* What the application may ask a session about. */
#include "base/sized.h"
#include "io/channel.h"
#include "io/clock.h"
#include "platform/probe.h"

#include <string.h>

livetcp_result livetcp_session_get_stats(livetcp_session *session, livetcp_session_stats *stats)
{
    livetcp_session_stats all = {.struct_size = sizeof all};

    if (!session || !lt_sized_valid(stats, 0))
        return LIVETCP_ERR_INVALID_ARGUMENT;
    uv_mutex_lock(&session->lock);
    livetcp_engine_get_stats(session->engine, lt_now(), &all);
    uv_mutex_unlock(&session->lock);
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}

/* Facts that the engine last needed may be old on a quiet session: ask anew. */
static void read_connection(livetcp_session *session, unsigned index,
                            livetcp_connection_stats *stats)
{
    const lt_channel *channel = session->slots[index].channel;

    if (channel) {
        livetcp_path facts = {.known = 0};
        lt_platform_probe(channel->socket, false, &facts);
        livetcp_engine_path_info(session->engine, index, &facts, lt_now());
    }
    livetcp_engine_get_connection_stats(session->engine, index, lt_now(), stats);
    memcpy(stats->local, channel ? channel->local : "", channel ? sizeof stats->local : 1);
    memcpy(stats->remote, channel ? channel->remote : "", channel ? sizeof stats->remote : 1);
}

livetcp_result livetcp_session_get_connection_stats(livetcp_session *session, unsigned connection,
                                                    livetcp_connection_stats *stats)
{
    livetcp_connection_stats all = {.struct_size = sizeof all};
    bool known;

    if (!session || !lt_sized_valid(stats, 0))
        return LIVETCP_ERR_INVALID_ARGUMENT;
    uv_mutex_lock(&session->lock);
    known = connection < livetcp_engine_connections(session->engine);
    if (known)
        read_connection(session, connection, &all);
    uv_mutex_unlock(&session->lock);
    if (!known)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}
