/* SPDX-License-Identifier: MIT */
/* The coordinator: gives every scheme its own path and its own processes, starts them together,
 * and waits until the last packet has come or can no longer be expected. */
#ifndef LT_LAB_BENCH_RUNNER_H
#define LT_LAB_BENCH_RUNNER_H

#include "lab/bench/options.h"
#include "lab/bench/process.h"
#include "lab/bench/shared.h"

/* One per process that a scheme has. */
typedef enum lt_role { LT_ROLE_NEAR, LT_ROLE_FAR, LT_ROLE_BACK_NEAR, LT_ROLE_BACK_FAR } lt_role;

enum { LT_ROLES = 4 };

/* One scheme's run. */
typedef struct lt_run {
    const lt_bench_options *options;
    const lt_scheme *scheme;
    lt_shared *shared;
    lt_path *path; /* NULL while there is none */
    lt_process processes[LT_ROLES];
    livetcp_usec start; /* CLOCK_MONOTONIC: packet (s, i) is due at start + lt_plan_due() */
    livetcp_usec end;   /* of the drain time */
    size_t changes;     /* of the schedule that have been made */
    lt_path_counters counters[LT_PATH_LANES]; /* by lt_direction, of the whole run, when emulated */
    lt_path_health health;
} lt_run;

typedef struct lt_bench_log {
    lt_run runs[LT_BENCH_MAX_SCHEMES];
    unsigned count;
    lt_stall_log stalls; /* of the coordinator */
} lt_bench_log;

/* Runs every scheme of `options`, which must outlive *log. On success the caller must free its
 * contents with lt_runner_clear(). */
livetcp_result lt_runner_execute(const lt_bench_options *options, lt_bench_log **log,
                                 livetcp_error *error);

void lt_runner_clear(lt_bench_log **log);

#endif
