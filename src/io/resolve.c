/* SPDX-License-Identifier: MIT */
/* Lookups in detached threads. A lookup is shared by its thread and the requester; the last one to
 * release it frees it. */
#include "io/resolve.h"

#include "base/error.h"
#include "platform/thread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lt_io_resolution {
    lt_io_work work; /* passes the result to the loop's thread */
    atomic_int owners;
    uv_mutex_t lock;
    livetcp_context *context; /* (lock) NULL once cancelled */
    lt_io_resolved_fn resolved;
    void *user;
    char host[256];
    uint16_t port;
    lt_addresses addresses;
    livetcp_error error;
};

static void release(lt_io_resolution *resolution)
{
    if (atomic_fetch_sub(&resolution->owners, 1) != 1)
        return;
    uv_mutex_destroy(&resolution->lock);
    free(resolution);
}

/* On the lookup's thread. */
static void look_up(void *argument)
{
    lt_io_resolution *resolution = argument;

    lt_lookup_addresses(&resolution->addresses, LT_LOOKUP_CONNECT, resolution->host,
                        resolution->port, &resolution->error);
    uv_mutex_lock(&resolution->lock);
    if (resolution->context)
        lt_io_context_schedule(resolution->context, &resolution->work);
    uv_mutex_unlock(&resolution->lock);
    release(resolution);
}

/* On the loop's thread. */
static void deliver(lt_io_work *work)
{
    lt_io_resolution *resolution = LT_LIST_ELEMENT(work, lt_io_resolution, work);
    bool found = resolution->addresses.count > 0;

    /* Waits until the lookup's thread has left lt_io_context_schedule(): the context may end
     * next. */
    uv_mutex_lock(&resolution->lock);
    resolution->context = NULL;
    uv_mutex_unlock(&resolution->lock);
    resolution->resolved(resolution->user, found ? &resolution->addresses : NULL,
                         found ? NULL : &resolution->error);
    release(resolution);
}

livetcp_result lt_io_resolve_start(livetcp_context *context, const char *host, uint16_t port,
                                   lt_io_resolved_fn resolved, void *user, lt_io_resolution **out,
                                   livetcp_error *error)
{
    lt_io_resolution *resolution = calloc(1, sizeof *resolution);

    *out = NULL;
    if (!resolution || uv_mutex_init(&resolution->lock) != 0) {
        free(resolution);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "resolving %s: out of memory", host);
    }
    atomic_init(&resolution->owners, 2);
    resolution->work.run = deliver;
    resolution->context = context;
    resolution->resolved = resolved;
    resolution->user = user;
    resolution->port = port;
    strncpy(resolution->host, host, sizeof resolution->host - 1);
    int status = lt_thread_run_detached(look_up, resolution);
    if (status != 0) {
        uv_mutex_destroy(&resolution->lock);
        free(resolution);
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, -status,
                             "resolving %s: cannot start a thread", host);
    }
    *out = resolution;
    return LIVETCP_OK;
}

void lt_io_resolve_cancel(lt_io_resolution **owner)
{
    lt_io_resolution *resolution = *owner;

    if (!resolution)
        return;
    *owner = NULL;
    uv_mutex_lock(&resolution->lock);
    if (resolution->context)
        lt_io_context_unschedule(resolution->context, &resolution->work);
    resolution->context = NULL;
    uv_mutex_unlock(&resolution->lock);
    release(resolution);
}
