/* SPDX-License-Identifier: MIT */
/* livetcp model delay: the distribution of the delay on one path. */
#include "lab/clock.h"
#include "lab/model/command/forms.h"
#include "lab/model/command/json.h"

#include <math.h>

static const double percents[] = {50, 90, 95, 99, 99.9};

enum { PERCENTS = sizeof percents / sizeof *percents };

static json_t *percentiles_json(const livetcp_delay_model *model, bool *failed)
{
    double us[PERCENTS];

    for (size_t i = 0; i < PERCENTS; i++)
        us[i] = livetcp_delay_model_quantile(model, percents[i] / 100);
    return lt_model_json_percentiles(percents, us, PERCENTS, failed);
}

/* Points of the CCDF that differ by more than a hundredth from the previous one: the resolution of
 * a plot with a logarithmic axis. */
static json_t *ccdf_json(const livetcp_delay_model *model, bool *failed)
{
    json_t *list = json_array();
    livetcp_delay_point point;
    double last = 2;

    for (size_t i = 0; livetcp_delay_model_at(model, i, &point); i++) {
        livetcp_delay_point next;
        if (point.ccdf > 0.99 * last && livetcp_delay_model_at(model, i + 1, &next))
            continue;
        lt_json_append(list, json_pack("[o,f]", lt_model_json_ms(point.delay_us), point.ccdf),
                       failed);
        last = point.ccdf;
    }
    return list;
}

static json_t *document(const lt_model_arguments *a, const livetcp_delay_model *model,
                        const livetcp_delay_summary *s, double solve_ms, bool *failed)
{
    json_t *o = json_object();
    double playout = livetcp_delay_static_playout_us(&a->config);

    lt_json_put(o, "schema", json_string("livetcp/model-delay/1"), failed);
    lt_json_put(o, "config", lt_model_json_config(a, failed), failed);
    lt_json_put(o, "bounded", json_boolean(s->bounded), failed);
    lt_json_put(o, "capacity_pps", lt_json_number(s->capacity_pps), failed);
    lt_json_put(o, "mean_ms", lt_model_json_ms(s->mean_us), failed);
    lt_json_put(o, "jitter_ms", lt_model_json_ms(s->jitter_us), failed);
    lt_json_put(o, "max_ms", lt_model_json_ms(s->max_us), failed);
    lt_json_put(o, "percentiles_ms", percentiles_json(model, failed), failed);
    lt_json_put(o, "static_playout_ms", lt_model_json_ms(playout), failed);
    lt_json_put(o, "late_at_static_playout", json_real(livetcp_delay_model_ccdf(model, playout)),
                failed);
    lt_json_put(o, "backlogged", json_real(s->backlogged), failed);
    lt_json_put(o, "recovered", json_real(s->recovered), failed);
    lt_json_put(o, "timed_out", json_real(s->timed_out), failed);
    lt_json_put(o, "timeouts_per_s", json_real(s->timeouts_per_s), failed);
    lt_json_put(o, "truncated", json_real(s->truncated), failed);
    lt_json_put(o, "states", json_integer((json_int_t)s->states), failed);
    lt_json_put(o, "iterations", json_integer(s->iterations), failed);
    lt_json_put(o, "solve_ms", json_real(solve_ms), failed);
    lt_json_put(o, "ccdf", ccdf_json(model, failed), failed);
    return o;
}

static void print_bounded(const lt_model_arguments *a, const livetcp_delay_model *model,
                          const livetcp_delay_summary *s, double solve_ms)
{
    double playout = livetcp_delay_static_playout_us(&a->config);

    printf("delay, ms      mean  jitter");
    for (size_t i = 0; i < PERCENTS; i++)
        printf("%7s%g", "p", percents[i]);
    printf("\n           %8.1f%8.1f", s->mean_us / 1e3, s->jitter_us / 1e3);
    for (size_t i = 0; i < PERCENTS; i++)
        printf("%*.1f", i < 4 ? 9 : 11,
               livetcp_delay_model_quantile(model, percents[i] / 100) / 1e3);
    printf("\n\n%.2f%% of the packets wait in the send buffer, %.2f%% for a retransmission, %.2f%% "
           "after a timeout\n(%.3g timeouts per second)\n",
           100 * s->backlogged, 100 * s->recovered, 100 * s->timed_out, s->timeouts_per_s);
    printf("playout delay  L + RTT + 3/f = %.0f ms: %.3g%% of the packets later than that\n",
           playout / 1e3, 100 * livetcp_delay_model_ccdf(model, playout));
    if (s->truncated > 1e-3)
        printf("%.2g%% of the packets meet the edge of the chain: the largest delays are larger "
               "than this says;\nraise --backlog-states (0: as many as it takes)\n",
               100 * s->truncated);
    printf("%zu states, %u iterations, %.1f ms\n", s->states, s->iterations, solve_ms);
}

static void print_table(const lt_model_arguments *a, const livetcp_delay_model *model,
                        const livetcp_delay_summary *s, double solve_ms)
{
    const livetcp_delay_model_config *c = &a->config;

    lt_model_print_path(a);
    lt_model_print_stream(a);
    if (isfinite(s->capacity_pps))
        printf("TCP carries up to %.1f packets per second, of %.1f\n\n", s->capacity_pps,
               1e6 / (double)c->interval_us);
    else
        printf("nothing is lost\n\n");
    if (s->bounded)
        print_bounded(a, model, s, solve_ms);
    else
        printf("unbounded: the stream is faster than TCP is at this loss and round-trip time, so "
               "that its\ndelay grows for as long as it lasts. More connections, a lower rate, or "
               "another congestion control\n");
}

static livetcp_result delay(const lt_model_arguments *a, livetcp_error *error)
{
    livetcp_delay_model *model;
    livetcp_delay_summary summary = {.struct_size = sizeof summary};
    const int64_t start = lt_clock_nsec(CLOCK_MONOTONIC);
    double solve_ms;
    json_t *json = NULL;
    bool failed = false;
    livetcp_result result = livetcp_delay_model_solve(&a->config, &model, error);

    if (result != LIVETCP_OK)
        return result;
    solve_ms = lt_model_ms_since(start);
    livetcp_delay_model_summary(model, &summary);
    if (!lt_model_json_only(a))
        print_table(a, model, &summary, solve_ms);
    if (a->json)
        json = document(a, model, &summary, solve_ms, &failed);
    if (a->json)
        result = lt_json_save(json, failed, a->json, error);
    livetcp_delay_model_destroy(&model);
    return result;
}

int lt_model_delay(int argc, const char **argv)
{
    static const lt_model_form form = {
        .name = "delay",
        .path_wanted = true,
        .text = "Computes the distribution of the delay of a constant-bit-rate stream over TCP: "
                "the Markov chain\n"
                "of Brosh et al., \"The Delay-Friendliness of TCP\" (2008). "
                "docs/research/model.md describes it.\n"
                "\nExamples:\n"
                "  livetcp model delay --rtt=100ms --loss=1% --packet=174 --interval=20ms\n"
                "  livetcp model delay --rtt=300ms --loss=0.1% --packet=1448 --connections=5 "
                "--constants=paper\n",
    };
    return lt_model_run(&form, argc, argv, delay);
}
