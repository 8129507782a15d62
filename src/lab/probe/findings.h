/* SPDX-License-Identifier: MIT */
/* Findings of a probe: filled in by the sender of the trains, read by the reports. */
#ifndef LT_LAB_PROBE_FINDINGS_H
#define LT_LAB_PROBE_FINDINGS_H

#include "lab/model/service_curve/estimator.h"
#include "lab/probe/options.h"
#include "lab/probe/plays.h"

#define LT_DELAY_UNKNOWN (-1)

/* One packet on its way, µs. Absolute if the clocks are one or the path is symmetric. */
typedef struct lt_probe_sample {
    livetcp_usec total;                     /* t4 - t1 */
    livetcp_usec sender, network, receiver; /* LT_DELAY_UNKNOWN where a timestamp was missing */
} lt_probe_sample;

/* Data of a train beside the estimator's. */
typedef struct lt_probe_train {
    lt_probe_sample *samples; /* all of them, in order */
    size_t count, room;
    uint64_t packets;       /* sent, with those of the time to settle */
    uint64_t retransmitted; /* segments, while the train was on */
    uint64_t segments;      /* sent meanwhile, as TCP reports; 0: unknown */
    livetcp_usec latest;    /* the longest that the sender itself was late with a packet */
} lt_probe_train;

typedef struct lt_probe_path {
    bool known;
    char peer[300];
    char congestion_control[16];
    livetcp_usec least_rtt;    /* of a small packet while nothing else was on the path */
    livetcp_usec clock_offset; /* peer's clock minus ours at the end, if the path is symmetric */
    double clock_drift;        /* of that, over the time of the run */
    bool timestamps;           /* the kernels timestamped packets that left and came */
    uint32_t mss;
} lt_probe_path;

/* A recorded stream. */
typedef struct lt_probe_video {
    livetcp_envelope *envelope; /* NULL: there is none */
    livetcp_trace_frame *frames;
    size_t count;
    livetcp_usec bound;   /* INT64_MAX: none */
    livetcp_usec *bounds; /* of each frame by itself, never above `bound` */
    lt_plays plays;       /* result */
    lt_plays_summary compared;
} lt_probe_video;

typedef struct lt_probe_findings {
    const lt_probe_options *options;
    lt_estimator *estimator;
    lt_probe_train *trains; /* as many as the estimator has, LT_ESTIMATOR_MOST_RATES at most */
    size_t train_count;
    lt_probe_path path;
    lt_probe_video video;
    bool interrupted;
    char failure[256]; /* why it ended early, "" if it did not */
} lt_probe_findings;

livetcp_result lt_findings_create(const lt_probe_options *options, lt_probe_findings *findings,
                                  livetcp_error *error);
void lt_findings_clear(lt_probe_findings *findings);

/* A new train; the estimator has its rate. NULL: out of memory. */
lt_probe_train *lt_findings_begin_train(lt_probe_findings *findings);

/* Adds to the last train and notifies the estimator. */
livetcp_result lt_findings_add(lt_probe_findings *findings, const lt_probe_sample *sample,
                               lt_train_state *state, livetcp_error *error);

/* Delay component of a sample. */
typedef enum lt_probe_component {
    LT_COMPONENT_TOTAL,
    LT_COMPONENT_SENDER,
    LT_COMPONENT_NETWORK,
    LT_COMPONENT_RECEIVER
} lt_probe_component;

/* The known delays of the component, in ascending order, µs; the caller frees it. NULL, with *count
 * 0, if nothing is known or memory ran out. */
double *lt_findings_component(const lt_probe_train *train, lt_probe_component component,
                              size_t *count);

/* The bounds of the video and the comparison with its delays; once the search has ended. */
livetcp_result lt_findings_bound(lt_probe_findings *findings, livetcp_error *error);

/* Sum of the violation probabilities of all points. */
double lt_findings_violation(const lt_probe_findings *findings);

/* The delays of the frames that came, of all plays, in ascending order, µs; the caller frees it.
 * NULL: none came, or memory ran out. */
double *lt_findings_played(const lt_probe_findings *findings);

#endif
