/* SPDX-License-Identifier: MIT */
/* Sessions in WebSockets on loopback: with TLS and without, through proxies and behind servers that
 * end TLS, beside everything else that a port may take, and with peers that do not behave. */
#include "certificates.h"
#include "proxy_peer.h"
#include "shouter.h"
#include "sockets.h"
#include "world.h"

#include <cstdlib>
#include <fstream>

using namespace world;

namespace
{

bool contains(const std::string &text, const std::string &part)
{
    INFO(text);
    return text.find(part) != std::string::npos;
}

/* Media both ways, once every connection is open. */
void exchange(Context &context, Server &server, Caller &caller, unsigned connections,
              size_t size = 1200)
{
    const int packets = 50;
    size_t at = server.sessions();
    REQUIRE(until(context, [&] { return server.sessions() > 0; }));
    at = server.sessions() - 1;
    REQUIRE(until(context, [&] {
        return open_connections(caller.session) == connections &&
               open_connections(server.session(at)) == connections;
    }));
    for (int i = 0; i < packets; i++) {
        REQUIRE(caller.send(rtp((uint16_t)i, 12 + (size_t)(i * 37 % 1400))) == LIVETCP_OK);
        REQUIRE(send(server.session(at), rtp((uint16_t)i, size)) == LIVETCP_OK);
        context.turn();
    }
    REQUIRE(until(context, [&] {
        return server.record(at).packets() == (size_t)packets &&
               caller.record.packets() == (size_t)packets;
    }));
    for (const Bytes &packet : caller.record.all_packets())
        REQUIRE(packet == rtp(sequence_of(packet), size));
    for (const Bytes &packet : server.record(at).all_packets())
        REQUIRE(packet == rtp(sequence_of(packet), 12 + (size_t)(sequence_of(packet) * 37 % 1400)));
}

struct Pki {
    certificates made;
    certificate_files files;

    explicit Pki(const std::string &name = "127.0.0.1")
    {
        certificate_options options;
        options.name = name;
        files = made.make("listener", options);
    }
    Settings listener(const char *tls = "on") const
    {
        return {{"tls", tls}, {"tls-cert", files.certificate}, {"tls-key", files.key}};
    }
    Settings caller() const
    {
        return {{"tls", "on"}, {"tls-ca", made.ca}};
    }
};

const std::string REQUEST = "GET /live HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/* A frame of a caller's, masked with 1, 2, 3, 4. */
std::string masked(uint8_t first, const std::string &payload)
{
    std::string text(1, (char)first);
    if (payload.size() < 126) {
        text += (char)(0x80 | payload.size());
    } else {
        text += '\xfe';
        text += (char)(payload.size() >> 8);
        text += (char)payload.size();
    }
    text += "\x01\x02\x03\x04";
    for (size_t i = 0; i < payload.size(); i++)
        text += (char)(payload[i] ^ (char)(1 + i % 4));
    return text;
}

std::string text_of(const Bytes &bytes)
{
    return std::string(bytes.begin(), bytes.end());
}

Bytes bytes_of(const std::string &text)
{
    return Bytes(text.begin(), text.end());
}

/* A foreign client of a listener. */
struct Client : Raw {
    using Raw::Raw;

    void say(const std::string &text)
    {
        write(bytes_of(text));
    }
    /* Takes what comes up to this text, and that too. */
    std::string hear(Context &context, const std::string &end)
    {
        size_t at = std::string::npos;
        REQUIRE(until(context, [&] {
            poll();
            at = text_of(input).find(end);
            return at != std::string::npos || ended;
        }));
        std::string heard =
            text_of(input).substr(0, at == std::string::npos ? at : at + end.size());
        input.erase(input.begin(), input.begin() + (long)heard.size());
        return heard;
    }
    std::string hear_all(Context &context)
    {
        REQUIRE(wait_for_end(context));
        return text_of(input);
    }
};

/* What a caller says whose server answers so. */
std::string refusal(const ProxyPeer::Speak &speak, livetcp_result code, Settings more = {})
{
    Context context;
    ProxyPeer peer(speak);
    std::string message;
    Caller caller(
        context, peer.port,
        with({{"websocket", "on"}, {"reconnect-min", "60000"}, {"reconnect-max", "60000"}}, more));

    REQUIRE(until(context, [&] { return caller.record.lost_with(code, &message); }));
    CHECK(contains(message, "127.0.0.1"));
    return message;
}

} // namespace

