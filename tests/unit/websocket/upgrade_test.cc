/* SPDX-License-Identifier: MIT */
/* The opening handshake, both ends, and what is none. */
#include "end.h"

namespace
{

const std::string KEY = "dGhlIHNhbXBsZSBub25jZQ==";             /* RFC 6455 section 1.3, */
const std::string KEYS_ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="; /*   and its answer */

std::string request(const std::string &more = "", const std::string &line = "GET /live HTTP/1.1")
{
    return line + "\r\nHost: h\r\n" + more + "\r\n";
}

std::string upgrade(const std::string &more = "")
{
    return "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: " +
           KEY + "\r\n" + more;
}

/* What a listener answers. */
std::string answer_to(const std::string &text, lt_ws_setup setup = listener_setup(),
                      bool *foreign = nullptr, size_t piece = SIZE_MAX)
{
    End end(setup);
    const uint8_t *head;
    size_t size;
    end.receive(text, piece);
    std::string answer = end.output();
    if (answer.find("HTTP/1.1 101 ") != 0) {
        CHECK(end.state() == LT_WS_FAILED);
        CHECK(end.error().find("WebSocket: ") == 0);
        CHECK(end.error().find("answered with " + answer.substr(9, 3)) != std::string::npos);
        CHECK(answer.find("Connection: close\r\n") != std::string::npos);
    }
    bool other = lt_ws_is_foreign(end.ws, &head, &size);
    if (foreign)
        *foreign = other;
    if (other)
        CHECK(std::string((const char *)head, size) == text);
    return answer;
}

bool has(const std::string &text, const std::string &part)
{
    INFO(text);
    return text.find(part) != std::string::npos;
}

/* What a caller makes of an answer. */
std::string complaint(const std::string &answer)
{
    End end(caller_setup());
    end.receive(answer);
    INFO(answer);
    CHECK(end.state() == LT_WS_FAILED);
    CHECK(lt_ws_error(end.ws)->code != LIVETCP_OK);
    CHECK(end.write("media") != LIVETCP_OK);
    return end.error();
}

std::string switching(const std::string &more = "", const std::string &accept = "")
{
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\n"
           "Sec-WebSocket-Accept: " +
           (accept.empty() ? std::string(ACCEPT) : accept) + "\r\n" + more + "\r\n";
}

} // namespace

TEST_CASE("a caller's request, and a listener's answer")
{
    size_t piece = GENERATE(1u, 7u, 100000u);
    End caller(caller_setup()), listener(listener_setup());
    std::string text = caller.output();

    CHECK(text.find("GET /live HTTP/1.1\r\nHost: media.example:8080\r\n") == 0);
    CHECK(has(text, "\r\nSec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==\r\n"));
    CHECK(has(text, "\r\nSec-WebSocket-Protocol: livetcp\r\n"));
    CHECK(caller.write("early") == LIVETCP_ERR_BAD_STATE);
    CHECK(listener.receive(text, piece).empty());
    CHECK(listener.state() == LT_WS_OPEN);
    std::string answer = listener.output();
    CHECK(has(answer, std::string("\r\nSec-WebSocket-Accept: ") + ACCEPT + "\r\n"));
    CHECK(listener.write("media") == LIVETCP_OK);
    answer += listener.output(); /* in one piece with the answer's end */
    CHECK(caller.receive(answer, piece) == "media");
    CHECK(caller.state() == LT_WS_OPEN);
    CHECK(caller.output().empty());
}

TEST_CASE("Host, path and subprotocols of the request")
{
    lt_ws_setup setup = caller_setup();
    setup.host = "2001:db8::1";
    setup.path = "";
    CHECK(End(setup).output().find("GET / HTTP/1.1\r\nHost: [2001:db8::1]:8080\r\n") == 0);
    setup.port = 0;
    CHECK(has(End(setup).output(), "\r\nHost: [2001:db8::1]\r\n"));
    setup.tls = true;
    CHECK(has(End(setup).output(), "\r\nSec-WebSocket-Protocol: livetcp-bound, livetcp\r\n"));
}

TEST_CASE("authenticators are bound to TLS if it is below both ends")
{
    bool caller_tls = GENERATE(false, true), listener_tls = GENERATE(false, true);
    lt_ws_setup a = caller_setup(), b = listener_setup();
    a.tls = caller_tls;
    b.tls = listener_tls;
    Pair pair(a, b);

    REQUIRE(pair.caller.state() == LT_WS_OPEN);
    CHECK(lt_ws_is_bound(pair.caller.ws) == (caller_tls && listener_tls));
    CHECK(lt_ws_is_bound(pair.listener.ws) == (caller_tls && listener_tls));
}

