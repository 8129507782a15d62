/* SPDX-License-Identifier: MIT */
/* Addresses as text; the sockets themselves are tested by those who use them. */
#include "catch.h"

extern "C" {
#include "lab/tcp.h"
}

#include <string>

static std::string round_trip(const char *host, const char *port)
{
    struct addrinfo *list = nullptr;
    char text[LT_TCP_TEXT];
    REQUIRE(lt_tcp_resolve(host, port, AI_NUMERICHOST, &list) == nullptr);
    lt_tcp_address_text(list->ai_addr, list->ai_addrlen, text);
    freeaddrinfo(list);
    return text;
}

TEST_CASE("tcp: addresses are printed as they are typed")
{
    CHECK(round_trip("10.0.0.1", "5500") == "10.0.0.1:5500");
    CHECK(round_trip("fd77::1", "5500") == "[fd77::1]:5500");
    CHECK(round_trip("::ffff:10.0.0.1", "1") == "10.0.0.1:1");
}

TEST_CASE("tcp: no host but a port is every address; neither is an error")
{
    struct addrinfo *list = nullptr;
    CHECK(round_trip("", "5500") == "[::]:5500");
    CHECK(lt_tcp_resolve("", nullptr, AI_NUMERICHOST, &list) != nullptr);
    CHECK(lt_tcp_resolve("no address", "1", AI_NUMERICHOST, &list) != nullptr);
    CHECK(lt_tcp_resolve("10.0.0.1", "http", AI_NUMERICHOST, &list) != nullptr);
}
