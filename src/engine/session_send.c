/* SPDX-License-Identifier: MIT */
/* Output: the application's packets, and the next write. */
#include "engine/session.h"

livetcp_result livetcp_engine_send(livetcp_engine *engine, const void *packet, size_t size,
                                   const livetcp_packet_info *info, livetcp_usec now)
{
    livetcp_result result;
    bool rtcp;

    if (lt_life_is_closing(&engine->life) || lt_life_is_closed(&engine->life))
        return LIVETCP_ERR_CLOSED;
    result = lt_sender_accept(engine->sender, packet, size, info, now, &rtcp);
    if (result != LIVETCP_OK)
        return result;
    if (rtcp)
        lt_reports_on_own_rtcp(engine->reports, packet, size);
    else
        lt_reports_on_accepted(engine->reports, size, lt_link_rates_adapts(&engine->rates), now);
    lt_repair_not_idle(engine->repair, engine->links, now);
    return LIVETCP_OK;
}

/* Links without connections have no rate, and no limit. */
static void limit_links(livetcp_engine *engine, livetcp_usec now)
{
    uint32_t full = 0;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        const lt_rate *rate = lt_link_rates_at(&engine->rates, i);
        if (!rate)
            continue;
        lt_sender_limit(engine->sender, i,
                        &(lt_link_limit){.window = lt_rate_window(rate),
                                         .rate = lt_rate_carries(rate),
                                         .extra_allowed = lt_rate_has_room(rate),
                                         .overrun = lt_rate_is_overrun(rate),
                                         .filled = lt_rate_is_filled(rate, now),
                                         .headroom = lt_rate_headroom(rate)});
        full |= lt_rate_takes_probes(rate, now) ? 0 : UINT32_C(1) << i;
    }
    lt_repair_set_full_links(engine->repair, full);
}

/* Reinjects the packets in flight on a link that has just stalled, at once and regardless of the
 * budget, as those of a lost connection. */
static void reinject_stalled(livetcp_engine *engine, livetcp_usec now)
{
    uint32_t stalled = lt_link_health_update(&engine->health, engine->links, now);

    for (unsigned i = lt_links_count(engine->links); stalled && i-- > 0;)
        if (stalled >> lt_session_path(engine, i)->link & 1)
            lt_session_take_back_written(engine, i);
}

/* Warns that the path is slower than min-bitrate: the encoder cannot go lower, and packets are
 * dropped. */
static void warn_of_shortage(livetcp_engine *engine, livetcp_usec now)
{
    uint32_t carried = lt_link_rates_take_shortage(&engine->rates, now);

    if (carried)
        lt_events_add(&engine->events,
                      &(livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                              .reason = LIVETCP_ERR_TOO_SLOW,
                                              .bitrate = carried,
                                              .min_bitrate = engine->config.min_bitrate});
}

static void update_rate(livetcp_engine *engine, livetcp_usec now)
{
    lt_rate_view view;

    if (!lt_link_rates_wants_update(&engine->rates, now))
        return;
    uint64_t media_rate = lt_sender_media_rate(engine->sender, now);
    view = (lt_rate_view){.paths = lt_links_paths(engine->links),
                          .count = lt_links_count(engine->links),
                          .media_rate = media_rate,
                          .session_rate = media_rate,
                          .offered = lt_sender_offered(engine->sender),
                          .queue_delay_us = lt_sender_queue_delay(engine->sender, now),
                          .queue_bytes = lt_sender_queued_bytes(engine->sender),
                          .limit_us = engine->config.max_send_delay_us,
                          .answered = lt_reports_is_answered(engine->reports, now)};
    bool changed = lt_link_rates_update(&engine->rates, &view, now);
    limit_links(engine, now);
    reinject_stalled(engine, now);
    lt_session_watch_for_outage(engine, now);
    if (lt_links_leave_longer_routes(engine->links, now))
        lt_session_close_failed(engine, now);
    lt_session_give_up_stuck(engine, now);
    warn_of_shortage(engine, now);
    if (changed)
        lt_events_add(&engine->events,
                      &(livetcp_engine_event){.type = LIVETCP_ENGINE_BITRATE,
                                              .bitrate = lt_link_rates_get(&engine->rates)});
}

static bool next_in_outboxes(livetcp_engine *engine, livetcp_usec now, livetcp_engine_write *write)
{
    const lt_packet *finishing;

    if (!lt_sender_next_write(engine->sender, engine->links, write, &finishing))
        return false;
    write->timestamp =
        lt_reports_wants_timestamp(engine->reports, write->connection, finishing, now);
    return true;
}

/* True if another copy of a packet in flight was placed. */
static bool review(livetcp_engine *engine, livetcp_usec now)
{
    lt_packet *packet;

    while ((packet = lt_repair_next_due(engine->repair, engine->links, now))) {
        bool copied = lt_sender_review(engine->sender, engine->links, packet, now);
        lt_repair_reviewed(engine->repair, packet, copied, now);
        if (copied)
            return true; /* the next ones when that is written */
    }
    return false;
}

