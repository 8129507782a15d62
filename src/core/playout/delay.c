/* SPDX-License-Identifier: MIT */
/* One mode, one formula; what cannot be computed yet is latency_us. */
#include "core/playout/delay.h"

#include "core/playout/policy_aware.h"
#include "core/playout/static_delay.h"

/* Talkspurts are placed for as long as they last, so they follow a spike; frames are placed one by
 * one, and would be slowed down for a spike that is over before it helps. */
static livetcp_usec measured(const livetcp_playout_config *config, const lt_adaptive *adaptive)
{
    return lt_adaptive_delay(adaptive, config->media == LIVETCP_PLAYOUT_VIDEO);
}

livetcp_usec lt_playout_delay(const livetcp_playout_config *config,
                              const livetcp_playout_path *path, const lt_adaptive *adaptive,
                              double packet_rate)
{
    livetcp_usec delay = -1;

    switch (config->mode) {
    case LIVETCP_PLAYOUT_NONE:
        return 0;
    case LIVETCP_PLAYOUT_FIXED:
        break;
    case LIVETCP_PLAYOUT_STATIC:
        delay = lt_static_delay(path->rtt_us, packet_rate);
        break;
    case LIVETCP_PLAYOUT_ADAPTIVE:
        delay = measured(config, adaptive);
        break;
    case LIVETCP_PLAYOUT_POLICY_AWARE:
        delay = lt_policy_aware_delay(path, packet_rate);
        break;
    }
    if (delay < 0)
        delay = config->latency_us;
    if (delay > config->max_latency_us)
        return config->max_latency_us;
    return delay < config->min_latency_us ? config->min_latency_us : delay;
}
