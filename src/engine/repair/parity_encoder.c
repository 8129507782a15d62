/* SPDX-License-Identifier: MIT */
/* Groups of packets, XORed as they are added (RFC 8627, section 6.2). Only the sum and the sequence
 * numbers are stored. */
#include "engine/repair/parity_encoder.h"

#include "base/rng.h"
#include "base/seq.h"
#include "rtp/rtp.h"
#include "wire/parity.h"

#include <stdlib.h>
#include <string.h>

/* A group in progress. */
typedef struct group {
    unsigned count;
    uint16_t sequences[LT_PARITY_GROUP_MAX];
    int lowest, highest; /* offsets of the lowest and highest number from the first */
    uint8_t recovery[LT_PARITY_RECOVERY];
    uint8_t *payload; /* XOR of the bytes after the first 12 of each packet */
    size_t payload_size, payload_capacity;
} group;

struct lt_parity_encoder {
    unsigned group_size;
    uint32_t media_ssrc;
    size_t max_packet;

    /* The parity stream. */
    uint32_t ssrc;
    uint16_t sequence; /* of the next parity packet */
    uint32_t timestamp_offset;

    group groups[LT_PARITY_LANES];
    group *open; /* group of the lane in use */

    uint64_t unprotected;
};

lt_parity_encoder *lt_parity_encoder_create(unsigned group_size, uint32_t media_ssrc,
                                            size_t max_packet, uint64_t seed)
{
    lt_parity_encoder *encoder = calloc(1, sizeof *encoder);
    lt_rng rng;

    if (!encoder)
        return NULL;
    lt_rng_seed(&rng, seed);
    encoder->group_size = group_size;
    encoder->open = encoder->groups;
    encoder->media_ssrc = media_ssrc;
    encoder->max_packet = max_packet < LT_FRAME_MAX ? max_packet : LT_FRAME_MAX;
    encoder->sequence = (uint16_t)lt_rng_next(&rng);
    encoder->timestamp_offset = (uint32_t)lt_rng_next(&rng);
    do
        encoder->ssrc = (uint32_t)lt_rng_next(&rng);
    while (encoder->ssrc == 0 || encoder->ssrc == media_ssrc);
    return encoder;
}

void lt_parity_encoder_destroy(lt_parity_encoder **encoder)
{
    for (unsigned i = 0; *encoder && i < LT_PARITY_LANES; i++)
        free((*encoder)->groups[i].payload);
    free(*encoder);
    *encoder = NULL;
}

uint32_t lt_parity_encoder_ssrc(const lt_parity_encoder *encoder)
{
    return encoder->ssrc;
}

void lt_parity_encoder_announce(const lt_parity_encoder *encoder, lt_control *message)
{
    *message = (lt_control){.type = LT_CONTROL_PARITY,
                            .parity_ssrc = encoder->ssrc,
                            .media_ssrc = encoder->media_ssrc,
                            .payload_type = LT_PARITY_PAYLOAD_TYPE};
}

/* ---- collecting ---- */

void lt_parity_encoder_use(lt_parity_encoder *encoder, unsigned lane)
{
    encoder->open = &encoder->groups[lane];
}

/* Extends the sum to at least `size` bytes; shorter packets count as padded with zeros. */
static bool reserve(lt_parity_encoder *encoder, size_t size)
{
    if (size > encoder->open->payload_capacity) {
        uint8_t *grown = realloc(encoder->open->payload, size);
        if (!grown)
            return false;
        encoder->open->payload = grown;
        encoder->open->payload_capacity = size;
    }
    if (size > encoder->open->payload_size) {
        memset(encoder->open->payload + encoder->open->payload_size, 0,
               size - encoder->open->payload_size);
        encoder->open->payload_size = size;
    }
    return true;
}

static bool has_number(const lt_parity_encoder *encoder, uint16_t sequence)
{
    for (unsigned i = 0; i < encoder->open->count; i++)
        if (encoder->open->sequences[i] == sequence)
            return true;
    return false;
}

/* True if one mask covers all packets of the group including this one. */
static bool in_reach(const lt_parity_encoder *encoder, int step)
{
    return encoder->open->highest - step < LT_PARITY_SPAN &&
           step - encoder->open->lowest < LT_PARITY_SPAN;
}

static void take_number(lt_parity_encoder *encoder, uint16_t sequence, int step)
{
    if (step < encoder->open->lowest)
        encoder->open->lowest = step;
    if (step > encoder->open->highest)
        encoder->open->highest = step;
    encoder->open->sequences[encoder->open->count++] = sequence;
}

