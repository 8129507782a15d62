/* SPDX-License-Identifier: MIT */
#include "relay/plan/packing.h"

#include "base/bytes.h"

#include <livetcp/rtp.h>

#include <string.h>

enum { TS_SYNC = 0x47 };

void lt_relay_packer_init(lt_relay_packer *packer, lt_relay_encap encap, unsigned payload_type,
                          const uint8_t seed[LT_RELAY_SEED])
{
    *packer = (lt_relay_packer){.encap = encap,
                                .payload_type =
                                    encap == LT_RELAY_ENCAP_TS ? LT_RELAY_TS_TYPE : payload_type,
                                .ssrc = lt_read_be32(seed),
                                .first_timestamp = lt_read_be32(seed + 4),
                                .sequence = lt_read_be16(seed + 8)};
}

bool lt_relay_is_rtcp(const uint8_t *packet, size_t size)
{
    return size >= 8 && packet[0] >> 6 == 2 && packet[1] >= 192 && packet[1] <= 223;
}

static bool is_rtp(const uint8_t *packet, size_t size)
{
    livetcp_rtp_header header;

    return livetcp_rtp_header_read(&header, packet, size, NULL) == LIVETCP_OK;
}

static bool is_ts(const uint8_t *datagram, size_t size)
{
    if (!size || size % LT_RELAY_TS_PACKET)
        return false;
    for (size_t i = 0; i < size; i += LT_RELAY_TS_PACKET)
        if (datagram[i] != TS_SYNC)
            return false;
    return true;
}

lt_relay_fit lt_relay_pack(lt_relay_packer *packer, const uint8_t *datagram, size_t size,
                           livetcp_usec now, uint8_t *packet_buffer, const uint8_t **packet,
                           size_t *packet_size)
{
    livetcp_rtp_header header = {.payload_type = (uint8_t)packer->payload_type,
                                 .ssrc = packer->ssrc,
                                 .sequence = packer->sequence};

    if (packer->encap == LT_RELAY_ENCAP_RTP) {
        *packet = datagram;
        *packet_size = size;
        return lt_relay_is_rtcp(datagram, size) || is_rtp(datagram, size) ? LT_RELAY_FITS
                                                                          : LT_RELAY_NOT_RTP;
    }
    if (packer->encap == LT_RELAY_ENCAP_TS && !is_ts(datagram, size))
        return LT_RELAY_NOT_TS;
    if (size > LT_RELAY_PACKET_MAX - LIVETCP_RTP_HEADER_SIZE)
        return LT_RELAY_TOO_LONG;
    /* 90 kHz, from the datagram's arrival: RFC 2250 asks for the time of transmission. */
    header.timestamp = packer->first_timestamp + (uint32_t)((uint64_t)now * 9 / 100);
    if (livetcp_rtp_header_write(&header, packet_buffer, LT_RELAY_PACKET_MAX, NULL) != LIVETCP_OK)
        return LT_RELAY_TOO_LONG;
    if (size)
        memcpy(packet_buffer + header.header_size, datagram, size);
    packer->sequence++;
    *packet = packet_buffer;
    *packet_size = header.header_size + size;
    return LT_RELAY_FITS;
}

lt_relay_fit lt_relay_unpack(const lt_relay_packer *packer, const uint8_t *packet, size_t size,
                             const uint8_t **datagram, size_t *datagram_size)
{
    livetcp_rtp_header header;

    *datagram = packet;
    *datagram_size = size;
    if (packer->encap == LT_RELAY_ENCAP_RTP)
        return LT_RELAY_FITS;
    if (lt_relay_is_rtcp(packet, size))
        return LT_RELAY_NOT_FOR_OUTPUT;
    if (livetcp_rtp_header_read(&header, packet, size, NULL) != LIVETCP_OK)
        return LT_RELAY_NOT_RTP;
    if (header.payload_type != packer->payload_type)
        return LT_RELAY_ANOTHER_TYPE;
    *datagram += header.header_size;
    *datagram_size -= header.header_size;
    if (header.padding) {
        size_t padding = *datagram_size ? packet[size - 1] : 0;
        if (!padding || padding > *datagram_size)
            return LT_RELAY_NOT_RTP;
        *datagram_size -= padding;
    }
    return LT_RELAY_FITS;
}

const char *lt_relay_fit_text(lt_relay_fit fit)
{
    switch (fit) {
    case LT_RELAY_FITS:
        break;
    case LT_RELAY_NOT_RTP:
        return "neither RTP nor RTCP; encap=raw relays any datagram";
    case LT_RELAY_NOT_TS:
        return "no whole number of MPEG-TS packets of 188 bytes; with ffmpeg say pkt_size=1316, or "
               "relay it with encap=raw";
    case LT_RELAY_TOO_LONG:
        return "longer than a packet may be";
    case LT_RELAY_ANOTHER_TYPE:
        return "of another payload type; both relays need the same encap and pt";
    case LT_RELAY_NOT_FOR_OUTPUT:
        return "RTCP, which a program without RTP does not get";
    }
    return "as it should be";
}
