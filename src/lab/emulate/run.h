/* SPDX-License-Identifier: MIT */
/* What the parts of `livetcp emulate` share. */
#ifndef LT_LAB_EMULATE_RUN_H
#define LT_LAB_EMULATE_RUN_H

#include "lab/emulate/path.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct lt_emulate_options {
    lt_path_params path;
    const char *far_command;        /* for sh -c; NULL: none */
    const char *const *command;     /* NULL-terminated */
    const char *control;            /* Unix socket to serve, or NULL */
    const char *schedule;           /* file, or NULL */
    const char *json;               /* file for the report, "-" is stdout, or NULL */
    const char *congestion_control; /* or NULL */
    const char **sysctls;           /* "key=value", NULL-terminated, or NULL */
    livetcp_usec head_start;        /* of the far command */
    livetcp_usec stats_interval;    /* 0: none */
    bool quiet;                     /* no table at the end */
} lt_emulate_options;

/* Runs the commands on a new path until the near one ends. Returns its exit code, or LT_EXIT_USAGE
 * when nothing could be started. */
int lt_emulate_run(const lt_emulate_options *options);

/* The clients: argv[0] is "set" or "counters". */
int lt_emulate_client(int argc, const char **argv);

typedef struct lt_self_test {
    lt_path_params path;
    double rate; /* packets/s */
    double seconds;
    unsigned size; /* bytes of IP packet */
    const char *json;
} lt_self_test;

/* Sends UDP through a path and reports the delay that comes on top of the configured one. Returns
 * LT_EXIT_FAILED when the accuracy target is missed. */
int lt_emulate_self_test(const lt_self_test *test);

/* "forward", "backward" or "both" as a bit mask by lt_direction; 0: none of these. */
unsigned lt_emulate_directions(const char *text);

/* Changes the parameters that `spec` names, in all directions of the mask or in none. */
livetcp_result lt_emulate_apply(lt_path *path, unsigned directions, const char *spec,
                                livetcp_error *error);

/* Everything there is to know about a path at the moment; a new reference, NULL: out of memory. */
json_t *lt_emulate_report(lt_path *path);
void lt_emulate_print_table(lt_path *path);
void lt_emulate_print_line(lt_path *path, livetcp_usec elapsed);

/* Writes to a file, or to stdout when the name is "-"; complains on stderr and returns false. */
bool lt_emulate_write_json(const json_t *report, const char *file);

#endif
