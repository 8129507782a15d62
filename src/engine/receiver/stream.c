/* SPDX-License-Identifier: MIT */
/*
 * Whether a packet of a stream is new. RFC 3550 A.1 with three changes, since packets come over
 * several connections, which may be seconds apart, and some come twice:
 *
 * - MAX_MISORDER is not 100 but the whole window, and what lies behind the window is late, not a
 *   sign of a restart. A sender that starts over at lower numbers is believed only after nothing
 *   new has come for a while, so that a stalled connection's old packets are never delivered twice.
 * - Two packets confirm a jump if they are near each other; they need not be neighbours, because
 *   the packets between them may be on other connections.
 * - The first packet after a jump is kept until the second confirms it, and is not lost.
 */
#include "engine/receiver/stream.h"

#include "base/seq.h"

#include <stdlib.h>

/* How far apart two packets may be to confirm a jump (MAX_MISORDER, RFC 3550 A.1). */
#define NEAR 100

/* How long nothing new must have come before packets from behind may mean a restart: those behind
 * the window, and those in it. The latter is as long as a connection lives without progress, so
 * they cannot be what a stalled one still had. */
#define QUIET_BEHIND_US (2 * LIVETCP_USEC_SEC)
#define QUIET_WINDOW_US (10 * LIVETCP_USEC_SEC)

/* A candidate that was not confirmed within this is forgotten. */
#define CANDIDATE_US (10 * LIVETCP_USEC_SEC)

lt_stream *lt_stream_create(uint32_t ssrc, uint16_t sequence, livetcp_usec now)
{
    lt_stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->ssrc = ssrc;
    stream->new_us = now;
    lt_window_start(&stream->window, sequence);
    return stream;
}

void lt_stream_destroy(lt_stream **stream)
{
    if (*stream)
        lt_held_destroy(&(*stream)->candidate);
    free(*stream);
    *stream = NULL;
}

/* The lowest number that may still be delivered. */
static uint64_t lowest_wanted(const lt_stream *stream)
{
    uint64_t lowest = stream->floor;

    if (!stream->starting)
        return stream->next;
    if (stream->held.count && stream->held.highest + 1 > lowest + LT_HOLDBACK_SPAN)
        lowest = stream->held.highest + 1 - LT_HOLDBACK_SPAN;
    return lowest;
}

lt_verdict lt_stream_weigh_jump(lt_stream *stream, uint16_t sequence, livetcp_usec now)
{
    int distance = lt_seq_distance(stream->candidate_sequence, sequence);

    if (stream->has_candidate && now - stream->candidate_us < CANDIDATE_US) {
        if (distance == 0)
            return LT_VERDICT_DUPLICATE;
        if (distance >= -NEAR && distance <= NEAR)
            return LT_VERDICT_RESTART;
    }
    stream->has_candidate = true;
    stream->candidate_sequence = sequence;
    stream->candidate_us = now;
    return LT_VERDICT_JUMP;
}

lt_verdict lt_stream_judge(lt_stream *stream, uint16_t sequence, livetcp_usec now,
                           uint64_t *extended)
{
    livetcp_usec quiet_us = now - stream->new_us;
    lt_verdict verdict = LT_VERDICT_LATE;

    switch (lt_window_find(&stream->window, sequence, extended)) {
    case LT_WINDOW_NEW:
        if (*extended >= lowest_wanted(stream))
            return LT_VERDICT_NEW;
        if (quiet_us >= QUIET_WINDOW_US)
            break;
        lt_window_mark(&stream->window, *extended); /* its next copy is a duplicate */
        return LT_VERDICT_LATE;
    case LT_WINDOW_SEEN:
        if (quiet_us >= QUIET_WINDOW_US)
            break;
        return LT_VERDICT_DUPLICATE;
    case LT_WINDOW_BEHIND:
        if (quiet_us >= QUIET_BEHIND_US)
            break;
        return verdict;
    case LT_WINDOW_JUMP:
        break;
    }
    return lt_stream_weigh_jump(stream, sequence, now);
}

void lt_stream_accept(lt_stream *stream, uint64_t extended, livetcp_usec now)
{
    lt_window_mark(&stream->window, extended);
    stream->new_us = now;
}

lt_held *lt_stream_restart(lt_stream *stream, uint16_t confirming, uint64_t *candidate_extended,
                           uint64_t *confirming_extended)
{
    lt_held *candidate = stream->candidate;

    *candidate_extended = lt_window_move(&stream->window, stream->candidate_sequence);
    *confirming_extended = lt_seq_extend(*candidate_extended, confirming);
    stream->candidate = NULL;
    stream->has_candidate = false;
    return candidate;
}
