/* SPDX-License-Identifier: MIT */
#include "engine/reports/protection.h"

#include <livetcp/engine.h>

#include <string.h>

/* Rank by speed of repair: see src/playout/delay.c. */
static int rank(const lt_protection *protection)
{
    if (protection->copies >= 2)
        return 3;
    if (protection->parity)
        return 2;
    return protection->hedged ? 1 : 0;
}

static unsigned kind(const lt_protection *protection)
{
    static const uint8_t kinds[] = {0, 1, 3, 2};

    return kinds[rank(protection)];
}

void lt_min_protection_shares(const lt_min_protection *protection, uint8_t shares[LT_PROTECTIONS])
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < LT_PROTECTIONS; i++)
        sum += protection->counts[i];
    for (unsigned i = 0; i < LT_PROTECTIONS; i++) {
        uint64_t share = sum ? (protection->counts[i] * UINT64_C(255) + sum / 2) / sum : 0;
        shares[i] = (uint8_t)(share || !protection->counts[i] ? share : 1);
    }
}

void lt_min_protection_add(lt_min_protection *protection, lt_protection packet)
{
    const lt_protection *min = &protection->min;
    int of_packet = rank(&packet), of_min = rank(min);

    if (!protection->has_packet || of_packet < of_min ||
        (of_packet == of_min && packet.copies < min->copies))
        protection->min = packet;
    protection->has_packet = true;
    protection->counts[kind(&packet)]++;
}

lt_protection lt_min_protection_take(lt_min_protection *protection)
{
    protection->has_packet = false;
    memset(protection->counts, 0, sizeof protection->counts);
    return protection->min;
}

uint8_t lt_protection_bits(const lt_protection *protection)
{
    unsigned bits = protection->copies > 1 ? LIVETCP_PROTECTION_COPIES : 0;

    bits |= protection->hedged ? LIVETCP_PROTECTION_HEDGE : 0;
    bits |= protection->parity ? LIVETCP_PROTECTION_PARITY : 0;
    return (uint8_t)bits;
}
