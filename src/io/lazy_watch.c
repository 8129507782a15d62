/* SPDX-License-Identifier: MIT */
#include "io/lazy_watch.h"

/* Wait after which a connection is watched, so that its end is noticed and frees its place in the
 * pool. */
#define WATCH_AFTER_US (250 * LIVETCP_USEC_MSEC)

void lt_io_lazy_watches_init(lt_io_lazy_watches *watches, uv_loop_t *loop)
{
    watches->loop = loop;
    lt_list_init(&watches->waiting);
    lt_list_init(&watches->ended);
}

void lt_io_lazy_watch_init(lt_io_lazy_watches *watches, lt_io_lazy_watch *watch)
{
    watch->watches = watches;
    lt_list_init(&watch->in_list);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_io_lazy_watch *watch = poll->data;

    watch->watches->on_ready(watch, status, events);
}

bool lt_io_lazy_watch_start(lt_io_lazy_watch *watch, uv_os_sock_t socket, int events)
{
    lt_list_remove(&watch->in_list);
    if (!watch->watched) {
        watch->watched = uv_poll_init_socket(watch->watches->loop, &watch->poll, socket) == 0;
        watch->poll.data = watch;
    }
    if (watch->watched)
        uv_poll_start(&watch->poll, events, on_ready);
    return watch->watched;
}

void lt_io_lazy_watch_wait(lt_io_lazy_watch *watch, livetcp_usec now)
{
    lt_list_remove(&watch->in_list);
    if (watch->watched) {
        uv_poll_start(&watch->poll, UV_DISCONNECT, on_ready);
        return;
    }
    watch->waits_since_us = now;
    lt_list_insert_last(&watch->watches->waiting, &watch->in_list);
}

bool lt_io_lazy_watch_is_watched(const lt_io_lazy_watch *watch)
{
    return watch->watched;
}

static lt_io_lazy_watch *first_waiting(const lt_io_lazy_watches *watches)
{
    lt_list *link = lt_list_first(&watches->waiting);

    return link ? LT_LIST_ELEMENT(link, lt_io_lazy_watch, in_list) : NULL;
}

lt_io_lazy_watch *lt_io_lazy_watches_next_late(const lt_io_lazy_watches *watches, livetcp_usec now)
{
    return lt_io_lazy_watches_deadline(watches) <= now ? first_waiting(watches) : NULL;
}

livetcp_usec lt_io_lazy_watches_deadline(const lt_io_lazy_watches *watches)
{
    const lt_io_lazy_watch *first = first_waiting(watches);

    return first ? first->waits_since_us + WATCH_AFTER_US : LIVETCP_NEVER;
}

static void on_closed(uv_handle_t *handle)
{
    lt_io_lazy_watch *watch = handle->data;

    watch->watches->on_ended(watch);
}

void lt_io_lazy_watch_end(lt_io_lazy_watch *watch)
{
    lt_list_remove(&watch->in_list);
    if (watch->watched)
        uv_close((uv_handle_t *)&watch->poll, on_closed);
    else
        lt_list_insert_last(&watch->watches->ended, &watch->in_list);
}

void lt_io_lazy_watches_free_ended(lt_io_lazy_watches *watches)
{
    lt_list *link;

    while ((link = lt_list_first(&watches->ended))) {
        lt_list_remove(link);
        watches->on_ended(LT_LIST_ELEMENT(link, lt_io_lazy_watch, in_list));
    }
}
