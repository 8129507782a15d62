/* SPDX-License-Identifier: MIT */
/* What to do on such a path: bit rate, policy and playout delay, from what a probe found. */
#ifndef LT_LAB_PROBE_VERDICT_H
#define LT_LAB_PROBE_VERDICT_H

#include "lab/probe/findings.h"

typedef struct lt_probe_verdict {
    bool known;           /* false: no rate had a steady state, and the sentence says what then */
    bool within_target;   /* the bit rate keeps the delay target; else it is the one with the least
                             delay */
    double bitrate;       /* bit/s */
    const char *policy;   /* by docs/guide/tuning.md */
    livetcp_usec playout; /* over the least one-way delay */
    double loss;          /* share of segments sent again at the steady rates; NAN: unknown */
    bool queue;           /* a queue stands in the network at the recommended rate */
    char sentence[600];
} lt_probe_verdict;

void lt_verdict_make(const lt_probe_findings *findings, lt_probe_verdict *verdict);

/* The least delay of all samples, µs; 0 without any. */
livetcp_usec lt_verdict_least(const lt_probe_findings *findings);

#endif
