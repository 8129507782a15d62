/* SPDX-License-Identifier: MIT */
/* What a C program is offered beside packets: the log, settings at run time, word that everything
 * is sent, and word that a context has closed. */
#include "io/sockets.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace world;

namespace
{

/* A log that is kept. */
struct Log {
    struct Line {
        livetcp_log_level level;
        std::string category, text;
    };

    static void write(livetcp_log_level level, const char *category, const char *text, void *user)
    {
        Log *self = (Log *)user;
        std::lock_guard<std::mutex> guard(self->lock);
        self->lines.push_back({level, category, text});
    }

    bool has(livetcp_log_level level, const std::string &category, const std::string &part)
    {
        std::lock_guard<std::mutex> guard(lock);
        for (const Line &line : lines)
            if (line.level == level && line.category == category &&
                line.text.find(part) != std::string::npos)
                return true;
        return false;
    }

    size_t count()
    {
        std::lock_guard<std::mutex> guard(lock);
        return lines.size();
    }

    std::mutex lock;
    std::vector<Line> lines;
};

void check_refused(livetcp_result result, livetcp_result expected, const livetcp_error &error,
                   const std::string &part)
{
    INFO(error.message);
    CHECK(result == expected);
    CHECK(std::string(error.message).find(part) != std::string::npos);
}

} // namespace

/* ---- log ---- */

TEST_CASE("the log names addresses, states, losses and settings", "[log]")
{
    bool own_thread = GENERATE(false, true);
    CAPTURE(own_thread);
    Context context(own_thread);
    Log log;
    livetcp_context_set_log(context.context, LIVETCP_LOG_DEBUG, Log::write, &log);
    Server server(context);
    std::string address = "127.0.0.1:" + std::to_string(server.port);
    CHECK(log.has(LIVETCP_LOG_INFO, "listener", "listening on " + address));

    Caller caller(context, server.port);
    REQUIRE(
        until(context, [&] { return open_connections(caller.session) == default_connections; }));
    REQUIRE(
        until(context, [&] { return log.has(LIVETCP_LOG_DEBUG, "session", address + ": open"); }));
    CHECK(log.has(LIVETCP_LOG_DEBUG, "connection", "connection 0, " + address + ": open"));

    REQUIRE(livetcp_session_set_policy(caller.session, "round-robin", nullptr) == LIVETCP_OK);
    REQUIRE(livetcp_session_set_max_send_delay(caller.session, 250000, nullptr) == LIVETCP_OK);
    REQUIRE(
        until(context, [&] { return log.has(LIVETCP_LOG_DEBUG, "policy", "max-send-delay=250"); }));
    CHECK(log.has(LIVETCP_LOG_DEBUG, "policy", "policy=round-robin"));

    livetcp_session_close(caller.session, 0);
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    CHECK(log.has(LIVETCP_LOG_DEBUG, "session",
                  "closed: " + address + ": the session was closed here"));
}

TEST_CASE("a stranger that is turned away is a warning of the log", "[log]")
{
    Context context;
    Log log;
    livetcp_context_set_log(context.context, LIVETCP_LOG_WARNING, Log::write, &log);
    Server server(context);
    CHECK(log.count() == 0); /* where it listens is no warning */
    Raw raw(server.port);
    raw.write({0, 4, 1, 2, 3, 4});
    REQUIRE(until(context, [&] { return server.rejections() == 1; }));
    CHECK(log.has(LIVETCP_LOG_WARNING, "listener", "connection from 127.0.0.1:"));
    CHECK(log.has(LIVETCP_LOG_WARNING, "listener", server.rejection().error.message));
}

