/* SPDX-License-Identifier: MIT */
/* Kernel timestamps on real sockets. The kernel announces them as it does a failure, and libuv then
 * stops watching: no connection may die of it, no failure be missed, no loop spin. */
#include "io/sockets.h"

extern "C" {
#include "io/lingering_close.h"
#include "platform/probe.h"
}

#include <iostream>

using namespace world;

namespace
{

/* Where the kernel does not tell there is nothing to test. */
bool skipped()
{
    if (lt_platform_has_timestamps())
        return false;
    std::cout << "SKIPPED: this kernel tells no timestamps" << std::endl;
    return true;
}

bool connected(Caller &caller, Server &server)
{
    return server.sessions() > 0 && open_connections(caller.session) > 0;
}

} // namespace

TEST_CASE("both ends are told times of every packet, and stay connected", "[stamps]")
{
    if (skipped())
        return;
    bool own_thread = GENERATE(false, true);
    std::string wire = GENERATE(values<std::string>({"session", "plain"}));
    CAPTURE(own_thread, wire);
    Context context(own_thread);
    Settings settings = {{"wire", wire}, {"timestamps", "on"}, {"policy", "single"}};
    Server server(context, settings);
    settings.push_back({"connections", "1"});
    Caller caller(context, server.port, settings);
    REQUIRE(until(context, [&] { return connected(caller, server); }));

    const unsigned count = 300;
    for (unsigned i = 0; i < count; i++) {
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
        REQUIRE(send(server.session(), rtp((uint16_t)i)) == LIVETCP_OK);
        REQUIRE(until(context, [&] {
            return server.record().packets() == i + 1 && caller.record.packets() == i + 1;
        }));
    }
    for (livetcp_session *session : {caller.session, server.session()}) {
        /* Waiting, too: the kernel may merge the last bytes of two writes, and tells of one. */
        REQUIRE(until(context, [&] { return stats_of(session).sent.timestamped > count / 2; }));
        livetcp_session_stats stats = stats_of(session);
        CHECK(stats.sent.timestamped <= count);
        CHECK(stats.timestamped == (LIVETCP_TIMESTAMPED_SENT | LIVETCP_TIMESTAMPED_RECEIVED));
        CHECK(stats.control.timestamps_invalid == 0);
        CHECK(stats.received.timestamped_reads > count / 2);
        CHECK(stats.received.reading_us >= 0);
        CHECK(stats.sent.interface_queue_us >= 0);
        CHECK(stats.sent.delays.send_buffer_us >= stats.sent.interface_queue_us);
        CHECK(stats.sent.delays.network_us >= 0);
        CHECK(stats.reconnects == 0);
        CHECK(stats.open_connections == 1);
    }
}

TEST_CASE("with timestamps=off nothing is asked or told", "[stamps]")
{
    Context context;
    Server server(context, {{"timestamps", "off"}});
    Caller caller(context, server.port, {{"timestamps", "off"}});
    REQUIRE(until(context, [&] { return connected(caller, server); }));
    for (unsigned i = 0; i < 20; i++)
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == 20; }));
    CHECK(stats_of(caller.session).sent.timestamped == 0);
    CHECK(stats_of(server.session()).received.timestamped_reads == 0);
}

TEST_CASE("a connection that fails while times are told is lost at once", "[stamps]")
{
    if (skipped())
        return;
    Context context;
    Server server(context, {{"wire", "plain"}, {"timestamps", "on"}});
    for (unsigned round = 0; round < 20; round++) {
        CAPTURE(round);
        auto raw = std::make_unique<Raw>(server.port);
        REQUIRE(until(context, [&] { return server.sessions() == round + 1; }));
        livetcp_session *session = server.session(round);
        for (unsigned i = 0; i < 5; i++)
            REQUIRE(send(session, rtp((uint16_t)i)) == LIVETCP_OK);
        if (round % 2)
            REQUIRE(until(context, [&] { return stats_of(session).sent.timestamped > 0; }));
        const linger now = {1, 0};
        REQUIRE(setsockopt(raw->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now) == 0);
        REQUIRE(send(session, rtp(5)) == LIVETCP_OK); /* its times and the reset come together */
        raw.reset();
        REQUIRE(until(context, [&] { return open_connections(session) == 0; }));
        CHECK(server.record(round).lost_with(LIVETCP_ERR_CONNECTION_LOST));
    }
}

