/* SPDX-License-Identifier: MIT */
#include "relay/hooks.h"

#include <stdlib.h>
#include <string.h>

enum { OURS = 4, TEXT = 320 };

typedef struct hook {
    uv_process_t process;
    lt_relay_hooks *hooks;
} hook;

void lt_relay_hook_closed(uv_handle_t *handle)
{
    free(handle);
}

static void on_hook_exit(uv_process_t *process, int64_t status, int signal)
{
    hook *h = (hook *)process;

    h->hooks->running--;
    if (status != 0 || signal != 0)
        lt_relay_log(h->hooks->journal, LIVETCP_LOG_WARNING, "",
                     "a command of --on-open or --on-close failed: %s %d",
                     signal ? "signal" : "exit code", signal ? signal : (int)status);
    uv_close((uv_handle_t *)process, lt_relay_hook_closed);
}

static bool is_ours(const char *name)
{
    return !strcmp(name, "LIVETCP_EVENT") || !strcmp(name, "LIVETCP_ROUTE") ||
           !strcmp(name, "LIVETCP_REMOTE") || !strcmp(name, "LIVETCP_REASON");
}

/* The environment and `more`; NULL without memory. The texts and the list are one block to be
 * freed. */
static char **environment(char more[OURS][TEXT])
{
    uv_env_item_t *items = NULL;
    int count = 0;
    size_t size = 0, used = 0;

    if (uv_os_environ(&items, &count) != 0)
        return NULL;
    for (int i = 0; i < count; i++)
        size += strlen(items[i].name) + strlen(items[i].value) + 2;
    char **list = malloc(((size_t)count + OURS + 1) * sizeof *list + size);
    if (list) {
        char *text = (char *)(list + count + OURS + 1);
        for (int i = 0; i < count; i++) {
            if (is_ours(items[i].name))
                continue;
            list[used++] = text;
            text += sprintf(text, "%s=%s", items[i].name, items[i].value) + 1;
        }
        for (int i = 0; i < OURS; i++)
            list[used++] = more[i];
        list[used] = NULL;
    }
    uv_os_free_environ(items, count);
    return list;
}

static void run(lt_relay_hooks *hooks, const char *command, const char *event, const char *route,
                const char *remote, const char *reason)
{
#ifdef _WIN32
    char *words[] = {"cmd.exe", "/d", "/s", "/c", (char *)command, NULL};
#else
    char *words[] = {"/bin/sh", "-c", (char *)command, NULL};
#endif
    uv_stdio_container_t streams[3] = {{.flags = UV_IGNORE},
                                       {.flags = UV_INHERIT_FD, .data.fd = 2},
                                       {.flags = UV_INHERIT_FD, .data.fd = 2}};
    char ours[OURS][TEXT];
    uv_process_options_t options = {.exit_cb = on_hook_exit,
                                    .file = words[0],
                                    .args = words,
                                    .stdio = streams,
                                    .stdio_count = 3};

    if (!command)
        return;
    if (hooks->running >= LT_RELAY_HOOKS_MAX) {
        if (!hooks->left_out++)
            lt_relay_log(
                hooks->journal, LIVETCP_LOG_WARNING, route,
                "%d commands of --on-open and --on-close are still running: others are not started",
                LT_RELAY_HOOKS_MAX);
        return;
    }
    snprintf(ours[0], TEXT, "LIVETCP_EVENT=%s", event);
    snprintf(ours[1], TEXT, "LIVETCP_ROUTE=%s", route);
    snprintf(ours[2], TEXT, "LIVETCP_REMOTE=%s", remote);
    snprintf(ours[3], TEXT, "LIVETCP_REASON=%s", reason);
    hook *h = calloc(1, sizeof *h);
    options.env = h ? environment(ours) : NULL;
    int status = options.env ? uv_spawn(hooks->loop, &h->process, &options) : UV_ENOMEM;
    free(options.env);
    if (status != 0)
        lt_relay_log(hooks->journal, LIVETCP_LOG_WARNING, route,
                     "the command of --on-%s cannot be run: %s", event, uv_strerror(status));
    if (!h || !options.env) {
        free(h);
        return;
    }
    h->hooks = hooks;
    if (status != 0) {
        uv_close((uv_handle_t *)&h->process, lt_relay_hook_closed);
        return;
    }
    hooks->running++;
    uv_unref((uv_handle_t *)&h->process); /* a running command does not keep the loop alive */
}

void lt_relay_hooks_opened(lt_relay_hooks *hooks, const char *route, const char *remote)
{
    run(hooks, hooks->on_open, "open", route, remote, "");
}

void lt_relay_hooks_closed(lt_relay_hooks *hooks, const char *route, const char *remote,
                           const char *reason)
{
    run(hooks, hooks->on_close, "close", route, remote, reason);
}
