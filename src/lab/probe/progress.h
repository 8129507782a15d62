/* SPDX-License-Identifier: MIT */
/* One line on standard error with the progress of a probe. */
#ifndef LT_LAB_PROBE_PROGRESS_H
#define LT_LAB_PROBE_PROGRESS_H

#include "lab/probe/findings.h"

typedef struct lt_probe_progress {
    bool quiet, terminal;
    bool real_time; /* false: simulated, without a remaining time */
    livetcp_usec shown;
    double shown_rate;
    const char *shown_text;
} lt_probe_progress;

void lt_probe_progress_init(lt_probe_progress *progress, const lt_probe_options *options);

/* Shows the progress of the search: on a terminal every half a second, else once per rate. */
void lt_probe_progress_tick(lt_probe_progress *progress, const lt_probe_findings *findings);

/* Shows another text, such as that the trace is being sent; `what` is static. */
void lt_probe_progress_show(lt_probe_progress *progress, const char *what, livetcp_usec left);

void lt_probe_progress_end(lt_probe_progress *progress);

#endif
