/* SPDX-License-Identifier: MIT */
/* Expected delay of packets of the send queue, from the connections' state: DESIGN's inferred
 * delay. */
#ifndef LT_ENGINE_SENDER_SEND_DELAY_H
#define LT_ENGINE_SENDER_SEND_DELAY_H

#include <livetcp/policy.h>

typedef struct lt_send_delay {
    bool usable; /* a connection is there at all; else the rest is zero */
    bool idle; /* a connection has nothing in its send buffer: only a packet sent on it shows if the
                  path is still as slow as in its last path info */
    /* From now to the delivery of a packet that is written now, on the best connection: */
    livetcp_usec base_us;     /* with the repairs under way and all queues as they are, */
    livetcp_usec forecast_us; /* with half of the path's standing queues, */
    livetcp_usec floor_us;    /* on a path without queues, and without repairs */
    uint64_t rate;            /* bytes of the send queue per second; 0 = unknown */
} lt_send_delay;

/* From the paths' present state. Together they carry no more than `carries`, bytes per second; 0 =
 * not known. Each byte of the queue is written 1 + `extra` times: `extra` is the policy's share of
 * copies. */
lt_send_delay lt_send_delay_measure(const livetcp_path *paths, unsigned count, uint64_t carries,
                                    double extra, livetcp_usec now);

/* When a packet with so many bytes ahead of it in the send queue would be delivered, as a delay
 * from now. Unknown parts count as zero. */
livetcp_usec lt_send_delay_behind(const lt_send_delay *delay, uint64_t ahead_bytes);

/* Bytes that the connections take in `wait_us` (0 and more); INT64_MAX if that is unknown. */
int64_t lt_send_delay_bytes(const lt_send_delay *delay, livetcp_usec wait_us);

#endif
