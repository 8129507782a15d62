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

void lt_min_protection_add(lt_min_protection *protection, lt_protection packet)
{
    const lt_protection *min = &protection->min;
    int of_packet = rank(&packet), of_min = rank(min);

    if (!protection->begun || of_packet < of_min ||
        (of_packet == of_min && packet.copies < min->copies))
        protection->min = packet;
    protection->begun = true;
}

lt_protection lt_min_protection_take(lt_min_protection *protection)
{
    protection->begun = false;
    return protection->min;
}

uint8_t lt_protection_bits(const lt_protection *protection)
{
    unsigned bits = protection->copies > 1 ? LIVETCP_PROTECTION_COPIES : 0;

    bits |= protection->hedged ? LIVETCP_PROTECTION_HEDGE : 0;
    bits |= protection->parity ? LIVETCP_PROTECTION_PARITY : 0;
    return (uint8_t)bits;
}
