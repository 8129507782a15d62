/* SPDX-License-Identifier: MIT */
/* Where talkspurts start: the silence before them may be made longer or shorter. */
#ifndef LT_PLAYOUT_TALKSPURT_H
#define LT_PLAYOUT_TALKSPURT_H

#include <livetcp/time.h>

#include <stdbool.h>

typedef struct lt_talkspurt {
    bool started;
    bool marked;  /* the latest packet had the marker */
    bool unheard; /* since unheard_us all packets were late */
    livetcp_usec unheard_us;
    unsigned unheard_packets;
} lt_talkspurt;

/* Whether the next packet by sequence starts one. `silence_us` is the media time between it and the
 * end of the one before, beyond what packets that are missing between them would fill. */
bool lt_talkspurt_starts(lt_talkspurt *talkspurt, bool marker, livetcp_usec silence_us,
                         livetcp_usec duration_us, livetcp_usec arrival_us);

/* A packet of it arrived in time, or late. */
void lt_talkspurt_heard(lt_talkspurt *talkspurt, bool late, livetcp_usec arrival_us);

#endif
