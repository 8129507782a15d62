/* SPDX-License-Identifier: MIT */
/*
 * A context from the inside: a loop, the async handle that wakes it from other threads, and lists
 * of its objects. Sessions, listeners and lingering sockets are lt_io_members: the context knows
 * only the function that ends each of them.
 *
 * Lock order: a session's lock, then the context's. Callbacks run with neither.
 */
#ifndef LT_IO_CONTEXT_H
#define LT_IO_CONTEXT_H

#include "base/list.h"
#include "engine/memory.h"
#include "io/log.h"

#include <livetcp/session.h>

#include <uv.h>

/* Maximum bytes of one read from a socket. */
#define LT_IO_READ_SIZE 65536

/* Bytes that parity decoding may hold for all sessions together, beyond the share of each
 * session. */
#define LT_IO_SHARED_MEMORY (64 * 1024 * 1024)

typedef void (*lt_io_call_fn)(void *argument);

/* A call that another thread waits for; lives on that thread's stack. */
typedef struct lt_io_call {
    lt_list in_calls;
    lt_io_call_fn function;
    void *argument;
    bool done;
} lt_io_call;

/* Embedded in an object that schedules work on the loop's thread. */
typedef struct lt_io_work {
    lt_list in_scheduled;
    bool scheduled; /* (context's lock) */
    void (*run)(struct lt_io_work *work);
} lt_io_work;

struct json_t;

/* Embedded in an object that ends with its context. */
typedef struct lt_io_member {
    lt_list in_context;
    void (*end)(struct lt_io_member *member); /* removes it from the list; makes no callback */
    /* Adds its statistics to a JSON object; NULL = it has none. */
    void (*describe)(struct lt_io_member *member, struct json_t *document);
} lt_io_member;

struct livetcp_context {
    uv_loop_t *loop;
    uv_async_t wake;

    /* Own thread. */
    bool own_thread;
    uv_loop_t own_loop;
    uv_thread_t thread; /* for joining */
    uv_thread_t self;   /* the same thread, stored before `started` is posted */
    uv_sem_t started;
    bool detached; /* destroyed inside a callback: the thread frees the context */

    /* Any thread, under the lock. */
    uv_mutex_t lock;
    uv_cond_t called; /* an lt_io_call is done, or a caller has left */
    unsigned callers; /* threads in lt_io_context_run() */
    lt_list calls;
    lt_list scheduled;

    /* Loop's thread. */
    bool ended;
    unsigned references; /* open handles and objects that point here */
    lt_list members;     /* listeners and sessions, the newest first */
    lt_list lingering;   /* sockets in lingering close, the oldest first; ended last */
    unsigned lingering_count;
    unsigned fallback_count;          /* connections that are passed on to another server */
    livetcp_usec fallback_warning_us; /* when the log may warn of that server again */
    uint64_t sessions_made;
    lt_memory memory;  /* parity memory of all sessions beyond each session's share */
    bool stats_opened; /* the statistics socket was opened, or is not configured */
    lt_io_log log;
    void (*on_closed)(void *user); /* may be NULL */
    void *on_closed_user;
    uint8_t read_buffer[LT_IO_READ_SIZE]; /* owned by the current reader until its input has been
                                             delivered */
};

/* Runs a function on the loop's thread and waits for its result; runs it directly when this is the
 * loop's thread or the application runs the loop. */
void lt_io_context_run(livetcp_context *context, lt_io_call_fn function, void *argument);

/* Any thread. Makes the loop's thread call work->run() once, soon. */
void lt_io_context_schedule(livetcp_context *context, lt_io_work *work);

/* Cancels scheduled work. Outside the loop's thread one call may still follow. */
void lt_io_context_unschedule(livetcp_context *context, lt_io_work *work);

/* Loop's thread. Every pointer to the context holds a reference, open handles included; the last
 * release frees it. */
void lt_io_context_reference(livetcp_context *context);
void lt_io_context_release(livetcp_context *context);

#endif
