/* SPDX-License-Identifier: MIT */
#include "lab/probe/simulation.h"

#include "base/error.h"
#include "base/rng.h"
#include "lab/probe/interrupt.h"
#include "lab/probe/progress.h"
#include "lab/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WINDOW 10 /* initial adaptive window, in packets */

/* Parses "500kbit" or "41p", in packets of `size` bytes. */
static bool parse_window(const char *text, size_t size, double *packets)
{
    lt_limit limit;
    uint64_t bits;

    if (lt_parse_limit(text, &limit) && limit.unit == LT_LIMIT_PACKETS)
        *packets = (double)limit.value;
    else if (lt_parse_rate(text, &bits) && bits)
        *packets = (double)bits / (8 * (double)size);
    else
        return false;
    return true;
}

static bool parse_setting(const char *key, const char *value, size_t size, lt_flow_config *config)
{
    uint64_t bits;
    livetcp_usec delay;

    if (!strcmp(key, "window"))
        return parse_window(value, size, &config->window);
    if (!strcmp(key, "loss"))
        return lt_parse_share(value, &config->loss);
    if (!strcmp(key, "rate") && lt_parse_rate(value, &bits))
        config->rate = bits ? (double)bits / (8 * (double)size) : INFINITY;
    else if (!strcmp(key, "delay") && lt_parse_duration(value, &delay))
        config->delay = (double)delay / LIVETCP_USEC_SEC;
    else
        return false;
    return true;
}

static livetcp_result parse_settings(char *text, size_t size, lt_flow_config *config,
                                     livetcp_error *error)
{
    char *rest = text;

    for (char *setting; (setting = strsep(&rest, ","));) {
        char *value = strchr(setting, '=');
        if (value)
            *value++ = '\0';
        if (!value || !parse_setting(setting, value, size, config))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--simulate: %.40s=%.40s is not one of window=500kbit (or 41p), "
                           "rate=10mbit, delay=50ms, loss=0.1%%",
                           setting, value ? value : "");
    }
    return LIVETCP_OK;
}

livetcp_result lt_simulation_parse(const char *spec, size_t size, lt_flow_config *config,
                                   livetcp_error *error)
{
    char text[sizeof((lt_probe_options *)0)->simulation];
    bool adaptive = !strncmp(spec, "adaptive,", 9);

    *config = (lt_flow_config){.rate = INFINITY, .window = adaptive ? FIRST_WINDOW : 0};
    if (!adaptive && strncmp(spec, "static,", 7))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--simulate=%.60s: it begins with static, or adaptive,", spec);
    snprintf(text, sizeof text, "%s", strchr(spec, ',') + 1);
    livetcp_result result = parse_settings(text, size, config, error);
    if (result == LIVETCP_OK && adaptive != (config->loss > 0))
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                         adaptive ? "--simulate=adaptive needs loss=, the probability of a "
                                    "congestion notification"
                                  : "--simulate=static has no loss: its window stays as it is");
    return result;
}

/* Time of the next sample: a Poisson process, so that sampled delays are time averages. */
static double next_sample(lt_rng *rng, double mean)
{
    return -mean * log(1 - lt_rng_uniform(rng));
}

static livetcp_result run_train(lt_probe_findings *f, lt_flow *flow, lt_probe_train *train,
                                lt_rng *rng, lt_probe_progress *progress, livetcp_error *error)
{
    const lt_probe_options *o = f->options;
    double packets_per_second = lt_estimator_rate(f->estimator) / (8 * (double)o->size);
    double interval = (double)o->interval / 1e6;
    double next = (double)o->settle / 1e6 + next_sample(rng, interval);
    lt_train_state state = LT_TRAIN_GOES_ON;
    livetcp_result result = LIVETCP_OK;

    for (uint64_t i = 0; result == LIVETCP_OK && state == LT_TRAIN_GOES_ON; i++) {
        double time = (double)i / packets_per_second, delay = lt_flow_send(flow, time);
        train->packets++;
        if (time < next)
            continue;
        next = time + next_sample(rng, interval);
        const lt_probe_sample sample = {.total = (livetcp_usec)llround(delay * 1e6),
                                        .sender = LT_DELAY_UNKNOWN,
                                        .network = LT_DELAY_UNKNOWN,
                                        .receiver = LT_DELAY_UNKNOWN};
        result = lt_findings_add(f, &sample, &state, error);
        lt_probe_progress_tick(progress, f);
        if (lt_probe_interrupted()) {
            f->interrupted = true;
            lt_estimator_stop(f->estimator);
            break;
        }
    }
    return result;
}

livetcp_result lt_simulation_run(lt_probe_findings *findings, livetcp_error *error)
{
    lt_probe_findings *f = findings;
    lt_flow_config config;
    lt_probe_progress progress;
    sigset_t waiting; /* not used */
    lt_rng rng;
    livetcp_result result =
        lt_simulation_parse(f->options->simulation, f->options->size, &config, error);

    lt_probe_interrupt_watch(&waiting);
    lt_rng_seed(&rng, f->options->seed);
    lt_probe_progress_init(&progress, f->options);
    while (result == LIVETCP_OK && lt_estimator_rate(f->estimator) > 0) {
        lt_probe_train *train = lt_findings_begin_train(f);
        lt_flow *flow = NULL;
        config.seed = lt_rng_next(&rng);
        result = train ? lt_flow_create(&config, &flow, error)
                       : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a train");
        if (result == LIVETCP_OK)
            result = run_train(f, flow, train, &rng, &progress, error);
        lt_flow_destroy(&flow);
    }
    lt_probe_progress_end(&progress);
    return result;
}
