/* SPDX-License-Identifier: MIT */
/* A probe of simulated flow control: in virtual time, with the same findings as for a path. */
#ifndef LT_LAB_PROBE_SIMULATION_H
#define LT_LAB_PROBE_SIMULATION_H

#include "lab/model/service_curve/flow.h"
#include "lab/probe/findings.h"

/* Parses "static,window=500kbit,rate=10mbit,delay=50ms" or "adaptive,loss=0.1%,delay=5ms", for
 * packets of `size` bytes. */
livetcp_result lt_simulation_parse(const char *spec, size_t size, lt_flow_config *config,
                                   livetcp_error *error);

/* Fills in the findings; ends early when interrupted, and records that. */
livetcp_result lt_simulation_run(lt_probe_findings *findings, livetcp_error *error);

#endif
