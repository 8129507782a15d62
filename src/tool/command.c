/* SPDX-License-Identifier: MIT */
#include "tool/command.h"

#include <stdio.h>

int lt_command_refused(const char *command, const livetcp_error *error)
{
    fprintf(stderr, "livetcp %s: %s\n'livetcp %s --help' lists the options\n", command,
            error->message, command);
    return LT_EXIT_USAGE;
}

int lt_command_failed(const char *command, const livetcp_error *error)
{
    fprintf(stderr, "livetcp %s: %s\n", command, error->message);
    return LT_EXIT_FAILED;
}
