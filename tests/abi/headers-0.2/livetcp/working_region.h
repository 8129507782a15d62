/* SPDX-License-Identifier: MIT */
/*
 * Questions to the delay model: up to which loss a stream keeps its deadline, and the settings for
 * that deadline. Brosh et al., sections 6.1, 6.6 and 7.
 *
 * Part of liblivetcp-model. Functions of their arguments; any thread.
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

/* The deadline of a stream: a share of `quantile` of the packets has a delay of at most
 * `target_us`. Voice in the paper: 95 % within 200 ms; video: all, in practice 99.9 %, within 5 s.
 */
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

/* The largest loss at which the stream of `config` (whose loss is not read) meets the target, to
 * 2 % of itself: 0 if it does not at the smallest loss that is tried, 1e-5; 0.5 if it does at
 * that. A rate above 95 % of what TCP carries counts as missing every target: there the model is
 * least accurate, and a little more loss is too much. The error names the field that is out of
 * range. */
LIVETCP_API livetcp_result livetcp_largest_loss(const livetcp_delay_model_config *config,
                                                const livetcp_delay_target *target, double *loss,
                                                livetcp_error *error);

/* The best number of connections and pieces for a target. */
typedef struct livetcp_delay_advice {
    size_t struct_size;   /* set it to sizeof(livetcp_delay_advice) before the call */
    bool meets_target;    /* false: no tried combination does, and this is the best one */
    unsigned connections; /* 1..8 */
    unsigned split;       /* 1..4 */
    double delay_us;      /* at the target's quantile; infinite if unbounded */
    double playout_us;    /* playout delay over the sender's clock at which a share of 1 - quantile
                             is late, but at least one retransmission's: L + RTT + 3/f */
} livetcp_delay_advice;

/* The connections and the split to use on the path of `config` (whose own are not read): as few
 * pieces and then as few connections as meet the target, since both have their price; otherwise the
 * combination with the smallest delay. */
LIVETCP_API livetcp_result livetcp_delay_advise(const livetcp_delay_model_config *config,
                                                const livetcp_delay_target *target,
                                                livetcp_delay_advice *advice, livetcp_error *error);

#ifdef __cplusplus
}
#endif

#endif
