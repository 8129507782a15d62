/* SPDX-License-Identifier: MIT */
/* Searches with the delay model: the largest loss, the best settings. */
#include <livetcp/working_region.h>

#include "base/error.h"
#include "base/sized.h"
#include "lab/model/delay/params.h"

#include <math.h>
#include <stdbool.h>

static const double MIN_LOSS = 1e-5, MAX_LOSS = 0.5, PRECISION = 1.02;
/* A rate this close to TCP's capacity counts as above it: see the public header. */
static const double MARGIN = 0.95;
enum { MAX_CONNECTIONS = 8, MAX_SPLIT = 4 };

/* The part of livetcp_delay_target that the initializer of version 0.1 cleared. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_delay_target, target_us)

void livetcp_delay_target_init_sized(livetcp_delay_target *target, size_t size)
{
    const livetcp_delay_target defaults = {.quantile = 0.95, .target_us = 200 * LIVETCP_USEC_MSEC};

    lt_sized_write(target, size, &defaults, sizeof defaults);
}

void(livetcp_delay_target_init)(livetcp_delay_target *target)
{
    livetcp_delay_target_init_sized(target, SIZE_0_1);
}

/* Reads the arguments into structs of the library's size. */
static livetcp_result read_question(const livetcp_delay_model_config *given_config,
                                    livetcp_delay_model_config *config,
                                    const livetcp_delay_target *given, livetcp_delay_target *t,
                                    livetcp_error *error)
{
    livetcp_result result = lt_delay_config_read(config, given_config, error);

    if (result != LIVETCP_OK)
        return result;
    result = LT_CHECK_INITIALIZED(given, livetcp_delay_target, SIZE_0_1, error);
    if (result != LIVETCP_OK)
        return result;
    livetcp_delay_target_init(t);
    lt_sized_read(t, sizeof *t, given);
    if (!(t->quantile > 0 && t->quantile < 1))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "quantile is %g: it is between 0 and 1 (95%% is 0.95)", t->quantile);
    if (t->target_us <= 0)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "target_us is %lld: it is above 0",
                       (long long)t->target_us);
    return LIVETCP_OK;
}

/* Backlog that suffices to test the target: packets that wait longer are at the edge, beyond the
 * target. A larger one costs time, near TCP's capacity a lot. */
static double enough_backlog(const livetcp_delay_model_config *config,
                             const livetcp_delay_target *target)
{
    double rtts = (double)target->target_us / fmax(1, (double)config->rtt_us);

    return fmin(fmax(16, 1.25 * rtts + 4), 10000);
}

static livetcp_result delay_at(const livetcp_delay_model_config *config, double quantile,
                               double *delay_us, livetcp_error *error)
{
    livetcp_delay_model *model;
    livetcp_result result = livetcp_delay_model_solve(config, &model, error);

    if (result != LIVETCP_OK)
        return result;
    *delay_us = livetcp_delay_model_quantile(model, quantile);
    livetcp_delay_model_destroy(&model);
    return LIVETCP_OK;
}

static livetcp_result works(const livetcp_delay_model_config *config,
                            const livetcp_delay_target *target, double loss, bool *out,
                            livetcp_error *error)
{
    livetcp_delay_model_config at = *config;
    double delay_us, capacity;
    livetcp_result result;

    *out = false;
    at.loss = loss;
    if ((result = livetcp_tcp_capacity(&at, &capacity, error)) != LIVETCP_OK ||
        1e6 / (double)at.interval_us > MARGIN * capacity)
        return result;
    at.backlog_states = enough_backlog(config, target);
    result = delay_at(&at, target->quantile, &delay_us, error);
    if (result == LIVETCP_OK)
        *out = delay_us <= (double)target->target_us;
    return result;
}

livetcp_result livetcp_largest_loss(const livetcp_delay_model_config *given_config,
                                    const livetcp_delay_target *given_target, double *loss,
                                    livetcp_error *error)
{
    double low = MIN_LOSS, high = MAX_LOSS; /* works at low, not at high */
    bool ok = false;
    livetcp_delay_model_config config;
    livetcp_delay_target target;
    livetcp_result result = read_question(given_config, &config, given_target, &target, error);

    if (result == LIVETCP_OK)
        result = works(&config, &target, low, &ok, error);
    if (result != LIVETCP_OK || !ok) {
        *loss = 0;
        return result;
    }
    if ((result = works(&config, &target, high, &ok, error)) == LIVETCP_OK && ok)
        low = high;
    while (result == LIVETCP_OK && high > low * PRECISION) {
        double middle = sqrt(low * high);
        result = works(&config, &target, middle, &ok, error);
        if (ok)
            low = middle;
        else
            high = middle;
    }
    *loss = low;
    return result;
}

/* True if this is better than the best so far. */
static bool better(const livetcp_delay_advice *best, double delay_us, bool meets)
{
    if (best->connections == 0)
        return true;
    return !best->meets_target && (meets || delay_us < best->delay_us);
}

livetcp_result livetcp_delay_advise(const livetcp_delay_model_config *given_config,
                                    const livetcp_delay_target *given_target,
                                    livetcp_delay_advice *advice, livetcp_error *error)
{
    livetcp_delay_model_config config, at;
    livetcp_delay_target target;
    livetcp_delay_advice best = {.connections = 0};
    livetcp_result result = read_question(given_config, &config, given_target, &target, error);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(advice, livetcp_delay_advice, error);
    if (result != LIVETCP_OK)
        return result;
    at = config;
    at.backlog_states = enough_backlog(&config, &target);
    for (at.split = 1; result == LIVETCP_OK && at.split <= MAX_SPLIT; at.split++)
        for (at.connections = 1; result == LIVETCP_OK && at.connections <= MAX_CONNECTIONS;
             at.connections++) {
            double delay_us;
            if (best.meets_target || at.split > at.packet_bytes)
                continue;
            result = delay_at(&at, target.quantile, &delay_us, error);
            if (result != LIVETCP_OK)
                continue;
            bool meets = delay_us <= (double)target.target_us;
            if (better(&best, delay_us, meets)) {
                best.meets_target = meets;
                best.connections = at.connections;
                best.split = at.split;
                best.delay_us = delay_us;
                best.playout_us = fmax(delay_us, livetcp_delay_static_playout_us(&at));
            }
        }
    if (result == LIVETCP_OK &&
        !best.meets_target) { /* the edge of the search range is no result */
        at.connections = best.connections;
        at.split = best.split;
        at.backlog_states = config.backlog_states;
        result = delay_at(&at, target.quantile, &best.delay_us, error);
        best.playout_us = fmax(best.delay_us, livetcp_delay_static_playout_us(&at));
    }
    if (result == LIVETCP_OK)
        lt_sized_fill(advice, &best, sizeof best);
    return result;
}
