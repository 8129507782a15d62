/* SPDX-License-Identifier: MIT */
#include "relay/pcap.h"

#include "base/bytes.h"

#include <string.h>

enum {
    FILE_HEADER = 24,
    RECORD_HEADER = 16,
    IP_HEADER = 20,
    UDP_HEADER = 8,
    HEADERS = IP_HEADER + UDP_HEADER,
    IP_MAX = 65535,
    LINKTYPE_RAW = 101,
    RTP_PORT = 5004,
};

livetcp_result lt_relay_pcap_open(lt_relay_pcap *pcap, uv_loop_t *loop, const char *path,
                                  livetcp_error *error)
{
    uint8_t header[FILE_HEADER] = {0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4};

    lt_write_be32(header + 16, IP_MAX);
    lt_write_be32(header + 20, LINKTYPE_RAW);
    pcap->writer = lt_relay_writer_open(loop, path, error);
    if (!pcap->writer)
        return LIVETCP_ERR_SYSTEM;
    (void)lt_relay_writer_put(pcap->writer, header, sizeof header, NULL, 0);
    return LIVETCP_OK;
}

static uint16_t checksum(const uint8_t *header)
{
    uint32_t sum = 0;

    for (int i = 0; i < IP_HEADER; i += 2)
        sum += lt_read_be16(header + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

void lt_relay_pcap_put(lt_relay_pcap *pcap, unsigned route, unsigned end, bool rtcp,
                       const uint8_t *packet, size_t size)
{
    uint8_t head[RECORD_HEADER + HEADERS] = {0};
    uint8_t *ip = head + RECORD_HEADER, *udp = ip + IP_HEADER;
    const size_t whole = size;
    uv_timeval64_t now = {0};

    if (!pcap->writer)
        return;
    if (size > IP_MAX - HEADERS)
        size = IP_MAX - HEADERS;
    uv_gettimeofday(&now);
    lt_write_be32(head, (uint32_t)now.tv_sec);
    lt_write_be32(head + 4, (uint32_t)now.tv_usec);
    lt_write_be32(head + 8, (uint32_t)(size + HEADERS));
    lt_write_be32(head + 12, (uint32_t)(whole + HEADERS));
    ip[0] = 0x45;
    lt_write_be16(ip + 2, (uint16_t)(size + HEADERS));
    ip[8] = 64;
    ip[9] = 17; /* UDP */
    lt_write_be32(ip + 12, 10u << 24 | (route & 0xffff) << 8 | (end + 1));
    lt_write_be32(ip + 16, 10u << 24 | (route & 0xffff) << 8 | 254);
    lt_write_be16(ip + 10, checksum(ip));
    lt_write_be16(udp, (uint16_t)(RTP_PORT + rtcp));
    lt_write_be16(udp + 2, (uint16_t)(RTP_PORT + rtcp));
    lt_write_be16(udp + 4, (uint16_t)(size + UDP_HEADER)); /* checksum 0 = none (RFC 768) */
    if (!lt_relay_writer_put(pcap->writer, head, sizeof head, packet, size))
        pcap->left_out++;
}

void lt_relay_pcap_close(lt_relay_pcap *pcap)
{
    lt_relay_writer_destroy(&pcap->writer);
}
