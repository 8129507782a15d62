/* SPDX-License-Identifier: MIT */
/* livetcp model region: where a stream works, and settings for the rest. */
#include "lab/clock.h"
#include "lab/model/command/forms.h"
#include "lab/model/command/json.h"
#include "lab/options.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 32 };

/* Loss rates of the paper's section 5.1. */
static const double losses[] = {0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1};
enum { LOSSES = sizeof losses / sizeof *losses };

typedef struct region_row {
    livetcp_usec rtt_us;
    double largest_loss;
    double delay_us[LOSSES]; /* at the quantile; infinite = unbounded */
    livetcp_delay_advice advice[LOSSES];
} region_row;

typedef struct region {
    livetcp_delay_target target;
    region_row rows[MAX_ROWS];
    unsigned count;
} region;

static char *rtts_text, *target_text, *quantile_text;

static livetcp_result take_rtts(region *r, const char *text, livetcp_error *error)
{
    for (const char *at = text;;) {
        char item[32];
        size_t length = strcspn(at, ",");
        if (r->count == MAX_ROWS || length >= sizeof item)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "--rtts: at most %d round-trip times, comma-separated", MAX_ROWS);
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        livetcp_result result =
            lt_model_take_duration("--rtts ", item, &r->rows[r->count++].rtt_us, error);
        if (result != LIVETCP_OK || !at[length])
            return result;
        at += length + 1;
    }
}

static livetcp_result take(region *r, livetcp_error *error)
{
    livetcp_result result =
        take_rtts(r, rtts_text ? rtts_text : "20ms,50ms,100ms,200ms,300ms", error);

    livetcp_delay_target_init(&r->target);
    if (result == LIVETCP_OK)
        result = lt_model_take_duration("--target ", target_text, &r->target.target_us, error);
    if (result == LIVETCP_OK)
        result = lt_model_take_share("--quantile ", quantile_text, &r->target.quantile, error);
    return result;
}

static livetcp_result solve_row(const lt_model_arguments *a, const region *r, region_row *row,
                                livetcp_error *error)
{
    livetcp_delay_model_config config = a->config;
    livetcp_result result;

    if (!a->backlog_states_given) /* the paper's 16 r is below many deadlines */
        config.backlog_states = 0;
    config.rtt_us = row->rtt_us;
    result = livetcp_largest_loss(&config, &r->target, &row->largest_loss, error);
    for (int i = 0; result == LIVETCP_OK && i < LOSSES; i++) {
        livetcp_delay_model *model;
        config.loss = losses[i];
        row->advice[i].struct_size = sizeof row->advice[i];
        result = livetcp_delay_model_solve(&config, &model, error);
        if (result != LIVETCP_OK)
            break;
        row->delay_us[i] = livetcp_delay_model_quantile(model, r->target.quantile);
        livetcp_delay_model_destroy(&model);
        result = livetcp_delay_advise(&config, &r->target, &row->advice[i], error);
    }
    return result;
}

static json_t *cell_json(const region *r, const region_row *row, int i, bool *failed)
{
    const livetcp_delay_advice *advice = &row->advice[i];
    json_t *o = json_object(), *best = json_object();

    lt_json_put(best, "meets_target", json_boolean(advice->meets_target), failed);
    lt_json_put(best, "connections", json_integer(advice->connections), failed);
    lt_json_put(best, "split", json_integer(advice->split), failed);
    lt_json_put(best, "delay_ms", lt_model_json_ms(advice->delay_us), failed);
    lt_json_put(best, "playout_ms", lt_model_json_ms(advice->playout_us), failed);
    lt_json_put(o, "loss", json_real(losses[i]), failed);
    lt_json_put(o, "delay_ms", lt_model_json_ms(row->delay_us[i]), failed);
    lt_json_put(o, "works", json_boolean(row->delay_us[i] <= (double)r->target.target_us), failed);
    lt_json_put(o, "advice", best, failed);
    return o;
}

