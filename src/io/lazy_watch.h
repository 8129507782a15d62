/* SPDX-License-Identifier: MIT */
/*
 * A socket that the loop watches only if that is worth it. To watch one costs as much as all the
 * rest of a connection in a flood, most of which are read once, wait for their turn, and are pushed
 * out. So one that waits is watched, for its end, once it has waited for long.
 *
 * What has a watch is freed by `on_ended`: where the loop watched it from a callback of the loop's,
 * otherwise from lt_io_lazy_watches_free_ended().
 */
#ifndef LT_IO_LAZY_WATCH_H
#define LT_IO_LAZY_WATCH_H

#include "base/list.h"
#include "platform/socket.h"

#include <livetcp/base.h>

#include <stdbool.h>
#include <uv.h>

typedef struct lt_io_lazy_watch lt_io_lazy_watch;

/* All of one loop; of its own struct. */
typedef struct lt_io_lazy_watches {
    uv_loop_t *loop;
    lt_list waiting; /* those that wait, and that the loop does not watch */
    lt_list ended;   /* those that the loop never watched, and that have ended */
    void (*on_ready)(lt_io_lazy_watch *watch, int status, int events);
    void (*on_ended)(lt_io_lazy_watch *watch);
} lt_io_lazy_watches;

/* Part of each connection. */
struct lt_io_lazy_watch {
    lt_io_lazy_watches *watches;
    lt_list in_list; /* `waiting`, or `ended` */
    uv_poll_t poll;
    bool watched; /* the loop has `poll` */
    livetcp_usec waits_since_us;
};

void lt_io_lazy_watches_init(lt_io_lazy_watches *watches, uv_loop_t *loop);

void lt_io_lazy_watch_init(lt_io_lazy_watches *watches, lt_io_lazy_watch *watch);

/* The loop watches the socket for these events. False if it cannot. */
bool lt_io_lazy_watch_start(lt_io_lazy_watch *watch, uv_os_sock_t socket, int events);

/* The socket is not to be read: it waits, and only its end is of interest. */
void lt_io_lazy_watch_wait(lt_io_lazy_watch *watch, livetcp_usec now);

bool lt_io_lazy_watch_is_watched(const lt_io_lazy_watch *watch);

/* One that has waited for long, and should be watched; NULL if there is none. */
lt_io_lazy_watch *lt_io_lazy_watches_next_late(const lt_io_lazy_watches *watches, livetcp_usec now);

/* When there may be one; LIVETCP_NEVER if none waits. */
livetcp_usec lt_io_lazy_watches_deadline(const lt_io_lazy_watches *watches);

/* The socket is somebody else's from here on. */
void lt_io_lazy_watch_end(lt_io_lazy_watch *watch);

/* While nobody is in the middle of one of them. */
void lt_io_lazy_watches_free_ended(lt_io_lazy_watches *watches);

#endif