TEST_CASE("a session in WebSockets")
{
    Context context;
    unsigned connections = GENERATE(1u, 4u);
    std::string split = GENERATE(values<std::string>({"1", "3"}));
    Server server(context, {{"websocket", "on"}, {"split", split}});
    Caller caller(
        context, server.port,
        {{"websocket", "on"}, {"connections", std::to_string(connections)}, {"split", split}});

    exchange(context, server, caller, connections);
    CHECK(server.rejections() == 0);
}

TEST_CASE("a URI, whose path is the WebSocket's, and a stream id beside it")
{
    Context context;
    Server server(context, {{"websocket", "on"}, {"websocket-path", "/live/a%20b"}});
    livetcp_config config = config_with({});
    livetcp_error error = {};
    Record record;
    livetcp_session *session = nullptr;
    std::string uri = "livetcp+ws://127.0.0.1:" + std::to_string(server.port) +
                      "/live/a%20b?stream-id=camera%207&connections=2";
    REQUIRE(livetcp_config_apply_uri(&config, uri.c_str(), &error) == LIVETCP_OK);
    REQUIRE(livetcp_session_connect(context.context, &config, Record::callbacks(), &record,
                                    &session, &error) == LIVETCP_OK);
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && open_connections(server.session()) == 2;
    }));
    livetcp_caller who = {};
    who.struct_size = sizeof who;
    REQUIRE(livetcp_session_get_caller(server.session(), &who) == LIVETCP_OK);
    CHECK(std::string(who.stream_id) == "camera 7");
    livetcp_session_destroy(&session);
}

TEST_CASE("WebSockets over TLS, with certificates and a passphrase; a token is bound to it")
{
    Pki pki;
    bool passphrase = GENERATE(false, true);
    Settings secret = {{"passphrase", "correct horse battery"}};
    Context context;
    Server server(context, with(passphrase ? secret : pki.listener(), {{"websocket", "on"}}));
    Caller caller(context, server.port,
                  with(passphrase ? secret : pki.caller(),
                       {{"websocket", "on"}, {"connections", "4"}, {"token", "let me in"}}));

    exchange(context, server, caller, 4);
    livetcp_tls_info info = {};
    info.struct_size = sizeof info;
    REQUIRE(livetcp_session_get_tls(caller.session, &info) == LIVETCP_OK);
    CHECK(std::string(info.version) == "TLSv1.3");
    CHECK(info.handshakes == 4);
}

TEST_CASE("plain RFC 4571 in a WebSocket, either end silent")
{
    Context context;
    std::string wire = GENERATE(values<std::string>({"plain", "auto"}));
    Server server(context, {{"websocket", "on"}, {"wire", wire}, {"handshake-timeout", "300"}});
    Caller caller(context, server.port, {{"websocket", "on"}, {"wire", "plain"}});

    /* With wire=auto a silent peer is served when it has said nothing for the handshake's time. */
    if (wire == "auto")
        REQUIRE(caller.send(rtp(99)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    REQUIRE(send(server.session(), rtp(1)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return caller.record.packets() == 1; }));
    REQUIRE(caller.send(rtp(2)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == (wire == "auto" ? 2 : 1); }));
}

TEST_CASE("one port for plain LiveTCP, TLS, WebSockets and WebSockets over TLS")
{
    Pki pki;
    Context context;
    Server server(context, with(pki.listener("auto"), {{"websocket", "auto"}, {"wire", "auto"}}));

    for (bool websocket : {false, true})
        for (bool tls : {false, true}) {
            CAPTURE(websocket, tls);
            Settings settings = {{"connections", "2"}, {"websocket", websocket ? "on" : "off"}};
            Caller caller(context, server.port, tls ? with(settings, pki.caller()) : settings);
            size_t before = server.sessions();
            REQUIRE(until(context, [&] { return server.sessions() > before; }));
            exchange(context, server, caller, 2);
        }
    CHECK(server.rejections() == 0);
}

