/* SPDX-License-Identifier: MIT */
/*
 * A context from the inside: a loop, the one handle that wakes it from other threads, and lists of
 * everything that lives on it.
 *
 * Lock order: a session's lock, then the context's. Callbacks run with neither.
 */
#ifndef LT_IO_CONTEXT_H
#define LT_IO_CONTEXT_H

#include "io/farewell.h"
#include "io/resolve.h"

#include <livetcp/session.h>

#include <sys/queue.h>
#include <uv.h>

/* What one read takes from a socket. */
#define LT_READ_SIZE 65536

typedef void (*lt_call_fn)(void *argument);

/* A function that another thread waits for; lives on that thread's stack. */
typedef struct lt_call {
    STAILQ_ENTRY(lt_call) next;
    lt_call_fn function;
    void *argument;
    bool done;
} lt_call;

struct livetcp_context {
    uv_loop_t *loop;
    uv_async_t wake;

    /* Own thread. */
    bool own_thread;
    uv_loop_t own_loop;
    uv_thread_t thread; /* for joining */
    uv_thread_t self;   /* the same, written before `started` is posted */
    uv_sem_t started;
    bool detached; /* destroyed inside a callback: the thread frees the context */

    /* Any thread, under the lock. */
    uv_mutex_t lock;
    uv_cond_t called; /* some lt_call is done, or a caller has left */
    unsigned callers; /* threads in lt_context_run() */
    STAILQ_HEAD(, lt_call) calls;
    TAILQ_HEAD(, livetcp_session) attention;
    TAILQ_HEAD(, lt_resolution) resolved;

    /* Loop's thread. */
    bool ended;
    unsigned references; /* open handles and objects that point here */
    LIST_HEAD(, livetcp_session) sessions;
    LIST_HEAD(, livetcp_listener) listeners;
    lt_farewells farewells;
    uint8_t read_buffer[LT_READ_SIZE]; /* whoever reads, until it has handed out what it read */
};

/* Runs a function on the loop's thread and waits for it; at once when this is the loop's thread,
 * or the application runs the loop. */
void lt_context_run(livetcp_context *context, lt_call_fn function, void *argument);

/* Any thread. Has the loop's thread call lt_session_io_service() for this session soon. */
void lt_context_attend(livetcp_context *context, livetcp_session *session);

/* Loop's thread: the session needs no attention any more. */
void lt_context_forget(livetcp_context *context, livetcp_session *session);

/* Loop's thread. Everything that keeps a pointer to the context counts itself. */
void lt_context_reference(livetcp_context *context);
void lt_context_release(livetcp_context *context);

#endif
