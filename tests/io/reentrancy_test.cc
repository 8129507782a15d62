/* SPDX-License-Identifier: MIT */
/* Callbacks may do anything: send, close, and destroy what calls them. */
#include "io/sockets.h"

#include <atomic>
#include <filesystem>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace world;

namespace
{

/* Shared with callbacks that end their own context: its thread may run on for a moment. */
using Flag = std::shared_ptr<std::atomic<bool>>;

Flag make_flag()
{
    return std::make_shared<std::atomic<bool>>(false);
}

/* The thread of a context that its own callback has destroyed ends by itself, and libraries free
 * what they keep for it at the very end: a process that ends before looks like a leak. */
class LastCall
{
  public:
    /* In the callback. */
    void here() const
    {
        *thread_ = static_cast<long>(syscall(SYS_gettid));
    }
    void wait() const
    {
        if (*thread_ != getpid())
            while (std::filesystem::exists("/proc/self/task/" + std::to_string(*thread_)))
                std::this_thread::yield();
    }

  private:
    std::shared_ptr<std::atomic<long>> thread_ = std::make_shared<std::atomic<long>>(0);
};

const char *const PLACES[] = {"packet", "open", "closed", "connection", "drained"};

/* Has `act` called once, from within the callback of that name. */
void arrange(Record &record, const std::string &place,
             const std::function<void(livetcp_session *)> &act)
{
    auto once = std::make_shared<bool>(false);
    auto run = [once, act](livetcp_session *session) {
        if (*once)
            return;
        *once = true;
        act(session);
    };
    if (place == "packet")
        record.when_packet = [run](livetcp_session *session, const livetcp_packet *) {
            run(session);
        };
    if (place == "open" || place == "closed")
        record.when_state = [run, place](livetcp_session *session, livetcp_session_state state) {
            if (state == (place == "open" ? LIVETCP_SESSION_OPEN : LIVETCP_SESSION_CLOSED))
                run(session);
        };
    if (place == "connection")
        record.when_connection = [run](livetcp_session *session, unsigned,
                                       livetcp_connection_state) { run(session); };
    if (place == "drained") {
        record.when_drained = run;
        /* While nothing is open, packets have to wait: that is what can drain. */
        record.when_connection = [](livetcp_session *session, unsigned,
                                    livetcp_connection_state state) {
            if (state == LIVETCP_CONNECTION_CONNECTING)
                (void)send(session, rtp(1));
        };
    }
}

/* Makes every callback of the caller happen until `done`. Only the listener's side sends: the
 * other may be gone at any time. */
bool provoke(Context &context, Server &server, const std::function<bool()> &done)
{
    uint16_t sequence = 0;
    return until(context, [&] {
        for (size_t i = 0; i < server.sessions() && !done(); i++)
            (void)send(server.session(i), rtp(sequence++));
        return done();
    });
}

} // namespace

TEST_CASE("a session may be destroyed in any callback of its own", "[reentrancy]")
{
    bool own_thread = GENERATE(false, true);
    std::string place = GENERATE(from_range(std::begin(PLACES), std::end(PLACES)));
    CAPTURE(own_thread, place);
    std::atomic<bool> done{false};
    Context context(own_thread);
    Server server(context);
    Caller caller(context, server.port, {}, [&](Record &record) {
        arrange(record, place, [&](livetcp_session *session) {
            livetcp_session_destroy(&session);
            done = session == nullptr;
        });
    });
    if (place == "closed")
        livetcp_session_close(caller.session, 0);
    REQUIRE(provoke(context, server, [&] { return done.load(); }));
    caller.session = nullptr;
    size_t packets = caller.record.packets(), states = caller.record.states().size();
    if (server.sessions() == 1 && place != "connection")
        CHECK(until(context, [&] { return server.record().closed() || place == "closed"; }));
    for (int i = 0; i < 10; i++)
        context.turn();
    CHECK(caller.record.packets() == packets);
    CHECK(caller.record.states().size() == states);
}

