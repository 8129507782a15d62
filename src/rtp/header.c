/* SPDX-License-Identifier: MIT */
/* RTP headers for applications: livetcp_rtp_header_read() and livetcp_rtp_header_write(). */
#include "base/bytes.h"
#include "base/error.h"
#include "rtp/rtp.h"

#include <livetcp/rtp.h>

#include <string.h>

#define WORD_SIZE      4
#define WITH_PADDING   0x20
#define WITH_EXTENSION 0x10

/* ---- reading ---- */

static livetcp_result check_packet(const uint8_t *packet, size_t size, livetcp_error *error)
{
    if (!packet)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the packet is NULL");
    if (size < LT_RTP_MIN_SIZE)
        return lt_fail(error, LIVETCP_ERR_NOT_RTP,
                       "%zu bytes are too few for an RTP header, which has 12", size);
    if (packet[0] >> 6 != 2)
        return lt_fail(error, LIVETCP_ERR_NOT_RTP, "the version is %d, where RTP has 2",
                       packet[0] >> 6);
    if (lt_rtp_classify(packet, size) == LT_RTP_CONTROL)
        return lt_fail(error, LIVETCP_ERR_NOT_RTP, "this is an RTCP packet, of type %d", packet[1]);
    return LIVETCP_OK;
}

static void read_extension(livetcp_rtp_header *header, const uint8_t *at)
{
    header->has_extension = true;
    header->extension_profile = lt_read_be16(at);
    header->extension_size = WORD_SIZE * (size_t)lt_read_be16(at + 2);
    header->extension = at + WORD_SIZE;
}

livetcp_result livetcp_rtp_header_read(livetcp_rtp_header *header, const void *packet, size_t size,
                                       livetcp_error *error)
{
    const uint8_t *bytes = packet, *at;
    lt_rtp_header fixed;
    livetcp_result result;

    if (!header)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the livetcp_rtp_header is NULL");
    result = check_packet(bytes, size, error);
    if (result != LIVETCP_OK)
        return result;
    if (!lt_rtp_parse(bytes, size, &fixed))
        return lt_fail(error, LIVETCP_ERR_NOT_RTP,
                       "the %zu bytes end within the RTP header, or their payload type is one of "
                       "RTCP's",
                       size);
    *header = (livetcp_rtp_header){.payload_type = fixed.payload_type,
                                   .marker = fixed.marker,
                                   .padding = bytes[0] & WITH_PADDING,
                                   .sequence = fixed.sequence,
                                   .timestamp = fixed.timestamp,
                                   .ssrc = fixed.ssrc,
                                   .csrc_count = bytes[0] & 0x0f,
                                   .header_size = fixed.header_size};
    at = bytes + LT_RTP_MIN_SIZE;
    for (unsigned i = 0; i < header->csrc_count; i++, at += WORD_SIZE)
        header->csrcs[i] = lt_read_be32(at);
    if (bytes[0] & WITH_EXTENSION)
        read_extension(header, at);
    return LIVETCP_OK;
}

/* ---- writing ---- */

static livetcp_result check_header(const livetcp_rtp_header *header, livetcp_error *error)
{
    if (!header)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the livetcp_rtp_header is NULL");
    if (header->payload_type > 127 || (header->payload_type >= 64 && header->payload_type <= 95))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "payload_type is %u: it is 0..127 without 64..95, which RFC 5761 forbids",
                       header->payload_type);
    if (header->csrc_count > LIVETCP_RTP_MAX_CSRCS)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "csrc_count is %u: it is 0..%d",
                       header->csrc_count, LIVETCP_RTP_MAX_CSRCS);
    if (header->has_extension && (header->extension_size % WORD_SIZE ||
                                  header->extension_size > (size_t)UINT16_MAX * WORD_SIZE))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "extension_size is %zu: it is a multiple of 4, at most 262140",
                       header->extension_size);
    if (header->has_extension && header->extension_size && !header->extension)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "an extension of %zu bytes is NULL",
                       header->extension_size);
    return LIVETCP_OK;
}

static size_t size_of(const livetcp_rtp_header *header)
{
    return LT_RTP_MIN_SIZE + WORD_SIZE * header->csrc_count +
           (header->has_extension ? WORD_SIZE + header->extension_size : 0);
}

static void write_extension(uint8_t *at, const livetcp_rtp_header *header)
{
    lt_write_be16(at, header->extension_profile);
    lt_write_be16(at + 2, (uint16_t)(header->extension_size / WORD_SIZE));
    if (header->extension_size)
        memcpy(at + WORD_SIZE, header->extension, header->extension_size);
}

livetcp_result livetcp_rtp_header_write(livetcp_rtp_header *header, void *packet, size_t size,
                                        livetcp_error *error)
{
    uint8_t *bytes = packet, *at;
    livetcp_result result = check_header(header, error);

    if (result != LIVETCP_OK)
        return result;
    if (!packet || size < size_of(header))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the RTP header has %zu bytes, and there is room for %zu", size_of(header),
                       packet ? size : 0);
    lt_rtp_write(bytes, &(lt_rtp_header){.payload_type = header->payload_type,
                                         .marker = header->marker,
                                         .sequence = header->sequence,
                                         .timestamp = header->timestamp,
                                         .ssrc = header->ssrc});
    bytes[0] |= (uint8_t)header->csrc_count | (header->padding ? WITH_PADDING : 0) |
                (header->has_extension ? WITH_EXTENSION : 0);
    at = bytes + LT_RTP_MIN_SIZE;
    for (unsigned i = 0; i < header->csrc_count; i++, at += WORD_SIZE)
        lt_write_be32(at, header->csrcs[i]);
    if (header->has_extension)
        write_extension(at, header);
    header->header_size = size_of(header);
    return LIVETCP_OK;
}
