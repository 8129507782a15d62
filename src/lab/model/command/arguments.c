/* SPDX-License-Identifier: MIT */
#include "lab/model/command/arguments.h"

#include "base/error.h"
#include "lab/command_line.h"
#include "lab/emulate/units.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_JSON = 1 };

livetcp_result lt_model_take_share(const char *option, const char *text, double *out,
                                   livetcp_error *error)
{
    double share;

    if (!lt_parse_share(text, &share) || !(share > 0 && share < 1))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s %.40s: it is between 0 and 1, or 0%% and 100%%, for example 95%%",
                       option, text);
    *out = share;
    return LIVETCP_OK;
}

livetcp_result lt_model_take_duration(const char *option, const char *text, livetcp_usec *out,
                                      livetcp_error *error)
{
    if (!lt_parse_duration(text, out))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s %.40s: a duration has a unit and is not negative, for example 100ms",
                       option, text);
    return LIVETCP_OK;
}

static livetcp_result take_number(const char *option, const char *text, double *out,
                                  livetcp_error *error)
{
    if (!lt_parse_number(text, out))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s %.40s: a number is expected",
                       option, text);
    return LIVETCP_OK;
}

static livetcp_result take_bytes(const char *option, const char *text, unsigned *out,
                                 livetcp_error *error)
{
    double value;

    if (!lt_parse_number(text, &value) || value < 1 || value > 65535 ||
        value != (double)(unsigned)value)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s %.40s: 1 to 65535 bytes", option,
                       text);
    *out = (unsigned)value;
    return LIVETCP_OK;
}

/* The position of `text` in a list of names, which the error repeats. */
static livetcp_result take_choice(const char *option, const char *text, const char *const *names,
                                  int *out, livetcp_error *error)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(text, names[i])) {
            *out = i;
            return LIVETCP_OK;
        }
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s %.40s: it is %s%s%s or %s", option,
                   text, names[0], names[2] ? ", " : "", names[2] ? names[1] : "",
                   names[2] ? names[2] : names[1]);
}

static livetcp_result take_loss(const char *text, double *out, livetcp_error *error)
{
    if (!lt_parse_share(text, out) || *out >= 1)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--loss %.40s: it is a share from 0 to less than 1, such as 1%% or 0.01",
                       text);
    return LIVETCP_OK;
}

static livetcp_result take_choices(const lt_model_texts *t, lt_model_arguments *a,
                                   livetcp_error *error)
{
    static const char *const losses[] = {"random", "correlated", NULL};
    static const char *const queues[] = {"packets", "bytes", NULL};
    int loss = a->config.loss_model, queue = a->config.queue_unit;
    livetcp_result result = LIVETCP_OK;

    if (t->loss_model)
        result = take_choice("--loss-model", t->loss_model, losses, &loss, error);
    if (result == LIVETCP_OK && t->queue)
        result = take_choice("--queue", t->queue, queues, &queue, error);
    a->config.loss_model = (livetcp_loss_model)loss;
    a->config.queue_unit = (livetcp_queue_unit)queue;
    if (result == LIVETCP_OK && t->connections < 1)
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--connections %d: at least 1",
                         t->connections);
    if (result == LIVETCP_OK && t->split < 1)
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--split %d: at least 1", t->split);
    a->config.connections = (unsigned)t->connections;
    a->config.split = (unsigned)t->split;
    a->config.limited_transmit = t->limited_transmit;
    return result;
}

static livetcp_result take_texts(const lt_model_texts *t, lt_model_arguments *a,
                                 livetcp_error *error)
{
    static const char *const names[] = {"paper", "linux", "newreno", NULL};
    static const livetcp_tcp_constants constants[] = {
        LIVETCP_TCP_CONSTANTS_BROSH, LIVETCP_TCP_CONSTANTS_LINUX, LIVETCP_TCP_CONSTANTS_NEWRENO};
    livetcp_delay_model_config *c = &a->config;
    int choice = 0;
    livetcp_result result = LIVETCP_OK;

    if (t->constants)
        result = take_choice("--constants", t->constants, names, &choice, error);
    a->constants = names[choice];
    a->paper = choice == 0;
    a->backlog_states_given = t->backlog_states != NULL;
    livetcp_delay_model_config_init(c, constants[choice]);
    if (result == LIVETCP_OK && t->rtt)
        result = lt_model_take_duration("--rtt", t->rtt, &c->rtt_us, error);
    if (result == LIVETCP_OK && t->one_way)
        result = lt_model_take_duration("--one-way", t->one_way, &c->one_way_us, error);
    if (result == LIVETCP_OK && t->loss)
        result = take_loss(t->loss, &c->loss, error);
    if (result == LIVETCP_OK && t->packet)
        result = take_bytes("--packet", t->packet, &c->packet_bytes, error);
    if (result == LIVETCP_OK && t->mss)
        result = take_bytes("--mss", t->mss, &c->mss_bytes, error);
    if (result == LIVETCP_OK && t->interval)
        result = lt_model_take_duration("--interval", t->interval, &c->interval_us, error);
    if (result == LIVETCP_OK && t->window_states)
        result = take_number("--window-states", t->window_states, &c->window_states, error);
    if (result == LIVETCP_OK && t->backlog_states)
        result = take_number("--backlog-states", t->backlog_states, &c->backlog_states, error);
    return result == LIVETCP_OK ? take_choices(t, a, error) : result;
}

