/* SPDX-License-Identifier: MIT */
/* Expected delay of packets in the send queue, inferred from the connections' state. */
#ifndef LT_ENGINE_SENDER_SEND_DELAY_H
#define LT_ENGINE_SENDER_SEND_DELAY_H

#include <livetcp/policy.h>

typedef struct lt_send_delay {
    bool usable; /* there is a connection; otherwise the rest is zero */
    bool idle; /* a connection has an empty send buffer: only a packet sent on it can show that the
                  path is faster than in its last path info */
    /* Time to the delivery of a packet that is written now, on the best connection: */
    livetcp_usec base_us;     /* with repairs in progress and all queues, */
    livetcp_usec forecast_us; /* with half of the path's standing queues, */
    livetcp_usec floor_us;    /* without queues and repairs */
    uint64_t rate;            /* bytes of the send queue per second; 0 = unknown */
    uint64_t rest;            /* of these, what audio to come leaves */
} lt_send_delay;

/* Rates that the connections' state does not show. */
typedef struct lt_send_rates {
    uint64_t carries; /* bytes per second of all connections together at most; 0 = unknown */
    uint64_t audio;   /* bytes per second that go before all else */
    double extra;     /* each byte of the queue is written 1 + this times, for copies */
} lt_send_rates;

lt_send_delay lt_send_delay_measure(const livetcp_path *paths, unsigned count,
                                    const lt_send_rates *rates, livetcp_usec now);

/* Time to the delivery of a packet with `ahead_bytes` before it in the send queue. Unknown parts
 * count as zero. */
livetcp_usec lt_send_delay_behind(const lt_send_delay *delay, uint64_t ahead_bytes);

/* Bytes that the connections take before a packet within `wait_us` (0 or more); INT64_MAX =
 * unknown. */
int64_t lt_send_delay_bytes(const lt_send_delay *delay, bool is_audio, livetcp_usec wait_us);

#endif
