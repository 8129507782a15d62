/* SPDX-License-Identifier: MIT */
#include "relay/plan/plan.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

lt_relay_plan_route *lt_relay_plan_add(lt_relay_plan *plan, const char *name)
{
    lt_relay_plan_route *routes = plan->count < LT_RELAY_ROUTES_MAX
                                      ? realloc(plan->routes, (plan->count + 1) * sizeof *routes)
                                      : NULL;

    if (!routes)
        return NULL;
    plan->routes = routes;
    lt_relay_plan_route *route = &routes[plan->count++];
    *route = (lt_relay_plan_route){.count = 0};
    snprintf(route->name, sizeof route->name, "%s", name);
    return route;
}

livetcp_result lt_relay_plan_route_add(lt_relay_plan_route *route, const char *uri,
                                       livetcp_error *error)
{
    lt_relay_location *ends;
    size_t size = strlen(uri) + 1;

    if (route->count > LT_RELAY_OUTS_MAX)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "a route has at most %d OUTs",
                       LT_RELAY_OUTS_MAX);
    if (size > LT_RELAY_URI)
        return lt_fail(error, LIVETCP_ERR_BAD_URI, "a URI has at most %d bytes", LT_RELAY_URI - 1);
    ends = realloc(route->ends, (route->count + 1) * sizeof *ends);
    if (ends)
        route->ends = ends;
    char *copy = malloc(size);
    if (!ends || !copy) {
        free(copy);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    }
    memcpy(copy, uri, size);
    livetcp_result result = lt_relay_location_read(
        &ends[route->count], route->count ? LT_RELAY_OUT : LT_RELAY_IN, uri, error);
    if (result != LIVETCP_OK)
        free(copy);
    else
        route->uris[route->count++] = copy;
    return result;
}

/* Programs that receive MPEG-TS or a byte stream cannot reorder packets: such routes deliver in
 * sequence order. */
static void choose_order(lt_relay_plan_route *route)
{
    bool ordered = false;

    for (unsigned i = 0; i < route->count; i++)
        ordered =
            ordered || route->ends[i].scheme == LT_RELAY_CONSOLE ||
            ((route->ends[i].scheme == LT_RELAY_UDP || route->ends[i].scheme == LT_RELAY_SRT) &&
             route->ends[i].encap == LT_RELAY_ENCAP_TS);
    for (unsigned i = 0; i < route->count && ordered; i++)
        if (route->ends[i].scheme == LT_RELAY_LIVETCP && !strstr(route->uris[i], "order="))
            route->ends[i].session.order = LIVETCP_ORDER_SEQUENCE;
}

livetcp_result lt_relay_plan_route_finish(lt_relay_plan_route *route, livetcp_error *error)
{
    if (route->count < 2)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s: a route has one IN and at least one OUT, such as udp://@:5000 "
                       "livetcp://far.example:5004",
                       route->count ? "OUT is missing" : "IN is missing");
    for (unsigned i = 1; i < route->count; i++)
        for (unsigned j = 0; j < i; j++)
            if (!strcmp(route->uris[i], route->uris[j]) &&
                route->ends[i].scheme != LT_RELAY_LIVETCP)
                return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                               "'%.100s' is given twice: packets would go in a circle",
                               route->uris[i]);
    choose_order(route);
    return LIVETCP_OK;
}

livetcp_result lt_relay_plan_words(lt_relay_plan *plan, const char *const *words,
                                   livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    *plan = (lt_relay_plan){.count = 0};
    lt_relay_plan_route *route = lt_relay_plan_add(plan, "");
    if (!route)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    for (; words && *words && result == LIVETCP_OK; words++)
        result = lt_relay_plan_route_add(route, *words, error);
    if (result == LIVETCP_OK)
        result = lt_relay_plan_route_finish(route, error);
    if (result != LIVETCP_OK)
        lt_relay_plan_clear(plan);
    return result;
}

bool lt_relay_plan_route_equal(const lt_relay_plan_route *a, const lt_relay_plan_route *b)
{
    if (strcmp(a->name, b->name) != 0 || a->count != b->count)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (strcmp(a->uris[i], b->uris[i]) != 0)
            return false;
    return true;
}

void lt_relay_plan_clear(lt_relay_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        lt_relay_plan_route *route = &plan->routes[i];
        for (unsigned j = 0; j < route->count; j++)
            free(route->uris[j]);
        free(route->ends);
    }
    free(plan->routes);
    *plan = (lt_relay_plan){.count = 0};
}

static bool is_listener(const lt_relay_location *end)
{
    return end->scheme == LT_RELAY_LIVETCP && end->session.mode == LIVETCP_MODE_LISTENER;
}

livetcp_result lt_relay_plan_route_check(const lt_relay_plan_route *route, lt_relay_check *check,
                                         livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    livetcp_error wrong = {.message = ""};

    for (unsigned i = 0; i < route->count && check && result == LIVETCP_OK; i++) {
        if (is_listener(&route->ends[i]))
            result = check(&route->ends[i].session, &wrong);
        if (result != LIVETCP_OK)
            lt_fail(error, result, "%.100s: %s", route->ends[i].text, wrong.message);
    }
    return result;
}

bool lt_relay_plan_listens(const lt_relay_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++)
        for (unsigned j = 0; j < plan->routes[i].count; j++)
            if (is_listener(&plan->routes[i].ends[j]))
                return true;
    return false;
}
