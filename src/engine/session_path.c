/* SPDX-License-Identifier: MIT */
/* Path information, and the components that use it. */
#include "engine/session.h"

/* A slot's path info was updated; `before` is the previous TCP state. */
static void on_path_info(livetcp_engine *engine, unsigned slot, livetcp_tcp_state before,
                         livetcp_usec now)
{
    const livetcp_path *path = lt_session_path(engine, slot);
    lt_rate *rate = lt_link_rates_of(&engine->rates, slot);

    lt_rate_on_path_info(rate, slot, path, now);
    lt_rate_on_path_sample(rate, lt_links_path_sample(engine->links, slot), now);
    lt_link_meter_on_path_info(&engine->meter, slot, path);
    lt_link_health_on_path_info(&engine->health, engine->links, slot, now);
    lt_repair_acknowledged(engine->repair, engine->links, slot, now);
    lt_reports_on_path_info(engine->reports, path, now);
    if (path->tcp_state >= LIVETCP_TCP_RECOVERY && before < LIVETCP_TCP_RECOVERY)
        lt_repair_alarm(engine->repair, slot, now);
}

/* The slots, among these (bits), whose path info would equal the last one. */
static uint32_t unchanged_of(const livetcp_engine *engine, uint32_t slots, livetcp_usec now)
{
    uint32_t unchanged = 0;

    for (uint32_t left = slots; left; left &= left - 1)
        if (lt_links_is_unchanged(engine->links, (unsigned)__builtin_ctz(left), now))
            unchanged |= left & -left;
    return unchanged;
}

void lt_session_answer_unchanged(livetcp_engine *engine, unsigned end, livetcp_usec now)
{
    uint32_t below = end < LIVETCP_MAX_CONNECTIONS ? (UINT32_C(1) << end) - 1 : UINT32_MAX;

    for (uint32_t left = engine->unchanged & below; left; left &= left - 1) {
        unsigned slot = (unsigned)__builtin_ctz(left);
        if (!lt_links_is_unchanged(engine->links, slot, now))
            continue;
        lt_links_path_info_again(engine->links, slot, now);
        on_path_info(engine, slot, lt_session_path(engine, slot)->tcp_state, now);
    }
    engine->unchanged &= ~below;
}

uint32_t livetcp_engine_wants_path_info(livetcp_engine *engine, livetcp_usec now)
{
    bool placing = lt_sender_uses_path_info(engine->sender) &&
                   (lt_sender_queued(engine->sender) || lt_sender_copy_due(engine->sender, now));
    uint32_t slots = placing ? UINT32_MAX : lt_repair_wants_path_info(engine->repair, now);

    slots |= lt_link_rates_wants_path_info(&engine->rates);

    slots = lt_links_stale(engine->links, slots, now);
    engine->unchanged = unchanged_of(engine, slots, now);
    return slots & ~engine->unchanged;
}

void livetcp_engine_path_info(livetcp_engine *engine, unsigned connection, const livetcp_path *info,
                              livetcp_usec now)
{
    const livetcp_path *path =
        lt_session_is_slot(connection) ? lt_session_path(engine, connection) : NULL;
    livetcp_tcp_state before = path ? path->tcp_state : LIVETCP_TCP_UNKNOWN;

    if (!path)
        return;
    lt_session_answer_unchanged(engine, connection, now);
    if (lt_links_path_info(engine->links, connection, info, now))
        on_path_info(engine, connection, before, now);
}

void livetcp_engine_has_timestamps(livetcp_engine *engine, unsigned connection)
{
    if (lt_session_is_slot(connection))
        lt_reports_has_timestamps(engine->reports, connection);
}

void livetcp_engine_tx_timestamp(livetcp_engine *engine, unsigned connection,
                                 const livetcp_tx_timestamp *timestamp, livetcp_usec now)
{
    if (lt_session_is_slot(connection) && lt_links_has_socket(engine->links, connection))
        lt_reports_on_tx_timestamp(engine->reports, lt_session_path(engine, connection), timestamp,
                                   now);
}