TEST_CASE("a context may be destroyed in any callback of a session", "[reentrancy]")
{
    bool own_thread = GENERATE(false, true);
    std::string place = GENERATE(values<std::string>({"packet", "open", "connection"}));
    CAPTURE(own_thread, place);
    Flag done = make_flag();
    LastCall last;
    Context peer;
    Server server(peer);
    auto context = std::make_unique<Context>(own_thread);
    livetcp_context *handle = context->context;
    Caller caller(*context, server.port, {}, [&](Record &record) {
        arrange(record, place, [handle, done, last](livetcp_session *) {
            livetcp_context *mine = handle;
            last.here();
            livetcp_context_destroy(&mine);
            *done = true;
        });
    });
    uint16_t sequence = 0;
    REQUIRE(until({&peer, context.get()}, [&] {
        if (server.sessions() == 1)
            (void)send(server.session(), rtp(sequence++));
        return done->load();
    }));
    context->context = nullptr;
    context->end();
    size_t packets = caller.record.packets();
    if (server.sessions() == 1)
        CHECK(until(peer, [&] { return server.record().closed(); }));
    CHECK(caller.record.packets() == packets);
    last.wait();
}

TEST_CASE("a session may be closed in any callback of its own", "[reentrancy]")
{
    bool own_thread = GENERATE(false, true);
    std::string place = GENERATE(from_range(std::begin(PLACES), std::end(PLACES)));
    CAPTURE(own_thread, place);
    Context context(own_thread);
    Server server(context);
    std::atomic<bool> done{false};
    Caller caller(context, server.port, {}, [&](Record &record) {
        arrange(record, place, [&](livetcp_session *session) {
            livetcp_session_close(session, 0);
            done = true;
        });
    });
    if (place == "closed")
        livetcp_session_close(caller.session, 0);
    REQUIRE(provoke(context, server, [&] { return done.load(); }));
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    CHECK(caller.record.last_error().code == LIVETCP_ERR_CANCELLED);
    size_t closed = 0;
    for (const Record::State &state : caller.record.states())
        closed += state.state == LIVETCP_SESSION_CLOSED;
    CHECK(closed == 1);
}

TEST_CASE("packets may be sent in callbacks", "[reentrancy]")
{
    bool own_thread = GENERATE(false, true);
    std::atomic<livetcp_result> early{LIVETCP_ERR_CANCELLED};
    Context context(own_thread);
    Server server(context, {}, [&](Server &, Server::Accepted &accepted) {
        /* Before on_session returns: it waits in the queue. */
        early = send(accepted.session, rtp(1000, 200, 77));
        accepted.record->when_packet = [](livetcp_session *session, const livetcp_packet *packet) {
            (void)livetcp_session_send(session, packet->data, packet->size);
        };
        return true;
    });
    Caller caller(context, server.port);
    for (uint16_t i = 0; i < 500; i++) {
        REQUIRE(caller.send(rtp(i)) == LIVETCP_OK);
        if (i % 50 == 49)
            REQUIRE(until(context, [&] { return caller.record.packets() == i + 2u; }));
    }
    CHECK(early == LIVETCP_OK);
    CHECK(caller.record.packets() == 501);
}

TEST_CASE("a listener may be destroyed in its callbacks", "[reentrancy]")
{
    bool own_thread = GENERATE(false, true);
    bool accept = GENERATE(false, true);
    std::string place = GENERATE(values<std::string>({"session", "rejected", "plain"}));
    CAPTURE(own_thread, accept, place);
    Context context(own_thread);
    std::atomic<bool> done{false};
    auto destroy = [&](Server &server) {
        livetcp_listener *listener = server.listener;
        if (!done)
            livetcp_listener_destroy(&listener);
        done = true;
    };
    Settings settings = {{"wire", place == "plain" ? "plain" : "session"}};
    Server server(context, settings, [&](Server &self, Server::Accepted &accepted) {
        if (!accept)
            accepted.session = nullptr;
        if (place != "rejected")
            destroy(self);
        return accept;
    });
    server.when_rejected = destroy;
    /* Silent peers are there, too, when it happens; on a plain wire the first of them is it. */
    Raw silent(server.port);
    std::unique_ptr<Raw> another;
    if (place != "plain")
        another = std::make_unique<Raw>(server.port);
    if (place == "rejected") {
        silent.write(frame(rtp(1)));
        REQUIRE(until(context, [&] { return done.load(); }));
    } else {
        Caller caller(
            context, server.port,
            {{"wire", settings[0].second}, {"auto-reconnect", accept ? "true" : "false"}});
        if (accept && place == "session") {
            /* The session lives on without its listener. */
            REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
            REQUIRE(until(
                context, [&] { return server.sessions() == 1 && server.record().packets() == 1; }));
            CHECK(open_connections(server.session()) == 1);
        } else if (place == "session") {
            REQUIRE(until(context, [&] { return caller.record.closed(); }));
        }
        REQUIRE(until(context, [&] { return done.load(); }));
    }
    server.listener = nullptr;
    if (another)
        CHECK(another->wait_for_end(context));
}

