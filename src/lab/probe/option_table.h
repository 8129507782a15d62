/* SPDX-License-Identifier: MIT */
/* The command line of `livetcp probe` as popt sees it. */
#ifndef LT_LAB_PROBE_OPTION_TABLE_H
#define LT_LAB_PROBE_OPTION_TABLE_H

#include <livetcp/result.h>

#include <stdio.h>

/* Strings are malloc()ed, NULL where not given. */
typedef struct lt_probe_raw {
    char *peer; /* HOST:PORT */
    char *listen;
    char *step, *max_rate, *interval, *settle, *resolution, *delay_limit, *delay_target;
    int size, samples, extensions, patience, plays; /* plays: negative where not given */
    double quantile;
    long long seed;
    char *congestion_control, *simulation, *envelope, *video, *json;
    int quiet, help;
} lt_probe_raw;

void lt_probe_raw_init(lt_probe_raw *raw);
void lt_probe_raw_clear(lt_probe_raw *raw);

livetcp_result lt_probe_raw_read(lt_probe_raw *raw, int argc, const char **argv,
                                 livetcp_error *error);

#endif
