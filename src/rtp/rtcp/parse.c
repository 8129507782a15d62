/* SPDX-License-Identifier: MIT */
/* Reads RTCP compounds from any source. */
#include "base/bytes.h"
#include "rtp/rtcp/packet.h"

#define HEADER     4
#define WORD       4
#define INFO_SIZE  20
#define BLOCK_SIZE 24

/* Size without the padding; SIZE_MAX if the padding's length is invalid (RFC 3550, section 6.4.1).
 */
static size_t without_padding(const uint8_t *data, size_t size)
{
    uint8_t padding = data[size - 1];

    if (padding == 0 || padding % WORD != 0 || size < HEADER + (size_t)padding)
        return SIZE_MAX;
    return size - padding;
}

lt_rtcp_step lt_rtcp_read(lt_rtcp_reader *reader, lt_rtcp_part *part)
{
    const uint8_t *data = reader->data;
    size_t size, end;

    if (reader->left == 0)
        return LT_RTCP_END;
    if (reader->left < HEADER || data[0] >> 6 != 2)
        return LT_RTCP_MALFORMED;
    size = end = (lt_read_be16(data + 2) + (size_t)1) * WORD;
    if (size > reader->left)
        return LT_RTCP_MALFORMED;
    if (data[0] & 0x20)
        end = size == reader->left ? without_padding(data, size) : SIZE_MAX;
    if (end == SIZE_MAX)
        return LT_RTCP_MALFORMED;
    *part = (lt_rtcp_part){
        .type = data[1], .count = data[0] & 0x1f, .body = data + HEADER, .size = end - HEADER};
    reader->data += size;
    reader->left -= size;
    return LT_RTCP_PART;
}

static size_t info_size(const lt_rtcp_part *part)
{
    return part->type == LT_RTCP_SR ? INFO_SIZE : 0;
}

bool lt_rtcp_read_report(const lt_rtcp_part *part, uint32_t *ssrc, lt_rtcp_sender_info *info)
{
    const uint8_t *in = part->body;

    if ((part->type != LT_RTCP_SR && part->type != LT_RTCP_RR) ||
        part->size < WORD + info_size(part) + (size_t)part->count * BLOCK_SIZE)
        return false;
    *ssrc = lt_read_be32(in);
    if (part->type == LT_RTCP_SR)
        *info = (lt_rtcp_sender_info){.ntp = lt_read_be64(in + 4),
                                      .timestamp = lt_read_be32(in + 12),
                                      .packets = lt_read_be32(in + 16),
                                      .octets = lt_read_be32(in + 20)};
    return true;
}

/* Reads a signed 24-bit integer. */
static int32_t read_lost(const uint8_t *in)
{
    int32_t value = (int32_t)(lt_read_be32(in) & 0xffffff);

    return value < 0x800000 ? value : value - 0x1000000;
}

void lt_rtcp_read_block(const lt_rtcp_part *part, unsigned position, lt_rtcp_block *block)
{
    const uint8_t *in = part->body + WORD + info_size(part) + (size_t)position * BLOCK_SIZE;

    *block = (lt_rtcp_block){.ssrc = lt_read_be32(in),
                             .fraction_lost = in[4],
                             .cumulative_lost = read_lost(in + 4),
                             .highest = lt_read_be32(in + 8),
                             .jitter = lt_read_be32(in + 12),
                             .lsr = lt_read_be32(in + 16),
                             .dlsr = lt_read_be32(in + 20)};
}
