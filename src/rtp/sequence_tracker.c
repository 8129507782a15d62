/* SPDX-License-Identifier: MIT */
/*
 * RFC 3550, A.1 with two changes, since packets arrive over several connections whose delays may
 * differ by seconds, and some arrive twice:
 *
 * - MAX_MISORDER is the whole window instead of 100, and a packet behind the window is late, not a
 *   sign of a restart. A restart at lower numbers is accepted only after a time without new
 *   packets, so that old packets of a stalled connection are never accepted twice.
 * - Two packets confirm a jump if they are near each other. They need not be consecutive, since the
 *   packets between them may be on other connections.
 */
#include "rtp/sequence_tracker.h"

#include "base/seq.h"

/* Maximum distance of two packets that confirm a jump (MAX_MISORDER in RFC 3550, A.1). */
#define MAX_MISORDER 100

/* Time without new packets after which old numbers may mean a restart: numbers behind the window,
 * and numbers within it. The latter exceeds the lifetime of a connection without progress, so they
 * cannot come from a stalled one. */
#define QUIET_BEHIND_US (2 * LIVETCP_USEC_SEC)
#define QUIET_WINDOW_US (10 * LIVETCP_USEC_SEC)

/* A jump that is not confirmed within this time is forgotten. */
#define PROBATION_US (10 * LIVETCP_USEC_SEC)

uint64_t lt_sequence_tracker_start(lt_sequence_tracker *tracker, uint16_t sequence,
                                   livetcp_usec now)
{
    tracker->new_us = now;
    tracker->on_probation = false;
    return lt_window_start(&tracker->window, sequence);
}

lt_sequence_result lt_sequence_tracker_classify_jump(lt_sequence_tracker *tracker,
                                                     uint16_t sequence, livetcp_usec now)
{
    int distance = lt_seq_distance(tracker->probation_sequence, sequence);

    if (tracker->on_probation && now - tracker->probation_us < PROBATION_US) {
        if (distance == 0)
            return LT_SEQUENCE_DUPLICATE;
        if (distance >= -MAX_MISORDER && distance <= MAX_MISORDER)
            return LT_SEQUENCE_RESTART;
    }
    tracker->on_probation = true;
    tracker->probation_sequence = sequence;
    tracker->probation_us = now;
    return LT_SEQUENCE_JUMP;
}

lt_sequence_result lt_sequence_tracker_classify(lt_sequence_tracker *tracker, uint16_t sequence,
                                                uint64_t lowest, livetcp_usec now,
                                                uint64_t *extended)
{
    livetcp_usec quiet_us = now - tracker->new_us;

    switch (lt_window_find(&tracker->window, sequence, extended)) {
    case LT_WINDOW_NEW:
        if (*extended >= lowest)
            return LT_SEQUENCE_NEW;
        if (quiet_us >= QUIET_WINDOW_US)
            break;
        lt_window_mark(&tracker->window, *extended); /* its next copy is a duplicate */
        return LT_SEQUENCE_LATE;
    case LT_WINDOW_SEEN:
        if (quiet_us >= QUIET_WINDOW_US)
            break;
        return LT_SEQUENCE_DUPLICATE;
    case LT_WINDOW_BEHIND:
        if (quiet_us >= QUIET_BEHIND_US)
            break;
        return LT_SEQUENCE_LATE;
    case LT_WINDOW_JUMP:
        break;
    }
    return lt_sequence_tracker_classify_jump(tracker, sequence, now);
}

void lt_sequence_tracker_accept(lt_sequence_tracker *tracker, uint64_t extended, livetcp_usec now)
{
    lt_window_mark(&tracker->window, extended);
    tracker->new_us = now;
}

void lt_sequence_tracker_restart(lt_sequence_tracker *tracker, uint16_t confirming,
                                 uint64_t *probation_extended, uint64_t *confirming_extended)
{
    *probation_extended = lt_window_move(&tracker->window, tracker->probation_sequence);
    *confirming_extended = lt_seq_extend(*probation_extended, confirming);
    tracker->on_probation = false;
}
