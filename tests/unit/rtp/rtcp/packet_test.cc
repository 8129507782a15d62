/* SPDX-License-Identifier: MIT */
/* RTCP compound packets: encoded as RFC 3550 defines them, and decoded from any conforming sender.
 */
#include "catch.h"

#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "rtp/rtcp/ntp.h"
#include "rtp/rtcp/packet.h"
}

namespace
{

using Bytes = std::vector<uint8_t>;

const lt_rtcp_sender_info info = {UINT64_C(0xb44db7052000abcd), 0x01020304, 10, 1600};
const lt_rtcp_block block = {0x11223344, 64, -2, 0x0001fffe, 77, 0xb7052000, 0x00054000};

struct Writer : lt_rtcp_writer {
    explicit Writer(size_t room) : lt_rtcp_writer(), bytes(room)
    {
        data = bytes.data();
        size = room;
        used = 0;
    }
    Bytes written() const
    {
        return Bytes(bytes.begin(), bytes.begin() + static_cast<long>(used));
    }
    Bytes bytes;
};

/* Reads from an allocation of exactly the packet's size, so that a sanitizer reports a read past
 * the end. */
struct Reader {
    explicit Reader(const Bytes &input) : bytes(input)
    {
        bytes.shrink_to_fit();
        reader = {bytes.data(), bytes.size()};
    }
    lt_rtcp_step next()
    {
        return lt_rtcp_read(&reader, &part);
    }
    Bytes bytes;
    lt_rtcp_reader reader;
    lt_rtcp_part part = {};
};

/* The source at `position` of a BYE; of an SDES, the first one. */
uint32_t source(const lt_rtcp_part &part, size_t position)
{
    REQUIRE(part.size >= 4 * (position + 1));
    uint32_t ssrc = 0;
    for (size_t i = 4 * position; i < 4 * (position + 1); i++)
        ssrc = ssrc << 8 | part.body[i];
    return ssrc;
}

/* The first item of an SDES: the CNAME. */
std::string cname(const lt_rtcp_part &part)
{
    REQUIRE(part.size >= 6);
    CHECK(part.body[4] == 1);
    REQUIRE(part.size >= 6u + part.body[5]);
    return std::string(reinterpret_cast<const char *>(part.body) + 6, part.body[5]);
}

} // namespace

TEST_CASE("a sender report has the layout of RFC 3550", "[rtcp]")
{
    Writer writer(200);
    REQUIRE(lt_rtcp_write_report(&writer, 0xcafe0001, &info, &block, 1));
    Bytes expected = {0x81, 200,  0,    12,   0xca, 0xfe, 0,    1,    /* header, sender */
                      0xb4, 0x4d, 0xb7, 0x05, 0x20, 0,    0xab, 0xcd, /* NTP */
                      1,    2,    3,    4,    0,    0,    0,    10,   /* timestamp, packets */
                      0,    0,    6,    0x40,                         /* octets */
                      0x11, 0x22, 0x33, 0x44, 64,   0xff, 0xff, 0xfe, /* source, lost */
                      0,    1,    0xff, 0xfe, 0,    0,    0,    77,   /* highest, jitter */
                      0xb7, 0x05, 0x20, 0,    0,    5,    0x40, 0};   /* LSR, DLSR */
    CHECK(writer.written() == expected);
}

TEST_CASE("what was written is read again", "[rtcp]")
{
    Writer writer(400);
    std::vector<lt_rtcp_block> blocks(3, block);
    blocks[1].cumulative_lost = 0x7fffff;
    blocks[2].cumulative_lost = -0x800000;
    uint32_t ssrcs[] = {5, 6}, ssrc = 0;
    REQUIRE(lt_rtcp_write_report(&writer, 5, &info, blocks.data(), 3));
    REQUIRE(lt_rtcp_write_report(&writer, 6, nullptr, nullptr, 0));
    REQUIRE(lt_rtcp_write_cname(&writer, ssrcs, 2, "someone@somewhere"));
    REQUIRE(lt_rtcp_write_bye(&writer, ssrcs, 2));

    Reader reader(writer.written());
    lt_rtcp_sender_info read_info = {};
    REQUIRE(reader.next() == LT_RTCP_PART);
    CHECK(reader.part.type == LT_RTCP_SR);
    REQUIRE(lt_rtcp_read_report(&reader.part, &ssrc, &read_info));
    CHECK(ssrc == 5);
    CHECK(read_info.ntp == info.ntp);
    CHECK(read_info.timestamp == info.timestamp);
    CHECK(read_info.packets == info.packets);
    CHECK(read_info.octets == info.octets);
    for (unsigned i = 0; i < 3; i++) {
        lt_rtcp_block read = {};
        lt_rtcp_read_block(&reader.part, i, &read);
        CHECK(read.cumulative_lost == blocks[i].cumulative_lost);
        CHECK(read.ssrc == block.ssrc);
        CHECK(read.fraction_lost == block.fraction_lost);
        CHECK(read.highest == block.highest);
        CHECK(read.jitter == block.jitter);
        CHECK(read.lsr == block.lsr);
        CHECK(read.dlsr == block.dlsr);
    }
    REQUIRE(reader.next() == LT_RTCP_PART);
    CHECK(reader.part.type == LT_RTCP_RR);
    REQUIRE(lt_rtcp_read_report(&reader.part, &ssrc, &read_info));
    CHECK(ssrc == 6);
    REQUIRE(reader.next() == LT_RTCP_PART);
    CHECK(reader.part.type == LT_RTCP_SDES);
    CHECK(source(reader.part, 0) == 5);
    CHECK(cname(reader.part) == "someone@somewhere");
    REQUIRE(reader.next() == LT_RTCP_PART);
    CHECK(reader.part.type == LT_RTCP_BYE);
    CHECK(reader.part.count == 2);
    CHECK(source(reader.part, 1) == 6);
    CHECK(reader.next() == LT_RTCP_END);
}

