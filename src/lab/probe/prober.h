/* SPDX-License-Identifier: MIT */
/* The near end of a probe. */
#ifndef LT_LAB_PROBE_PROBER_H
#define LT_LAB_PROBE_PROBER_H

#include "lab/probe/findings.h"

/* Connects to the peer of the options, sends trains as the estimator asks for them, and then the
 * video. Results from before an error stay in the findings. */
livetcp_result lt_prober_run(lt_probe_findings *findings, livetcp_error *error);

#endif
