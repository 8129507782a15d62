/* SPDX-License-Identifier: MIT */
/* Reports of a probe's findings, for people and for programs. */
#ifndef LT_LAB_PROBE_REPORT_H
#define LT_LAB_PROBE_REPORT_H

#include "lab/probe/findings.h"

#include <stdio.h>

/* The times at which the service curve is reported, s: ten a decade, from the first at which there
 * is service to where it has converged. */
#define LT_CURVE_LEAST  1e-3
#define LT_CURVE_MOST   1e5
#define LT_CURVE_DECADE 10

void lt_probe_report_table(const lt_probe_findings *findings, FILE *out);

/* docs/guide/probe.md describes it. */
livetcp_result lt_probe_report_json(const lt_probe_findings *findings, FILE *out,
                                    livetcp_error *error);

#endif
