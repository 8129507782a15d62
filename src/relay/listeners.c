/* SPDX-License-Identifier: MIT */
#include "relay/listeners.h"

#include "base/error.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_FOUND = 404 };

struct lt_relay_listener {
    const lt_relay_listeners *all;
    livetcp_listener *listener;
    lt_relay_waiting *waiting;
    lt_relay_listener *next;
};

/* The route with that name, else the one without a name. */
static lt_relay_waiting *find_route(const lt_relay_listener *l, const char *name)
{
    lt_relay_waiting *any = NULL;

    for (lt_relay_waiting *w = l->waiting; w; w = w->next) {
        if (!strcmp(w->name, name))
            return w;
        if (!w->name[0])
            any = w;
    }
    return any;
}

/* Authorizes before looking up the name: an unauthorized caller does not learn which names
 * exist. */
static const lt_relay_waiting *admit(const lt_relay_listener *l, livetcp_session *session,
                                     livetcp_caller *caller)
{
    const lt_relay_waiting *w = find_route(l, caller->stream_id);
    const char *why = "";
    unsigned code = 0;

    if (l->all->admit)
        code = l->all->admit(caller, &why, l->all->admit_user);
    if (!code && !w) {
        code = NOT_FOUND;
        why = "no route of the relay has this name";
    }
    if (code)
        (void)livetcp_session_reject(session, code, why);
    return code ? NULL : w;
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    const lt_relay_listener *l = user;
    livetcp_caller caller = {.struct_size = sizeof caller};

    (void)listener;
    (void)remote;
    if (livetcp_session_get_caller(session, &caller) != LIVETCP_OK)
        return false;
    const lt_relay_waiting *w = admit(l, session, &caller);
    OPENSSL_cleanse(caller.token, sizeof caller.token);
    return w && livetcp_session_set_order(session, w->config->order, NULL) == LIVETCP_OK &&
           w->on_session(session, &caller, w->user);
}

static void on_rejected(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user)
{
    const lt_relay_listener *l = user;

    (void)listener;
    if (l->waiting)
        l->waiting->on_rejected(remote, error, l->waiting->user);
}

/* Sessions of one port share the settings of its listener. */
static bool same_settings(const livetcp_config *a, const livetcp_config *b)
{
    livetcp_config one = *a;

    one.order = b->order;
    return !memcmp(&one, b, sizeof one);
}

static livetcp_result share(lt_relay_listener *l, lt_relay_waiting *waiting, livetcp_error *error)
{
    for (const lt_relay_waiting *w = l->waiting; w; w = w->next)
        if (!strcmp(w->name, waiting->name))
            return *waiting->name
                       ? lt_fail(error, LIVETCP_ERR_EXISTS,
                                 "another end waits on port %u for the name '%s' already",
                                 waiting->config->port, waiting->name)
                       : lt_fail(error, LIVETCP_ERR_EXISTS,
                                 "another end waits on port %u already; with a name "
                                 "(livetcp://:%u/NAME) each serves its own callers",
                                 waiting->config->port, waiting->config->port);
    if (!same_settings(l->waiting->config, waiting->config))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "routes that share port %u have the same settings, but for their names",
                       waiting->config->port);
    return LIVETCP_OK;
}

static livetcp_result open_port(lt_relay_listeners *listeners, livetcp_context *context,
                                const livetcp_config *config, lt_relay_listener **made,
                                livetcp_error *error)
{
    const livetcp_listener_callbacks callbacks = {
        .struct_size = sizeof callbacks, .on_session = on_session, .on_rejected = on_rejected};
    lt_relay_listener *l = calloc(1, sizeof *l);

    if (!l)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    livetcp_result result =
        livetcp_listener_create(context, config, &callbacks, l, &l->listener, error);
    if (result != LIVETCP_OK) {
        free(l);
        return result;
    }
    l->all = listeners;
    l->next = listeners->first;
    listeners->first = l;
    *made = l;
    return LIVETCP_OK;
}

livetcp_result lt_relay_listeners_add(lt_relay_listeners *listeners, livetcp_context *context,
                                      lt_relay_waiting *waiting, livetcp_error *error)
{
    const livetcp_config *config = waiting->config;
    lt_relay_listener *l = listeners->first;
    livetcp_result result;

    while (l && (!config->port || l->waiting->config->port != config->port ||
                 strcmp(l->waiting->config->host, config->host) != 0))
        l = l->next;
    result = l ? share(l, waiting, error) : open_port(listeners, context, config, &l, error);
    if (result != LIVETCP_OK)
        return result;
    waiting->listener = l;
    waiting->next = l->waiting;
    l->waiting = waiting;
    return LIVETCP_OK;
}

void lt_relay_listeners_remove(lt_relay_listeners *listeners, lt_relay_waiting *waiting)
{
    lt_relay_listener *l = waiting->listener, **at = &listeners->first;

    if (!l)
        return;
    waiting->listener = NULL;
    lt_relay_waiting **w = &l->waiting;
    while (*w != waiting)
        w = &(*w)->next;
    *w = waiting->next;
    if (l->waiting)
        return;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    livetcp_listener_destroy(&l->listener);
    free(l);
}

uint16_t lt_relay_waiting_port(const lt_relay_waiting *waiting)
{
    return waiting->listener ? livetcp_listener_port(waiting->listener->listener) : 0;
}
