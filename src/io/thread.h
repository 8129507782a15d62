/* SPDX-License-Identifier: MIT */
/* Threads of the library. They take no signals: those are the application's. */
#ifndef LT_IO_THREAD_H
#define LT_IO_THREAD_H

#include <uv.h>

/* Both return 0 or an errno. */
int lt_thread_run_detached(void (*run)(void *), void *argument);
int lt_thread_run(uv_thread_t *thread, void (*run)(void *), void *argument);

/* The calling thread will not be joined. */
void lt_thread_detach_self(void);

#endif
