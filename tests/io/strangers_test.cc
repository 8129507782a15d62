/* SPDX-License-Identifier: MIT */
/* Peers that have proved nothing: they get no session, raise no callback, push nobody out, and cost
 * a bounded number of key agreements. Attackers are written from docs/reference/wire-format.md. */
#include "io/sockets.h"

#include <sys/resource.h>

extern "C" {
#include "io/listener.h"
}

using namespace world;

namespace
{

const unsigned elsewhere = 2; /* 127.0.0.2 */

/* Half of a handshake: CREATE is written, and nothing will follow. */
struct HalfJoined {
    explicit HalfJoined(uint16_t port, unsigned from = 1) : raw(port, from)
    {
        raw.write(impostor.start(0));
    }
    Impostor impostor;
    Raw raw;
};

bool is_open(const Caller &caller)
{
    return livetcp_session_get_state(caller.session) == LIVETCP_SESSION_OPEN;
}

void turn_often(Context &context, int times = 50)
{
    for (int i = 0; i < times; i++)
        context.turn();
}

Bytes control_frame(lt_control_type type, livetcp_result reason = LIVETCP_OK)
{
    lt_control message = {};
    uint8_t encoded[LT_CONTROL_MAX];
    message.type = type;
    message.reason = (uint8_t)-reason;
    size_t size = lt_control_encode(&message, encoded);
    return Bytes(encoded, encoded + size);
}

} // namespace

TEST_CASE("a CREATE without PROOF is no session", "[strangers]")
{
    Context context;
    Server server(context);
    const char *end = GENERATE("bye", "close", "garbage", "wrong proof");
    {
        HalfJoined stranger(server.port);
        REQUIRE_FALSE(stranger.raw.next_frame(context).empty()); /* ACCEPT */
        stranger.raw.write(frame(rtp(1)));
        turn_often(context);
        CHECK(server.sessions() == 0);
        if (!strcmp(end, "bye"))
            stranger.raw.write(control_frame(LT_CONTROL_BYE));
        if (!strcmp(end, "garbage"))
            stranger.raw.write(frame(Bytes(100, 0x16)));
        if (!strcmp(end, "wrong proof")) {
            stranger.raw.write(control_frame(LT_CONTROL_PROOF));
            CHECK(reject_reason(stranger.raw.next_frame(context)) == LIVETCP_ERR_BAD_PROOF);
        }
        if (strcmp(end, "close"))
            CHECK(stranger.raw.wait_for_end(context));
    }
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1 && is_open(caller); }));
    CHECK(server.record().packets() == 0);
}

TEST_CASE("what follows CREATE waits for PROOF and comes first", "[strangers]")
{
    Context context;
    Server server(context);
    Impostor impostor;
    Raw raw(server.port);
    Bytes create = impostor.start(0), proof;
    for (uint16_t i = 0; i < 20; i++) {
        Bytes media = frame(rtp(i, 1000));
        create.insert(create.end(), media.begin(), media.end());
    }
    raw.write(create);
    Bytes accept = raw.next_frame(context);
    turn_often(context);
    CHECK(server.sessions() == 0);
    REQUIRE(impostor.take(accept, &proof) == LIVETCP_OK);
    Bytes media = frame(rtp(20, 1000));
    proof.insert(proof.end(), media.begin(), media.end());
    raw.write(proof);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    REQUIRE(until(context, [&] { return server.record().packets() == 21; }));
    for (uint16_t i = 0; i <= 20; i++)
        CHECK((server.record().all_packets()[i] == rtp(i, 1000)));
}

