/* SPDX-License-Identifier: MIT */
/* One mode, one formula; what cannot be computed yet is latency_us. */
#include "playout/delay.h"

#include "playout/policy_aware.h"
#include "playout/static_delay.h"

/* Talkspurts are placed for as long as they last, so they follow a spike; frames are placed one by
 * one, and would be slowed down for a spike that is over before it helps. */
static livetcp_usec measured(const livetcp_playout_config *config, const lt_adaptive *adaptive)
{
    return lt_adaptive_delay(adaptive, config->media == LIVETCP_PLAYOUT_VIDEO);
}

/* "auto" and others decide packet by packet how to protect, and what they tell is of one of them.
 */
static livetcp_usec policy_aware(const lt_delay_facts *facts)
{
    livetcp_usec need = lt_policy_aware_delay(facts->path, facts->packet_rate);

    return need < 0 ? need : lt_hold_need(facts->needs, need, facts->now);
}

livetcp_usec lt_playout_delay(const livetcp_playout_config *config, const lt_delay_facts *facts)
{
    livetcp_usec delay = -1;

    switch (config->mode) {
    case LIVETCP_PLAYOUT_NONE:
        return 0;
    case LIVETCP_PLAYOUT_FIXED:
        break;
    case LIVETCP_PLAYOUT_STATIC:
        delay = lt_static_delay(facts->path->rtt_us, facts->packet_rate);
        break;
    case LIVETCP_PLAYOUT_ADAPTIVE:
        delay = measured(config, facts->adaptive);
        break;
    case LIVETCP_PLAYOUT_POLICY_AWARE:
        delay = policy_aware(facts);
        break;
    }
    if (delay < 0)
        delay = config->latency_us;
    if (delay > config->max_latency_us)
        return config->max_latency_us;
    return delay < config->min_latency_us ? config->min_latency_us : delay;
}
