/* SPDX-License-Identifier: MIT */
/* Recommendation for a path from a probe's findings: bit rate, policy and playout delay. */
#ifndef LT_LAB_PROBE_RESULT_H
#define LT_LAB_PROBE_RESULT_H

#include "lab/probe/findings.h"

typedef struct lt_probe_result {
    bool known;         /* false: no rate had a steady state; the sentence has the next step */
    bool within_target; /* the bit rate meets the delay target; else it is the one with the minimum
                           delay */
    double bitrate;     /* bit/s */
    const char *policy; /* by docs/guide/tuning.md */
    livetcp_usec playout; /* playout delay over the minimum one-way delay */
    double loss;          /* share of retransmitted segments at steady rates; NAN: unknown */
    bool queue;           /* the network has a standing queue at the recommended rate */
    char sentence[600];
} lt_probe_result;

void lt_probe_result_make(const lt_probe_findings *findings, lt_probe_result *result);

/* The minimum delay of all samples in us; 0 without samples. */
livetcp_usec lt_probe_min_delay(const lt_probe_findings *findings);

#endif
