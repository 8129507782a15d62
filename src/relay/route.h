/* SPDX-License-Identifier: MIT */
/* A running route: packets from IN go to every OUT, packets from an OUT go to IN. */
#ifndef LT_RELAY_ROUTE_H
#define LT_RELAY_ROUTE_H

#include "relay/end.h"
#include "relay/pcap.h"
#include "relay/plan/plan.h"

typedef struct lt_relay_route lt_relay_route;

typedef struct lt_relay_route_events {
    void (*on_open)(lt_relay_route *route, const char *remote, void *user);
    void (*on_left)(lt_relay_route *route, const char *remote, const char *why, void *user);
    void (*on_input_ended)(lt_relay_route *route, void *user);
    void (*on_finished)(lt_relay_route *route, void *user); /* the route is freed after this */
    void *user;
} lt_relay_route_events;

struct lt_relay_route {
    char name[LT_RELAY_NAME];
    unsigned number; /* in order of start, from 0 */
    lt_relay_end *ends[1 + LT_RELAY_OUTS_MAX];
    unsigned count, unfinished;
    livetcp_usec active_us; /* time of the last packet; 0: never */
    const lt_relay_route_events *events;
    lt_relay_pcap *pcap;
    bool finishing, holding;
};

/* Creates and starts the ends. `world`, `events` and `pcap` must outlive the route. On failure
 * *route is NULL; ends that were started finish by themselves, without events. */
livetcp_result lt_relay_route_start(const lt_relay_plan_route *plan, unsigned number,
                                    const lt_relay_world *world,
                                    const lt_relay_route_events *events, lt_relay_pcap *pcap,
                                    lt_relay_route **route, livetcp_error *error);

/* Ends the route; calls on_finished() later, or within this call. */
void lt_relay_route_finish(lt_relay_route *route, livetcp_usec drain_us);

#endif
