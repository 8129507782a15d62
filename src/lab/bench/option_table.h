/* SPDX-License-Identifier: MIT */
/* The command line as popt sees it, before anybody asked whether it makes sense. */
#ifndef LT_LAB_BENCH_OPTION_TABLE_H
#define LT_LAB_BENCH_OPTION_TABLE_H

#include "lab/bench/scheme.h"

#include <float.h>

/* Nothing that anybody would type. */
#define LT_INTERVAL_USUAL (-DBL_MAX)

/* The command line as popt leaves it; strings are ours to free. */
typedef struct lt_raw_options {
    char *scheme_specs[LT_BENCH_MAX_SCHEMES];
    unsigned scheme_count;
    char **sysctls; /* NULL-terminated, or NULL */
    char *direction, *path, *path_back, *congestion_control, *background_cc;
    char *ftp, *mice, *cbr, *poisson;
    char *playout, *codec;
    char *csv, *json, *raw;
    int connections, split, flows, size, web, opening;
    double interval_ms; /* LT_INTERVAL_USUAL if not given */
    double warmup_s, duration_s, drain_s, talkspurt_s, silence_s;
    long long seed;
    int greedy, peer, check, nagle, consecutive, discard, quiet, help;
} lt_raw_options;

/* Sets the defaults. */
void lt_raw_options_init(lt_raw_options *raw);
void lt_raw_options_clear(lt_raw_options *raw);

/* Fills in what the command line says; *raw is to be cleared whatever the result. */
livetcp_result lt_raw_options_read(lt_raw_options *raw, int argc, const char **argv,
                                   livetcp_error *error);

#endif
