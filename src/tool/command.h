/* SPDX-License-Identifier: MIT */
/* A command of the livetcp tool: turns its command line into options and calls the lab. */
#ifndef LT_TOOL_COMMAND_H
#define LT_TOOL_COMMAND_H

#include "lab/exit_code.h"

#include <livetcp/base.h>

typedef struct lt_command {
    const char *name;
    const char *summary; /* one line, no full stop */
    /* argv[0] is the command's name, ready for an option parser. Returns the exit code. */
    int (*run)(int argc, const char **argv);
} lt_command;

extern const lt_command lt_command_bench;
extern const lt_command lt_command_doctor;
extern const lt_command lt_command_emulate;
extern const lt_command lt_command_model; /* where LIVETCP_HAS_MODEL is defined */
extern const lt_command lt_command_probe; /* as well */
extern const lt_command lt_command_receive;
extern const lt_command lt_command_relay;
extern const lt_command lt_command_report;
extern const lt_command lt_command_send;
extern const lt_command lt_command_stat;

/* Print the error (the first one also refers to the help) and return the exit code. */
int lt_command_refused(const char *command, const livetcp_error *error); /* LT_EXIT_USAGE */
int lt_command_failed(const char *command, const livetcp_error *error);  /* LT_EXIT_FAILED */

#endif
