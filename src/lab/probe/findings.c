/* SPDX-License-Identifier: MIT */
#include "lab/probe/findings.h"

#include "base/error.h"
#include "lab/trace_file.h"

#include <math.h>
#include <stdlib.h>

livetcp_result lt_findings_create(const lt_probe_options *options, lt_probe_findings *findings,
                                  livetcp_error *error)
{
    lt_probe_findings *f = findings;
    const lt_estimator_config config = {.step = options->step,
                                        .max_rate = options->max_rate,
                                        .samples = options->samples,
                                        .extensions = options->extensions,
                                        .patience = options->patience,
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
    if (result == LIVETCP_OK && !(f->trains = calloc(LT_ESTIMATOR_MAX_RATES, sizeof *f->trains)))
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
    lt_plays_clear(&f->video.plays);
    free(f->video.bounds);
    livetcp_envelope_destroy(&f->video.envelope);
    lt_estimator_destroy(&f->estimator);
    *f = (lt_probe_findings){.options = f->options};
}

lt_probe_train *lt_findings_begin_train(lt_probe_findings *findings)
{
    lt_probe_train *t = &findings->trains[findings->train_count];

    *t = (lt_probe_train){.capacity = lt_estimator_max(findings->estimator)};
    t->samples = malloc(t->capacity * sizeof *t->samples);
    if (!t->samples)
        return NULL;
    findings->train_count++;
    return t;
}

livetcp_result lt_findings_add(lt_probe_findings *findings, const lt_probe_sample *sample,
                               lt_train_state *state, livetcp_error *error)
{
    lt_probe_train *t = &findings->trains[findings->train_count - 1];

    if (t->count < t->capacity)
        t->samples[t->count++] = *sample;
    return lt_estimator_add(findings->estimator, sample->total, state, error);
}

static livetcp_usec component_of(const lt_probe_sample *sample, lt_probe_component component)
{
    switch (component) {
    case LT_COMPONENT_SENDER:
        return sample->sender;
    case LT_COMPONENT_NETWORK:
        return sample->network;
    case LT_COMPONENT_RECEIVER:
        return sample->receiver;
    default:
        return sample->total;
    }
}

double *lt_findings_component(const lt_probe_train *train, lt_probe_component component,
                              size_t *count)
{
    double *values = malloc((train->count + 1) * sizeof *values);

    *count = 0;
    for (size_t i = 0; values && i < train->count; i++) {
        livetcp_usec delay = component_of(&train->samples[i], component);
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
    const lt_plays *plays = &findings->video.plays;
    double *values = plays->count ? malloc(plays->count * sizeof *values) : NULL;

    for (size_t i = 0; values && i < plays->count; i++)
        values[i] = (double)plays->delays[i];
    if (values)
        lt_sort_delays(values, plays->count);
    return values;
}

double lt_findings_violation(const lt_probe_findings *findings)
{
    size_t count;

    (void)lt_estimator_points(findings->estimator, &count);
    return fmin(1, (double)count * findings->options->violation);
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
    return lt_plays_compare(&v->plays, v->bounds, 1 - lt_findings_violation(findings), &v->compared,
                            error);
}
