/* SPDX-License-Identifier: MIT */
/* CONNECT, and what HTTP proxies answer. */
#include "tunnel.h"

extern "C" {
#include "http/head.h"
}

namespace
{

const std::string OK = "HTTP/1.1 200 Connection established\r\n\r\n";

std::string challenge(const std::string &fields)
{
    return "HTTP/1.1 407 Proxy Authentication Required\r\n" + fields +
           "Content-Type: text/html\r\nContent-Length: 5\r\n\r\n";
}

bool has(const std::string &text, const std::string &part)
{
    INFO(text);
    return text.find(part) != std::string::npos;
}

const char *const DIGEST = "Proxy-Authenticate: Digest realm=\"http-auth@example.org\", "
                           "qop=\"auth, auth-int\", nonce=\"n0nce\", opaque=\"o\\\"q\"";

} // namespace

TEST_CASE("the request, and a tunnel from the byte after the answer on")
{
    Proxy proxy("http://proxy.example:3128");
    size_t piece = GENERATE(1u, 7u, 1000u);
    Tunnel t(proxy);

    std::string request = t.output();
    CHECK(request.find("CONNECT media.example:5004 HTTP/1.1\r\nHost: media.example:5004\r\n") == 0);
    CHECK(request.substr(request.size() - 4) == "\r\n\r\n");
    CHECK_FALSE(has(request, "Proxy-Authorization"));
    CHECK(t.answer("HTTP/1.0 200 OK\r\nProxy-agent: x/1\r\n\r\n\x80media", piece) ==
          strlen("HTTP/1.0 200 OK\r\nProxy-agent: x/1\r\n\r\n"));
    CHECK(t.state() == LT_TUNNEL_OPEN);
    CHECK(t.output().empty());
}

TEST_CASE("addresses as targets")
{
    Proxy proxy("http://proxy.example:3128");

    CHECK(
        has(Tunnel(proxy, "2001:db8::1", 443).output(), "CONNECT [2001:db8::1]:443 HTTP/1.1\r\n"));
    CHECK(has(Tunnel(proxy, "192.0.2.1", 443).output(), "CONNECT 192.0.2.1:443 HTTP/1.1\r\n"));
}

TEST_CASE("answers that announce another one")
{
    Proxy proxy("http://proxy.example:3128");
    Tunnel t(proxy);

    t.answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + OK, 1000);
    CHECK(t.state() == LT_TUNNEL_OPEN);

    Tunnel endless(proxy);
    std::string many;
    for (int i = 0; i < 20; i++)
        many += "HTTP/1.1 100 Continue\r\n\r\n";
    endless.answer(many, 1000);
    CHECK(endless.says("100 Continue"));
}

TEST_CASE("Basic, once the proxy has asked; later connections answer at once")
{
    Proxy proxy("http://Aladdin:open%20sesame@proxy.example:3128");
    {
        Tunnel t(proxy);
        CHECK_FALSE(has(t.output(), "Proxy-Authorization")); /* a secret is not given unasked */
        t.answer(challenge("Proxy-Authenticate: Basic realm=\"x\"\r\n"));
        CHECK(t.state() == LT_TUNNEL_AGAIN);
    }
    for (int i = 0; i < 2; i++) {
        Tunnel t(proxy);
        CHECK(has(t.output(), "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"));
        t.answer(OK);
        CHECK(t.state() == LT_TUNNEL_OPEN);
    }
}

TEST_CASE("Digest by MD5 and SHA-256, against another implementation's values")
{
    struct {
        const char *algorithm, *response;
    } cases[] = {
        {"", "15b571a053e40a6659765d4f5cc76b44"},
        {", algorithm=MD5", "15b571a053e40a6659765d4f5cc76b44"},
        {", algorithm=\"MD5-sess\"", "e71e175dcc05099d5b0541f99cc1116d"},
        {", algorithm=SHA-256", "67a38d900bbf841ecbe69b6f28c0f1031a73e3528187b712e767deaa5e64d27e"},
        {", algorithm=SHA-256-sess",
         "847522b42838c0ca39e3c7b72f9193dbcd4bf16849e4935e8b1eb72dfe924601"},
    };
    for (const auto &c : cases) {
        INFO(c.algorithm);
        Proxy proxy("http://Mufasa:Circle%20of%20Life@proxy.example");
        {
            Tunnel t(proxy);
            t.answer(challenge(std::string(DIGEST) + c.algorithm + "\r\n"));
            REQUIRE(t.state() == LT_TUNNEL_AGAIN);
        }
        Tunnel t(proxy);
        std::string request = t.output();
        CHECK(has(request, std::string("response=\"") + c.response + "\""));
        CHECK(has(request, "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", "
                           "nonce=\"n0nce\", uri=\"media.example:5004\""));
        CHECK(has(request, "qop=auth, nc=00000001, cnonce=\"0102030405060708090a0b0c0d0e0f10\""));
        CHECK(has(request, "opaque=\"o\\\"q\""));
        CHECK_FALSE(has(request, "Circle"));
        t.answer(OK);
        CHECK(t.state() == LT_TUNNEL_OPEN);

        Tunnel next(proxy);
        CHECK(has(next.output(), "nc=00000002"));
    }
}

