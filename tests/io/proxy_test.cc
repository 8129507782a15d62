/* SPDX-License-Identifier: MIT */
/* Sessions through proxies on loopback: HTTP, HTTPS and SOCKS5, with and without TLS inside, and
 * proxies that refuse, are silent or are none. */
#include "exchange.h"
#include "proxy_peer.h"
#include "sockets.h"
#include "world.h"

using namespace world;

namespace
{

const std::string OK = "HTTP/1.1 200 Connection established\r\n\r\n";

/* Nobody but the proxy knows it. */
const char *const HOST = "media.invalid";

bool contains(const std::string &text, const std::string &part)
{
    INFO(text);
    return text.find(part) != std::string::npos;
}

int connect_to_anything(ProxyPeer::Stream &stream)
{
    std::string head = stream.read_head();
    if (head.find(std::string("CONNECT ") + HOST + ":") != 0)
        return ProxyPeer::CLOSE;
    stream.write(OK);
    return ProxyPeer::port_of(head);
}

/* Basic me:secret */
int connect_for_user(ProxyPeer::Stream &stream)
{
    std::string head = stream.read_head();
    if (head.find("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n") != std::string::npos) {
        stream.write(OK);
        return ProxyPeer::port_of(head);
    }
    stream.write("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic "
                 "realm=\"x\"\r\nContent-Length: 5\r\n\r\nhello");
    return ProxyPeer::CLOSE;
}

int socks5_for_user(ProxyPeer::Stream &stream)
{
    if (stream.read_bytes(4) != std::string("\x05\x02\x00\x02", 4))
        return ProxyPeer::CLOSE;
    stream.write("\x05\x02");
    if (stream.read_bytes(11) != "\x01\x02me\x06secret")
        return ProxyPeer::CLOSE;
    stream.write(std::string("\x01\x00", 2));
    std::string request = stream.read_bytes(5 + strlen(HOST) + 2);
    if (request.find(HOST) != 5)
        return ProxyPeer::CLOSE;
    stream.write(std::string("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x07", 10));
    return (uint8_t)request[request.size() - 2] << 8 | (uint8_t)request[request.size() - 1];
}

/* What a caller says whose proxy answers so. */
std::string refusal(const std::string &url_begin, const ProxyPeer::Speak &speak,
                    livetcp_result code = LIVETCP_ERR_PROXY, Settings more = {})
{
    Context context;
    ProxyPeer proxy(speak);
    std::string message;
    more.insert(more.end(), {{"host", HOST}, {"proxy", url_begin + proxy.place()}});
    Caller caller(context, 5004, more);

    REQUIRE(until(context, [&] { return caller.record.lost_with(code, &message); }));
    CHECK(contains(message, "proxy http"));
    CHECK(contains(message, proxy.place()));
    CHECK_FALSE(contains(message, "secret"));
    return message;
}

} // namespace

TEST_CASE("every connection of a session goes through the proxy, which resolves the name")
{
    Context context;
    Server server(context);
    ProxyPeer proxy(connect_to_anything);
    unsigned connections = GENERATE(1u, 4u);
    Caller caller(context, server.port,
                  {{"host", HOST},
                   {"connections", std::to_string(connections)},
                   {"proxy", "http://" + proxy.place()}});

    exchange(context, server, caller, connections, 50);
    CHECK(proxy.connections == (int)connections);
    CHECK(connection_stats(caller.session, 0).remote == proxy.place());
}

TEST_CASE("user and password, given when the proxy asks")
{
    Context context;
    Server server(context);
    ProxyPeer proxy(connect_for_user);
    Caller caller(
        context, server.port,
        {{"host", HOST}, {"connections", "3"}, {"proxy", "http://me:secret@" + proxy.place()}});

    exchange(context, server, caller, 3, 50);
    CHECK(proxy.connections > 3);
    CHECK(proxy.connections <= 6);
}

TEST_CASE("SOCKS5 with a user, in the environment and in a file")
{
    Context context;
    Server server(context);
    ProxyPeer proxy(socks5_for_user);
    setenv("LT_TEST_PROXY", ("socks5://me:secret@" + proxy.place()).c_str(), 1);
    Caller caller(context, server.port,
                  {{"host", HOST}, {"connections", "2"}, {"proxy", "env:LT_TEST_PROXY"}});

    exchange(context, server, caller, 2, 50);
    CHECK(proxy.connections == 2);
}