TEST_CASE("more than TCP lets a caller send before PROOF is not held", "[strangers]")
{
    Context context;
    Server server(context);
    HalfJoined stranger(server.port);
    REQUIRE_FALSE(stranger.raw.next_frame(context).empty());
    Bytes media = frame(rtp(1, 8000));
    REQUIRE(until(context, [&] {
        (void)::send(stranger.raw.fd, media.data(), media.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        return server.rejections() > 0;
    }));
    CHECK(server.sessions() == 0);
}

TEST_CASE("what was sent before the session was refused is sent again", "[strangers]")
{
    Context context;
    unsigned refusals = 0;
    Server server(context, {}, [&](Server &, Server::Accepted &accepted) {
        if (refusals == 3)
            return true;
        refusals++;
        accepted.session = nullptr;
        return false;
    });
    Caller caller(context, server.port, {{"connections", "2"}, {"reconnect-min", "10"}});
    uint16_t sent = 0;
    REQUIRE(until(context, [&] {
        if (sent < 500)
            REQUIRE(caller.send(rtp(sent++)) == LIVETCP_OK);
        return server.sessions() == 4 && is_open(caller);
    }));
    CHECK(refusals == 3);
    REQUIRE(until(context, [&] { return server.record(3).packets() == sent; }));
    CHECK(no_duplicates(server.record(3).all_packets()));
    CHECK(stats_of(caller.session).dropped.connection == 0);
}

TEST_CASE("a connection that joins before the PROOF waits for it", "[strangers]")
{
    Context context;
    Server server(context);
    bool proves = GENERATE(true, false);
    Impostor impostor;
    auto first = std::make_unique<Raw>(server.port);
    Raw second(server.port);
    Bytes proof, ignored;
    first->write(impostor.start(0, 2));
    REQUIRE(impostor.take(first->next_frame(context), &proof) == LIVETCP_OK);
    second.write(impostor.start(1, 2));
    turn_often(context);
    second.poll();
    CHECK(second.input.empty());
    if (!proves) {
        first.reset();
        CHECK(reject_reason(second.next_frame(context)) == LIVETCP_ERR_UNKNOWN_SESSION);
        CHECK(server.sessions() == 0);
        return;
    }
    first->write(proof);
    REQUIRE(impostor.take(second.next_frame(context), &proof) == LIVETCP_OK); /* CHALLENGE */
    second.write(proof);
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && open_connections(server.session()) == 2;
    }));
}

TEST_CASE("half-joined peers lock nobody out", "[strangers]")
{
    const unsigned count = 300;
    Context context;
    Server server(context, {{"max-sessions", "4"},
                            {"max-joining", "60"},
                            {"max-joining-address", "40"},
                            {"handshake-timeout", "60000"}});
    std::vector<std::unique_ptr<HalfJoined>> strangers;
    for (unsigned i = 0; i < count; i++) {
        strangers.push_back(std::make_unique<HalfJoined>(server.port, elsewhere));
        context.turn();
    }
    REQUIRE(until(context, [&] { return server.listener->pool.count <= 40; }));
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1 && is_open(caller); }));
    CHECK(server.listener->pool.count <= 60);
    CHECK(server.listener->session_count == 1);
}

TEST_CASE("strangers are served by turns, and cost few key agreements", "[strangers]")
{
    const unsigned count = 400, rate = 20;
    Context context;
    Server server(context, {{"joins-per-second", std::to_string(rate)},
                            {"max-joining-address", "500"},
                            {"handshake-timeout", "60000"}});
    std::vector<std::unique_ptr<HalfJoined>> strangers;
    uint64_t began = uv_hrtime();
    for (unsigned i = 0; i < count; i++) {
        strangers.push_back(std::make_unique<HalfJoined>(server.port, elsewhere));
        if (i % 16 == 0)
            context.turn();
    }
    /* Hundreds wait at this rate for twenty seconds; another address waits for one turn. */
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1 && is_open(caller); }));
    double seconds = (double)(uv_hrtime() - began) / 1e9;
    CHECK((double)server.listener->agreements <= LT_IO_POOL_BURST + 1 + rate * seconds);
    CHECK(server.rejections() == 0);
}

TEST_CASE("who leaves while waiting costs no key agreement, and no place for long", "[strangers]")
{
    const unsigned waiting = 400; /* more than have a turn within a test's patience */
    Context context;
    Server server(context, {{"joins-per-second", "1"},
                            {"max-joining-address", "1000"},
                            {"handshake-timeout", "60000"}});
    std::vector<std::unique_ptr<HalfJoined>> served;
    for (unsigned i = 0; i < LT_IO_POOL_BURST; i++)
        served.push_back(std::make_unique<HalfJoined>(server.port, elsewhere));
    REQUIRE(until(context, [&] { return server.listener->agreements >= LT_IO_POOL_BURST; }));
    uint64_t before = server.listener->agreements;
    for (unsigned i = 0; i < waiting; i++)
        HalfJoined left(server.port, elsewhere);
    REQUIRE(until(context, [&] { return server.listener->pool.count <= LT_IO_POOL_BURST; }));
    CHECK(server.listener->agreements <= before + 1);
}

TEST_CASE("two requests for one session that wait make one", "[strangers]")
{
    Context context;
    Server server(context);
    Impostor impostor;
    Raw first(server.port), second(server.port, elsewhere);
    Bytes create = impostor.start(0);
    first.write(create);
    second.write(create);
    Bytes one = first.next_frame(context), two = second.next_frame(context);
    bool refused = reject_reason(one) == LIVETCP_ERR_SESSION_EXISTS;
    CHECK(reject_reason(refused ? two : one) != LIVETCP_ERR_SESSION_EXISTS);
    CHECK((refused || reject_reason(two) == LIVETCP_ERR_SESSION_EXISTS));
}

