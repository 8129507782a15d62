/* SPDX-License-Identifier: MIT */
#include "lab/bench/watcher.h"

#include "base/error.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Number of the descriptor `wake`. */
enum { EVENT_WAKE = UINT32_MAX };

livetcp_result lt_watcher_init(lt_watcher *watcher,
                               void (*on_ready)(void *user, unsigned number, uint32_t events),
                               void *user, livetcp_error *error)
{
    *watcher = (lt_watcher){.epoll = epoll_create1(EPOLL_CLOEXEC),
                            .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                            .on_ready = on_ready,
                            .user = user};
    if (watcher->epoll < 0 || watcher->wake < 0 ||
        lt_watcher_add(watcher, watcher->wake, EVENT_WAKE, EPOLLIN))
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot watch sockets");
    return LIVETCP_OK;
}

static void *run(void *argument)
{
    lt_watcher *watcher = argument;
    struct epoll_event events[64];

    for (;;) {
        int n = epoll_wait(watcher->epoll, events, 64, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.u32 == EVENT_WAKE)
                return NULL;
            watcher->on_ready(watcher->user, events[i].data.u32, events[i].events);
        }
    }
}

livetcp_result lt_watcher_start(lt_watcher *watcher, livetcp_error *error)
{
    int code = watcher->started ? 0 : pthread_create(&watcher->thread, NULL, run, watcher);

    if (code)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, code, "cannot start a thread");
    watcher->started = true;
    return LIVETCP_OK;
}

int lt_watcher_add(lt_watcher *watcher, int fd, unsigned number, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.u32 = number};

    return epoll_ctl(watcher->epoll, EPOLL_CTL_ADD, fd, &event) ? errno : 0;
}

void lt_watcher_change(lt_watcher *watcher, int fd, unsigned number, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.u32 = number};

    epoll_ctl(watcher->epoll, EPOLL_CTL_MOD, fd, &event);
}

void lt_watcher_remove(lt_watcher *watcher, int fd)
{
    epoll_ctl(watcher->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void lt_watcher_stop(lt_watcher *watcher)
{
    uint64_t one = 1;

    if (watcher->started && write(watcher->wake, &one, sizeof one) == sizeof one)
        pthread_join(watcher->thread, NULL);
    watcher->started = false;
}

void lt_watcher_clear(lt_watcher *watcher)
{
    if (watcher->epoll >= 0)
        close(watcher->epoll);
    if (watcher->wake >= 0)
        close(watcher->wake);
}
