/* SPDX-License-Identifier: MIT */
/* livetcp bench: measures the delay of CBR media over TCP, one way of carrying it beside another.
 */
#include "lab/command.h"

#include "lab/bench/report.h"

#include <stdlib.h>

static livetcp_result write_csv(const lt_outcomes *outcomes, FILE *out, livetcp_error *error)
{
    (void)error;
    lt_report_csv(outcomes, out);
    return LIVETCP_OK;
}

static livetcp_result write_raw(const lt_outcomes *outcomes, FILE *out, livetcp_error *error)
{
    (void)error;
    lt_report_raw(outcomes, out);
    return LIVETCP_OK;
}

/* The table goes to standard output unless a file does. */
static livetcp_result report(const lt_bench_options *options, const lt_outcomes *outcomes,
                             livetcp_error *error)
{
    const struct {
        const char *path;
        livetcp_result (*write)(const lt_outcomes *, FILE *, livetcp_error *);
    } files[] = {
        {options->csv, write_csv}, {options->json, lt_report_json}, {options->raw, write_raw}};
    bool taken = false;
    livetcp_result result = LIVETCP_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        taken = taken || (files[i].path[0] == '-' && !files[i].path[1]);
    lt_report_table(outcomes, taken ? stderr : stdout);
    for (size_t i = 0; result == LIVETCP_OK && i < sizeof files / sizeof *files; i++)
        if (*files[i].path)
            result = lt_report_write(outcomes, files[i].path, files[i].write, error);
    return result;
}

static int bench_run(int argc, const char **argv)
{
    livetcp_error error = {.code = LIVETCP_OK};
    lt_bench_options *options = malloc(sizeof *options); /* too large for a stack */
    lt_bench_log *log = NULL;
    lt_outcomes outcomes = {0};
    int code = LT_EXIT_USAGE;
    if (!options) {
        fputs("livetcp bench: out of memory\n", stderr);
        return LT_EXIT_FAILED;
    }
    livetcp_result result = lt_bench_options_parse(options, argc, argv, &error);
    if (result != LIVETCP_OK) {
        fprintf(stderr, "livetcp bench: %s\n'livetcp bench --help' lists the options\n",
                error.message);
    } else if (options->check) {
        code = LT_EXIT_OK;
    } else if (options->help) {
        lt_bench_options_help(stdout);
        code = LT_EXIT_OK;
    } else if ((result = lt_runner_execute(options, &log, &error)) != LIVETCP_OK ||
               (result = lt_outcomes_make(log, &outcomes, &error)) != LIVETCP_OK ||
               (result = report(options, &outcomes, &error)) != LIVETCP_OK) {
        fprintf(stderr, "livetcp bench: %s\n", error.message);
        code = LT_EXIT_FAILED;
    } else {
        code = LT_EXIT_OK;
    }
    lt_outcomes_clear(&outcomes);
    lt_runner_clear(&log);
    free(options);
    return code;
}

const lt_command lt_command_bench = {
    .name = "bench",
    .summary = "measure the delay of media over an emulated path",
    .run = bench_run,
};
