/* SPDX-License-Identifier: MIT */
/* URLs of proxies, and who is called without one. */
#include "catch.h"

extern "C" {
#include "proxy/url.h"
}

#include <string>

namespace
{

struct Url {
    lt_proxy proxy;
    livetcp_error error = {};
    livetcp_result result;

    explicit Url(const std::string &text)
        : result(lt_proxy_parse(text.c_str(), "proxy", &proxy, &error))
    {
    }
};

} // namespace

TEST_CASE("a proxy's URL")
{
    Url u("http://proxy.example:3128");
    REQUIRE(u.result == LIVETCP_OK);
    CHECK(u.proxy.kind == LT_PROXY_HTTP);
    CHECK(std::string(u.proxy.host) == "proxy.example");
    CHECK(u.proxy.port == 3128);
    CHECK_FALSE(u.proxy.has_user);

    Url user("HTTPS://a%40b:p%3Aw%25d:x@[2001:db8::1]:8443/");
    REQUIRE(user.result == LIVETCP_OK);
    CHECK(user.proxy.kind == LT_PROXY_HTTPS);
    CHECK(std::string(user.proxy.host) == "2001:db8::1");
    CHECK(user.proxy.port == 8443);
    CHECK(std::string(user.proxy.user) == "a@b");
    CHECK(std::string(user.proxy.password) == "p:w%d:x");

    char text[LT_PROXY_TEXT];
    lt_proxy_text(&user.proxy, text);
    CHECK(std::string(text) == "https://[2001:db8::1]:8443");

    CHECK(Url("http://h").proxy.port == 80);
    CHECK(Url("https://h").proxy.port == 443);
    CHECK(Url("socks5://h").proxy.port == 1080);
    CHECK(Url("socks5h://h").proxy.kind == LT_PROXY_SOCKS5);
    CHECK(std::string(Url("http://u:p@w@h").proxy.password) == "p@w");
    CHECK(std::string(Url("http://u@h").proxy.user) == "u");
}

TEST_CASE("what is no proxy's URL is refused, without its user and password")
{
    for (const std::string text : {"",
                                   "h",
                                   "h:3128",
                                   "://h",
                                   "ftp://u:secret@h",
                                   "socks4://h",
                                   "http://",
                                   "http://u:secret@",
                                   "http://:secret@h",
                                   "http://u:secret%@h",
                                   "http://u:secret%zz@h",
                                   "http://u:secret%0a@h",
                                   "http://u:secret@h:0",
                                   "http://u:secret@h:65536",
                                   "http://u:secret@h:",
                                   "http://h:x",
                                   "http://h:80:80",
                                   "http://[::1",
                                   "http://[::1]x",
                                   "http://[h]",
                                   "http://::1",
                                   "http://h/x",
                                   "http://a b",
                                   "http://h:99999999999"}) {
        Url u(text);
        INFO(text << ": " << u.error.message);
        CHECK(u.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(u.error.message).find("secret") == std::string::npos);
        CHECK(std::string(u.error.message).find("proxy: ") == 0);
        CHECK(std::string(u.error.message).find("socks5://") != std::string::npos);
    }
    CHECK(Url("http://" + std::string(300, 'h')).result == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(Url("http://" + std::string(256, 'u') + "@h").result == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(Url("http://u:" + std::string(256, 'p') + "@h").result == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(Url("http://u:" + std::string(255, 'p') + "@h").result == LIVETCP_OK);
}

TEST_CASE("NO_PROXY, as curl reads it")
{
    struct {
        const char *list, *host;
        uint16_t port;
        bool exempt;
    } cases[] = {
        {"", "a.example", 1, false},
        {"*", "a.example", 1, true},
        {"example", "a.example", 1, true},
        {".example", "a.example", 1, true},
        {".a.example", "a.example", 1, true},
        {"A.Example", "a.eXample", 1, true},
        {"ample", "a.example", 1, false},
        {"b.example, a.example", "a.example", 1, true},
        {"b.example a.example.", "a.example", 1, false},
        {"a.example", "a.example.", 1, true},
        {"a.example:5004", "a.example", 5004, true},
        {"a.example:5005", "a.example", 5004, false},
        {"10.0.0.0/8", "10.1.2.3", 1, true},
        {"10.0.0.0/8", "11.1.2.3", 1, false},
        {"10.1.2.3", "10.1.2.3", 1, true},
        {"10.1.2.3:7", "10.1.2.3", 7, true},
        {"2.3", "10.1.2.3", 1, false},
        {"::1", "::1", 1, true},
        {"[::1]", "::1", 1, true},
        {"[::1]:9", "::1", 9, true},
        {"[::1]:9", "::1", 8, false},
        {"fd00::/8", "fd12::1", 1, true},
        {",,  ,", "a", 1, false},
        {":5", "a", 5, false},
        {".", "a", 5, false},
    };
    for (const auto &c : cases) {
        INFO(c.list << " | " << c.host << ":" << c.port);
        CHECK(lt_proxy_is_exempt(c.list, c.host, c.port) == c.exempt);
    }
}
