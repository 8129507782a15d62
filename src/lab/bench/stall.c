/* SPDX-License-Identifier: MIT */
/* The log of stalls and what is made of it; the watching thread is in stall_watch.c. */
#include "lab/bench/stall.h"

#include <stdlib.h>

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
    size_t low = 0, high = count; /* the first stall that is not over for `when` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (merged[middle].end + after < when)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && merged[low].begin - before <= when;
}
