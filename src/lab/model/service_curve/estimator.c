/* SPDX-License-Identifier: MIT */
#include "lab/model/service_curve/estimator.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lt_estimator {
    lt_estimator_config config;
    bool ended;
    double *samples; /* of the train, in order */
    double *thinned; /* every (extensions + 1)th of them */
    double *sorted;  /* the thinned ones in ascending order */
    size_t count;
    lt_train_result train; /* in progress */

    lt_train_result *trains;
    livetcp_service_point *points;
    size_t train_count, point_count;
};

const char *lt_train_state_name(lt_train_state state)
{
    static const char *const names[] = {"running", "steady", "dependent", "unsteady",
                                        "interrupted"};
    return names[state];
}

/* ---- life ---- */

static unsigned max_extensions(const lt_estimator_config *c)
{
    return c->patience > c->extensions ? c->patience : c->extensions;
}

static livetcp_result check(const lt_estimator_config *c, livetcp_error *error)
{
    unsigned max = max_extensions(c);

    if (!(c->step > 0) || isinf(c->step))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the step of the rates is %g: it is a number above 0", c->step);
    if (!(c->max_rate >= c->step))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the largest rate, %g, is below the step of the rates, %g", c->max_rate,
                       c->step);
    if (!(c->violation >= 0 && c->violation < 1))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the violation probability is %g: it is 0 or more and below 1",
                       c->violation);
    if (c->samples < LT_ESTIMATOR_MIN_SAMPLES)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%zu samples are too few for the tests: take at least %d", c->samples,
                       LT_ESTIMATOR_MIN_SAMPLES);
    if (max > LT_ESTIMATOR_MAX_EXTENSIONS || c->samples > LT_ESTIMATOR_MAX_SAMPLES / (max + 1))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%zu samples and %u extensions are too many: a train has at most %d samples "
                       "in all and %d extensions",
                       c->samples, max, LT_ESTIMATOR_MAX_SAMPLES, LT_ESTIMATOR_MAX_EXTENSIONS);
    return LIVETCP_OK;
}

size_t lt_estimator_max(const lt_estimator *estimator)
{
    const lt_estimator_config *c = &estimator->config;

    return c->samples * ((size_t)max_extensions(c) + 1);
}

static bool allocate(lt_estimator *e)
{
    e->samples = calloc(lt_estimator_max(e), sizeof *e->samples);
    e->thinned = calloc(e->config.samples, sizeof *e->thinned);
    e->sorted = calloc(e->config.samples, sizeof *e->sorted);
    e->trains = calloc(LT_ESTIMATOR_MAX_RATES, sizeof *e->trains);
    e->points = calloc(LT_ESTIMATOR_MAX_RATES, sizeof *e->points);
    return e->samples && e->thinned && e->sorted && e->trains && e->points;
}

livetcp_result lt_estimator_create(const lt_estimator_config *config, lt_estimator **estimator,
                                   livetcp_error *error)
{
    livetcp_result result = check(config, error);

    *estimator = NULL;
    if (result != LIVETCP_OK)
        return result;
    lt_estimator *e = calloc(1, sizeof *e);
    if (e) {
        e->config = *config;
        e->train.rate = config->step;
    }
    if (!e || !allocate(e)) {
        lt_estimator_destroy(&e);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for %zu samples",
                       config->samples * (max_extensions(config) + 1));
    }
    *estimator = e;
    return LIVETCP_OK;
}

void lt_estimator_destroy(lt_estimator **estimator)
{
    lt_estimator *e = *estimator;

    if (!e)
        return;
    for (size_t i = 0; i < e->train_count; i++)
        free((double *)e->trains[i].delays);
    free(e->samples);
    free(e->thinned);
    free(e->sorted);
    free(e->trains);
    free(e->points);
    free(e);
    *estimator = NULL;
}

/* ---- asked ---- */

double lt_estimator_rate(const lt_estimator *estimator)
{
    return estimator->ended ? 0 : estimator->train.rate;
}

size_t lt_estimator_wanted(const lt_estimator *e)
{
    return e->ended ? 0 : e->config.samples * (e->train.extensions + 1) - e->count;
}

const lt_train_result *lt_estimator_train(const lt_estimator *estimator, size_t position)
{
    return position < estimator->train_count ? &estimator->trains[position] : NULL;
}

const livetcp_service_point *lt_estimator_points(const lt_estimator *estimator, size_t *count)
{
    *count = estimator->point_count;
    return estimator->points;
}

/* ---- results ---- */

