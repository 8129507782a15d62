/* SPDX-License-Identifier: MIT */
#include "lab/bench/bench.h"

#include "lab/bench/report.h"

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

livetcp_result lt_bench_run(const lt_bench_options *options, livetcp_error *error)
{
    lt_bench_log *log = NULL;
    lt_outcomes outcomes = {0};
    livetcp_result result = lt_runner_execute(options, &log, error);
    if (result == LIVETCP_OK)
        result = lt_outcomes_make(log, &outcomes, error);
    if (result == LIVETCP_OK)
        result = report(options, &outcomes, error);
    lt_outcomes_clear(&outcomes);
    lt_runner_clear(&log);
    return result;
}
