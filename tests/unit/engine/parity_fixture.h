/* SPDX-License-Identifier: MIT */
/* RTP packets to protect, and a reference implementation of RFC 8627 section 6.2 that works on bit
 * strings, one bit at a time. */
#ifndef LT_TESTS_UNIT_CORE_PARITY_FIXTURE_H
#define LT_TESTS_UNIT_CORE_PARITY_FIXTURE_H

#include "catch.h"

#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "base/bytes.h"
#include "base/rng.h"
#include "base/seq.h"
#include "engine/packet.h"
#include "engine/repair/parity_encoder.h"
#include "rtp/rtp.h"
#include "wire/parity.h"
}

using Bytes = std::vector<uint8_t>;

inline Bytes from_hex(const std::string &text)
{
    Bytes bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes.push_back((uint8_t)std::stoul(text.substr(i, 2), nullptr, 16));
    return bytes;
}

inline Bytes bytes_of(const lt_packet *packet)
{
    return Bytes(lt_packet_data(packet), lt_packet_data(packet) + lt_packet_size(packet));
}

inline lt_packet *packet_of(const Bytes &bytes)
{
    lt_packet *packet = lt_packet_create(bytes.data(), bytes.size());
    packet->ssrc = lt_read_be32(&bytes[8]);
    packet->sequence = lt_read_be16(&bytes[2]);
    return packet;
}

inline lt_parity_added add(lt_parity_encoder *encoder, const Bytes &bytes)
{
    lt_packet *packet = packet_of(bytes);
    lt_parity_added added = lt_parity_encoder_add(encoder, packet);
    lt_packet_unref(&packet);
    return added;
}

/* The parity packet, without framing; empty if there is none. */
inline Bytes finish(lt_parity_encoder *encoder, livetcp_usec now = 0)
{
    lt_packet *packet = lt_parity_encoder_finish(encoder, now);
    if (!packet)
        return Bytes();
    Bytes bytes = bytes_of(packet);
    CHECK(packet->references == 1);
    CHECK_FALSE(packet->rtcp);
    CHECK(packet->enqueued_us == now);
    CHECK(packet->ssrc == lt_read_be32(&bytes[8]));
    CHECK(packet->sequence == lt_read_be16(&bytes[2]));
    CHECK(lt_read_be16(packet->frame) == bytes.size());
    lt_packet_unref(&packet);
    return bytes;
}

/* A packet with random flags, CSRCs, extension, marker, payload type, timestamp and payload. */
inline Bytes random_packet(lt_rng &rng, uint32_t ssrc, uint16_t sequence, size_t payload)
{
    unsigned csrcs = lt_rng_next(&rng) % 16, words = lt_rng_next(&rng) % 4;
    bool extension = lt_rng_next(&rng) % 2, padding = lt_rng_next(&rng) % 2;
    bool marker = lt_rng_next(&rng) % 2;
    Bytes bytes(LT_RTP_MIN_SIZE + 4 * csrcs + (extension ? 4 + 4 * words : 0) + payload);

    for (uint8_t &byte : bytes)
        byte = (uint8_t)lt_rng_next(&rng);
    bytes[0] = (uint8_t)(0x80 | padding << 5 | extension << 4 | csrcs);
    bytes[1] = (uint8_t)((unsigned)marker << 7 | (96 + lt_rng_next(&rng) % 32));
    lt_write_be16(&bytes[2], sequence);
    lt_write_be32(&bytes[8], ssrc);
    if (extension)
        lt_write_be16(&bytes[LT_RTP_MIN_SIZE + 4 * csrcs + 2], (uint16_t)words);
    return bytes;
}

/* RFC 8627 section 6.2: the first 64 bits of the header, 16 bits of length without the first 12
 * bytes, then the rest of the packet; padded with zeros and XORed. */
inline std::vector<bool> bit_string(const Bytes &packet)
{
    std::vector<bool> bits;
    Bytes bytes(packet.begin(), packet.begin() + 8);
    size_t length = packet.size() - 12;
    bytes.push_back((uint8_t)(length >> 8));
    bytes.push_back((uint8_t)length);
    bytes.insert(bytes.end(), packet.begin() + 12, packet.end());
    for (uint8_t byte : bytes)
        for (int bit = 7; bit >= 0; bit--)
            bits.push_back(byte >> bit & 1);
    return bits;
}

inline uint64_t take_bits(const std::vector<bool> &bits, size_t from, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 1 | bits[from + i];
    return value;
}

/* The expected parity packet from its FEC header on (section 6.2, figure 12), the mask written bit
 * by bit. */
inline Bytes expected_fec(const std::vector<Bytes> &group, uint16_t base)
{
    std::vector<bool> sum, mask(128);
    bool longer = false, longest = false;
    Bytes fec;

    for (const Bytes &packet : group) {
        std::vector<bool> bits = bit_string(packet);
        if (bits.size() > sum.size())
            sum.resize(bits.size());
        for (size_t i = 0; i < bits.size(); i++)
            sum[i] = sum[i] != bits[i];
        unsigned place = (uint16_t)(lt_read_be16(&packet[2]) - base);
        mask[place] = true;
        longer = longer || place > 14;
        longest = longest || place > 45;
    }
    auto append = [&fec](uint64_t value, unsigned size) {
        for (unsigned i = size; i--;)
            fec.push_back((uint8_t)(value >> 8 * i));
    };
    append(take_bits(sum, 2, 6), 1);   /* R = F = 0, P, X, CC */
    append(take_bits(sum, 8, 8), 1);   /* M, PT */
    append(take_bits(sum, 64, 16), 2); /* length */
    append(take_bits(sum, 32, 32), 4); /* timestamp */
    append(base, 2);
    append((uint64_t)longer << 15 | take_bits(mask, 0, 15), 2);
    if (longer)
        append((uint64_t)longest << 31 | take_bits(mask, 15, 31), 4);
    if (longest)
        append(take_bits(mask, 46, 64), 8);
    for (size_t i = 80; i < sum.size(); i += 8)
        append(take_bits(sum, i, 8), 1);
    return fec;
}

#endif
