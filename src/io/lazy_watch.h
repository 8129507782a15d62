/* SPDX-License-Identifier: MIT */
/*
 * A socket that the loop watches only while that pays. Watching a socket costs as much as all other
 * work for a connection in a flood; most of those are read once, wait for a turn and are pushed
 * out. A waiting connection is therefore watched, for its end only, after it has waited for a
 * while.
 *
 * The object that contains a watch is freed by `on_ended`: called by the loop if the loop has
 * watched the socket, otherwise by lt_io_lazy_watches_free_ended().
 */
#ifndef LT_IO_LAZY_WATCH_H
#define LT_IO_LAZY_WATCH_H

#include "base/list.h"
#include "platform/socket.h"

#include <livetcp/base.h>

#include <stdbool.h>
#include <uv.h>

typedef struct lt_io_lazy_watch lt_io_lazy_watch;

/* All watches of one loop. */
typedef struct lt_io_lazy_watches {
    uv_loop_t *loop;
    lt_list waiting; /* waiting and not watched by the loop */
    lt_list ended;   /* ended without having been watched */
    void (*on_ready)(lt_io_lazy_watch *watch, int status, int events);
    void (*on_ended)(lt_io_lazy_watch *watch);
} lt_io_lazy_watches;

/* Embedded in each connection. */
struct lt_io_lazy_watch {
    lt_io_lazy_watches *watches;
    lt_list in_list; /* `waiting`, or `ended` */
    uv_poll_t poll;
    bool watched; /* the loop has `poll` */
    livetcp_usec waits_since_us;
};

void lt_io_lazy_watches_init(lt_io_lazy_watches *watches, uv_loop_t *loop);

void lt_io_lazy_watch_init(lt_io_lazy_watches *watches, lt_io_lazy_watch *watch);

/* Makes the loop watch the socket for these events. False on failure. */
bool lt_io_lazy_watch_start(lt_io_lazy_watch *watch, uv_os_sock_t socket, int events);

/* Input is no longer wanted; only the peer's close matters from now on. */
void lt_io_lazy_watch_wait(lt_io_lazy_watch *watch, livetcp_usec now);

bool lt_io_lazy_watch_is_watched(const lt_io_lazy_watch *watch);

/* A watch that has waited long enough to be watched by the loop, or NULL. */
lt_io_lazy_watch *lt_io_lazy_watches_next_late(const lt_io_lazy_watches *watches, livetcp_usec now);

/* Earliest time at which next_late() returns one; LIVETCP_NEVER if none waits. */
livetcp_usec lt_io_lazy_watches_deadline(const lt_io_lazy_watches *watches);

/* Stops watching; the socket has another owner from here on. */
void lt_io_lazy_watch_end(lt_io_lazy_watch *watch);

/* Frees ended watches. Call while no function is using one of them. */
void lt_io_lazy_watches_free_ended(lt_io_lazy_watches *watches);

#endif
