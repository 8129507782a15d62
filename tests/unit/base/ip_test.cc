/* SPDX-License-Identifier: MIT */
/* IP addresses and networks as text. */
#include "catch.h"

#ifdef _WIN32
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#endif
#include <cstring>
#include <string>

extern "C" {
#include "base/ip.h"
}

namespace
{

bool parse(const std::string &text, lt_ip *ip)
{
    return lt_ip_parse(text.data(), text.size(), ip);
}

bool has(const std::string &network, const std::string &address)
{
    lt_network n;
    lt_ip ip;
    REQUIRE(lt_network_parse(network.data(), network.size(), &n));
    REQUIRE(parse(address, &ip));
    return lt_network_has(&n, &ip);
}

} // namespace

TEST_CASE("addresses are read as the system reads them")
{
    for (const char *text :
         {"0.0.0.0", "192.0.2.255", "::", "::1", "1::", "2001:db8::1", "fe80::a:b",
          "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1:2:3:4:5:6:192.0.2.1", "64:ff9b::192.0.2.33",
          "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "ABCD:ef01::"}) {
        INFO(text);
        uint8_t expected[16];
        lt_ip ip;
        REQUIRE(parse(text, &ip));
        if (strchr(text, ':')) {
            REQUIRE(inet_pton(AF_INET6, text, expected) == 1);
            CHECK(memcmp(ip.bytes, expected, 16) == 0);
        } else {
            REQUIRE(inet_pton(AF_INET, text, expected) == 1);
            CHECK(memcmp(ip.bytes + 12, expected, 4) == 0);
            CHECK(lt_ip_is_v4(&ip));
        }
    }
}

TEST_CASE("what is no address is refused")
{
    lt_ip ip;
    for (const char *text : {"",
                             ".",
                             "1",
                             "1.2.3",
                             "1.2.3.4.",
                             ".1.2.3.4",
                             "1.2.3.4.5",
                             "1.2.3.256",
                             "01.2.3.4",
                             "1.2.3.-4",
                             "1..2.3",
                             "a.b.c.d",
                             ":",
                             ":::",
                             "1:2:3:4:5:6:7",
                             "1:2:3:4:5:6:7:8:9",
                             "1::2::3",
                             "12345::",
                             "g::",
                             "::1.2.3",
                             "1.2.3.4::",
                             "1:2:3:4:5:6:7:1.2.3.4",
                             "::1%eth0",
                             "[::1]",
                             "1:2:3:4:5:6:7:",
                             ":1:2:3:4:5:6:7",
                             "1:2:3:4::5:6:7:8"}) {
        INFO(text);
        CHECK_FALSE(parse(text, &ip));
    }
}

TEST_CASE("networks have their addresses")
{
    CHECK(has("10.0.0.0/8", "10.255.0.1"));
    CHECK_FALSE(has("10.0.0.0/8", "11.0.0.1"));
    CHECK(has("192.0.2.128/25", "192.0.2.200"));
    CHECK_FALSE(has("192.0.2.128/25", "192.0.2.100"));
    CHECK(has("0.0.0.0/0", "203.0.113.1"));
    CHECK_FALSE(has("0.0.0.0/0", "2001:db8::1"));
    CHECK(has("192.0.2.7", "192.0.2.7"));
    CHECK(has("192.0.2.7", "::ffff:192.0.2.7"));
    CHECK_FALSE(has("192.0.2.7", "192.0.2.6"));
    CHECK(has("::/0", "192.0.2.7"));
    CHECK(has("2001:db8::/33", "2001:db8:7fff::1"));
    CHECK_FALSE(has("2001:db8::/33", "2001:db8:8000::1"));

    lt_network n;
    for (const std::string text :
         {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/a", "::/129", "/8", "", "x/8"})
        CHECK_FALSE(lt_network_parse(text.data(), text.size(), &n));

    lt_ip ip;
    REQUIRE(parse("10.1.2.3", &ip));
    CHECK(lt_network_list_has("::1,10.0.0.0/8", &ip));
    CHECK_FALSE(lt_network_list_has("::1,11.0.0.0/8", &ip));
    CHECK_FALSE(lt_network_list_has("", &ip));
}
