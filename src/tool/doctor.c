/* SPDX-License-Identifier: MIT */
/* livetcp doctor: the command line. */
#include "lab/doctor/doctor.h"
#include "tool/command.h"

#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_HELP = 1, OPT_JSON };

typedef struct command_line {
    char *interface, *host, *json; /* json: NULL = not asked for, "-" = standard output */
} command_line;

static const char about[] =
    "\nChecks this host against what the papers and today's kernels say about live media\n"
    "over TCP: what each setting costs in delay, and the command that changes it.\n"
    "Nothing is changed.\n\n"
    "Exit code: 0 when nothing costs delay, 1 when something does, 2 when the command\n"
    "line is wrong or the report cannot be written.\n\n"
    "Examples:\n"
    "  livetcp doctor\n"
    "  livetcp doctor --host media.example      the route to there, its interface\n"
    "  livetcp doctor --json | jq '.checks[] | select(.state == \"costs\").command'\n";

static void print_help(poptContext context)
{
    poptPrintHelp(context, stdout, 0);
    fputs(about, stdout);
}

/* Returns LT_EXIT_OK, LT_EXIT_USAGE, or -1 when help was asked for and given. */
static int parse(poptContext context, command_line *line)
{
    int option;
    while ((option = poptGetNextOpt(context)) > 0) {
        if (option == OPT_HELP) {
            print_help(context);
            return -1;
        }
        free(line->json);
        line->json = poptGetOptArg(context);
        if (!line->json && !(line->json = strdup("-")))
            return LT_EXIT_USAGE;
    }
    const char *extra = poptGetArg(context);
    if (option < -1)
        fprintf(stderr, "livetcp doctor: %s: %s\n", poptBadOption(context, 0),
                poptStrerror(option));
    else if (extra)
        fprintf(stderr,
                "livetcp doctor: %s: it takes options only; 'livetcp doctor --help' lists "
                "them\n",
                extra);
    return option < -1 || extra ? LT_EXIT_USAGE : LT_EXIT_OK;
}

static int examine(const command_line *line)
{
    const lt_doctor_options options = {
        .host = line->host, .interface = line->interface, .json = line->json};
    livetcp_error error = {.message = ""};
    bool costs;
    if (lt_doctor_run(&options, &costs, &error) != LIVETCP_OK) {
        fprintf(stderr, "livetcp doctor: %s\n", error.message);
        return LT_EXIT_USAGE;
    }
    return costs ? LT_EXIT_FAILED : LT_EXIT_OK;
}

static int run_doctor(int argc, const char **argv)
{
    command_line line = {0};
    const struct poptOption table[] = {
        {"host", 0, POPT_ARG_STRING, &line.host, 0,
         "the peer: its route and interface are looked at (the default route's)", "HOST"},
        {"interface", 'i', POPT_ARG_STRING, &line.interface, 0,
         "look at this interface and routes over it", "NAME"},
        {"json", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPT_JSON,
         "write JSON to FILE, beside the report, or to standard output, instead of it", "FILE"},
        {"help", 'h', POPT_ARG_NONE, NULL, OPT_HELP, "show this help", NULL},
        POPT_TABLEEND,
    };
    argv[0] = "livetcp doctor"; /* as the usage line shows it */
    poptContext context = poptGetContext("livetcp", argc, argv, table, 0);
    int code = parse(context, &line);
    if (code == LT_EXIT_OK)
        code = examine(&line);
    poptFreeContext(context);
    free(line.interface);
    free(line.host);
    free(line.json);
    return code < 0 ? LT_EXIT_OK : code;
}

const lt_command lt_command_doctor = {
    .name = "doctor",
    .summary = "what on this host costs live media delay, and the command that changes it",
    .run = run_doctor,
};
