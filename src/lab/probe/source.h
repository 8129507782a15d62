/* SPDX-License-Identifier: MIT */
/* Schedule of packets: a train at a constant rate, or a recorded stream. */
#ifndef LT_LAB_PROBE_SOURCE_H
#define LT_LAB_PROBE_SOURCE_H

#include "base/rng.h"

#include <livetcp/service_curve.h>

#include <stdbool.h>

typedef struct lt_due_packet {
    livetcp_usec time; /* from the beginning */
    uint32_t bytes;
    bool sample;
} lt_due_packet;

typedef struct lt_probe_source {
    bool is_trace;
    uint64_t number; /* of the next packet */
    /* A train: */
    double rate; /* bit/s */
    uint32_t size;
    double next_sample, mean_interval, end; /* us; INFINITY: no sample, no end */
    lt_rng rng;
    /* A trace: frames are sent in pieces, of which the last one is sampled. */
    const livetcp_trace_frame *frames;
    size_t count, frame;
    uint64_t left; /* of the current frame */
} lt_probe_source;

/* Packets are sampled by a Poisson process from `settle` on, so that their delays are time
 * averages. */
void lt_source_train(lt_probe_source *source, double rate, size_t size, livetcp_usec settle,
                     livetcp_usec mean_interval, uint64_t seed);

/* A train of this length without samples. */
void lt_source_filler(lt_probe_source *source, double rate, size_t size, livetcp_usec length);

void lt_source_trace(lt_probe_source *source, const livetcp_trace_frame *frames, size_t count);

/* The next packet due; false at the end. */
bool lt_source_peek(const lt_probe_source *source, lt_due_packet *packet);
void lt_source_advance(lt_probe_source *source);

#endif
