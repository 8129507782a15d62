/* SPDX-License-Identifier: MIT */
/* The playout delay that the repair of the sender's policy needs. */
#ifndef LT_PLAYOUT_POLICY_AWARE_H
#define LT_PLAYOUT_POLICY_AWARE_H

#include <livetcp/playout.h>

/* Over the least transit time; -1 if something it takes is not known. */
livetcp_usec lt_policy_aware_delay(const livetcp_playout_path *path, double packet_rate);

#endif
