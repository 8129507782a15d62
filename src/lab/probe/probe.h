/* SPDX-License-Identifier: MIT */
/* A whole probe: searches and reports, or is the other end of one. */
#ifndef LT_LAB_PROBE_PROBE_H
#define LT_LAB_PROBE_PROBE_H

#include "lab/probe/options.h"

/* Any mode but LT_PROBE_HELP. A search that fails half-way is reported as far as it came. */
livetcp_result lt_probe_run(const lt_probe_options *options, livetcp_error *error);

#endif
