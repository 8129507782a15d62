/* SPDX-License-Identifier: MIT */
/* Listeners behind proxies that say whose a connection is: PROXY headers, from those who may send
 * them and from others. */
#include "certificates.h"
#include "proxy_peer.h"
#include "sockets.h"
#include "world.h"

using namespace world;

namespace
{

const std::string V1 = "PROXY TCP4 203.0.113.7 192.0.2.2 40000 5004\r\n";
const std::string V2("\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0f\xcb\x00\x71\x07\xc0\x00\x02\x02\x9c\x40"
                     "\x13\x8cTLV",
                     16 + 15);

/* By number: a generator of strings would refer to those that are gone. */
const std::string HEADERS[] = {V1, V2, "PROXY UNKNOWN\r\n"};

Bytes bytes_of(const std::string &text)
{
    return Bytes(text.begin(), text.end());
}

bool contains(const std::string &text, const std::string &part)
{
    INFO(text);
    return text.find(part) != std::string::npos;
}

Settings behind_proxy(Settings more = {})
{
    more.insert(more.end(), {{"proxy-protocol", "1"}, {"proxy-protocol-from", "::1,127.0.0.1"}});
    return more;
}

int connect_to_anything(ProxyPeer::Stream &stream)
{
    std::string head = stream.read_head();
    stream.write("HTTP/1.1 200 OK\r\n\r\n");
    return ProxyPeer::port_of(head);
}

/* What the listener says about a peer that sends this. */
std::string rejection(Settings settings, const std::string &input, livetcp_result code)
{
    Context context;
    Server server(context, settings);
    Raw raw(server.port);
    raw.write(bytes_of(input));
    CHECK(raw.wait_for_end(context));
    REQUIRE(until(context, [&] { return server.rejections() == 1; }));
    CHECK(server.sessions() == 0);
    CHECK(server.rejection().error.code == code);
    return server.rejection().error.message;
}

} // namespace

TEST_CASE("a session whose connections come from a proxy with PROXY headers")
{
    certificates made;
    certificate_options options;
    options.name = "127.0.0.1";
    certificate_files files = made.make("listener", options);
    std::string header = HEADERS[GENERATE(0, 1)];
    bool tls = GENERATE(false, true);
    CAPTURE(header, tls);
    Context context;
    Settings listener = behind_proxy(), caller = {{"connections", "3"}};
    if (tls) {
        listener.insert(listener.end(),
                        {{"tls", "on"}, {"tls-cert", files.certificate}, {"tls-key", files.key}});
        caller.insert(caller.end(), {{"tls", "on"}, {"tls-ca", made.ca}});
    }
    Server server(context, listener);
    ProxyPeer proxy(connect_to_anything);
    proxy.prefix = header;
    caller.push_back({"proxy", "http://" + proxy.place()});
    Caller call(context, server.port, caller);

    REQUIRE(call.send(rtp(7)) == LIVETCP_OK);
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && server.record().packets() == 1 &&
               open_connections(server.session()) == 3;
    }));
    CHECK(server.at(0).remote == "203.0.113.7:40000");
}

TEST_CASE("plain RTP behind a header, of which each byte comes alone")
{
    Context context;
    std::string header = HEADERS[GENERATE(0, 1, 2)];
    Server server(context, behind_proxy({{"wire", "plain"}}));
    Raw raw(server.port);
    Bytes input = bytes_of(header), media = frame(rtp(9));
    input.insert(input.end(), media.begin(), media.end());

    for (uint8_t byte : input) {
        raw.write({byte});
        context.turn();
    }
    REQUIRE(
        until(context, [&] { return server.sessions() == 1 && server.record().packets() == 1; }));
    CHECK(server.record().all_packets()[0] == rtp(9));
    bool known = header != "PROXY UNKNOWN\r\n";
    CHECK(contains(server.at(0).remote, known ? "203.0.113.7:40000" : "127.0.0.1:"));
}

TEST_CASE("a plain peer that says nothing behind its header is served")
{
    Context context;
    Server server(context, behind_proxy({{"wire", "plain"}}));
    Raw silent(server.port), later(server.port);

    later.write(bytes_of(V1));
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    REQUIRE(send(server.session(), rtp(1)) == LIVETCP_OK);
    CHECK(later.next_frame(context) == rtp(1));
    CHECK(server.sessions() == 1);
}

TEST_CASE("a header from someone who may not send one is refused, with words")
{
    Settings others = {{"proxy-protocol", "1"}, {"proxy-protocol-from", "192.0.2.1,10.0.0.0/8"}};
    std::string header = HEADERS[GENERATE(0, 1)];

    for (const char *wire : {"session", "auto"}) {
        Settings settings = others;
        settings.push_back({"wire", wire});
        std::string why = rejection(settings, header, LIVETCP_ERR_GARBAGE);
        CHECK(contains(why, "connection from 127.0.0.1:"));
        CHECK(contains(why, "proxy-protocol-from"));
    }
    others.push_back({"fallback", "127.0.0.1:9"});
    CHECK(contains(rejection(others, header, LIVETCP_ERR_GARBAGE), "proxy-protocol-from"));
    CHECK(contains(rejection({}, header, LIVETCP_ERR_GARBAGE), "proxy-protocol=true"));
}

TEST_CASE("a caller that is no proxy needs no header where proxies do")
{
    Context context;
    Server server(context, {{"proxy-protocol", "1"}, {"proxy-protocol-from", "192.0.2.1"}});
    Caller caller(context, server.port);

    REQUIRE(caller.send(rtp(7)) == LIVETCP_OK);
    REQUIRE(
        until(context, [&] { return server.sessions() == 1 && server.record().packets() == 1; }));
    CHECK(contains(server.at(0).remote, "127.0.0.1:"));
}

TEST_CASE("a proxy without a header, or with a malformed one, is refused with words")
{
    CHECK(contains(rejection(behind_proxy(), "GET / HTTP/1.1\r\n\r\n", LIVETCP_ERR_PROTOCOL),
                   "no PROXY header"));
    CHECK(contains(rejection(behind_proxy(), "PROXY TCP4 nonsense\r\n", LIVETCP_ERR_PROTOCOL),
                   "malformed, or longer than 2 KiB; let the proxy send version 1 or 2"));
    std::string endless = V2.substr(0, 14) + "\xff\xff";
    CHECK(contains(rejection(behind_proxy(), endless, LIVETCP_ERR_PROTOCOL), "malformed"));
    /* Only one is taken: the second is nobody's. */
    CHECK(contains(rejection(behind_proxy(), V1 + V1, LIVETCP_ERR_GARBAGE), "203.0.113.7:40000"));
}

TEST_CASE("limits are of the address that the header names")
{
    Context context;
    Server server(context, behind_proxy({{"max-joining-address", "2"}}));
    std::vector<std::unique_ptr<Raw>> raws;
    auto connect_as = [&](const std::string &address) {
        raws.push_back(std::make_unique<Raw>(server.port));
        raws.back()->write(bytes_of("PROXY TCP4 " + address + " 192.0.2.2 1 2\r\n"));
        for (int i = 0; i < 5; i++)
            context.turn();
    };

    for (int i = 1; i < 20; i++)
        connect_as("203.0.113." + std::to_string(i));
    CHECK(server.rejections() == 0);
    connect_as("203.0.113.1");
    connect_as("203.0.113.1");
    REQUIRE(until(context, [&] { return server.rejections() == 1; }));
    CHECK(contains(server.rejection().error.message, "203.0.113.1:1: closed to make room"));
    CHECK(raws[0]->wait_for_end(context));
}
