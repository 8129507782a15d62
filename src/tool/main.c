/* SPDX-License-Identifier: MIT */
/* livetcp: finds the subcommand and hands it the rest of the command line. */
#include "lab/suggest.h"
#include "tool/command.h"

#include <livetcp/version.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

static const lt_command *const commands[] = {
    &lt_command_bench,
    &lt_command_doctor,
    &lt_command_emulate,
    &lt_command_receive,
    &lt_command_relay,
    &lt_command_report,
    &lt_command_send,
    &lt_command_stat,
#ifdef LIVETCP_HAS_MODEL
    &lt_command_model,
    &lt_command_probe,
#endif
    NULL,
};

/* Directory of the documents that messages refer to, relative to the program, since an installation
 * may be moved. "" if they are not installed. */
static const char *documents(char *path, size_t size)
{
    size_t length = size;
    char *name;

    if (uv_exepath(path, &length) != 0 || !(name = strrchr(path, '/')))
        return "";
    length = (size_t)(name - path);
    snprintf(path + length, size - length, "/%s", LIVETCP_DOCUMENTS);
    return access(path, R_OK) == 0 ? path : "";
}

static void print_help(FILE *out)
{
    char path[4096];
    const char *place = documents(path, sizeof path);

    fputs("Usage: livetcp COMMAND [OPTION...]\n\n"
          "Live media over TCP that arrives on time.\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nOptions:\n"
          "  -h, --help     show this help; 'livetcp COMMAND --help' describes one command\n"
          "  -V, --version  show the version\n\n"
          "Exit codes: 0 success, 1 failure, 2 the command line was wrong.\n",
          out);
    if (*place)
        fprintf(out, "Documents that messages name, docs/...: %s\n", place);
}

static bool is(const char *word, const char *letter, const char *name)
{
    return !strcmp(word, letter) || !strcmp(word, name);
}

static const lt_command *find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (!strcmp(name, commands[i]->name))
            return commands[i];
    return NULL;
}

static int refuse(const char *word)
{
    lt_suggestion near;
    char hint[80];

    lt_suggestion_start(&near, word);
    for (size_t i = 0; commands[i]; i++)
        lt_suggestion_offer(&near, commands[i]->name);
    fprintf(stderr, "livetcp: there is no %s '%s'%s\n'livetcp --help' lists the commands\n",
            *word == '-' ? "option" : "command", word,
            lt_suggestion_text(&near, "", hint, sizeof hint));
    return LT_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    const lt_command *command;

    if (argc < 2) {
        print_help(stderr);
        return LT_EXIT_USAGE;
    }
    if (is(argv[1], "-h", "--help") || (!strcmp(argv[1], "help") && argc == 2)) {
        print_help(stdout);
        return LT_EXIT_OK;
    }
    if (is(argv[1], "-V", "--version")) {
        puts("livetcp " LIVETCP_VERSION);
        return LT_EXIT_OK;
    }
    if (!strcmp(argv[1], "help")) { /* livetcp help bench */
        command = find(argv[2]);
        return command ? command->run(2, (const char *[]){argv[2], "--help", NULL})
                       : refuse(argv[2]);
    }
    command = find(argv[1]);
    return command ? command->run(argc - 1, (const char **)argv + 1) : refuse(argv[1]);
}