static json_t *document(const lt_model_arguments *a, const region *r, double solve_ms, bool *failed)
{
    json_t *o = json_object(), *config = lt_model_json_config(a, failed);
    json_t *rows = json_array();

    json_object_del(config, "rtt_ms");
    json_object_del(config, "loss");
    json_object_del(config, "one_way_ms");
    lt_json_put(o, "schema", json_string("livetcp/model-region/1"), failed);
    lt_json_put(o, "config", config, failed);
    lt_json_put(o, "target_ms", lt_model_json_ms((double)r->target.target_us), failed);
    lt_json_put(o, "quantile", json_real(r->target.quantile), failed);
    for (unsigned i = 0; i < r->count; i++) {
        json_t *line = json_object(), *cells = json_array();
        for (int k = 0; k < LOSSES; k++)
            lt_json_append(cells, cell_json(r, &r->rows[i], k, failed), failed);
        lt_json_put(line, "rtt_ms", lt_model_json_ms((double)r->rows[i].rtt_us), failed);
        lt_json_put(line, "largest_loss", json_real(r->rows[i].largest_loss), failed);
        lt_json_put(line, "grid", cells, failed);
        lt_json_append(rows, line, failed);
    }
    lt_json_put(o, "rows", rows, failed);
    lt_json_put(o, "solve_ms", json_real(solve_ms), failed);
    return o;
}

static void print_delays(const region *r)
{
    printf("%g%% of the packets within, ms; * misses the target\n    RTT  works up to",
           100 * r->target.quantile);
    for (int i = 0; i < LOSSES; i++)
        printf("%7g%% ", 100 * losses[i]);
    putchar('\n');
    for (unsigned k = 0; k < r->count; k++) {
        const region_row *row = &r->rows[k];
        printf("%7g %11.2f%% ", (double)row->rtt_us / 1e3, 100 * row->largest_loss);
        for (int i = 0; i < LOSSES; i++) {
            const char *mark = row->delay_us[i] <= (double)r->target.target_us ? " " : "*";
            if (isfinite(row->delay_us[i]))
                printf("%8.0f%s", row->delay_us[i] / 1e3, mark);
            else
                printf("%8s%s", "never", mark);
        }
        putchar('\n');
    }
}

static void print_advice(const region *r)
{
    printf("\nconnections x split to use, and the delay then\n    RTT              ");
    for (int i = 0; i < LOSSES; i++)
        printf("%9g%%  ", 100 * losses[i]);
    putchar('\n');
    for (unsigned k = 0; k < r->count; k++) {
        printf("%7g              ", (double)r->rows[k].rtt_us / 1e3);
        for (int i = 0; i < LOSSES; i++) {
            const livetcp_delay_advice *advice = &r->rows[k].advice[i];
            char text[32];
            if (isfinite(advice->delay_us))
                snprintf(text, sizeof text, "%ux%u %.0f", advice->connections, advice->split,
                         advice->delay_us / 1e3);
            else
                snprintf(text, sizeof text, "never");
            printf("%10s%s ", text, advice->meets_target ? " " : "*");
        }
        putchar('\n');
    }
}

static livetcp_result region_answer(const lt_model_arguments *a, livetcp_error *error)
{
    region *r = calloc(1, sizeof *r);
    const int64_t start = lt_clock_nsec(CLOCK_MONOTONIC);
    livetcp_result result;
    bool failed = false;

    if (!r)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    result = take(r, error);
    for (unsigned i = 0; result == LIVETCP_OK && i < r->count; i++)
        result = solve_row(a, r, &r->rows[i], error);
    if (result == LIVETCP_OK && !lt_model_json_only(a)) {
        lt_model_print_stream(a);
        putchar('\n');
        print_delays(r);
        print_advice(r);
    }
    if (result == LIVETCP_OK && a->json) {
        json_t *json = document(a, r, lt_model_ms_since(start), &failed);
        result = lt_json_save(json, failed, a->json, error);
    }
    free(r);
    return result;
}

int lt_model_region(int argc, const char **argv)
{
    static const struct poptOption extra[] = {
        LT_OPTION_TEXT("target", &target_text, "largest acceptable delay (200ms)", "TIME"),
        LT_OPTION_TEXT("quantile", &quantile_text, "share of packets that must meet it (95%)",
                       "SHARE"),
        LT_OPTION_TEXT("rtts", &rtts_text,
                       "round-trip times, comma-separated (20ms,50ms,100ms,200ms,300ms)", "LIST"),
        POPT_TABLEEND};
    static const lt_model_form form = {
        .name = "region",
        .extra = extra,
        .text = "Computes the largest loss at which a stream keeps its deadline, for each "
                "round-trip time; its\ndelay at the loss rates of the paper's measurements; and "
                "the smallest numbers of parts and\nconnections that keep the deadline, or come "
                "closest to it.\n"
                "\nExamples:\n"
                "  livetcp model region --packet=174 --target=200ms --quantile=95%\n"
                "  livetcp model region --packet=1448 --target=5s --quantile=99.9% "
                "--constants=paper\n",
    };
    return lt_model_run(&form, argc, argv, region_answer);
}
