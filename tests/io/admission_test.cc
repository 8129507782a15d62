/* SPDX-License-Identifier: MIT */
/* Who calls, and the application's answer: at once, later, or never. */
#include "catch.h"

#include "sockets.h"
#include "world.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

extern "C" {
#include "io/listener.h"
}

using namespace world;

namespace
{

const char *const SECRET = "correct horse battery";

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

livetcp_caller caller_of(livetcp_session *session)
{
    livetcp_caller caller = {};
    caller.struct_size = sizeof caller;
    REQUIRE(livetcp_session_get_caller(session, &caller) == LIVETCP_OK);
    return caller;
}

livetcp_rejection rejection_of(livetcp_session *session)
{
    livetcp_rejection rejection = {};
    rejection.struct_size = sizeof rejection;
    REQUIRE(livetcp_session_get_rejection(session, &rejection) == LIVETCP_OK);
    return rejection;
}

using Accept = std::function<bool(Server &, Server::Accepted &)>;

/* The session is freed when this returns. */
Accept refuse(unsigned code, const char *text)
{
    return [=](Server &, Server::Accepted &accepted) {
        REQUIRE(livetcp_session_reject(accepted.session, code, text) == LIVETCP_OK);
        accepted.session = nullptr;
        return false;
    };
}

Accept later()
{
    return [](Server &, Server::Accepted &accepted) {
        return livetcp_session_admit_later(accepted.session) == LIVETCP_OK;
    };
}

bool is_open(livetcp_session *session)
{
    return livetcp_session_get_state(session) == LIVETCP_SESSION_OPEN;
}

} // namespace

TEST_CASE("the application is told of stream, token and role, under a passphrase", "[admission]")
{
    bool own_thread = GENERATE(false, true);
    Context context(own_thread);
    livetcp_caller seen = {};
    Server server(context, {{"passphrase", SECRET}}, [&](Server &, Server::Accepted &accepted) {
        seen = caller_of(accepted.session);
        return true;
    });
    Caller caller(context, server.port,
                  {{"passphrase", SECRET},
                   {"stream-id", "live/caf\xc3\xa9"},
                   {"token", "t0ken"},
                   {"role", "publish"},
                   {"connections", "3"}});
    REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && open_connections(server.session()) == 3 &&
               server.record().packets() == 1;
    }));
    CHECK(std::string(seen.stream_id) == "live/caf\xc3\xa9");
    CHECK(std::string(seen.token) == "t0ken");
    CHECK(seen.role == LIVETCP_ROLE_PUBLISH);
    CHECK(std::string(seen.remote) == server.at(0).remote);
    /* The token is nobody's business any more. */
    CHECK(std::string(caller_of(server.session()).token).empty());
    CHECK(std::string(caller_of(server.session()).stream_id) == "live/caf\xc3\xa9");
    livetcp_caller own = {};
    own.struct_size = sizeof own;
    CHECK(livetcp_session_get_caller(caller.session, &own) == LIVETCP_ERR_BAD_STATE);
    own.struct_size = 0;
    CHECK(livetcp_session_get_caller(server.session(), &own) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_session_admit(server.session()) == LIVETCP_ERR_BAD_STATE);
    CHECK(livetcp_session_reject(server.session(), 403, nullptr) == LIVETCP_ERR_BAD_STATE);
    CHECK(livetcp_session_admit_later(server.session()) == LIVETCP_ERR_BAD_STATE);
}