TEST_CASE("TLS through proxies, and a proxy with TLS")
{
    certificates made;
    certificate_options for_host, for_proxy;
    for_host.name = HOST;
    for_proxy.name = "127.0.0.1";
    certificate_files host_files = made.make("host", for_host);
    certificate_files proxy_files = made.make("proxy", for_proxy);
    bool tls = GENERATE(false, true), proxy_tls = GENERATE(false, true);
    CAPTURE(tls, proxy_tls);
    Context context;
    ProxyPeer proxy(connect_to_anything, proxy_tls ? &proxy_files : nullptr);
    Settings listener, caller = {{"host", HOST}, {"connections", "3"}};
    if (tls) {
        listener = {
            {"tls", "on"}, {"tls-cert", host_files.certificate}, {"tls-key", host_files.key}};
        caller.insert(caller.end(), {{"tls", "on"}, {"tls-ca", made.ca}});
    }
    if (proxy_tls)
        caller.push_back({"proxy-ca", made.ca});
    caller.push_back({"proxy", (proxy_tls ? "https://" : "http://") + proxy.place()});
    Server server(context, listener);
    Caller call(context, server.port, caller);

    exchange(context, server, call, 3, 50);
    CHECK(proxy.connections == 3);
}

TEST_CASE("a listener's bytes may come in one piece with the proxy's answer")
{
    certificates made;
    certificate_options for_proxy;
    for_proxy.name = "127.0.0.1";
    certificate_files files = made.make("proxy", for_proxy);
    bool tls = GENERATE(false, true);
    Context context;
    ProxyPeer proxy(
        [](ProxyPeer::Stream &stream) {
            std::string text = OK;
            stream.read_head();
            for (uint16_t i = 0; i < 40; i++) {
                Bytes bytes = frame(rtp(i, 1000));
                text.append(bytes.begin(), bytes.end());
            }
            stream.write(text);
            return ProxyPeer::STAY;
        },
        tls ? &files : nullptr);
    Settings settings = {{"wire", "plain"},
                         {"proxy", (tls ? "https://" : "http://") + proxy.place()}};
    if (tls)
        settings.push_back({"proxy-ca", made.ca});
    Caller caller(context, 5004, settings);

    REQUIRE(until(context, [&] { return caller.record.packets() == 40; }));
    for (const Bytes &packet : caller.record.all_packets())
        CHECK(packet == rtp(sequence_of(packet), 1000));
}

TEST_CASE("a proxy's refusals reach the application with a remedy")
{
    CHECK(contains(refusal("http://", answer("HTTP/1.1 403 Forbidden\r\n\r\n")), "443"));
    CHECK(contains(refusal("http://me:secret@", answer("HTTP/1.1 502 Bad Gateway\r\n\r\n<html>")),
                   "502 Bad Gateway for media.invalid:5004"));
    CHECK(contains(refusal("http://", answer("<html>hello</html>")), "web server"));
    CHECK(contains(refusal("http://", answer("garbage")), "something else than HTTP"));
    CHECK(contains(refusal("http://", answer("")), "without an answer"));
    CHECK(contains(refusal("http://me:secret@", answer("HTTP/1.1 200")), "in the middle"));
    CHECK(contains(refusal("http://", connect_for_user), "proxy=http://USER:PASSWORD@HOST:PORT"));
}

TEST_CASE("a proxy that says nothing, within connect-timeout")
{
    ProxyPeer::Speak silent = [](ProxyPeer::Stream &) { return ProxyPeer::STAY; };

    CHECK(contains(
        refusal("http://", silent, LIVETCP_ERR_HANDSHAKE_TIMEOUT, {{"connect-timeout", "300"}}),
        "within connect-timeout"));
    CHECK(contains(
        refusal("https://", silent, LIVETCP_ERR_HANDSHAKE_TIMEOUT, {{"connect-timeout", "300"}}),
        "within connect-timeout"));

    /* A session that ends meanwhile leaves nothing behind. */
    Context context;
    ProxyPeer proxy(silent);
    Caller caller(context, 5004, {{"proxy", "http://" + proxy.place()}});
    REQUIRE(until(context, [&] { return proxy.connections > 0; }));
}

