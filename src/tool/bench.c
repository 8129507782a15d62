/* SPDX-License-Identifier: MIT */
/* livetcp bench: measures the delay of CBR media over TCP and compares transport schemes. */
#include "lab/bench/command_line.h"
#include "lab/bench/options.h"
#include "lab/bench/report.h"
#include "tool/command.h"

#include <stdlib.h>

/* Runs the schemes and reports the results. The table goes to standard output, or to standard error
 * where a file goes to standard output. */
static livetcp_result bench(const lt_bench_options *options, livetcp_error *error)
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

static int run_parsed(const lt_bench_options *options)
{
    livetcp_error error = {.code = LIVETCP_OK};
    if (options->check)
        return LT_EXIT_OK;
    if (options->help) {
        lt_bench_line_help(stdout);
        return LT_EXIT_OK;
    }
    if (bench(options, &error) == LIVETCP_OK)
        return LT_EXIT_OK;
    return lt_command_failed("bench", &error);
}

static int run_bench(int argc, const char **argv)
{
    livetcp_error error = {.code = LIVETCP_OK};
    lt_bench_options *options = malloc(sizeof *options); /* too large for a stack */
    int code;
    if (!options) {
        fputs("livetcp bench: out of memory\n", stderr);
        return LT_EXIT_FAILED;
    }
    if (lt_bench_options_parse(options, argc, argv, &error) == LIVETCP_OK)
        code = run_parsed(options);
    else
        code = lt_command_refused("bench", &error);
    lt_bench_options_clear(options);
    free(options);
    return code;
}

const lt_command lt_command_bench = {
    .name = "bench",
    .summary = "measure the delay of media over an emulated path",
    .run = run_bench,
};