TEST_CASE("a token comes from a file or the environment", "[admission]")
{
    Context context;
    std::string seen, file = std::string(P_tmpdir) + "/livetcp-token-" + std::to_string(getpid());
    std::ofstream(file) << "from-a-file\r\nsecond line\n";
    setenv("LT_TEST_TOKEN", "from-the-environment", 1);
    Server server(context, {{"passphrase", SECRET}}, [&](Server &, Server::Accepted &accepted) {
        seen = caller_of(accepted.session).token;
        return true;
    });
    for (const char *place : {"file", "env"}) {
        std::string value =
            std::string(place) + ":" + (std::string(place) == "file" ? file : "LT_TEST_TOKEN");
        seen.clear();
        Caller caller(context, server.port, {{"passphrase", SECRET}, {"token", value}});
        REQUIRE(until(context, [&] { return is_open(caller.session); }));
        CHECK(seen == (std::string(place) == "file" ? "from-a-file" : "from-the-environment"));
    }
    /* What is not there is named; what is there is not shown. */
    setenv("LT_TEST_TOKEN", "secr\x1b[1mt", 1);
    for (const std::string &value :
         {"file:" + file + ".missing", std::string("env:LT_NO_SUCH_TOKEN"),
          std::string("env:LT_TEST_TOKEN")}) {
        livetcp_config config = config_with(
            {{"host", "127.0.0.1"}, {"port", "9"}, {"passphrase", SECRET}, {"token", value}});
        livetcp_session *session = nullptr;
        livetcp_error error = {};
        CHECK(livetcp_session_connect(context.context, &config, nullptr, nullptr, &session,
                                      &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(session == nullptr);
        CHECK(contains(error.message, value.substr(value.find(':') + 1)));
        CHECK_FALSE(contains(error.message, "secr"));
    }
    remove(file.c_str());
}

TEST_CASE("the application's code and words reach the caller, who does not call again",
          "[admission]")
{
    Context context;
    Server server(context, {}, refuse(404, "there is no stream 'studio'"));
    Caller caller(context, server.port, {{"stream-id", "studio"}, {"connections", "3"}});
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    CHECK(caller.record.last_error().code == LIVETCP_ERR_CANCELLED);
    CHECK(contains(caller.record.last_error().message, "there is no stream 'studio' (404)"));
    CHECK(rejection_of(caller.session).code == 404);
    CHECK(std::string(rejection_of(caller.session).text) == "there is no stream 'studio'");
    CHECK(server.sessions() == 1);
    REQUIRE(until(context, [&] { return server.rejected_with(LIVETCP_ERR_CANCELLED); }));
    CHECK(contains(server.rejection(0).error.message, "no stream 'studio'"));
    for (const auto &state : caller.record.states())
        CHECK(state.state != LIVETCP_SESSION_OPEN);
}

TEST_CASE("a caller that is to come back later does", "[admission]")
{
    Context context;
    unsigned code = GENERATE(0u, 503u);
    int calls = 0;
    Server server(context, {}, [&](Server &, Server::Accepted &accepted) {
        if (++calls > 1)
            return true;
        REQUIRE(livetcp_session_reject(accepted.session, code, "full") == LIVETCP_OK);
        accepted.session = nullptr;
        return false;
    });
    Caller caller(context, server.port, {{"connections", "2"}});
    std::string message;
    REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.sessions() == 2 && is_open(caller.session); }));
    CHECK(caller.record.lost_with(LIVETCP_ERR_CANCELLED, &message));
    CHECK(contains(message, "refused by the listener's application: full"));
    REQUIRE(until(context, [&] { return server.record(1).packets() == 1; }));
}

TEST_CASE("a session that was rejected within on_session and kept becomes closed", "[admission]")
{
    Context context;
    Server server(context, {}, [](Server &, Server::Accepted &accepted) {
        CHECK(livetcp_session_reject(accepted.session, 70000, "x") == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(livetcp_session_reject(accepted.session, 1, "\n") == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(livetcp_session_reject(accepted.session, 403, nullptr) == LIVETCP_OK);
        CHECK(livetcp_session_admit(accepted.session) == LIVETCP_ERR_BAD_STATE);
        return true;
    });
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return caller.record.closed() && server.record().closed(); }));
    CHECK(server.record().last_error().code == LIVETCP_ERR_CANCELLED);
    CHECK(rejection_of(caller.session).code == 403);
}