TEST_CASE("WebSockets through a proxy, with TLS to it and within")
{
    Pki proxy_pki, pki;
    bool proxy_tls = GENERATE(false, true), tls = GENERATE(false, true);
    CAPTURE(proxy_tls, tls);
    Context context;
    ProxyPeer proxy(
        [](ProxyPeer::Stream &stream) {
            std::string head = stream.read_head();
            stream.write("HTTP/1.1 200 OK\r\n\r\n");
            return ProxyPeer::port_of(head);
        },
        proxy_tls ? &proxy_pki.files : nullptr);
    Settings listener = {{"websocket", "on"}}, caller = {{"websocket", "on"}, {"connections", "3"}};
    if (proxy_tls)
        caller.push_back({"proxy-ca", proxy_pki.made.ca});
    caller.push_back({"proxy", (proxy_tls ? "https://" : "http://") + proxy.place()});
    Server server(context, tls ? with(listener, pki.listener()) : listener);
    Caller call(context, server.port, tls ? with(caller, pki.caller()) : caller);

    exchange(context, server, call, 3);
    CHECK(proxy.connections == 3);
}

TEST_CASE("a server in front that ends TLS: authenticators are not bound to it")
{
    Pki pki;
    Context context;
    bool encrypted = GENERATE(false, true);
    Server server(context, {{"websocket", "on"}});
    ProxyPeer front([&](ProxyPeer::Stream &) { return (int)server.port; }, &pki.files);
    Caller caller(context, front.port,
                  with(pki.caller(), {{"connections", "3"},
                                      {"websocket", encrypted ? "on" : "off"},
                                      {"reconnect-min", "60000"},
                                      {"reconnect-max", "60000"}}));
    if (encrypted) {
        exchange(context, server, caller, 3);
    } else { /* and without a WebSocket nobody may be between */
        REQUIRE(until(context, [&] { return server.rejections() > 0; }));
        CHECK(server.sessions() == 0);
    }
}

TEST_CASE("a token is not given to a server in front that ends TLS")
{
    Pki pki;
    Context context;
    Server server(context, {{"websocket", "on"}});
    ProxyPeer front([&](ProxyPeer::Stream &) { return (int)server.port; }, &pki.files);
    Caller caller(context, front.port,
                  with(pki.caller(), {{"connections", "1"},
                                      {"websocket", "on"},
                                      {"token", "s3cr3t"},
                                      {"reconnect-min", "60000"},
                                      {"reconnect-max", "60000"}}));

    std::string message;
    REQUIRE(until(context, [&] { return caller.record.lost_with(LIVETCP_ERR_TLS, &message); }));
    CHECK(contains(message, "let it pass on TLS"));
    CHECK_FALSE(contains(message, "s3cr3t"));
    CHECK(server.sessions() == 0);
}

TEST_CASE("a port is shared with a web server")
{
    Shouter web;
    Context context;
    std::string mode = GENERATE(values<std::string>({"on", "auto"}));
    Server server(context, {{"websocket", mode},
                            {"websocket-path", "/live"},
                            {"fallback", "127.0.0.1:" + std::to_string(web.port)}});
    const std::string requests[] = {
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /live HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" +
            std::string(100000, 'a'),
        "GET /other HTTP/1.1" + REQUEST.substr(REQUEST.find("\r\n")) + "\r\n",
        "GET /cookies HTTP/1.1\r\nHost: x\r\nCookie: " + std::string(20000, 'c') + "\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET  / what is that\r\n\r\n",
    };
    for (const std::string &request : requests) {
        INFO(request.substr(0, 60));
        CHECK(shouted(context, server.port, request) == capitals_of(request));
    }
    CHECK(server.rejections() == 0);
    Caller caller(context, server.port,
                  {{"websocket", "on"}, {"websocket-path", "/live"}, {"connections", "2"}});
    exchange(context, server, caller, 2);
}

