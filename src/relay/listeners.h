/* SPDX-License-Identifier: MIT */
/* A relay's listeners. Routes with the same address and port share a listener, and a caller's
 * stream id selects the route: livetcp://:5004/camera. */
#ifndef LT_RELAY_LISTENERS_H
#define LT_RELAY_LISTENERS_H

#include <livetcp/session.h>

typedef struct lt_relay_listener lt_relay_listener;

/* Authorizes a caller: 0, or the code to refuse it with, and *why for both sides. */
typedef unsigned lt_relay_admit(const livetcp_caller *caller, const char **why, void *user);

/* All listeners of a relay; zero-initialized. */
typedef struct lt_relay_listeners {
    lt_relay_listener *first;
    lt_relay_admit *admit; /* NULL: every caller is admitted */
    void *admit_user;
} lt_relay_listeners;

/* A route that listens, with callbacks as in livetcp_listener_callbacks. */
typedef struct lt_relay_waiting {
    bool (*on_session)(livetcp_session *session, const livetcp_caller *caller, void *user);
    void (*on_rejected)(const char *remote, const livetcp_error *error, void *user);
    void *user;
    const livetcp_config *config;
    const char *name; /* stream id of its callers; "" = all that no other route takes */
    lt_relay_listener *listener;
    struct lt_relay_waiting *next;
} lt_relay_waiting;

/* Starts to listen; `waiting` stays the caller's and must not move until
 * lt_relay_listeners_remove(). Errors: those of livetcp_listener_create(); LIVETCP_ERR_EXISTS if
 * another route has the name there; LIVETCP_ERR_INVALID_ARGUMENT if settings other than name and
 * order differ. */
livetcp_result lt_relay_listeners_add(lt_relay_listeners *listeners, livetcp_context *context,
                                      lt_relay_waiting *waiting, livetcp_error *error);

/* No effect if it is not listening. */
void lt_relay_listeners_remove(lt_relay_listeners *listeners, lt_relay_waiting *waiting);

uint16_t lt_relay_waiting_port(const lt_relay_waiting *waiting);

#endif
