/* SPDX-License-Identifier: MIT */
/* Threads, on POSIX systems. */
#include "platform/thread.h"

#include <pthread.h>
#include <signal.h>

int lt_thread_run(uv_thread_t *thread, void (*run)(void *), void *argument)
{
    sigset_t all, before;
    int status;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status = uv_thread_create(thread, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

int lt_thread_run_detached(void (*run)(void *), void *argument)
{
    uv_thread_t thread;
    int status = lt_thread_run(&thread, run, argument);

    if (status == 0)
        pthread_detach(thread);
    return status;
}

void lt_thread_detach_self(void)
{
    pthread_detach(pthread_self());
}
