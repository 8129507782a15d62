/* SPDX-License-Identifier: MIT */
/* RFC 2198 receiver. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/sized.h"
#include "rtp/redundancy/red.h"

#include <stdlib.h>
#include <string.h>

struct livetcp_redundancy_decoder {
    livetcp_redundancy_config config;
    lt_red_history history;
    livetcp_redundancy_decoder_stats stats;
    uint8_t packets[]; /* the frames returned last; see capacity_for() */
};

/* One block of a packet. */
typedef struct block {
    unsigned payload_type;
    uint32_t age; /* timestamp offset */
    const uint8_t *data;
    size_t size;
} block;

typedef struct blocks {
    block list[LIVETCP_REDUNDANCY_MAX_FRAMES]; /* the primary is the last */
    unsigned count;
} blocks;

/* Maximum total size of the packets made from a packet of this size. */
static size_t capacity_for(size_t packet)
{
    return packet + LIVETCP_REDUNDANCY_MAX_FRAMES * LT_RTP_MIN_SIZE;
}

livetcp_result livetcp_redundancy_decoder_create(const livetcp_redundancy_config *config,
                                                 livetcp_redundancy_decoder **decoder,
                                                 livetcp_error *error)
{
    livetcp_redundancy_config whole;
    livetcp_result result = lt_red_read_config(config, &whole, error);

    *decoder = NULL;
    if (result != LIVETCP_OK)
        return result;
    *decoder = calloc(1, sizeof **decoder + capacity_for(whole.max_packet));
    if (!*decoder)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the redundancy decoder");
    (*decoder)->config = whole;
    return LIVETCP_OK;
}

void livetcp_redundancy_decoder_destroy(livetcp_redundancy_decoder **decoder)
{
    free(*decoder);
    *decoder = NULL;
}

/* Reads the headers of all blocks; returns their size in bytes, or 0 if they are malformed. */
static size_t read_headers(const lt_red_packet *packet, blocks *out, livetcp_error *error)
{
    const uint8_t *at = packet->payload, *end = at + packet->payload_size;

    for (out->count = 0; at < end && *at & LT_RED_FOLLOWS; at += LT_RED_HEADER) {
        if (end - at <= LT_RED_HEADER)
            break;
        if (out->count == LIVETCP_REDUNDANCY_MAX_FRAMES - 1) {
            lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "more than %d redundant blocks",
                    LIVETCP_REDUNDANCY_MAX_FRAMES - 1);
            return 0;
        }
        uint32_t word = lt_read_be32(at);
        out->list[out->count++] = (block){.payload_type = *at & ~(unsigned)LT_RED_FOLLOWS,
                                          .age = word >> 10 & LT_RED_OFFSET_MAX,
                                          .size = word & LT_RED_LENGTH_MAX};
    }
    if (at >= end || *at & LT_RED_FOLLOWS) {
        lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the packet ends in its block headers");
        return 0;
    }
    out->list[out->count++] = (block){.payload_type = *at};
    return (size_t)(at - packet->payload) + LT_RED_LAST_HEADER;
}

static livetcp_result read_blocks(const livetcp_redundancy_decoder *decoder,
                                  const lt_red_packet *packet, blocks *out, livetcp_error *error)
{
    size_t used = read_headers(packet, out, error);

    if (!used)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < out->count; i++) {
        block *b = &out->list[i];
        if (i == out->count - 1)
            b->size = packet->payload_size - used;
        if (b->size > packet->payload_size - used)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "a redundant block of %zu bytes, where %zu are left", b->size,
                           packet->payload_size - used);
        if (!lt_red_type_possible(b->payload_type) ||
            b->payload_type == decoder->config.payload_type)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "a block of payload type %u, which is none of a frame", b->payload_type);
        b->data = packet->payload + used;
        used += b->size;
    }
    return LIVETCP_OK;
}

static uint8_t *append(uint8_t *to, const block *b)
{
    if (b->size)
        memcpy(to, b->data, b->size);
    return to + b->size;
}

/* Writes a redundant frame as an RTP packet; returns its end. */
static uint8_t *write_redundant(uint8_t *to, const lt_rtp_header *primary, const block *b,
                                uint16_t sequence)
{
    lt_rtp_write(to, &(lt_rtp_header){.payload_type = (uint8_t)b->payload_type,
                                      .sequence = sequence,
                                      .timestamp = primary->timestamp - b->age,
                                      .ssrc = primary->ssrc});
    return append(to + LT_RTP_MIN_SIZE, b);
}

static void give(livetcp_redundancy_frame *frames, size_t *count, const uint8_t *from,
                 const uint8_t *to, bool redundant, bool seen)
{
    frames[(*count)++] = (livetcp_redundancy_frame){
        .packet = from, .size = (size_t)(to - from), .redundant = redundant, .seen = seen};
}

static void take_apart(livetcp_redundancy_decoder *decoder, const lt_red_packet *packet,
                       const blocks *in, livetcp_redundancy_frame *frames, size_t *count)
{
    const lt_rtp_header *primary = &packet->header;
    unsigned redundant = in->count - 1;
    uint8_t *at = decoder->packets;

    for (unsigned i = 0; i < redundant; i++) {
        const block *b = &in->list[i];
        uint16_t sequence;
        bool seen;
        if (!lt_red_history_place(&decoder->history, primary, primary->timestamp - b->age,
                                  redundant - i, &sequence, &seen)) {
            decoder->stats.unplaced++;
            continue;
        }
        uint8_t *end = write_redundant(at, primary, b, sequence);
        give(frames, count, at, end, true, seen);
        decoder->stats.redundant++;
        decoder->stats.seen += seen;
        at = end;
    }
    lt_red_copy_header(at, packet, in->list[redundant].payload_type);
    give(frames, count, at, append(at + primary->header_size, &in->list[redundant]), false, false);
}

static livetcp_result decode(livetcp_redundancy_decoder *decoder, const void *packet, size_t size,
                             livetcp_redundancy_frame *frames, size_t *count, livetcp_error *error)
{
    lt_red_packet read;
    blocks in;
    livetcp_result result = lt_red_read(&read, packet, size, decoder->config.max_packet, error);

    if (result != LIVETCP_OK)
        return result;
    bool plain = read.header.payload_type != decoder->config.payload_type;
    if (!plain && (result = read_blocks(decoder, &read, &in, error)) != LIVETCP_OK)
        return result;
    lt_red_history_add(&decoder->history, &read.header);
    if (plain)
        give(frames, count, packet, read.data + size, false, false);
    else
        take_apart(decoder, &read, &in, frames, count);
    return LIVETCP_OK;
}

livetcp_result livetcp_redundancy_decode(livetcp_redundancy_decoder *decoder, const void *packet,
                                         size_t size, livetcp_redundancy_frame *frames,
                                         size_t *count, livetcp_error *error)
{
    *count = 0;
    livetcp_result result = decode(decoder, packet, size, frames, count, error);
    if (result == LIVETCP_OK)
        decoder->stats.packets++;
    else
        decoder->stats.malformed++;
    return result;
}

livetcp_result livetcp_redundancy_decoder_get_stats(const livetcp_redundancy_decoder *decoder,
                                                    livetcp_redundancy_decoder_stats *stats)
{
    livetcp_result result = LT_CHECK_SIZED(stats, livetcp_redundancy_decoder_stats, NULL);

    if (result == LIVETCP_OK)
        lt_sized_fill(stats, &decoder->stats, sizeof decoder->stats);
    return result;
}
