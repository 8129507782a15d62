/* SPDX-License-Identifier: MIT */
/* Reports of a probe's findings. */
#ifndef LT_LAB_PROBE_REPORT_H
#define LT_LAB_PROBE_REPORT_H

#include "lab/probe/findings.h"

#include <stdio.h>

/* Times at which the service curve is reported, in s: ten per decade, from the first with service
 * to convergence. */
#define LT_CURVE_MIN    1e-3
#define LT_CURVE_MAX    1e5
#define LT_CURVE_DECADE 10

void lt_probe_report_table(const lt_probe_findings *findings, FILE *out);

/* docs/guide/probe.md describes it. */
livetcp_result lt_probe_report_json(const lt_probe_findings *findings, FILE *out,
                                    livetcp_error *error);

#endif
