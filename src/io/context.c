/* SPDX-License-Identifier: MIT */
/* Contexts: the application's loop or a loop with a thread of its own, and wake-ups from other
 * threads. */
#include "io/context.h"

#include "base/error.h"
#include "platform/thread.h"

#include <stdlib.h>

/* Work items per wake-up: bounds the time away from the loop's other handles. */
#define WORK_BATCH 64

static bool on_loop_thread(const livetcp_context *context)
{
    uv_thread_t self = uv_thread_self();
    return !context->own_thread || uv_thread_equal(&self, &context->self);
}

/* ---- calls from other threads ---- */

void lt_io_context_run(livetcp_context *context, lt_io_call_fn function, void *argument)
{
    lt_io_call call = {.function = function, .argument = argument};

    if (on_loop_thread(context)) {
        function(argument);
        return;
    }
    uv_mutex_lock(&context->lock);
    context->callers++;
    lt_list_insert_last(&context->calls, &call.in_calls);
    uv_async_send(&context->wake);
    while (!call.done)
        uv_cond_wait(&context->called, &context->lock);
    context->callers--;
    uv_cond_broadcast(&context->called);
    uv_mutex_unlock(&context->lock);
}

static void run_calls(livetcp_context *context)
{
    lt_list *first;

    uv_mutex_lock(&context->lock);
    while ((first = lt_list_first(&context->calls)) != NULL) {
        lt_io_call *call = LT_LIST_ELEMENT(first, lt_io_call, in_calls);
        lt_list_remove(first);
        uv_mutex_unlock(&context->lock);
        call->function(call->argument);
        uv_mutex_lock(&context->lock);
        call->done = true;
        uv_cond_broadcast(&context->called);
    }
    uv_mutex_unlock(&context->lock);
}

/* ---- work for the loop's thread ---- */

void lt_io_context_schedule(livetcp_context *context, lt_io_work *work)
{
    bool wake = false;

    uv_mutex_lock(&context->lock);
    if (!work->scheduled) {
        work->scheduled = true;
        wake = lt_list_is_empty(&context->scheduled);
        lt_list_insert_last(&context->scheduled, &work->in_scheduled);
    }
    uv_mutex_unlock(&context->lock);
    if (wake)
        uv_async_send(&context->wake);
}

void lt_io_context_unschedule(livetcp_context *context, lt_io_work *work)
{
    uv_mutex_lock(&context->lock);
    if (work->scheduled)
        lt_list_remove(&work->in_scheduled);
    work->scheduled = false;
    uv_mutex_unlock(&context->lock);
}

static lt_io_work *next_work(livetcp_context *context)
{
    lt_io_work *work = NULL;

    uv_mutex_lock(&context->lock);
    lt_list *first = lt_list_first(&context->scheduled);
    if (first) {
        work = LT_LIST_ELEMENT(first, lt_io_work, in_scheduled);
        lt_list_remove(first);
        work->scheduled = false;
    }
    uv_mutex_unlock(&context->lock);
    return work;
}

static void run_work(livetcp_context *context)
{
    lt_io_work *work;
    bool more;

    for (int i = 0; i < WORK_BATCH && (work = next_work(context)) != NULL; i++)
        work->run(work);
    uv_mutex_lock(&context->lock);
    more = !lt_list_is_empty(&context->scheduled);
    uv_mutex_unlock(&context->lock);
    if (more && !context->ended)
        uv_async_send(&context->wake);
}

static void on_wake(uv_async_t *wake)
{
    livetcp_context *context = wake->data;

    lt_io_context_reference(context);
    run_calls(context);
    if (!context->ended)
        run_work(context);
    lt_io_context_release(context);
}

/* ---- life ---- */

static void free_context(livetcp_context *context)
{
    void (*on_closed)(void *user) = context->on_closed;
    void *user = context->on_closed_user;

    uv_mutex_destroy(&context->lock);
    uv_cond_destroy(&context->called);
    free(context);
    if (on_closed)
        on_closed(user);
}

void lt_io_context_reference(livetcp_context *context)
{
    context->references++;
}

void lt_io_context_release(livetcp_context *context)
{
    /* With a thread of its own, the code that ends the thread frees the context. */
    if (--context->references == 0 && !context->own_thread)
        free_context(context);
}

static void on_wake_closed(uv_handle_t *handle)
{
    lt_io_context_release(handle->data);
}

static void end_members(lt_list *members)
{
    lt_list *first;

    while ((first = lt_list_first(members)) != NULL) {
        lt_io_member *member = LT_LIST_ELEMENT(first, lt_io_member, in_context);
        member->end(member);
    }
}

/* Loop's thread. */
static void end_context(void *argument)
{
    livetcp_context *context = argument;

    if (context->ended)
        return;
    context->ended = true;
    end_members(&context->members);
    end_members(&context->lingering);
    uv_close((uv_handle_t *)&context->wake, on_wake_closed);
}

/* A callback may destroy the context while another thread is still in the lt_io_context_run() that
 * led to it. */
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
    lt_list_init(&context->calls);
    lt_list_init(&context->scheduled);
    lt_list_init(&context->members);
    lt_list_init(&context->lingering);
    context->memory.limit = LT_IO_SHARED_MEMORY;
    return 0;
}

static int init_wake(livetcp_context *context)
{
    int status = uv_async_init(context->loop, &context->wake, on_wake);

    if (status != 0)
        return status;
    context->wake.data = context;
    lt_io_context_reference(context);
    return 0;
}

/* A loop with only the wake handle. */
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
    status = lt_thread_run(&context->thread, run_loop, context);
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

void livetcp_context_close(livetcp_context **owner, void (*on_closed)(void *user), void *user)
{
    livetcp_context *context = *owner;

    if (!context)
        return;
    *owner = NULL;
    context->on_closed = on_closed;
    context->on_closed_user = user;
    if (!context->own_thread) {
        end_context(context);
    } else if (on_loop_thread(context)) {
        context->detached = true;
        lt_thread_detach_self();
        end_context(context);
    } else {
        lt_io_context_run(context, end_context, context);
        uv_thread_join(&context->thread);
        finish_thread(context);
    }
}

void livetcp_context_destroy(livetcp_context **owner)
{
    livetcp_context_close(owner, NULL, NULL);
}

/* ---- log ---- */

typedef struct log_call {
    livetcp_context *context;
    lt_io_log log;
} log_call;

static void run_set_log(void *argument)
{
    log_call *call = argument;
    call->context->log = call->log;
}

void livetcp_context_set_log(livetcp_context *context, livetcp_log_level level,
                             livetcp_log_fn function, void *user)
{
    log_call call = {
        .context = context,
        .log = {.level = function ? level : LIVETCP_LOG_OFF, .function = function, .user = user}};
    lt_io_context_run(context, run_set_log, &call);
}
