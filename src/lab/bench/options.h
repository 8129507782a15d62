/* SPDX-License-Identifier: MIT */
/* Options of `livetcp bench`. */
#ifndef LT_LAB_BENCH_OPTIONS_H
#define LT_LAB_BENCH_OPTIONS_H

#include "lab/bench/load.h"
#include "lab/bench/plan.h"
#include "lab/bench/playout.h"
#include "lab/bench/scheme.h"
#include "lab/emulate/path.h"
#include "lab/emulate/schedule.h"

#define LT_BENCH_MAX_SYSCTLS  8
#define LT_BENCH_SYSCTL_TEXT  128
#define LT_BENCH_MAX_PROGRAMS 8

typedef struct lt_bench_options {
    lt_scheme schemes[LT_BENCH_MAX_SCHEMES];
    unsigned scheme_count; /* at least 1; the first is the reference of the others */
    lt_bench_program programs[LT_BENCH_MAX_PROGRAMS];
    lt_plan plan;       /* complete */
    char trace[256];    /* source of frame sizes: x264, screen, ideal or a file; adaptive only */
    livetcp_usec drain; /* time to wait for late packets */
    uint64_t seed;

    bool emulated;                      /* false: loopback */
    unsigned links;                     /* 1 to LT_PATH_MAX_LINKS */
    lt_link_params link[LT_PATH_LANES]; /* forward and backward of link 1, then of the others */
    char link_text[2][LT_PARAMS_TEXT];  /* as given; "loopback" if not emulated */

    char sysctls[LT_BENCH_MAX_SYSCTLS][LT_BENCH_SYSCTL_TEXT]; /* KEY=VALUE, of the emulated path */
    unsigned sysctl_count;

    lt_schedule schedule; /* changes of the emulated path, from the start of the run */
    lt_load load;         /* at the same time as each scheme */

    lt_playout_list playout; /* empty unless --playout is given */

    bool consecutive;    /* one scheme after the other, not all at once */
    bool discard_stalls; /* packets near a stall do not count */
    bool quiet;
    bool check;         /* only validate the options */
    bool help;          /* help was requested; nothing else is set */
    char command[1024]; /* the command line with these options; truncated if longer */
    char csv[256], json[256], raw[256]; /* files to write, or "" */
} lt_bench_options;

/* Parses the command line of the subcommand; argv[0] is its name. On failure the error names the
 * fault and the valid values. Whatever the result, the caller calls lt_bench_options_clear(). */
livetcp_result lt_bench_options_parse(lt_bench_options *options, int argc, const char **argv,
                                      livetcp_error *error);
void lt_bench_options_clear(lt_bench_options *options);

#endif
