/* SPDX-License-Identifier: MIT */
/* livetcp: finds the subcommand and hands it the rest of the command line. */
#include "tool/command.h"

#include <livetcp/version.h>

#include <stdio.h>
#include <string.h>

static const lt_command *const commands[] = {
    &lt_command_bench,
    &lt_command_doctor,
    &lt_command_emulate,
    &lt_command_report,
#ifdef LIVETCP_HAS_MODEL
    &lt_command_model,
    &lt_command_probe,
#endif
    NULL,
};

static void print_help(FILE *out)
{
    fputs("Usage: livetcp COMMAND [OPTION...]\n\n"
          "Live media over TCP that arrives on time.\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'livetcp COMMAND --help' describes one command; 'livetcp --version' prints the "
          "version.\n",
          out);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return LT_EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return LT_EXIT_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("livetcp " LIVETCP_VERSION);
        return LT_EXIT_OK;
    }
    for (size_t i = 0; commands[i]; i++)
        if (!strcmp(argv[1], commands[i]->name))
            return commands[i]->run(argc - 1, (const char **)argv + 1);
    fprintf(stderr, "livetcp: there is no command '%s'; 'livetcp --help' lists them\n", argv[1]);
    return LT_EXIT_USAGE;
}
