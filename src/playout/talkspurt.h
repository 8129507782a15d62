/* SPDX-License-Identifier: MIT */
/* Where talkspurts start: the silence before them may be made longer or shorter. */
#ifndef LT_PLAYOUT_TALKSPURT_H
#define LT_PLAYOUT_TALKSPURT_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_talkspurt {
    bool started;
    bool marked;    /* the latest packet had the marker */
    bool inaudible; /* since inaudible_us all packets were late */
    livetcp_usec inaudible_us;
    unsigned inaudible_packets;
} lt_talkspurt;

/* True if the next packet by sequence starts one. `silence_us` is the media time between it and the
 * end of the one before, minus the media time of missing packets between them. */
bool lt_talkspurt_starts(lt_talkspurt *talkspurt, bool marker, livetcp_usec silence_us,
                         livetcp_usec duration_us, livetcp_usec arrival_us);

/* A packet of the talkspurt arrived in time, or late. */
void lt_talkspurt_on_played(lt_talkspurt *talkspurt, bool late, livetcp_usec arrival_us);

#endif
