/* SPDX-License-Identifier: MIT */
/* Cardwell's model of a short connection, as described by Zhang et al. in 3.4.1: "model C". */
#ifndef LT_LAB_MODEL_STARTUP_CARDWELL_H
#define LT_LAB_MODEL_STARTUP_CARDWELL_H

/* One acknowledgement for every second segment. */
static const double LT_SEGMENTS_PER_ACK = 2;

/* Seconds to send `data` segments in slow start from a window of w segments, interrupted by `runs`
 * runs of timeouts: t_xfer. */
double lt_slow_start(double data, double w, double runs, double rtt);

/* Seconds spent on timeouts: t_RTO, with T0 for the first timeout of every run. */
double lt_cardwell_timeouts(double data, double p, double t0, double *runs);

#endif
