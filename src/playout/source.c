/* SPDX-License-Identifier: MIT */
/*
 * rtp/sequence_tracker.c classifies sequence numbers. It never accepts a number twice, and so waits
 * before it accepts a sender that restarts at used numbers. Timestamps allow an earlier decision: a
 * different one under the same number, or a number from before the start, means such a sender.
 */
#include "playout/source.h"

#include "base/seq.h"

#include <string.h>

/* Maximum number of packets that overtake the first one of a stream. */
#define OVERTAKING 100

static uint64_t highest(const lt_playout_source *source)
{
    return source->tracker.window.highest + source->offset;
}

uint64_t lt_playout_source_start(lt_playout_source *source, const lt_rtp_header *header,
                                 livetcp_usec now)
{
    uint64_t offset = source->started ? ((highest(source) >> 16) + 1) << 16 : 0;

    memset(source, 0, sizeof *source);
    source->started = true;
    source->offset = offset;
    source->ssrc = header->ssrc;
    source->first = offset + lt_sequence_tracker_start(&source->tracker, header->sequence, now);
    return source->first;
}

static uint32_t *timestamp_of(lt_playout_source *source, uint64_t extended)
{
    return &source->timestamps[extended % LT_PLAYOUT_SOURCE_TIMESTAMPS];
}

static bool remembered(const lt_playout_source *source, uint64_t extended)
{
    return extended >= source->first && extended <= highest(source) &&
           highest(source) - extended < LT_PLAYOUT_SOURCE_TIMESTAMPS;
}

lt_playout_source_result lt_playout_source_classify(lt_playout_source *source,
                                                    const lt_rtp_header *header, livetcp_usec now,
                                                    uint64_t *extended)
{
    lt_sequence_result result;
    bool other = false;

    if (header->ssrc != source->ssrc)
        return LT_PLAYOUT_SOURCE_FOREIGN;
    result = lt_sequence_tracker_classify(&source->tracker, header->sequence, 0, now, extended);
    *extended += source->offset;
    if (result == LT_SEQUENCE_DUPLICATE)
        other =
            remembered(source, *extended) && *timestamp_of(source, *extended) != header->timestamp;
    else if (result == LT_SEQUENCE_NEW)
        other = *extended + OVERTAKING < source->first;
    if (other)
        result = lt_sequence_tracker_classify_jump(&source->tracker, header->sequence, now);
    switch (result) {
    case LT_SEQUENCE_NEW:
        return LT_PLAYOUT_SOURCE_NEW;
    case LT_SEQUENCE_JUMP:
        return LT_PLAYOUT_SOURCE_JUMP;
    case LT_SEQUENCE_RESTART:
        return LT_PLAYOUT_SOURCE_RESTART;
    default:
        return LT_PLAYOUT_SOURCE_DUPLICATE;
    }
}

void lt_playout_source_accept(lt_playout_source *source, uint64_t extended, uint32_t timestamp,
                              livetcp_usec now)
{
    lt_sequence_tracker_accept(&source->tracker, extended - source->offset, now);
    if (extended < source->first)
        source->first = extended;
    if (highest(source) - extended < LT_PLAYOUT_SOURCE_TIMESTAMPS)
        *timestamp_of(source, extended) = timestamp;
}

void lt_playout_source_restart(lt_playout_source *source, uint16_t confirming, uint64_t *jumped,
                               uint64_t *confirmed)
{
    lt_sequence_tracker_restart(&source->tracker, confirming, jumped, confirmed);
    *jumped += source->offset;
    *confirmed += source->offset;
    source->first = *jumped < *confirmed ? *jumped : *confirmed;
}