TEST_CASE("an answer that comes later lets the caller in, with all that it has sent", "[admission]")
{
    bool tls = GENERATE(false, true);
    Context context(tls); /* and with a thread of its own */
    Settings secure = tls ? Settings{{"passphrase", SECRET}} : Settings{};
    Server server(context, secure, later());
    /* Several WAITs fit in: the callers' patience is shorter than the time until the answer. */
    Settings settings = secure;
    settings.insert(settings.end(), {{"handshake-timeout", "1500"}, {"connections", "3"}});
    Caller caller(context, server.port, settings);
    for (uint16_t i = 0; i < 20; i++)
        REQUIRE(caller.send(rtp(i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    uint64_t begin = uv_hrtime();
    bool patient = until(context, [&] { return uv_hrtime() - begin > 2000000000; });
    REQUIRE(patient);
    CHECK(livetcp_session_get_state(caller.session) == LIVETCP_SESSION_CONNECTING);
    CHECK(livetcp_session_get_state(server.session()) == LIVETCP_SESSION_CONNECTING);
    CHECK(server.record().packets() == 0);
    CHECK(server.sessions() == 1); /* and it has not called again */
    REQUIRE(livetcp_session_admit(server.session()) == LIVETCP_OK);
    REQUIRE(until(context, [&] {
        return server.record().packets() == 20 && open_connections(server.session()) == 3;
    }));
    CHECK(server.sessions() == 1);
    CHECK(livetcp_session_admit(server.session()) == LIVETCP_ERR_BAD_STATE);
    REQUIRE(send(server.session(), rtp(7)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return caller.record.packets() == 1; }));
}

TEST_CASE("a later answer may be no, or nobody may be there any more", "[admission]")
{
    Context context;
    Server server(context, {}, later());
    auto caller =
        std::make_unique<Caller>(context, server.port, Settings{{"auto-reconnect", "false"}});
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));

    SECTION("rejected")
    {
        REQUIRE(livetcp_session_reject(server.session(), 401, "the token has expired") ==
                LIVETCP_OK);
        REQUIRE(
            until(context, [&] { return caller->record.closed() && server.record().closed(); }));
        CHECK(contains(caller->record.last_error().message, "the token has expired (401)"));
        CHECK(server.record().last_error().code == LIVETCP_ERR_CANCELLED);
    }
    SECTION("the caller leaves")
    {
        caller.reset();
        REQUIRE(until(context, [&] { return server.record().closed(); }));
        CHECK(server.record().last_error().code == LIVETCP_ERR_CONNECTION_LOST);
    }
    SECTION("the application ends the session")
    {
        livetcp_session_close(server.session(), 0);
        REQUIRE(
            until(context, [&] { return caller->record.closed() && server.record().closed(); }));
        CHECK(caller->record.last_error().code == LIVETCP_ERR_CANCELLED);
    }
    SECTION("the listener ends")
    {
        livetcp_listener_destroy(&server.listener);
        REQUIRE(
            until(context, [&] { return caller->record.closed() && server.record().closed(); }));
        CHECK(server.record().last_error().code == LIVETCP_ERR_CLOSED);
    }
    CHECK(livetcp_session_admit(server.session()) == LIVETCP_ERR_CLOSED);
    CHECK(livetcp_session_reject(server.session(), 403, "x") == LIVETCP_ERR_CLOSED);
}

TEST_CASE("an application that does not answer in time has turned the caller away", "[admission]")
{
    Context context;
    Server server(context, {{"admission-timeout", "300"}}, later());
    Caller caller(context, server.port, {{"auto-reconnect", "false"}});
    REQUIRE(until(context, [&] {
        return caller.record.closed() && server.sessions() == 1 && server.record().closed();
    }));
    CHECK(caller.record.last_error().code == LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    CHECK(server.record().last_error().code == LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    CHECK(livetcp_session_admit(server.session()) == LIVETCP_ERR_CLOSED);
}

TEST_CASE("a session that waits for an answer may be destroyed, and so may its context",
          "[admission]")
{
    Context context;
    Server server(context, {}, later());
    Caller caller(context, server.port, {{"connections", "3"}, {"auto-reconnect", "false"}});
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    SECTION("the session")
    {
        livetcp_session_destroy(&server.at(0).session);
        REQUIRE(until(context, [&] { return caller.record.closed(); }));
    }
    SECTION("the context")
    {
        context.end();
    }
}

TEST_CASE("who waits for an answer keeps his place, and others come in beside him", "[admission]")
{
    Context context;
    bool first = true;
    Server server(context, {{"max-sessions", "2"}}, [&](Server &, Server::Accepted &accepted) {
        if (first)
            CHECK(livetcp_session_admit_later(accepted.session) == LIVETCP_OK);
        first = false;
        return true;
    });
    Caller waiting(context, server.port, {{"connections", "1"}});
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    Caller other(context, server.port, {{"connections", "2"}});
    REQUIRE(until(context, [&] { return is_open(other.session); }));
    Caller surplus(context, server.port, {{"connections", "1"}, {"auto-reconnect", "false"}});
    REQUIRE(until(context, [&] { return surplus.record.closed(); }));
    CHECK(surplus.record.last_error().code == LIVETCP_ERR_TOO_MANY_SESSIONS);
    REQUIRE(livetcp_session_admit(server.session()) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return is_open(waiting.session); }));
}

