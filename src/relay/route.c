/* SPDX-License-Identifier: MIT */
#include "relay/route.h"

#include "base/error.h"
#include "relay/plan/packing.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 256 }; /* packets of a file in a session's send queue */

/* True if packets of one end go to the other: from IN to all OUTs, and from each OUT to IN. */
static bool face(const lt_relay_end *a, const lt_relay_end *b)
{
    return (a->index == 0) != (b->index == 0);
}

/* ---- what ends tell ---- */

static void on_packet(lt_relay_end *end, const lt_relay_packet *packet)
{
    lt_relay_route *route = end->owner;

    if (route->finishing)
        return;
    route->active_us = packet->arrival_us;
    lt_relay_pcap_put(route->pcap, route->number, end->index, packet->rtcp, packet->data,
                      packet->size);
    for (unsigned i = 0; i < route->count; i++)
        if (face(end, route->ends[i]))
            route->ends[i]->kind->deliver(route->ends[i], packet);
}

/* RTP packets that the relay itself composes have a clock rate of 90 kHz. */
static void set_clock_rate(const lt_relay_end *other, livetcp_session *session)
{
    const lt_relay_location *l = &other->location;

    if (l->scheme != LT_RELAY_LIVETCP && l->encap != LT_RELAY_ENCAP_RTP)
        (void)livetcp_session_set_clock_rate(
            session, l->encap == LT_RELAY_ENCAP_RAW ? (int)l->payload_type : LT_RELAY_TS_TYPE,
            90000);
}

static void on_session(lt_relay_end *end, livetcp_session *session)
{
    lt_relay_route *route = end->owner;

    for (unsigned i = 0; i < route->count && !route->finishing; i++) {
        lt_relay_end *other = route->ends[i];
        if (!face(end, other))
            continue;
        set_clock_rate(other, session);
        if (other->kind->attach)
            other->kind->attach(other, session);
    }
}

static void on_open(lt_relay_end *end, const char *remote)
{
    lt_relay_route *route = end->owner;

    route->events->on_open(route, remote, route->events->user);
}

static void on_left(lt_relay_end *end, const char *remote, const char *why)
{
    lt_relay_route *route = end->owner;

    route->events->on_left(route, remote, why, route->events->user);
}

static void on_input_ended(lt_relay_end *end)
{
    lt_relay_route *route = end->owner;

    route->events->on_input_ended(route, route->events->user);
}

typedef struct fullness {
    bool open, full;
} fullness;

static void look_at(livetcp_session *session, const char *remote, void *user)
{
    fullness *f = user;
    livetcp_session_stats stats = {.struct_size = sizeof stats};

    (void)remote;
    if (livetcp_session_get_state(session) != LIVETCP_SESSION_OPEN ||
        livetcp_session_get_stats(session, &stats) != LIVETCP_OK)
        return;
    f->open = true;
    f->full = f->full || stats.sent.queue_packets > AHEAD;
}

static bool is_full(const lt_relay_end *end)
{
    const lt_relay_route *route = end->owner;
    fullness f = {.open = false};
    bool sessions = false;

    for (unsigned i = 0; i < route->count && !route->finishing; i++) {
        if (!route->ends[i]->kind->sessions)
            continue;
        sessions = true;
        route->ends[i]->kind->sessions(route->ends[i], look_at, &f);
    }
    return sessions && (!f.open || f.full);
}

static void free_if_over(lt_relay_route *route)
{
    if (route->unfinished || route->holding)
        return;
    if (route->events)
        route->events->on_finished(route, route->events->user);
    free(route);
}

static void on_finished(lt_relay_end *end)
{
    lt_relay_route *route = end->owner;

    route->ends[end->index] = NULL;
    route->unfinished--;
    free_if_over(route);
}

static const lt_relay_end_events events = {.on_packet = on_packet,
                                           .on_session = on_session,
                                           .on_open = on_open,
                                           .on_left = on_left,
                                           .on_input_ended = on_input_ended,
                                           .is_full = is_full,
                                           .on_finished = on_finished};

