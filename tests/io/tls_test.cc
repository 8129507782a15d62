/* SPDX-License-Identifier: MIT */
/* Sessions over TLS on loopback: by certificate and by passphrase, with what must be refused, and
 * what the listener shares its port with. */
#include "certificates.h"
#include "exchange.h"
#include "shouter.h"
#include "sockets.h"
#include "world.h"

#include <algorithm>
#include <fstream>
#include <openssl/ssl.h>
#include <sys/mman.h>
#include <thread>

extern "C" {
#include "io/listener.h"
#include "tls/filter.h"
}

using namespace world;

namespace
{

struct Pki {
    certificates made;
    certificate_files files;

    explicit Pki(const std::string &name = "127.0.0.1", certificate_options options = {})
    {
        options.name = name;
        files = made.make("listener", options);
    }
    Settings listener(Settings more = {}) const
    {
        more.insert(more.end(), {{"tls-cert", files.certificate}, {"tls-key", files.key}});
        if (std::none_of(more.begin(), more.end(),
                         [](const auto &s) { return std::string(s.first) == "tls"; }))
            more.push_back({"tls", "on"});
        return more;
    }
    Settings caller(Settings more = {}) const
    {
        more.insert(more.end(), {{"tls", "on"}, {"tls-ca", made.ca}});
        return more;
    }
};

/* What a program says first that has come for these protocols (ALPN). */
std::string client_hello(const std::string &protocols)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_alpn_protos(ctx, (const unsigned char *)protocols.data(),
                            (unsigned)protocols.size());
    SSL *ssl = SSL_new(ctx);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl, in, out);
    SSL_set_connect_state(ssl);
    SSL_do_handshake(ssl);
    char *data;
    long size = BIO_get_mem_data(out, &data);
    std::string hello(data, (size_t)size);
    SSL_free(ssl);
    SSL_CTX_free(ctx);
    return hello;
}

std::string browser_hello()
{
    return client_hello("\x02h2\x08http/1.1");
}

/* The beginning of a TLS handshake for us, and nothing will follow. */
struct HalfSecured {
    explicit HalfSecured(uint16_t port) : raw(port, 2 /* 127.0.0.2 */)
    {
        static const std::string hello = client_hello("\x07livetcp");
        raw.write(Bytes(hello.begin(), hello.end()));
    }
    Raw raw;
};

/* A peer in TLS whose socket the test has in its hands. */
class SecuredRaw
{
  public:
    SecuredRaw(uint16_t port, const Pki &pki) : raw(port)
    {
        lt_tls_setup setup = {};
        livetcp_error error;
        setup.ca_file = pki.made.ca.c_str();
        setup.name = "127.0.0.1";
        REQUIRE(lt_tls_context_create(&setup, nullptr, &context_, &error) == LIVETCP_OK);
        REQUIRE(lt_tls_filter_create(context_, time(nullptr), &filter_) == LIVETCP_OK);
    }
    ~SecuredRaw()
    {
        lt_tls_filter_destroy(&filter_);
        lt_tls_context_release(&context_);
    }
    SecuredRaw(const SecuredRaw &) = delete;
    SecuredRaw &operator=(const SecuredRaw &) = delete;

    bool is_open()
    {
        uint8_t plaintext[4096];
        raw.poll();
        lt_tls_filter_receive(filter_, raw.input.data(), raw.input.size());
        raw.input.clear();
        while (lt_tls_filter_read(filter_, plaintext, sizeof plaintext) > 0)
            continue;
        flush();
        return lt_tls_filter_state(filter_) == LT_TLS_OPEN;
    }
    void write(const Bytes &bytes)
    {
        REQUIRE(lt_tls_filter_write(filter_, bytes.data(), bytes.size()) == LIVETCP_OK);
        flush();
    }
    void say_end()
    {
        lt_tls_filter_end(filter_);
        flush();
    }

    Raw raw;

  private:
    void flush()
    {
        const uint8_t *data;
        size_t size;
        while ((size = lt_tls_filter_output(filter_, &data)) > 0) {
            raw.write(Bytes(data, data + size));
            lt_tls_filter_written(filter_, size);
        }
    }

