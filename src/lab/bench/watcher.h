/* SPDX-License-Identifier: MIT */
/* A thread that watches numbered descriptors. */
#ifndef LT_LAB_BENCH_WATCHER_H
#define LT_LAB_BENCH_WATCHER_H

#include <livetcp/base.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct lt_watcher {
    int epoll;
    int wake; /* eventfd that ends the thread */
    pthread_t thread;
    bool started;
    void (*on_ready)(void *user, unsigned number, uint32_t events);
    void *user;
} lt_watcher;

/* `on_ready` runs on the thread, with epoll's events of a descriptor. Call clear() afterwards, also
 * on failure. */
livetcp_result lt_watcher_init(lt_watcher *watcher,
                               void (*on_ready)(void *user, unsigned number, uint32_t events),
                               void *user, livetcp_error *error);

/* Starts the thread, unless it is running. */
livetcp_result lt_watcher_start(lt_watcher *watcher, livetcp_error *error);

/* Watches a descriptor for these events; 0, or an errno. `number` is less than UINT32_MAX. */
int lt_watcher_add(lt_watcher *watcher, int fd, unsigned number, uint32_t events);
void lt_watcher_change(lt_watcher *watcher, int fd, unsigned number, uint32_t events);
void lt_watcher_remove(lt_watcher *watcher, int fd);

/* Ends the thread: no more calls of `on_ready`. */
void lt_watcher_stop(lt_watcher *watcher);
void lt_watcher_clear(lt_watcher *watcher);

#endif
