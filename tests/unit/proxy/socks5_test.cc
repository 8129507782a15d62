/* SPDX-License-Identifier: MIT */
/* SOCKS5, and what proxies answer. */
#include "tunnel.h"

namespace
{

std::string bytes(std::initializer_list<int> values)
{
    std::string text;
    for (int value : values)
        text += (char)value;
    return text;
}

const std::string GRANTED = bytes({5, 0, 0, 1, 192, 0, 2, 1, 0x12, 0x34});

} // namespace

TEST_CASE("a name goes to the proxy, which resolves it")
{
    Proxy proxy("socks5://proxy.example");
    Tunnel t(proxy);
    size_t piece = GENERATE(1u, 100u);

    CHECK(t.output() == bytes({5, 1, 0}));
    CHECK(t.answer(bytes({5, 0}), piece) == 2);
    CHECK(t.output() == bytes({5, 1, 0, 3, 13}) + "media.example" + bytes({5004 >> 8, 5004 & 255}));
    CHECK(t.answer(GRANTED + "media", piece) == GRANTED.size());
    CHECK(t.state() == LT_TUNNEL_OPEN);
}

TEST_CASE("addresses go as addresses; replies may name the proxy's end in any way")
{
    Proxy proxy("socks5h://proxy.example");
    Tunnel v4(proxy, "192.0.2.7", 1), v6(proxy, "2001:db8::7", 2), named(proxy);

    for (Tunnel *t : {&v4, &v6, &named}) {
        t->output();
        t->answer(bytes({5, 0}));
    }
    CHECK(v4.output() == bytes({5, 1, 0, 1, 192, 0, 2, 7, 0, 1}));
    CHECK(v6.output() ==
          bytes({5, 1, 0, 4, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 2}));
    std::string by_v6 = bytes({5, 0, 0, 4}) + std::string(16, '\0') + bytes({0, 1});
    std::string by_name = bytes({5, 0, 0, 3, 3}) + "abc" + bytes({0, 1});
    CHECK(v6.answer(by_v6 + "x", 100) == by_v6.size());
    CHECK(v6.state() == LT_TUNNEL_OPEN);
    CHECK(named.answer(by_name + "x", 100) == by_name.size());
    CHECK(named.state() == LT_TUNNEL_OPEN);
}

TEST_CASE("user and password, if the proxy wants them")
{
    Proxy proxy("socks5://me:secret@proxy.example");
    {
        Tunnel t(proxy);
        CHECK(t.output() == bytes({5, 2, 0, 2}));
        t.answer(bytes({5, 2}));
        CHECK(t.output() == bytes({1, 2}) + "me" + bytes({6}) + "secret");
        t.answer(bytes({1, 0}));
        CHECK(t.output().size() == 20);
        t.answer(GRANTED);
        CHECK(t.state() == LT_TUNNEL_OPEN);
    }
    {
        Tunnel t(proxy);
        t.output();
        t.answer(bytes({5, 0}));
        CHECK(t.output().size() == 20);
    }
    Tunnel t(proxy);
    t.answer(bytes({5, 2}));
    t.answer(bytes({1, 1}));
    CHECK(t.says("does not accept the user and password"));
    CHECK(lt_tunnel_is_refused(t.tunnel));
}

TEST_CASE("refusals of SOCKS5 say what to do")
{
    struct {
        std::string method, reply;
        const char *text;
    } cases[] = {
        {bytes({5, 255}), "", "socks5://USER:PASSWORD@"},
        {bytes({5, 1}), "", "was not offered"},
        {bytes({5, 2}), "", "was not offered"},
        {bytes({5, 0}), bytes({5, 1, 0, 1}), "(SOCKS5 reply 1)"},
        {bytes({5, 0}), bytes({5, 2, 0, 1}), "rules forbid it"},
        {bytes({5, 0}), bytes({5, 4, 0, 1}), "cannot reach that host"},
        {bytes({5, 0}), bytes({5, 5, 0, 3}), "connection refused"},
        {bytes({5, 0}), bytes({5, 99, 0, 1}), "no known reason"},
        {bytes({5, 0}), bytes({5, 0, 0, 7, 1}), "does not exist"},
        {bytes({5, 0}), "HTTP", "HTTP"},
        {"HTTP/1.1 400 Bad", "", "http://"},
        {"<html>", "", "HTML"},
        {bytes({0, 91}), "", "SOCKS4"},
        {bytes({0x15, 3}), "", "TLS"},
        {"xyz", "", "something else"},
    };
    for (const auto &c : cases) {
        INFO(c.text);
        Proxy proxy("socks5://proxy.example:1080");
        Tunnel t(proxy);
        t.answer(c.method);
        t.answer(c.reply);
        CHECK(t.says(c.text));
    }
    Proxy proxy("socks5://me:secret@proxy.example:1080");
    Tunnel t(proxy);
    t.answer(bytes({5, 255}));
    CHECK(t.says("neither"));
}
