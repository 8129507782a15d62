/* SPDX-License-Identifier: MIT */
#include "io/link_watch.h"

#include "platform/networks.h"

#include <stdlib.h>

#define POLL_MS 1000

struct lt_io_link_watch {
    livetcp_context *context;
    const lt_io_link_watch_owner *functions;
    void *owner; /* held until both handles have closed */
    uv_os_sock_t socket;
    uv_poll_t poll;
    uv_timer_t timer; /* polls the interfaces where there is no rtnetlink */
    unsigned open_handles;
};

static void on_closed(uv_handle_t *handle)
{
    lt_io_link_watch *watch = handle->data;
    const lt_io_link_watch_owner *functions = watch->functions;
    void *owner = watch->owner;

    if (--watch->open_handles > 0)
        return;
    if (watch->socket != LT_NO_SOCKET)
        lt_socket_close(watch->socket);
    free(watch);
    functions->release(owner);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    lt_io_link_watch *watch = poll->data;

    (void)status;
    (void)events;
    lt_networks_drain(watch->socket);
    watch->functions->on_change(watch->owner);
}

static void on_timer(uv_timer_t *timer)
{
    lt_io_link_watch *watch = timer->data;

    watch->functions->on_change(watch->owner);
}

static bool start_socket(lt_io_link_watch *watch)
{
    if (lt_networks_watch(&watch->socket) != 0)
        return false;
    if (uv_poll_init_socket(watch->context->loop, &watch->poll, watch->socket) != 0) {
        lt_socket_close(watch->socket);
        watch->socket = LT_NO_SOCKET;
        return false;
    }
    watch->poll.data = watch;
    watch->open_handles++;
    return uv_poll_start(&watch->poll, UV_READABLE, on_readable) == 0;
}

lt_io_link_watch *lt_io_link_watch_start(livetcp_context *context,
                                         const lt_io_link_watch_owner *functions, void *owner)
{
    lt_io_link_watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return NULL;
    watch->context = context;
    watch->functions = functions;
    watch->owner = owner;
    watch->socket = LT_NO_SOCKET;
    uv_timer_init(context->loop, &watch->timer);
    watch->timer.data = watch;
    watch->open_handles = 1;
    functions->hold(owner);
    if (!start_socket(watch))
        uv_timer_start(&watch->timer, on_timer, POLL_MS, POLL_MS);
    return watch;
}

void lt_io_link_watch_stop(lt_io_link_watch **owner)
{
    lt_io_link_watch *watch = *owner;

    if (!watch)
        return;
    *owner = NULL;
    uv_close((uv_handle_t *)&watch->timer, on_closed);
    if (watch->open_handles > 1)
        uv_close((uv_handle_t *)&watch->poll, on_closed);
}
