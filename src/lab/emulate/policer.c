/* SPDX-License-Identifier: MIT */
#include "lab/emulate/policer.h"

void lt_policer_init(lt_policer *policer, const lt_policer_params *params, livetcp_usec now)
{
    *policer = (lt_policer){.tokens = (double)params->burst, .seen = now};
}

bool lt_policer_pass(lt_policer *policer, const lt_policer_params *params, livetcp_usec now,
                     size_t size)
{
    policer->tokens += (double)params->rate / 8 * (double)(now - policer->seen) / LIVETCP_USEC_SEC;
    policer->seen = now;
    if (policer->tokens > (double)params->burst)
        policer->tokens = (double)params->burst;
    if (policer->tokens < (double)size)
        return false;
    policer->tokens -= (double)size;
    return true;
}
