/* SPDX-License-Identifier: MIT */
/*
 * Time spent in retransmission timeouts while a sender delivers a number of segments: the evolution
 * of the timeout in Zhang et al., Figure 8. The paper simulates it, since the timeout that a
 * segment leaves to the next is not a linear function. It is a small Markov chain over the values
 * of the timeout, so mean and distribution can be computed.
 */
#ifndef LT_LAB_MODEL_STARTUP_TIMEOUTS_H
#define LT_LAB_MODEL_STARTUP_TIMEOUTS_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct lt_timeout_rules {
    double loss;     /* probability that a segment or its acknowledgement is lost */
    double probe;    /* wait of a single segment before its first timeout; 0: no probe */
    double first;    /* initial timeout in seconds */
    double normal;   /* after a round trip has been measured */
    double max;      /* maximum for doubling */
    unsigned linear; /* number of timeouts before doubling begins */
    bool keep;       /* Karn: a retransmitted segment leaves its timeout to the next */
} lt_timeout_rules;

/* A distribution of times: probabilities of 0, 1, 2 ... steps. Longer times are left out: the sum
 * is below 1 by their probability. */
typedef struct lt_times {
    double step;
    size_t count;
    double *probability;
    double mean; /* seconds; exact, infinite if doubling makes it so */
} lt_times;

livetcp_result lt_times_init(lt_times *times, double step, size_t count, livetcp_error *error);
void lt_times_clear(lt_times *times);

/* Adds the distribution of the sum of both to `to`, which is initialised. All have the same
 * steps. */
void lt_times_convolve(lt_times *to, const lt_times *a, const lt_times *b);

/* Distribution of the time spent in timeouts while `segments` are delivered one after another.
 * `times` is initialised. */
livetcp_result lt_timeouts_solve(lt_times *times, const lt_timeout_rules *rules, unsigned segments,
                                 livetcp_error *error);

#endif
