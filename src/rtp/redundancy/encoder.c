/* SPDX-License-Identifier: MIT */
/* RFC 2198 sender: Zhang et al., section 4.1.1, with a depth. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/sized.h"
#include "rtp/redundancy/red.h"

#include <stdlib.h>
#include <string.h>

typedef struct remembered {
    uint32_t timestamp;
    unsigned payload_type;
    size_t size; /* original size; frames longer than `data` are not stored */
    uint8_t data[LT_RED_LENGTH_MAX];
} remembered;

struct livetcp_redundancy_encoder {
    livetcp_redundancy_config config;
    uint32_t ssrc;
    uint16_t sequence; /* of the previous packet; valid if count > 0 */
    remembered frames[LIVETCP_REDUNDANCY_MAX_DEPTH];
    unsigned count; /* of the last `depth` packets */
    unsigned next;  /* index of the next */
    livetcp_redundancy_encoder_stats stats;
    uint8_t packet[]; /* config.max_packet */
};

livetcp_result livetcp_redundancy_encoder_create(const livetcp_redundancy_config *config,
                                                 livetcp_redundancy_encoder **encoder,
                                                 livetcp_error *error)
{
    livetcp_redundancy_config whole;
    livetcp_result result = lt_red_read_config(config, &whole, error);

    *encoder = NULL;
    if (result != LIVETCP_OK)
        return result;
    *encoder = calloc(1, sizeof **encoder + whole.max_packet);
    if (!*encoder)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the redundancy encoder");
    (*encoder)->config = whole;
    return LIVETCP_OK;
}

void livetcp_redundancy_encoder_destroy(livetcp_redundancy_encoder **encoder)
{
    free(*encoder);
    *encoder = NULL;
}

/* The frame `back` packets before the current one, 1..count. */
static const remembered *frame_before(const livetcp_redundancy_encoder *encoder, unsigned back)
{
    unsigned depth = encoder->config.depth;

    return &encoder->frames[(encoder->next + depth - back) % depth];
}

/* True if a frame can be repeated in `room` bytes; otherwise the reason is counted. A frame that
 * the application does not want repeated ends the run and is not counted. */
static bool fits(livetcp_redundancy_encoder *encoder, const remembered *frame, uint32_t now,
                 size_t room)
{
    uint32_t age = now - frame->timestamp;

    if (frame->size == 0)
        return false;
    if (frame->size > LT_RED_LENGTH_MAX)
        encoder->stats.left_out_length++;
    else if (age == 0 || age > LT_RED_OFFSET_MAX)
        encoder->stats.left_out_age++;
    else if (room < LT_RED_HEADER + frame->size)
        encoder->stats.left_out_room++;
    else
        return true;
    return false;
}

/* Number of preceding packets to repeat. */
static unsigned choose(livetcp_redundancy_encoder *encoder, const lt_red_packet *primary)
{
    size_t room = encoder->config.max_packet - primary->header.header_size - LT_RED_LAST_HEADER -
                  primary->payload_size;
    unsigned chosen = 0;

    while (chosen < encoder->count) {
        const remembered *frame = frame_before(encoder, chosen + 1);
        if (!fits(encoder, frame, primary->header.timestamp, room)) {
            encoder->stats.left_out_unbroken += encoder->count - chosen - 1;
            break;
        }
        room -= LT_RED_HEADER + frame->size;
        chosen++;
    }
    return chosen;
}

static size_t write_packet(livetcp_redundancy_encoder *encoder, const lt_red_packet *primary,
                           unsigned repeated)
{
    uint8_t *at = encoder->packet;

    lt_red_copy_header(at, primary, encoder->config.payload_type);
    at += primary->header.header_size;
    for (unsigned back = repeated; back; back--, at += LT_RED_HEADER) {
        const remembered *frame = frame_before(encoder, back);
        uint32_t age = primary->header.timestamp - frame->timestamp;
        lt_write_be32(at, (uint32_t)(LT_RED_FOLLOWS | frame->payload_type) << 24 | age << 10 |
                              (uint32_t)frame->size);
        encoder->stats.repeated_bytes += LT_RED_HEADER + frame->size;
    }
    *at++ = primary->header.payload_type;
    for (unsigned back = repeated; back; back--) {
        const remembered *frame = frame_before(encoder, back);
        memcpy(at, frame->data, frame->size);
        at += frame->size;
    }
    if (primary->payload_size)
        memcpy(at, primary->payload, primary->payload_size);
    return (size_t)(at - encoder->packet) + primary->payload_size;
}

static void remember(livetcp_redundancy_encoder *encoder, const lt_rtp_header *header,
                     const livetcp_redundancy_block *block)
{
    remembered *frame = &encoder->frames[encoder->next];

    encoder->next = (encoder->next + 1) % encoder->config.depth;
    if (encoder->count < encoder->config.depth)
        encoder->count++;
    frame->timestamp = header->timestamp;
    frame->payload_type = block->payload_type;
    frame->size = block->size;
    if (block->size && block->size <= LT_RED_LENGTH_MAX)
        memcpy(frame->data, block->payload, block->size);
    encoder->ssrc = header->ssrc;
    encoder->sequence = header->sequence;
}

static livetcp_result check(const livetcp_redundancy_encoder *encoder, const lt_red_packet *primary,
                            const livetcp_redundancy_block *block, livetcp_error *error)
{
    const unsigned types[] = {primary->header.payload_type, block->payload_type};

    for (size_t i = 0; i < 2; i++)
        if (!lt_red_type_possible(types[i]) || types[i] == encoder->config.payload_type)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "payload type %u cannot be repeated: it is 64 to 95, or that of the "
                           "redundant packets",
                           types[i]);
    if (block->size && !block->payload)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the secondary has no payload");
    if (primary->header.header_size + LT_RED_LAST_HEADER + primary->payload_size >
        encoder->config.max_packet)
        return lt_fail(error, LIVETCP_ERR_PACKET_TOO_LARGE,
                       "with its block header the packet is longer than max_packet, %zu",
                       encoder->config.max_packet);
    return LIVETCP_OK;
}

livetcp_result livetcp_redundancy_encode(livetcp_redundancy_encoder *encoder, const void *primary,
                                         size_t size, const livetcp_redundancy_block *secondary,
                                         const void **red, size_t *red_size, livetcp_error *error)
{
    lt_red_packet packet;
    livetcp_result result = lt_red_read(&packet, primary, size, encoder->config.max_packet, error);

    if (result != LIVETCP_OK)
        return result;
    const lt_rtp_header *header = &packet.header;
    livetcp_redundancy_block own = {header->payload_type, packet.payload, packet.payload_size};
    const livetcp_redundancy_block *block = secondary ? secondary : &own;
    result = check(encoder, &packet, block, error);
    if (result != LIVETCP_OK)
        return result;
    if (header->ssrc != encoder->ssrc || header->sequence != (uint16_t)(encoder->sequence + 1))
        encoder->count = 0;
    unsigned repeated = choose(encoder, &packet);
    *red_size = write_packet(encoder, &packet, repeated);
    *red = encoder->packet;
    encoder->stats.packets++;
    encoder->stats.repeated += repeated;
    remember(encoder, header, block);
    return LIVETCP_OK;
}

livetcp_result livetcp_redundancy_encoder_get_stats(const livetcp_redundancy_encoder *encoder,
                                                    livetcp_redundancy_encoder_stats *stats)
{
    livetcp_result result = LT_CHECK_SIZED(stats, livetcp_redundancy_encoder_stats, NULL);

    if (result == LIVETCP_OK)
        lt_sized_fill(stats, &encoder->stats, sizeof encoder->stats);
    return result;
}
