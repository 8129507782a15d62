/* SPDX-License-Identifier: MIT */
/* livetcp bench: measures the delay of CBR media over TCP, one way of carrying it beside another.
 */
#include "lab/bench/bench.h"
#include "tool/command.h"

#include <stdlib.h>

static int run_parsed(const lt_bench_options *options)
{
    livetcp_error error = {.code = LIVETCP_OK};
    if (options->check)
        return LT_EXIT_OK;
    if (options->help) {
        lt_bench_options_help(stdout);
        return LT_EXIT_OK;
    }
    if (lt_bench_run(options, &error) == LIVETCP_OK)
        return LT_EXIT_OK;
    fprintf(stderr, "livetcp bench: %s\n", error.message);
    return LT_EXIT_FAILED;
}

static int run_bench(int argc, const char **argv)
{
    livetcp_error error = {.code = LIVETCP_OK};
    lt_bench_options *options = malloc(sizeof *options); /* too large for a stack */
    int code = LT_EXIT_USAGE;
    if (!options) {
        fputs("livetcp bench: out of memory\n", stderr);
        return LT_EXIT_FAILED;
    }
    if (lt_bench_options_parse(options, argc, argv, &error) == LIVETCP_OK)
        code = run_parsed(options);
    else
        fprintf(stderr, "livetcp bench: %s\n'livetcp bench --help' lists the options\n",
                error.message);
    free(options);
    return code;
}

const lt_command lt_command_bench = {
    .name = "bench",
    .summary = "measure the delay of media over an emulated path",
    .run = run_bench,
};
