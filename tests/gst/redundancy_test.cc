/* SPDX-License-Identifier: MIT */
/* RFC 2198 against GStreamer's rtpredenc and rtpreddec. */
#include "catch.h"
#include "support.h"

#include <gst/check/gstharness.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <livetcp/rtp.h>

#include <map>
#include <set>

namespace
{

const char caps[] = "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU,payload=0";
const unsigned red_type = 63;

std::string payload_of(unsigned n)
{
    return "frame " + std::to_string(n);
}

GstBuffer *make_packet(unsigned n)
{
    std::string payload = payload_of(n);
    GstBuffer *buffer = gst_rtp_buffer_new_allocate((guint)payload.size(), 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    gst_rtp_buffer_map(buffer, GST_MAP_WRITE, &rtp);
    gst_rtp_buffer_set_seq(&rtp, (guint16)n);
    gst_rtp_buffer_set_timestamp(&rtp, 160 * n);
    gst_rtp_buffer_set_ssrc(&rtp, 0x11223344);
    gst_rtp_buffer_set_payload_type(&rtp, 0);
    memcpy(gst_rtp_buffer_get_payload(&rtp), payload.data(), payload.size());
    gst_rtp_buffer_unmap(&rtp);
    GST_BUFFER_PTS(buffer) = n * 20 * GST_MSECOND;
    return buffer;
}

std::string bytes_of(GstBuffer *buffer)
{
    std::string bytes(gst_buffer_get_size(buffer), '\0');
    gst_buffer_extract(buffer, 0, &bytes[0], bytes.size());
    return bytes;
}

/* An RTP packet that is frame n must say so in all its fields. */
unsigned check_frame(const void *data, size_t size)
{
    GstBuffer *buffer = gst_buffer_new_memdup(data, size);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    REQUIRE(gst_rtp_buffer_map(buffer, GST_MAP_READ, &rtp));
    unsigned n = gst_rtp_buffer_get_seq(&rtp);
    CHECK(gst_rtp_buffer_get_timestamp(&rtp) == 160 * n);
    CHECK(gst_rtp_buffer_get_payload_type(&rtp) == 0);
    CHECK(gst_rtp_buffer_get_ssrc(&rtp) == 0x11223344);
    CHECK(std::string((const char *)gst_rtp_buffer_get_payload(&rtp),
                      gst_rtp_buffer_get_payload_len(&rtp)) == payload_of(n));
    gst_rtp_buffer_unmap(&rtp);
    gst_buffer_unref(buffer);
    return n;
}

bool is_lost(unsigned n)
{
    return n == 20 || n == 30 || n == 31;
}

} // namespace

TEST_CASE("rtpreddec takes our packets apart, and finds what is missing in the next")
{
    lt::init();
    livetcp_redundancy_config config;
    livetcp_redundancy_config_init(&config);
    config.depth = 2;
    livetcp_redundancy_encoder *encoder = nullptr;
    REQUIRE(livetcp_redundancy_encoder_create(&config, &encoder, nullptr) == LIVETCP_OK);
    GstHarness *decoder = gst_harness_new("rtpreddec");
    g_object_set(decoder->element, "pt", red_type, nullptr);
    gst_harness_set_src_caps_str(decoder, caps);
    std::set<unsigned> got;
    for (unsigned n = 10; n < 50; n++) {
        GstBuffer *media = make_packet(n);
        std::string primary = bytes_of(media);
        gst_buffer_unref(media);
        const void *red = nullptr;
        size_t size = 0;
        REQUIRE(livetcp_redundancy_encode(encoder, primary.data(), primary.size(), nullptr, &red,
                                          &size, nullptr) == LIVETCP_OK);
        if (is_lost(n))
            continue;
        REQUIRE(gst_harness_push(decoder, gst_buffer_new_memdup(red, size)) == GST_FLOW_OK);
        while (GstBuffer *out = gst_harness_try_pull(decoder)) {
            std::string bytes = bytes_of(out);
            got.insert(check_frame(bytes.data(), bytes.size()));
            gst_buffer_unref(out);
        }
    }
    for (unsigned n = 10; n < 50; n++) {
        CAPTURE(n);
        CHECK(got.count(n) == 1);
    }
    gst_harness_teardown(decoder);
    livetcp_redundancy_encoder_destroy(&encoder);
}

TEST_CASE("we take apart what rtpredenc makes, whatever its distance")
{
    lt::init();
    for (unsigned distance = 1; distance <= 3; distance++) {
        CAPTURE(distance);
        livetcp_redundancy_config config;
        livetcp_redundancy_config_init(&config);
        livetcp_redundancy_decoder *decoder = nullptr;
        REQUIRE(livetcp_redundancy_decoder_create(&config, &decoder, nullptr) == LIVETCP_OK);
        GstHarness *encoder = gst_harness_new("rtpredenc");
        g_object_set(encoder->element, "pt", red_type, "distance", distance, nullptr);
        gst_harness_set_src_caps_str(encoder, caps);
        std::map<unsigned, bool> got; /* redundant? */
        for (unsigned n = 10; n < 50; n++) {
            REQUIRE(gst_harness_push(encoder, make_packet(n)) == GST_FLOW_OK);
            GstBuffer *made = gst_harness_pull(encoder);
            std::string red = bytes_of(made);
            gst_buffer_unref(made);
            if (is_lost(n))
                continue;
            livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
            size_t count = 0;
            REQUIRE(livetcp_redundancy_decode(decoder, red.data(), red.size(), frames, &count,
                                              nullptr) == LIVETCP_OK);
            CHECK(count == (n == 10 ? 1u : 2u));
            for (size_t i = 0; i < count; i++)
                got.emplace(check_frame(frames[i].packet, frames[i].size), frames[i].redundant);
        }
        for (unsigned n = 10; n < 50; n++) {
            CAPTURE(n);
            bool saved = is_lost(n) && !is_lost(n + distance);
            CHECK(got.count(n) == (!is_lost(n) || saved));
            if (saved)
                CHECK(got[n]);
        }
        gst_harness_teardown(encoder);
        livetcp_redundancy_decoder_destroy(&decoder);
    }
}
