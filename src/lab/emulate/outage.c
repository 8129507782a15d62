/* SPDX-License-Identifier: MIT */
#include "lab/emulate/outage.h"

bool lt_outages_cover(const lt_outages *outages, livetcp_usec t)
{
    for (unsigned i = 0; i < outages->count; i++) {
        const lt_outage *outage = &outages->outage[i];
        livetcp_usec since = t - outage->start;
        if (since >= 0 && outage->every)
            since %= outage->every;
        if (since >= 0 && since < outage->length)
            return true;
    }
    return false;
}
