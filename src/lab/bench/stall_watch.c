/* SPDX-License-Identifier: MIT */
/* The thread behind lt_stall_watch: sleeps to absolute times and compares. */
#include "lab/bench/stall.h"
#include "lab/clock.h"

#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>

struct lt_stall_watch {
    pthread_t thread;
    lt_stall_log *log;
    atomic_bool stop;
    clockid_t cpu_clock;
};

static void *watch_main(void *arg)
{
    lt_stall_watch *watch = arg;
    prctl(PR_SET_TIMERSLACK, 1); /* the default slack of 50 µs would be noise of our own */
    livetcp_usec due = lt_clock_now();
    while (!atomic_load_explicit(&watch->stop, memory_order_relaxed)) {
        due += LT_STALL_TICK_US;
        lt_clock_sleep_until(due);
        livetcp_usec now = lt_clock_now();
        lt_stall_note(watch->log, due, now);
        if (now - due > LT_STALL_TICK_US) /* the ticks slept through were one stall, not many */
            due = now;
    }
    return NULL;
}

livetcp_result lt_stall_watch_start(lt_stall_log *log, lt_stall_watch **out, livetcp_error *error)
{
    lt_stall_watch *watch = calloc(1, sizeof *watch);
    *out = NULL;
    if (!watch)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the stall watch");
    watch->log = log;
    int code = pthread_create(&watch->thread, NULL, watch_main, watch);
    if (code) {
        free(watch);
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, code, "cannot start the stall watch");
    }
    pthread_getcpuclockid(watch->thread, &watch->cpu_clock);
    *out = watch;
    return LIVETCP_OK;
}

livetcp_usec lt_stall_watch_cpu(const lt_stall_watch *watch)
{
    return lt_clock_read(watch->cpu_clock);
}

void lt_stall_watch_stop(lt_stall_watch **watch)
{
    if (!*watch)
        return;
    atomic_store(&(*watch)->stop, true);
    pthread_join((*watch)->thread, NULL);
    free(*watch);
    *watch = NULL;
}
