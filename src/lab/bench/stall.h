/* SPDX-License-Identifier: MIT */
/* Detects stalls of the machine: a thread wakes up every millisecond and records late wake-ups.
 * Otherwise a stall of 80 ms would be reported as a p99.9. */
#ifndef LT_LAB_BENCH_STALL_H
#define LT_LAB_BENCH_STALL_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_STALL_TICK_US      1000
#define LT_STALL_THRESHOLD_US 10000

/* From the scheduled to the actual wake-up. */
typedef struct lt_stall {
    livetcp_usec begin;
    livetcp_usec end;
} lt_stall;

/* A log of fixed size, so that it can live in memory shared between processes. */
enum { LT_STALL_LOG_SIZE = 1024 };

typedef struct lt_stall_log {
    uint32_t count;     /* entries used */
    uint32_t overflow;  /* stalls beyond the log's size; each extended the last entry */
    uint64_t ticks;     /* number of wake-ups; stored atomically, for other threads */
    livetcp_usec worst; /* lateness of the latest wake-up, also below the threshold */
    lt_stall entries[LT_STALL_LOG_SIZE]; /* in order of time */
} lt_stall_log;

/* Records a wake-up: scheduled at `due`, actual at `now`. */
void lt_stall_note(lt_stall_log *log, livetcp_usec due, livetcp_usec now);

/* Sorts stalls in place and merges overlapping ones. Returns the number left. */
size_t lt_stall_merge(lt_stall *stalls, size_t count);

/* True if `when` is in a merged stall, up to `before` ahead of one, or up to `after` behind one. */
bool lt_stall_near(const lt_stall *merged, size_t count, livetcp_usec when, livetcp_usec before,
                   livetcp_usec after);

/* A watching thread; `log` must outlive it and is written by it only. */
typedef struct lt_stall_watch lt_stall_watch;

livetcp_result lt_stall_watch_start(lt_stall_log *log, lt_stall_watch **watch,
                                    livetcp_error *error);

/* CPU time used by the watch, in us, to be subtracted from its process. */
livetcp_usec lt_stall_watch_cpu(const lt_stall_watch *watch);

/* Ends the thread; clears *watch, which may already be NULL. */
void lt_stall_watch_stop(lt_stall_watch **watch);

#endif
