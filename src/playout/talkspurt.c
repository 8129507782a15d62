/* SPDX-License-Identifier: MIT */
/*
 * A talkspurt starts at a packet with the marker bit (RFC 3551, section 4.1), or after a gap in the
 * timestamps that missing packets do not explain. The marker carries no information if the sender
 * sets it on every packet.
 *
 * A talkspurt whose packets have all been too late for half a second is considered over: the next
 * packet may be placed anew, since the change is inaudible.
 */
#include "playout/talkspurt.h"

#define INAUDIBLE_US      (LIVETCP_USEC_SEC / 2)
#define INAUDIBLE_PACKETS 5

bool lt_talkspurt_starts(lt_talkspurt *talkspurt, bool marker, livetcp_usec silence_us,
                         livetcp_usec duration_us, livetcp_usec arrival_us)
{
    bool first = !talkspurt->started;
    bool marked = marker && !talkspurt->marked;
    bool silence = duration_us > 0 && silence_us > duration_us / 2;
    bool inaudible = talkspurt->inaudible && talkspurt->inaudible_packets >= INAUDIBLE_PACKETS &&
                     arrival_us - talkspurt->inaudible_us >= INAUDIBLE_US;

    talkspurt->started = true;
    talkspurt->marked = marker;
    if (!first && !marked && !silence && !inaudible)
        return false;
    talkspurt->inaudible = false;
    return true;
}

void lt_talkspurt_on_played(lt_talkspurt *talkspurt, bool late, livetcp_usec arrival_us)
{
    if (late && !talkspurt->inaudible) {
        talkspurt->inaudible_us = arrival_us;
        talkspurt->inaudible_packets = 0;
    }
    talkspurt->inaudible = late;
    talkspurt->inaudible_packets++;
}
