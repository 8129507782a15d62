/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <algorithm>
#include <livetcp/config.h>

#include <cstring>
#include <string>

extern "C" {
#include "base/rng.h"
#include "settings/settings.h"
}

namespace
{

struct Uri {
    livetcp_config c;
    livetcp_error error = {};

    Uri()
    {
        livetcp_config_init(&c);
    }
    livetcp_result apply(const std::string &uri)
    {
        return livetcp_config_apply_uri(&c, uri.c_str(), &error);
    }
    std::string host() const
    {
        return c.host;
    }
    std::string text()
    {
        char uri[32768];
        if (livetcp_config_to_uri(&c, uri, sizeof uri, &error) != LIVETCP_OK)
            return "(failed)";
        return uri;
    }
};

livetcp_result refusal(const std::string &uri)
{
    Uri u;
    u.c.port = 77;
    strcpy(u.c.host, "unchanged");
    livetcp_config before = u.c;
    livetcp_result result = u.apply(uri);
    CHECK(!memcmp(&before, &u.c, sizeof before));
    CHECK(u.error.code == result);
    CHECK(strlen(u.error.message) > 10);
    return result;
}

bool same(const livetcp_config &a, const livetcp_config &b)
{
    const lt_setting *setting;
    for (size_t i = 0; (setting = lt_setting_at(i)); i++) {
        char x[LIVETCP_TOKEN_MAX + 1], y[LIVETCP_TOKEN_MAX + 1];
        if (lt_setting_format(setting, &a, x, sizeof x, nullptr) != LIVETCP_OK ||
            lt_setting_format(setting, &b, y, sizeof y, nullptr) != LIVETCP_OK || strcmp(x, y))
            return false;
    }
    return true;
}

} // namespace

TEST_CASE("host, port and settings are taken from a URI")
{
    Uri u;
    REQUIRE(u.apply("livetcp://media.example:5004?connections=8&policy=single&linger=250") ==
            LIVETCP_OK);
    CHECK(u.host() == "media.example");
    CHECK(u.c.port == 5004);
    CHECK(u.c.connections == 8);
    CHECK(std::string(u.c.policy) == "single");
    CHECK(u.c.linger_us == 250000);
    CHECK(u.c.split == 1);
}

TEST_CASE("URIs may leave out what they do not need")
{
    Uri u;
    u.c.port = 77;
    CHECK(u.apply("livetcp://host") == LIVETCP_OK);
    CHECK(u.c.port == 77);
    CHECK(u.apply("livetcp://:0?mode=listener") == LIVETCP_OK);
    CHECK(u.host() == "");
    CHECK(u.c.port == 0);
    CHECK(u.c.mode == LIVETCP_MODE_LISTENER);
    CHECK(u.apply("LiveTCP://h:1/") == LIVETCP_OK);
    CHECK(u.apply("livetcp://h:1/?split=2") == LIVETCP_OK);
    CHECK(u.c.split == 2);
    CHECK(u.apply("livetcp://h:1?") == LIVETCP_OK);
    CHECK(u.apply("livetcp://") == LIVETCP_OK);
    CHECK(u.apply("livetcp://h:65535") == LIVETCP_OK);
    CHECK(u.c.port == 65535);
}

TEST_CASE("IPv6 addresses lose their brackets and keep their zone")
{
    Uri u;
    CHECK(u.apply("livetcp://[::1]:5004") == LIVETCP_OK);
    CHECK(u.host() == "::1");
    CHECK(u.c.port == 5004);
    CHECK(u.apply("livetcp://[fe80::1%25eth0]:1") == LIVETCP_OK);
    CHECK(u.host() == "fe80::1%eth0");
    CHECK(u.text() == "livetcp://[fe80::1%25eth0]:1");
    CHECK(u.apply("livetcp://[::]") == LIVETCP_OK);
    CHECK(u.host() == "::");
}

