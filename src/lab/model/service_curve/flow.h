/* SPDX-License-Identifier: MIT */
/*
 * Simulated flow control, to test the estimator against known results (Lübben and Fidler, section
 * III-C). Packets of one size are handed in in order, each with its time; the result is the arrival
 * time. In the paper's fluid model a packet is the last bit of it, so that it takes no time of its
 * own on a link that is not full.
 */
#ifndef LT_LAB_MODEL_SERVICE_CURVE_FLOW_H
#define LT_LAB_MODEL_SERVICE_CURVE_FLOW_H

#include <livetcp/base.h>

#include <stdint.h>

#define LT_FLOW_MAX_WINDOW 1048576 /* packets */

typedef struct lt_flow_config {
    double window; /* packets; of the adaptive one the first */
    double rate;   /* of the network, packets/s; INFINITY: no limit */
    double delay;  /* T, s: there, and the same back */
    double loss;   /* probability of a congestion notification; 0: the window is static */
    uint64_t seed;
} lt_flow_config;

typedef struct lt_flow lt_flow;

/* LIVETCP_ERR_INVALID_ARGUMENT with a message that names the field, LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_flow_create(const lt_flow_config *config, lt_flow **flow, livetcp_error *error);
void lt_flow_destroy(lt_flow **flow);

/* The packet that the application hands in at `time`, s, not before the one ahead of it; returns
 * its delay, s. */
double lt_flow_send(lt_flow *flow, double time);

#endif
