/* SPDX-License-Identifier: MIT */
/*
 * A greedy source, as that of Goel et al., section 3, fills the send queue: the next packet is
 * handed over at the moment when the one before leaves the send queue, and has to wait all the
 * same. Packets of live media come at the time of capture. One of them may meet that moment, and
 * packets that come together follow each other into a queue that is not empty; neither goes on for
 * long.
 */
#include "policy/self_clocked.h"

#define AT_ONCE_US LIVETCP_USEC_MSEC

/* Two packets that came by themselves weigh more than a hundred that did not. */
#define MOST   100
#define ENOUGH 50

void lt_self_clocked_placed(lt_self_clocked *source, const livetcp_packet_view *packet,
                            livetcp_usec now)
{
    livetcp_usec after = packet->enqueued_us - source->left_us;

    if (packet->rtcp || packet->parity)
        return;
    if (after < 0 || after > AT_ONCE_US)
        source->score /= 2;
    else if (now > packet->enqueued_us && source->score < MOST)
        source->score++;
    source->left_us = now;
}

bool lt_self_clocked_is(const lt_self_clocked *source)
{
    return source->score >= ENOUGH;
}
