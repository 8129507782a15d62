/* SPDX-License-Identifier: MIT */
/* The routes of a relay: from the words of a command line, or from a file in YAML. */
#ifndef LT_RELAY_PLAN_H
#define LT_RELAY_PLAN_H

#include "relay/plan/location.h"

enum {
    LT_RELAY_OUTS_MAX = 32,
    LT_RELAY_ROUTES_MAX = 1000,
    LT_RELAY_NAME = 64, /* bytes of a route's name, the NUL included */
    LT_RELAY_URI = 1024,
};

typedef struct lt_relay_plan_route {
    char name[LT_RELAY_NAME];          /* "" on the command line: there is one */
    char *uris[1 + LT_RELAY_OUTS_MAX]; /* IN, OUTs, as written */
    lt_relay_location *ends;           /* of them */
    unsigned count;
} lt_relay_plan_route;

typedef struct lt_relay_plan {
    lt_relay_plan_route *routes;
    unsigned count;
} lt_relay_plan;

/* One route, IN and at least one OUT. On failure the plan is empty. */
livetcp_result lt_relay_plan_words(lt_relay_plan *plan, const char *const *words,
                                   livetcp_error *error);

/* The text of a file; see docs/guide/relay.md. `name` is for messages, which say the line. Errors:
 * LIVETCP_ERR_NOT_SUPPORTED in builds without libyaml. On failure the plan is empty. */
livetcp_result lt_relay_plan_yaml(lt_relay_plan *plan, const char *name, const char *text,
                                  size_t size, livetcp_error *error);

/* The same name, and the same URIs. */
bool lt_relay_plan_route_equal(const lt_relay_plan_route *a, const lt_relay_plan_route *b);

/* Can this listener do what is wanted of all? */
typedef livetcp_result lt_relay_check(const livetcp_config *listener, livetcp_error *error);

/* Asks about each listener of the route; the message names its URI. `check` may be NULL. */
livetcp_result lt_relay_plan_route_check(const lt_relay_plan_route *route, lt_relay_check *check,
                                         livetcp_error *error);

/* Somebody calls one of its ends. */
bool lt_relay_plan_listens(const lt_relay_plan *plan);

void lt_relay_plan_clear(lt_relay_plan *plan);

/* Adds an empty route; NULL: out of memory, or too many. */
lt_relay_plan_route *lt_relay_plan_add(lt_relay_plan *plan, const char *name);

/* Adds IN, then OUTs. */
livetcp_result lt_relay_plan_route_add(lt_relay_plan_route *route, const char *uri,
                                       livetcp_error *error);

/* When all URIs are there: what only a whole route shows. */
livetcp_result lt_relay_plan_route_finish(lt_relay_plan_route *route, livetcp_error *error);

#endif
