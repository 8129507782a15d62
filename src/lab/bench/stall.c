/* SPDX-License-Identifier: MIT */
#include "lab/bench/stall.h"

#include "base/error.h"
#include "lab/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* ---- the log ---- */

void lt_stall_note(lt_stall_log *log, livetcp_usec due, livetcp_usec now)
{
    livetcp_usec late = now - due;
    __atomic_store_n(&log->ticks, log->ticks + 1, __ATOMIC_RELEASE);
    if (late > log->worst)
        log->worst = late;
    if (late < LT_STALL_THRESHOLD_US)
        return;
    if (log->count < LT_STALL_LOG_SIZE) {
        log->entries[log->count++] = (lt_stall){.begin = due, .end = now};
    } else {
        log->entries[LT_STALL_LOG_SIZE - 1].end = now;
        log->overflow++;
    }
}

static int by_begin(const void *a, const void *b)
{
    const lt_stall *x = a;
    const lt_stall *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

size_t lt_stall_merge(lt_stall *stalls, size_t count)
{
    if (count == 0)
        return 0;
    qsort(stalls, count, sizeof *stalls, by_begin);
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (stalls[i].begin <= stalls[last].end) {
            if (stalls[i].end > stalls[last].end)
                stalls[last].end = stalls[i].end;
        } else {
            stalls[++last] = stalls[i];
        }
    }
    return last + 1;
}

bool lt_stall_near(const lt_stall *merged, size_t count, livetcp_usec when, livetcp_usec before,
                   livetcp_usec after)
{
    size_t low = 0, high = count; /* the first stall that ends after `when` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (merged[middle].end + after < when)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && merged[low].begin - before <= when;
}

/* ---- the thread that watches: it sleeps to absolute times and compares ---- */

struct lt_stall_watch {
    pthread_t thread;
    lt_stall_log *log;
    atomic_bool stop;
    clockid_t cpu_clock;
};

static void *watch_main(void *arg)
{
    lt_stall_watch *watch = arg;
    prctl(PR_SET_TIMERSLACK, 1); /* the default slack of 50 us would distort the result */
    livetcp_usec due = lt_clock_now();
    while (!atomic_load_explicit(&watch->stop, memory_order_relaxed)) {
        due += LT_STALL_TICK_US;
        lt_clock_sleep_until(due);
        livetcp_usec now = lt_clock_now();
        lt_stall_note(watch->log, due, now);
        if (now - due > LT_STALL_TICK_US) /* missed ticks are one stall */
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