/* Stores the samples of a train: the tested ones, or all. */
static bool keep(lt_estimator *e, const double *samples, size_t count)
{
    double *copy = malloc(count ? count * sizeof *copy : 1);

    if (!copy)
        return false;
    memcpy(copy, samples, count * sizeof *copy);
    lt_sort_delays(copy, count);
    e->train.delays = copy;
    e->train.count = count;
    return true;
}

/* The next rate is a multiple of the step, without accumulated rounding errors. */
static void move_on(lt_estimator *e)
{
    double next = e->config.step * (double)(e->train_count + 1);

    e->ended = e->train.state == LT_TRAIN_UNSTEADY || e->train.state == LT_TRAIN_INTERRUPTED ||
               next > e->config.max_rate * (1 + 1e-9) || e->train_count == LT_ESTIMATOR_MAX_RATES;
    e->train = (lt_train_result){.rate = next};
    e->count = 0;
}

static livetcp_result end_train(lt_estimator *e, lt_train_state state, livetcp_error *error)
{
    lt_train_result *t = &e->train;
    bool classified = state == LT_TRAIN_STEADY;

    if (!keep(e, classified ? e->thinned : e->samples, classified ? e->config.samples : e->count))
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the samples of a train");
    t->state = state;
    if (state == LT_TRAIN_STEADY || state == LT_TRAIN_DEPENDENT) {
        t->quantile = lt_quantile_of(t->delays, t->count, 1 - e->config.violation);
        e->points[e->point_count++] = (livetcp_service_point){
            .rate = t->rate, .delay_us = (livetcp_usec)ceil(t->quantile.value)};
    }
    e->trains[e->train_count++] = *t;
    move_on(e);
    return LIVETCP_OK;
}

/* Tests every (extensions + 1)th sample, which makes the configured number. */
static bool test(lt_estimator *e)
{
    size_t count = e->config.samples, every = e->train.extensions + 1;

    for (size_t i = 0; i < count; i++)
        e->thinned[i] = e->samples[i * every];
    memcpy(e->sorted, e->thinned, count * sizeof *e->sorted);
    lt_sort_delays(e->sorted, count);
    e->train.even =
        lt_quantile_of(e->sorted, count, 1 - e->config.violation).value - e->sorted[0] <=
        (double)e->config.resolution;
    lt_runs_test_run(e->thinned, e->sorted, count, &e->train.runs);
    return lt_unit_root_test(e->thinned, count, &e->train.unit_root);
}

static lt_train_state classify(const lt_estimator *e)
{
    if (e->train.even)
        return LT_TRAIN_STEADY;
    if (!e->train.unit_root.stationary)
        return LT_TRAIN_UNSTEADY;
    return e->train.runs.independent ? LT_TRAIN_STEADY : LT_TRAIN_DEPENDENT;
}

/* Decides whether a tested train continues, and for how long. */
static bool extend(lt_estimator *e, lt_train_state state)
{
    unsigned max = max_extensions(&e->config), *now = &e->train.extensions;

    if (*now < e->config.extensions)
        ++*now;
    else if (state == LT_TRAIN_UNSTEADY && *now < max)
        *now = max - *now > *now + 1 ? 2 * *now + 1 : max;
    else
        return false;
    return true;
}

livetcp_result lt_estimator_add(lt_estimator *estimator, livetcp_usec delay, lt_train_state *state,
                                livetcp_error *error)
{
    lt_estimator *e = estimator;

    e->samples[e->count++] = (double)delay;
    e->train.over_limit = e->config.delay_limit && delay > e->config.delay_limit;
    *state = e->train.over_limit ? LT_TRAIN_UNSTEADY : LT_TRAIN_GOES_ON;
    if (*state == LT_TRAIN_GOES_ON) {
        if (lt_estimator_wanted(e))
            return LIVETCP_OK;
        if (!test(e))
            return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory to test the samples");
        *state = classify(e);
        if (*state != LT_TRAIN_STEADY && extend(e, *state)) {
            *state = LT_TRAIN_GOES_ON;
            return LIVETCP_OK;
        }
    }
    return end_train(e, *state, error);
}

void lt_estimator_stop(lt_estimator *estimator)
{
    lt_estimator *e = estimator;

    if (e->ended)
        return;
    /* tested before, but not steady: stationary at best */
    lt_train_state state = e->train.extensions && classify(e) != LT_TRAIN_UNSTEADY
                               ? LT_TRAIN_DEPENDENT
                               : LT_TRAIN_INTERRUPTED;
    if (e->count)
        (void)end_train(e, state, NULL); /* out of memory: the train is not reported */
    e->ended = true;
}
