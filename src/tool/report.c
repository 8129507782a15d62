/* SPDX-License-Identifier: MIT */
/* livetcp report: the command line. */
#include "lab/report/report.h"
#include "tool/command.h"

#include <popt.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPT_HELP = 1 };

typedef struct command_line {
    char *output, *title;
} command_line;

static const char about[] =
    "\nMakes one HTML page, which needs no network, of what other subcommands wrote:\n"
    "  livetcp bench --json FILE, --raw FILE   delays; against loss, when there are several\n"
    "  livetcp model ... --json=FILE           the same computed, and the working region\n"
    "  livetcp probe --json=FILE               service curve, legs of the delay\n"
    "  livetcp doctor --json=FILE              what on the host costs delay\n"
    "  figures of papers, livetcp/papers/1     side by side (docs/report.md)\n"
    "FILE.json and FILE.packets.csv, or another .csv of that name, belong together.\n\n"
    "Example:\n"
    "  livetcp bench --json voice.json --raw voice.packets.csv --size 174\n"
    "  livetcp doctor --json=doctor.json\n"
    "  livetcp report voice.json voice.packets.csv doctor.json -o voice.html\n";

/* Returns LT_EXIT_OK, LT_EXIT_USAGE, or -1 when help was asked for and given. */
static int parse(poptContext context)
{
    int option;
    while ((option = poptGetNextOpt(context)) > 0) {
        poptSetOtherOptionHelp(context, "[OPTION...] FILE...");
        poptPrintHelp(context, stdout, 0);
        fputs(about, stdout);
        return -1;
    }
    if (option >= -1)
        return LT_EXIT_OK;
    fprintf(stderr, "livetcp report: %s: %s\n", poptBadOption(context, 0), poptStrerror(option));
    return LT_EXIT_USAGE;
}

static int run_parsed(poptContext context, const command_line *line)
{
    livetcp_error error = {.message = ""};
    const char **paths = poptGetArgs(context);
    if (!paths) {
        fputs("livetcp report: which files? 'livetcp report --help' says what it takes\n", stderr);
        return LT_EXIT_USAGE;
    }
    const lt_report_options options = {.paths = paths,
                                       .output = line->output ? line->output : "report.html",
                                       .title = line->title};
    if (lt_report_make(&options, &error) == LIVETCP_OK)
        return LT_EXIT_OK;
    fprintf(stderr, "livetcp report: %s\n", error.message);
    return LT_EXIT_USAGE;
}

static int run_report(int argc, const char **argv)
{
    command_line line = {0};
    const struct poptOption table[] = {
        {"output", 'o', POPT_ARG_STRING, &line.output, 0,
         "where to, - is standard output (report.html)", "FILE"},
        {"title", 0, POPT_ARG_STRING, &line.title, 0, "heading of the page", "TEXT"},
        {"help", 'h', POPT_ARG_NONE, NULL, OPT_HELP, "show this help", NULL},
        POPT_TABLEEND,
    };
    argv[0] = "livetcp report"; /* as the usage line shows it */
    poptContext context = poptGetContext("livetcp", argc, argv, table, 0);
    int code = parse(context);
    if (code == LT_EXIT_OK)
        code = run_parsed(context, &line);
    poptFreeContext(context);
    free(line.output);
    free(line.title);
    return code < 0 ? LT_EXIT_OK : code;
}

const lt_command lt_command_report = {
    .name = "report",
    .summary = "one HTML page of what bench, model, probe and doctor wrote",
    .run = run_report,
};