TEST_CASE("a host may be an IPv6 address in brackets wherever it is set")
{
    for (const char *name : {"host", "localaddress"}) {
        INFO(name);
        Uri u;
        char value[300];
        for (const char *address : {"::1", "fe80::1%eth0", "::"}) {
            REQUIRE(livetcp_config_set(&u.c, name, ("[" + std::string(address) + "]").c_str(),
                                       &u.error) == LIVETCP_OK);
            REQUIRE(livetcp_config_get(&u.c, name, value, sizeof value, &u.error) == LIVETCP_OK);
            CHECK(std::string(value) == address);
        }
        CHECK(livetcp_config_set(&u.c, name, "[::1]:5004", &u.error) ==
              LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(u.error.message).find("[::1]:5004") != std::string::npos);
        CHECK(std::string(u.error.message).find("port") != std::string::npos);
        CHECK(livetcp_config_set(&u.c, name, ("[" + std::string(300, ':') + "]").c_str(),
                                 &u.error) == LIVETCP_ERR_INVALID_ARGUMENT);
        REQUIRE(livetcp_config_get(&u.c, name, value, sizeof value, &u.error) == LIVETCP_OK);
        CHECK(std::string(value) == "::");                                         /* unchanged */
        REQUIRE(livetcp_config_set(&u.c, name, "[name]", &u.error) == LIVETCP_OK); /* accepted */
        REQUIRE(livetcp_config_get(&u.c, name, value, sizeof value, &u.error) == LIVETCP_OK);
        CHECK(std::string(value) == "[name]");
    }
    Uri u;
    REQUIRE(u.apply("livetcp://h:5004?host=[::1]&localaddress=[::2]") == LIVETCP_OK);
    CHECK(u.host() == "::1");
    CHECK(u.text() == "livetcp://[::1]:5004?localaddress=::2");
}

TEST_CASE("names and values are percent-decoded")
{
    Uri u;
    CHECK(u.apply("livetcp://h%6fst:1?%70olicy=a%26b%3d%25%2B+c") == LIVETCP_OK);
    CHECK(u.host() == "host");
    CHECK(std::string(u.c.policy) == "a&b=%++c");
    CHECK(u.apply("livetcp://h:1?localaddress=fe80::1%25eth0") == LIVETCP_OK);
    CHECK(std::string(u.c.local_address) == "fe80::1%eth0");
    CHECK(u.apply("livetcp://h:1?policy=a=b?c/d") == LIVETCP_OK);
    CHECK(std::string(u.c.policy) == "a=b?c/d");
}

TEST_CASE("malformed URIs are refused and change nothing")
{
    for (const char *uri : {
             "",
             "livetcp",
             "livetcp:",
             "livetcp:/",
             "livetcp:h:1",
             "http://h:1",
             "h:1",
             " livetcp://h:1",
             "livetcp://h:1 ",
             "livetcp://h:1?policy=a b",
             "livetcp://h:1#x",
             "livetcp://h:1\n",
             "livetcp://user@h:1",
             "livetcp://h:",
             "livetcp://h:?split=2",
             "livetcp://::1",
             "livetcp://::1:5004",
             "livetcp://fe80::1:5004",
             "livetcp://[::1",
             "livetcp://[::1]5004",
             "livetcp://[::1]:",
             "livetcp://[host]:1",
             "livetcp://[]:1",
             "livetcp://[fe80::1%eth0]:1",
             "livetcp://h:1/path%",
             "livetcp://h:1?split",
             "livetcp://h:1?=2",
             "livetcp://h:1?split=2&",
             "livetcp://h:1?&split=2",
             "livetcp://h:1?split=2&&reconnect=1",
             "livetcp://h:1?split=%",
             "livetcp://h:1?split=%3",
             "livetcp://h:1?split=%3g",
             "livetcp://h:1?split=%g3",
             "livetcp://h:1?split=2%00",
             "livetcp://h%00:1",
             "livetcp://h:%",
             "livetcp://%:1",
         }) {
        CAPTURE(uri);
        CHECK(refusal(uri) == LIVETCP_ERR_BAD_URI);
    }
    CHECK(refusal("livetcp://" + std::string(256, 'h')) == LIVETCP_ERR_BAD_URI);
    CHECK(refusal("livetcp://h?" + std::string(70, 'n') + "=1") == LIVETCP_ERR_BAD_URI);
    CHECK(refusal("livetcp://h?policy=" + std::string(100000, 'n')) == LIVETCP_ERR_BAD_URI);
}

