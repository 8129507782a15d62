/* SPDX-License-Identifier: MIT */
/* livetcp doctor: the command line. */
#include "lab/doctor/doctor.h"
#include "lab/options.h"
#include "tool/command.h"

#include <stdlib.h>

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

static int examine(const lt_doctor_options *options)
{
    livetcp_error error = {.message = ""};
    bool costs;
    if (lt_doctor_run(options, &costs, &error) != LIVETCP_OK) {
        fprintf(stderr, "livetcp doctor: %s\n", error.message);
        return LT_EXIT_USAGE;
    }
    return costs ? LT_EXIT_FAILED : LT_EXIT_OK;
}

static int run_doctor(int argc, const char **argv)
{
    char *host = NULL, *interface = NULL, *json = NULL;
    int help = 0, code = LT_EXIT_USAGE;
    const char **extra = NULL;
    livetcp_error error = {.message = ""};
    const struct poptOption table[] = {
        LT_OPTION_TEXT("host", &host,
                       "the peer: its route and interface are looked at (the default route's)",
                       "HOST"),
        LT_OPTION_ENTRY("interface", 'i', POPT_ARG_STRING, &interface, 0,
                        "look at this interface and routes over it", "NAME"),
        LT_OPTION_JSON("write JSON to FILE, beside the report, or to standard output, instead of "
                       "it"),
        LT_OPTION_ENTRY("help", 'h', POPT_ARG_NONE, &help, LT_OPTION_CODE_LAST, "show this help",
                        NULL),
        POPT_TABLEEND,
    };
    const lt_command_line line = {
        .command = "livetcp doctor", .usage = "[OPTION...]", .table = table, .json = &json};
    livetcp_result result = lt_command_line_read(&line, argc, argv, &extra, &error);
    if (result == LIVETCP_OK && help)
        result = lt_command_line_help(&line, stdout, &error);
    if (result != LIVETCP_OK)
        code = lt_command_refused("doctor", &error);
    else if (help)
        code = fputs(about, stdout) < 0 ? LT_EXIT_FAILED : LT_EXIT_OK;
    else if (extra)
        fprintf(stderr,
                "livetcp doctor: %s: it takes options only; 'livetcp doctor --help' lists them\n",
                extra[0]);
    else
        code = examine(&(lt_doctor_options){.host = host, .interface = interface, .json = json});
    free(extra);
    free(json);
    lt_options_clear(table);
    return code;
}

const lt_command lt_command_doctor = {
    .name = "doctor",
    .summary = "settings of this host that cost media delay, and how to change them",
    .run = run_doctor,
};
