/* SPDX-License-Identifier: MIT */
/* A whole benchmark: runs the schemes and reports what came of it. */
#ifndef LT_LAB_BENCH_BENCH_H
#define LT_LAB_BENCH_BENCH_H

#include "lab/bench/options.h"

/* The table goes to standard output, or to standard error where a file takes that. */
livetcp_result lt_bench_run(const lt_bench_options *options, livetcp_error *error);

#endif