TEST_CASE("a wrong password is tried once, however many connections there are")
{
    Context context;
    bool socks = GENERATE(false, true);
    std::atomic<int> tried{0};
    ProxyPeer proxy([&](ProxyPeer::Stream &stream) {
        if (socks) {
            stream.read_bytes(4);
            stream.write("\x05\x02");
            tried += stream.read_bytes(1 + 3 + 13) == "\x01\x02me\x0cwrong-secret";
            stream.write("\x01\x01");
            return ProxyPeer::CLOSE;
        }
        tried += stream.read_head().find("Proxy-Authorization: ") != std::string::npos;
        stream.write("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\n\r\n");
        return ProxyPeer::CLOSE;
    });
    Caller caller(context, 5004,
                  {{"connections", "4"},
                   {"reconnect-min", "10"},
                   {"reconnect-max", "10"},
                   {"proxy", (socks ? "socks5://me:wrong-secret@" : "http://me:wrong-secret@") +
                                 proxy.place()}});
    std::string message;

    REQUIRE(until(context, [&] { return caller.record.lost_with(LIVETCP_ERR_PROXY, &message); }));
    CHECK(contains(message, "does not accept the user and password"));
    CHECK_FALSE(contains(message, "secret"));
    REQUIRE(until(context, [&] { return caller.record.connections().size() > 20; }));
    CHECK(tried == 1);
}

TEST_CASE("a proxy that is not there, or speaks otherwise than said")
{
    Context context;
    uint16_t port;
    {
        ProxyPeer gone(connect_to_anything);
        port = gone.port;
    }
    std::string message, place = "127.0.0.1:" + std::to_string(port);
    {
        Caller caller(context, 5004, {{"proxy", "socks5://" + place}});
        REQUIRE(
            until(context, [&] { return caller.record.lost_with(LIVETCP_ERR_REFUSED, &message); }));
        CHECK(contains(message, "proxy socks5://" + place));
        CHECK(contains(message, "is the proxy running"));
    }
    {
        ProxyPeer plain(answer("HTTP/1.1 400 Bad Request\r\n\r\n"));
        /* It waits for the end of a request that is none. */
        Caller impatient(context, 5004,
                         {{"proxy", "https://" + plain.place()}, {"connect-timeout", "300"}});
        REQUIRE(until(context, [&] {
            return impatient.record.lost_with(LIVETCP_ERR_HANDSHAKE_TIMEOUT, &message);
        }));
        CHECK(contains(message, "proxy https://" + plain.place()));
    }
    {
        certificates made;
        certificate_files files = made.make("proxy");
        ProxyPeer secure(connect_to_anything, &files);
        Caller stranger(context, 5004, {{"proxy", "https://" + secure.place()}});
        REQUIRE(
            until(context, [&] { return stranger.record.lost_with(LIVETCP_ERR_TLS, &message); }));
        CHECK(contains(message, "proxy-ca"));
        Caller misnamed(context, 5004,
                        {{"proxy", "https://" + secure.place()}, {"proxy-ca", made.ca}});
        REQUIRE(
            until(context, [&] { return misnamed.record.lost_with(LIVETCP_ERR_TLS, &message); }));
        CHECK(contains(message, "not for 127.0.0.1"));
    }
}

