/* SPDX-License-Identifier: MIT */
/* Reads RTP and RTCP headers. Checks follow RFC 3550, A.1 and A.2, as far as they are possible
 * without knowledge of the payload types and sources. */
#include "rtp/rtp.h"

#include "base/bytes.h"

#define VERSION   2
#define PT_SDES   202
#define PT_BYE    203
#define WORD_SIZE 4

static unsigned version_of(const uint8_t *data)
{
    return data[0] >> 6;
}

/* RFC 5761, section 4: RTP must not use payload types 64..95, whose second byte with the marker bit
 * set is in this range. */
static bool in_rtcp_range(const uint8_t *data)
{
    return data[1] >= 192 && data[1] <= 223;
}

/* Bytes before the payload, or 0 if they do not fit. `size` is at least LT_RTP_MIN_SIZE. */
static size_t header_size(const uint8_t *data, size_t size)
{
    size_t header = LT_RTP_MIN_SIZE + WORD_SIZE * (size_t)(data[0] & 0x0f);

    if (data[0] & 0x10) {
        if (header + WORD_SIZE > size)
            return 0;
        header += WORD_SIZE + WORD_SIZE * (size_t)lt_read_be16(data + header + 2);
    }
    return header <= size ? header : 0;
}

bool lt_rtp_parse(const uint8_t *data, size_t size, lt_rtp_header *header)
{
    size_t header_bytes;

    if (size < LT_RTP_MIN_SIZE || version_of(data) != VERSION || in_rtcp_range(data))
        return false;
    header_bytes = header_size(data, size);
    if (!header_bytes)
        return false;
    header->ssrc = lt_read_be32(data + 8);
    header->timestamp = lt_read_be32(data + 4);
    header->sequence = lt_read_be16(data + 2);
    header->payload_type = data[1] & 0x7f;
    header->marker = data[1] >> 7;
    header->header_size = header_bytes;
    return true;
}

void lt_rtp_write(uint8_t *data, const lt_rtp_header *header)
{
    data[0] = VERSION << 6;
    data[1] = (uint8_t)(header->marker << 7 | header->payload_type);
    lt_write_be16(data + 2, header->sequence);
    lt_write_be32(data + 4, header->timestamp);
    lt_write_be32(data + 8, header->ssrc);
}

bool lt_rtcp_check(const uint8_t *data, size_t size)
{
    return size >= LT_RTCP_MIN_SIZE && version_of(data) == VERSION && in_rtcp_range(data) &&
           WORD_SIZE + WORD_SIZE * (size_t)lt_read_be16(data + 2) <= size;
}

lt_rtp_kind lt_rtp_read(const uint8_t *data, size_t size, lt_rtp_header *header)
{
    if (size < LT_RTCP_MIN_SIZE || version_of(data) != VERSION)
        return LT_RTP_INVALID;
    if (!in_rtcp_range(data))
        return lt_rtp_parse(data, size, header) ? LT_RTP_MEDIA : LT_RTP_INVALID;
    if (!lt_rtcp_check(data, size))
        return LT_RTP_INVALID;
    *header = (lt_rtp_header){.ssrc = lt_rtcp_ssrc(data, size)};
    return LT_RTP_CONTROL;
}

lt_rtp_kind lt_rtp_classify(const uint8_t *data, size_t size)
{
    lt_rtp_header header;

    return lt_rtp_read(data, size, &header);
}

uint32_t lt_rtcp_ssrc(const uint8_t *data, size_t size)
{
    bool listed, empty;

    if (size < LT_RTCP_MIN_SIZE + WORD_SIZE || lt_read_be16(data + 2) == 0)
        return 0;
    /* SDES and BYE list their sources; with a count of zero there is no SSRC. */
    listed = data[1] == PT_SDES || data[1] == PT_BYE;
    empty = (data[0] & 0x1f) == 0;
    return listed && empty ? 0 : lt_read_be32(data + 4);
}