TEST_CASE("a stranger's name is shown to nobody before it has proved itself", "[admission]")
{
    Context context;
    Server server(context, {}, [](Server &, Server::Accepted &) {
        FAIL("the application was asked");
        return true;
    });
    Raw raw(server.port);
    Impostor impostor;
    Bytes proof;
    impostor.introduction = {LIVETCP_ROLE_PUBLISH, "studio", ""};
    raw.write(impostor.start(0, 1));
    Bytes answer = raw.next_frame(context);
    REQUIRE(impostor.take(answer, &proof) == LIVETCP_OK);
    proof.back() ^= 1;
    raw.write(proof);
    REQUIRE(until(context, [&] { return server.rejected_with(LIVETCP_ERR_BAD_PROOF); }));
    CHECK(server.sessions() == 0);
}

TEST_CASE("a token in the clear is refused by both ends", "[admission]")
{
    Context context;
    Server server(context);
    SECTION("the caller's")
    {
        livetcp_config config =
            config_with({{"host", "127.0.0.1"}, {"port", "9"}, {"token", "visible-to-all"}});
        livetcp_session *session = nullptr;
        livetcp_error error = {};
        CHECK(livetcp_session_connect(context.context, &config, nullptr, nullptr, &session,
                                      &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(contains(error.message, "passphrase"));
        CHECK_FALSE(contains(error.message, "visible-to-all"));
    }
    SECTION("the listener's")
    {
        Raw raw(server.port);
        Impostor impostor;
        impostor.introduction = {LIVETCP_ROLE_BOTH, "", "visible-to-all"};
        raw.write(impostor.start(0, 1));
        std::string why;
        REQUIRE(until(context, [&] { return server.rejected_with(LIVETCP_ERR_TLS, &why); }));
        CHECK(contains(why, "it sent a token that anybody on the way can read"));
        CHECK_FALSE(contains(why, "visible-to-all"));
        CHECK(server.sessions() == 0);
    }
}

TEST_CASE("media of a caller that came to receive is dropped, its RTCP is not", "[admission]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port, {{"role", "subscribe"}, {"rtcp", "off"}});
    const Bytes pli = {0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
    REQUIRE(until(context, [&] { return is_open(caller.session); }));
    REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
    REQUIRE(caller.send(pli) == LIVETCP_OK);
    REQUIRE(
        until(context, [&] { return server.sessions() == 1 && server.record().packets() > 0; }));
    REQUIRE(send(server.session(), rtp(2)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return caller.record.packets() == 1; }));
    for (const Bytes &packet : server.record().all_packets())
        CHECK(packet == pli);
}

TEST_CASE("a plain peer has no name, and is answered at once", "[admission]")
{
    Context context;
    Server server(context, {{"wire", "plain"}}, [](Server &, Server::Accepted &accepted) {
        CHECK(std::string(caller_of(accepted.session).stream_id).empty());
        CHECK(caller_of(accepted.session).role == LIVETCP_ROLE_BOTH);
        CHECK(livetcp_session_admit_later(accepted.session) == LIVETCP_ERR_NOT_SUPPORTED);
        return true;
    });
    Caller caller(context, server.port, {{"wire", "plain"}, {"policy", "single"}});
    REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
    REQUIRE(
        until(context, [&] { return server.sessions() == 1 && server.record().packets() == 1; }));
}
