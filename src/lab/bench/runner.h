/* SPDX-License-Identifier: MIT */
/* The coordinator: gives each scheme its own path and processes, starts them together, and waits
 * until the last packet has arrived or the drain time is over. */
#ifndef LT_LAB_BENCH_RUNNER_H
#define LT_LAB_BENCH_RUNNER_H

#include "lab/bench/options.h"
#include "lab/bench/process.h"
#include "lab/bench/shared.h"

/* Roles of a scheme's processes. */
typedef enum lt_role { LT_ROLE_NEAR, LT_ROLE_FAR, LT_ROLE_BACK_NEAR, LT_ROLE_BACK_FAR } lt_role;

enum { LT_ROLES = 4 };

/* One scheme's run. */
typedef struct lt_run {
    const lt_bench_options *options;
    const lt_scheme *scheme;
    lt_shared *shared;
    lt_path *path; /* NULL while there is none */
    lt_process processes[LT_ROLES];
    livetcp_usec start;                       /* packet (s, i) is due at start + lt_plan_due() */
    livetcp_usec end;                         /* end of the drain time */
    size_t changes;                           /* scheduled changes applied so far */
    lt_path_counters counters[LT_PATH_LANES]; /* by lt_direction, whole run; emulated only */
    lt_path_health health;
} lt_run;

typedef struct lt_bench_log {
    lt_run runs[LT_BENCH_MAX_SCHEMES];
    unsigned count;
    lt_stall_log stalls; /* of the coordinator */
} lt_bench_log;

/* Runs every scheme of `options`, which must outlive *log. On success the caller frees its contents
 * with lt_runner_clear(). */
livetcp_result lt_runner_execute(const lt_bench_options *options, lt_bench_log **log,
                                 livetcp_error *error);

void lt_runner_clear(lt_bench_log **log);

#endif
