/* SPDX-License-Identifier: MIT */
#include "tool/probe/findings.h"

#include "base/error.h"
#include "tool/probe/trace_file.h"

#include <stdlib.h>

livetcp_result lt_findings_create(const lt_probe_options *options, lt_probe_findings *findings,
                                  livetcp_error *error)
{
    lt_probe_findings *f = findings;
    const lt_estimator_config config = {.step = options->step,
                                        .max_rate = options->max_rate,
                                        .samples = options->samples,
                                        .extensions = options->extensions,
                                        .violation = options->violation,
                                        .resolution = options->resolution,
                                        .delay_limit = options->delay_limit};
    livetcp_result result = LIVETCP_OK;

    *f = (lt_probe_findings){.options = options};
    if (options->trace[0])
        result = lt_trace_read(options->trace, &f->video.frames, &f->video.count, error);
    if (result == LIVETCP_OK && options->trace[0])
        result =
            livetcp_envelope_create(f->video.frames, f->video.count, &f->video.envelope, error);
    if (result == LIVETCP_OK)
        result = lt_estimator_create(&config, &f->estimator, error);
    if (result == LIVETCP_OK && !(f->trains = calloc(LT_ESTIMATOR_MOST_RATES, sizeof *f->trains)))
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the findings");
    if (result != LIVETCP_OK)
        lt_findings_clear(f);
    return result;
}

void lt_findings_clear(lt_probe_findings *findings)
{
    lt_probe_findings *f = findings;

    for (size_t i = 0; i < f->train_count; i++)
        free(f->trains[i].samples);
    free(f->trains);
    free(f->video.frames);
    free(f->video.played);
    free(f->video.bounds);
    livetcp_envelope_destroy(&f->video.envelope);
    lt_estimator_destroy(&f->estimator);
    *f = (lt_probe_findings){.options = f->options};
}

lt_probe_train *lt_findings_begin_train(lt_probe_findings *findings)
{
    lt_probe_train *t = &findings->trains[findings->train_count];
    const lt_probe_options *o = findings->options;

    *t = (lt_probe_train){.room = (size_t)o->samples * (o->extensions + 1)};
    t->samples = malloc(t->room * sizeof *t->samples);
    if (!t->samples)
        return NULL;
    findings->train_count++;
    return t;
}

livetcp_result lt_findings_add(lt_probe_findings *findings, const lt_probe_sample *sample,
                               lt_train_state *state, livetcp_error *error)
{
    lt_probe_train *t = &findings->trains[findings->train_count - 1];

    if (t->count < t->room)
        t->samples[t->count++] = *sample;
    return lt_estimator_add(findings->estimator, sample->total, state, error);
}

static livetcp_usec leg_of(const lt_probe_sample *sample, lt_probe_leg leg)
{
    switch (leg) {
    case LT_LEG_SENDER:
        return sample->sender;
    case LT_LEG_NETWORK:
        return sample->network;
    case LT_LEG_RECEIVER:
        return sample->receiver;
    default:
        return sample->total;
    }
}

double *lt_findings_leg(const lt_probe_train *train, lt_probe_leg leg, size_t *count)
{
    double *values = malloc((train->count + 1) * sizeof *values);

    *count = 0;
    for (size_t i = 0; values && i < train->count; i++) {
        livetcp_usec delay = leg_of(&train->samples[i], leg);
        if (delay != LT_DELAY_UNKNOWN)
            values[(*count)++] = (double)delay;
    }
    if (!*count) {
        free(values);
        return NULL;
    }
    lt_sort_delays(values, *count);
    return values;
}

double *lt_findings_played(const lt_probe_findings *findings)
{
    const lt_probe_video *v = &findings->video;
    double *values = v->played_count ? malloc(v->played_count * sizeof *values) : NULL;

    for (size_t i = 0; values && i < v->played_count; i++)
        values[i] = (double)v->played[i];
    if (values)
        lt_sort_delays(values, v->played_count);
    return values;
}

static livetcp_result compare_played(lt_probe_video *v, livetcp_error *error)
{
    double *ratios = malloc((v->played_count + 1) * sizeof *ratios);

    if (!ratios)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for %zu frames", v->played_count);
    for (size_t i = 0; i < v->played_count; i++) {
        v->later += v->played[i] > v->bounds[i];
        ratios[i] = (double)v->bounds[i] / (double)(v->played[i] > 0 ? v->played[i] : 1);
    }
    lt_sort_delays(ratios, v->played_count);
    v->looseness = ratios[v->played_count / 2];
    free(ratios);
    return LIVETCP_OK;
}

livetcp_result lt_findings_bound(lt_probe_findings *findings, livetcp_error *error)
{
    lt_probe_video *v = &findings->video;
    size_t count;
    const livetcp_service_point *points = lt_estimator_points(findings->estimator, &count);

    if (!v->envelope)
        return LIVETCP_OK;
    v->bounds = calloc(v->count, sizeof *v->bounds);
    if (!v->bounds)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for %zu frames", v->count);
    v->bound = livetcp_delay_bound(points, count, v->envelope);
    livetcp_delay_bounds(points, count, v->envelope, v->bounds);
    return v->bound != INT64_MAX && v->played_count ? compare_played(v, error) : LIVETCP_OK;
}