TEST_CASE("a packet that does not fit is left out whole", "[rtcp]")
{
    uint32_t ssrc = 5;
    for (size_t room = 0; room < 60; room++) {
        Writer writer(room);
        CHECK(lt_rtcp_write_report(&writer, 5, &info, &block, 1) == (room >= 52));
        CHECK(writer.used == (room >= 52 ? 52 : 0));
        Writer names(room);
        CHECK(lt_rtcp_write_cname(&names, &ssrc, 1, "abc") == (room >= 16));
        Writer byes(room);
        CHECK(lt_rtcp_write_bye(&byes, &ssrc, 1) == (room >= 8));
    }
    Writer writer(4000);
    std::vector<lt_rtcp_block> blocks(32, block);
    CHECK(lt_rtcp_write_report(&writer, 5, nullptr, blocks.data(), 31));
    CHECK_FALSE(lt_rtcp_write_report(&writer, 5, nullptr, blocks.data(), 32));
    CHECK_FALSE(lt_rtcp_write_cname(&writer, &ssrc, 1, std::string(256, 'a').c_str()));
    CHECK(lt_rtcp_write_cname(&writer, &ssrc, 1, std::string(255, 'a').c_str()));
}

TEST_CASE("a CNAME ends with at least one zero, whatever its length", "[rtcp]")
{
    for (size_t length = 1; length <= 9; length++) {
        Writer writer(100);
        uint32_t ssrc = 5;
        std::string name(length, 'n');
        REQUIRE(lt_rtcp_write_cname(&writer, &ssrc, 1, name.c_str()));
        CHECK(writer.used % 4 == 0);
        CHECK(writer.bytes[writer.used - 1] == 0);
        Reader reader(writer.written());
        REQUIRE(reader.next() == LT_RTCP_PART);
        CHECK(cname(reader.part) == name);
    }
}

TEST_CASE("a report cut short anywhere is malformed or refused", "[rtcp]")
{
    Writer writer(200);
    REQUIRE(lt_rtcp_write_report(&writer, 5, &info, &block, 1));
    for (size_t size = 1; size < writer.used; size++) {
        Bytes cut = writer.written();
        cut.resize(size);
        CHECK(Reader(cut).next() == LT_RTCP_MALFORMED);
        if (size % 4 || size < 4)
            continue;
        /* The length is consistent, but a block is missing. */
        cut[3] = static_cast<uint8_t>(size / 4 - 1);
        Reader reader(cut);
        lt_rtcp_sender_info read = {};
        uint32_t ssrc;
        REQUIRE(reader.next() == LT_RTCP_PART);
        CHECK_FALSE(lt_rtcp_read_report(&reader.part, &ssrc, &read));
    }
}

TEST_CASE("padding is taken off the last packet, and malformed elsewhere", "[rtcp]")
{
    Bytes rr = {0xa0, 201, 0, 2, 0, 0, 0, 5, 0, 0, 0, 4};
    Reader padded(rr);
    REQUIRE(padded.next() == LT_RTCP_PART);
    CHECK(padded.part.size == 4);
    CHECK(padded.next() == LT_RTCP_END);

    Bytes twice = rr;
    twice.insert(twice.end(), rr.begin(), rr.end());
    CHECK(Reader(twice).next() == LT_RTCP_MALFORMED);
    for (uint8_t padding : {0, 1, 3, 12, 16, 255}) {
        INFO(+padding);
        rr.back() = padding;
        CHECK(Reader(rr).next() == LT_RTCP_MALFORMED);
    }
    rr[0] = 0x40; /* version 1 */
    CHECK(Reader(rr).next() == LT_RTCP_MALFORMED);
}

TEST_CASE("NTP times", "[rtcp]")
{
    CHECK(lt_ntp_from_unix(0) == UINT64_C(2208988800) << 32);
    CHECK(lt_ntp_from_unix(-5) == UINT64_C(2208988800) << 32);
    CHECK(lt_ntp_from_unix(500000) == ((UINT64_C(2208988800) << 32) | 0x80000000));
    /* The last microsecond of NTP era 0, 7 February 2036, and the start of that second. */
    CHECK(lt_ntp_from_unix(INT64_C(2085978495999999)) >> 32 == 0xffffffff);
    CHECK(lt_ntp_from_unix(INT64_C(2085978496000000)) == 0);
    CHECK(lt_ntp_middle(UINT64_C(0xb44db7052000abcd)) == 0xb7052000);
    CHECK(lt_ntp_units(5250000) == 0x00054000); /* RFC 3550 figure 2 */
    CHECK(lt_ntp_units_to_us(0x00054000) == 5250000);
    CHECK(lt_ntp_units(-1) == 0);
    CHECK(lt_ntp_units(INT64_MAX) == 65535u << 16);
    CHECK(lt_ntp_units_to_us(UINT32_MAX) == 65535999984);
}
