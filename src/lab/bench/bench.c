/* SPDX-License-Identifier: MIT */
#include "lab/bench/bench.h"

#include "lab/bench/report.h"

livetcp_result lt_bench_run(const lt_bench_options *options, livetcp_error *error)
{
    lt_bench_log *log = NULL;
    lt_outcomes outcomes = {0};
    livetcp_result result = lt_runner_execute(options, &log, error);
    if (result == LIVETCP_OK)
        result = lt_outcomes_make(log, &outcomes, error);
    if (result == LIVETCP_OK)
        result = lt_report_all(options, &outcomes, error);
    lt_outcomes_clear(&outcomes);
    lt_runner_clear(&log);
    return result;
}
