/* SPDX-License-Identifier: MIT */
/* Lookup of codecs by name, and the cases common to all codecs: headers, padding, RTCP, audio. */
#include "catch.h"
#include "packets.h"

using namespace importance;

TEST_CASE("codecs are known by their encoding names", "[importance]")
{
    CHECK(livetcp_codec_from_name("H264") == LIVETCP_CODEC_H264);
    CHECK(livetcp_codec_from_name("h264") == LIVETCP_CODEC_H264);
    CHECK(livetcp_codec_from_name("H265") == LIVETCP_CODEC_H265);
    CHECK(livetcp_codec_from_name("vp8") == LIVETCP_CODEC_VP8);
    CHECK(livetcp_codec_from_name("VP9") == LIVETCP_CODEC_VP9);
    CHECK(livetcp_codec_from_name("av1") == LIVETCP_CODEC_AV1);
    for (const char *name : {"OPUS", "opus", "PCMU", "PCMA", "G722", "L16", "AMR-WB", "MP4A-LATM",
                             "telephone-event"}) {
        INFO(name);
        CHECK(livetcp_codec_from_name(name) == LIVETCP_CODEC_AUDIO);
    }
    for (const char *name : {"", "H26", "H2640", "H263", "JPEG", "RED", "MPEG4-GENERIC", "MP2T"}) {
        INFO(name);
        CHECK(livetcp_codec_from_name(name) == LIVETCP_CODEC_UNKNOWN);
    }
    CHECK(livetcp_codec_from_name(nullptr) == LIVETCP_CODEC_UNKNOWN);
}

TEST_CASE("what is dropped last has the largest importance", "[importance]")
{
    CHECK(LIVETCP_IMPORTANCE_UNKNOWN < LIVETCP_IMPORTANCE_DROPPABLE);
    CHECK(LIVETCP_IMPORTANCE_DROPPABLE < LIVETCP_IMPORTANCE_DELTA);
    CHECK(LIVETCP_IMPORTANCE_DELTA < LIVETCP_IMPORTANCE_AUDIO);
    CHECK(LIVETCP_IMPORTANCE_AUDIO < LIVETCP_IMPORTANCE_KEY);
}

TEST_CASE("every RTP packet of an audio stream is audio, encrypted or empty", "[importance]")
{
    CHECK(of(LIVETCP_CODEC_AUDIO, packet(from_hex("d5d5d5d5"))) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(of(LIVETCP_CODEC_AUDIO, packet({})) == LIVETCP_IMPORTANCE_AUDIO);
}

TEST_CASE("what is not RTP is unknown whatever the codec", "[importance]")
{
    Bytes rtcp = from_hex("80c90001 00000001"), short_one(11, 0x80);
    for (int codec = LIVETCP_CODEC_UNKNOWN; codec <= LIVETCP_CODEC_AUDIO; codec++) {
        INFO(codec);
        CHECK(of((livetcp_codec)codec, rtcp) == LIVETCP_IMPORTANCE_UNKNOWN);
        CHECK(of((livetcp_codec)codec, short_one) == LIVETCP_IMPORTANCE_UNKNOWN);
        CHECK(livetcp_importance_of((livetcp_codec)codec, nullptr, 0) ==
              LIVETCP_IMPORTANCE_UNKNOWN);
    }
}

TEST_CASE("a codec that is unknown says nothing", "[importance]")
{
    Bytes idr = packet(from_hex("6588"));
    CHECK(of(LIVETCP_CODEC_UNKNOWN, idr) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(of((livetcp_codec)99, idr) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(of((livetcp_codec)-1, idr) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("the payload is found behind CSRCs and extension, and before padding", "[importance]")
{
    const std::string fixed = "60 0000 00000000 00000001 ", extension = "bede0001 10ff0000 ";
    auto h264 = [&](const std::string &hex) { return of(LIVETCP_CODEC_H264, from_hex(hex)); };
    CHECK(h264("80" + fixed + "65") == LIVETCP_IMPORTANCE_KEY);
    CHECK(h264("82" + fixed + "00000002 00000003 65") == LIVETCP_IMPORTANCE_KEY);
    CHECK(h264("90" + fixed + extension + "65") == LIVETCP_IMPORTANCE_KEY);
    CHECK(h264("91" + fixed + "00000002" + extension + "65") == LIVETCP_IMPORTANCE_KEY);
    CHECK(h264("a0" + fixed + "65 000003") == LIVETCP_IMPORTANCE_KEY);

    /* STAP-A whose only unit fits only if the padding is removed exactly once */
    CHECK(h264("a0" + fixed + "78 0001 65 000003") == LIVETCP_IMPORTANCE_KEY);
    CHECK(h264("80" + fixed + "78 0001 65 000003") == LIVETCP_IMPORTANCE_UNKNOWN);

    CHECK(h264("80" + fixed) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(h264("a0" + fixed + "01") == LIVETCP_IMPORTANCE_UNKNOWN);    /* padding only */
    CHECK(h264("a0" + fixed + "65 00") == LIVETCP_IMPORTANCE_UNKNOWN); /* padding of nothing */
    CHECK(h264("a0" + fixed + "65 03") == LIVETCP_IMPORTANCE_UNKNOWN); /* longer than the payload */
    CHECK(h264("a0" + fixed) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(h264("90" + fixed + "bede00ff 65") == LIVETCP_IMPORTANCE_UNKNOWN);
}