/* popt's table points into `t`, so it is built in place. */
static livetcp_result
with_table(lt_model_texts *t, const lt_model_form *form,
           livetcp_result (*visit)(poptContext context, const lt_model_form *form,
                                   lt_model_texts *texts, livetcp_error *error),
           int argc, const char **argv, livetcp_error *error)
{
    const struct poptOption path[] = {
        LT_OPTION_TEXT("rtt", &t->rtt, "round-trip time (100ms)", "TIME"),
        LT_OPTION_TEXT("loss", &t->loss, "share of segments lost (1%)", "SHARE"),
        LT_OPTION_TEXT("one-way", &t->one_way, "forward propagation delay (half the RTT)", "TIME"),
        POPT_TABLEEND};
    const struct poptOption stream[] = {
        LT_OPTION_TEXT("loss-model", &t->loss_model,
                       "random: each by itself; correlated: and the rest of its window (random)",
                       "NAME"),
        LT_OPTION_TEXT("queue", &t->queue,
                       "packets: every segment is lost alike; bytes: small ones less (packets)",
                       "UNIT"),
        LT_OPTION_TEXT("packet", &t->packet, "with 12 bytes RTP and 2 framing (174)", "BYTES"),
        LT_OPTION_TEXT("interval", &t->interval, "between packets (20ms)", "TIME"),
        {"connections", 0, POPT_ARG_INT, &t->connections, 0, "packets take them in turn (1)", "N"},
        {"split", 0, POPT_ARG_INT, &t->split, 0, "pieces that a packet is sent in (1)", "N"},
        LT_OPTION_TEXT("mss", &t->mss, "TCP's maximum segment size (1448)", "BYTES"),
        {"limited-transmit", 0, POPT_ARG_VAL, &t->limited_transmit, 1, "RFC 3042 (on)", NULL},
        {"no-limited-transmit", 0, POPT_ARG_VAL, &t->limited_transmit, 0, NULL, NULL},
        LT_OPTION_TEXT(
            "constants", &t->constants,
            "TCP as in the paper, as in linux today, or as newreno, which is linux without SACK "
            "(paper)",
            "NAME"),
        LT_OPTION_TEXT("window-states", &t->window_states,
                       "windows followed, in packets per RTT (8)", "MULTIPLE"),
        LT_OPTION_TEXT("backlog-states", &t->backlog_states,
                       "backlogs followed, likewise; 0: as many as it takes (paper: 16, linux: 0)",
                       "MULTIPLE"),
        POPT_TABLEEND};
    const struct poptOption output[] = {
        {"json", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPTION_JSON,
         "JSON instead of the table, or beside it in a file", "FILE"},
        {"help", 'h', POPT_ARG_NONE, &t->help, 0, "this text", NULL},
        POPT_TABLEEND};
    /* A form without options of its own has no section for them; one that searches the loss for
     * each round trip has only the last of the path's. */
    const struct poptOption *own_path = form->path_wanted ? path : path + 2;
    const struct poptOption table[] = {
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)form->extra, 0, "What is asked:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)own_path, 0, "The path:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)stream, 0, "What it carries, and how:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)output, 0, "Output:", NULL},
        POPT_TABLEEND};
    poptContext context =
        poptGetContext("livetcp model", argc, argv, form->extra ? table : table + 1, 0);
    if (!context)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the options");
    livetcp_result result = visit(context, form, t, error);
    poptFreeContext(context);
    return result;
}

static livetcp_result parse(poptContext context, const lt_model_form *form, lt_model_texts *t,
                            livetcp_error *error)
{
    int code;

    (void)form;
    while ((code = poptGetNextOpt(context)) >= 0) {
        if (code != OPTION_JSON)
            continue;
        free(t->json);
        t->json = poptGetOptArg(context);
        t->json_given = 1;
    }
    return lt_options_ended_all(context, code, error);
}

static livetcp_result print_help(poptContext context, const lt_model_form *form, lt_model_texts *t,
                                 livetcp_error *error)
{
    char usage[64];

    (void)t;
    (void)error;
    snprintf(usage, sizeof usage, "%s [OPTION...]", form->name);
    poptSetOtherOptionHelp(context, usage);
    poptPrintHelp(context, stdout, 0);
    printf("\n%s", form->text);
    return LIVETCP_OK;
}

livetcp_result lt_model_arguments_read(lt_model_arguments *a, lt_model_texts *t,
                                       const lt_model_form *form, int argc, const char **argv,
                                       livetcp_error *error)
{
    const char *only[] = {"livetcp model", NULL};
    livetcp_result result;

    *a = (lt_model_arguments){0};
    *t = (lt_model_texts){.connections = 1, .split = 1, .limited_transmit = 1};
    result = with_table(t, form, parse, argc, argv, error);
    if (result != LIVETCP_OK)
        return result;
    a->help = t->help;
    if (a->help)
        return with_table(t, form, print_help, 1, only, error);
    if (t->json_given)
        a->json = t->json ? t->json : "-";
    return take_texts(t, a, error);
}

void lt_model_texts_clear(lt_model_texts *t)
{
    char *texts[] = {t->rtt,       t->loss, t->one_way,       t->packet,
                     t->interval,  t->mss,  t->loss_model,    t->queue,
                     t->constants, t->json, t->window_states, t->backlog_states};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}