TEST_CASE("a lost connection is a warning, with its reason", "[log]")
{
    Context context;
    Log log;
    livetcp_context_set_log(context.context, LIVETCP_LOG_TRACE, Log::write, &log);
    Server server(context, {{"wire", "plain"}});
    auto raw = std::make_unique<Raw>(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    const linger now = {1, 0};
    REQUIRE(setsockopt(raw->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now) == 0);
    raw.reset();
    REQUIRE(until(context, [&] { return server.record().closed(); }));
    CHECK(log.has(LIVETCP_LOG_WARNING, "connection", "connection 0 ended: "));
    CHECK(log.has(LIVETCP_LOG_WARNING, "connection", "reset by peer"));
}

TEST_CASE("addresses that refuse are logged, and no log means silence", "[log]")
{
    Context context;
    Log log;
    uint16_t nobody;
    {
        Server server(context);
        nobody = server.port;
    }
    livetcp_context_set_log(context.context, LIVETCP_LOG_DEBUG, Log::write, &log);
    {
        Caller caller(context, nobody);
        REQUIRE(until(context, [&] {
            return log.has(LIVETCP_LOG_DEBUG, "connection", "is a listener running");
        }));
    }
    livetcp_context_set_log(context.context, LIVETCP_LOG_TRACE, nullptr, nullptr);
    size_t before = log.count();
    Caller caller(context, nobody);
    REQUIRE(until(context, [&] { return caller.record.lost_with(LIVETCP_ERR_REFUSED); }));
    CHECK(log.count() == before);
}

TEST_CASE("a refusal is a warning of the log, the same one again is not", "[log]")
{
    Context context;
    Log log;
    uint16_t nobody;
    {
        Server server(context);
        nobody = server.port;
    }
    livetcp_context_set_log(context.context, LIVETCP_LOG_WARNING, Log::write, &log);
    Caller caller(context, nobody, {{"reconnect-min", "10"}});
    auto lost = [&] {
        size_t count = 0;
        for (const auto &connection : caller.record.connections())
            count += connection.error.code == LIVETCP_ERR_REFUSED;
        return count;
    };
    REQUIRE(until(context, [&] { return lost() >= 4; }));
    CHECK(log.has(LIVETCP_LOG_WARNING, "connection", "is a listener running"));
    CHECK(log.count() == 1);
}

TEST_CASE("log levels have names", "[log]")
{
    CHECK(std::string(livetcp_log_level_name(LIVETCP_LOG_OFF)) == "off");
    CHECK(std::string(livetcp_log_level_name(LIVETCP_LOG_TRACE)) == "trace");
    CHECK(std::string(livetcp_log_level_name((livetcp_log_level)99)) == "unknown");
}

/* ---- settings of a session that runs ---- */

TEST_CASE("a policy that is set at run time decides about the next packets", "[settings]")
{
    bool own_thread = GENERATE(false, true);
    CAPTURE(own_thread);
    Context context(own_thread);
    Server server(context);
    Caller caller(context, server.port,
                  {{"connections", "3"}, {"policy", "round-robin"}, {"redundancy-budget", "3"}});
    REQUIRE(until(context, [&] { return open_connections(caller.session) == 3; }));
    const unsigned count = 60;
    for (unsigned i = 0; i < count; i++)
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == count; }));
    CHECK(stats_of(server.session()).received.duplicates == 0);

    livetcp_error error = {};
    REQUIRE(livetcp_session_set_policy(caller.session, "duplicate", &error) == LIVETCP_OK);
    for (unsigned i = count; i < 2 * count; i++)
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == 2 * count; }));
    REQUIRE(until(context, [&] { return stats_of(server.session()).received.duplicates > 0; }));

    const livetcp_policy *policy;
    for (size_t i = 0; (policy = livetcp_policy_at(i)) != nullptr; i++) {
        CAPTURE(policy->name);
        CHECK(livetcp_session_set_policy(caller.session, policy->name, &error) == LIVETCP_OK);
        REQUIRE(caller.send(rtp((uint16_t)(2 * count + i))) == LIVETCP_OK);
        REQUIRE(until(context, [&] { return server.record().packets() == 2 * count + i + 1; }));
    }
    CHECK(no_duplicates(server.record().all_packets()));
}

TEST_CASE("packets that wait stay when the policy changes", "[settings]")
{
    Context context;
    Server server(context);
    const unsigned count = 200;
    Caller caller(context, server.port, {{"connections", "2"}});
    for (unsigned i = 0; i < count; i++) /* not connected yet */
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
    REQUIRE(livetcp_session_set_policy(caller.session, "round-robin", nullptr) == LIVETCP_OK);
    REQUIRE(
        until(context, [&] { return server.sessions() && server.record().packets() == count; }));
}