    lt_tls_context *context_ = nullptr;
    lt_tls_filter *filter_ = nullptr;
};

livetcp_tls_info tls_of(livetcp_session *session)
{
    livetcp_tls_info info = {};
    info.struct_size = sizeof info;
    REQUIRE(livetcp_session_get_tls(session, &info) == LIVETCP_OK);
    return info;
}

bool contains(const std::string &text, const std::string &part)
{
    INFO(text);
    return text.find(part) != std::string::npos;
}

/* A caller that must be refused: what it says, and that nobody was let in. */
std::string refusal(const Settings &listener, const Settings &caller_settings,
                    livetcp_result code = LIVETCP_ERR_TLS)
{
    Context context;
    Server server(context, listener);
    Caller caller(context, server.port, caller_settings);
    std::string message;

    caller.send(rtp(1));
    REQUIRE(until(context, [&] { return caller.record.lost_with(code, &message); }));
    CHECK(server.sessions() == 0);
    CHECK(contains(message, "127.0.0.1"));
    return message;
}

} // namespace

TEST_CASE("a session by certificate: one full handshake, the others resume", "[tls]")
{
    Pki pki;
    Context context;
    unsigned connections = GENERATE(1u, 4u);
    Server server(context, pki.listener({{"connections", "4"}}));
    Caller caller(context, server.port, pki.caller({{"connections", std::to_string(connections)}}));

    exchange(context, server, caller, connections, 300);
    livetcp_tls_info here = tls_of(caller.session), there = tls_of(server.session());
    CHECK(std::string(here.version) == "TLSv1.3");
    CHECK(std::string(here.subject) == "CN=127.0.0.1");
    CHECK(here.fingerprint == pki.files.fingerprint);
    CHECK(here.handshakes == connections);
    CHECK(here.resumptions == connections - 1);
    CHECK(there.handshakes == connections);
    CHECK(there.resumptions == connections - 1);
    CHECK(std::string(there.subject).empty());
}

/* Sanitizers have a heap of their own. */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/* Times that a text is in the heap of this process. It is given backwards, so as not to be found in
 * the search itself; the stack is left out, since what a function left there stays for a while. */
static unsigned copies_in_memory(const std::string &backwards)
{
    std::ifstream maps("/proc/self/maps"), memory("/proc/self/mem", std::ios::binary);
    const size_t length = backwards.size();
    std::string line;
    unsigned found = 0;
    while (std::getline(maps, line)) {
        unsigned long from, to;
        if (line.find("[heap]") == std::string::npos ||
            sscanf(line.c_str(), "%lx-%lx", &from, &to) != 2)
            continue;
        size_t size = to - from;
        void *copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                          0); /* not in the heap */
        REQUIRE(copy != MAP_FAILED);
        char *bytes = static_cast<char *>(copy);
        memory.seekg((std::streamoff)from);
        memory.read(bytes, (std::streamsize)size);
        REQUIRE((size_t)memory.gcount() == size);
        for (size_t i = 0; i + length <= size; i++) {
            size_t same = 0;
            while (same < length && bytes[i + same] == backwards[length - 1 - same])
                same++;
            found += same == length;
        }
        munmap(copy, size);
    }
    return found;
}

TEST_CASE("a passphrase is not in memory any more once the key is made of it", "[tls]")
{
    const std::string backwards = "tpek os eb reven dluohs sdrow esehT";
    Context context;
    REQUIRE(copies_in_memory(backwards) == 0);
    {
        std::string held(backwards.rbegin(), backwards.rend());
        CHECK(copies_in_memory(backwards) == 1); /* it can be found */
        OPENSSL_cleanse(&held[0], held.size());
    }
    livetcp_config config;
    livetcp_error error;
    livetcp_listener *listener = nullptr;
    livetcp_session *session = nullptr;
    livetcp_config_init(&config);
    for (size_t i = 0; i < backwards.size(); i++)
        config.passphrase[i] = backwards[backwards.size() - 1 - i];
    strcpy(config.host, "127.0.0.1");
    static const livetcp_listener_callbacks nobody = {sizeof nobody, nullptr, nullptr};
    REQUIRE(livetcp_listener_create(context.context, &config, &nobody, nullptr, &listener,
                                    &error) == LIVETCP_OK);
    config.port = livetcp_listener_port(listener);
    REQUIRE(livetcp_session_connect(context.context, &config, nullptr, nullptr, &session, &error) ==
            LIVETCP_OK);
    OPENSSL_cleanse(&config, sizeof config);
    CHECK(copies_in_memory(backwards) == 0);
    livetcp_session_destroy(&session);
    livetcp_listener_destroy(&listener);
}