TEST_CASE("the strongest of several challenges is answered")
{
    struct {
        const char *fields;
        lt_proxy_scheme scheme;
    } cases[] = {
        {"Proxy-Authenticate: Basic realm=\"a, Digest\", Digest realm=b,nonce=c,qop=auth\r\n",
         LT_PROXY_DIGEST_MD5},
        {"Proxy-Authenticate: NTLM\r\nproxy-authenticate: Negotiate YII=, Basic realm=x\r\n",
         LT_PROXY_BASIC},
        {"Proxy-Authenticate: Digest realm=b, nonce=c, qop=auth, algorithm=SHA-256\r\n"
         "Proxy-Authenticate: Digest realm=b, nonce=c, qop=auth, algorithm=MD5\r\n",
         LT_PROXY_DIGEST_SHA256},
        {"Proxy-Authenticate: Digest realm=b, nonce=c, qop=\"auth-int\"\r\n"
         "Proxy-Authenticate: BASIC realm=\"x\"\r\n",
         LT_PROXY_BASIC},
        {"Proxy-Authenticate: Digest realm=b, nonce=c\r\nProxy-Authenticate: Basic\r\n",
         LT_PROXY_BASIC},
        {"Proxy-Authenticate: Digest realm=b, nonce=c, qop=auth, algorithm=SHA-512-256\r\n"
         "Proxy-Authenticate: Basic realm=\"x\"\r\n",
         LT_PROXY_BASIC},
        {"Proxy-Authenticate: Digest realm=\"never ends, nonce=c, qop=auth\r\n"
         "Proxy-Authenticate: Basic realm=\"x\"\r\n",
         LT_PROXY_BASIC},
    };
    for (const auto &c : cases) {
        INFO(c.fields);
        Proxy proxy("http://u:secret@proxy.example");
        Tunnel t(proxy);
        t.answer(challenge(c.fields), 1000);
        CHECK(t.state() == LT_TUNNEL_AGAIN);
        CHECK(proxy.challenge.scheme == c.scheme);
    }
}

TEST_CASE("a wrong password is given once, a nonce that is too old is renewed")
{
    Proxy proxy("http://u:secret@proxy.example");
    std::string ask = challenge(std::string(DIGEST) + "\r\n");
    {
        Tunnel t(proxy);
        t.answer(ask);
        REQUIRE(t.state() == LT_TUNNEL_AGAIN);
    }
    {
        Tunnel t(proxy);
        t.answer(challenge(std::string(DIGEST) + ", stale=true\r\n"));
        REQUIRE(t.state() == LT_TUNNEL_AGAIN);
    }
    {
        Tunnel t(proxy);
        t.answer(OK);
        REQUIRE(t.state() == LT_TUNNEL_OPEN);
    }
    {
        Tunnel t(proxy); /* of a proxy that does not say stale */
        t.answer(ask);
        REQUIRE(t.state() == LT_TUNNEL_AGAIN);
    }
    Tunnel t(proxy);
    t.answer(ask);
    CHECK(t.says("407"));
    CHECK(t.says("user and password"));
    CHECK(lt_tunnel_is_refused(t.tunnel));
}

static void ask_for_password(Proxy &proxy)
{
    Tunnel t(proxy);
    t.answer(challenge("Proxy-Authenticate: Basic realm=\"x\"\r\n"));
    REQUIRE(t.state() == LT_TUNNEL_AGAIN);
}

TEST_CASE("a wrong password as tinyproxy refuses it")
{
    Proxy proxy("http://u:secret@proxy.example");
    ask_for_password(proxy);
    Tunnel t(proxy);
    t.answer("HTTP/1.0 401 Unauthorized\r\n\r\n");
    CHECK(t.says("user and password"));
    CHECK(lt_tunnel_is_refused(t.tunnel));
}

