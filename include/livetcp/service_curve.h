/* SPDX-License-Identifier: MIT */
/*
 * Service of a path with flow control, independent of the traffic: the service curve S(t) of Lübben
 * and Fidler, "A Benchmark for the Performance of Time-varying Closed-loop Flow Control with
 * Application to TCP", the attainable rate S(t)/t, and the delay bound for recorded traffic.
 *
 * All of this is computed from points measured by `livetcp probe`. With a violation probability xi
 * in each of n points, a statement about the whole curve is violated with a probability of at most
 * n * xi (union bound).
 *
 * Data is in bits and rates in bit/s; another consistent unit is possible, except that a trace is
 * in bytes and its envelope in bits. Pure functions; any thread, unless another thread destroys an
 * object in use.
 */
#ifndef LIVETCP_SERVICE_CURVE_H
#define LIVETCP_SERVICE_CURVE_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rate at which delays are stationary, and a quantile of these delays. */
typedef struct livetcp_service_point {
    double rate;           /* bit/s, > 0 */
    livetcp_usec delay_us; /* (1 - xi)-quantile, >= 0 */
} livetcp_service_point;

/* S(t) in bits: the minimum service in `t_us` (equation 7, with B = r * delay). 0 for t <= 0, and
 * without points. */
LIVETCP_API double livetcp_service(const livetcp_service_point *points, size_t count,
                                   livetcp_usec t_us);

/* alpha(t) = S(t)/t in bit/s (equation 8): the rate available over any interval of `t_us`. 0 for t
 * <= 0. */
LIVETCP_API double livetcp_attainable_rate(const livetcp_service_point *points, size_t count,
                                           livetcp_usec t_us);

/* The shortest t with S(t) >= bits, in µs. INT64_MAX without points. */
LIVETCP_API livetcp_usec livetcp_service_time(const livetcp_service_point *points, size_t count,
                                              double bits);

/* A frame of a recorded stream. */
typedef struct livetcp_trace_frame {
    livetcp_usec time_us; /* time of passing it to TCP; any origin, ascending */
    uint64_t bytes;       /* > 0, at most 1 GiB */
} livetcp_trace_frame;

/* Empirical envelope of a trace (Wrege et al. 1996): E(t), the maximum amount of data in any
 * interval of length t. */
typedef struct livetcp_envelope livetcp_envelope;

/*
 * Computes the envelope of `count` frames, at least 1, which are copied.
 *
 * On success the caller owns *envelope; on failure it is NULL: LIVETCP_ERR_INVALID_ARGUMENT with a
 * message that names the frame, LIVETCP_ERR_NO_MEMORY.
 */
LIVETCP_API livetcp_result livetcp_envelope_create(const livetcp_trace_frame *frames, size_t count,
                                                   livetcp_envelope **envelope,
                                                   livetcp_error *error);

/* Frees the envelope and clears *envelope; both pointers may be NULL. */
LIVETCP_API void livetcp_envelope_destroy(livetcp_envelope **envelope);

/* E(t) in bits; 0 for t < 0. E(0) is the largest burst: all frames with one time. */
LIVETCP_API double livetcp_envelope_at(const livetcp_envelope *envelope, livetcp_usec t_us);

/* Mean rate of the trace in bit/s, over the time from the first to the last frame, without the
 * last; 0 for a single time. */
LIVETCP_API double livetcp_envelope_mean_rate(const livetcp_envelope *envelope);

/* Delay that no frame of such a stream exceeds, except with the violation probability of the curve:
 * the maximum horizontal distance between E and S (equation 6), in µs, >= 0. INT64_MAX if there is
 * none: no points, or a mean rate above every point's. */
LIVETCP_API livetcp_usec livetcp_delay_bound(const livetcp_service_point *points, size_t count,
                                             const livetcp_envelope *envelope);

/*
 * Delay bound of each frame of the trace, by equations 5 and 6, from the frames before it and the
 * curve. `bounds` has one element per frame; INT64_MAX where the stream exceeds the curve. At most
 * livetcp_delay_bound().
 */
LIVETCP_API void livetcp_delay_bounds(const livetcp_service_point *points, size_t count,
                                      const livetcp_envelope *envelope, livetcp_usec *bounds);

#ifdef __cplusplus
}
#endif

#endif
