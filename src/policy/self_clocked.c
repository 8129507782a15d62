/* SPDX-License-Identifier: MIT */
/*
 * A greedy source, as in Goel et al., section 3, keeps the send queue filled: the next packet is
 * handed over at the moment when the previous one leaves the send queue, and has to wait
 * nevertheless. Packets of live media arrive at the time of capture. One of them may coincide with
 * that moment, and packets that arrive together follow each other into a queue that is not empty;
 * neither lasts long.
 */
#include "policy/self_clocked.h"

#define AT_ONCE_US LIVETCP_USEC_MSEC

/* Two packets with their own timing outweigh more than a hundred without. */
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
