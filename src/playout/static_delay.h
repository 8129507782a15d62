/* SPDX-License-Identifier: MIT */
/* The playout delay that masks TCP's repair of one loss. */
#ifndef LT_PLAYOUT_STATIC_DELAY_H
#define LT_PLAYOUT_STATIC_DELAY_H

#include <livetcp/time.h>

/* RTT + 3/f over the least transit time; -1 if either is not known (0). */
livetcp_usec lt_static_delay(livetcp_usec rtt_us, double packet_rate);

#endif
