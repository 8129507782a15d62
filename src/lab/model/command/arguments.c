/* SPDX-License-Identifier: MIT */
#include "lab/model/command/arguments.h"

#include "lab/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

livetcp_result lt_model_take_share(const char *option, const char *text, double *out,
                                   livetcp_error *error)
{
    return lt_option_share(option, text, LT_SHARE_INSIDE, out,
                           "it is between 0 and 1, or 0% and 100%, for example 95%", error);
}

livetcp_result lt_model_take_duration(const char *option, const char *text, livetcp_usec *out,
                                      livetcp_error *error)
{
    return lt_option_duration(option, text, 0, out,
                              "a duration has a unit and is not negative, for example 100ms",
                              error);
}

static livetcp_result take_choices(const lt_model_texts *t, lt_model_arguments *a,
                                   livetcp_error *error)
{
    static const char *const losses[] = {"random", "correlated", NULL};
    static const char *const queues[] = {"packets", "bytes", NULL};
    livetcp_delay_model_config *c = &a->config;
    int loss = c->loss_model, queue = c->queue_unit;
    livetcp_result result;

    if ((result = lt_option_choice("--loss-model ", t->loss_model, losses, &loss, error)) ||
        (result = lt_option_choice("--queue ", t->queue, queues, &queue, error)) ||
        (result = lt_option_count("--connections ", t->connections, 1, INT_MAX, &c->connections,
                                  error)) ||
        (result = lt_option_count("--split ", t->split, 1, INT_MAX, &c->split, error)))
        return result;
    c->loss_model = (livetcp_loss_model)loss;
    c->queue_unit = (livetcp_queue_unit)queue;
    c->limited_transmit = t->limited_transmit;
    return LIVETCP_OK;
}

static livetcp_result take_texts(const lt_model_texts *t, lt_model_arguments *a,
                                 livetcp_error *error)
{
    static const char *const names[] = {"paper", "linux", "newreno", NULL};
    static const livetcp_tcp_constants constants[] = {
        LIVETCP_TCP_CONSTANTS_BROSH, LIVETCP_TCP_CONSTANTS_LINUX, LIVETCP_TCP_CONSTANTS_NEWRENO};
    livetcp_delay_model_config *c = &a->config;
    int choice = 1;
    livetcp_result result = lt_option_choice("--constants ", t->constants, names, &choice, error);

    a->constants = names[choice];
    a->paper = constants[choice] == LIVETCP_TCP_CONSTANTS_BROSH;
    a->backlog_states_given = t->backlog_states != NULL;
    livetcp_delay_model_config_init(c, constants[choice]);
    if (result != LIVETCP_OK ||
        (result = lt_model_take_duration("--rtt ", t->rtt, &c->rtt_us, error)) ||
        (result = lt_model_take_duration("--one-way ", t->one_way, &c->one_way_us, error)) ||
        (result =
             lt_option_share("--loss ", t->loss, LT_SHARE_BELOW_1, &c->loss,
                             "it is a share from 0 to less than 1, such as 1% or 0.01", error)) ||
        (result = lt_option_size("--packet ", t->packet, 65535, &c->packet_bytes, error)) ||
        (result = lt_option_size("--mss ", t->mss, 65535, &c->mss_bytes, error)) ||
        (result = lt_model_take_duration("--interval ", t->interval, &c->interval_us, error)) ||
        (result =
             lt_option_number("--window-states ", t->window_states, &c->window_states, error)) ||
        (result =
             lt_option_number("--backlog-states ", t->backlog_states, &c->backlog_states, error)))
        return result;
    return take_choices(t, a, error);
}

/* Variables that a form's table points to. */
typedef struct form_values {
    lt_model_texts *texts;
    const lt_model_form *form;
} form_values;

