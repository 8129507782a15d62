/* SPDX-License-Identifier: MIT */
/* PROXY headers of both versions. */
#include "catch.h"

#include <cstring>
#include <string>

extern "C" {
#include "proxy/proxy_protocol.h"
}

namespace
{

const std::string V2("\r\n\r\n\0\r\nQUIT\n", 12);

struct Header {
    lt_proxy_header header = {};
    lt_proxy_header_state state;

    explicit Header(const std::string &text)
        : state(lt_proxy_header_read((const uint8_t *)text.data(), text.size(), &header))
    {
    }
    bool is(const char *address, uint16_t port) const
    {
        lt_ip ip;
        REQUIRE(lt_ip_parse(address, strlen(address), &ip));
        return state == LT_PROXY_HEADER_READ && header.known && header.port == port &&
               memcmp(&ip, &header.address, sizeof ip) == 0;
    }
};

std::string v2(int command, int family, const std::string &rest)
{
    return V2 + (char)command + (char)family + (char)(rest.size() >> 8) + (char)rest.size() + rest;
}

std::string addresses4()
{
    return std::string("\xc0\x00\x02\x01\xc0\x00\x02\x02\x9c\x40\x13\x8c", 12);
}

} // namespace

TEST_CASE("version 1 says whose connection it is")
{
    std::string line = "PROXY TCP4 192.0.2.1 192.0.2.2 40000 5004\r\n";
    CHECK(Header(line + "media").is("192.0.2.1", 40000));
    CHECK(Header(line + "media").header.size == line.size());
    CHECK(Header("PROXY TCP6 2001:db8::1 ::1 1 65535\r\n").is("2001:db8::1", 1));
    Header unknown("PROXY UNKNOWN ffff:f::ffff whatever\r\nx");
    CHECK(unknown.state == LT_PROXY_HEADER_READ);
    CHECK_FALSE(unknown.header.known);
    CHECK(Header("PROXY UNKNOWN\r\n").header.size == 15);
}

TEST_CASE("version 2 says whose connection it is")
{
    std::string four = v2(0x21, 0x11, addresses4() + "TLV");
    CHECK(Header(four + "media").is("192.0.2.1", 40000));
    CHECK(Header(four + "media").header.size == four.size());
    std::string ends = std::string("\x20\x01\x0d\xb8", 4) + std::string(11, '\0') + '\x01' +
                       std::string(16, '\0') + std::string("\0\x07\x13\x8c", 4);
    CHECK(Header(v2(0x21, 0x21, ends)).is("2001:db8::1", 7));
    for (const std::string &text : {v2(0x20, 0, ""), v2(0x20, 0x11, addresses4()),
                                    v2(0x21, 0, "xyz"), v2(0x21, 0x31, std::string(216, 'u'))}) {
        CHECK(Header(text).state == LT_PROXY_HEADER_READ);
        CHECK_FALSE(Header(text).header.known);
        CHECK(Header(text).header.size == text.size());
    }
}

TEST_CASE("a header in pieces is waited for, up to a limit")
{
    for (const std::string &text : {std::string("PROXY TCP4 192.0.2.1 192.0.2.2 40000 5004\r\n"),
                                    v2(0x21, 0x11, addresses4() + std::string(500, 't'))})
        for (size_t size = 0; size < text.size(); size++)
            CHECK(Header(text.substr(0, size)).state == LT_PROXY_HEADER_MORE);
    CHECK(Header("PROXY UNKNOWN " + std::string(91, 'x') + "\r\n").state == LT_PROXY_HEADER_READ);
    CHECK(Header("PROXY UNKNOWN " + std::string(92, 'x') + "\r\n").state ==
          LT_PROXY_HEADER_MALFORMED);
    CHECK(Header("PROXY UNKNOWN " + std::string(2000, 'x')).state == LT_PROXY_HEADER_MALFORMED);
    CHECK(Header(V2 + std::string("\x21\x11\xff\xff", 4)).state == LT_PROXY_HEADER_MALFORMED);
}

TEST_CASE("what is no header, or a malformed one")
{
    for (const char *text : {"GET / HTTP/1.1\r\n", "PROXI", "PROXYX", "x", "\r\n\r\nx"})
        CHECK(Header(text).state == LT_PROXY_HEADER_NONE);
    for (const char *text :
         {"PROXY \r\n", "PROXY TCP5 192.0.2.1 192.0.2.2 1 2\r\n", "PROXY TCP4\r\n",
          "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n", "PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n",
          "PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n", "PROXY TCP4 ::1 192.0.2.2 1 2\r\n",
          "PROXY TCP6 192.0.2.1 ::1 1 2\r\n", "PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n",
          "PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n", "PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n",
          "PROXY TCP4 192.0.2.300 192.0.2.2 1 2\r\n"}) {
        INFO(text);
        CHECK(Header(text).state == LT_PROXY_HEADER_MALFORMED);
    }
    for (const std::string &text :
         {v2(0x11, 0x11, addresses4()), v2(0x22, 0x11, addresses4()), v2(0x21, 0x12, addresses4()),
          v2(0x21, 0x11, "short"), v2(0x21, 0x21, addresses4()), V2 + '\x31'})
        CHECK(Header(text).state == LT_PROXY_HEADER_MALFORMED);
}
