/* SPDX-License-Identifier: MIT */
/*
 * A context from the inside: a loop, the one handle that wakes it from other threads, and lists of
 * the objects on it. Sessions, listeners and sockets that linger are known here by one function
 * each, which ends them.
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

/* As much as one read takes from a socket. */
#define LT_IO_READ_SIZE 65536

/* Bytes that the peers of all sessions may make them hold for parity, beyond a share of each. */
#define LT_IO_SHARED_MEMORY (64 * 1024 * 1024)

typedef void (*lt_io_call_fn)(void *argument);

/* A function that another thread waits for; lives on that thread's stack. */
typedef struct lt_io_call {
    lt_list in_calls;
    lt_io_call_fn function;
    void *argument;
    bool done;
} lt_io_call;

/* Part of something that wants the loop's thread now and then. */
typedef struct lt_io_work {
    lt_list in_scheduled;
    bool scheduled; /* (context's lock) */
    void (*run)(struct lt_io_work *work);
} lt_io_work;

struct json_t;

/* Part of something that ends with its context. */
typedef struct lt_io_member {
    lt_list in_context;
    void (*end)(struct lt_io_member *member); /* takes it from the list; calls nobody back */
    /* Adds itself to the statistics, a JSON object; NULL: it has none. */
    void (*describe)(struct lt_io_member *member, struct json_t *document);
} lt_io_member;

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
    uv_cond_t called; /* some lt_io_call is done, or a caller has left */
    unsigned callers; /* threads in lt_io_context_run() */
    lt_list calls;
    lt_list scheduled;

    /* Loop's thread. */
    bool ended;
    unsigned references; /* open handles and objects that point here */
    lt_list members;     /* listeners and sessions, the newest first */
    lt_list lingering;   /* sockets that linger, the oldest first: they end last */
    unsigned lingering_count;
    unsigned fallback_count;          /* connections that are passed on to another server */
    livetcp_usec fallback_warning_us; /* when the log may warn of that server again */
    uint64_t sessions_made;
    lt_memory memory;  /* what peers make its sessions hold beyond a share of each */
    bool stats_opened; /* the statistics socket was opened, or is not wanted */
    lt_io_log log;
    void (*on_closed)(void *user); /* may be NULL */
    void *on_closed_user;
    uint8_t read_buffer[LT_IO_READ_SIZE]; /* of the current reader, until its input is handed out */
};

/* Runs a function on the loop's thread and waits for it; at once when this is the loop's thread,
 * or the application runs the loop. */
void lt_io_context_run(livetcp_context *context, lt_io_call_fn function, void *argument);

/* Any thread. Has the loop's thread call work->run() soon, once. */
void lt_io_context_schedule(livetcp_context *context, lt_io_work *work);

/* Takes it back. Off the loop's thread it may be called all the same, once. */
void lt_io_context_unschedule(livetcp_context *context, lt_io_work *work);

/* Loop's thread. Everything that keeps a pointer to the context counts itself, open handles
 * included: when nothing is left, the context is freed. */
void lt_io_context_reference(livetcp_context *context);
void lt_io_context_release(livetcp_context *context);

#endif
