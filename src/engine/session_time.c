/* SPDX-License-Identifier: MIT */
/* A session's deadline, and the work that is due at it. */
#include "engine/session.h"

#include "base/usec.h"

void livetcp_engine_set_wall_clock(livetcp_engine *engine, livetcp_usec ahead_us)
{
    lt_reports_set_wall_clock(engine->reports, ahead_us);
}

livetcp_usec livetcp_engine_deadline(const livetcp_engine *engine)
{
    livetcp_usec due = LIVETCP_NEVER;

    if (lt_life_is_closed(&engine->life))
        return LIVETCP_NEVER;
    due = lt_usec_min(due, lt_links_deadline(engine->links));
    due = lt_usec_min(due, lt_outage_probes_deadline(&engine->outage));
    due = lt_usec_min(due, lt_receiver_deadline(engine->receiver));
    due = lt_usec_min(due, lt_sender_deadline(engine->sender));
    due = lt_usec_min(due, lt_link_rates_deadline(&engine->rates));
    due = lt_usec_min(due, lt_repair_deadline(engine->repair));
    due = lt_usec_min(due, lt_reports_deadline(engine->reports));
    return lt_usec_min(due, lt_life_deadline(&engine->life));
}

static void expire_reports(livetcp_engine *engine, livetcp_usec now)
{
    const lt_reassembly_stats *media = lt_receiver_get_media(engine->receiver);
    lt_reports_view view = {.paths = lt_links_paths(engine->links),
                            .count = lt_links_count(engine->links),
                            .gaps = media->gaps,
                            .late_order = media->late_discarded,
                            .copy_spacing_us = lt_repair_copy_spacing(engine->repair)};

    lt_reports_expire(engine->reports, &view, now);
}

void livetcp_engine_expire(livetcp_engine *engine, livetcp_usec now)
{
    if (lt_life_is_closed(&engine->life))
        return;
    engine->now_us = now;
    lt_links_expire(engine->links, now);
    lt_session_close_failed(engine, now);
    lt_session_close_spare(engine, now);
    lt_repair_expire(engine->repair, now);
    expire_reports(engine, now);
    lt_receiver_expire(engine->receiver, now);
    lt_sender_expire(engine->sender, engine->links, now);
    lt_link_rates_expire(&engine->rates, now);
    if (lt_life_is_abandoned(&engine->life, now))
        livetcp_engine_close(engine, lt_links_last_loss(engine->links), 0, now);
    lt_session_check_drained(engine, now);
}
