/* SPDX-License-Identifier: MIT */
/* Public functions of the delay model: a configuration in, a distribution out. */
#include <livetcp/delay_model.h>

#include "base/error.h"
#include "base/sized.h"
#include "lab/model/delay/capacity.h"
#include "lab/model/delay/params.h"
#include "lab/model/delay/solve.h"

#include <math.h>
#include <stdlib.h>

struct livetcp_delay_model {
    livetcp_delay_summary summary;
    livetcp_delay_point *points; /* in order of delay */
    size_t count;
};

/* Initial, final and sufficient values for an automatic backlog limit: near TCP's capacity backlogs
 * are unbounded. */
static const double FIRST_BACKLOG = 16, LAST_BACKLOG = 4096, ENOUGH = 1e-4;
enum { MANY_STATES = 100000 };

/* Lists the non-empty bins of the histogram. */
static livetcp_result list_points(livetcp_delay_model *model, const lt_histogram *h, double base,
                                  livetcp_error *error)
{
    double left = h->total;

    for (size_t i = 0; i < h->count; i++)
        model->count += h->bins[i].weight > 0;
    model->points = calloc(model->count + 1, sizeof *model->points);
    if (!model->points)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the distribution");
    model->count = 0;
    for (size_t i = 0; i < h->count; i++) {
        const lt_bin *bin = &h->bins[i];
        if (bin->weight <= 0)
            continue;
        left -= bin->weight;
        model->points[model->count++] =
            (livetcp_delay_point){.delay_us = 1e6 * (base + bin->sum / bin->weight),
                                  .probability = bin->weight / h->total,
                                  .ccdf = fmax(0, left / h->total)};
    }
    model->points[model->count - 1].ccdf = 0;
    return LIVETCP_OK;
}

static void summarize(livetcp_delay_model *model, const lt_delays *delays, double base,
                      double connections)
{
    livetcp_delay_summary *s = &model->summary;
    double packets = delays->histogram.total;

    s->mean_us = 1e6 * (base + lt_histogram_mean(&delays->histogram));
    s->jitter_us = 1e6 * lt_histogram_deviation(&delays->histogram);
    s->max_us = 1e6 * (base + delays->histogram.largest);
    s->backlogged = delays->by_cause[LT_CAUSE_BACKLOG] / packets;
    s->recovered = delays->by_cause[LT_CAUSE_RECOVERY] / packets;
    s->timed_out = delays->by_cause[LT_CAUSE_TIMEOUT] / packets;
    s->timeouts_per_s = connections * delays->timeouts / delays->seconds;
    s->truncated = delays->truncated / packets;
}

static livetcp_result solve_chain(livetcp_delay_model *model, const lt_delay_params *params,
                                  const livetcp_delay_model_config *config, livetcp_error *error)
{
    lt_chain chain;
    lt_visits visits = {0};
    lt_delays delays = {0};
    livetcp_result result = lt_chain_make(&chain, params, config->max_states, error);

    if (result == LIVETCP_OK)
        result = lt_visits_solve(&visits, &chain, error);
    if (result == LIVETCP_OK)
        result = lt_delays_collect(&delays, &chain, &visits, error);
    if (result == LIVETCP_OK) {
        model->count = 0;
        free(model->points);
        result = list_points(model, &delays.histogram, params->one_way, error);
        summarize(model, &delays, params->one_way, config->connections);
        model->summary.states = (size_t)(chain.n + chain.absorbing - 1);
        model->summary.iterations = visits.iterations;
    }
    lt_histogram_clear(&delays.histogram);
    lt_visits_clear(&visits);
    lt_chain_clear(&chain);
    return result;
}

/* Without loss no packet waits. */
static livetcp_result solve_lossless(livetcp_delay_model *model, const lt_delay_params *params,
                                     livetcp_error *error)
{
    livetcp_delay_summary *s = &model->summary;

    model->points = calloc(1, sizeof *model->points);
    if (!model->points)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the distribution");
    model->count = 1;
    s->mean_us = s->max_us = 1e6 * params->one_way;
    model->points[0] = (livetcp_delay_point){.delay_us = s->mean_us, .probability = 1};
    return LIVETCP_OK;
}

static void unbounded(livetcp_delay_model *model)
{
    livetcp_delay_summary *s = &model->summary;

    s->bounded = false;
    s->mean_us = s->jitter_us = s->max_us = INFINITY;
    s->truncated = 1;
    free(model->points);
    model->points = NULL;
    model->count = 0;
}

