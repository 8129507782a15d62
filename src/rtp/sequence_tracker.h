/* SPDX-License-Identifier: MIT */
/* Detects new packets of a stream by sequence number, through wraps, jumps and restarts (RFC 3550
 * A.1). */
#ifndef LT_RTP_SEQUENCE_TRACKER_H
#define LT_RTP_SEQUENCE_TRACKER_H

#include "rtp/window.h"

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_sequence_tracker {
    lt_window window;
    livetcp_usec new_us; /* when a new packet came last */

    /* A packet from elsewhere in the number space; a second one near it confirms the jump. */
    bool on_probation;
    uint16_t probation_sequence;
    livetcp_usec probation_us;
} lt_sequence_tracker;

typedef enum lt_sequence_result {
    LT_SEQUENCE_NEW,
    LT_SEQUENCE_DUPLICATE,
    LT_SEQUENCE_LATE, /* below the lowest number wanted, or too far back to rule out a duplicate */
    LT_SEQUENCE_JUMP, /* from elsewhere: on probation from now on, instead of one before it */
    LT_SEQUENCE_RESTART /* confirms the one on probation: see lt_sequence_tracker_restart() */
} lt_sequence_result;

/* A stream that starts with this packet, which is still to be accepted; returns its extended
 * number. */
uint64_t lt_sequence_tracker_start(lt_sequence_tracker *tracker, uint16_t sequence,
                                   livetcp_usec now);

/* Classifies one packet; *extended is its number if it is NEW. `lowest` is the lowest extended
 * number that is still wanted. The caller accepts a NEW packet once it is sure to keep it. */
lt_sequence_result lt_sequence_tracker_classify(lt_sequence_tracker *tracker, uint16_t sequence,
                                                uint64_t lowest, livetcp_usec now,
                                                uint64_t *extended);

/* A packet that is known to come from elsewhere in the number space: JUMP or RESTART, or DUPLICATE
 * of the one on probation. */
lt_sequence_result lt_sequence_tracker_classify_jump(lt_sequence_tracker *tracker,
                                                     uint16_t sequence, livetcp_usec now);

/* Copies of this packet are duplicates from now on. */
void lt_sequence_tracker_accept(lt_sequence_tracker *tracker, uint64_t extended, livetcp_usec now);

/* After RESTART: moves to the packet on probation. Returns its number and that of the packet that
 * confirmed it; both are new then. */
void lt_sequence_tracker_restart(lt_sequence_tracker *tracker, uint16_t confirming,
                                 uint64_t *probation_extended, uint64_t *confirming_extended);

#endif
