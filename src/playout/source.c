/* SPDX-License-Identifier: MIT */
/*
 * Sequence numbers are judged as engine/receiver/stream.c does, which is careful not to deliver
 * anything twice and so waits before it believes a sender that starts over at numbers it has used.
 * Timestamps tell more: another one under the same number, or a number from before the start, is
 * such a sender.
 */
#include "playout/source.h"

#include "base/seq.h"

#include <string.h>

/* Packets that may overtake the first of a stream. */
#define OVERTAKING 100

static uint64_t highest(const lt_playout_source *source)
{
    return source->stream.window.highest + source->laps;
}

uint64_t lt_playout_source_start(lt_playout_source *source, const lt_rtp_header *header,
                                 livetcp_usec now)
{
    uint64_t laps = source->started ? ((highest(source) >> 16) + 1) << 16 : 0;

    memset(source, 0, sizeof *source);
    source->started = true;
    source->laps = laps;
    source->stream.ssrc = header->ssrc;
    source->stream.new_us = now;
    source->first = laps + lt_window_start(&source->stream.window, header->sequence);
    return source->first;
}

static uint32_t *stamp_of(lt_playout_source *source, uint64_t extended)
{
    return &source->stamps[extended % LT_PLAYOUT_SOURCE_STAMPS];
}

static bool remembered(const lt_playout_source *source, uint64_t extended)
{
    return extended >= source->first && extended <= highest(source) &&
           highest(source) - extended < LT_PLAYOUT_SOURCE_STAMPS;
}

lt_playout_source_verdict lt_playout_source_judge(lt_playout_source *source,
                                                  const lt_rtp_header *header, livetcp_usec now,
                                                  uint64_t *extended)
{
    lt_verdict verdict;
    bool other = false;

    if (header->ssrc != source->stream.ssrc)
        return LT_PLAYOUT_SOURCE_FOREIGN;
    verdict = lt_stream_judge(&source->stream, header->sequence, now, extended);
    *extended += source->laps;
    if (verdict == LT_VERDICT_DUPLICATE)
        other = remembered(source, *extended) && *stamp_of(source, *extended) != header->timestamp;
    else if (verdict == LT_VERDICT_NEW)
        other = *extended + OVERTAKING < source->first;
    if (other)
        verdict = lt_stream_weigh_jump(&source->stream, header->sequence, now);
    switch (verdict) {
    case LT_VERDICT_NEW:
        return LT_PLAYOUT_SOURCE_NEW;
    case LT_VERDICT_JUMP:
        return LT_PLAYOUT_SOURCE_JUMP;
    case LT_VERDICT_RESTART:
        return LT_PLAYOUT_SOURCE_RESTART;
    default:
        return LT_PLAYOUT_SOURCE_DUPLICATE;
    }
}

void lt_playout_source_accept(lt_playout_source *source, uint64_t extended, uint32_t timestamp,
                              livetcp_usec now)
{
    lt_stream_accept(&source->stream, extended - source->laps, now);
    if (extended < source->first)
        source->first = extended;
    if (highest(source) - extended < LT_PLAYOUT_SOURCE_STAMPS)
        *stamp_of(source, extended) = timestamp;
}

void lt_playout_source_restart(lt_playout_source *source, uint16_t confirming, uint64_t *jumped,
                               uint64_t *confirmed)
{
    lt_stream_restart(&source->stream, confirming, jumped, confirmed);
    *jumped += source->laps;
    *confirmed += source->laps;
    source->first = *jumped < *confirmed ? *jumped : *confirmed;
}
