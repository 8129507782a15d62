/* SPDX-License-Identifier: MIT */
/* Option tables of subcommands, for popt: their entries, their help, and what is wrong. */
#ifndef LT_LAB_COMMAND_LINE_H
#define LT_LAB_COMMAND_LINE_H

#include <livetcp/result.h>

#include <popt.h>
#include <stdio.h>

#define LT_OPTION_TEXT(name, where, help, unit)                                                    \
    {                                                                                              \
        name, 0, POPT_ARG_STRING, where, 0, help, unit                                             \
    }
#define LT_OPTION_INTEGER(name, where, help, unit)                                                 \
    {                                                                                              \
        name, 0, POPT_ARG_INT, where, 0, help, unit                                                \
    }
#define LT_OPTION_REAL(name, where, help, unit)                                                    \
    {                                                                                              \
        name, 0, POPT_ARG_DOUBLE, where, 0, help, unit                                             \
    }
#define LT_OPTION_FLAG(name, where, help)                                                          \
    {                                                                                              \
        name, 0, POPT_ARG_NONE, where, 0, help, NULL                                               \
    }

/* Prints what `command` ("livetcp bench") takes, after a line with `usage` ("[OPTION...]"). */
livetcp_result lt_options_print(const struct poptOption *table, const char *command,
                                const char *usage, FILE *out, livetcp_error *error);

/* What poptGetNextOpt() ended with: an error that names the option, unless it is the end. */
livetcp_result lt_options_ended(poptContext context, int code, livetcp_error *error);

/* The same for commands that take nothing but options. */
livetcp_result lt_options_ended_all(poptContext context, int code, livetcp_error *error);

#endif
