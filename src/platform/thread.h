/* SPDX-License-Identifier: MIT */
/* Threads of the library. libuv starts them, but neither detaches them nor keeps signals away,
 * which are the application's. posix_thread.c implements this. */
#ifndef LT_PLATFORM_THREAD_H
#define LT_PLATFORM_THREAD_H

#include <uv.h>

/* Both start a thread that takes no signals, and return 0 or -errno. A detached thread is not
 * joined. */
int lt_thread_run(uv_thread_t *thread, void (*run)(void *), void *argument);
int lt_thread_run_detached(void (*run)(void *), void *argument);

/* The calling thread will not be joined. */
void lt_thread_detach_self(void);

#endif