TEST_CASE("settings that contradict others are refused, and change nothing", "[settings]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port, {{"connections", "1"}, {"policy", "single"}});
    livetcp_session *session = caller.session;
    livetcp_error error = {};

    check_refused(livetcp_session_set_policy(session, "no-such", &error),
                  LIVETCP_ERR_UNKNOWN_POLICY, error, "no-such");
    check_refused(livetcp_session_set_policy(session, nullptr, &error),
                  LIVETCP_ERR_INVALID_ARGUMENT, error, "NULL");
    check_refused(livetcp_session_set_policy(session, "duplicate", &error),
                  LIVETCP_ERR_INVALID_ARGUMENT, error, "needs at least 2 connections");
    check_refused(livetcp_session_set_redundancy_budget(session, 1e9, &error),
                  LIVETCP_ERR_INVALID_ARGUMENT, error, "redundancy-budget");
    check_refused(livetcp_session_set_bitrate_bounds(session, 200000, 100000, &error),
                  LIVETCP_ERR_INVALID_ARGUMENT, error, "min-bitrate (200000)");
    check_refused(livetcp_session_set_max_send_delay(session, -1, &error),
                  LIVETCP_ERR_INVALID_ARGUMENT, error, "max-send-delay");
    CHECK(livetcp_session_set_max_send_delay(nullptr, 0, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    check_refused(livetcp_session_set_order(session, (livetcp_order)7, &error),
                  LIVETCP_ERR_INVALID_ARGUMENT, error, "order");
    CHECK(livetcp_session_set_order(nullptr, LIVETCP_ORDER_ARRIVAL, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);

    CHECK(livetcp_session_set_redundancy_budget(session, -1, nullptr) == LIVETCP_OK);
    CHECK(livetcp_session_set_redundancy_budget(session, 0.25, nullptr) == LIVETCP_OK);
    CHECK(livetcp_session_set_bitrate_bounds(session, 100000, 200000, nullptr) == LIVETCP_OK);
    CHECK(stats_of(session).sent.estimated_bitrate == 200000); /* begins as the upper bound */
    CHECK(livetcp_session_set_bitrate_bounds(session, 0, 150000, nullptr) == LIVETCP_OK);
    CHECK(stats_of(session).sent.estimated_bitrate == 150000);

    livetcp_session_close(session, 0);
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    check_refused(livetcp_session_set_policy(session, "single", &error), LIVETCP_ERR_CLOSED, error,
                  "closed");
}

TEST_CASE("a limit of the delay that is set at run time drops what waits", "[settings]")
{
    Context context;
    Server server(context, {{"wire", "plain"}});
    Raw raw(server.port); /* reads nothing */
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    livetcp_session *session = server.session();
    for (unsigned i = 0; i < 4000; i++)
        REQUIRE(send(session, rtp((uint16_t)i, 8000)) == LIVETCP_OK);
    REQUIRE(stats_of(session).dropped.late == 0);
    REQUIRE(livetcp_session_set_max_send_delay(session, 50000, nullptr) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return stats_of(session).dropped.late > 0; }));
}

TEST_CASE("an order that is set at run time delivers what waits", "[settings]")
{
    Context context;
    Server server(context, {{"wire", "plain"}, {"order", "sequence"}, {"order-wait", "60000"}});
    Raw raw(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    for (uint16_t sequence : {10, 12, 14})
        raw.write(frame(rtp(sequence)));
    REQUIRE(until(context, [&] { return server.record().packets() == 1; }));
    REQUIRE(livetcp_session_set_order(server.session(), LIVETCP_ORDER_ARRIVAL, nullptr) ==
            LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == 3; }));
    CHECK(stats_of(server.session()).received.sequence_gaps == 2);
}

TEST_CASE("settings change on one thread while another sends", "[settings]")
{
    Context context(true);
    Server server(context);
    Caller caller(context, server.port,
                  {{"connections", "2"}, {"redundancy-budget", "2"}, {"queue-packets", "10000"}});
    REQUIRE(until(context, [&] { return open_connections(caller.session) == 2; }));
    std::atomic<bool> stop{false};
    std::thread setter([&] {
        const char *names[] = {"round-robin", "duplicate", "single"};
        for (unsigned i = 0; !stop; i++) {
            livetcp_session_set_policy(caller.session, names[i % 3], nullptr);
            livetcp_session_set_bitrate_bounds(caller.session, 1000 * (i % 10), 0, nullptr);
            livetcp_session_get_state(caller.session);
            uv_sleep(1);
        }
    });
    const unsigned count = 2000;
    for (unsigned i = 0; i < count; i++)
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == count; }));
    stop = true;
    setter.join();
    CHECK(no_duplicates(server.record().all_packets()));
}

/* ---- everything is sent ---- */

TEST_CASE("on_sent comes when nothing waits any more", "[sent]")
{
    bool own_thread = GENERATE(false, true);
    CAPTURE(own_thread);
    Context context(own_thread);
    Server server(context);
    const unsigned count = 100;
    std::atomic<unsigned> queued{1};
    Caller caller(context, server.port, {}, [&](Record &record) {
        record.when_sent = [&](livetcp_session *session) {
            queued = stats_of(session).sent.queue_packets;
        };
    });
    for (unsigned i = 0; i < count; i++)
        REQUIRE(caller.send(rtp((uint16_t)i, 5000)) == LIVETCP_OK);
    livetcp_session_notify_when_sent(caller.session);
    REQUIRE(until(context, [&] { return caller.record.sent() == 1; }));
    CHECK(queued == 0);
    CHECK(stats_of(caller.session).sent.packets == count);
    REQUIRE(
        until(context, [&] { return server.sessions() && server.record().packets() == count; }));
    CHECK(caller.record.sent() == 1);

    livetcp_session_notify_when_sent(caller.session); /* nothing waits */
    REQUIRE(until(context, [&] { return caller.record.sent() == 2; }));
}

