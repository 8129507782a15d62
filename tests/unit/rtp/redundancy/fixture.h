/* SPDX-License-Identifier: MIT */
/* RTP packets to repeat, with encoder and decoder objects. */
#ifndef LT_TESTS_REDUNDANCY_FIXTURE_H
#define LT_TESTS_REDUNDANCY_FIXTURE_H

#include "catch.h"

#include <livetcp/rtp.h>

#include <string>
#include <vector>

extern "C" {
#include "base/bytes.h"
#include "rtp/rtp.h"
}

using Bytes = std::vector<uint8_t>;

struct Rtp {
    uint16_t sequence = 1;
    uint32_t timestamp = 160;
    std::string payload = "payload";
    uint8_t type = 0;
    bool marker = false;
    uint32_t ssrc = 0x11223344;

    Bytes bytes() const
    {
        Bytes out(LT_RTP_MIN_SIZE);
        out[0] = 0x80;
        out[1] = (uint8_t)(marker << 7 | type);
        lt_write_be16(&out[2], sequence);
        lt_write_be32(&out[4], timestamp);
        lt_write_be32(&out[8], ssrc);
        out.insert(out.end(), payload.begin(), payload.end());
        return out;
    }
};

inline livetcp_redundancy_config config_with(unsigned depth = 1, size_t max_packet = 1400)
{
    livetcp_redundancy_config config;
    livetcp_redundancy_config_init(&config);
    config.depth = depth;
    config.max_packet = max_packet;
    return config;
}

struct Encoder {
    livetcp_redundancy_encoder *encoder = nullptr;
    livetcp_error error = {};

    explicit Encoder(unsigned depth = 1, size_t max_packet = 1400)
    {
        livetcp_redundancy_config config = config_with(depth, max_packet);
        REQUIRE(livetcp_redundancy_encoder_create(&config, &encoder, nullptr) == LIVETCP_OK);
    }
    ~Encoder()
    {
        livetcp_redundancy_encoder_destroy(&encoder);
        CHECK(encoder == nullptr);
    }
    Encoder(const Encoder &) = delete;
    Encoder &operator=(const Encoder &) = delete;

    livetcp_result result_of(const Bytes &packet, const livetcp_redundancy_block *secondary,
                             Bytes *red)
    {
        const void *data = nullptr;
        size_t size = 0;
        livetcp_result result = livetcp_redundancy_encode(encoder, packet.data(), packet.size(),
                                                          secondary, &data, &size, &error);
        if (result == LIVETCP_OK)
            red->assign((const uint8_t *)data, (const uint8_t *)data + size);
        return result;
    }
    Bytes encode(const Rtp &packet, const livetcp_redundancy_block *secondary = nullptr)
    {
        Bytes red;
        REQUIRE(result_of(packet.bytes(), secondary, &red) == LIVETCP_OK);
        return red;
    }
    livetcp_redundancy_encoder_stats stats() const
    {
        livetcp_redundancy_encoder_stats stats = {};
        stats.struct_size = sizeof stats;
        livetcp_redundancy_encoder_get_stats(encoder, &stats);
        return stats;
    }
};

struct Frame {
    Rtp rtp;
    Bytes bytes;
    bool redundant;
    bool seen;
};

struct Decoder {
    livetcp_redundancy_decoder *decoder = nullptr;
    livetcp_error error = {};

    explicit Decoder(size_t max_packet = 1400)
    {
        livetcp_redundancy_config config = config_with(1, max_packet);
        REQUIRE(livetcp_redundancy_decoder_create(&config, &decoder, nullptr) == LIVETCP_OK);
    }
    ~Decoder()
    {
        livetcp_redundancy_decoder_destroy(&decoder);
        CHECK(decoder == nullptr);
    }
    Decoder(const Decoder &) = delete;
    Decoder &operator=(const Decoder &) = delete;

    livetcp_result result_of(const Bytes &packet, std::vector<Frame> *frames = nullptr)
    {
        livetcp_redundancy_frame out[LIVETCP_REDUNDANCY_MAX_FRAMES];
        size_t count = 77;
        livetcp_result result =
            livetcp_redundancy_decode(decoder, packet.data(), packet.size(), out, &count, &error);
        CHECK((result == LIVETCP_OK) == (count > 0));
        for (size_t i = 0; frames && i < count; i++) {
            Frame f = {
                {},
                Bytes((const uint8_t *)out[i].packet, (const uint8_t *)out[i].packet + out[i].size),
                out[i].redundant,
                out[i].seen};
            lt_rtp_header header;
            REQUIRE(lt_rtp_parse(f.bytes.data(), f.bytes.size(), &header));
            f.rtp = {header.sequence,
                     header.timestamp,
                     std::string(f.bytes.begin() + (long)header.header_size, f.bytes.end()),
                     header.payload_type,
                     header.marker,
                     header.ssrc};
            frames->push_back(f);
        }
        return result;
    }
    std::vector<Frame> decode(const Bytes &packet)
    {
        std::vector<Frame> frames;
        livetcp_result result = result_of(packet, &frames);
        INFO(error.message);
        REQUIRE(result == LIVETCP_OK);
        return frames;
    }
    livetcp_redundancy_decoder_stats stats() const
    {
        livetcp_redundancy_decoder_stats stats = {};
        stats.struct_size = sizeof stats;
        livetcp_redundancy_decoder_get_stats(decoder, &stats);
        return stats;
    }
};

#endif
