/* SPDX-License-Identifier: MIT */
/* Peers that do not play by the rules: each is turned away with the right reason, and nobody else
 * notices. */
#include "io/sockets.h"

#include <sys/resource.h>

using namespace world;

namespace
{

/* A session that must come through it all. */
struct Bystander {
    Bystander(Context &its_context, Server &its_server) : context(its_context), server(its_server)
    {
        caller = std::make_unique<Caller>(context, server.port);
        REQUIRE(until(context, [&] {
            return server.sessions() == 1 &&
                   open_connections(caller->session) == default_connections &&
                   open_connections(server.session()) == default_connections;
        }));
    }
    void check()
    {
        size_t before = server.record().packets();
        for (uint16_t i = 0; i < 50; i++)
            REQUIRE(caller->send(rtp((uint16_t)(before + i))) == LIVETCP_OK);
        REQUIRE(until(context, [&] { return server.record().packets() == before + 50; }));
        CHECK(stats_of(caller->session).reconnects == 0);
        CHECK(open_connections(caller->session) == default_connections);
    }
    Context &context;
    Server &server;
    std::unique_ptr<Caller> caller;
};

/* The peer got a REJECT with this reason, then the end, and the application was told. */
void expect_rejected(Context &context, Server &server, Raw &raw, livetcp_result reason)
{
    Bytes answer = raw.next_frame(context);
    CHECK(reject_reason(answer) == reason);
    CHECK(raw.wait_for_end(context));
    REQUIRE(until(context, [&] { return server.rejected_with(reason); }));
    Server::Rejected rejected = server.rejection(server.rejections() - 1);
    CHECK(rejected.error.code == reason);
    CHECK(rejected.remote == text_of(raw.fd, false));
    CHECK(std::string(rejected.error.message).find(rejected.remote) != std::string::npos);
}

} // namespace

/* Waited for once, but long enough for the bystander to join meanwhile. */
static const char SHORT_MS[] = "3000";

