/* SPDX-License-Identifier: MIT */
/* Starts of talkspurts, before which the silence may be lengthened or shortened. */
#ifndef LT_PLAYOUT_TALKSPURT_H
#define LT_PLAYOUT_TALKSPURT_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_talkspurt {
    bool started;
    bool marked;    /* the last packet had the marker */
    bool inaudible; /* all packets since inaudible_us were late */
    livetcp_usec inaudible_us;
    unsigned inaudible_packets;
} lt_talkspurt;

/* True if the next packet in sequence starts a talkspurt. `silence_us` is the media time from the
 * end of the previous packet to it, minus that of missing packets between them. */
bool lt_talkspurt_starts(lt_talkspurt *talkspurt, bool marker, livetcp_usec silence_us,
                         livetcp_usec duration_us, livetcp_usec arrival_us);

/* A packet of the talkspurt arrived, in time or late. */
void lt_talkspurt_on_played(lt_talkspurt *talkspurt, bool late, livetcp_usec arrival_us);

#endif
