/* SPDX-License-Identifier: MIT */
/* Contexts: the application's loop or one of our own, and how other threads reach it. */
#include "io/context.h"

#include "base/error.h"
#include "io/listener.h"
#include "io/session_io.h"
#include "io/thread.h"

#include <stdlib.h>
#include <string.h>

/* Sessions served per wake-up: other handles of the loop get their turn in between. */
#define ATTENTION_BATCH 64

static bool on_loop_thread(const livetcp_context *context)
{
    uv_thread_t self = uv_thread_self();
    return !context->own_thread || uv_thread_equal(&self, &context->self);
}

/* ---- calls from other threads ---- */

void lt_context_run(livetcp_context *context, lt_call_fn function, void *argument)
{
    lt_call call = {.function = function, .argument = argument};

    if (on_loop_thread(context)) {
        function(argument);
        return;
    }
    uv_mutex_lock(&context->lock);
    context->callers++;
    STAILQ_INSERT_TAIL(&context->calls, &call, next);
    uv_async_send(&context->wake);
    while (!call.done)
        uv_cond_wait(&context->called, &context->lock);
    context->callers--;
    uv_cond_broadcast(&context->called);
    uv_mutex_unlock(&context->lock);
}

static void run_calls(livetcp_context *context)
{
    uv_mutex_lock(&context->lock);
    while (!STAILQ_EMPTY(&context->calls)) {
        lt_call *call = STAILQ_FIRST(&context->calls);
        STAILQ_REMOVE_HEAD(&context->calls, next);
        uv_mutex_unlock(&context->lock);
        call->function(call->argument);
        uv_mutex_lock(&context->lock);
        call->done = true;
        uv_cond_broadcast(&context->called);
    }
    uv_mutex_unlock(&context->lock);
}

void lt_context_attend(livetcp_context *context, livetcp_session *session)
{
    bool wake = false;

    uv_mutex_lock(&context->lock);
    if (!session->attended) {
        session->attended = true;
        wake = TAILQ_EMPTY(&context->attention);
        TAILQ_INSERT_TAIL(&context->attention, session, in_attention);
    }
    uv_mutex_unlock(&context->lock);
    if (wake)
        uv_async_send(&context->wake);
}

void lt_context_forget(livetcp_context *context, livetcp_session *session)
{
    uv_mutex_lock(&context->lock);
    if (session->attended)
        TAILQ_REMOVE(&context->attention, session, in_attention);
    session->attended = false;
    uv_mutex_unlock(&context->lock);
}

static livetcp_session *next_attention(livetcp_context *context)
{
    uv_mutex_lock(&context->lock);
    livetcp_session *session = TAILQ_FIRST(&context->attention);
    if (session) {
        TAILQ_REMOVE(&context->attention, session, in_attention);
        session->attended = false;
    }
    uv_mutex_unlock(&context->lock);
    return session;
}

static void serve_attention(livetcp_context *context)
{
    livetcp_session *session;
    bool more;

    for (int i = 0; i < ATTENTION_BATCH && (session = next_attention(context)) != NULL; i++)
        lt_session_io_service(session);
    uv_mutex_lock(&context->lock);
    more = !TAILQ_EMPTY(&context->attention);
    uv_mutex_unlock(&context->lock);
    if (more && !context->ended)
        uv_async_send(&context->wake);
}

static void on_wake(uv_async_t *wake)
{
    livetcp_context *context = wake->data;

    lt_context_reference(context);
    run_calls(context);
    if (!context->ended)
        lt_resolve_deliver(context);
    if (!context->ended)
        serve_attention(context);
    lt_context_release(context);
}

/* ---- life ---- */

static void free_context(livetcp_context *context)
{
    uv_mutex_destroy(&context->lock);
    uv_cond_destroy(&context->called);
    free(context);
}

void lt_context_reference(livetcp_context *context)
{
    context->references++;
}

void lt_context_release(livetcp_context *context)
{
    /* With a thread of our own, whoever ends the thread frees the context. */
    if (--context->references == 0 && !context->own_thread)
        free_context(context);
}

static void on_wake_closed(uv_handle_t *handle)
{
    lt_context_release(handle->data);
}

