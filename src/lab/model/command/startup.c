/* SPDX-License-Identifier: MIT */
/* livetcp model startup: time until a session's connections are open. */
#include "lab/clock.h"
#include "lab/model/command/forms.h"
#include "lab/model/command/json.h"
#include "lab/options.h"

#include <math.h>
#include <stdlib.h>

static char *bytes_text, *loss_back_text;

static const double percents[] = {50, 90, 95, 99, 99.9};
enum { PERCENTS = sizeof percents / sizeof *percents, EVENTS = 4 };

static const struct {
    const char *key, *name;
} events[EVENTS] = {
    [LIVETCP_STARTUP_FIRST_READY] = {"first_ready", "the first connection is ready"},
    [LIVETCP_STARTUP_ALL_READY] = {"all_ready", "all connections are"},
    [LIVETCP_STARTUP_DELIVERED] = {"delivered", "all bytes have arrived"},
    [LIVETCP_STARTUP_ALL_OPEN] = {"all_open", "all connections are open"},
};

static livetcp_result take(const lt_model_arguments *a, livetcp_startup_config *c,
                           livetcp_error *error)
{
    livetcp_startup_config_init(c, a->paper ? LIVETCP_TCP_CONSTANTS_ZHANG : a->config.constants);
    c->rtt_us = a->config.rtt_us;
    c->loss = a->config.loss;
    c->connections = a->config.connections;
    c->mss_bytes = a->config.mss_bytes;
    livetcp_result result = lt_option_number("--bytes ", bytes_text, &c->bytes, error);
    if (result == LIVETCP_OK)
        result = lt_option_share("--loss-back ", loss_back_text, LT_SHARE_BELOW_1, &c->loss_back,
                                 "it is a share from 0 to less than 1, such as 1%", error);
    return result;
}

static json_t *parts_json(livetcp_startup_parts parts, bool *failed)
{
    json_t *o = json_object();

    lt_json_put(o, "handshake_ms", lt_model_json_ms(parts.handshake_us), failed);
    lt_json_put(o, "timeouts_ms", lt_model_json_ms(parts.timeout_us), failed);
    lt_json_put(o, "transfer_ms", lt_model_json_ms(parts.transfer_us), failed);
    lt_json_put(o, "total_ms", lt_model_json_ms(parts.total_us), failed);
    return o;
}

static json_t *event_json(const livetcp_startup_model *model, livetcp_startup_event event,
                          bool *failed)
{
    json_t *o = json_object();
    double us[PERCENTS];

    for (int i = 0; i < PERCENTS; i++)
        us[i] = livetcp_startup_quantile_us(model, event, percents[i] / 100);
    lt_json_put(o, "mean_ms", lt_model_json_ms(livetcp_startup_mean_us(model, event)), failed);
    lt_json_put(o, "percentiles_ms", lt_model_json_percentiles(percents, us, PERCENTS, failed),
                failed);
    return o;
}

static json_t *document(const lt_model_arguments *a, const livetcp_startup_config *c,
                        const livetcp_startup_model *model, double solve_ms, bool *failed)
{
    json_t *o = json_object(), *config = json_object(), *session = json_object();

    lt_json_put(config, "rtt_ms", lt_model_json_ms((double)c->rtt_us), failed);
    lt_json_put(config, "loss", json_real(c->loss), failed);
    lt_json_put(config, "loss_back", json_real(c->loss_back < 0 ? c->loss : c->loss_back), failed);
    lt_json_put(config, "bytes", json_real(c->bytes), failed);
    lt_json_put(config, "mss_bytes", json_integer(c->mss_bytes), failed);
    lt_json_put(config, "connections", json_integer(c->connections), failed);
    lt_json_put(config, "constants", json_string(a->constants), failed);
    for (int i = 0; i < EVENTS; i++)
        lt_json_put(session, events[i].key, event_json(model, (livetcp_startup_event)i, failed),
                    failed);
    lt_json_put(o, "schema", json_string("livetcp/model-startup/1"), failed);
    lt_json_put(o, "config", config, failed);
    lt_json_put(o, "session", session, failed);
    lt_json_put(o, "zhang", parts_json(livetcp_startup_zhang(model), failed), failed);
    lt_json_put(o, "cardwell", parts_json(livetcp_startup_cardwell(model), failed), failed);
    lt_json_put(o, "solve_ms", json_real(solve_ms), failed);
    return o;
}