TEST_CASE("the example of RFC 6455, and requests that are written otherwise")
{
    CHECK(has(answer_to(request(upgrade())), "\r\nSec-WebSocket-Accept: " + KEYS_ACCEPT + "\r\n"));
    for (size_t piece : {1, 3, 50})
        CHECK(
            answer_to(request(upgrade()), listener_setup(), nullptr, piece).find("HTTP/1.1 101 ") ==
            0);
    CHECK_FALSE(has(answer_to(request(upgrade())), "Sec-WebSocket-Protocol"));
    CHECK(has(answer_to(request(upgrade("sec-websocket-protocol: chat ,livetcp\r\n"))),
              "\r\nSec-WebSocket-Protocol: livetcp\r\n"));
    CHECK(answer_to(request(upgrade("Sec-WebSocket-Extensions: permessage-deflate\r\n")))
              .find("HTTP/1.1 101 ") == 0);
}

TEST_CASE("a listener's path")
{
    lt_ws_setup setup = listener_setup();
    struct {
        const char *path, *target;
        bool right;
    } cases[] = {
        {"", "/anything?x=1", true},
        {"/live", "/live", true},
        {"/live", "/live?token=x", true},
        {"/live", "/live/", false},
        {"/live", "/liv", false},
        {"/live", "/", false},
        {"/live", "/LIVE", false},
        {"/live?a=b", "/live?a=b", true},
        {"/live?a=b", "/live", false},
        {"/live", "http://h/live", true},
        {"/", "http://h", true},
        {"/live", "http://h/other", false},
        {"/", "/live", false},
    };
    for (const auto &c : cases) {
        bool foreign;
        setup.path = c.path;
        INFO(c.path << " " << c.target);
        std::string answer = answer_to(
            request(upgrade(), std::string("GET ") + c.target + " HTTP/1.1"), setup, &foreign);
        CHECK(answer.substr(9, 3) == (c.right ? "101" : "404"));
        CHECK(foreign == !c.right);
    }
}

TEST_CASE("requests that are no WebSocket, or not for us, may be another server's")
{
    bool foreign;
    lt_ws_setup setup = listener_setup();
    struct {
        std::string text;
        const char *status, *why;
    } cases[] = {
        {request(), "426", "no 'Upgrade: websocket'"},
        {request("", "GET / HTTP/1.0"), "426", "HTTP/1.0"},
        {request("Upgrade: h2c\r\n"), "426", "Upgrade"},
        {request(upgrade(), "POST /live HTTP/1.1"), "405", "GET"},
        {request(upgrade(), "DELETE /live HTTP/1.1"), "405", "GET"},
        {request("", "GET / HTTP/7.3"), "400", "malformed"},
        {request("no colon\r\n"), "400", "malformed"},
        {request("A: " + std::string(9000, 'x') + "\r\n").substr(0, 8192), "431", "8 KiB"},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400", "not HTTP/1.1"},
    };
    for (const auto &c : cases) {
        INFO(c.text.substr(0, 200));
        std::string answer = answer_to(c.text, setup, &foreign);
        CHECK(answer.substr(9, 3) == c.status);
        CHECK(has(answer, c.why));
        CHECK(foreign);
    }
    CHECK(has(answer_to(request()), "\r\nSec-WebSocket-Version: 13\r\n"));
    CHECK(has(answer_to(request()), "\r\nUpgrade: websocket\r\n"));
    CHECK(has(answer_to(request("", "PUT / HTTP/1.1")), "\r\nAllow: GET\r\n"));
}

