/* SPDX-License-Identifier: MIT */
/* The command line as popt sees it, before anybody asked whether it makes sense. */
#ifndef LT_BENCH_OPTION_TABLE_H
#define LT_BENCH_OPTION_TABLE_H

#include "tool/bench/scheme.h"

/* The command line as popt leaves it; strings are ours to free. */
typedef struct lt_raw_options {
    char *scheme_specs[LT_BENCH_MAX_SCHEMES];
    unsigned scheme_count;
    char *direction, *path, *path_back, *congestion_control, *background_cc;
    char *csv, *json, *raw;
    int connections, split, flows, size, ftp, web;
    double interval_ms, warmup_s, duration_s, drain_s;
    long long seed;
    int nagle, consecutive, discard, quiet, help;
} lt_raw_options;

/* Sets the defaults. */
void lt_raw_options_init(lt_raw_options *raw);
void lt_raw_options_clear(lt_raw_options *raw);

/* Fills in what the command line says; *raw is to be cleared whatever the result. */
livetcp_result lt_raw_options_read(lt_raw_options *raw, int argc, const char **argv,
                                   livetcp_error *error);

#endif
