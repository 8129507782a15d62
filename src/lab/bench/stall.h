/* SPDX-License-Identifier: MIT */
/* Detects stalls of the machine. A watch wakes up every millisecond and notes when it came late; a
 * freeze of 80 ms otherwise passes for a p99.9. */
#ifndef LT_LAB_BENCH_STALL_H
#define LT_LAB_BENCH_STALL_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_STALL_TICK_US      1000
#define LT_STALL_THRESHOLD_US 10000

/* From when the watch should have woken to when it did. */
typedef struct lt_stall {
    livetcp_usec begin;
    livetcp_usec end;
} lt_stall;

/* A log of fixed size, so that it can live in memory shared between processes. */
enum { LT_STALL_LOG_SIZE = 1024 };

typedef struct lt_stall_log {
    uint32_t count;     /* entries used */
    uint32_t overflow;  /* stalls that found the log full; each extended the last entry */
    uint64_t ticks;     /* wake-ups in all; stored atomically, so that others may watch */
    livetcp_usec worst; /* latest wake-up, also below the threshold */
    lt_stall entries[LT_STALL_LOG_SIZE]; /* in order of time */
} lt_stall_log;

/* Notes one wake-up: due at `due`, awake at `now`. */
void lt_stall_note(lt_stall_log *log, livetcp_usec due, livetcp_usec now);

/* Merges stalls, sorting them in place, so that none overlap. Returns how many are left. */
size_t lt_stall_merge(lt_stall *stalls, size_t count);

/* True when `when` lies within `before` ahead of, or `after` behind, one of the merged stalls. */
bool lt_stall_near(const lt_stall *merged, size_t count, livetcp_usec when, livetcp_usec before,
                   livetcp_usec after);

/* A thread that watches; `log` must outlive it and is only written by it. */
typedef struct lt_stall_watch lt_stall_watch;

livetcp_result lt_stall_watch_start(lt_stall_log *log, lt_stall_watch **watch,
                                    livetcp_error *error);

/* CPU time the watch has taken so far, µs, to be subtracted from that of its process. */
livetcp_usec lt_stall_watch_cpu(const lt_stall_watch *watch);

/* Ends the thread; clears *watch, which may be NULL already. */
void lt_stall_watch_stop(lt_stall_watch **watch);

#endif
