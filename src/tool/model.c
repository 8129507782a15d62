/* SPDX-License-Identifier: MIT */
/* livetcp model: computes the effect of TCP on a stream before anything is sent. */
#include "lab/model/command/forms.h"
#include "lab/suggest.h"
#include "tool/command.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *summary;
    int (*run)(int argc, const char **argv);
} forms[] = {
    {"delay", "the distribution of the delay on a path", lt_model_delay},
    {"region", "the loss and round trip at which a stream works, and its settings",
     lt_model_region},
    {"startup", "the time until the connections of a session are ready", lt_model_startup},
};

enum { FORMS = sizeof forms / sizeof *forms };

static void print_help(FILE *out)
{
    fputs("Usage: livetcp model FORM [OPTION...]\n\n"
          "Computes the delay of a stream over TCP from round-trip time and loss, without "
          "sending.\n\n"
          "Forms:\n",
          out);
    for (int i = 0; i < FORMS; i++)
        fprintf(out, "  %-8s %s\n", forms[i].name, forms[i].summary);
    fputs("\n'livetcp model FORM --help' lists the options of a form.\n", out);
}

static int run_model(int argc, const char **argv)
{
    lt_suggestion near;
    char hint[80];
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
    lt_suggestion_start(&near, argv[1]);
    for (int i = 0; i < FORMS; i++)
        lt_suggestion_offer(&near, forms[i].name);
    fprintf(stderr, "livetcp model: there is no form '%s'%s\n'livetcp model --help' lists them\n",
            argv[1], lt_suggestion_text(&near, "", hint, sizeof hint));
    return LT_EXIT_USAGE;
}

const lt_command lt_command_model = {
    .name = "model",
    .summary = "compute the delay of a path from its round-trip time and loss",
    .run = run_model,
};
