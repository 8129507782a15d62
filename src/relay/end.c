/* SPDX-License-Identifier: MIT */
#include "relay/end.h"

const char *lt_relay_cause_name(lt_relay_cause cause)
{
    static const char *const names[LT_RELAY_CAUSES] = {
        [LT_RELAY_INVALID] = "invalid",   [LT_RELAY_TOO_LARGE] = "too-large",
        [LT_RELAY_UNWANTED] = "unwanted", [LT_RELAY_NOWHERE] = "nowhere",
        [LT_RELAY_BLOCKED] = "blocked",   [LT_RELAY_STRANGER] = "stranger",
        [LT_RELAY_FAILED] = "failed"};

    return names[cause];
}

bool lt_relay_lose(lt_relay_end *end, lt_relay_cause cause)
{
    const livetcp_usec now = lt_relay_now();

    end->counts.lost[cause]++;
    if (end->logged_us[cause] && now - end->logged_us[cause] < LT_RELAY_REPEAT_US)
        return false;
    end->logged_us[cause] = now;
    return true;
}
