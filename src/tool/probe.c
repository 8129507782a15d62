/* SPDX-License-Identifier: MIT */
/* livetcp probe: the bit rate that a path carries over TCP, and the delay (Lübben and Fidler). */
#include "lab/output.h"
#include "lab/probe/listener.h"
#include "lab/probe/prober.h"
#include "lab/probe/report.h"
#include "lab/probe/simulation.h"
#include "tool/command.h"

#include <stdio.h>

static bool has_something(const lt_probe_findings *f)
{
    return lt_estimator_train(f->estimator, 0);
}

/* The JSON file also has the reason of an empty result, which the table cannot show. */
static livetcp_result report(lt_probe_findings *f, FILE *json, livetcp_error *error)
{
    livetcp_result result = lt_findings_bound(f, error);

    if (json && result == LIVETCP_OK)
        result = lt_probe_report_json(f, json, error);
    if (json != stdout && (has_something(f) || !f->failure[0]))
        lt_probe_report_table(f, stdout);
    return result;
}

static livetcp_result search(lt_probe_findings *f, livetcp_error *error)
{
    livetcp_result result = f->options->mode == LT_PROBE_SIMULATION ? lt_simulation_run(f, error)
                                                                    : lt_prober_run(f, error);

    if (result != LIVETCP_OK) {
        snprintf(f->failure, sizeof f->failure, "%s", error->message);
        lt_estimator_stop(f->estimator);
    }
    return result;
}

/* Reports the findings so far, however the search ends; an error of the search takes precedence.
 * The file is opened first, so that an unwritable one is reported at once. */
static livetcp_result probe_path(const lt_probe_options *options, livetcp_error *error)
{
    lt_probe_findings f = {0};
    livetcp_error unreported = {0};
    livetcp_result reported, result = lt_findings_create(options, &f, error);
    FILE *json = NULL;

    if (result != LIVETCP_OK)
        return result;
    if (options->json[0] && !(json = lt_output_open(options->json, error))) {
        lt_findings_clear(&f);
        return LIVETCP_ERR_SYSTEM;
    }
    result = search(&f, error);
    reported = report(&f, json, &unreported);
    if (json)
        reported = lt_output_close(json, options->json, reported, &unreported);
    lt_findings_clear(&f);
    if (result == LIVETCP_OK && reported != LIVETCP_OK) {
        *error = unreported;
        result = reported;
    }
    return result;
}

static int run_probe(int argc, const char **argv)
{
    lt_probe_options options;
    livetcp_error error = {.code = LIVETCP_OK};
    livetcp_result result;

    if (lt_probe_options_parse(&options, argc, argv, &error) != LIVETCP_OK)
        return lt_command_refused("probe", &error);
    if (options.mode == LT_PROBE_HELP) {
        lt_probe_options_help(stdout);
        return LT_EXIT_OK;
    }
    if (options.mode == LT_PROBE_LISTEN)
        result = lt_listener_run(&options, &error);
    else
        result = probe_path(&options, &error);
    return result == LIVETCP_OK ? LT_EXIT_OK : lt_command_failed("probe", &error);
}

const lt_command lt_command_probe = {
    .name = "probe",
    .summary = "measure the bit rates that a path carries over TCP, and their delay",
    .run = run_probe,
};