static bool place_parity(livetcp_engine *engine, livetcp_usec now)
{
    lt_packet *parity = lt_repair_next_parity(engine->repair, now);
    lt_parity_placed placed;

    if (!parity)
        return false;
    placed = lt_sender_place_parity(engine->sender, engine->links, parity,
                                    lt_repair_parity_known(engine->repair, parity), now);
    if (placed != LT_PARITY_WAITS)
        lt_repair_parity_placed(engine->repair, placed == LT_PARITY_PLACED);
    return placed == LT_PARITY_PLACED;
}

static bool place(livetcp_engine *engine, livetcp_usec now)
{
    lt_placed placed;

    /* During an outage new packets stay in the send queue, where they can be dropped, or take the
     * connection that recovers first. */
    if (lt_outage_probes_is_away(&engine->outage) ||
        !lt_sender_place(engine->sender, engine->links, now, &placed))
        return false;
    bool parity =
        placed.protect && lt_repair_protect(engine->repair, engine->links, placed.packet, now);
    lt_reports_on_placed(engine->reports, placed.packet, placed.copies, parity);
    lt_packet_unref(&placed.packet); /* the outboxes have references */
    return true;
}

static uint32_t slots_on(const livetcp_engine *engine, unsigned link)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < lt_links_count(engine->links); i++)
        slots |= lt_session_path(engine, i)->link == link ? UINT32_C(1) << i : 0;
    return slots;
}

/* Writes padding for a rate probe: only behind all media, and on connections that can write now. */
static bool pad(livetcp_engine *engine, livetcp_usec now)
{
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        lt_rate *rate = lt_link_rates_at(&engine->rates, i);
        uint64_t due = rate ? lt_rate_padding_due(rate, now) : 0;
        if (!due)
            continue;
        size_t size = engine->plain || lt_sender_queued(engine->sender)
                          ? 0
                          : lt_repair_pad(engine->repair, engine->links, slots_on(engine, i), due);
        lt_rate_on_padding(rate, size, now);
        if (size)
            return true;
    }
    return false;
}

/* Order: the rest of a packet that is partly written, packets to repair, which may still be in
 * time, then new ones. */
bool livetcp_engine_next_write(livetcp_engine *engine, livetcp_usec now,
                               livetcp_engine_write *write)
{
    lt_session_answer_unchanged(engine, LIVETCP_MAX_CONNECTIONS, now);
    update_rate(engine, now);
    if (next_in_outboxes(engine, now, write))
        return true;
    lt_sender_space_copies(engine->sender, lt_repair_copy_spacing(engine->repair),
                           lt_repair_burst(engine->repair), lt_repair_joint_loss(engine->repair));
    lt_sender_begin_round(engine->sender, engine->links, now);
    if (!lt_sender_queued(engine->sender))
        lt_session_check_drained(engine, now);
    if (review(engine, now) || lt_sender_place_delayed_copy(engine->sender, engine->links, now) ||
        place_parity(engine, now) || place(engine, now) ||
        lt_repair_probe(engine->repair, engine->links, now) || pad(engine, now))
        return next_in_outboxes(engine, now, write);
    if (lt_sender_drained(engine->sender))
        lt_events_add(&engine->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_DRAINED});
    return false;
}

size_t livetcp_engine_queued(const livetcp_engine *engine)
{
    return lt_sender_queued(engine->sender);
}

void livetcp_engine_wrote(livetcp_engine *engine, unsigned connection, size_t size,
                          livetcp_usec now)
{
    livetcp_engine_wrote_as(engine, connection, size, size, now);
}

void livetcp_engine_wrote_as(livetcp_engine *engine, unsigned connection, size_t size,
                             size_t wire_size, livetcp_usec now)
{
    lt_packet *complete;
    bool first;

    if (!lt_session_is_slot(connection))
        return;
    complete = lt_sender_wrote(engine->sender, connection, size, &first);
    lt_rate_on_written(lt_link_rates_of(&engine->rates, connection), connection,
                       lt_session_path(engine, connection), wire_size, first ? complete : NULL,
                       now);
    lt_link_health_wrote(&engine->health, lt_session_path(engine, connection)->link, now);
    lt_link_meter_wrote(&engine->meter, lt_session_path(engine, connection), wire_size, now);
    lt_links_wrote(engine->links, connection, wire_size, now);
    if (complete)
        lt_links_wrote_packet(engine->links, connection, first);
    if (first)
        lt_reports_on_written(engine->reports, lt_session_path(engine, connection), complete,
                              lt_links_stream_bytes(engine->links, connection), now);
    if (complete)
        lt_repair_written(engine->repair, engine->links, connection, complete, now);
    lt_session_check_drained(engine, now);
}

/* ---- space in send buffers ---- */

void livetcp_engine_blocked(livetcp_engine *engine, unsigned connection)
{
    if (lt_session_is_slot(connection))
        lt_links_blocked(engine->links, connection);
}

void livetcp_engine_writable(livetcp_engine *engine, unsigned connection)
{
    if (lt_session_is_slot(connection))
        lt_links_writable(engine->links, connection);
}

uint32_t livetcp_engine_wants_writable(const livetcp_engine *engine)
{
    return lt_sender_wants_writable(engine->sender, engine->links);
}

uint32_t livetcp_engine_unsent_limit(const livetcp_engine *engine, unsigned connection)
{
    return lt_session_is_slot(connection)
               ? lt_sender_unsent_limit(engine->sender, lt_session_path(engine, connection))
               : UINT32_MAX;
}
