/* SPDX-License-Identifier: MIT */
/* Recommendation for a path: bit rate, policy and playout delay, from a probe's findings. */
#ifndef LT_LAB_PROBE_RESULT_H
#define LT_LAB_PROBE_RESULT_H

#include "lab/probe/findings.h"

typedef struct lt_probe_result {
    bool known; /* false: no rate had a steady state, and the sentence gives the next step */
    bool within_target;   /* the bit rate keeps the delay target; else it is the one with the
                             minimum delay */
    double bitrate;       /* bit/s */
    const char *policy;   /* by docs/guide/tuning.md */
    livetcp_usec playout; /* over the minimum one-way delay */
    double loss;          /* share of segments sent again at the steady rates; NAN: unknown */
    bool queue;           /* a queue stands in the network at the recommended rate */
    char sentence[600];
} lt_probe_result;

void lt_probe_result_make(const lt_probe_findings *findings, lt_probe_result *result);

/* The minimum delay of all samples, µs; 0 without any. */
livetcp_usec lt_probe_min_delay(const lt_probe_findings *findings);

#endif