TEST_CASE("a proxy that repeats the password is not quoted")
{
    Proxy proxy("http://u:secret@proxy.example");
    {
        Tunnel t(proxy);
        t.answer("HTTP/1.1 403 not today\r\n\r\n");
        CHECK(t.says("403 not today"));
    }
    ask_for_password(proxy);
    Tunnel t(proxy);
    t.answer("HTTP/1.1 403 u:secret (dTpzZWNyZXQ=) is not welcome\r\n\r\n");
    CHECK(t.says("403 for"));
    CHECK_FALSE(t.says("secret"));
    CHECK_FALSE(t.says("dTpzZWNyZXQ"));
}

TEST_CASE("refusals say what to do")
{
    struct {
        const char *answer, *first, *second;
    } cases[] = {
        {"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\n\r\n",
         "407", "proxy=http://USER:PASSWORD@HOST:PORT"},
        {"HTTP/1.1 407 Who?\r\nProxy-Authenticate: Negotiate\r\nProxy-Authenticate: NTLM\r\n\r\n",
         "Negotiate, NTLM", "Basic and Digest"},
        {"HTTP/1.1 407 Who?\r\n\r\n", "does not name", "Basic and Digest"},
        {"HTTP/1.1 403 Forbidden\r\n\r\n<html>", "403 Forbidden for media.example:5004", "443"},
        {"HTTP/1.1 502 Bad Gateway\r\n\r\n", "502 Bad Gateway", "cannot reach it"},
        {"HTTP/1.1 503 Service Unavailable\r\n\r\n", "503", "cannot reach it"},
        {"HTTP/1.1 504 Gateway Timeout\r\n\r\n", "504", "no answer from there"},
        {"HTTP/1.1 405 Not Allowed\r\n\r\n", "405", "web server"},
        {"HTTP/1.1 302 Found\r\nLocation: http://login/\r\n\r\n", "302", "login page"},
        {"HTTP/1.1 599 \x1b[31m\r\n\r\n", "599 ?[31m", "log"},
        {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>", "200 OK", "web page"},
        {"<html><body>hello</body>", "HTML", "web server"},
        {"\x15\x03\x01\x02", "TLS", "https://"},
        {"\x05\x01", "SOCKS", "socks5://"},
        {"garbage", "something else than HTTP", "right port"},
        {"HTTP/1.1 20\r\n\r\n", "no HTTP", "is it a proxy"},
        {"HTTP/1.1 2000 x\r\n\r\n", "no HTTP", "is it a proxy"},
        {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "no HTTP", "is it a proxy"},
        {"HTTP/1.1 200 OK\r\na: b\r\n folded\r\n\r\n", "no HTTP", "is it a proxy"},
    };
    for (const auto &c : cases) {
        INFO(c.answer);
        Proxy proxy("http://proxy.example:3128");
        Tunnel t(proxy);
        t.answer(c.answer, GENERATE(1u, 1000u));
        CHECK(t.says(c.first));
        CHECK(t.says(c.second));
        CHECK(lt_tunnel_error(t.tunnel)->code == LIVETCP_ERR_PROXY);
    }
}

TEST_CASE("no line is longer than 8 KiB, no head than 128 lines")
{
    Proxy proxy("http://proxy.example:3128");
    std::string field = "A: " + std::string(LT_HTTP_LINE_MAX - 4, 'x');
    {
        Tunnel t(proxy);
        t.answer("HTTP/1.1 200 OK\r\n" + field + "\r\n\r\n", 1000);
        CHECK(t.state() == LT_TUNNEL_OPEN);
    }
    Tunnel wide(proxy), high(proxy), endless(proxy);
    wide.answer("HTTP/1.1 200 OK\r\n" + field + "xxxx\r\n\r\n", 1000);
    CHECK(wide.says("8 KiB"));
    std::string many = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 128; i++)
        many += "A: b\r\n";
    high.answer(many, 1000);
    CHECK(high.says("128 lines"));
    CHECK(endless.answer("HTTP/1.1 200 " + std::string(20000, 'x'), 1000) <= 9000);
    CHECK(endless.says("8 KiB"));
}

TEST_CASE("a proxy that leaves, or is silent")
{
    Proxy proxy("http://proxy.example:3128");
    {
        Tunnel t(proxy);
        lt_tunnel_ended(t.tunnel);
        CHECK(t.says("without an answer"));
    }
    {
        Tunnel t(proxy);
        t.answer("HTTP/1.1 200 OK\r\n");
        lt_tunnel_ended(t.tunnel);
        CHECK(t.says("in the middle"));
    }
    {
        Tunnel t(proxy);
        lt_tunnel_timed_out(t.tunnel);
        CHECK(t.says("connect-timeout"));
        CHECK(lt_tunnel_error(t.tunnel)->code == LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    }
    Tunnel t(proxy);
    t.answer(OK);
    lt_tunnel_ended(t.tunnel);
    CHECK(t.state() == LT_TUNNEL_OPEN);
}
