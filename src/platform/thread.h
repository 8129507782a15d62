/* SPDX-License-Identifier: MIT */
/* Threads of the library. libuv can start threads, but neither detaches them nor blocks signals,
 * which belong to the application. posix_thread.c implements this. */
#ifndef LT_PLATFORM_THREAD_H
#define LT_PLATFORM_THREAD_H

#include <uv.h>

/* Start a thread with all signals blocked; return 0 or -errno. A detached thread is not joined. */
int lt_thread_run(uv_thread_t *thread, void (*run)(void *), void *argument);
int lt_thread_run_detached(void (*run)(void *), void *argument);

/* The calling thread will not be joined. */
void lt_thread_detach_self(void);

#endif
