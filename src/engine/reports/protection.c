/* SPDX-License-Identifier: MIT */
#include "engine/reports/protection.h"

#include <livetcp/stats.h>

/* In order of how soon a loss is repaired: see playout/policy_aware.c. */
static int rank(const lt_protection *protection)
{
    if (protection->copies >= 2)
        return 3;
    if (protection->parity)
        return 2;
    return protection->hedged ? 1 : 0;
}

void lt_least_protection_take(lt_least_protection *least, lt_protection packet)
{
    int of_packet = rank(&packet), of_least = rank(&least->least);

    if (!least->begun || of_packet < of_least ||
        (of_packet == of_least && packet.copies < least->least.copies))
        least->least = packet;
    least->begun = true;
}

lt_protection lt_least_protection_tell(lt_least_protection *least)
{
    least->begun = false;
    return least->least;
}

uint8_t lt_protection_bits(const lt_protection *protection)
{
    unsigned bits = protection->copies > 1 ? LIVETCP_PROTECTION_COPIES : 0;

    bits |= protection->hedged ? LIVETCP_PROTECTION_HEDGE : 0;
    bits |= protection->parity ? LIVETCP_PROTECTION_PARITY : 0;
    return (uint8_t)bits;
}
