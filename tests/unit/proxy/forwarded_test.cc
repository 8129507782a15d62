/* SPDX-License-Identifier: MIT */
/* X-Forwarded-For, from the end. */
#include "catch.h"

#include <cstring>
#include <string>

extern "C" {
#include "proxy/forwarded.h"
}

namespace
{

const char trusted[] = "10.0.0.0/8,::1";

/* True if the list says this address and port; "" = nothing. */
bool says(const std::string &list, const char *address, uint16_t port = 0)
{
    lt_ip ip, wanted;
    uint16_t got = 77;
    bool read = lt_forwarded_read(list.c_str(), trusted, &ip, &got);

    if (!*address)
        return !read;
    REQUIRE(lt_ip_parse(address, strlen(address), &wanted));
    return read && got == port && memcmp(&ip, &wanted, sizeof ip) == 0;
}

} // namespace

TEST_CASE("the last address that no known server has is whose the request is")
{
    CHECK(says("192.0.2.1", "192.0.2.1"));
    CHECK(says("192.0.2.1:80", "192.0.2.1", 80));
    CHECK(says("2001:db8::1", "2001:db8::1"));
    CHECK(says("[2001:db8::1]", "2001:db8::1"));
    CHECK(says("[2001:db8::1]:65535", "2001:db8::1", 65535));
    CHECK(says(" 203.0.113.9 ,\t192.0.2.1 ", "192.0.2.1"));
    CHECK(says("203.0.113.9,192.0.2.1,10.1.1.1", "192.0.2.1"));
    CHECK(says("192.0.2.1, ::1, 10.1.1.1:1", "192.0.2.1"));
}

TEST_CASE("of known servers alone the one farthest in front")
{
    CHECK(says("10.1.1.1", "10.1.1.1"));
    CHECK(says("10.1.1.1,10.2.2.2", "10.1.1.1"));
}

TEST_CASE("what is no address ends the list")
{
    CHECK(says("", ""));
    CHECK(says("unknown", ""));
    CHECK(says("192.0.2.1,", ""));
    CHECK(says("192.0.2.1,_hidden", ""));
    CHECK(says("192.0.2.1:x", ""));
    CHECK(says("192.0.2.1:65536", ""));
    CHECK(says("192.0.2.1:123456", ""));
    CHECK(says("[192.0.2.1]:80", ""));
    CHECK(says("[2001:db8::1]80", ""));
    CHECK(says("[2001:db8::1]:", ""));
    CHECK(says("[2001:db8::1", ""));
    CHECK(says("192.0.2.1, unknown, 10.1.1.1", "10.1.1.1"));
    CHECK(says(std::string(100000, ','), ""));
}
