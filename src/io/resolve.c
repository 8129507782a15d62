/* SPDX-License-Identifier: MIT */
/* Lookups in detached threads. Each lookup is owned by two: its thread and whoever asked; the last
 * of them frees it, so either may go first. */
#include "io/resolve.h"

#include "base/error.h"
#include "io/context.h"
#include "io/thread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lt_resolution {
    TAILQ_ENTRY(lt_resolution) in_context;
    atomic_int owners;
    uv_mutex_t lock;
    livetcp_context *context; /* (lock) NULL once nobody waits any more */
    bool done;                /* (context's lock) in the context's list */
    lt_resolved_fn resolved;
    void *user;
    char host[256];
    uint16_t port;
    lt_addresses addresses;
    livetcp_error error;
};

static void release(lt_resolution *resolution)
{
    if (atomic_fetch_sub(&resolution->owners, 1) != 1)
        return;
    uv_mutex_destroy(&resolution->lock);
    free(resolution);
}

static void run(void *argument)
{
    lt_resolution *resolution = argument;
    livetcp_context *context;

    lt_lookup_addresses(&resolution->addresses, LT_LOOKUP_CONNECT, resolution->host,
                        resolution->port, &resolution->error);
    uv_mutex_lock(&resolution->lock);
    context = resolution->context;
    if (context) {
        uv_mutex_lock(&context->lock);
        TAILQ_INSERT_TAIL(&context->resolved, resolution, in_context);
        resolution->done = true;
        uv_mutex_unlock(&context->lock);
        uv_async_send(&context->wake);
    }
    uv_mutex_unlock(&resolution->lock);
    release(resolution);
}

livetcp_result lt_resolve_start(livetcp_context *context, const char *host, uint16_t port,
                                lt_resolved_fn resolved, void *user, lt_resolution **out,
                                livetcp_error *error)
{
    lt_resolution *resolution = calloc(1, sizeof *resolution);

    *out = NULL;
    if (!resolution || uv_mutex_init(&resolution->lock) != 0) {
        free(resolution);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "resolving %s: out of memory", host);
    }
    atomic_init(&resolution->owners, 2);
    resolution->context = context;
    resolution->resolved = resolved;
    resolution->user = user;
    resolution->port = port;
    strncpy(resolution->host, host, sizeof resolution->host - 1);
    int cause = lt_thread_run_detached(run, resolution);
    if (cause) {
        uv_mutex_destroy(&resolution->lock);
        free(resolution);
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, cause,
                             "resolving %s: cannot start a thread", host);
    }
    *out = resolution;
    return LIVETCP_OK;
}

void lt_resolve_cancel(lt_resolution **owner)
{
    lt_resolution *resolution = *owner;
    livetcp_context *context;

    if (!resolution)
        return;
    uv_mutex_lock(&resolution->lock);
    context = resolution->context;
    resolution->context = NULL;
    uv_mutex_lock(&context->lock);
    if (resolution->done)
        TAILQ_REMOVE(&context->resolved, resolution, in_context);
    uv_mutex_unlock(&context->lock);
    uv_mutex_unlock(&resolution->lock);
    release(resolution);
    *owner = NULL;
}

static lt_resolution *next_resolved(livetcp_context *context)
{
    uv_mutex_lock(&context->lock);
    lt_resolution *resolution = TAILQ_FIRST(&context->resolved);
    if (resolution) {
        TAILQ_REMOVE(&context->resolved, resolution, in_context);
        resolution->done = false;
    }
    uv_mutex_unlock(&context->lock);
    return resolution;
}

void lt_resolve_deliver(livetcp_context *context)
{
    lt_resolution *resolution;

    while ((resolution = next_resolved(context)) != NULL) {
        bool found = resolution->addresses.count > 0;
        /* Waits until its thread has finished waking us: the context may end next. */
        uv_mutex_lock(&resolution->lock);
        resolution->context = NULL;
        uv_mutex_unlock(&resolution->lock);
        resolution->resolved(resolution->user, found ? &resolution->addresses : NULL,
                             found ? NULL : &resolution->error);
        release(resolution);
    }
}
