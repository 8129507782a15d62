/* SPDX-License-Identifier: MIT */
/* The session's side of engine/reports: how its frames get out, and the owner's calls that concern
 * it. */
#include "engine/session_internal.h"

_Static_assert(LT_REPORTS_FRAME_MAX <= LT_OUTBOX_CONTROL, "a report must fit an outbox");

static bool has_way(const void *user)
{
    const livetcp_engine *session = user;

    for (unsigned i = 0; i < session->count; i++)
        if (session->paths[i].usable && !session->paths[i].blocked)
            return true;
    return false;
}

static lt_connection *quickest(livetcp_engine *session, livetcp_usec now)
{
    lt_connection *best = NULL;
    livetcp_usec min = LIVETCP_NEVER;

    for (unsigned i = 0; i < session->count; i++) {
        const livetcp_path *path = &session->paths[i];
        if (!path->usable || path->blocked)
            continue;
        livetcp_usec forecast = livetcp_path_forecast(path, LT_CONTROL_MAX, now);
        if (forecast < min) {
            min = forecast;
            best = &session->connections[i];
        }
    }
    return best;
}

static bool write_frame(void *user, int slot, const uint8_t *frame, size_t size, livetcp_usec now)
{
    livetcp_engine *session = user;
    lt_connection *connection =
        slot == LT_REPORTS_QUICKEST ? quickest(session, now) : &session->connections[slot];

    return lt_outbox_add_control(&connection->outbox, frame, size);
}

livetcp_result lt_session_prepare_reports(livetcp_engine *session, const char *cname)
{
    lt_reports_setup setup = {
        .config = &session->config,
        .cname = cname,
        .random = session->random,
        .random_user = session->random_user,
        .rng = &session->jitter,
        .sink = {.user = session, .has_way = has_way, .write = write_frame},
    };

    return lt_reports_create(&setup, &session->reports);
}

void lt_session_deliver_media(void *user, const lt_arrival *arrival)
{
    livetcp_engine *session = user;
    lt_rtp_header header;

    if (lt_rtp_parse(arrival->data, arrival->size, &header))
        lt_reports_on_delivered(session->reports, arrival, &header, session->now_us);
    lt_session_hand_over(session, arrival);
}

void lt_session_expire_reports(livetcp_engine *session, livetcp_usec now)
{
    const lt_reassembly_stats *received = lt_reassembly_get_stats(session->reassembly);
    lt_reports_view view = {.paths = session->paths,
                            .count = session->count,
                            .gaps = received->gaps,
                            .late_order = received->late_discarded};

    lt_reports_expire(session->reports, &view, now);
}

/* ---- the owner's calls ---- */

livetcp_result livetcp_engine_set_clock_rate(livetcp_engine *session, int payload_type, uint32_t hz)
{
    return lt_reports_set_clock_rate(session->reports, payload_type, hz);
}

void livetcp_engine_set_wall_clock(livetcp_engine *session, livetcp_usec ahead_us)
{
    lt_reports_set_wall_clock(session->reports, ahead_us);
}

livetcp_result livetcp_engine_report_playout(livetcp_engine *session,
                                             const livetcp_playout_report *report)
{
    return lt_reports_on_playout(session->reports, report);
}

void livetcp_engine_has_timestamps(livetcp_engine *session, unsigned index)
{
    lt_reports_has_timestamps(session->reports, index);
}

void livetcp_engine_tx_timestamp(livetcp_engine *session, unsigned index,
                                 const livetcp_tx_timestamp *timestamp, livetcp_usec now)
{
    if (lt_connection_has_socket(&session->connections[index]))
        lt_reports_on_tx_timestamp(session->reports, &session->paths[index], timestamp, now);
}
