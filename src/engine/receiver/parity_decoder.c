/* SPDX-License-Identifier: MIT */
/* Finds the protected stream of each packet among those that the peer has announced. */
#include "engine/receiver/parity_decoder.h"

#include "engine/receiver/parity_stream.h"

#include <stdlib.h>

struct lt_parity_decoder {
    size_t max_packet;
    unsigned count;
    lt_parity_stream *streams[LT_PARITY_STREAMS];
    uint64_t packets; /* parity packets so far; the clock of lt_parity_stream.used */
    lt_parity_memory memory;
    lt_parity_stats stats;
};

lt_parity_decoder *lt_parity_decoder_create(size_t max_packet)
{
    lt_parity_decoder *decoder = calloc(1, sizeof *decoder);

    if (decoder)
        decoder->max_packet = max_packet;
    return decoder;
}

void lt_parity_decoder_destroy(lt_parity_decoder **decoder)
{
    if (*decoder)
        for (unsigned i = 0; i < (*decoder)->count; i++)
            lt_parity_stream_destroy(&(*decoder)->streams[i]);
    free(*decoder);
    *decoder = NULL;
}

static unsigned least_recent(const lt_parity_decoder *decoder)
{
    unsigned found = 0;

    for (unsigned i = 1; i < decoder->count; i++)
        if (decoder->streams[i]->used < decoder->streams[found]->used)
            found = i;
    return found;
}

/* Index of the stream with that media SSRC, or of the entry that a new one gets. */
static unsigned index_for(const lt_parity_decoder *decoder, uint32_t media_ssrc)
{
    for (unsigned i = 0; i < decoder->count; i++)
        if (decoder->streams[i]->media_ssrc == media_ssrc)
            return i;
    return decoder->count < LT_PARITY_STREAMS ? decoder->count : least_recent(decoder);
}

/* Removes a parity SSRC from the other streams: it protects one media stream at a time. */
static void withdraw_from_others(lt_parity_decoder *decoder, const lt_parity_stream *stream,
                                 uint32_t parity_ssrc)
{
    for (unsigned i = 0; i < decoder->count; i++) {
        lt_parity_stream *other = decoder->streams[i];
        if (other == stream || !lt_parity_stream_source(other, parity_ssrc))
            continue;
        lt_parity_stream_withdraw(other, parity_ssrc);
        if (other->source_count)
            return;
        lt_parity_stream_destroy(&other);
        decoder->streams[i] = decoder->streams[--decoder->count];
        return;
    }
}

livetcp_result lt_parity_decoder_announce(lt_parity_decoder *decoder, uint32_t parity_ssrc,
                                          uint32_t media_ssrc, uint8_t payload_type)
{
    unsigned place = index_for(decoder, media_ssrc);
    lt_parity_stream *old = place < decoder->count ? decoder->streams[place] : NULL;
    lt_parity_stream *stream = old;

    if (!old || old->media_ssrc != media_ssrc) {
        stream = lt_parity_stream_create(media_ssrc, &decoder->memory);
        if (!stream)
            return LIVETCP_ERR_NO_MEMORY;
        stream->used = ++decoder->packets;
        lt_parity_stream_destroy(&old);
        decoder->streams[place] = stream;
        decoder->count += place == decoder->count;
    }
    withdraw_from_others(decoder, stream, parity_ssrc);
    lt_parity_stream_announced(stream, parity_ssrc, payload_type);
    return LIVETCP_OK;
}

static lt_parity_stream *find_parity(const lt_parity_decoder *decoder, const lt_rtp_header *header)
{
    for (unsigned i = 0; i < decoder->count; i++) {
        const lt_parity_source *source = lt_parity_stream_source(decoder->streams[i], header->ssrc);
        if (source && source->payload_type == header->payload_type)
            return decoder->streams[i];
    }
    return NULL;
}

static void take_parity(lt_parity_decoder *decoder, lt_parity_stream *stream, const uint8_t *data,
                        size_t size, livetcp_usec now)
{
    lt_parity_cover cover;
    size_t header_size = lt_parity_parse(data, size, &cover);

    stream->used = ++decoder->packets;
    decoder->stats.received++;
    if (header_size && cover.media_ssrc == stream->media_ssrc)
        lt_parity_stream_add_parity(stream, data, size, header_size, &cover, now);
    else
        decoder->stats.invalid++;
}

static void add_media(lt_parity_decoder *decoder, const uint8_t *data, size_t size, uint32_t ssrc,
                      uint16_t sequence, livetcp_usec now)
{
    for (unsigned i = 0; i < decoder->count; i++)
        if (decoder->streams[i]->media_ssrc == ssrc)
            lt_parity_stream_add_media(decoder->streams[i], data, size, sequence, now);
}

bool lt_parity_decoder_take(lt_parity_decoder *decoder, const uint8_t *data, size_t size,
                            const lt_rtp_header *header, livetcp_usec now)
{
    lt_parity_stream *parity_of = find_parity(decoder, header);

    if (parity_of)
        take_parity(decoder, parity_of, data, size, now);
    else
        add_media(decoder, data, size, header->ssrc, header->sequence, now);
    return parity_of != NULL;
}

/* A rebuilt packet also belongs to the groups of other parity packets. */
static lt_packet *rebuilt(lt_parity_decoder *decoder, lt_packet *packet, livetcp_usec now)
{
    decoder->stats.rebuilt++;
    add_media(decoder, lt_packet_data(packet), lt_packet_size(packet), packet->ssrc,
              packet->sequence, now);
    return packet;
}

lt_packet *lt_parity_decoder_next(lt_parity_decoder *decoder, livetcp_usec now,
                                  lt_rtp_header *header)
{
    for (unsigned i = 0; i < decoder->count; i++) {
        lt_packet *packet;
        while (
            lt_parity_stream_next(decoder->streams[i], decoder->max_packet, now, &packet, header)) {
            if (packet)
                return rebuilt(decoder, packet, now);
            decoder->stats.invalid++;
        }
    }
    return NULL;
}

const lt_parity_stats *lt_parity_decoder_get_stats(const lt_parity_decoder *decoder)
{
    return &decoder->stats;
}

size_t lt_parity_decoder_held(const lt_parity_decoder *decoder)
{
    return decoder->memory.held;
}

uint64_t lt_parity_decoder_lookups(const lt_parity_decoder *decoder)
{
    return decoder->memory.lookups;
}

void lt_parity_decoder_share(lt_parity_decoder *decoder, lt_memory *memory)
{
    decoder->memory.shared = memory;
}
