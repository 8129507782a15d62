/* SPDX-License-Identifier: MIT */
/* Writes the requested reports of a run. */
#include "lab/bench/report.h"

#include "lab/output.h"

livetcp_result lt_report_write(const lt_outcomes *outcomes, const char *path,
                               lt_report_writer *write, livetcp_error *error)
{
    FILE *out = lt_output_open(path, error);
    if (!out)
        return LIVETCP_ERR_SYSTEM;
    return lt_output_close(out, path, write(outcomes, out, error), error);
}

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

/* The table goes to standard output, unless a file is written there. */
livetcp_result lt_report_all(const lt_bench_options *options, const lt_outcomes *outcomes,
                             livetcp_error *error)
{
    const struct {
        const char *path;
        lt_report_writer *write;
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
