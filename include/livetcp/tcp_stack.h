/* SPDX-License-Identifier: MIT */
/*
 * Constants of a sender's TCP that determine delay: timers, windows, loss detection. The models
 * (livetcp/model.h) take them as an argument, so that a path can be evaluated with the TCP of a
 * paper, with a current one, or with another.
 *
 * Part of liblivetcp-model. Pure functions; any thread.
 */
#ifndef LIVETCP_TCP_STACK_H
#define LIVETCP_TCP_STACK_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of constants of a TCP implementation. */
typedef enum livetcp_tcp_constants {
    /* Brosh et al., "The Delay-Friendliness of TCP" (2008): NewReno, RTO = 4 RTT (6.6, A.3). */
    LIVETCP_TCP_CONSTANTS_BROSH = 0,
    /* Zhang et al., "The Implication of Network Performance on Service Quality" (1999): Linux
     * 2.0.34, RTO = max(3 RTT, 200 ms), 3 s before the first sample, at most 120 s (3.5). */
    LIVETCP_TCP_CONSTANTS_ZHANG = 1,
    /* Linux 6 with its defaults: initial window of ten segments (RFC 6928), initial RTO of 1 s (RFC
     * 6298), RACK (RFC 8985), four SYN retransmissions before the timeout doubles. */
    LIVETCP_TCP_CONSTANTS_LINUX = 2,
    /* Linux without SACK (net.ipv4.tcp_sack=0), which disables RACK: three duplicate
     * acknowledgements, as in the papers, with Linux's timers. */
    LIVETCP_TCP_CONSTANTS_NEWRENO = 3
} livetcp_tcp_constants;

/* Loss detection without a timeout. */
typedef enum livetcp_loss_detection {
    LIVETCP_LOSS_DETECTION_DUPACK = 0, /* three duplicate acknowledgements */
    LIVETCP_LOSS_DETECTION_RACK = 1    /* a reordering window after a later segment's arrival */
} livetcp_loss_detection;

/* Loss recovery. */
typedef enum livetcp_loss_recovery {
    /* Brosh et al., 4.2 and Table 6: one round trip for any number of losses, in which no new data
     * is sent, and half of w + 3 segments after it. */
    LIVETCP_LOSS_RECOVERY_ONE_ROUND = 0,
    /* Half of the window, at least two segments. With RACK another round trip if a retransmission
     * is lost; without SACK one per loss, and a timeout if a retransmission is lost. An unused
     * window grows to the segments in flight plus one. */
    LIVETCP_LOSS_RECOVERY_LINUX = 1
} livetcp_loss_recovery;

/* Constants of a TCP implementation. */
typedef struct livetcp_tcp_stack {
    size_t struct_size;               /* set by livetcp_tcp_stack_init() */
    livetcp_loss_detection detection; /* loss detection without a timeout */
    unsigned initial_window;          /* segments, 1..1000 */
    unsigned syn_linear_timeouts;     /* timeouts of a SYN before they double, 0..100 */
    livetcp_usec rto_initial_us;      /* before the first sample of the RTT, > 0 */
    livetcp_usec rto_min_us;          /* > 0 */
    livetcp_usec rto_max_us;          /* limit of the backoff, >= rto_initial_us and rto_min_us */
    double rto_rtt_multiple;          /* RTO on a path with a constant RTT, in RTTs, 1..100 */
    bool rto_min_added; /* RTO is the sum of rto_rtt_multiple * RTT and rto_min_us, as in Linux 6;
                           false: the larger one */
    livetcp_loss_recovery recovery; /* loss recovery */
} livetcp_tcp_stack;

/* Sets the constants with that name. LIVETCP_ERR_INVALID_ARGUMENT for another value; *stack is
 * unchanged then. The macro passes the caller's size; the function of that name is for programs
 * built with 0.1. */
LIVETCP_API livetcp_result livetcp_tcp_stack_init(livetcp_tcp_stack *stack,
                                                  livetcp_tcp_constants constants,
                                                  livetcp_error *error);
LIVETCP_API livetcp_result livetcp_tcp_stack_init_sized(livetcp_tcp_stack *stack, size_t size,
                                                        livetcp_tcp_constants constants,
                                                        livetcp_error *error);
#define livetcp_tcp_stack_init(stack, constants, error)                                            \
    livetcp_tcp_stack_init_sized((stack), sizeof *(stack), (constants), (error))

/* "brosh", "zhang", "linux" or "newreno"; NULL for another value. */
LIVETCP_API const char *livetcp_tcp_constants_name(livetcp_tcp_constants constants);

/* Retransmission timeout on a path with this constant round-trip time, before backoff. A negative
 * RTT counts as 0. */
LIVETCP_API livetcp_usec livetcp_tcp_stack_rto(const livetcp_tcp_stack *stack, livetcp_usec rtt_us);

#ifdef __cplusplus
}
#endif

#endif
