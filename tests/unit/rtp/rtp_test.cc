/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <vector>

extern "C" {
#include "rtp/rtp.h"
}

namespace
{

using Bytes = std::vector<uint8_t>;

/* Sequence 0x1234, timestamp 0x01020304, SSRC 0xdeadbeef, payload type 96. */
Bytes rtp(uint8_t first = 0x80, size_t payload = 20)
{
    Bytes bytes = {first, 96, 0x12, 0x34, 1, 2, 3, 4, 0xde, 0xad, 0xbe, 0xef};
    bytes.resize(bytes.size() + payload);
    return bytes;
}

/* An RTCP packet of `words` words behind its header, all SSRC-like. */
Bytes rtcp(uint8_t type, uint8_t count, size_t words)
{
    Bytes bytes = {(uint8_t)(0x80 | count), type, (uint8_t)(words >> 8), (uint8_t)words};
    for (size_t i = 0; i < words; i++)
        bytes.insert(bytes.end(), {0xca, 0xfe, 0, (uint8_t)i});
    return bytes;
}

/* Classifies a copy of exactly that size, so that a sanitizer reports a read past the end. */
lt_rtp_kind classify(const Bytes &bytes)
{
    Bytes exact(bytes.begin(), bytes.end());
    exact.shrink_to_fit();
    return lt_rtp_classify(exact.data(), exact.size());
}

} // namespace

TEST_CASE("an RTP header is read", "[rtp]")
{
    Bytes bytes = rtp();
    bytes[1] |= 0x80;
    bytes[1] = 0x80 | 33;
    lt_rtp_header header = {};
    REQUIRE(lt_rtp_parse(bytes.data(), bytes.size(), &header));
    CHECK(header.ssrc == 0xdeadbeef);
    CHECK(header.timestamp == 0x01020304);
    CHECK(header.sequence == 0x1234);
    CHECK(header.payload_type == 33);
    CHECK(header.marker);
    CHECK(header.header_size == 12);
    CHECK(classify(bytes) == LT_RTP_MEDIA);
}

TEST_CASE("frames shorter than a header are neither", "[rtp]")
{
    Bytes bytes = rtp(0x80, 0);
    CHECK(classify(bytes) == LT_RTP_MEDIA);
    for (size_t size = 0; size < 12; size++)
        CHECK(lt_rtp_classify(bytes.data(), size) == LT_RTP_INVALID);
    CHECK(lt_rtp_classify(nullptr, 0) == LT_RTP_INVALID);
}

TEST_CASE("only version 2 is RTP", "[rtp]")
{
    for (uint8_t version : {0, 1, 3}) {
        CHECK(classify(rtp((uint8_t)(version << 6))) == LT_RTP_INVALID);
        Bytes control = rtcp(200, 0, 6);
        control[0] = (uint8_t)(version << 6);
        CHECK(classify(control) == LT_RTP_INVALID);
    }
}

TEST_CASE("CSRCs must fit", "[rtp]")
{
    lt_rtp_header header = {};
    for (uint8_t count = 0; count < 16; count++) {
        Bytes bytes = rtp((uint8_t)(0x80 | count), 4u * count);
        REQUIRE(lt_rtp_parse(bytes.data(), bytes.size(), &header));
        CHECK(header.header_size == 12u + 4u * count);
        bytes.pop_back();
        if (count) {
            header.ssrc = 1;
            CHECK_FALSE(lt_rtp_parse(bytes.data(), bytes.size(), &header));
            CHECK(header.ssrc == 1);
        }
    }
}

TEST_CASE("a header extension must fit", "[rtp]")
{
    lt_rtp_header header = {};
    Bytes bytes = rtp(0x91, 4 + 4 + 8);
    bytes[12 + 4 + 3] = 2;
    REQUIRE(lt_rtp_parse(bytes.data(), bytes.size(), &header));
    CHECK(header.header_size == 12 + 4 + 4 + 8);
    bytes.pop_back();
    CHECK(classify(bytes) == LT_RTP_INVALID);
    bytes.resize(12 + 4 + 3);
    CHECK(classify(bytes) == LT_RTP_INVALID);
    bytes = rtp(0x90, 1000);
    bytes[14] = 0xff;
    bytes[15] = 0xff;
    CHECK(classify(bytes) == LT_RTP_INVALID);
}

TEST_CASE("padding may be encrypted and is not looked at", "[rtp]")
{
    Bytes bytes = rtp(0xa0, 20);
    for (unsigned last : {0u, 1u, 20u, 21u, 255u}) {
        bytes.back() = (uint8_t)last;
        CHECK(classify(bytes) == LT_RTP_MEDIA);
    }
}

TEST_CASE("the second byte tells RTCP from RTP", "[rtp]")
{
    for (unsigned second = 0; second < 256; second++) {
        Bytes bytes = rtp(0x80, 16); /* as RTCP: 6 words behind the header */
        bytes[1] = (uint8_t)second;
        bytes[2] = 0;
        bytes[3] = 6;
        INFO("second byte " << second);
        CHECK(classify(bytes) == (second >= 192 && second <= 223 ? LT_RTP_CONTROL : LT_RTP_MEDIA));
        lt_rtp_header header;
        CHECK(lt_rtp_parse(bytes.data(), bytes.size(), &header) ==
              !(second >= 192 && second <= 223));
    }
}

TEST_CASE("the first packet of an RTCP compound has to fit", "[rtp]")
{
    Bytes report = rtcp(201, 0, 7);
    CHECK(classify(report) == LT_RTP_CONTROL);
    for (size_t size = 0; size < report.size(); size++) {
        INFO("cut to " << size);
        CHECK(classify(Bytes(report.begin(), report.begin() + size)) == LT_RTP_INVALID);
    }
    Bytes compound = report, sdes = rtcp(202, 1, 3);
    compound.insert(compound.end(), sdes.begin(), sdes.end());
    CHECK(classify(compound) == LT_RTP_CONTROL);
    compound[2] = 0xff;
    CHECK(classify(compound) == LT_RTP_INVALID);
}

TEST_CASE("SRTCP is RTCP: behind its first eight bytes all is encrypted", "[rtp]")
{
    Bytes secured = rtcp(201, 0, 1);
    for (unsigned i = 0; i < 14; i++) /* E flag and index, authentication tag */
        secured.push_back((uint8_t)(37 * i + 5));
    CHECK(classify(secured) == LT_RTP_CONTROL);
}

TEST_CASE("reduced-size RTCP is RTCP", "[rtp]")
{
    CHECK(classify(rtcp(206, 1, 2)) == LT_RTP_CONTROL); /* PSFB alone, RFC 5506 */
    CHECK(classify(rtcp(203, 0, 0)) == LT_RTP_CONTROL); /* empty BYE, 4 bytes */
}

TEST_CASE("the SSRC of RTCP is the first packet's", "[rtp]")
{
    Bytes report = rtcp(200, 0, 6), bye = rtcp(203, 0, 0), reason = rtcp(203, 0, 2);
    CHECK(lt_rtcp_ssrc(report.data(), report.size()) == 0xcafe0000);
    CHECK(lt_rtcp_ssrc(bye.data(), bye.size()) == 0);
    CHECK(lt_rtcp_ssrc(reason.data(), reason.size()) == 0);
    bye.insert(bye.end(), report.begin(), report.end());
    CHECK(lt_rtcp_ssrc(bye.data(), bye.size()) == 0);
    Bytes named = rtcp(203, 1, 1);
    CHECK(lt_rtcp_ssrc(named.data(), named.size()) == 0xcafe0000);
}