TEST_CASE("on_sent waits for a peer that does not read", "[sent]")
{
    Context context;
    Server server(context, {{"wire", "plain"}});
    Raw raw(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    livetcp_session *session = server.session();
    do { /* until the kernel's buffers grow no more */
        while (stats_of(session).sent.queue_packets < 10)
            REQUIRE(send(session, rtp(1, 8000)) == LIVETCP_OK);
        for (int i = 0; i < 20; i++)
            context.turn();
    } while (stats_of(session).sent.queue_packets < 10);
    livetcp_session_notify_when_sent(session);
    livetcp_session_notify_when_sent(session); /* one answer for both */
    for (int i = 0; i < 20; i++)
        context.turn();
    CHECK(server.record().sent() == 0);
    REQUIRE(until(context, [&] {
        raw.poll();
        raw.input.clear();
        return server.record().sent() > 0;
    }));
    CHECK(stats_of(session).sent.queue_packets == 0);
    for (int i = 0; i < 20; i++)
        context.turn();
    CHECK(server.record().sent() == 1);
}

TEST_CASE("a session that ends tells that, and not that all is sent", "[sent]")
{
    Context context;
    Server server(context, {{"wire", "plain"}});
    Raw raw(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    livetcp_session *session = server.session();
    while (stats_of(session).sent.queue_packets < 10)
        REQUIRE(send(session, rtp(1, 8000)) == LIVETCP_OK);
    livetcp_session_notify_when_sent(session);
    livetcp_session_close(session, 0);
    REQUIRE(until(context, [&] { return server.record().closed(); }));
    CHECK(server.record().sent() == 0);
}

/* ---- a context has closed ---- */

TEST_CASE("a loop can be closed when its context says that it has closed", "[closed]")
{
    bool connected = GENERATE(false, true);
    CAPTURE(connected);
    uv_loop_t loop;
    livetcp_context *context = nullptr;
    REQUIRE(uv_loop_init(&loop) == 0);
    REQUIRE(livetcp_context_create(&loop, &context, nullptr) == LIVETCP_OK);

    Record record;
    livetcp_config config = config_with({{"host", "127.0.0.1"}});
    config.mode = LIVETCP_MODE_LISTENER;
    livetcp_listener *listener = nullptr;
    static const livetcp_listener_callbacks everyone = {
        sizeof everyone,
        [](livetcp_listener *, livetcp_session *, const char *, void *) { return true; }, nullptr};
    REQUIRE(livetcp_listener_create(context, &config, &everyone, nullptr, &listener, nullptr) ==
            LIVETCP_OK);
    config.mode = LIVETCP_MODE_CALLER;
    config.port = livetcp_listener_port(listener);
    livetcp_session *session = nullptr;
    REQUIRE(livetcp_session_connect(context, &config, Record::callbacks(), &record, &session,
                                    nullptr) == LIVETCP_OK);
    /* With connections, or in the middle of connecting. */
    if (connected)
        while (open_connections(session) < default_connections)
            uv_run(&loop, UV_RUN_ONCE);
    else
        uv_run(&loop, UV_RUN_NOWAIT);

    struct Closed {
        uv_loop_t *loop;
        unsigned calls;
        bool alive;
    } closed = {&loop, 0, true};
    livetcp_context_close(
        &context,
        [](void *user) {
            Closed *self = (Closed *)user;
            self->calls++;
            self->alive = uv_loop_alive(self->loop) != 0;
            uv_stop(self->loop);
        },
        &closed);
    CHECK(context == nullptr);
    CHECK(closed.calls == 0); /* not before the loop has turned */
    while (!closed.calls)
        uv_run(&loop, UV_RUN_ONCE);
    CHECK(closed.calls == 1);
    CHECK_FALSE(closed.alive);
    CHECK(uv_loop_close(&loop) == 0);
}

TEST_CASE("a context with a thread of its own says that it has closed", "[closed]")
{
    std::atomic<int> calls{0};
    auto count = [](void *user) { ++*(std::atomic<int> *)user; };

    SECTION("before close returns")
    {
        livetcp_context *context = nullptr;
        REQUIRE(livetcp_context_create(nullptr, &context, nullptr) == LIVETCP_OK);
        livetcp_context_close(&context, count, &calls);
        CHECK(calls == 1);
        livetcp_context_close(&context, count, &calls); /* nothing there any more */
        CHECK(calls == 1);
    }
    SECTION("after the callback that closed it")
    {
        Context context(true);
        uint16_t nobody;
        {
            Server server(context);
            nobody = server.port;
        }
        auto close = [&](livetcp_session *, unsigned, livetcp_connection_state) {
            livetcp_context_close(&context.context, count, &calls);
            CHECK(calls == 0);
        };
        Caller caller(context, nobody, {}, [&](Record &record) { record.when_connection = close; });
        REQUIRE(until(context, [&] { return calls == 1; }));
    }
}
