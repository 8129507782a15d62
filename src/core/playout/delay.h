/* SPDX-License-Identifier: MIT */
/* The playout delay that the mode asks for, within its bounds. */
#ifndef LT_CORE_PLAYOUT_DELAY_H
#define LT_CORE_PLAYOUT_DELAY_H

#include "core/playout/adaptive.h"

#include <livetcp/playout.h>

/* Over the least transit time. */
livetcp_usec lt_playout_delay(const livetcp_playout_config *config,
                              const livetcp_playout_path *path, const lt_adaptive *adaptive,
                              double packet_rate);

#endif
