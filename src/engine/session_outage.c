/* SPDX-License-Identifier: MIT */
/* Outages of all connections: probes over the links in turn, and the spare connection. */
#include "engine/session.h"

/* The next link, in ascending order and round again, over which the session has connections. */
static unsigned next_link(const livetcp_engine *engine, unsigned link)
{
    unsigned next = link, first = LIVETCP_MAX_LINKS;

    for (unsigned i = 0; i < lt_links_count(engine->links); i++) {
        unsigned other = lt_session_path(engine, i)->link;
        if (other > link && (next == link || other < next))
            next = other;
        if (other < first)
            first = other;
    }
    return next > link ? next : first;
}

/* Closes the spare connection of an earlier outage, which is silent too, or was never established.
 * Its packets in flight are sent again elsewhere. */
static void free_spare(livetcp_engine *engine, livetcp_usec now)
{
    unsigned spare;

    if (lt_links_spare_is_up(engine->links, &spare))
        lt_session_begin_close(engine, spare, LIVETCP_OK, false, now);
}

bool livetcp_engine_next_outage_probe(livetcp_engine *engine, livetcp_usec now, unsigned *probe,
                                      unsigned *link)
{
    if (!lt_outage_probes_next(&engine->outage, now, probe))
        return false;
    if (lt_outage_probes_would_end(&engine->outage, *probe))
        free_spare(engine, now);
    *link = engine->probed_link = next_link(engine, engine->probed_link);
    return true;
}

uint32_t livetcp_engine_outage_probes(const livetcp_engine *engine)
{
    return engine->outage.in_flight;
}

void livetcp_engine_outage_probe_lost(livetcp_engine *engine, unsigned probe)
{
    if (probe < LIVETCP_MAX_OUTAGE_PROBES)
        lt_outage_probes_lost(&engine->outage, probe);
}

bool livetcp_engine_outage_probe_connected(livetcp_engine *engine, unsigned probe,
                                           unsigned *connection, livetcp_usec now)
{
    unsigned spare;

    if (probe >= LIVETCP_MAX_OUTAGE_PROBES ||
        !lt_outage_probes_answered(&engine->outage, probe, now) ||
        !lt_links_has_spare(engine->links) || lt_links_spare_is_up(engine->links, &spare))
        return false;
    *connection = lt_links_take_spare(engine->links, now);
    return true;
}

void lt_session_close_spare(livetcp_engine *engine, livetcp_usec now)
{
    unsigned spare;

    if (lt_links_spare_is_done(engine->links, &spare))
        lt_session_begin_close(engine, spare, LIVETCP_OK, false, now);
}

/* Start of the silence of all connections; LIVETCP_NEVER = something gets through. It lasts while
 * the connections that were given up after the last outage wait for their successors. */
static livetcp_usec silent_since(const livetcp_engine *engine)
{
    if (!lt_links_open(engine->links) && engine->outage.silent)
        return engine->outage.since_us;
    return lt_link_health_outage_since(&engine->health, engine->links);
}

void lt_session_watch_for_outage(livetcp_engine *engine, livetcp_usec now)
{
    bool useful = !lt_life_is_closing(&engine->life) && lt_links_has_spare(engine->links);

    lt_outage_probes_update(&engine->outage, useful ? silent_since(engine) : LIVETCP_NEVER,
                            lt_links_round_trip(engine->links));
    lt_session_close_spare(engine, now);
}