TEST_CASE("the environment's proxy, and those that need none")
{
    Context context;
    Server server(context);
    ProxyPeer proxy([](ProxyPeer::Stream &stream) {
        std::string head = stream.read_head();
        stream.write(OK);
        return ProxyPeer::port_of(head);
    });
    for (const char *name :
         {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"})
        unsetenv(name);
    auto call = [&](int through) {
        int before = proxy.connections;
        size_t sessions = server.sessions();
        Caller caller(context, server.port, {{"connections", "1"}, {"proxy", "env"}});
        REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
        REQUIRE(until(context, [&] {
            return server.sessions() > sessions && server.record(sessions).packets() == 1;
        }));
        CHECK(proxy.connections - before == through);
    };
    call(0);
    setenv("ALL_PROXY", proxy.place().c_str(), 1);
    call(1);
    setenv("NO_PROXY", "example.org, 127.0.0.0/8", 1);
    call(0);
    setenv("no_proxy", "example.org", 1); /* first */
    call(1);
    setenv("HTTPS_PROXY", "ftp://u:secret@h", 1);
    livetcp_config config = config_with({{"host", "h"}, {"port", "1"}, {"proxy", "env"}});
    livetcp_session *session = nullptr;
    livetcp_error error = {};
    CHECK(livetcp_session_connect(context.context, &config, nullptr, nullptr, &session, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(contains(error.message, "HTTPS_PROXY: "));
    CHECK_FALSE(contains(error.message, "secret"));
    for (const char *name : {"HTTPS_PROXY", "ALL_PROXY", "no_proxy", "NO_PROXY"})
        unsetenv(name);
}

TEST_CASE("settings of proxies: secrets stay, mistakes are named")
{
    char text[600];
    livetcp_error error = {};
    livetcp_config config = config_with(
        {{"host", "h"}, {"port", "1"}, {"proxy", "http://me:secret@proxy.example:3128"}});
    REQUIRE(livetcp_config_get(&config, "proxy", text, sizeof text, &error) == LIVETCP_OK);
    CHECK(std::string(text).empty());
    REQUIRE(livetcp_config_to_uri(&config, text, sizeof text, &error) == LIVETCP_OK);
    CHECK_FALSE(contains(text, "proxy"));
    REQUIRE(livetcp_config_set(&config, "proxy", "http://proxy.example:3128", &error) ==
            LIVETCP_OK);
    REQUIRE(livetcp_config_to_uri(&config, text, sizeof text, &error) == LIVETCP_OK);
    CHECK(contains(text, "proxy=http://proxy.example:3128"));
    CHECK(livetcp_config_set(&config, "proxy",
                             ("http://me:secret@" + std::string(600, 'h')).c_str(),
                             &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK_FALSE(contains(error.message, "secret"));

    Context context;
    struct {
        Settings settings;
        const char *text;
    } cases[] = {
        {{{"proxy", "proxy.example:3128"}}, "http://HOST:PORT"},
        {{{"proxy", "gopher://me:secret@h"}}, "http://HOST:PORT"},
        {{{"proxy", "env:LT_TEST_NOT_SET"}}, "LT_TEST_NOT_SET"},
        {{{"proxy", "file:/nonexistent"}}, "/nonexistent"},
        {{{"proxy", "http://h"}, {"proxy-ca", "/nonexistent"}}, "https:// proxy"},
        {{{"proxy", "https://h"}, {"proxy-ca", "/nonexistent"}}, "proxy-ca: cannot read"},
        {{{"proxy-ca", "/nonexistent"}}, "without proxy="},
        {{{"proxy-protocol", "1"}}, "a listener's"},
        {{{"mode", "listener"}, {"proxy", "http://h"}}, "proxy is a caller's"},
        {{{"mode", "listener"}, {"proxy-protocol", "1"}}, "proxy-protocol-from"},
        {{{"mode", "listener"}, {"proxy-protocol-from", "::1"}}, "proxy-protocol=true"},
        {{{"mode", "listener"}, {"proxy-protocol", "1"}, {"proxy-protocol-from", "::1,10.0.0/8"}},
         "'10.0.0/8' is no address or network"},
    };
    for (const auto &c : cases) {
        livetcp_session *session = nullptr;
        INFO(c.text);
        Settings settings = c.settings;
        settings.insert(settings.end(), {{"host", "127.0.0.1"}, {"port", "1"}});
        config = config_with(settings);
        livetcp_result result = livetcp_config_check(&config, &error) != LIVETCP_OK
                                    ? error.code
                                    : livetcp_session_connect(context.context, &config, nullptr,
                                                              nullptr, &session, &error);
        CHECK(result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(contains(error.message, c.text));
        CHECK_FALSE(contains(error.message, "secret"));
    }
}
