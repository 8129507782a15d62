/* SPDX-License-Identifier: MIT */
/*
 * The delay that TCP gives a constant-bit-rate stream on a path with a round-trip time and a loss
 * rate: the Markov chain of Brosh, Baset, Misra, Rubenstein and Schulzrinne, "The
 * Delay-Friendliness of TCP" (SIGMETRICS 2008), section 4 and appendix A.
 *
 *     livetcp_delay_model_config config;
 *     livetcp_delay_model *model;
 *     livetcp_delay_model_config_init(&config, LIVETCP_TCP_CONSTANTS_LINUX);
 *     config.rtt_us = 100 * LIVETCP_USEC_MSEC;
 *     config.loss = 0.01;
 *     if (livetcp_delay_model_solve(&config, &model, &error) == LIVETCP_OK) {
 *         p95 = livetcp_delay_model_quantile(model, 0.95);
 *         livetcp_delay_model_destroy(&model);
 *     }
 *
 * docs/research/model.md has the assumptions of the model and its distance from measurements.
 *
 * Part of liblivetcp-model. Nothing here waits or keeps state outside its arguments; different
 * threads may solve at the same time, and share a solved model.
 */
#ifndef LIVETCP_DELAY_MODEL_H
#define LIVETCP_DELAY_MODEL_H

#include <livetcp/base.h>
#include <livetcp/tcp_stack.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Correlation of losses. */
typedef enum livetcp_loss_model {
    LIVETCP_LOSS_RANDOM = 0,    /* each segment independently, as behind RED */
    LIVETCP_LOSS_CORRELATED = 1 /* with all after it in the window, as at a drop-tail queue */
} livetcp_loss_model;

/* Unit in which the path's queues are limited, which determines the loss of small segments. */
typedef enum livetcp_queue_unit {
    LIVETCP_QUEUE_PACKETS = 0, /* every segment is lost with the same probability */
    LIVETCP_QUEUE_BYTES = 1    /* a segment of s bytes is lost with s/MSS of that probability */
} livetcp_queue_unit;

/* Path, stream and connections. */
typedef struct livetcp_delay_model_config {
    size_t struct_size;       /* set by livetcp_delay_model_config_init() */
    livetcp_usec rtt_us;      /* without the stream's own queues, 1 us to 100 s */
    double loss;              /* of full-sized segments, 0 <= loss < 1 */
    livetcp_usec one_way_us;  /* forward propagation delay, 0..rtt_us; -1 = half of the RTT */
    unsigned packet_bytes;    /* of the stream, with framing, 1..mss_bytes */
    livetcp_usec interval_us; /* between packets, 1 us to 100 s */
    unsigned connections;     /* used round-robin, 1..64 */
    unsigned split;           /* number of equal segments that each packet is split into, 1..16 */
    unsigned mss_bytes;       /* 1..65535 */
    livetcp_loss_model loss_model;
    livetcp_queue_unit queue_unit;
    bool limited_transmit;           /* RFC 3042 (appendix A.2) */
    livetcp_tcp_constants constants; /* rules of the TCP; see docs/research/model.md */
    /* timers; NULL = those of `constants`. Read during the call only */
    const livetcp_tcp_stack *stack;
    double window_states;  /* maximum window, in packets per RTT, 2..1000 */
    double backlog_states; /* maximum backlog, 2..10000; 0 = as many as necessary */
    size_t max_states;     /* maximum number of the chain's states, of about 300 bytes each */
} livetcp_delay_model_config;

/* Voice as in the paper: 174 bytes every 20 ms on one connection, RTT 100 ms, 1 % random loss,
 * queues in packets, limited transmit. Windows up to 8, backlogs up to 16 times r as in A.3; with
 * constants other than LIVETCP_TCP_CONSTANTS_BROSH, as many as necessary. The macro passes the
 * caller's size; the function of that name is for programs built with 0.1. */
