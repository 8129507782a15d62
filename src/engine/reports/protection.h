/* SPDX-License-Identifier: MIT */
/* The protection of a packet against loss, and of the packet of an interval that would wait longest
 * for its repair. */
#ifndef LT_ENGINE_REPORTS_PROTECTION_H
#define LT_ENGINE_REPORTS_PROTECTION_H

#include <stdbool.h>
#include <stdint.h>

/* Without any, hedged, copies, parity: a packet's is the one that repairs it first. */
#define LT_PROTECTIONS 4

/* Zero is none. */
typedef struct lt_protection {
    uint8_t copies; /* sent at once */
    bool hedged;    /* reinjected when its acknowledgement is overdue */
    bool parity;    /* in a parity group */
} lt_protection;

/* The least protected packet of the interval; until the interval has one, that of the last. */
typedef struct lt_min_protection {
    lt_protection min;
    bool begun;                      /* the interval has one */
    uint32_t counts[LT_PROTECTIONS]; /* packets of the interval by protection */
} lt_min_protection;

void lt_min_protection_add(lt_min_protection *protection, lt_protection packet);

/* The shares of the interval's packets by protection, in parts of 255; none of them that has a
 * packet is 0. All are 0 if the interval has no packet. */
void lt_min_protection_shares(const lt_min_protection *protection, uint8_t shares[LT_PROTECTIONS]);

/* The result of the interval, which ends. */
lt_protection lt_min_protection_take(lt_min_protection *protection);

/* LIVETCP_PROTECTION_* */
uint8_t lt_protection_bits(const lt_protection *protection);

#endif