static void ignore_open(lt_relay_route *route, const char *remote, void *user)
{
    (void)route;
    (void)remote;
    (void)user;
}

static void ignore_left(lt_relay_route *route, const char *remote, const char *why, void *user)
{
    (void)why;
    ignore_open(route, remote, user);
}

static void ignore_route(lt_relay_route *route, void *user)
{
    ignore_open(route, "", user);
}

static const lt_relay_route_events nobody = {.on_open = ignore_open,
                                             .on_left = ignore_left,
                                             .on_input_ended = ignore_route,
                                             .on_finished = ignore_route};

/* ---- start and end ---- */

static lt_relay_end *make_end(const lt_relay_location *location)
{
    switch (location->scheme) {
    case LT_RELAY_UDP:
    case LT_RELAY_RTP:
        return lt_relay_udp_create();
    case LT_RELAY_LIVETCP:
        return lt_relay_session_create();
    case LT_RELAY_CONSOLE:
        return lt_relay_console_create();
    case LT_RELAY_SRT:
#ifdef LT_RELAY_HAS_SRT
        return lt_relay_srt_create();
#else
        break; /* cannot happen: such a URI was refused */
#endif
    }
    return NULL;
}

static livetcp_result add_end(lt_relay_route *route, const lt_relay_location *location,
                              const lt_relay_world *world, livetcp_error *error)
{
    lt_relay_end *end = make_end(location);

    if (!end)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    end->events = &events;
    end->owner = route;
    end->world = world;
    end->route = route->name;
    end->index = route->count;
    end->location = *location;
    route->ends[route->count++] = end;
    route->unfinished++;
    return LIVETCP_OK;
}

livetcp_result lt_relay_route_start(const lt_relay_plan_route *plan, unsigned number,
                                    const lt_relay_world *world,
                                    const lt_relay_route_events *route_events, lt_relay_pcap *pcap,
                                    lt_relay_route **route, livetcp_error *error)
{
    lt_relay_route *made = calloc(1, sizeof *made);
    livetcp_result result = LIVETCP_OK;

    *route = NULL;
    if (!made)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    memcpy(made->name, plan->name, sizeof made->name);
    made->number = number;
    made->events = route_events;
    made->pcap = pcap;
    for (unsigned i = 0; i < plan->count && result == LIVETCP_OK; i++)
        result = add_end(made, &plan->ends[i], world, error);
    /* OUTs first, so that no packet of IN is lost. */
    for (unsigned i = made->count; i-- && result == LIVETCP_OK;)
        result = made->ends[i]->kind->start(made->ends[i], error);
    if (result == LIVETCP_OK) {
        *route = made;
    } else {
        made->events = &nobody;
        lt_relay_route_finish(made, 0);
    }
    return result;
}

typedef struct detaching {
    lt_relay_route *route;
    lt_relay_end *end;
} detaching;

static void detach(livetcp_session *session, const char *remote, void *user)
{
    const detaching *d = user;

    (void)remote;
    for (unsigned i = 0; i < d->route->count; i++) {
        lt_relay_end *other = d->route->ends[i];
        if (other && face(d->end, other) && other->kind->detach)
            other->kind->detach(other, session);
    }
}

void lt_relay_route_finish(lt_relay_route *route, livetcp_usec drain_us)
{
    if (route->finishing)
        return;
    route->finishing = route->holding = true;
    for (unsigned i = 0; i < route->count; i++) {
        lt_relay_end *end = route->ends[i];
        detaching d = {.route = route, .end = end};
        if (end->kind->sessions)
            end->kind->sessions(end, detach, &d);
    }
    for (unsigned i = 0; i < route->count; i++)
        if (route->ends[i])
            route->ends[i]->kind->finish(route->ends[i], drain_us);
    route->holding = false;
    free_if_over(route);
}
