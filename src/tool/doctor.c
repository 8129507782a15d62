/* SPDX-License-Identifier: MIT */
/* livetcp doctor: the command line. */
#include "lab/doctor/doctor.h"
#include "lab/options.h"
#include "tool/command.h"

#include <stdlib.h>

static const char about[] =
    "\nLists the settings of this host that add delay to live media over TCP, the cost\n"
    "of each, and the command that changes it. Changes nothing.\n\n"
    "Exit code: 0 when no setting costs delay, 1 when one does, 2 when the command line\n"
    "is wrong or the report cannot be written.\n\n"
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
                       "check the route and interface to this peer (the default route)", "HOST"),
        LT_OPTION_ENTRY("interface", 'i', POPT_ARG_STRING, &interface, 0,
                        "check this interface and routes over it", "NAME"),
        LT_OPTION_JSON("write JSON to FILE in addition to the report; without =FILE, to standard "
                       "output instead of it"),
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
    .summary = "find the host settings that cost delay, and the commands that change them",
    .run = run_doctor,
};