LIVETCP_API void livetcp_delay_model_config_init(livetcp_delay_model_config *config,
                                                 livetcp_tcp_constants constants);
LIVETCP_API void livetcp_delay_model_config_init_sized(livetcp_delay_model_config *config,
                                                       size_t size,
                                                       livetcp_tcp_constants constants);
#define livetcp_delay_model_config_init(config, constants)                                         \
    livetcp_delay_model_config_init_sized((config), sizeof *(config), (constants))

/* A solved model. */
typedef struct livetcp_delay_model livetcp_delay_model;

/* Solves the chain. On success the caller owns *model. On failure it is NULL:
 * LIVETCP_ERR_INVALID_ARGUMENT names the field that is out of range, LIVETCP_ERR_NO_MEMORY the
 * number of states needed.
 *
 * A rate that TCP cannot carry at this loss and RTT is not an error: see `bounded`. */
LIVETCP_API livetcp_result livetcp_delay_model_solve(const livetcp_delay_model_config *config,
                                                     livetcp_delay_model **model,
                                                     livetcp_error *error);

/* Frees the model and clears *model, which may be NULL. */
LIVETCP_API void livetcp_delay_model_destroy(livetcp_delay_model **model);

/* Summary of a solved model. */
typedef struct livetcp_delay_summary {
    size_t struct_size; /* set it to sizeof(livetcp_delay_summary) before the call */
    bool bounded; /* false: TCP carries less than this rate, and the delay grows without limit; all
                     delays below are infinite then */
    double capacity_pps; /* packets per second that these connections carry when saturated; infinite
                            without loss */
    double mean_us;      /* one-way, from passing the packet to TCP to its in-order arrival */
    double jitter_us;    /* standard deviation of the delay, sigma_D in the paper */
    double max_us;       /* maximum delay in the truncated chain */
    double backlogged;   /* share of packets that waited in the send buffer */
    double recovered;    /* share that waited for a retransmission without a timeout */
    double timed_out;    /* share that waited for one after a timeout */
    double timeouts_per_s; /* retransmission timeouts per second, of all connections */
    double truncated;    /* share of packets at the edge of the truncated chain: unless it is small,
                            real delays are larger */
    size_t states;       /* of the chain */
    unsigned iterations; /* of the solver */
} livetcp_delay_summary;

/* Fills in the fields within `summary->struct_size`. Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_delay_model_summary(const livetcp_delay_model *model,
                                                       livetcp_delay_summary *summary);

/* The smallest delay that a share of at least `quantile` of the packets does not exceed, in
 * microseconds; 0 < quantile < 1, otherwise NaN. Infinite if unbounded. */
LIVETCP_API double livetcp_delay_model_quantile(const livetcp_delay_model *model, double quantile);

/* Share of packets with a larger delay; 1 if unbounded. */
LIVETCP_API double livetcp_delay_model_ccdf(const livetcp_delay_model *model, double delay_us);

/* One step of the distribution. */
typedef struct livetcp_delay_point {
    double delay_us;
    double probability; /* of this delay */
    double ccdf;        /* of a larger delay */
} livetcp_delay_point;

/* Fills in the steps in order of delay; false past the last. An unbounded model has none. */
LIVETCP_API bool livetcp_delay_model_at(const livetcp_delay_model *model, size_t position,
                                        livetcp_delay_point *point);

/* Packets per second that the chain's connections carry when saturated:
 * livetcp_delay_summary.capacity_pps alone. */
LIVETCP_API livetcp_result livetcp_tcp_capacity(const livetcp_delay_model_config *config,
                                                double *packets_per_s, livetcp_error *error);

/* Playout delay, relative to the sender's clock, that suffices for one retransmission: L + RTT +
 * 3/f (section 6.6), with RACK's recovery time if `constants` has it. NaN for a configuration that
 * livetcp_delay_model_solve() rejects. */
LIVETCP_API double livetcp_delay_static_playout_us(const livetcp_delay_model_config *config);

#ifdef __cplusplus
}
#endif

#endif
