/* SPDX-License-Identifier: MIT */
/* Streams with broken references: a small table with linear search. */
#include "engine/sender/keyframes.h"

#include "engine/sender/shedding.h"

/* Maximum interval of requests in a series of drops, unless the round trip is longer. */
#define INTERVAL_MAX_US 1000000

lt_keyframe_stream *lt_keyframes_find(lt_keyframes *keyframes, uint32_t ssrc)
{
    for (size_t i = 0; i < LT_KEYFRAME_STREAMS; i++) {
        lt_keyframe_stream *stream = &keyframes->streams[i];
        if (stream->used && stream->ssrc == ssrc)
            return stream;
    }
    return NULL;
}

static lt_keyframe_stream *touch(lt_keyframes *keyframes, uint32_t ssrc)
{
    lt_keyframe_stream *stream = lt_keyframes_find(keyframes, ssrc);

    if (!stream) {
        stream = &keyframes->streams[0];
        for (size_t i = 1; i < LT_KEYFRAME_STREAMS && stream->used; i++)
            if (!keyframes->streams[i].used || keyframes->streams[i].touched < stream->touched)
                stream = &keyframes->streams[i];
        *stream = (lt_keyframe_stream){
            .used = true, .ssrc = ssrc, .requested_us = INT64_MIN, .not_before_us = INT64_MIN};
    }
    stream->touched = ++keyframes->drops;
    return stream;
}

void lt_keyframes_dropped(lt_keyframes *keyframes, const lt_packet *packet, lt_drop_reason reason)
{
    if (lt_packet_class(packet) == LIVETCP_IMPORTANCE_AUDIO)
        return;
    lt_keyframe_stream *stream = touch(keyframes, packet->ssrc);
    stream->broken = true;
    stream->reason = reason;
    stream->timestamp = packet->timestamp;
    stream->lost = packet->importance;
    stream->lost_us = packet->enqueued_us;
}

void lt_keyframes_want(lt_keyframes *keyframes, const lt_packet *packet)
{
    livetcp_importance lost = lt_packet_class(packet);

    if (lost == LIVETCP_IMPORTANCE_DELTA || lost == LIVETCP_IMPORTANCE_KEY)
        touch(keyframes, packet->ssrc)->wanted = true;
}

bool lt_keyframes_is_remnant(const lt_keyframes *keyframes, const lt_packet *packet,
                             lt_drop_reason *reason)
{
    for (size_t i = 0; i < LT_KEYFRAME_STREAMS; i++) {
        const lt_keyframe_stream *stream = &keyframes->streams[i];
        if (!stream->broken || stream->ssrc != packet->ssrc)
            continue;
        lt_packet lost = {.ssrc = stream->ssrc,
                          .timestamp = stream->timestamp,
                          .importance = stream->lost,
                          .enqueued_us = stream->lost_us};
        *reason = stream->reason;
        return lt_shed_same_frame(packet, &lost);
    }
    return false;
}

void lt_keyframes_queued(lt_keyframes *keyframes, const lt_packet *packet)
{
    if (lt_packet_class(packet) != LIVETCP_IMPORTANCE_KEY)
        return;
    lt_keyframe_stream *stream = lt_keyframes_find(keyframes, packet->ssrc);
    if (stream)
        stream->wanted = false;
}

void lt_keyframes_requested(lt_keyframe_stream *stream, livetcp_usec round_trip, livetcp_usec now)
{
    bool again =
        stream->requested_us != INT64_MIN && now - stream->requested_us < 3 * stream->interval_us;
    livetcp_usec interval = again ? 2 * stream->interval_us : round_trip;

    if (interval > INTERVAL_MAX_US)
        interval = INTERVAL_MAX_US;
    stream->interval_us = interval > round_trip ? interval : round_trip;
    stream->requested_us = now;
    stream->not_before_us = now + stream->interval_us;
    stream->wanted = false;
}

livetcp_usec lt_keyframes_due(const lt_keyframes *keyframes)
{
    livetcp_usec due = LIVETCP_NEVER;

    for (size_t i = 0; i < LT_KEYFRAME_STREAMS; i++) {
        const lt_keyframe_stream *stream = &keyframes->streams[i];
        if (stream->wanted && stream->not_before_us < due)
            due = stream->not_before_us;
    }
    return due;
}
