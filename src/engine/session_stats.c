/* SPDX-License-Identifier: MIT */
/* Statistics of a session, gathered from the components. */
#include "base/error.h"
#include "base/sized.h"
#include "engine/session.h"

static unsigned count_links(const livetcp_engine *engine)
{
    unsigned count = 1;

    for (unsigned i = 0; i < lt_links_count(engine->links); i++)
        if (lt_session_path(engine, i)->link >= count)
            count = lt_session_path(engine, i)->link + 1U;
    return count;
}

livetcp_result livetcp_engine_get_stats(const livetcp_engine *engine, livetcp_usec now,
                                        livetcp_session_stats *stats)
{
    livetcp_session_stats all = {.struct_size = sizeof all};
    livetcp_result result = LT_CHECK_SIZED(stats, livetcp_session_stats, NULL);

    if (result != LIVETCP_OK)
        return result;
    all.received.protocol_errors = engine->protocol_errors;
    lt_link_rates_gather(&engine->rates, &all);
    lt_links_gather(engine->links, &all);
    lt_outage_probes_gather(&engine->outage, &all);
    all.links = count_links(engine);
    lt_sender_gather(engine->sender, engine->links, now, &all);
    lt_repair_gather(engine->repair, &all);
    lt_receiver_gather(engine->receiver, &all);
    lt_reports_gather(engine->reports, lt_links_paths(engine->links), lt_links_count(engine->links),
                      &all, now);
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_get_connection_stats(const livetcp_engine *engine,
                                                   unsigned connection, livetcp_usec now,
                                                   livetcp_connection_stats *stats)
{
    livetcp_connection_stats all = {.struct_size = sizeof all};
    const lt_receiver_slot_counts *received;
    livetcp_result result = LT_CHECK_SIZED(stats, livetcp_connection_stats, NULL);

    if (result != LIVETCP_OK)
        return result;
    if (connection >= lt_links_count(engine->links))
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "there is no connection %u: the session has 0..%u", connection,
                       lt_links_count(engine->links) - 1);
    received = lt_receiver_get_slot(engine->receiver, connection);
    all.packets_received = received->packets;
    all.bytes_read = received->bytes;
    lt_links_gather_slot(engine->links, connection, now, &all);
    lt_sender_gather_slot(engine->sender, connection, &all);
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_get_link_stats(const livetcp_engine *engine, unsigned link,
                                             livetcp_usec now, livetcp_link_stats *stats)
{
    livetcp_link_stats all = {.struct_size = sizeof all, .index = link};
    livetcp_session_stats rate = {.struct_size = sizeof rate};
    livetcp_result result = LT_CHECK_SIZED(stats, livetcp_link_stats, NULL);

    if (result != LIVETCP_OK)
        return result;
    if (link >= count_links(engine))
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "there is no link %u: the session has 0..%u", link, count_links(engine) - 1);
    lt_links_gather_link(engine->links, link, &all);
    lt_link_meter_gather(&engine->meter, link, now, &all);
    all.stalls = engine->health.stalls[link];
    for (unsigned i = 0; i < lt_links_count(engine->links); i++)
        if (lt_session_path(engine, i)->link == link)
            all.bytes_read += lt_receiver_get_slot(engine->receiver, i)->bytes;
    if (lt_link_rates_at(&engine->rates, link)) {
        lt_rate_gather(lt_link_rates_at(&engine->rates, link), &rate);
        all.congestion = rate.sent.congestion;
        all.window_bytes = rate.sent.window_bytes;
        all.estimated_bitrate = rate.sent.estimated_bitrate;
    }
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}
