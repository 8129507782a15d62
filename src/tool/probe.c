/* SPDX-License-Identifier: MIT */
/* livetcp probe: what a path carries over TCP, and with which delay (Lübben and Fidler). */
#include "lab/probe/probe.h"
#include "tool/command.h"

static int run_probe(int argc, const char **argv)
{
    lt_probe_options options;
    livetcp_error error = {.code = LIVETCP_OK};

    if (lt_probe_options_parse(&options, argc, argv, &error) != LIVETCP_OK) {
        fprintf(stderr, "livetcp probe: %s\n'livetcp probe --help' lists the options\n",
                error.message);
        return LT_EXIT_USAGE;
    }
    if (options.mode == LT_PROBE_HELP) {
        lt_probe_options_help(stdout);
        return LT_EXIT_OK;
    }
    if (lt_probe_run(&options, &error) == LIVETCP_OK)
        return LT_EXIT_OK;
    fprintf(stderr, "livetcp probe: %s\n", error.message);
    return LT_EXIT_FAILED;
}

const lt_command lt_command_probe = {
    .name = "probe",
    .summary = "measure what a path carries over TCP, and with which delay",
    .run = run_probe,
};
