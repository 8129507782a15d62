/* SPDX-License-Identifier: MIT */
#include "lab/bench/packet.h"

#include "base/bytes.h"
#include "base/rng.h"
#include "lab/bench/plan.h"

enum { PAYLOAD_TYPE = 96, MARKER = 0x80, CLOCK_KHZ = LT_BENCH_CLOCK_RATE / 1000 };

void lt_packet_prepare(uint8_t *packet, size_t size, uint32_t ssrc, uint64_t seed)
{
    lt_rng rng;
    packet[0] = 2 << 6; /* version 2, no padding, extension or contributing sources */
    packet[1] = PAYLOAD_TYPE;
    lt_write_be32(packet + 8, ssrc);
    lt_rng_seed(&rng, seed);
    for (size_t i = LT_BENCH_RTP + LT_BENCH_PROBE; i < size; i++)
        packet[i] = (uint8_t)lt_rng_next(&rng);
}

void lt_packet_timestamp(uint8_t *packet, const lt_probe *probe, livetcp_usec media_us)
{
    uint8_t *payload = packet + LT_BENCH_RTP;
    packet[1] = probe->marker ? PAYLOAD_TYPE | MARKER : PAYLOAD_TYPE;
    lt_write_be16(packet + 2, (uint16_t)probe->index);
    lt_write_be32(packet + 4, (uint32_t)(media_us * CLOCK_KHZ / 1000));
    lt_write_be32(payload, probe->stream);
    lt_write_be32(payload + 4, probe->index);
    lt_write_be64(payload + 8, (uint64_t)probe->sent);
}

bool lt_packet_read(const uint8_t *packet, size_t size, lt_probe *probe)
{
    const uint8_t *payload = packet + LT_BENCH_RTP;
    if (size < LT_BENCH_RTP + LT_BENCH_PROBE || packet[0] != 2 << 6 ||
        ((packet[1] & ~MARKER) != PAYLOAD_TYPE && packet[1] != LT_BENCH_SECONDARY_TYPE))
        return false;
    probe->stream = lt_read_be32(payload);
    probe->index = lt_read_be32(payload + 4);
    probe->marker = packet[1] & MARKER;
    probe->sent = (livetcp_usec)lt_read_be64(payload + 8);
    return (uint16_t)probe->index == lt_read_be16(packet + 2);
}
