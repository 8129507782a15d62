/* SPDX-License-Identifier: MIT */
/* livetcp report: the command line. */
#include "lab/report/report.h"
#include "lab/options.h"
#include "tool/command.h"

#include <stdlib.h>

static const char about[] =
    "\nWrites one self-contained HTML page from the results of other subcommands:\n"
    "  livetcp bench --json FILE, --raw FILE   delays; delay against loss with several files\n"
    "  livetcp model ... --json=FILE           computed delays and working region\n"
    "  livetcp probe --json=FILE               service curve, delay components\n"
    "  livetcp doctor --json=FILE              host settings that cost delay\n"
    "  figures of papers, livetcp/papers/1     compared with results (docs/guide/report.md)\n"
    "FILE.json and FILE.packets.csv, or another FILE.*.csv, belong together.\n\n"
    "Example:\n"
    "  livetcp bench --json voice.json --raw voice.packets.csv --size 174\n"
    "  livetcp doctor --json=doctor.json\n"
    "  livetcp report voice.json voice.packets.csv doctor.json -o voice.html\n";

static int make(const char *const *paths, const char *output, const char *title)
{
    const lt_report_options options = {
        .paths = paths, .output = output ? output : "report.html", .title = title};
    livetcp_error error = {.message = ""};
    if (!paths) {
        fputs("livetcp report: no input files; 'livetcp report --help' has the usage\n", stderr);
        return LT_EXIT_USAGE;
    }
    if (lt_report_make(&options, &error) == LIVETCP_OK)
        return LT_EXIT_OK;
    fprintf(stderr, "livetcp report: %s\n", error.message);
    return LT_EXIT_USAGE;
}

static int run_report(int argc, const char **argv)
{
    char *output = NULL, *title = NULL;
    int help = 0, code = LT_EXIT_USAGE;
    const char **paths = NULL;
    livetcp_error error = {.message = ""};
    const struct poptOption table[] = {
        LT_OPTION_ENTRY("output", 'o', POPT_ARG_STRING, &output, 0,
                        "output file, - is standard output (report.html)", "FILE"),
        LT_OPTION_TEXT("title", &title, "heading of the page", "TEXT"),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &help, LT_OPTION_CODE_LAST, "show this help",
                        NULL),
        POPT_TABLEEND,
    };
    const lt_command_line line = {
        .command = "livetcp report", .usage = "[OPTION...] FILE...", .table = table};
    livetcp_result result = lt_command_line_read(&line, argc, argv, &paths, &error);
    if (result == LIVETCP_OK && help)
        result = lt_command_line_help(&line, stdout, &error);
    if (result != LIVETCP_OK)
        code = lt_command_refused("report", &error);
    else if (help)
        code = fputs(about, stdout) < 0 ? LT_EXIT_FAILED : LT_EXIT_OK;
    else
        code = make(paths, output, title);
    free(paths);
    lt_options_clear(table);
    return code;
}

const lt_command lt_command_report = {
    .name = "report",
    .summary = "write an HTML page of the results of bench, model, probe and doctor",
    .run = run_report,
};
