/* SPDX-License-Identifier: MIT */
/*
 * E. Brosh, S. Baset, D. Rubenstein, H. Schulzrinne, "The Delay-Friendliness of TCP" (SIGMETRICS
 * 2008), sections 6.6 and 8.2: a playout delay of L + RTT + 3/f. A loss is found by the third
 * duplicate acknowledgement, which three more packets (3/f) and a round trip cause. L, the one-way
 * delay, is in the least transit time already.
 */
#include "playout/static_delay.h"

livetcp_usec lt_static_delay(livetcp_usec rtt_us, double packet_rate)
{
    if (rtt_us <= 0 || !(packet_rate > 0))
        return -1;
    return rtt_us + (livetcp_usec)(3 * LIVETCP_USEC_SEC / packet_rate);
}