TEST_CASE("bad ports and values in a URI are refused by name and change nothing")
{
    for (const char *uri :
         {"livetcp://h:65536", "livetcp://h:-1", "livetcp://h:+1", "livetcp://h:x",
          "livetcp://h:1x", "livetcp://h:99999999999999999999", "livetcp://h:1?connections=0",
          "livetcp://h:1?connections=", "livetcp://h:1?split=2&connections=33", "livetcp://h%20h:1",
          "livetcp://h:1?mode=server"}) {
        CAPTURE(uri);
        CHECK(refusal(uri) == LIVETCP_ERR_INVALID_ARGUMENT);
    }
    CHECK(refusal("livetcp://h:1?connection=5") == LIVETCP_ERR_UNKNOWN_SETTING);

    Uri u;
    CHECK(u.apply("livetcp://h:1?polcy=single") == LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(std::string(u.error.message).find("'polcy'") != std::string::npos);
    CHECK(std::string(u.error.message).find("'policy'") != std::string::npos);
    CHECK(livetcp_config_apply_uri(&u.c, nullptr, &u.error) == LIVETCP_ERR_BAD_URI);
}

TEST_CASE("a URI holds what differs from the defaults")
{
    Uri u;
    CHECK(u.text() == "livetcp://:0");
    CHECK(u.apply("livetcp://h:1?linger=15000&connections=2&mode=listener") == LIVETCP_OK);
    CHECK(u.text() == "livetcp://h:1?mode=listener&connections=2");
    u.c.linger_us = 1;
    CHECK(u.text() == "(failed)");
    CHECK(std::string(u.error.message).find("linger") != std::string::npos);
    livetcp_config_init(&u.c);
    memset(u.c.host, 'h', sizeof u.c.host);
    CHECK(u.text() == "(failed)");
}

TEST_CASE("a URI that does not fit is refused at every size")
{
    Uri u;
    REQUIRE(u.apply("livetcp://[::1]:5004?connections=2&policy=a%26b") == LIVETCP_OK);
    std::string whole = u.text();
    for (size_t size = 0; size <= whole.size(); size++) {
        std::string room(size, '#');
        CHECK(livetcp_config_to_uri(&u.c, &room[0], size, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    }
    std::string room(whole.size() + 1, '#');
    CHECK(livetcp_config_to_uri(&u.c, &room[0], room.size(), nullptr) == LIVETCP_OK);
    CHECK(livetcp_config_to_uri(&u.c, nullptr, 100, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("any config comes back from its URI")
{
    static const char alphabet[] = "aZ09-._~%&=?/:[]@!$'()*+,;#\"<>\\^`{|}\xc3\xa9";
    lt_rng rng;
    lt_rng_seed(&rng, 42);

    for (int round = 0; round < 500; round++) {
        Uri u, back;
        const lt_setting *setting;
        for (size_t i = 0; (setting = lt_setting_at(i)); i++) {
            std::string value;
            if (setting->kind == LT_SETTING_CHOICE) {
                value = setting->choices[lt_rng_next(&rng) % 2];
            } else if (std::string(setting->listed.name) == "link-weight") { /* numbers only */
                value = std::to_string(1 + lt_rng_next(&rng) % 100);
            } else if (setting->kind == LT_SETTING_NAME) {
                for (uint64_t left = lt_rng_next(&rng) % 80; left > 0; left--)
                    value += lt_rng_next(&rng) % 4
                                 ? std::string(1, alphabet[lt_rng_next(&rng) % 35])
                                 : "\xc3\xa9";
            } else if (setting->kind == LT_SETTING_SECRET || setting->kind == LT_SETTING_URL) {
                value = "env:a" + std::to_string(lt_rng_next(&rng));
            } else if (setting->kind == LT_SETTING_TEXT || setting->kind == LT_SETTING_HOST ||
                       setting->kind == LT_SETTING_LINE) {
                value.resize(lt_rng_next(&rng) % setting->size);
                for (char &c : value)
                    c = alphabet[lt_rng_next(&rng) % (sizeof alphabet - 1)];
                if (setting->kind == LT_SETTING_HOST) { /* lists and brackets have rules */
                    std::replace(value.begin(), value.end(), ',', '-');
                    std::replace(value.begin(), value.end(), '[', '-');
                }
            } else if (setting->kind == LT_SETTING_RATIO) {
                value = lt_rng_next(&rng) % 4 ? "0." + std::to_string(1 + lt_rng_next(&rng) % 9)
                                              : "auto";
            } else {
                uint64_t span = setting->max - setting->min + 1;
                value = std::to_string(setting->min + lt_rng_next(&rng) % span);
            }
            INFO(setting->listed.name << " " << value);
            REQUIRE(livetcp_config_set(&u.c, setting->listed.name, value.c_str(), &u.error) ==
                    LIVETCP_OK);
        }
        std::string uri = u.text();
        CAPTURE(uri);
        REQUIRE(back.apply(uri) == LIVETCP_OK);
        CHECK(same(u.c, back.c));
        CHECK(back.text() == uri);
    }
}

TEST_CASE("the path of a URI is the stream id")
{
    Uri u;
    REQUIRE(u.apply("livetcp://h:1/live/caf%C3%A9%20%3F?connections=2") == LIVETCP_OK);
    CHECK(std::string(u.c.stream_id) == "live/caf\xc3\xa9 ?");
    CHECK(u.c.connections == 2);
    CHECK(u.text() == "livetcp://h:1/live/caf%C3%A9%20%3F?connections=2");
    REQUIRE(u.apply("livetcp://h:1/") == LIVETCP_OK);
    CHECK(std::string(u.c.stream_id) == "live/caf\xc3\xa9 ?"); /* unchanged */
    REQUIRE(u.apply("livetcp://h:1//x") == LIVETCP_OK);
    CHECK(std::string(u.c.stream_id) == "/x");
    REQUIRE(u.apply("livetcp://h:1?stream-id=" + std::string(512, 'n')) == LIVETCP_OK);
    CHECK(u.text() == "livetcp://h:1/" + std::string(512, 'n') + "?connections=2");
    CHECK(refusal("livetcp://h:1/" + std::string(513, 'n')) == LIVETCP_ERR_BAD_URI);
    CHECK(refusal("livetcp://h:1/caf%C3") == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(refusal("livetcp://h:1/%0a") == LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("a token is taken from a URI, and neither given back nor shown")
{
    Uri u;
    const std::string secret = std::string(2040, 's') + "ecretXYZ";
    REQUIRE(u.apply("livetcps://h/studio?token=" + secret) == LIVETCP_OK);
    CHECK(u.c.token == secret);
    CHECK(u.text() == "livetcps://h:443/studio");
    CHECK(refusal("livetcps://h/studio?token=" + secret + "x") == LIVETCP_ERR_BAD_URI);
    CHECK(livetcp_config_set(&u.c, "token", (secret + "x").c_str(), &u.error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(u.error.message).find("sss") == std::string::npos);
    CHECK(u.apply("livetcps://h?token=env:TOKEN") == LIVETCP_OK);
    CHECK(u.text() == "livetcps://h:443/studio?token=env:TOKEN");
}

TEST_CASE("several hosts of one peer, and lists of networks")
{
    Uri u;
    REQUIRE(u.apply("livetcp://a.example,[2001:db8::1],192.0.2.1:5004?interface=wlan0,wwan0&"
                    "link-weight=1,10") == LIVETCP_OK);
    CHECK(std::string(u.c.host) == "a.example,2001:db8::1,192.0.2.1");
    CHECK(u.c.port == 5004);
    CHECK(std::string(u.c.interfaces) == "wlan0,wwan0");
    CHECK(std::string(u.c.link_weights) == "1,10");
    CHECK(u.text() == "livetcp://a.example,[2001:db8::1],192.0.2.1:5004?interface=wlan0,wwan0&"
                      "link-weight=1,10");
    REQUIRE(u.apply("livetcp://[::1],[::2]:1?localaddress=[::3],::4") == LIVETCP_OK);
    CHECK(std::string(u.c.host) == "::1,::2");
    CHECK(std::string(u.c.local_address) == "::3,::4");
    REQUIRE(u.apply("livetcp://a,b") == LIVETCP_OK);
    CHECK(std::string(u.c.host) == "a,b");
    CHECK(u.apply("livetcp://a,[::1]:5:6") == LIVETCP_ERR_BAD_URI);
    CHECK(livetcp_config_set(&u.c, "host", "a,[::1]:5004", &u.error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
}
