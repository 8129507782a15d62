/* SPDX-License-Identifier: MIT */
/* The estimated bit rate: what the session knows anyway, shown to engine/rate/bitrate.c. */
#include "engine/session_internal.h"

/* Facts may come at thousands of packets a second; the estimate does not change so often. */
#define LOOK_US 5000

/* What the peer has, in order or not. Both counts include what was written since the platform was
 * asked, so the difference only changes with its answers. */
static void see_delivered(livetcp_engine *session, lt_connection *connection)
{
    const livetcp_path *path = connection->path;
    uint64_t away = 0;

    if (path->known & LIVETCP_PATH_QUEUED)
        away = path->queued_bytes;
    if (path->known & LIVETCP_PATH_SACKED)
        away -= path->sacked_bytes < away ? path->sacked_bytes : away;
    if (connection->stream_bytes < connection->delivered_bytes + away)
        return;
    uint64_t delivered = connection->stream_bytes - away;
    session->delivered_bytes += delivered - connection->delivered_bytes;
    connection->delivered_bytes = delivered;
}

void lt_session_look_at_bitrate(livetcp_engine *session, livetcp_usec now)
{
    const lt_packet *oldest = lt_send_queue_front(session->queue);

    if (!session->facts_came || now < session->look_at_us)
        return;
    session->facts_came = false;
    session->look_at_us = now + LOOK_US;
    for (unsigned i = 0; i < session->count; i++)
        see_delivered(session, &session->connections[i]);
    lt_bitrate_sample sample = {.now_us = now,
                                .delivered = session->delivered_bytes,
                                .written = session->stats.sent.bytes,
                                .media = session->media_written,
                                .media_rate = lt_budget_media_rate(&session->budget, now),
                                .queue_delay_us = oldest ? now - oldest->enqueued_us : 0,
                                .paths = session->paths,
                                .path_count = session->count};
    if (lt_bitrate_update(&session->bitrate, &sample))
        lt_session_emit(session,
                        (livetcp_engine_event){.type = LIVETCP_ENGINE_BITRATE,
                                               .bitrate = lt_bitrate_get(&session->bitrate)});
}