static lt_parity_added leave_out(lt_parity_encoder *encoder)
{
    encoder->unprotected++;
    return LT_PARITY_LEFT_OUT;
}

lt_parity_added lt_parity_encoder_add(lt_parity_encoder *encoder, const lt_packet *packet)
{
    const uint8_t *data = lt_packet_data(packet);
    size_t size = lt_packet_size(packet), payload_size = size - LT_RTP_MIN_SIZE;
    int step =
        encoder->open->count ? lt_seq_distance(encoder->open->sequences[0], packet->sequence) : 0;

    if (has_number(encoder, packet->sequence))
        return LT_PARITY_LEFT_OUT;
    if (size + LT_PARITY_OVERHEAD > encoder->max_packet)
        return leave_out(encoder);
    if (encoder->open->count == encoder->group_size || !in_reach(encoder, step))
        return LT_PARITY_CLOSED;
    if (!reserve(encoder, payload_size))
        return leave_out(encoder);
    lt_parity_fold_header(encoder->open->recovery, data, size);
    lt_parity_fold(encoder->open->payload, data + LT_RTP_MIN_SIZE, payload_size);
    take_number(encoder, packet->sequence, step);
    return encoder->open->count == encoder->group_size ? LT_PARITY_FULL : LT_PARITY_MORE;
}

unsigned lt_parity_encoder_count(const lt_parity_encoder *encoder)
{
    return encoder->open->count;
}

/* ---- the parity packet ---- */

static void cover_group(const lt_parity_encoder *encoder, lt_parity_cover *cover)
{
    *cover = (lt_parity_cover){.media_ssrc = encoder->media_ssrc};
    cover->base = (uint16_t)(encoder->open->sequences[0] + encoder->open->lowest);
    for (unsigned i = 0; i < encoder->open->count; i++)
        lt_parity_cover_add(cover, (uint16_t)(encoder->open->sequences[i] - cover->base));
}

/* RFC 8627, section 4.2.1. The timestamp is the time of sending. It should run at the media's clock
 * rate, which is unknown here, so it runs at that of video, 90 kHz. */
static void write_rtp_header(const lt_parity_encoder *encoder, uint8_t *data, livetcp_usec now)
{
    uint32_t clock = (uint32_t)((uint64_t)now / 100 * 9); /* 90 kHz */

    lt_rtp_write(data, &(lt_rtp_header){.payload_type = LT_PARITY_PAYLOAD_TYPE,
                                        .sequence = encoder->sequence,
                                        .timestamp = encoder->timestamp_offset + clock,
                                        .ssrc = encoder->ssrc});
    data[0] |= 1; /* one CSRC */
}

static lt_packet *make_packet(lt_parity_encoder *encoder, livetcp_usec now)
{
    lt_parity_cover cover;
    size_t header_size;
    lt_packet *packet;
    uint8_t *data;

    cover_group(encoder, &cover);
    header_size = lt_parity_header_size(&cover);
    packet = lt_packet_create(NULL, header_size + encoder->open->payload_size);
    if (!packet)
        return NULL;
    data = packet->frame + LT_FRAME_HEADER;
    write_rtp_header(encoder, data, now);
    lt_parity_write_cover(data, &cover);
    memcpy(data + LT_PARITY_RECOVERY_AT, encoder->open->recovery, sizeof encoder->open->recovery);
    if (encoder->open->payload_size)
        memcpy(data + header_size, encoder->open->payload, encoder->open->payload_size);
    packet->ssrc = encoder->ssrc;
    packet->sequence = encoder->sequence++;
    packet->enqueued_us = now;
    return packet;
}

lt_packet *lt_parity_encoder_finish(lt_parity_encoder *encoder, livetcp_usec now)
{
    lt_packet *packet = NULL;

    if (encoder->open->count) {
        packet = make_packet(encoder, now);
        if (!packet)
            encoder->unprotected += encoder->open->count;
    }
    encoder->open->count = 0;
    encoder->open->lowest = encoder->open->highest = 0;
    encoder->open->payload_size = 0;
    memset(encoder->open->recovery, 0, sizeof encoder->open->recovery);
    return packet;
}

uint64_t lt_parity_encoder_unprotected(const lt_parity_encoder *encoder)
{
    return encoder->unprotected;
}
