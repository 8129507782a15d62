/* SPDX-License-Identifier: MIT */
#include "engine/links/connection.h"

#include <string.h>

void lt_connection_reset(lt_connection *connection)
{
    lt_packet *cut_short = lt_outbox_clear(&connection->outbox);

    lt_packet_unref(&cut_short);
    lt_unacked_clear(&connection->unacked);
    connection->stream_bytes = 0;
    connection->chase_at_us = LIVETCP_NEVER;
    connection->last_media_us = LIVETCP_NEVER;
    connection->gap_us = 0;
    lt_deframer_clear(&connection->deframer);
    lt_path_reset(connection->path, connection->index);
    memset(&connection->handshake, 0, sizeof connection->handshake);
    memset(&connection->pending, 0, sizeof connection->pending);
    connection->handshake_started = false;
    connection->doomed = false;
    connection->connect_at_us = LIVETCP_NEVER;
    connection->join_by_us = LIVETCP_NEVER;
    connection->ping_at_us = LIVETCP_NEVER;
    connection->silent_from_us = LIVETCP_NEVER;
    connection->facts_at_us = INT64_MIN;
}
