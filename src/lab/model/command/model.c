/* SPDX-License-Identifier: MIT */
/* livetcp model: computes what TCP does to a stream before anything is sent. */
#include "lab/command.h"
#include "lab/model/command/forms.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *summary;
    int (*run)(int argc, const char **argv);
} forms[] = {
    {"delay", "the distribution of the delay on a path", lt_model_delay},
    {"region", "up to which loss a stream works, and with which settings", lt_model_region},
    {"startup", "how long until the connections of a session are ready", lt_model_startup},
};

enum { FORMS = sizeof forms / sizeof *forms };

bool lt_model_json_only(const lt_model_arguments *a)
{
    return a->json && !strcmp(a->json, "-");
}

void lt_model_print_path(const lt_model_arguments *a)
{
    const livetcp_delay_model_config *c = &a->config;

    printf("path: RTT %g ms, %g%% %s loss%s\n", (double)c->rtt_us / 1e3, 100 * c->loss,
           c->loss_model == LIVETCP_LOSS_CORRELATED ? "correlated" : "random",
           c->queue_unit == LIVETCP_QUEUE_BYTES ? " at a queue limited in bytes" : "");
}

const char *lt_model_stack_text(const lt_model_arguments *a)
{
    if (a->paper)
        return "the paper";
    return a->config.constants == LIVETCP_TCP_CONSTANTS_LINUX ? "Linux today"
                                                              : "Linux without SACK";
}

void lt_model_print_stream(const lt_model_arguments *a)
{
    const livetcp_delay_model_config *c = &a->config;

    printf("stream: %u bytes every %g ms, %u connection%s", c->packet_bytes,
           (double)c->interval_us / 1e3, c->connections, c->connections == 1 ? "" : "s");
    if (c->split > 1)
        printf(", packets split in %u", c->split);
    printf("; TCP of %s\n", lt_model_stack_text(a));
}

int lt_model_run(const lt_model_form *form, int argc, const char **argv,
                 livetcp_result (*answer)(const lt_model_arguments *arguments,
                                          livetcp_error *error))
{
    lt_model_arguments arguments;
    lt_model_texts texts;
    livetcp_error error = {.code = LIVETCP_OK};
    int code = LT_EXIT_OK;
    livetcp_result result = lt_model_arguments_read(&arguments, &texts, form, argc, argv, &error);

    if (result == LIVETCP_OK && !arguments.help)
        result = answer(&arguments, &error);
    if (result != LIVETCP_OK) {
        fprintf(stderr, "livetcp model %s: %s\n", form->name, error.message);
        code = result == LIVETCP_ERR_INVALID_ARGUMENT ? LT_EXIT_USAGE : LT_EXIT_FAILED;
    }
    lt_model_texts_clear(&texts);
    return code;
}

static void print_help(FILE *out)
{
    fputs("Usage: livetcp model FORM [OPTION...]\n\n"
          "Computes what TCP does to a stream, from round-trip time and loss, before anything is "
          "sent.\n\nForms:\n",
          out);
    for (int i = 0; i < FORMS; i++)
        fprintf(out, "  %-8s %s\n", forms[i].name, forms[i].summary);
    fputs("\n'livetcp model FORM --help' lists the options of one.\n", out);
}

static int model_run(int argc, const char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return LT_EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_help(stdout);
        return LT_EXIT_OK;
    }
    for (int i = 0; i < FORMS; i++)
        if (!strcmp(argv[1], forms[i].name))
            return forms[i].run(argc - 1, argv + 1);
    fprintf(stderr, "livetcp model: there is no form '%s'; 'livetcp model --help' lists them\n",
            argv[1]);
    return LT_EXIT_USAGE;
}

const lt_command lt_command_model = {
    .name = "model",
    .summary = "compute the delay of a path from its round-trip time and loss",
    .run = model_run,
};
