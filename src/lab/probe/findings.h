/* SPDX-License-Identifier: MIT */
/* Findings of a probe: filled in by the sender of the trains, read by the reports. */
#ifndef LT_LAB_PROBE_FINDINGS_H
#define LT_LAB_PROBE_FINDINGS_H

#include "lab/model/service_curve/estimator.h"
#include "lab/probe/options.h"
#include "lab/probe/plays.h"

#define LT_DELAY_UNKNOWN (-1)

/* Delays of one packet, in us. Absolute if both clocks are the same or the path is symmetric. */
typedef struct lt_probe_sample {
    livetcp_usec total;                     /* t4 - t1 */
    livetcp_usec sender, network, receiver; /* LT_DELAY_UNKNOWN without a timestamp */
} lt_probe_sample;

/* Data of a train in addition to the estimator's. */
typedef struct lt_probe_train {
    lt_probe_sample *samples; /* all, in order */
    size_t count, capacity;
    uint64_t packets;       /* sent, including the settling time */
    uint64_t retransmitted; /* segments, during the train */
    uint64_t segments;      /* sent during the train, by TCP's count; 0: unknown */
    livetcp_usec latest;    /* maximum lateness of the sender itself */
} lt_probe_train;

typedef struct lt_probe_path {
    bool known;
    char peer[300];
    char congestion_control[16];
    livetcp_usec min_rtt;      /* of a small packet on the idle path */
    livetcp_usec clock_offset; /* peer's clock minus ours at the end, assuming a symmetric path */
    double clock_drift;        /* change of that over the run */
    bool timestamps;           /* the kernels report tx and rx timestamps */
    uint32_t mss;
} lt_probe_path;

/* A recorded stream. */
typedef struct lt_probe_video {
    livetcp_envelope *envelope; /* NULL: no video */
    livetcp_trace_frame *frames;
    size_t count;
    livetcp_usec bound;   /* INT64_MAX: none */
    livetcp_usec *bounds; /* per frame, at most `bound` */
    lt_plays plays;       /* result */
    lt_plays_summary compared;
} lt_probe_video;

typedef struct lt_probe_findings {
    const lt_probe_options *options;
    lt_estimator *estimator;
    lt_probe_train *trains; /* one per train of the estimator, LT_ESTIMATOR_MAX_RATES at most */
    size_t train_count;
    lt_probe_path path;
    lt_probe_video video;
    bool interrupted;
    char failure[256]; /* why it ended early; "" = it did not */
} lt_probe_findings;

livetcp_result lt_findings_create(const lt_probe_options *options, lt_probe_findings *findings,
                                  livetcp_error *error);
void lt_findings_clear(lt_probe_findings *findings);

/* Adds a train with the estimator's rate. NULL: out of memory. */
lt_probe_train *lt_findings_begin_train(lt_probe_findings *findings);

/* Adds a sample to the last train and passes it to the estimator. */
livetcp_result lt_findings_add(lt_probe_findings *findings, const lt_probe_sample *sample,
                               lt_train_state *state, livetcp_error *error);

/* Delay component of a sample. */
typedef enum lt_probe_component {
    LT_COMPONENT_TOTAL,
    LT_COMPONENT_SENDER,
    LT_COMPONENT_NETWORK,
    LT_COMPONENT_RECEIVER
} lt_probe_component;

/* The known delays of the component in ascending order, in us; the caller frees them. NULL, with
 * *count 0, if none is known or memory is out. */
double *lt_findings_component(const lt_probe_train *train, lt_probe_component component,
                              size_t *count);

/* After the search: computes the bounds of the video, and compares them with its delays. */
livetcp_result lt_findings_bound(lt_probe_findings *findings, livetcp_error *error);

/* Sum of the violation probabilities of all points. */
double lt_findings_violation(const lt_probe_findings *findings);

/* Delays of the received frames of all plays in ascending order, in us; the caller frees them.
 * NULL: none received, or memory is out. */
double *lt_findings_played(const lt_probe_findings *findings);

#endif
