/* SPDX-License-Identifier: MIT */
/* The routes of a relay, from the arguments of a command line or from a YAML file. */
#ifndef LT_RELAY_PLAN_H
#define LT_RELAY_PLAN_H

#include "relay/plan/location.h"

enum {
    LT_RELAY_OUTS_MAX = 32,
    LT_RELAY_ROUTES_MAX = 1000,
    LT_RELAY_NAME = 64, /* size of a route's name, with NUL */
    LT_RELAY_URI = 1024,
};

typedef struct lt_relay_plan_route {
    char name[LT_RELAY_NAME];          /* "" on the command line, which has one route */
    char *uris[1 + LT_RELAY_OUTS_MAX]; /* IN, OUTs, as written */
    lt_relay_location *ends;           /* parsed from `uris` */
    unsigned count;
} lt_relay_plan_route;

typedef struct lt_relay_plan {
    lt_relay_plan_route *routes;
    unsigned count;
} lt_relay_plan;

/* Reads one route, IN and at least one OUT. On failure the plan is empty. */
livetcp_result lt_relay_plan_words(lt_relay_plan *plan, const char *const *words,
                                   livetcp_error *error);

/* Reads the text of a file, described in docs/guide/relay.md. Messages have `name` and the line.
 * Errors: LIVETCP_ERR_NOT_SUPPORTED in builds without libyaml. On failure the plan is empty. */
livetcp_result lt_relay_plan_yaml(lt_relay_plan *plan, const char *name, const char *text,
                                  size_t size, livetcp_error *error);

/* True if name and URIs are equal. */
bool lt_relay_plan_route_equal(const lt_relay_plan_route *a, const lt_relay_plan_route *b);

/* Checks whether a listener supports the relay's options. */
typedef livetcp_result lt_relay_check(const livetcp_config *listener, livetcp_error *error);

/* Runs the check on each listener of the route; its message names the URI. `check` may be NULL. */
livetcp_result lt_relay_plan_route_check(const lt_relay_plan_route *route, lt_relay_check *check,
                                         livetcp_error *error);

/* True if one of its ends is a listener. */
bool lt_relay_plan_listens(const lt_relay_plan *plan);

void lt_relay_plan_clear(lt_relay_plan *plan);

/* Adds an empty route; NULL: out of memory, or too many. */
lt_relay_plan_route *lt_relay_plan_add(lt_relay_plan *plan, const char *name);

/* Call for IN first, then for each OUT. */
livetcp_result lt_relay_plan_route_add(lt_relay_plan_route *route, const char *uri,
                                       livetcp_error *error);

/* Call after the last URI: checks that need the whole route. */
livetcp_result lt_relay_plan_route_finish(lt_relay_plan_route *route, livetcp_error *error);

#endif
