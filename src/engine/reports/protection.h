/* SPDX-License-Identifier: MIT */
/* Protection of a packet against loss, and the weakest one of an interval: that of the packet which
 * would wait longest for its repair. */
#ifndef LT_ENGINE_REPORTS_PROTECTION_H
#define LT_ENGINE_REPORTS_PROTECTION_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds: none, hedged, copies, parity. A packet counts with the one that repairs it first. */
#define LT_PROTECTIONS 4

/* Zeroed = none. */
typedef struct lt_protection {
    uint8_t copies; /* placed at once */
    bool hedged;    /* reinjected when its acknowledgement is overdue */
    bool parity;    /* in a parity group */
} lt_protection;

/* The least protected packet of the current interval; before its first packet, that of the previous
 * one. */
typedef struct lt_min_protection {
    lt_protection min;
    bool has_packet;                 /* the interval has a packet */
    uint32_t counts[LT_PROTECTIONS]; /* packets of the interval by kind */
} lt_min_protection;

void lt_min_protection_add(lt_min_protection *protection, lt_protection packet);

/* Shares of the interval's packets by kind, in units of 1/255. A kind with packets is never 0; all
 * are 0 without packets. */
void lt_min_protection_shares(const lt_min_protection *protection, uint8_t shares[LT_PROTECTIONS]);

/* Ends the interval, and returns its weakest protection. */
lt_protection lt_min_protection_take(lt_min_protection *protection);

/* The bits LIVETCP_PROTECTION_*. */
uint8_t lt_protection_bits(const lt_protection *protection);

#endif
