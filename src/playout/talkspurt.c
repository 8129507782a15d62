/* SPDX-License-Identifier: MIT */
/*
 * A talkspurt starts at a packet with the marker (RFC 3551, section 4.1), or after a gap in the
 * timestamps that missing packets do not explain. A sender that sets the marker on every packet
 * says nothing with it.
 *
 * One of which nothing has been heard for half a second, because all of it came too late, is over:
 * the next packet may be placed anew, since no listener can tell.
 */
#include "playout/talkspurt.h"

#define UNHEARD_US      (LIVETCP_USEC_SEC / 2)
#define UNHEARD_PACKETS 5

bool lt_talkspurt_starts(lt_talkspurt *talkspurt, bool marker, livetcp_usec silence_us,
                         livetcp_usec duration_us, livetcp_usec arrival_us)
{
    bool first = !talkspurt->started;
    bool marked = marker && !talkspurt->marked;
    bool silence = duration_us > 0 && silence_us > duration_us / 2;
    bool unheard = talkspurt->unheard && talkspurt->unheard_packets >= UNHEARD_PACKETS &&
                   arrival_us - talkspurt->unheard_us >= UNHEARD_US;

    talkspurt->started = true;
    talkspurt->marked = marker;
    if (!first && !marked && !silence && !unheard)
        return false;
    talkspurt->unheard = false;
    return true;
}

void lt_talkspurt_heard(lt_talkspurt *talkspurt, bool late, livetcp_usec arrival_us)
{
    if (late && !talkspurt->unheard) {
        talkspurt->unheard_us = arrival_us;
        talkspurt->unheard_packets = 0;
    }
    talkspurt->unheard = late;
    talkspurt->unheard_packets++;
}