TEST_CASE("a port with TLS is shared with a web server: WebSockets are told by ALPN")
{
    Pki pki;
    Shouter web;
    Context context;
    Server server(context,
                  with(pki.listener(), {{"websocket", "on"},
                                        {"fallback", "127.0.0.1:" + std::to_string(web.port)}}));
    Caller caller(context, server.port,
                  with(pki.caller(), {{"websocket", "on"}, {"connections", "2"}}));
    exchange(context, server, caller, 2);
}

TEST_CASE("a foreign client: messages, pings, text, and its end")
{
    Context context;
    Server server(context, {{"websocket", "on"}, {"wire", "auto"}});
    Client client(server.port);

    client.say(REQUEST + "\r\n");
    CHECK(contains(client.hear(context, "\r\n\r\n"),
                   "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    client.say(masked(0x89, "soon")); /* before it has said what it wants */
    CHECK(client.hear(context, "soon") == "\x8a\x04soon");
    std::string stream = text_of(frame(rtp(1))) + text_of(frame(rtp(2)));
    client.say(masked(0x02, stream.substr(0, 100)));
    client.say(masked(0x89, "ping"));
    client.say(masked(0x80, stream.substr(100)));
    CHECK(client.hear(context, "ping") == "\x8a\x04ping");
    REQUIRE(
        until(context, [&] { return server.sessions() == 1 && server.record().packets() == 2; }));
    REQUIRE(send(server.session(), rtp(7, 100)) == LIVETCP_OK);
    std::string expected = text_of(frame(rtp(7, 100)));
    CHECK(client.hear(context, expected) ==
          "\x82" + std::string(1, (char)expected.size()) + expected);
    SECTION("text is refused")
    {
        client.say(masked(0x81, "{\"hello\": \"media\"}"));
        CHECK(contains(client.hear_all(context).substr(2), "\x03\xeb"));
        std::string message;
        REQUIRE(until(context, [&] {
            return server.record().lost_with(LIVETCP_ERR_NOT_SUPPORTED, &message);
        }));
        CHECK(contains(message, "binary messages"));
    }
    SECTION("frames that are not masked are refused")
    {
        client.say("\x82\x05media");
        CHECK(contains(client.hear_all(context).substr(2), "\x03\xea"));
    }
    SECTION("garbage inside is refused with 1002")
    {
        client.say(masked(0x82, std::string("\0\x10hello", 7) + std::string(20, 'x')));
        CHECK(contains(client.hear_all(context).substr(2), "\x03\xea"));
    }
    SECTION("it ends in order")
    {
        client.say(masked(0x88, "\x03\xe8"));
        CHECK(client.hear_all(context) == "\x88\x02\x03\xe8");
        REQUIRE(until(context, [&] { return server.record().closed(); }));
    }
    SECTION("we end in order")
    {
        livetcp_session_close(server.session(), 0);
        CHECK(contains(client.hear_all(context), "\x88"));
    }
}

TEST_CASE("requests that a listener does not take are answered")
{
    const Settings settings = {{"websocket", "on"},
                               {"websocket-path", "/live"},
                               {"websocket-origin", "https://good.example"}};
    const struct {
        std::string request;
        const char *answer;
    } cases[] = {
        {"GET /live HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 426 "},
        {"GET /else HTTP/1.1" + REQUEST.substr(REQUEST.find("\r\n")) + "\r\n", "HTTP/1.1 404 "},
        {"POST /live HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 405 "},
        {REQUEST + "Origin: https://evil.example\r\n\r\n", "HTTP/1.1 403 "},
        {REQUEST + "Sec-WebSocket-Protocol: chat\r\n\r\n", "HTTP/1.1 400 "},
        {"GET /live HTTP/1.1\r\nA: " + std::string(9000, 'x'), "HTTP/1.1 431 "},
        {"GET /live nonsense\r\n\r\n", "HTTP/1.1 400 "},
    };
    for (const auto &c : cases) {
        INFO(c.request.substr(0, 100));
        Context context;
        Server server(context, settings);
        Client client(server.port);
        client.say(c.request);
        CHECK(client.hear_all(context).find(c.answer) == 0);
        REQUIRE(until(context, [&] { return server.rejections() > 0; }));
        CHECK(contains(server.rejection().error.message, "WebSocket: "));
    }
    Context context;
    Server server(context, settings);
    Client good(server.port);
    good.say(REQUEST + "Origin: https://good.example\r\n\r\n");
    CHECK(good.hear(context, "\r\n").find("HTTP/1.1 101 ") == 0);
    CHECK(server.sessions() == 0);
}

TEST_CASE("a head that does not end is bounded in time")
{
    Context context;
    Server server(context, {{"websocket", "on"}, {"handshake-timeout", "300"}});
    Client slow(server.port), silent(server.port);

    slow.say("GET /live HTTP/1.1\r\nHost: h\r\nA: ");
    CHECK(until(context, [&] {
        if (!slow.ended)
            (void)!::send(slow.fd, "x", 1, MSG_NOSIGNAL);
        slow.poll();
        silent.poll();
        return slow.ended && silent.ended;
    }));
    CHECK(server.rejected_with(LIVETCP_ERR_HANDSHAKE_TIMEOUT));
    CHECK(text_of(silent.input).find("HTTP") == std::string::npos); /* it may be anybody */
}

TEST_CASE("a head that is too slow is answered with 408, also to servers that wait in silence")
{
    Context context;
    Shouter web;
    bool shared = GENERATE(false, true);
    Settings settings = {{"websocket", "on"}, {"handshake-timeout", "200"}};
    if (shared)
        settings.push_back({"fallback", "127.0.0.1:" + std::to_string(web.port)});
    Server server(context, settings);
    Client slow(server.port);
    slow.say("GET /live HTTP/1.1\r\nHost: h\r\n");
    std::string answer = slow.hear_all(context);
    CHECK(answer.find("HTTP/1.1 408 ") == 0);
    CHECK(contains(answer, "Connection: close"));
    REQUIRE(until(context, [&] { return server.rejected_with(LIVETCP_ERR_HANDSHAKE_TIMEOUT); }));
    CHECK(contains(server.rejection().error.message, "handshake-timeout"));
}

TEST_CASE("a server in front that is known says whose a WebSocket is, and nobody else does")
{
    const struct {
        const char *from, *fields, *remote;
    } cases[] = {
        {"127.0.0.1", "X-Forwarded-For: 192.0.2.7\r\n", "192.0.2.7:0"},
        {"127.0.0.0/8", "x-forwarded-for: 2001:db8::7\r\n", "[2001:db8::7]:0"},
        {"127.0.0.0/8", "X-Forwarded-For: 192.0.2.7:4711\r\n", "192.0.2.7:4711"},
        /* what the caller itself has written does not count, */
        {"127.0.0.1", "X-Forwarded-For: 10.1.1.1, 192.0.2.7\r\n", "192.0.2.7:0"},
        {"127.0.0.1", "X-Forwarded-For: 10.1.1.1\r\nX-Forwarded-For: 192.0.2.7\r\n", "192.0.2.7:0"},
        /* two servers in front, */
        {"127.0.0.1,10.0.0.0/8", "X-Forwarded-For: 1.1.1.1, 192.0.2.7, 10.0.0.9\r\n",
         "192.0.2.7:0"},
        /* garbage, nothing, and one that nobody trusts. */
        {"127.0.0.1", "X-Forwarded-For: unknown\r\n", "127.0.0.1:"},
        {"127.0.0.1", "", "127.0.0.1:"},
        {"192.0.2.0/24", "X-Forwarded-For: 192.0.2.7\r\n", "127.0.0.1:"},
        {"", "X-Forwarded-For: 192.0.2.7\r\n", "127.0.0.1:"},
    };
    for (const auto &c : cases) {
        INFO(c.from << " | " << c.fields);
        Context context;
        Settings settings = {{"websocket", "on"}, {"wire", "auto"}};
        if (*c.from)
            settings.push_back({"websocket-forwarded-from", c.from});
        Server server(context, settings);
        Client client(server.port);
        client.say(REQUEST + c.fields + "\r\n");
        client.hear(context, "\r\n\r\n");
        client.say(masked(0x82, text_of(frame(rtp(1)))));
        REQUIRE(until(context, [&] { return server.sessions() == 1; }));
        CHECK(server.at(0).remote.find(c.remote) == 0);
    }
}

TEST_CASE("limits of an address are those of whom the server in front has named")
{
    Context context;
    Server server(context, {{"websocket", "on"},
                            {"websocket-forwarded-from", "127.0.0.1"},
                            {"max-joining-address", "2"}});
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 4; i++) {
        clients.push_back(std::make_unique<Client>(server.port));
        clients.back()->say(REQUEST + "X-Forwarded-For: 192.0.2." + std::to_string(i < 3 ? 7 : 8) +
                            "\r\n\r\n");
        CHECK(clients.back()->hear(context, "\r\n\r\n").find("HTTP/1.1 101 ") == 0);
    }
    /* The third of 192.0.2.7 has made its first leave. */
    CHECK(clients[0]->wait_for_end(context));
    for (int i = 1; i < 4; i++) {
        clients[i]->poll();
        CHECK_FALSE(clients[i]->ended);
    }
}

TEST_CASE("a caller's requests have the fields that a server in front asks for")
{
    Pki pki;
    Context context;
    std::string heard;
    Server server(context, {{"websocket", "on"}});
    ProxyPeer front(
        [&](ProxyPeer::Stream &stream) {
            heard = stream.read_head();
            stream.write("HTTP/1.1 403 Forbidden\r\n\r\n");
            return (int)ProxyPeer::CLOSE;
        },
        &pki.files);
    std::string file = std::string(P_tmpdir) + "/livetcp-headers-" + std::to_string(getpid());
    std::ofstream(file) << "Authorization: Bearer s3cr3t\r\n\r\nX-Route: media;v=2\n";
    setenv("LT_TEST_HEADERS", "Authorization: Bearer s3cr3t\nX-Route: media;v=2", 1);
    const std::pair<std::string, bool> values[] = {{"Authorization: Bearer s3cr3t", false},
                                                   {"file:" + file, true},
                                                   {"env:LT_TEST_HEADERS", true}};
    for (const auto &value : values) {
        INFO(value.first);
        heard.clear();
        Caller caller(context, front.port,
                      with(pki.caller(), {{"websocket", "on"},
                                          {"connections", "1"},
                                          {"websocket-headers", value.first},
                                          {"reconnect-min", "60000"},
                                          {"reconnect-max", "60000"}}));
        std::string message;
        REQUIRE(until(context,
                      [&] { return caller.record.lost_with(LIVETCP_ERR_PROTOCOL, &message); }));
        CHECK_FALSE(contains(message, "s3cr3t"));
        CHECK(contains(heard, "\r\nAuthorization: Bearer s3cr3t\r\n"));
        CHECK(contains(heard, "\r\nX-Route: media;v=2\r\n") == value.second);
        CHECK(heard.find("\r\n\r\n") == heard.size() - 4);
    }
    remove(file.c_str());
}

TEST_CASE("fields of a request that cannot be are named, and not shown")
{
    Context context;
    const std::pair<const char *, const char *> cases[] = {
        {"no colon s3cr3t", "line 1 is no 'Name: value'"},
        {": s3cr3t", "line 1 is no"},
        {"A: b\nX y: s3cr3t", "line 2 is no"},
        {"A: b\nHost: s3cr3t", "'Host' is a field that LiveTCP sets itself"},
        {"sec-websocket-key: s3cr3t", "'sec-websocket-key' is a field"},
        {"A: s3cr3t\x01", "line 1 is no"}};
    for (const auto &c : cases) {
        setenv("LT_TEST_HEADERS", c.first, 1);
        livetcp_config config = config_with({{"host", "127.0.0.1"},
                                             {"port", "9"},
                                             {"tls", "on"},
                                             {"websocket", "on"},
                                             {"websocket-headers", "env:LT_TEST_HEADERS"}});
        livetcp_session *session = nullptr;
        livetcp_error error = {};
        CHECK(livetcp_session_connect(context.context, &config, nullptr, nullptr, &session,
                                      &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(contains(error.message, c.second));
        CHECK_FALSE(contains(error.message, "s3cr3t"));
    }
}

TEST_CASE("ends of which one has WebSockets and the other has not")
{
    Context context;
    std::string message;
    {
        Server server(context, {{"websocket", "on"}});
        Caller caller(context, server.port,
                      {{"reconnect-min", "60000"}, {"reconnect-max", "60000"}});
        REQUIRE(until(context, [&] { return server.rejections() > 0; }));
        CHECK(contains(server.rejection().error.message, "livetcp+ws://"));
        REQUIRE(until(context, [&] { return caller.record.lost_with(LIVETCP_ERR_PROTOCOL); }));
    }
    {
        Server server(context);
        Caller caller(
            context, server.port,
            {{"websocket", "on"}, {"reconnect-min", "60000"}, {"reconnect-max", "60000"}});
        REQUIRE(until(context, [&] { return server.rejections() > 0; }));
        CHECK(contains(server.rejection().error.message, "websocket=auto"));
        REQUIRE(until(context, [&] {
            return caller.record.lost_with(LIVETCP_ERR_CONNECTION_LOST, &message);
        }));
        CHECK(contains(message, "websocket=on"));
    }
}

TEST_CASE("servers that are none of ours, or no WebSocket")
{
    const livetcp_result protocol = LIVETCP_ERR_PROTOCOL, garbage = LIVETCP_ERR_GARBAGE;

    CHECK(contains(
        refusal(answer("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"), protocol),
        "a web page"));
    CHECK(contains(refusal(answer("HTTP/1.1 404 Not Found\r\n\r\n"), protocol), "websocket-path"));
    CHECK(contains(
        refusal(answer("HTTP/1.1 301 Moved\r\nLocation: https://x.example/\r\n\r\n"), protocol),
        "https://x.example/"));
    CHECK(contains(refusal(answer("<html>hello</html>"), garbage), "HTML"));
    CHECK(contains(refusal(answer("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                                  "Sec-WebSocket-Accept: x\r\n\r\n"),
                           protocol),
                   "Sec-WebSocket-Accept"));
    CHECK(contains(refusal(answer("HTTP/1.1 200"), LIVETCP_ERR_CONNECTION_LOST), "websocket=on"));
    CHECK(contains(refusal([](ProxyPeer::Stream &) { return ProxyPeer::STAY; },
                           LIVETCP_ERR_HANDSHAKE_TIMEOUT, {{"connect-timeout", "300"}}),
                   "opening handshake of the WebSocket"));
}

TEST_CASE("settings of WebSockets that do not fit each other")
{
    const struct {
        Settings settings;
        const char *text;
    } cases[] = {
        {{{"websocket-path", "/live"}}, "without websocket=on"},
        {{{"websocket", "auto"}}, "for a listener"},
        {{{"websocket", "on"}, {"websocket-path", "live"}}, "begins with a slash"},
        {{{"websocket", "on"}, {"websocket-path", "/a b"}}, "websocket-path"},
        {{{"websocket", "on"}, {"websocket-origin", "*"}}, "a listener's"},
        {{{"mode", "listener"}, {"websocket", "auto"}, {"wire", "plain"}}, "wire=plain"},
        {{{"websocket", "on"}, {"websocket-forwarded-from", "::1"}}, "a listener's"},
        {{{"mode", "listener"}, {"websocket", "on"}, {"websocket-forwarded-from", "all"}},
         "'all' is no address or network"},
        {{{"websocket", "on"}, {"websocket-headers", "A: b"}}, "livetcp+wss://"},
        {{{"tls", "on"}, {"websocket-headers", "A: b"}}, "without websocket=on"},
        {{{"mode", "listener"}, {"websocket", "on"}, {"websocket-headers", "A: b"}}, "a caller's"},
    };
    for (const auto &c : cases) {
        livetcp_error error = {};
        livetcp_config config = config_with({{"host", "127.0.0.1"}, {"port", "1"}});
        INFO(c.text);
        livetcp_result result = LIVETCP_OK;
        for (const auto &s : c.settings)
            if (result == LIVETCP_OK)
                result = livetcp_config_set(&config, s.first, s.second.c_str(), &error);
        if (result == LIVETCP_OK)
            result = livetcp_config_check(&config, &error);
        CHECK(result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(contains(error.message, c.text));
    }
}