#endif

TEST_CASE("a session by passphrase, given directly and in the environment", "[tls]")
{
    setenv("LT_TEST_PASSPHRASE", "correct horse battery", 1);
    Context context;
    Server server(context, {{"passphrase", "correct horse battery"}});
    Caller caller(context, server.port,
                  {{"passphrase", "env:LT_TEST_PASSPHRASE"}, {"connections", "4"}});

    exchange(context, server, caller, 4, 100);
    CHECK(tls_of(caller.session).shared_key);
    CHECK(tls_of(caller.session).handshakes == 4);
}

TEST_CASE("plain RTP over TLS, whoever sends first", "[tls]")
{
    Pki pki;
    Context context;
    Server server(context, pki.listener({{"wire", "plain"}}));
    Caller caller(context, server.port, pki.caller({{"wire", "plain"}}));

    exchange(context, server, caller, 1, 50);
}

TEST_CASE("plain RTP over TLS that somebody cuts off does not end in order", "[tls]")
{
    Pki pki;
    Context context;
    bool cut = GENERATE(false, true);
    Server server(context, pki.listener({{"wire", "plain"}}));
    SecuredRaw peer(server.port, pki);
    REQUIRE(until(context, [&] { return peer.is_open(); }));
    peer.write(frame(rtp(1)));
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    REQUIRE(until(context, [&] { return server.record().packets() == 1; }));

    if (!cut)
        peer.say_end();
    shutdown(peer.raw.fd, SHUT_WR); /* which anybody on the way can do */
    REQUIRE(until(context, [&] { return server.record().closed(); }));
    livetcp_error end = server.record().last_error();
    CHECK(end.code == (cut ? LIVETCP_ERR_CONNECTION_LOST : LIVETCP_ERR_CLOSED));
    CHECK(contains(end.message, cut ? "without the end of TLS" : "ended the connection"));
    CHECK(server.record().packets() == 1);
}

TEST_CASE("a listener with tls=auto takes both at one port", "[tls]")
{
    Pki pki;
    Context context;
    Server server(context, pki.listener({{"tls", "auto"}, {"wire", "auto"}}));
    Caller encrypted(context, server.port, pki.caller());
    Caller clear(context, server.port);
    Caller plain(context, server.port, {{"wire", "plain"}});

    for (Caller *caller : {&encrypted, &clear, &plain})
        REQUIRE(caller->send(rtp(7)) == LIVETCP_OK);
    REQUIRE(until(context, [&] {
        return server.sessions() == 3 && server.record(0).packets() == 1 &&
               server.record(1).packets() == 1 && server.record(2).packets() == 1;
    }));
    int with_tls = 0;
    for (size_t i = 0; i < 3; i++)
        with_tls += tls_of(server.session(i)).version[0] != 0;
    CHECK(with_tls == 1);
}

TEST_CASE("a caller's certificate tells the application whose session it is", "[tls]")
{
    Pki pki;
    Context context;
    certificate_options options;
    options.name = "camera7";
    certificate_files camera = pki.made.make("camera", options);
    std::string subject;
    Server server(context, pki.listener({{"tls-ca", pki.made.ca}}),
                  [&](Server &, Server::Accepted &accepted) {
                      subject = tls_of(accepted.session).subject;
                      return true;
                  });
    Caller caller(context, server.port,
                  pki.caller({{"tls-cert", camera.certificate}, {"tls-key", camera.key}}));

    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    CHECK(subject == "CN=camera7");
}