TEST_CASE("WebSockets that a listener does not take")
{
    bool foreign;
    auto without = [](std::string text, const std::string &field) {
        size_t at = text.find(field);
        return text.erase(at, text.find("\r\n", at) + 2 - at);
    };
    std::string good = request(upgrade());
    lt_ws_setup setup = listener_setup();
    setup.origins = "https://a.example,https://b.example:444";
    struct {
        std::string text;
        const char *status, *why;
    } cases[] = {
        {request(upgrade(), "GET /live HTTP/1.0"), "400", "HTTP/1.0"},
        {without(good, "Sec-WebSocket-Version"), "426", "version 13"},
        {without(good, "Sec-WebSocket-Version").insert(22, "Sec-WebSocket-Version: 8\r\n"), "426",
         "version 13"},
        {without(good, "Sec-WebSocket-Key"), "400", "Sec-WebSocket-Key"},
        {without(good, "Sec-WebSocket-Key").insert(20, "Sec-WebSocket-Key: c2hvcnQ=\r\n"), "400",
         "Sec-WebSocket-Key"},
        {without(good, "Connection"), "400", "Connection"},
        {without(good, "Host"), "400", "Host"},
        {request(upgrade("Origin: https://evil.example\r\n")), "403", "websocket-origin"},
        {request(upgrade("Origin: null\r\n")), "403", "websocket-origin"},
        {request(upgrade("Sec-WebSocket-Protocol: chat\r\n")), "400", "livetcp"},
        {request(upgrade("Sec-WebSocket-Protocol: livetcp-bound\r\n")), "400", "livetcp"},
    };
    for (const auto &c : cases) {
        INFO(c.text);
        std::string answer = answer_to(c.text, setup, &foreign);
        CHECK(answer.substr(9, 3) == c.status);
        CHECK(has(answer, c.why));
        CHECK_FALSE(foreign);
    }
    CHECK(answer_to(request(upgrade("Origin: https://B.example:444\r\n")), setup).substr(9, 3) ==
          "101");
    setup.origins = "*";
    CHECK(answer_to(request(upgrade("Origin: null\r\n")), setup).substr(9, 3) == "101");
    setup.origins = "";
    CHECK(answer_to(request(upgrade("Origin: https://a.example\r\n")), setup).substr(9, 3) ==
          "403");
}

TEST_CASE("a caller takes a WebSocket's answer")
{
    for (const char *more : {"", "Sec-WebSocket-Protocol: livetcp\r\n", "Server: x\r\n"}) {
        End end(caller_setup());
        end.receive(switching(more));
        INFO(end.error());
        CHECK(end.state() == LT_WS_OPEN);
        CHECK_FALSE(lt_ws_is_bound(end.ws));
    }
}

TEST_CASE("what a caller says about another answer")
{
    CHECK(has(complaint("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"), "a web page"));
    CHECK(has(complaint("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
              "200 OK with a document"));
    CHECK(has(complaint("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), "websocket-path"));
    CHECK(has(complaint("HTTP/1.1 302 Found\r\nLocation: https://login.example/\r\n\r\n"),
              "302 Found to https://login.example/"));
    CHECK(has(complaint("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\n\r\n"), "401"));
    CHECK(has(complaint("HTTP/1.1 400 Bad Request\r\n\r\n"), "proxy_http_version 1.1"));
    CHECK(has(complaint("HTTP/1.1 426 Upgrade Required\r\n\r\n"), "proxy_http_version 1.1"));
    CHECK(has(complaint("HTTP/1.1 403 Forbidden\r\n\r\n"), "forbids"));
    CHECK(has(complaint("HTTP/1.1 407 Who\r\n\r\n"), "'proxy'"));
    CHECK(has(complaint("HTTP/1.1 502 Bad Gateway\r\n\r\n"), "cannot reach the listener"));
    CHECK(has(complaint("HTTP/1.1 299 \xff\x01Odd\r\n\r\n"), "299"));
    CHECK(has(complaint(switching("", KEYS_ACCEPT)), "Sec-WebSocket-Accept"));
    CHECK(has(complaint(switching("Sec-WebSocket-Extensions: permessage-deflate\r\n")),
              "an extension"));
    CHECK(has(complaint(switching("Sec-WebSocket-Protocol: chat\r\n")), "was not offered"));
    CHECK(
        has(complaint(switching("Sec-WebSocket-Protocol: livetcp-bound\r\n")), "was not offered"));
    CHECK(has(complaint("HTTP/1.0 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                        "Sec-WebSocket-Accept: " +
                        std::string(ACCEPT) + "\r\n\r\n"),
              "HTTP/1.0"));
    CHECK(has(complaint("HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n"),
              "another protocol"));
    CHECK(has(complaint("HTTP/1.1 101 x\r\nA: " + std::string(9300, 'x') + "\r\n\r\n"), "8 KiB"));
    CHECK(has(complaint("HTTP/1.1 101 x\r\nbad\x01name: x\r\n\r\n"), "malformed"));
    CHECK(has(complaint("<html>hello</html>"), "HTML"));
    CHECK(has(complaint("garbage"), "not HTTP"));
    CHECK(has(complaint(std::string("\x15\x03\x03\0\x02\x02\x28", 7)), "livetcp+wss://"));
    CHECK(has(complaint(std::string("\0\x0c\x80", 3) + "RTP RTP RTP"), "livetcp://"));
}
