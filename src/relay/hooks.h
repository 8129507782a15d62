/* SPDX-License-Identifier: MIT */
/* Commands that run when a session opens or ends. Their parameters are environment variables, never
 * part of the command line, since a peer chooses some of the values. */
#ifndef LT_RELAY_HOOKS_H
#define LT_RELAY_HOOKS_H

#include "relay/journal.h"

#include <uv.h>

#define LT_RELAY_HOOKS_MAX 16 /* running at a time; further events start none */

typedef struct lt_relay_hooks {
    uv_loop_t *loop;
    const lt_relay_journal *journal;
    const char *on_open, *on_close; /* shell commands; NULL: none */
    unsigned running;
    uint64_t left_out;
} lt_relay_hooks;

/* Environment: LIVETCP_EVENT (open or close), LIVETCP_ROUTE, LIVETCP_REMOTE and LIVETCP_REASON. The
 * standard output of the commands is our standard error. */
void lt_relay_hooks_opened(lt_relay_hooks *hooks, const char *route, const char *remote);
void lt_relay_hooks_closed(lt_relay_hooks *hooks, const char *route, const char *remote,
                           const char *reason);

/* A uv_close_cb for the handle of a command that still runs at the end of the loop. */
void lt_relay_hook_closed(uv_handle_t *handle);

#endif