TEST_CASE("what a caller does not trust gets no media", "[tls]")
{
    Pki pki;
    SECTION("another name")
    {
        CHECK(contains(refusal(pki.listener(), pki.caller({{"tls-name", "media.example"}})),
                       "not for media.example"));
    }
    SECTION("an unknown authority")
    {
        Pki other;
        CHECK(contains(refusal(pki.listener(), other.caller()), "unknown CA"));
    }
    SECTION("an expired certificate")
    {
        certificate_options options;
        options.begin_s = -7200;
        options.end_s = -3600;
        Pki expired("127.0.0.1", options);
        CHECK(contains(refusal(expired.listener(), expired.caller()), "expired"));
    }
    SECTION("a listener without TLS")
    {
        refusal({{"wire", "session"}}, pki.caller());
    }
    SECTION("a listener with a passphrase")
    {
        refusal({{"passphrase", "correct horse battery"}}, pki.caller());
    }
    SECTION("another passphrase")
    {
        CHECK(contains(refusal({{"passphrase", "correct horse battery"}},
                               {{"passphrase", "correct horse batterx"}}),
                       "does not take this passphrase"));
    }
    SECTION("a certificate for a passphrase")
    {
        CHECK(contains(refusal(pki.listener(), {{"passphrase", "correct horse battery"}}),
                       "passphrase"));
    }
}

TEST_CASE("tls-insecure is a warning to the application, once and before all else", "[tls]")
{
    Pki pki;
    Context context;
    bool insecure = GENERATE(true, false);
    Server server(context, pki.listener());
    Settings settings = {
        {"host", "127.0.0.1"}, {"port", std::to_string(server.port)}, {"tls", "on"}};
    settings.push_back(insecure ? std::make_pair("tls-insecure", std::string("true"))
                                : std::make_pair("tls-ca", pki.made.ca));
    livetcp_config config = config_with(settings);
    std::vector<std::string> heard;
    livetcp_session_callbacks callbacks = {};
    callbacks.struct_size = sizeof callbacks;
    callbacks.on_warning = [](livetcp_session *, const livetcp_error *warning, void *user) {
        ((std::vector<std::string> *)user)->push_back(warning->message);
    };
    callbacks.on_state = [](livetcp_session *, livetcp_session_state state, const livetcp_error *,
                            void *user) {
        if (state == LIVETCP_SESSION_OPEN)
            ((std::vector<std::string> *)user)->push_back("open");
    };
    livetcp_session *session = nullptr;
    REQUIRE(livetcp_session_connect(context.context, &config, &callbacks, &heard, &session,
                                    nullptr) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return open_connections(session) == config.connections; }));
    livetcp_session_destroy(&session);
    REQUIRE(heard.size() == (insecure ? 2 : 1));
    if (insecure)
        CHECK(contains(heard.front(), "the certificate of 127.0.0.1 is not checked"));
    CHECK(heard.back() == "open");
}

TEST_CASE("a listener with tls=on takes nothing in the clear, and says so", "[tls]")
{
    Pki pki;
    Context context;
    Server server(context, pki.listener({{"wire", "auto"}}));
    SECTION("a session")
    {
        Caller caller(context, server.port);
        caller.send(rtp(1));
        REQUIRE(until(context, [&] { return server.rejections() > 0; }));
        CHECK(contains(server.rejection().error.message, "LiveTCP without TLS"));
    }
    SECTION("plain RTP")
    {
        Caller caller(context, server.port, {{"wire", "plain"}});
        caller.send(rtp(1));
        REQUIRE(until(context, [&] { return server.rejections() > 0; }));
        CHECK(contains(server.rejection().error.message, "RTP without TLS"));
    }
    CHECK(server.sessions() == 0);
}

