/* SPDX-License-Identifier: MIT */
/* Progress of a run: one line on standard error. */
#ifndef LT_LAB_BENCH_PROGRESS_H
#define LT_LAB_BENCH_PROGRESS_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_progress {
    bool quiet;
    bool terminal; /* the line is rewritten; otherwise a line per phase */
    unsigned part, parts;
    const char *phase;
    livetcp_usec begin, length;
    livetcp_usec shown;
} lt_progress;

/* `part` of `parts` consecutive runs, from 1. */
void lt_progress_init(lt_progress *progress, bool quiet, unsigned part, unsigned parts);

/* Starts a phase of `length`; 0 = unknown. `name` must be static. */
void lt_progress_phase(lt_progress *progress, const char *name, livetcp_usec length);

/* Call often; `progress` is an lt_progress. */
void lt_progress_tick(void *progress);

/* Clears the line. */
void lt_progress_end(lt_progress *progress);

#endif
