/* SPDX-License-Identifier: MIT */
#include "lab/probe/probe.h"

#include "lab/output.h"
#include "lab/probe/listener.h"
#include "lab/probe/prober.h"
#include "lab/probe/report.h"
#include "lab/probe/simulation.h"

#include <stdio.h>

static bool has_something(const lt_probe_findings *f)
{
    return lt_estimator_train(f->estimator, 0);
}

/* The file says also why there is nothing; the table would only look empty. */
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

/* Whatever ends the search early, what it found by then is reported, and its error is the one that
 * counts. The file is opened first: one that cannot be written is known at once. */
static livetcp_result probe(const lt_probe_options *options, livetcp_error *error)
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

livetcp_result lt_probe_run(const lt_probe_options *options, livetcp_error *error)
{
    return options->mode == LT_PROBE_LISTEN ? lt_listener_run(options, error)
                                            : probe(options, error);
}
