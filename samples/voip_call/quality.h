/* SPDX-License-Identifier: MIT */
/* How the call sounds here, in terms of the people who talk: how long a word takes from mouth to
 * ear, and where; what is missing; and a mark (MOS, 1 to 4.5) by the E-model, with its reason. */
#ifndef VOIP_CALL_QUALITY_H
#define VOIP_CALL_QUALITY_H

#include "voice.h"

#define QUALITY_WINDOW 10 /* seconds that are "now" */

/* Packets by what became of them, so far. */
typedef struct quality_counts {
    uint64_t played, late, lost;
    uint64_t corrected; /* of the late and lost, those that were played from the next packet */
} quality_counts;

typedef struct quality {
    /* The way of a word: from the peer's mouth to send(), on the path, waiting in queues and for
     * lost packets, waiting to be played, and on the way to the ear. Known from `seconds` on. */
    livetcp_usec speaking_us, path_us, waiting_us, playout_us, hearing_us;
    livetcp_usec mouth_to_ear_us; /* all of it */

    quality_counts counts;
    uint64_t concealed;    /* of the late and lost, those for which Opus had to guess */
    double loss_now, loss; /* shares of the packets that were concealed, 0..1 */
    double mos_now, mos;   /* of the last seconds, and of the call; 0 = not known yet */
    char reason[96];       /* why it is not good now; "" = it is good */

    /* of the call so far */
    unsigned seconds;        /* with a known delay: 0 = nothing is known yet */
    double mouth_to_ear_sum; /* us */
    livetcp_usec mouth_to_ear_max_us;
    quality_counts history[QUALITY_WINDOW];
    unsigned updates;
} quality;

/* Once a second. */
void quality_update(quality *q, const livetcp_session_stats *session,
                    const livetcp_playout_stats *playout, const voice_state *state);

/* Mean over the call; -1 = not known. */
livetcp_usec quality_mouth_to_ear(const quality *q);

/* "excellent", "good", "fair", "poor" or "bad", as the scale of P.800; "" for 0. */
const char *quality_word(double mos);

#endif