TEST_CASE("a new certificate is used for new connections", "[tls]")
{
    Pki pki;
    Context context;
    Server server(context, pki.listener());
    Caller first(context, server.port, pki.caller({{"connections", "1"}}));
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    std::string before = pki.files.fingerprint;
    CHECK(tls_of(first.session).fingerprint == before);

    certificate_options options;
    options.name = "127.0.0.1";
    std::string after = pki.made.make("listener", options).fingerprint;
    std::string seen = before;
    for (int i = 0; i < 1000 && seen != after; i++) {
        Caller next(context, server.port, pki.caller({{"connections", "1"}}));
        REQUIRE(until(context, [&] { return tls_of(next.session).handshakes == 1; }));
        seen = tls_of(next.session).fingerprint;
        uv_sleep(10); /* the files are looked at once a second */
    }
    CHECK(seen == after);
}

TEST_CASE("media that follows CREATE is held in the clear, and comes first", "[tls]")
{
    Pki pki;
    Context context;
    bool shared = GENERATE(false, true);
    Settings passphrase = {{"passphrase", "correct horse battery"}};
    Server server(context, shared ? passphrase : pki.listener());
    Caller caller(context, server.port, shared ? passphrase : pki.caller());
    const int packets = 30;
    for (int i = 0; i < packets; i++)
        REQUIRE(caller.send(rtp((uint16_t)i, 1000)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    REQUIRE(until(context, [&] { return server.record().packets() == (size_t)packets; }));
    for (const Bytes &packet : server.record().all_packets())
        REQUIRE(packet == rtp(sequence_of(packet), 1000));
    CHECK(server.rejections() == 0);
}

TEST_CASE("TLS handshakes of strangers wait for their turns", "[tls]")
{
    const unsigned count = 200, rate = 20;
    const int packets = 20;
    Pki pki;
    Context context;
    Server server(context, pki.listener({{"joins-per-second", std::to_string(rate)},
                                         {"max-joining-address", "500"},
                                         {"handshake-timeout", "60000"}}));
    std::vector<std::unique_ptr<HalfSecured>> strangers;
    uint64_t began = uv_hrtime();
    for (unsigned i = 0; i < count; i++) {
        strangers.push_back(std::make_unique<HalfSecured>(server.port));
        if (i % 16 == 0)
            context.turn();
    }
    REQUIRE(until(context, [&] { return server.listener->agreements >= LT_IO_POOL_BURST; }));
    /* A caller at another address waits for one turn with TLS, and another with CREATE. */
    Caller caller(context, server.port, pki.caller({{"connections", "2"}}));
    for (int i = 0; i < packets; i++)
        REQUIRE(caller.send(rtp((uint16_t)i, 1000)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    REQUIRE(until(context, [&] { return server.record().packets() == (size_t)packets; }));
    double seconds = (double)(uv_hrtime() - began) / 1e9;
    CHECK((double)server.listener->agreements <= LT_IO_POOL_BURST + 1 + rate * seconds);
    CHECK(server.rejections() == 0);
}

TEST_CASE("TLS handshakes of strangers are in the pool, and end", "[tls]")
{
    Pki pki;
    Context context;
    bool expires = GENERATE(false, true);
    Server server(context, pki.listener({{"max-joining-address", "8"},
                                         {"handshake-timeout", expires ? "1000" : "60000"}}));
    std::vector<std::unique_ptr<HalfSecured>> strangers;
    for (unsigned i = 0; i < 20; i++) {
        strangers.push_back(std::make_unique<HalfSecured>(server.port));
        context.turn();
        CHECK(server.listener->pool.count <= 8);
    }
    REQUIRE(until(context, [&] { return server.rejections() >= (expires ? 20U : 12U); }));
    CHECK(server.listener->pool.count == (expires ? 0U : 8U));
    CHECK(server.sessions() == 0);
    Caller caller(context, server.port, pki.caller());
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
}

TEST_CASE("a session is destroyed in the middle of its handshakes", "[tls]")
{
    Pki pki;
    Context context;
    Server server(context, pki.listener());
    for (int turns = 0; turns < 12; turns++) {
        Caller caller(context, server.port, pki.caller());
        for (int i = 0; i < turns; i++)
            context.turn();
    }
}

TEST_CASE("more than the kernel takes at once is sent whole", "[tls]")
{
    Pki pki;
    Context context;
    Server server(context, pki.listener());
    Caller caller(context, server.port,
                  pki.caller({{"connections", "2"},
                              {"send-buffer-windows", "0"},
                              {"queue-packets", "100000"},
                              {"queue-bytes", "100000000"}}));
    const int packets = 3000;

    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    for (int i = 0; i < packets; i++)
        REQUIRE(caller.send(rtp((uint16_t)i, 8000)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == (size_t)packets; }));
    for (const Bytes &packet : server.record().all_packets())
        REQUIRE(packet == rtp(sequence_of(packet), 8000));
}

TEST_CASE("a port is shared with a server of another protocol", "[tls]")
{
    Pki pki;
    std::string tls = GENERATE(values<std::string>({"on", "auto"}));
    Shouter web;
    Context context;
    Server server(context, pki.listener({{"tls", tls},
                                         {"fallback", "127.0.0.1:" + std::to_string(web.port)}}));
    std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(100000, 'a');
    CHECK(shouted(context, server.port, request) == capitals_of(request));
    std::string hello = browser_hello(); /* which is passed on as it came */
    CHECK(shouted(context, server.port, hello) == capitals_of(hello));

    Caller caller(context, server.port, pki.caller({{"connections", "4"}}));
    exchange(context, server, caller, 4, 20);
    CHECK(server.rejections() == 0);
}

TEST_CASE("a fallback that does not answer costs the peer its connection, and nobody else", "[tls]")
{
    Pki pki;
    Context context;
    uint16_t nobody;
    {
        Shouter gone;
        nobody = gone.port;
    }
    Server server(context, pki.listener({{"fallback", "127.0.0.1:" + std::to_string(nobody)}}));
    CHECK(shouted(context, server.port, "GET / HTTP/1.1\r\n\r\n").empty());
    Caller caller(context, server.port, pki.caller({{"connections", "4"}}));
    exchange(context, server, caller, 4, 20);
}

TEST_CASE("settings that do not fit each other are refused with words", "[tls]")
{
    Context context;
    const struct {
        Settings settings;
        const char *words;
    } cases[] = {
        {{{"mode", "listener"}, {"tls", "on"}}, "set tls-cert"},
        {{{"mode", "listener"}, {"passphrase", "short"}}, "at least 10"},
        {{{"tls", "auto"}}, "tls=auto is for a listener"},
        {{{"tls-ca", "x.pem"}}, "without tls=on"},
        {{{"tls", "on"}, {"tls-ca", "/nowhere/x.pem"}}, "/nowhere/x.pem"},
        {{{"tls", "on"}, {"tls-fingerprint", "sha-256 AB"}}, "tls-fingerprint"},
        {{{"tls", "on"}, {"tls-insecure", "1"}, {"tls-ca", "x"}}, "tls-insecure"},
        {{{"passphrase", "correct horse battery"}, {"tls-insecure", "1"}}, "takes the place"},
        {{{"fallback", "127.0.0.1:80"}}, "fallback is for a listener"},
        {{{"mode", "listener"}, {"fallback", "localhost"}}, "not HOST:PORT"},
        {{{"passphrase", "env:LT_TEST_NOT_THERE"}}, "LT_TEST_NOT_THERE"},
        {{{"passphrase", "file:/nowhere/secret"}}, "/nowhere/secret"},
    };
    for (const auto &one : cases) {
        Settings settings = one.settings;
        settings.insert(settings.begin(), {{"host", "127.0.0.1"}, {"port", "1"}});
        livetcp_config config = config_with(settings);
        livetcp_error error = {};
        livetcp_session *session = nullptr;
        livetcp_listener *listener = nullptr;
        livetcp_result result = config.mode == LIVETCP_MODE_CALLER
                                    ? livetcp_session_connect(context.context, &config, nullptr,
                                                              nullptr, &session, &error)
                                    : livetcp_listener_create(context.context, &config, nullptr,
                                                              nullptr, &listener, &error);
        CHECK(result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(contains(error.message, one.words));
    }
}