static void print_parts(const char *name, livetcp_startup_parts parts)
{
    printf("%-31s%9.1f%10.1f%10.1f%10.1f\n", name, parts.handshake_us / 1e3, parts.timeout_us / 1e3,
           parts.transfer_us / 1e3, parts.total_us / 1e3);
}

static void print_table(const lt_model_arguments *a, const livetcp_startup_config *c,
                        const livetcp_startup_model *model)
{
    printf("path: RTT %g ms, %g%% loss there, %g%% back\n", (double)c->rtt_us / 1e3, 100 * c->loss,
           100 * (c->loss_back < 0 ? c->loss : c->loss_back));
    printf("session: %u connection%s, %g bytes in all; TCP of %s\n\n", c->connections,
           c->connections == 1 ? "" : "s", c->bytes, lt_model_stack_text(a));
    printf("ms from the first SYN until         mean");
    for (int i = 0; i < PERCENTS; i++)
        printf("%9s%g", "p", percents[i]);
    putchar('\n');
    for (int i = 0; i < EVENTS; i++) {
        printf("%-31s%9.1f", events[i].name,
               livetcp_startup_mean_us(model, (livetcp_startup_event)i) / 1e3);
        for (int q = 0; q < PERCENTS; q++)
            printf("%*.0f", q < PERCENTS - 1 ? 11 : 13,
                   livetcp_startup_quantile_us(model, (livetcp_startup_event)i, percents[q] / 100) /
                       1e3);
        putchar('\n');
    }
    printf("\none connection, expected ms    handshake  timeouts  transfer     total\n");
    print_parts("Zhang et al.", livetcp_startup_zhang(model));
    print_parts("Cardwell (model C)", livetcp_startup_cardwell(model));
}

static livetcp_result startup(const lt_model_arguments *a, livetcp_error *error)
{
    livetcp_startup_config config;
    livetcp_startup_model *model;
    livetcp_result result = take(a, &config, error);
    const int64_t start = lt_clock_nsec(CLOCK_MONOTONIC);
    bool failed = false;

    if (result == LIVETCP_OK)
        result = livetcp_startup_model_solve(&config, &model, error);
    if (result != LIVETCP_OK)
        return result;
    double solve_ms = lt_model_ms_since(start);
    if (!lt_model_json_only(a))
        print_table(a, &config, model);
    if (a->json) {
        json_t *json = document(a, &config, model, solve_ms, &failed);
        result = lt_json_save(json, failed, a->json, error);
    }
    livetcp_startup_model_destroy(&model);
    return result;
}

int lt_model_startup(int argc, const char **argv)
{
    static const struct poptOption extra[] = {
        LT_OPTION_TEXT("bytes", &bytes_text, "amount of data to deliver (3000)", "BYTES"),
        LT_OPTION_TEXT("loss-back", &loss_back_text, "share of acknowledgements lost (as --loss)",
                       "SHARE"),
        POPT_TABLEEND};
    static const lt_model_form form = {
        .name = "startup",
        .extra = extra,
        .path_wanted = true,
        .text = "Computes the time from the first SYN until the connections of a session are "
                "ready and a first\namount of data has arrived: the model of Zhang et al., \"The "
                "Implication of Network Performance\non Service Quality\" (1999), and "
                "Cardwell's. Of the options of the stream it uses --connections,\n--mss and "
                "--constants.\n"
                "\nExamples:\n"
                "  livetcp model startup --connections=5 --rtt=100ms --loss=1% --bytes=3000\n"
                "  livetcp model startup --connections=5 --rtt=100ms --loss=5% --loss-back=0% "
                "--constants=paper\n",
    };
    return lt_model_run(&form, argc, argv, startup);
}
