/* SPDX-License-Identifier: MIT */
/* The ports on which a relay waits for callers. Routes that wait on the same one share it, and a
 * caller's stream id chooses the route: livetcp://:5004/camera. */
#ifndef LT_RELAY_LISTENERS_H
#define LT_RELAY_LISTENERS_H

#include <livetcp/session.h>

typedef struct lt_relay_listener lt_relay_listener;

/* May this caller come in? 0, or the code to turn it away with, and *why for both sides. */
typedef unsigned lt_relay_admit(const livetcp_caller *caller, const char **why, void *user);

/* All of a relay; begins zeroed. */
typedef struct lt_relay_listeners {
    lt_relay_listener *first;
    lt_relay_admit *admit; /* NULL: everybody may */
    void *admit_user;
} lt_relay_listeners;

/* What a route that waits does with callers: as livetcp_listener_callbacks. */
typedef struct lt_relay_waiting {
    bool (*on_session)(livetcp_session *session, const livetcp_caller *caller, void *user);
    void (*on_rejected)(const char *remote, const livetcp_error *error, void *user);
    void *user;
    const livetcp_config *config;
    const char *name; /* stream id of its callers; "" = all that no other route takes */
    lt_relay_listener *listener;
    struct lt_relay_waiting *next;
} lt_relay_waiting;

/* Begins to wait; `waiting` stays the caller's, where it is, until lt_relay_listeners_remove().
 * Errors: those of livetcp_listener_create(); LIVETCP_ERR_EXISTS when another route has the name
 * there; LIVETCP_ERR_INVALID_ARGUMENT when other settings than the name (and order) differ. */
livetcp_result lt_relay_listeners_add(lt_relay_listeners *listeners, livetcp_context *context,
                                      lt_relay_waiting *waiting, livetcp_error *error);

/* No effect if it does not wait. */
void lt_relay_listeners_remove(lt_relay_listeners *listeners, lt_relay_waiting *waiting);

uint16_t lt_relay_waiting_port(const lt_relay_waiting *waiting);

#endif
