/* SPDX-License-Identifier: MIT */
/* Detects new packets of a stream by sequence number, through wraps, jumps and restarts (RFC 3550,
 * A.1). */
#ifndef LT_RTP_SEQUENCE_TRACKER_H
#define LT_RTP_SEQUENCE_TRACKER_H

#include "rtp/window.h"

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_sequence_tracker {
    lt_window window;
    livetcp_usec new_us; /* arrival of the last new packet */

    /* A packet from elsewhere in the number space is on probation; a second one near it confirms
     * the jump. */
    bool on_probation;
    uint16_t probation_sequence;
    livetcp_usec probation_us;
} lt_sequence_tracker;

typedef enum lt_sequence_result {
    LT_SEQUENCE_NEW,
    LT_SEQUENCE_DUPLICATE,
    LT_SEQUENCE_LATE,   /* below the lowest number wanted, or too old to exclude a duplicate */
    LT_SEQUENCE_JUMP,   /* from elsewhere: on probation now, in place of an earlier one */
    LT_SEQUENCE_RESTART /* confirms the packet on probation; see lt_sequence_tracker_restart() */
} lt_sequence_result;

/* Starts a stream with this packet, which is not accepted yet. Returns its extended number. */
uint64_t lt_sequence_tracker_start(lt_sequence_tracker *tracker, uint16_t sequence,
                                   livetcp_usec now);

/* Classifies a packet; *extended is its number if it is NEW. `lowest` is the lowest extended number
 * still wanted. The caller accepts a NEW packet once it is certain to keep it. */
lt_sequence_result lt_sequence_tracker_classify(lt_sequence_tracker *tracker, uint16_t sequence,
                                                uint64_t lowest, livetcp_usec now,
                                                uint64_t *extended);

/* Classifies a packet known to be from elsewhere in the number space: JUMP, RESTART, or DUPLICATE
 * of the packet on probation. */
lt_sequence_result lt_sequence_tracker_classify_jump(lt_sequence_tracker *tracker,
                                                     uint16_t sequence, livetcp_usec now);

/* Further copies of this packet are duplicates. */
void lt_sequence_tracker_accept(lt_sequence_tracker *tracker, uint64_t extended, livetcp_usec now);

/* After RESTART: moves to the packet on probation. Returns its number, and that of the packet that
 * confirmed it; both are new then. */
void lt_sequence_tracker_restart(lt_sequence_tracker *tracker, uint16_t confirming,
                                 uint64_t *probation_extended, uint64_t *confirming_extended);

#endif
