/* SPDX-License-Identifier: MIT */
/* The remainder of each division by the rate is carried to the next packet, so that n packets take
 * exactly n * size * 8 / rate. */
#include "lab/emulate/transmitter.h"

enum { NSEC_PER_USEC = 1000 };
#define NSEC_PER_SEC UINT64_C(1000000000)

/* As in Mahimahi's link queue: a packet may take several opportunities, and several packets may
 * share one if they follow each other. */
static int64_t send_by_trace(lt_transmitter *t, int64_t start, bool idle, size_t size)
{
    livetcp_usec at = start / NSEC_PER_USEC - t->origin;

    if (idle) {
        const uint64_t first = lt_rate_trace_after(t->trace, at);
        t->left = 0;
        if (t->opportunity < first)
            t->opportunity = first;
    }
    while (size) {
        if (!t->left) {
            at = lt_rate_trace_time(t->trace, t->opportunity++);
            t->left = LT_OPPORTUNITY_BYTES;
        }
        const unsigned part = size < t->left ? (unsigned)size : t->left;
        t->left -= part;
        size -= part;
    }
    return (t->origin + at) * NSEC_PER_USEC;
}

int64_t lt_transmitter_send(lt_transmitter *t, int64_t start, bool idle, size_t size)
{
    if (t->trace)
        return send_by_trace(t, start, idle, size);
    if (!t->rate)
        return start;
    if (idle)
        t->carry = 0;
    const uint64_t work = (uint64_t)size * 8 * NSEC_PER_SEC + t->carry;
    t->carry = work % t->rate;
    return start + (int64_t)(work / t->rate);
}
