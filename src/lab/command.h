/* SPDX-License-Identifier: MIT */
/* A subcommand of the livetcp tool. */
#ifndef LT_LAB_COMMAND_H
#define LT_LAB_COMMAND_H

/* Exit codes, the same for every subcommand. */
enum {
    LT_EXIT_OK = 0,
    LT_EXIT_FAILED = 1, /* it ran and did not succeed */
    LT_EXIT_USAGE = 2,  /* the command line or the environment was wrong; nothing was done */
};

typedef struct lt_command {
    const char *name;
    const char *summary; /* one line, no full stop */
    /* argv[0] is the subcommand's name, ready for an option parser. Returns the exit code. */
    int (*run)(int argc, const char **argv);
} lt_command;

extern const lt_command lt_command_bench;
extern const lt_command lt_command_doctor;
extern const lt_command lt_command_emulate;
extern const lt_command lt_command_model; /* where LIVETCP_HAS_MODEL is defined */
extern const lt_command lt_command_probe; /* as well */
extern const lt_command lt_command_report;

#endif
