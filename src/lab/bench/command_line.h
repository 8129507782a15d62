/* SPDX-License-Identifier: MIT */
/* The command line of `livetcp bench` as texts and numbers, before validation. */
#ifndef LT_LAB_BENCH_COMMAND_LINE_H
#define LT_LAB_BENCH_COMMAND_LINE_H

#include "lab/bench/scheme.h"

#include <stdio.h>

/* Texts are NULL unless given. */
typedef struct lt_bench_line {
    char *scheme_specs[LT_BENCH_MAX_SCHEMES];
    unsigned scheme_count;
    char **sysctls;  /* NULL-terminated, or NULL */
    char **programs; /* NULL-terminated, or NULL */
    char *flow_times, *schedule;
    char *direction, *path, *path_back, *congestion_control, *background_cc;
    char *ftp, *mice, *cbr, *poisson;
    char *playout, *codec;
    char *csv, *json, *raw;
    char *interval, *warmup, *duration, *drain, *talkspurt, *silence;
    int connections, split, flows, size, web, opening;
    long long seed;
    char *adaptive, *trace, *max_rate, *key_interval;
    double fps, overshoot;
    int greedy, speech, peer, check, nagle, consecutive, discard, quiet, help;
} lt_bench_line;

/* Reads the command line; argv[0] is the subcommand's name. Whatever the result, the caller calls
 * lt_bench_line_clear(). */
livetcp_result lt_bench_line_read(lt_bench_line *line, int argc, const char **argv,
                                  livetcp_error *error);
void lt_bench_line_clear(lt_bench_line *line);

void lt_bench_line_help(FILE *out);

#endif
