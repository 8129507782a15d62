/* SPDX-License-Identifier: MIT */
/* Quality of the call for its users: mouth-to-ear delay and its components, missing sound, and a
 * mean opinion score (MOS, 1 to 4.5) by the E-model, with the reason for a low score. */
#ifndef VOIP_CALL_QUALITY_H
#define VOIP_CALL_QUALITY_H

#include "voice.h"

#define QUALITY_WINDOW 10 /* seconds that count as "now" */

/* Packets so far, by result. */
typedef struct quality_counts {
    uint64_t played, late, lost;
    uint64_t corrected; /* late or lost, and recovered from the next packet */
} quality_counts;

typedef struct quality {
    /* Delay components: at the speaker up to send(), on the path, in queues and for retransmission,
     * in the playout, at the listener. Valid once `seconds` > 0. */
    livetcp_usec speaking_us, path_us, waiting_us, playout_us, hearing_us;
    livetcp_usec mouth_to_ear_us; /* their sum */

    quality_counts counts;
    uint64_t concealed;    /* late or lost, and concealed by Opus */
    double loss_now, loss; /* shares of concealed packets, 0..1 */
    double mos_now, mos;   /* of the last seconds, and of the call; 0 = unknown */
    char reason[96];       /* why it is low now; "" = it is not */

    /* Of the call so far: */
    unsigned seconds;        /* seconds with a known delay; 0 = none */
    double mouth_to_ear_sum; /* in microseconds */
    livetcp_usec mouth_to_ear_max_us;
    quality_counts history[QUALITY_WINDOW];
    unsigned updates;
} quality;

/* Call once a second. */
void quality_update(quality *q, const livetcp_session_stats *session,
                    const livetcp_playout_stats *playout, const voice_state *state);

/* Mean over the call; -1 = unknown. */
livetcp_usec quality_mouth_to_ear(const quality *q);

/* "excellent", "good", "fair", "poor" or "bad" (ITU-T P.800); "" for 0. */
const char *quality_word(double mos);

#endif
