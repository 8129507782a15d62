/* SPDX-License-Identifier: MIT */
/* Writing and reading of RTP headers. */
#include "catch.h"

#include <livetcp/rtp.h>

#include <cstring>
#include <string>
#include <vector>

namespace
{

livetcp_rtp_header full_header(const void *extension, size_t extension_size)
{
    livetcp_rtp_header header = {};
    header.payload_type = 111;
    header.marker = true;
    header.padding = true;
    header.sequence = 0xfffe;
    header.timestamp = 0xfedcba98;
    header.ssrc = 0x01020304;
    header.csrc_count = LIVETCP_RTP_MAX_CSRCS;
    for (unsigned i = 0; i < header.csrc_count; i++)
        header.csrcs[i] = 0x80000000 + i;
    header.has_extension = true;
    header.extension_profile = 0xbede;
    header.extension = extension;
    header.extension_size = extension_size;
    return header;
}

std::string write_error(livetcp_rtp_header header, size_t room = 1000)
{
    std::vector<uint8_t> packet(1000, 0x5a);
    livetcp_error error = {};
    CHECK(livetcp_rtp_header_write(&header, packet.data(), room, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(packet == std::vector<uint8_t>(1000, 0x5a));
    return error.message;
}

std::string read_error(const std::vector<uint8_t> &packet)
{
    livetcp_rtp_header header = {};
    livetcp_error error = {};
    header.ssrc = 7;
    CHECK(livetcp_rtp_header_read(&header, packet.data(), packet.size(), &error) ==
          LIVETCP_ERR_NOT_RTP);
    CHECK(header.ssrc == 7);
    return error.message;
}

bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the bytes of a header are those of RFC 3550")
{
    livetcp_rtp_header header = {};
    header.payload_type = 96;
    header.marker = true;
    header.sequence = 0x1234;
    header.timestamp = 0x56789abc;
    header.ssrc = 0xdef01234;
    std::vector<uint8_t> packet(LIVETCP_RTP_HEADER_SIZE);
    REQUIRE(livetcp_rtp_header_write(&header, packet.data(), packet.size(), nullptr) == LIVETCP_OK);
    CHECK(header.header_size == packet.size());
    CHECK(packet == std::vector<uint8_t>{0x80, 0xe0, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0,
                                         0x12, 0x34});
}

TEST_CASE("a header with everything is read as it was written")
{
    const uint8_t extension[8] = {0x10, 0xaa, 0, 0, 1, 2, 3, 4};
    livetcp_rtp_header written = full_header(extension, sizeof extension), read = {};
    std::vector<uint8_t> packet(200);
    REQUIRE(livetcp_rtp_header_write(&written, packet.data(), packet.size(), nullptr) ==
            LIVETCP_OK);
    CHECK(written.header_size == 12 + 60 + 4 + 8);
    REQUIRE(livetcp_rtp_header_read(&read, packet.data(), packet.size(), nullptr) == LIVETCP_OK);
    CHECK(read.payload_type == 111);
    CHECK(read.marker);
    CHECK(read.padding);
    CHECK(read.sequence == 0xfffe);
    CHECK(read.timestamp == 0xfedcba98);
    CHECK(read.ssrc == 0x01020304);
    REQUIRE(read.csrc_count == LIVETCP_RTP_MAX_CSRCS);
    CHECK(std::memcmp(read.csrcs, written.csrcs, sizeof read.csrcs) == 0);
    REQUIRE(read.has_extension);
    CHECK(read.extension_profile == 0xbede);
    REQUIRE(read.extension_size == sizeof extension);
    CHECK(read.extension == packet.data() + 12 + 60 + 4);
    CHECK(std::memcmp(read.extension, extension, sizeof extension) == 0);
    CHECK(read.header_size == written.header_size);

    /* Truncated at any size, it is refused. */
    for (size_t size = 12; size < written.header_size; size++)
        CHECK(contains(read_error({packet.begin(), packet.begin() + (long)size}), "end within"));
}

TEST_CASE("an extension may be empty")
{
    livetcp_rtp_header header = full_header(nullptr, 0), read = {};
    std::vector<uint8_t> packet(12 + 60 + 4);
    REQUIRE(livetcp_rtp_header_write(&header, packet.data(), packet.size(), nullptr) == LIVETCP_OK);
    REQUIRE(livetcp_rtp_header_read(&read, packet.data(), packet.size(), nullptr) == LIVETCP_OK);
    CHECK(read.has_extension);
    CHECK(read.extension_size == 0);
}

TEST_CASE("a header that cannot be is refused by the name of its field")
{
    const uint8_t extension[8] = {};
    const livetcp_rtp_header good = full_header(extension, sizeof extension);
    for (unsigned type : {64u, 72u, 95u, 128u, 255u}) {
        livetcp_rtp_header header = good;
        header.payload_type = (uint8_t)type;
        CHECK(contains(write_error(header), "payload_type"));
    }
    livetcp_rtp_header header = good;
    header.csrc_count = 16;
    CHECK(contains(write_error(header), "csrc_count is 16"));
    header = good;
    header.extension_size = 7;
    CHECK(contains(write_error(header), "extension_size is 7"));
    header.extension_size = 262144;
    CHECK(contains(write_error(header), "extension_size is 262144"));
    header = good;
    header.extension = nullptr;
    CHECK(contains(write_error(header), "extension of 8 bytes is NULL"));
    CHECK(contains(write_error(good, 83), "has 84 bytes, and there is room for 83"));

    header = good;
    CHECK(livetcp_rtp_header_write(nullptr, nullptr, 0, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_rtp_header_write(&header, nullptr, 100, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("bytes that are no RTP packet are refused with the reason")
{
    std::vector<uint8_t> packet(12);
    packet[0] = 0x80;
    CHECK(contains(read_error({0x80, 0}), "2 bytes are too few"));
    packet[0] = 0x40;
    CHECK(contains(read_error(packet), "version is 1"));
    packet[0] = 0x80;
    packet[1] = 200;
    packet[3] = 2;
    CHECK(contains(read_error(packet), "RTCP packet, of type 200"));
    packet[3] = 200; /* longer than the content */
    CHECK(contains(read_error(packet), "payload type is one of RTCP's"));

    livetcp_rtp_header header;
    CHECK(livetcp_rtp_header_read(&header, nullptr, 12, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_rtp_header_read(nullptr, packet.data(), 12, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
}