/* Loop's thread. */
static void end_context(void *argument)
{
    livetcp_context *context = argument;

    if (context->ended)
        return;
    context->ended = true;
    while (!LIST_EMPTY(&context->listeners))
        lt_listener_end(LIST_FIRST(&context->listeners));
    while (!LIST_EMPTY(&context->sessions))
        lt_session_io_end(LIST_FIRST(&context->sessions));
    lt_farewells_end(&context->farewells);
    uv_close((uv_handle_t *)&context->wake, on_wake_closed);
}

/* A callback may destroy the context while the call that led to it is still on its way back to
 * another thread. */
static void finish_thread(livetcp_context *context)
{
    uv_mutex_lock(&context->lock);
    while (context->callers > 0)
        uv_cond_wait(&context->called, &context->lock);
    uv_mutex_unlock(&context->lock);
    uv_loop_close(&context->own_loop);
    uv_sem_destroy(&context->started);
    free_context(context);
}

static void run_loop(void *argument)
{
    livetcp_context *context = argument;

    context->self = uv_thread_self();
    uv_sem_post(&context->started);
    uv_run(&context->own_loop, UV_RUN_DEFAULT);
    if (context->detached)
        finish_thread(context);
}

static int init_shared(livetcp_context *context)
{
    int status = uv_mutex_init(&context->lock);

    if (status != 0)
        return status;
    status = uv_cond_init(&context->called);
    if (status != 0) {
        uv_mutex_destroy(&context->lock);
        return status;
    }
    STAILQ_INIT(&context->calls);
    TAILQ_INIT(&context->attention);
    TAILQ_INIT(&context->resolved);
    LIST_INIT(&context->sessions);
    LIST_INIT(&context->listeners);
    return 0;
}

static int init_wake(livetcp_context *context)
{
    int status = uv_async_init(context->loop, &context->wake, on_wake);

    if (status != 0)
        return status;
    context->wake.data = context;
    lt_context_reference(context);
    lt_farewells_init(&context->farewells, context);
    return 0;
}

/* A loop in which only the wake handle lives. */
static int start_thread(livetcp_context *context)
{
    int status = uv_loop_init(&context->own_loop);

    if (status != 0)
        return status;
    context->loop = &context->own_loop;
    status = uv_sem_init(&context->started, 0);
    if (status != 0)
        goto no_semaphore;
    status = init_wake(context);
    if (status != 0)
        goto no_wake;
    status = -lt_thread_run(&context->thread, run_loop, context);
    if (status == 0) {
        uv_sem_wait(&context->started);
        return 0;
    }
    end_context(context);
    uv_run(&context->own_loop, UV_RUN_DEFAULT);
no_wake:
    uv_sem_destroy(&context->started);
no_semaphore:
    uv_loop_close(&context->own_loop);
    return status;
}

livetcp_result livetcp_context_create(uv_loop_t *loop, livetcp_context **out, livetcp_error *error)
{
    livetcp_context *context = calloc(1, sizeof *context);
    int status = UV_ENOMEM;

    if (context) {
        context->loop = loop;
        context->own_thread = loop == NULL;
        status = init_shared(context);
        if (status == 0) {
            status = loop ? init_wake(context) : start_thread(context);
            if (status != 0) {
                free_context(context);
                context = NULL;
            }
        } else {
            free(context);
            context = NULL;
        }
    }
    *out = context;
    if (status == 0)
        return LIVETCP_OK;
    return lt_fail(error, status == UV_ENOMEM ? LIVETCP_ERR_NO_MEMORY : LIVETCP_ERR_SYSTEM,
                   "cannot start an event loop: %s", uv_strerror(status));
}

void livetcp_context_destroy(livetcp_context **owner)
{
    livetcp_context *context = *owner;

    if (!context)
        return;
    *owner = NULL;
    if (!context->own_thread) {
        end_context(context);
    } else if (on_loop_thread(context)) {
        context->detached = true;
        lt_thread_detach_self();
        end_context(context);
    } else {
        lt_context_run(context, end_context, context);
        uv_thread_join(&context->thread);
        finish_thread(context);
    }
}
