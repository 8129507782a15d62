/* SPDX-License-Identifier: MIT */
/* The playout delay that the mode asks for, within its bounds. */
#ifndef LT_PLAYOUT_DELAY_H
#define LT_PLAYOUT_DELAY_H

#include "playout/adaptive.h"

#include "playout/hold.h"

#include <livetcp/playout.h>

/* What the modes go by. */
typedef struct lt_delay_facts {
    const livetcp_playout_path *path;
    const lt_adaptive *adaptive;
    lt_hold *needs; /* of policy-aware */
    double packet_rate;
    livetcp_usec now;
} lt_delay_facts;

/* Over the least transit time. */
livetcp_usec lt_playout_delay(const livetcp_playout_config *config, const lt_delay_facts *facts);

#endif