static livetcp_result build_line(void *values, lt_command_line_use *use, void *user,
                                 livetcp_error *error)
{
    const form_values *v = values;
    const lt_model_form *form = v->form;
    lt_model_texts *t = v->texts;
    const struct poptOption path[] = {
        LT_OPTION_TEXT("rtt", &t->rtt, "round-trip time (100ms)", "TIME"),
        LT_OPTION_TEXT("loss", &t->loss, "share of segments lost (1%)", "SHARE"),
        LT_OPTION_TEXT("one-way", &t->one_way, "forward propagation delay (half the RTT)", "TIME"),
        POPT_TABLEEND};
    const struct poptOption stream[] = {
        LT_OPTION_TEXT(
            "loss-model", &t->loss_model,
            "random: independent losses; correlated: a loss takes the rest of its window (random)",
            "NAME"),
        LT_OPTION_TEXT(
            "queue", &t->queue,
            "packets: losses independent of size; bytes: fewer losses of small segments (packets)",
            "UNIT"),
        LT_OPTION_TEXT("packet", &t->packet, "packet size, with 12 bytes RTP and 2 framing (174)",
                       "BYTES"),
        LT_OPTION_TEXT("interval", &t->interval, "interval between packets (20ms)", "TIME"),
        LT_OPTION_INTEGER("connections", &t->connections, "connections, used in turn (1)", "N"),
        LT_OPTION_INTEGER("split", &t->split, "number of parts of a packet (1)", "N"),
        LT_OPTION_TEXT("mss", &t->mss, "TCP's maximum segment size (1448)", "BYTES"),
        LT_OPTION_ENTRY("limited-transmit", 0, POPT_ARG_VAL, &t->limited_transmit, 1,
                        "RFC 3042 (on)", NULL),
        LT_OPTION_ENTRY("no-limited-transmit", 0, POPT_ARG_VAL, &t->limited_transmit, 0, NULL,
                        NULL),
        LT_OPTION_TEXT(
            "constants", &t->constants,
            "TCP of linux today, of the paper, or newreno, which is linux without SACK (linux)",
            "NAME"),
        LT_OPTION_TEXT("window-states", &t->window_states,
                       "largest window of the model, in packets per RTT (8)", "MULTIPLE"),
        LT_OPTION_TEXT(
            "backlog-states", &t->backlog_states,
            "largest backlog of the model, likewise; 0: as large as needed (paper: 16, linux: 0)",
            "MULTIPLE"),
        POPT_TABLEEND};
    const struct poptOption output[] = {
        LT_OPTION_JSON("write JSON instead of the table; with =FILE, in addition to it"),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &t->help, 0, "show this help", NULL),
        POPT_TABLEEND};
    /* A form without options of its own has no section for them; one that searches the loss for
     * each round trip has only the last of the path's. */
    const struct poptOption *own_path = form->path_wanted ? path : path + 2;
    const struct poptOption table[] = {LT_OPTION_SECTION(form->extra, "Question:"),
                                       LT_OPTION_SECTION(own_path, "The path:"),
                                       LT_OPTION_SECTION(stream, "The stream and TCP:"),
                                       LT_OPTION_SECTION(output, "Output:"), POPT_TABLEEND};
    char usage[64];
    snprintf(usage, sizeof usage, "%s [OPTION...]", form->name);
    const lt_command_line line = {.command = "livetcp model",
                                  .usage = usage,
                                  .table = form->extra ? table : table + 1,
                                  .json = &t->json};
    return use(&line, user, error);
}

livetcp_result lt_model_arguments_read(lt_model_arguments *a, lt_model_texts *t,
                                       const lt_model_form *form, int argc, const char **argv,
                                       livetcp_error *error)
{
    *a = (lt_model_arguments){0};
    *t = (lt_model_texts){.connections = 1, .split = 1, .limited_transmit = 1};
    form_values values = {.texts = t, .form = form};
    livetcp_result result = lt_built_line_read(build_line, &values, argc, argv, NULL, error);
    if (result != LIVETCP_OK)
        return result;
    a->help = t->help;
    if (a->help) {
        result = lt_built_line_help(build_line, &values, stdout, error);
        if (result == LIVETCP_OK)
            printf("\n%s", form->text);
        return result;
    }
    a->json = t->json;
    return take_texts(t, a, error);
}

void lt_model_texts_clear(lt_model_texts *t, const lt_model_form *form)
{
    lt_built_line_clear(build_line, &(form_values){.texts = t, .form = form});
}