/* Doubles the backlog limit until almost no packet reaches it. */
static livetcp_result solve_growing(livetcp_delay_model *model, lt_delay_params *params,
                                    const livetcp_delay_model_config *config, livetcp_error *error)
{
    double multiple = FIRST_BACKLOG;
    const unsigned min = params->max_backlog;
    livetcp_result result;

    do {
        double edge = multiple * fmax(1, ceil(params->r));
        params->max_backlog = edge > min ? (unsigned)edge : min;
        livetcp_error why;
        result = solve_chain(model, params, config, &why);
        if (result != LIVETCP_OK &&
            model->points) /* the previous result stays, marked as truncated */
            return LIVETCP_OK;
        if (result != LIVETCP_OK)
            return lt_fail(error, result, "%s", why.message);
        multiple *= 2;
    } while (model->summary.truncated > ENOUGH && multiple <= LAST_BACKLOG &&
             model->summary.states < MANY_STATES);
    return LIVETCP_OK;
}

static livetcp_result solve(livetcp_delay_model *model, lt_delay_params *params,
                            const livetcp_delay_model_config *config, livetcp_error *error)
{
    double capacity;
    livetcp_result result = lt_delay_capacity(params, &capacity, error);

    if (result != LIVETCP_OK)
        return result;
    model->summary.bounded = true;
    model->summary.capacity_pps = capacity * config->connections / config->split;
    if (params->p_full <= 0)
        return solve_lossless(model, params, error);
    if (params->f >= capacity) {
        unbounded(model);
        return LIVETCP_OK;
    }
    if (config->backlog_states == 0)
        return solve_growing(model, params, config, error);
    return solve_chain(model, params, config, error);
}

static livetcp_result read_config(livetcp_delay_model_config *whole, lt_delay_params *params,
                                  const livetcp_delay_model_config *config, livetcp_error *error)
{
    livetcp_result result = lt_delay_config_read(whole, config, error);

    return result == LIVETCP_OK ? lt_delay_params_make(params, whole, error) : result;
}

livetcp_result livetcp_tcp_capacity(const livetcp_delay_model_config *config, double *packets_per_s,
                                    livetcp_error *error)
{
    livetcp_delay_model_config whole;
    lt_delay_params params;
    livetcp_result result = read_config(&whole, &params, config, error);

    if (result == LIVETCP_OK)
        result = lt_delay_capacity(&params, packets_per_s, error);
    if (result == LIVETCP_OK)
        *packets_per_s *= (double)whole.connections / whole.split;
    return result;
}

livetcp_result livetcp_delay_model_solve(const livetcp_delay_model_config *config,
                                         livetcp_delay_model **model, livetcp_error *error)
{
    livetcp_delay_model_config whole;
    lt_delay_params params;
    livetcp_result result = read_config(&whole, &params, config, error);

    *model = NULL;
    if (result != LIVETCP_OK)
        return result;
    livetcp_delay_model *made = calloc(1, sizeof *made);
    if (!made)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the model");
    result = solve(made, &params, &whole, error);
    if (result == LIVETCP_OK)
        *model = made;
    else
        livetcp_delay_model_destroy(&made);
    return result;
}

void livetcp_delay_model_destroy(livetcp_delay_model **model)
{
    if (!*model)
        return;
    free((*model)->points);
    free(*model);
    *model = NULL;
}

livetcp_result livetcp_delay_model_summary(const livetcp_delay_model *model,
                                           livetcp_delay_summary *summary)
{
    livetcp_result result = LT_CHECK_SIZED(summary, livetcp_delay_summary, NULL);

    if (result == LIVETCP_OK)
        lt_sized_fill(summary, &model->summary, sizeof model->summary);
    return result;
}

double livetcp_delay_model_quantile(const livetcp_delay_model *model, double quantile)
{
    const double rounding = 1e-12;
    size_t low = 0, high = model->count;

    if (!(quantile > 0 && quantile < 1))
        return NAN;
    if (!model->summary.bounded)
        return INFINITY;
    while (high - low > 1) { /* points[low - 1] is too small, points[high - 1] is not */
        size_t middle = low + (high - low) / 2;
        if (1 - model->points[middle - 1].ccdf >= quantile - rounding)
            high = middle;
        else
            low = middle;
    }
    return model->points[high - 1].delay_us;
}

double livetcp_delay_model_ccdf(const livetcp_delay_model *model, double delay_us)
{
    size_t low = 0, high = model->count; /* points before low are within delay_us */

    if (!model->summary.bounded)
        return 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->points[middle].delay_us <= delay_us * (1 + 1e-12))
            low = middle + 1;
        else
            high = middle;
    }
    return low ? model->points[low - 1].ccdf : 1;
}

bool livetcp_delay_model_at(const livetcp_delay_model *model, size_t position,
                            livetcp_delay_point *point)
{
    if (position >= model->count)
        return false;
    *point = model->points[position];
    return true;
}

double livetcp_delay_static_playout_us(const livetcp_delay_model_config *config)
{
    livetcp_delay_model_config whole;
    lt_delay_params params;

    if (read_config(&whole, &params, config, NULL) != LIVETCP_OK)
        return NAN;
    return 1e6 * (params.one_way + params.detect);
}
