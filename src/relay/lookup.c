/* SPDX-License-Identifier: MIT */
/* A lookup is owned by two: its thread and its handle on the loop. The last of them frees it. */
#include "relay/lookup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lt_relay_lookup {
    uv_async_t async;
    uv_thread_t thread;
    char host[256], service[8];
    struct sockaddr_storage address;
    int status; /* of getaddrinfo() */
    lt_relay_looked_up *done;
    void *user;

    uv_mutex_t lock; /* of the following */
    bool left;       /* nobody waits for it any more */
    bool answered;   /* the thread uses nothing any more, but for `closed` */
    bool closed;     /* the handle */
};

static void release(lt_relay_lookup *l)
{
    uv_mutex_destroy(&l->lock);
    free(l);
}

/* The lookup's thread. */
static void look_up(void *user)
{
    lt_relay_lookup *l = user;
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *list = NULL;

    l->status = getaddrinfo(l->host, l->service, &hints, &list);
    if (l->status == 0 && list->ai_addrlen <= sizeof l->address)
        memcpy(&l->address, list->ai_addr, list->ai_addrlen);
    if (list)
        freeaddrinfo(list);
    uv_mutex_lock(&l->lock);
    l->answered = true;
    if (!l->left)
        uv_async_send(&l->async);
    const bool last = l->closed;
    uv_mutex_unlock(&l->lock);
    if (last)
        release(l);
}

static void on_closed(uv_handle_t *handle)
{
    lt_relay_lookup *l = handle->data;

    uv_mutex_lock(&l->lock);
    l->closed = true;
    const bool last = l->answered;
    uv_mutex_unlock(&l->lock);
    if (!last)
        return;
    uv_thread_join(&l->thread); /* it has nothing to do any more */
    release(l);
}

static void on_unused_closed(uv_handle_t *handle)
{
    release(handle->data);
}

static void on_answer(uv_async_t *async)
{
    lt_relay_lookup *l = async->data;
    const bool found = l->address.ss_family != 0;

    uv_close((uv_handle_t *)async, on_closed);
    l->done(l->user, found ? &l->address : NULL,
            found ? NULL : gai_strerror(l->status ? l->status : EAI_NONAME));
}

lt_relay_lookup *lt_relay_lookup_start(uv_loop_t *loop, const char *host, uint16_t port,
                                       lt_relay_looked_up *done, void *user)
{
    lt_relay_lookup *l = calloc(1, sizeof *l);

    if (!l || uv_mutex_init(&l->lock) != 0) {
        free(l);
        return NULL;
    }
    if (uv_async_init(loop, &l->async, on_answer) != 0) {
        release(l);
        return NULL;
    }
    l->async.data = l;
    l->done = done;
    l->user = user;
    snprintf(l->host, sizeof l->host, "%s", host);
    snprintf(l->service, sizeof l->service, "%u", port);
    if (uv_thread_create(&l->thread, look_up, l) == 0)
        return l;
    uv_close((uv_handle_t *)&l->async, on_unused_closed);
    return NULL;
}

/* A thread that still waits ends by itself, or with the process. */
void lt_relay_lookup_leave(lt_relay_lookup **lookup)
{
    lt_relay_lookup *l = *lookup;

    *lookup = NULL;
    if (!l)
        return;
    uv_mutex_lock(&l->lock);
    l->left = true;
    uv_mutex_unlock(&l->lock);
    uv_close((uv_handle_t *)&l->async, on_closed);
}
