/* SPDX-License-Identifier: MIT */
/*
 * Queries of the delay model: the maximum loss at which a stream keeps its deadline, and the
 * settings for that. Brosh et al., sections 6.1, 6.6 and 7.
 *
 * Part of liblivetcp-model. Pure functions; any thread.
 */
#ifndef LIVETCP_WORKING_REGION_H
#define LIVETCP_WORKING_REGION_H

#include <livetcp/base.h>
#include <livetcp/delay_model.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Deadline of a stream: a share of `quantile` of the packets has a delay of at most `target_us`.
 * Voice in the paper: 95 % within 200 ms; video: all, in practice 99.9 %, within 5 s. */
typedef struct livetcp_delay_target {
    size_t struct_size;     /* set by livetcp_delay_target_init() */
    double quantile;        /* 0 < quantile < 1 */
    livetcp_usec target_us; /* > 0 */
} livetcp_delay_target;

/* 95 % within 200 ms. The macro passes the caller's size; the function of that name is for programs
 * built with 0.1. */
LIVETCP_API void livetcp_delay_target_init(livetcp_delay_target *target);
LIVETCP_API void livetcp_delay_target_init_sized(livetcp_delay_target *target, size_t size);
#define livetcp_delay_target_init(target)                                                          \
    livetcp_delay_target_init_sized((target), sizeof *(target))

/* Maximum loss at which the stream of `config` (whose loss is not read) meets the target, with a
 * relative accuracy of 2 %: 0 if it does not even at 1e-5, the lowest loss tried; 0.5 if it does at
 * that. A rate above 95 % of TCP's capacity counts as missing every target, since the model is
 * least accurate there, and slightly more loss is too much. The error names the field that is out
 * of range. */
LIVETCP_API livetcp_result livetcp_largest_loss(const livetcp_delay_model_config *config,
                                                const livetcp_delay_target *target, double *loss,
                                                livetcp_error *error);

/* Best number of connections and segments per packet for a target. */
typedef struct livetcp_delay_advice {
    size_t struct_size;   /* set it to sizeof(livetcp_delay_advice) before the call */
    bool meets_target;    /* false: no combination does, and this is the best one */
    unsigned connections; /* 1..8 */
    unsigned split;       /* 1..4 */
    double delay_us;      /* at the target's quantile; infinite if unbounded */
    /* playout delay, relative to the sender's clock, at which a share of 1 - quantile is late, but
     * at least that of one retransmission: L + RTT + 3/f */
    double playout_us;
} livetcp_delay_advice;

/* Connections and split to use on the path of `config` (whose own values are not read): the
 * smallest split, and then the fewest connections, that meet the target, since both have a cost;
 * otherwise the combination with the smallest delay. */
LIVETCP_API livetcp_result livetcp_delay_advise(const livetcp_delay_model_config *config,
                                                const livetcp_delay_target *target,
                                                livetcp_delay_advice *advice, livetcp_error *error);

#ifdef __cplusplus
}
#endif

#endif
