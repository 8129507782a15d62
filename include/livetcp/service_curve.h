/* SPDX-License-Identifier: MIT */
/*
 * Service of a path with flow control, independent of the traffic: the service curve S(t) of
 * Lübben and Fidler, "A Benchmark for the Performance of Time-varying Closed-loop Flow Control with
 * Application to TCP", the attainable rate S(t)/t, and the delay bound for recorded traffic.
 *
 * `livetcp probe` measures the points that all of this is computed from. With violation probability
 * xi in each of n points, a statement about the whole curve is violated with n * xi at most (union
 * bound).
 *
 * Data is in bits and rates in bit/s; any other unit will do if it is the same all over, except
 * that a trace is in bytes and its envelope in bits. Functions of their arguments; any thread, as
 * long as none destroys an object that another one uses.
 */
#ifndef LIVETCP_SERVICE_CURVE_H
#define LIVETCP_SERVICE_CURVE_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rate at which the delays have a steady state, and the quantile of these delays. */
typedef struct livetcp_service_point {
    double rate;           /* bit/s, > 0 */
    livetcp_usec delay_us; /* (1 - xi)-quantile, >= 0 */
} livetcp_service_point;

/* S(t), bit: the minimum service in `t_us` (equation 7, with B = r * delay). 0 for t <= 0 and
 * without points. */
LIVETCP_API double livetcp_service(const livetcp_service_point *points, size_t count,
                                   livetcp_usec t_us);

/* alpha(t) = S(t)/t, bit/s (equation 8): the rate that an application may count on over any `t_us`.
 * 0 for t <= 0. */
LIVETCP_API double livetcp_attainable_rate(const livetcp_service_point *points, size_t count,
                                           livetcp_usec t_us);

/* The shortest t with S(t) >= bits, µs. INT64_MAX without points. */
LIVETCP_API livetcp_usec livetcp_service_time(const livetcp_service_point *points, size_t count,
                                              double bits);

/* One frame of a recorded stream. */
typedef struct livetcp_trace_frame {
    livetcp_usec time_us; /* when it is handed to TCP; any origin, not before the one ahead of it */
    uint64_t bytes;       /* > 0, at most 1 GiB */
} livetcp_trace_frame;

/* The empirical envelope of a trace (Wrege et al. 1996): E(t), the maximum that arrives in any
 * interval of length t. */
typedef struct livetcp_envelope livetcp_envelope;

/*
 * Makes the envelope of `count` frames, at least 1; copies them.
 *
 * On success *envelope belongs to the caller, livetcp_envelope_destroy(). On failure it is NULL:
 * LIVETCP_ERR_INVALID_ARGUMENT with a message that names the frame, LIVETCP_ERR_NO_MEMORY.
 */
LIVETCP_API livetcp_result livetcp_envelope_create(const livetcp_trace_frame *frames, size_t count,
                                                   livetcp_envelope **envelope,
                                                   livetcp_error *error);

/* NULL and a pointer to NULL are fine; clears *envelope. */
LIVETCP_API void livetcp_envelope_destroy(livetcp_envelope **envelope);

/* E(t), bit; 0 for t < 0. E(0) is the largest burst: all frames of one time. */
LIVETCP_API double livetcp_envelope_at(const livetcp_envelope *envelope, livetcp_usec t_us);

/* Mean rate of the trace, bit/s, over the time of its frames but the last; 0 for a single time. */
LIVETCP_API double livetcp_envelope_mean_rate(const livetcp_envelope *envelope);

/* The delay that no frame of such a stream exceeds, but for the violation probability of the curve:
 * the largest horizontal distance between E and S (equation 6), µs, >= 0. INT64_MAX where there is
 * none: no points, or the stream's mean rate is above every point's. */
LIVETCP_API livetcp_usec livetcp_delay_bound(const livetcp_service_point *points, size_t count,
                                             const livetcp_envelope *envelope);

/*
 * The delay bound of each frame of the trace, by equations 5 and 6: from the frames before it and
 * the curve. `bounds` holds one per frame of the trace; INT64_MAX where the stream exceeds the
 * curve. At most livetcp_delay_bound().
 */
LIVETCP_API void livetcp_delay_bounds(const livetcp_service_point *points, size_t count,
                                      const livetcp_envelope *envelope, livetcp_usec *bounds);

#ifdef __cplusplus
}
#endif

#endif
