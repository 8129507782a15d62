/* SPDX-License-Identifier: MIT */
/* The far end of a probe: receives packets and reports their arrival times. */
#ifndef LT_LAB_PROBE_LISTENER_H
#define LT_LAB_PROBE_LISTENER_H

#include "lab/probe/options.h"

/* Runs until interrupted, which is success. */
livetcp_result lt_listener_run(const lt_probe_options *options, livetcp_error *error);

#endif
