/* SPDX-License-Identifier: MIT */
/* Importance of a packet: from the application, otherwise from the payload and the packets before
 * it, otherwise from the headers. */
#include "rtp/importance/importance.h"

#include "rtp/importance/payload.h"
#include "rtp/rtp.h"

#include <string.h>

/* A malformed payload cancels out this many valid ones. A stream is trusted while the count is
 * below the limit: a real one after a single truncated packet, a false one for a few packets only.
 */
#define DISTRUST_STEP  4
#define DISTRUST_LIMIT 12
#define DISTRUST_MAX   64

static lt_payload_classifier *const classifiers[] = {
    [LIVETCP_CODEC_H264] = lt_h264_classify, [LIVETCP_CODEC_H265] = lt_h265_classify,
    [LIVETCP_CODEC_VP8] = lt_vp8_classify,   [LIVETCP_CODEC_VP9] = lt_vp9_classify,
    [LIVETCP_CODEC_AV1] = lt_av1_classify,
};

static lt_payload_classifier *classifier_of(livetcp_codec codec)
{
    size_t position = (size_t)codec;

    return position < sizeof classifiers / sizeof *classifiers ? classifiers[position] : NULL;
}

/* Removes the padding. False if its length is impossible, as in encrypted packets. */
static bool find_payload(const uint8_t *packet, size_t size, size_t header_size, size_t *payload)
{
    size_t padding = 0;

    *payload = size - header_size;
    if (packet[0] & 0x20) {
        padding = *payload > 0 ? packet[size - 1] : 0;
        if (padding == 0 || padding > *payload)
            return false;
        *payload -= padding;
    }
    return true;
}

/* False if the packet is not of that codec. */
static bool classify(lt_payload_classifier *classifier, const uint8_t *packet, size_t size,
                     const lt_rtp_header *header, lt_payload_class *found)
{
    size_t payload;

    *found = (lt_payload_class){LIVETCP_IMPORTANCE_UNKNOWN, 0};
    if (!find_payload(packet, size, header->header_size, &payload))
        return false;
    if (payload == 0) /* a probe, or a NAT keepalive */
        return true;
    if (classifier(packet + header->header_size, payload, found))
        return true;
    *found = (lt_payload_class){LIVETCP_IMPORTANCE_UNKNOWN, 0};
    return false;
}

livetcp_importance livetcp_importance_of(livetcp_codec codec, const void *rtp_packet, size_t size)
{
    lt_payload_classifier *classifier = classifier_of(codec);
    lt_payload_class found = {LIVETCP_IMPORTANCE_UNKNOWN, 0};
    lt_rtp_header header;

    if (!rtp_packet || !lt_rtp_parse(rtp_packet, size, &header))
        return LIVETCP_IMPORTANCE_UNKNOWN;
    if (codec == LIVETCP_CODEC_AUDIO)
        return LIVETCP_IMPORTANCE_AUDIO;
    if (classifier)
        classify(classifier, rtp_packet, size, &header, &found);
    return found.importance;
}

/* ---- with state ---- */

static lt_importance_stream *find_stream(lt_importance_state *state, livetcp_codec codec,
                                         uint32_t ssrc)
{
    lt_importance_stream *oldest = &state->streams[0], *stream = NULL;

    for (size_t i = 0; i < LT_IMPORTANCE_STREAMS && !stream; i++) {
        lt_importance_stream *other = &state->streams[i];
        if (other->used && other->ssrc == ssrc)
            stream = other;
        else if (other->used < oldest->used)
            oldest = other;
    }
    if (!stream || stream->codec != codec) {
        stream = stream ? stream : oldest;
        memset(stream, 0, sizeof *stream);
        stream->ssrc = ssrc;
        stream->codec = codec;
    }
    stream->used = ++state->uses;
    return stream;
}

static void classify_stream(lt_importance_stream *stream, bool well_formed)
{
    if (!well_formed && stream->distrust <= DISTRUST_MAX - DISTRUST_STEP)
        stream->distrust += DISTRUST_STEP;
    else if (well_formed && stream->distrust > 0)
        stream->distrust--;
}

/* Corrects and completes the packet's own class from the stream's earlier packets. */
static livetcp_importance refine(lt_importance_stream *stream, uint32_t timestamp,
                                 lt_payload_class found)
{
    if (found.temporal_layer > stream->top_layer)
        stream->top_layer = found.temporal_layer;
    if (found.importance == LIVETCP_IMPORTANCE_DROPPABLE && stream->codec == LIVETCP_CODEC_H265 &&
        found.temporal_layer < stream->top_layer)
        found.importance = LIVETCP_IMPORTANCE_DELTA;

    if (found.importance == LIVETCP_IMPORTANCE_UNKNOWN && timestamp == stream->timestamp)
        return stream->importance;
    stream->timestamp = timestamp;
    stream->importance = found.importance;
    return found.importance;
}

static livetcp_importance ask_payload(lt_importance_state *state, livetcp_codec codec,
                                      const lt_rtp_header *header, const void *packet, size_t size)
{
    lt_payload_classifier *classifier = classifier_of(codec);
    lt_importance_stream *stream;
    livetcp_importance importance;
    lt_payload_class found;
    bool well_formed;

    if (!classifier)
        return codec == LIVETCP_CODEC_AUDIO ? LIVETCP_IMPORTANCE_AUDIO : LIVETCP_IMPORTANCE_UNKNOWN;
    stream = find_stream(state, codec, header->ssrc);
    well_formed = classify(classifier, packet, size, header, &found);
    classify_stream(stream, well_formed);
    if (!well_formed)
        return LIVETCP_IMPORTANCE_UNKNOWN;
    importance = refine(stream, header->timestamp, found);
    return stream->distrust < DISTRUST_LIMIT ? importance : LIVETCP_IMPORTANCE_UNKNOWN;
}

/* Nobody says what the stream is. */
static livetcp_importance ask_headers(lt_importance_state *state, const lt_rtp_header *header,
                                      size_t size)
{
    lt_importance_stream *stream = find_stream(state, LIVETCP_CODEC_UNKNOWN, header->ssrc);

    return lt_audio_rhythm_next(&stream->rhythm, header, size - header->header_size)
               ? LIVETCP_IMPORTANCE_AUDIO
               : LIVETCP_IMPORTANCE_UNKNOWN;
}

livetcp_importance lt_importance_next(lt_importance_state *state, const livetcp_packet_info *info,
                                      const lt_rtp_header *header, const void *packet, size_t size)
{
    if (LT_INFO_HAS(info, importance) && info->importance > LIVETCP_IMPORTANCE_UNKNOWN &&
        info->importance <= LIVETCP_IMPORTANCE_KEY)
        return info->importance;
    if (!header)
        return LIVETCP_IMPORTANCE_UNKNOWN;
    if (LT_INFO_HAS(info, codec) && info->codec != LIVETCP_CODEC_UNKNOWN)
        return ask_payload(state, info->codec, header, packet, size);
    return ask_headers(state, header, size);
}
