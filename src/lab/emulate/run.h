/* SPDX-License-Identifier: MIT */
/* Runs commands at the two ends of an emulated path, until the near one ends. */
#ifndef LT_LAB_EMULATE_RUN_H
#define LT_LAB_EMULATE_RUN_H

#include "lab/emulate/path.h"

#include <stdbool.h>

typedef struct lt_emulate_options {
    lt_path_params path;
    const char *far_command;        /* for sh -c; NULL: none */
    const char *const *command;     /* NULL-terminated */
    const char *control;            /* Unix socket to serve, or NULL */
    const char *schedule;           /* file, or NULL */
    const char *json;               /* file for the report, "-" is stdout, or NULL */
    const char *congestion_control; /* or NULL */
    const char *const *sysctls;     /* "key=value", NULL-terminated, or NULL */
    livetcp_usec head_start;        /* before the near command */
    livetcp_usec stats_interval;    /* 0: none */
    bool quiet;                     /* no table at the end */
} lt_emulate_options;

/* Runs the commands on a new path until the near one ends. Returns its exit code, or LT_EXIT_USAGE
 * if nothing could be started. */
int lt_emulate_run(const lt_emulate_options *options);

#endif
