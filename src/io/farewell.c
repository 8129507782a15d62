/* SPDX-License-Identifier: MIT */
/* Sockets that we have finished with and the peer perhaps has not. */
#include "io/farewell.h"

#include "io/channel_stamps.h"
#include "io/context.h"
#include "io/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define FAREWELL_MS      2000
#define FAREWELLS_MAX    256
#define READS_PER_WAKEUP 64

struct lt_farewell {
    TAILQ_ENTRY(lt_farewell) in_list;
    lt_farewells *all;
    int socket;
    uv_poll_t poll;
    uv_timer_t timer;
    int handles; /* still open */
};

void lt_farewells_init(lt_farewells *farewells, livetcp_context *context)
{
    farewells->context = context;
    farewells->count = 0;
    farewells->ended = false;
    TAILQ_INIT(&farewells->list);
}

/* Reads and forgets. True if the peer has ended its direction, or worse. */
static bool discard(int socket)
{
    char nothing[8192]; /* the context's buffer may hold packets that are being delivered */

    for (int i = 0; i < READS_PER_WAKEUP; i++) {
        long n = lt_socket_read(socket, nothing, sizeof nothing);
        if (n <= 0)
            return n != -EAGAIN;
    }
    return false;
}

static void on_closed(uv_handle_t *handle)
{
    lt_farewell *farewell = handle->data;
    livetcp_context *context = farewell->all->context;

    if (--farewell->handles > 0)
        return;
    free(farewell);
    lt_context_release(context);
}

static void finish(lt_farewell *farewell)
{
    TAILQ_REMOVE(&farewell->all->list, farewell, in_list);
    farewell->all->count--;
    uv_close((uv_handle_t *)&farewell->poll, on_closed);
    uv_close((uv_handle_t *)&farewell->timer, on_closed);
    close(farewell->socket);
}

static void on_input(uv_poll_t *poll, int status, int events)
{
    lt_farewell *farewell = poll->data;
    bool ended = discard(farewell->socket);

    (void)events;
    if (status < 0 && !ended)
        ended = !lt_socket_discard_stamps(farewell->socket);
    if (ended)
        finish(farewell);
    else if (status < 0)
        uv_poll_start(poll, UV_READABLE, on_input);
}

static void on_timeout(uv_timer_t *timer)
{
    finish(timer->data);
}

static bool watch(lt_farewells *farewells, int socket)
{
    livetcp_context *context = farewells->context;
    lt_farewell *farewell = calloc(1, sizeof *farewell);

    if (!farewell)
        return false;
    if (uv_poll_init_socket(context->loop, &farewell->poll, socket) != 0) {
        free(farewell);
        return false;
    }
    uv_timer_init(context->loop, &farewell->timer);
    farewell->all = farewells;
    farewell->socket = socket;
    farewell->handles = 2;
    farewell->poll.data = farewell;
    farewell->timer.data = farewell;
    lt_context_reference(context);
    uv_poll_start(&farewell->poll, UV_READABLE, on_input);
    uv_timer_start(&farewell->timer, on_timeout, FAREWELL_MS, 0);
    TAILQ_INSERT_TAIL(&farewells->list, farewell, in_list);
    farewells->count++;
    return true;
}

void lt_farewell_start(lt_farewells *farewells, int socket)
{
    shutdown(socket, SHUT_WR);
    if (discard(socket) || farewells->ended) {
        close(socket);
        return;
    }
    if (farewells->count == FAREWELLS_MAX)
        finish(TAILQ_FIRST(&farewells->list));
    if (!watch(farewells, socket))
        close(socket);
}

void lt_farewells_end(lt_farewells *farewells)
{
    farewells->ended = true;
    while (!TAILQ_EMPTY(&farewells->list)) {
        lt_farewell *farewell = TAILQ_FIRST(&farewells->list);
        discard(farewell->socket);
        finish(farewell);
    }
}