TEST_CASE("a full listener refuses before it computes", "[strangers]")
{
    Context context;
    Server server(context, {{"max-sessions", "1"}});
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1 && is_open(caller); }));
    uint64_t before = server.listener->agreements;
    for (int i = 0; i < 20; i++) {
        HalfJoined stranger(server.port, elsewhere);
        CHECK(reject_reason(stranger.raw.next_frame(context)) == LIVETCP_ERR_TOO_MANY_SESSIONS);
    }
    CHECK(server.listener->agreements == before);
    CHECK(is_open(caller));
}

TEST_CASE("a session that lingers is evicted by nobody but its own address", "[strangers]")
{
    Context context;
    Server server(context, {{"max-sessions", "1"}, {"linger", "600000"}});
    {
        Impostor impostor;
        Raw raw(server.port);
        impostor.enter(context, raw, 0);
    }
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 &&
               livetcp_session_get_state(server.session()) == LIVETCP_SESSION_CONNECTING;
    }));
    HalfJoined other(server.port, elsewhere);
    CHECK(reject_reason(other.raw.next_frame(context)) == LIVETCP_ERR_TOO_MANY_SESSIONS);
    HalfJoined same(server.port); /* a program that was started again: but it must prove itself */
    REQUIRE_FALSE(same.raw.next_frame(context).empty());
    turn_often(context);
    CHECK_FALSE(server.record().closed());
    CHECK(server.sessions() == 1);
    Caller again(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 2 && is_open(again); }));
    CHECK(server.record().closed());
}

TEST_CASE("an address whose proofs are wrong comes last", "[strangers]")
{
    Context context;
    Server server(context, {{"joins-per-second", "1000"}});
    for (int i = 0; i < LT_IO_POOL_FORGIVEN + 5; i++) {
        HalfJoined stranger(server.port, elsewhere);
        REQUIRE_FALSE(stranger.raw.next_frame(context).empty());
        stranger.raw.write(control_frame(LT_CONTROL_PROOF));
        REQUIRE(stranger.raw.wait_for_end(context));
    }
    Raw probe(server.port, elsewhere);
    REQUIRE(until(context, [&] { return server.listener->pool.count == 1; }));
    CHECK(lt_io_pool_is_blamed(lt_io_pool_oldest(&server.listener->pool),
                               (livetcp_usec)(uv_hrtime() / 1000)));
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1 && is_open(caller); }));
}

TEST_CASE("where plain peers send, one that does not is no session", "[strangers]")
{
    Context context;
    const char *wire = GENERATE("plain", "auto");
    Server server(context, {{"wire", wire}, {"peer-sends", "true"}, {"handshake-timeout", "300"}});
    {
        Raw scan(server.port);
    }
    Raw silent(server.port), sender(server.port);
    sender.write(frame(rtp(1)));
    CHECK(silent.wait_for_end(context));
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && server.record().packets() == 1 &&
               server.rejected_with(LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    }));
}

TEST_CASE("a plain session that fell silent makes room for one that sends", "[strangers]")
{
    Context context;
    Server server(context, {{"wire", "plain"},
                            {"peer-sends", "true"},
                            {"max-sessions", "1"},
                            {"peer-timeout", "1000"}});
    Raw first(server.port);
    first.write(frame(rtp(1)));
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    /* Sooner or later the first has been silent for long enough. */
    REQUIRE(until(context, [&] {
        Raw second(server.port);
        second.write(frame(rtp(1)));
        return until(
            context, [&] { return server.sessions() == 2; }, 200);
    }));
    CHECK(until(context, [&] { return server.record().closed(); }));
}

TEST_CASE("out of descriptors, strangers go first", "[strangers]")
{
    Context context;
    Server server(context, {{"max-joining-address", "10000"}, {"max-joining", "10000"}});
    rlimit before, low;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    low = before;
    int probe = dup(0);
    REQUIRE(probe >= 0);
    close(probe);
    low.rlim_cur = (rlim_t)probe + 100; /* both ends are in this process */
    std::vector<std::unique_ptr<Raw>> silent;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
    for (int i = 0; i < 70; i++) {
        silent.push_back(std::make_unique<Raw>(server.port, elsewhere));
        turn_often(context, 2);
    }
    Impostor impostor;
    Raw raw(server.port);
    impostor.enter(context, raw, 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    std::string why;
    REQUIRE(server.rejected_with(LIVETCP_ERR_HANDSHAKE_TIMEOUT, &why));
    CHECK(why.find("raise the limit of open files (ulimit -n)") != std::string::npos);
    CHECK(why.find("max-joining") == std::string::npos);
}
