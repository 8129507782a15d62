/* SPDX-License-Identifier: MIT */
/*
 * A packet is lost on one connection and comes by way of another. What that takes, beyond the one
 * way that every packet takes:
 *
 * - hedge: its copy is sent when no acknowledgement has come for a round trip and hedge-delay.
 * - duplicate: nothing; the copies left at the same time.
 * - parity: the rest of its group, and the parity packet that follows at once.
 *
 * A few milliseconds more cover what scheduling and queues between the connections differ by.
 */
#include "playout/policy_aware.h"

#include "playout/static_delay.h"

#define SPREAD_US (10 * LIVETCP_USEC_MSEC)

livetcp_usec lt_policy_aware_delay(const livetcp_playout_path *path, double packet_rate)
{
    switch (path->repair) {
    case LIVETCP_PLAYOUT_REPAIR_HEDGE:
        return path->rtt_us > 0 ? path->rtt_us + path->hedge_delay_us : -1;
    case LIVETCP_PLAYOUT_REPAIR_DUPLICATE:
        if (path->copies >= 2)
            return SPREAD_US;
        break;
    case LIVETCP_PLAYOUT_REPAIR_PARITY:
        if (path->parity_group >= 2 && packet_rate > 0)
            return (livetcp_usec)(path->parity_group * LIVETCP_USEC_SEC / packet_rate) + SPREAD_US;
        break;
    case LIVETCP_PLAYOUT_REPAIR_TCP:
        break;
    }
    return lt_static_delay(path->rtt_us, packet_rate);
}
