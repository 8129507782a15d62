/* SPDX-License-Identifier: MIT */
/* Packets of the bench: RTP with a probe in the payload, which identifies the packet and its send
 * time. */
#ifndef LT_LAB_BENCH_PACKET_H
#define LT_LAB_BENCH_PACKET_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LT_BENCH_SSRC = 0x4c540000, /* of stream 0 */
    LT_BENCH_CLOCK_RATE = 90000,
    LT_BENCH_SECONDARY_TYPE = 97 /* payload type of repetitions */
};

typedef struct lt_probe {
    uint32_t stream;
    uint32_t index; /* of the packet within its stream; its low 16 bits are the sequence number */
    livetcp_usec sent;
    bool marker; /* of RTP: the last packet of a frame */
} lt_probe;

/* Writes the RTP header and an incompressible payload, once per buffer. `size` excludes framing,
 * and is at least 28. */
void lt_packet_prepare(uint8_t *packet, size_t size, uint32_t ssrc, uint64_t seed);

/* Writes the fields that differ between packets. `media_us` is the time of the RTP timestamp. */
void lt_packet_timestamp(uint8_t *packet, const lt_probe *probe, livetcp_usec media_us);

/* False if it is not a packet of the bench, primary or secondary. */
bool lt_packet_read(const uint8_t *packet, size_t size, lt_probe *probe);

#endif