TEST_CASE("a peer that says nothing", "[hostile]")
{
    Context context;
    Server server(context, {{"handshake-timeout", SHORT_MS}});
    Bystander bystander(context, server);
    Raw raw(server.port);
    expect_rejected(context, server, raw, LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    bystander.check();
}

TEST_CASE("a peer that begins and does not go on", "[hostile]")
{
    Context context;
    Server server(context, {{"handshake-timeout", SHORT_MS}});
    Bystander bystander(context, server);
    Impostor impostor;
    Raw raw(server.port);
    Bytes create = impostor.start(0);
    create.resize(create.size() / 2);
    raw.write(create);
    expect_rejected(context, server, raw, LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    bystander.check();
}

TEST_CASE("a peer that leaves at once", "[hostile]")
{
    Context context;
    Server server(context);
    Bystander bystander(context, server);
    {
        Raw raw(server.port);
    }
    REQUIRE(until(context, [&] { return server.rejections() == 1; }));
    CHECK(server.rejection().error.code == LIVETCP_ERR_CONNECTION_LOST);
    bystander.check();
}

TEST_CASE("a peer of another protocol", "[hostile]")
{
    std::string wire = GENERATE(values<std::string>(
        {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\x16\x03\x01\x02\x05\x01\x01\x01\x01\x01"}));
    Context context;
    Server server(context);
    Bystander bystander(context, server);
    Raw raw(server.port);
    raw.write(Bytes(wire.begin(), wire.end()));
    CHECK(raw.wait_for_end(context));
    REQUIRE(until(context, [&] { return server.rejections() == 1; }));
    livetcp_result code = server.rejection().error.code;
    bool expected = code == LIVETCP_ERR_PROTOCOL || code == LIVETCP_ERR_GARBAGE ||
                    code == LIVETCP_ERR_FRAME_TOO_LARGE;
    CHECK(expected);
    bystander.check();
}

TEST_CASE("media without a session", "[hostile]")
{
    Context context;
    Server server(context);
    Bystander bystander(context, server);
    Raw raw(server.port);
    raw.write(frame(rtp(1)));
    expect_rejected(context, server, raw, LIVETCP_ERR_PROTOCOL);
    bystander.check();
}

TEST_CASE("a join for a session nobody knows", "[hostile]")
{
    Context context;
    Server server(context);
    Bystander bystander(context, server);
    Impostor impostor;
    impostor.credentials.has_key = true; /* of a session it made up */
    Raw raw(server.port);
    raw.write(impostor.start(1));
    expect_rejected(context, server, raw, LIVETCP_ERR_UNKNOWN_SESSION);
    bystander.check();
}

TEST_CASE("a proof made with another key", "[hostile]")
{
    Context context;
    Server server(context);
    Bystander bystander(context, server);
    Impostor impostor;
    Raw first(server.port), second(server.port);
    Bytes proof;
    impostor.enter(context, first, 0);
    second.write(impostor.start(1));
    Bytes challenge = second.next_frame(context);
    REQUIRE(impostor.take(challenge, &proof) == LIVETCP_OK);
    proof.back() ^= 1;
    second.write(proof);
    expect_rejected(context, server, second, LIVETCP_ERR_BAD_PROOF);
    CHECK(open_connections(server.session(1)) == 1);
    bystander.check();
}

TEST_CASE("a proof that was overheard and is replayed", "[hostile]")
{
    Context context;
    Server server(context);
    Bystander bystander(context, server);
    Impostor impostor;
    Raw first(server.port), second(server.port), third(server.port);
    Bytes join, proof, ignored;
    impostor.enter(context, first, 0);
    join = impostor.start(1);
    second.write(join);
    REQUIRE(impostor.take(second.next_frame(context), &proof) == LIVETCP_OK);
    second.write(proof);
    REQUIRE(impostor.take(second.next_frame(context), &ignored) == LIVETCP_OK);
    REQUIRE(impostor.handshake.joined);
    /* Its connection breaks; somebody else says the same words. */
    shutdown(second.fd, SHUT_RDWR);
    REQUIRE(until(context, [&] { return open_connections(server.session(1)) == 1; }));
    third.write(join);
    REQUIRE_FALSE(third.next_frame(context).empty());
    third.write(proof);
    expect_rejected(context, server, third, LIVETCP_ERR_BAD_PROOF);
    CHECK(open_connections(server.session(1)) == 1);
    bystander.check();
}

TEST_CASE("the same index twice", "[hostile]")
{
    Context context;
    Server server(context);
    Bystander bystander(context, server);
    Impostor impostor;
    Raw first(server.port), second(server.port), third(server.port);
    Bytes proof;
    impostor.enter(context, first, 0);
    impostor.enter(context, second, 1);
    third.write(impostor.start(1));
    REQUIRE(impostor.take(third.next_frame(context), &proof) == LIVETCP_OK);
    third.write(proof);
    expect_rejected(context, server, third, LIVETCP_ERR_INDEX_IN_USE);
    CHECK(open_connections(server.session(1)) == 2);
    bystander.check();
}

TEST_CASE("a second session with the same identifier", "[hostile]")
{
    Context context;
    Server server(context);
    Impostor impostor;
    Raw first(server.port), second(server.port);
    Bytes create = impostor.start(0);
    first.write(create);
    REQUIRE_FALSE(first.next_frame(context).empty());
    second.write(create);
    expect_rejected(context, server, second, LIVETCP_ERR_SESSION_EXISTS);
    CHECK(server.sessions() == 0); /* nobody has proved anything */
}

TEST_CASE("a member that sends garbage", "[hostile]")
{
    Context context;
    Server server(context, {{"max-receive", "2000"}});
    Bystander bystander(context, server);
    bool too_large = GENERATE(false, true);
    Bytes attack = too_large ? frame(rtp(1, 2001)) : frame(Bytes(100, 0x16));
    livetcp_result code = too_large ? LIVETCP_ERR_FRAME_TOO_LARGE : LIVETCP_ERR_GARBAGE;
    Impostor impostor;
    Raw first(server.port), second(server.port);
    impostor.enter(context, first, 0);
    impostor.enter(context, second, 1);
    REQUIRE(until(context, [&] { return open_connections(server.session(1)) == 2; }));
    second.write(frame(rtp(7)));
    second.write(attack);
    CHECK(reject_reason(second.next_frame(context)) == code);
    CHECK(second.wait_for_end(context));
    std::string message;
    REQUIRE(until(context, [&] { return server.record(1).lost_with(code, &message); }));
    CHECK(message.find(text_of(second.fd, false)) != std::string::npos);
    CHECK(server.record(1).packets() == 1);
    CHECK(stats_of(server.session(1)).received.protocol_errors == 1);
    /* The session lives on with its other connection. */
    CHECK(open_connections(server.session(1)) == 1);
    first.write(frame(rtp(8)));
    REQUIRE(until(context, [&] { return server.record(1).packets() == 2; }));
    bystander.check();
}

TEST_CASE("garbage on a plain wire ends that session only", "[hostile]")
{
    Context context;
    Server server(context, {{"wire", "plain"}, {"max-receive", "2000"}});
    Raw good(server.port), garbage(server.port), large(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 3; }));
    auto record = [&](Raw &raw) -> Record & {
        for (size_t i = 0; i < 3; i++)
            if (server.at(i).remote == text_of(raw.fd, false))
                return server.record(i);
        FAIL("no session of that socket");
        throw 0;
    };
    garbage.write(frame(Bytes(100, 0x16)));
    large.write(frame(rtp(1, 2001)));
    CHECK(garbage.wait_for_end(context));
    CHECK(large.wait_for_end(context));
    REQUIRE(until(context, [&] { return record(garbage).closed() && record(large).closed(); }));
    CHECK(record(garbage).last_error().code == LIVETCP_ERR_GARBAGE);
    CHECK(record(large).last_error().code == LIVETCP_ERR_FRAME_TOO_LARGE);
    good.write(frame({}));
    good.write(frame(rtp(1)));
    REQUIRE(until(context, [&] { return record(good).packets() == 1; }));
    CHECK_FALSE(record(good).closed());
}

TEST_CASE("packets cut anywhere arrive whole", "[hostile]")
{
    Context context;
    Server server(context, {{"wire", "plain"}});
    Raw raw(server.port);
    int on = 1;
    REQUIRE(setsockopt(raw.fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on) == 0);
    Bytes stream;
    for (uint16_t i = 0; i < 40; i++) {
        Bytes one = frame(rtp(i, 60));
        stream.insert(stream.end(), one.begin(), one.end());
    }
    /* Pieces of 1, 2, 3, ... bytes, each read by itself. */
    size_t sent = 0;
    for (size_t piece = 1; sent < stream.size(); piece++) {
        size_t size = std::min(piece, stream.size() - sent);
        raw.write(Bytes(stream.begin() + (long)sent, stream.begin() + (long)(sent + size)));
        sent += size;
        REQUIRE(until(context, [&] {
            return server.sessions() == 1 && stats_of(server.session()).received.bytes_read == sent;
        }));
    }
    REQUIRE(until(context, [&] { return server.record().packets() == 40; }));
    for (const Bytes &packet : server.record().all_packets())
        CHECK((packet == rtp(sequence_of(packet), 60)));
}

TEST_CASE("more silent peers than a listener holds", "[hostile]")
{
    const unsigned limit = 1024, extra = 20;
    rlimit files;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &files) == 0);
    files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
    if (files.rlim_cur < 2 * (limit + extra) + 100) {
        WARN("the limit of open files is too low for this test");
        return;
    }
    REQUIRE(setrlimit(RLIMIT_NOFILE, &files) == 0);
    Context context;
    Server server(context, {{"handshake-timeout", "60000"}, {"max-joining-address", "1024"}});
    std::vector<std::unique_ptr<Raw>> silent;
    for (unsigned i = 0; i < limit + extra; i++) {
        silent.push_back(std::make_unique<Raw>(server.port));
        if (i % 100 == 0)
            context.turn();
    }
    REQUIRE(until(context, [&] { return server.rejections() == extra; }));
    CHECK(server.rejection().remote == text_of(silent[0]->fd, false)); /* the oldest */
    Bystander bystander(context, server);
    bystander.check();
}