TEST_CASE("a context may be destroyed in a listener's callbacks", "[reentrancy]")
{
    bool own_thread = GENERATE(false, true);
    bool accept = GENERATE(false, true);
    std::string place = GENERATE(values<std::string>({"session", "rejected", "plain"}));
    CAPTURE(own_thread, accept, place);
    Flag done = make_flag();
    LastCall last;
    Context context(own_thread), peer;
    livetcp_context *handle = context.context;
    auto destroy = [handle, done, last](Server &) {
        livetcp_context *mine = handle;
        last.here();
        if (!*done)
            livetcp_context_destroy(&mine);
        *done = true;
    };
    Server server(context, {{"wire", place == "plain" ? "plain" : "session"}},
                  [destroy, place, accept](Server &self, Server::Accepted &) {
                      if (place != "rejected")
                          destroy(self);
                      return accept;
                  });
    server.when_rejected = destroy;
    Raw raw(server.port);
    if (place == "rejected") {
        raw.write(frame(rtp(1)));
        REQUIRE(until({&context, &peer}, [&] { return done->load(); }));
    } else {
        Caller caller(peer, server.port, {{"wire", place == "plain" ? "plain" : "session"}});
        REQUIRE(until({&context, &peer}, [&] { return done->load(); }));
    }
    context.context = nullptr;
    context.end();
    CHECK(raw.wait_for_end(peer));
    last.wait();
}

TEST_CASE("a new session may be destroyed when it is offered", "[reentrancy]")
{
    bool answer = GENERATE(false, true);
    Context context;
    Server server(context, {}, [&](Server &, Server::Accepted &accepted) {
        if (answer)
            livetcp_session_destroy(&accepted.session);
        accepted.session = nullptr; /* refused ones are freed by the library */
        return answer;
    });
    Caller caller(context, server.port, {{"auto-reconnect", "false"}, {"connections", "1"}});
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    CHECK(caller.record.last_error().code == LIVETCP_ERR_CANCELLED);
    CHECK(server.rejected_with(LIVETCP_ERR_CANCELLED));
}

TEST_CASE("a session may be destroyed in a callback of another", "[reentrancy]")
{
    Context context;
    Server server(context);
    Caller first(context, server.port), second(context, server.port);
    REQUIRE(until(context, [&] {
        return server.sessions() == 2 && open_connections(first.session) == default_connections &&
               open_connections(second.session) == default_connections;
    }));
    first.record.when_packet = [&](livetcp_session *, const livetcp_packet *) {
        livetcp_session_destroy(&second.session);
    };
    for (uint16_t i = 0; i < 20; i++)
        for (size_t k = 0; k < 2; k++)
            REQUIRE(send(server.session(k), rtp(i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return first.record.packets() == 20; }));
    CHECK(second.session == nullptr);
}

TEST_CASE("a session may be made in a callback", "[reentrancy]")
{
    bool own_thread = GENERATE(false, true);
    std::atomic<livetcp_session *> second{nullptr};
    Context context(own_thread);
    Server server(context);
    Caller first(context, server.port, {}, [&](Record &record) {
        arrange(record, "open", [&](livetcp_session *) {
            livetcp_config config;
            livetcp_session *made = nullptr;
            livetcp_config_init(&config);
            snprintf(config.host, sizeof config.host, "127.0.0.1");
            config.port = server.port;
            (void)livetcp_session_connect(context.context, &config, nullptr, nullptr, &made,
                                          nullptr);
            second = made;
        });
    });
    REQUIRE(until(context, [&] {
        return second && open_connections(second) == default_connections &&
               open_connections(first.session) == default_connections;
    }));
    CHECK(server.sessions() == 2);
}
