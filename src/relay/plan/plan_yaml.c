/* SPDX-License-Identifier: MIT */
/* Routes in YAML:
 *
 *     routes:
 *       camera:
 *         in: udp://@:5000?encap=ts
 *         out: livetcp://far.example:5004       # or a list
 */
#include "relay/plan/plan.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#ifdef LT_RELAY_HAS_YAML

#include <yaml.h>

typedef struct reading {
    yaml_document_t document;
    const char *name; /* of the file */
    lt_relay_plan *plan;
} reading;

static livetcp_result refuse(const reading *r, const yaml_node_t *node, const char *text,
                             livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.80s:%zu: %.140s", r->name,
                   node ? node->start_mark.line + 1 : (size_t)1, text);
}

/* The text of a scalar without NUL bytes; else NULL. */
static const char *text_of(const yaml_node_t *node)
{
    if (!node || node->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

static bool is_name(const char *text)
{
    size_t size = strlen(text);

    return size && size < LT_RELAY_NAME &&
           size == strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-_.");
}

static livetcp_result take_uri(reading *r, lt_relay_plan_route *route, const yaml_node_t *node,
                               livetcp_error *error)
{
    const char *uri = text_of(node);
    livetcp_error cause = {.message = ""};

    if (!uri)
        return refuse(r, node, "a URI is expected, such as udp://@:5000", error);
    if (lt_relay_plan_route_add(route, uri, &cause) != LIVETCP_OK)
        return refuse(r, node, cause.message, error);
    return LIVETCP_OK;
}

static livetcp_result take_out(reading *r, lt_relay_plan_route *route, const yaml_node_t *node,
                               livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    if (!node || node->type != YAML_SEQUENCE_NODE)
        return take_uri(r, route, node, error);
    for (yaml_node_item_t *i = node->data.sequence.items.start;
         i < node->data.sequence.items.top && result == LIVETCP_OK; i++)
        result = take_uri(r, route, yaml_document_get_node(&r->document, *i), error);
    return result;
}

static livetcp_result take_ends(reading *r, lt_relay_plan_route *route, const yaml_node_t *node,
                                livetcp_error *error)
{
    const yaml_node_t *in = NULL, *out = NULL;
    livetcp_error cause = {.message = ""};
    livetcp_result result;

    if (!node || node->type != YAML_MAPPING_NODE)
        return refuse(r, node, "a route is a mapping with in: and out:", error);
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&r->document, pair->key);
        const char *name = text_of(key);
        const yaml_node_t **place = name && !strcmp(name, "in")    ? &in
                                    : name && !strcmp(name, "out") ? &out
                                                                   : NULL;
        if (!place)
            return refuse(r, key, "a route has in: and out:, and nothing else", error);
        if (*place)
            return refuse(r, key, "in: or out: is given twice; several OUTs are a list", error);
        *place = yaml_document_get_node(&r->document, pair->value);
    }
    if (!in || !out)
        return refuse(r, node, in ? "the route has no out:" : "the route has no in:", error);
    if ((result = take_uri(r, route, in, error)) || (result = take_out(r, route, out, error)))
        return result;
    if (lt_relay_plan_route_finish(route, &cause) != LIVETCP_OK)
        return refuse(r, node, cause.message, error);
    return LIVETCP_OK;
}

static livetcp_result take_routes(reading *r, const yaml_node_t *node, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    if (!node || node->type != YAML_MAPPING_NODE)
        return refuse(r, node, "routes: is a mapping of names to routes", error);
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top && result == LIVETCP_OK; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&r->document, pair->key);
        const char *name = text_of(key);
        if (!name || !is_name(name))
            return refuse(r, key,
                          "a route's name has 1 to 63 letters, digits, dots, hyphens and "
                          "underscores",
                          error);
        for (unsigned i = 0; i < r->plan->count; i++)
            if (!strcmp(r->plan->routes[i].name, name))
                return refuse(r, key, "another route has this name", error);
        lt_relay_plan_route *route = lt_relay_plan_add(r->plan, name);
        if (!route)
            return refuse(r, key, "too many routes: at most 1000, and as memory allows", error);
        result = take_ends(r, route, yaml_document_get_node(&r->document, pair->value), error);
    }
    return result;
}

static livetcp_result take_root(reading *r, livetcp_error *error)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);

    if (!root || root->type != YAML_MAPPING_NODE)
        return refuse(r, root, "the file begins with routes:", error);
    livetcp_result result = LIVETCP_OK;
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top && result == LIVETCP_OK; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&r->document, pair->key);
        const char *name = text_of(key);
        if (!name || strcmp(name, "routes") != 0)
            return refuse(r, key, "the file has routes:, and nothing else on its first level",
                          error);
        result = take_routes(r, yaml_document_get_node(&r->document, pair->value), error);
    }
    return result;
}

livetcp_result lt_relay_plan_yaml(lt_relay_plan *plan, const char *name, const char *text,
                                  size_t size, livetcp_error *error)
{
    yaml_parser_t parser;
    reading r = {.name = name, .plan = plan};
    livetcp_result result;

    *plan = (lt_relay_plan){.count = 0};
    if (!yaml_parser_initialize(&parser))
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, &r.document)) {
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.80s:%zu: no YAML: %.100s", name,
                         parser.problem_mark.line + 1, parser.problem ? parser.problem : "");
    } else {
        result = take_root(&r, error);
        yaml_document_delete(&r.document);
    }
    yaml_parser_delete(&parser);
    if (result == LIVETCP_OK && !plan->count)
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%.80s: there is no route", name);
    if (result != LIVETCP_OK)
        lt_relay_plan_clear(plan);
    return result;
}

#else

livetcp_result lt_relay_plan_yaml(lt_relay_plan *plan, const char *name, const char *text,
                                  size_t size, livetcp_error *error)
{
    (void)text;
    (void)size;
    *plan = (lt_relay_plan){.count = 0};
    return lt_fail(error, LIVETCP_ERR_NOT_SUPPORTED,
                   "%.80s: this livetcp was built without libyaml (Debian: libyaml-dev); give the "
                   "route on the command line",
                   name);
}

#endif
