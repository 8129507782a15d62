/* SPDX-License-Identifier: MIT */
/* Times at which a link is cut. */
#ifndef LT_LAB_EMULATE_OUTAGE_H
#define LT_LAB_EMULATE_OUTAGE_H

#include <livetcp/base.h>

#include <stdbool.h>

enum { LT_MAX_OUTAGES = 8 };

typedef struct lt_outage {
    livetcp_usec start, length;
    livetcp_usec every; /* repetition interval after `start`; 0: once */
} lt_outage;

typedef struct lt_outages {
    unsigned count;
    lt_outage outage[LT_MAX_OUTAGES];
} lt_outages;

/* True if the link is cut at `t`, on the clock of `start`. */
bool lt_outages_cover(const lt_outages *outages, livetcp_usec t);

#endif