TEST_CASE("what was written last arrives though its times are told after the end", "[stamps]")
{
    if (skipped())
        return;
    Context context;
    Server server(context, {{"timestamps", "on"}});
    for (unsigned round = 0; round < 5; round++) {
        Caller caller(context, server.port, {{"timestamps", "on"}, {"connections", "2"}});
        REQUIRE(until(context, [&] {
            return server.sessions() == round + 1 && open_connections(caller.session) == 2;
        }));
        for (unsigned i = 0; i < 50; i++)
            REQUIRE(caller.send(rtp((uint16_t)i, 5000)) == LIVETCP_OK);
        livetcp_session_close(caller.session, 5000000);
        REQUIRE(until(context, [&] { return server.record(round).packets() == 50; }));
        REQUIRE(until(context, [&] { return caller.record.closed(); }));
    }
}

namespace
{

/* A poll handle as channels have it, on one end of a TCP connection. */
struct Watched {
    Watched()
    {
        sockaddr_in address = {};
        socklen_t size = sizeof address;
        int listening = socket(AF_INET, SOCK_STREAM, 0);
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(bind(listening, (sockaddr *)&address, sizeof address) == 0);
        REQUIRE(listen(listening, 1) == 0);
        REQUIRE(getsockname(listening, (sockaddr *)&address, &size) == 0);
        raw = std::make_unique<Raw>(ntohs(address.sin_port));
        fd = accept(listening, nullptr, nullptr);
        ::close(listening);
        REQUIRE(fd >= 0);
        uint32_t first;
        REQUIRE(lt_platform_start_timestamps(fd, &first));
        REQUIRE(uv_loop_init(&loop) == 0);
        REQUIRE(uv_timer_init(&loop, &timer) == 0);
        REQUIRE(uv_poll_init_socket(&loop, &poll, fd) == 0);
        poll.data = this;
    }
    ~Watched()
    {
        uv_close((uv_handle_t *)&poll, nullptr);
        uv_close((uv_handle_t *)&timer, nullptr);
        uv_run(&loop, UV_RUN_DEFAULT);
        CHECK(uv_loop_close(&loop) == 0);
        ::close(fd);
    }
    void watch()
    {
        uv_poll_start(&poll, UV_READABLE, [](uv_poll_t *handle, int status, int events) {
            auto *self = static_cast<Watched *>(handle->data);
            self->calls++;
            if (status < 0 && lt_io_discard_timestamps(self->fd)) {
                self->survived++;
                self->watch();
                events = UV_READABLE;
            } else if (status < 0) {
                self->failed = true;
            }
            if (events & UV_READABLE)
                self->read();
        });
    }
    void read()
    {
        char block[1000];
        ssize_t n = recv(fd, block, sizeof block, MSG_DONTWAIT);
        reads += n > 0;
        if (n == 0 || (n < 0 && errno != EAGAIN)) {
            failed = true;
            uv_poll_stop(&poll);
        }
    }
    /* Turns the loop until the condition holds, and then so often that spinning would show. */
    void run(const std::function<bool()> &condition)
    {
        uv_timer_start(
            &timer, [](uv_timer_t *) {}, 5, 5);
        while (!condition())
            uv_run(&loop, UV_RUN_ONCE);
        uv_timer_stop(&timer);
        for (unsigned i = 0; i < 100; i++)
            uv_run(&loop, UV_RUN_NOWAIT);
    }

    std::unique_ptr<Raw> raw;
    int fd = -1;
    uv_loop_t loop;
    uv_timer_t timer;
    uv_poll_t poll;
    unsigned calls = 0, survived = 0, reads = 0;
    bool failed = false;
};

} // namespace

TEST_CASE("libuv stops a handle for a timestamp; taken and started again it goes on", "[stamps]")
{
    if (skipped())
        return;
    Watched watched;
    watched.watch();
    REQUIRE(lt_platform_write_timestamped(watched.fd, "hello", 5) == 5);
    watched.run([&] { return watched.survived > 0; });
    CHECK(watched.calls <= 4); /* once for each, at most, and it does not spin */
    CHECK_FALSE(watched.failed);
    watched.raw->write({1, 2, 3});
    watched.run([&] { return watched.reads == 1; });
    /* Both at once. */
    REQUIRE(lt_platform_write_timestamped(watched.fd, "hello", 5) == 5);
    watched.raw->write({1, 2, 3});
    watched.run([&] { return watched.reads == 2; });
    CHECK_FALSE(watched.failed);

    REQUIRE(lt_platform_write_timestamped(watched.fd, "hello", 5) == 5);
    const linger now = {1, 0};
    REQUIRE(setsockopt(watched.raw->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now) == 0);
    watched.raw = nullptr;
    unsigned before = watched.calls;
    watched.run([&] { return watched.failed; });
    CHECK(watched.calls - before <= 5);
}
