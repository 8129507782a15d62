/* SPDX-License-Identifier: MIT */
/* Options of `livetcp probe`. */
#ifndef LT_LAB_PROBE_OPTIONS_H
#define LT_LAB_PROBE_OPTIONS_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LT_PROBE_MAX_SIZE  16384 /* bytes of a packet */
#define LT_PROBE_MAX_PLAYS 10000

typedef enum lt_probe_mode {
    LT_PROBE_HELP,
    LT_PROBE_LISTEN,
    LT_PROBE_PATH,
    LT_PROBE_SIMULATION,
} lt_probe_mode;

typedef struct lt_probe_options {
    lt_probe_mode mode;
    char host[256], port[8]; /* of the peer, or to listen on; host may be empty then */

    double step, max_rate; /* bit/s; INFINITY: no maximum */
    size_t size;           /* packet size in bytes */
    unsigned samples, extensions, patience;
    livetcp_usec interval;     /* mean time between samples */
    livetcp_usec settle;       /* settling time of each train before the first sample */
    double violation;          /* xi */
    livetcp_usec resolution;   /* of the delays */
    livetcp_usec delay_limit;  /* delay above which the search ends */
    livetcp_usec delay_target; /* for the recommendation */
    uint64_t seed;

    char congestion_control[16]; /* "": the system's */
    char simulation[128];        /* as given */
    char trace[256];             /* "" = none */
    unsigned plays;              /* number of times that the trace is sent */
    char json[256];              /* "" = none, "-" = standard output in place of the table */
    bool quiet;
} lt_probe_options;

/* Parses the command line; argv[0] is the subcommand's name. On failure the error names the option
 * and its valid values. */
livetcp_result lt_probe_options_parse(lt_probe_options *options, int argc, const char **argv,
                                      livetcp_error *error);

void lt_probe_options_help(FILE *out);

#endif
