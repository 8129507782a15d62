/* SPDX-License-Identifier: MIT */
/* Several threads on one session, and contexts that are used from outside. ThreadSanitizer has the
 * last word on these. */
#include "io/sockets.h"

#include <atomic>
#include <map>
#include <thread>

using namespace world;

TEST_CASE("many threads send on one session", "[thread]")
{
    bool own_thread = GENERATE(false, true);
    CAPTURE(own_thread);
    const unsigned threads = 4, each = 1500;
    Context context(own_thread);
    Server server(context, {{"queue-packets", "20000"}});
    Caller caller(context, server.port, {{"queue-packets", "20000"}, {"queue-bytes", "8388608"}});
    std::atomic<unsigned> refused{0}, running{threads};
    std::vector<std::thread> senders;
    for (unsigned t = 0; t < threads; t++)
        senders.emplace_back([&, t] {
            for (unsigned i = 0; i < each; i++)
                if (send(caller.session, rtp((uint16_t)i, 100, 1000 + t)) != LIVETCP_OK)
                    refused++;
            running--;
        });
    std::thread observer([&] {
        livetcp_session_stats stats = {};
        livetcp_connection_stats connection = {};
        stats.struct_size = sizeof stats;
        connection.struct_size = sizeof connection;
        while (running) {
            livetcp_session_get_stats(caller.session, &stats);
            livetcp_session_get_connection_stats(caller.session, 2, &connection);
            (void)livetcp_session_get_state(caller.session);
            std::this_thread::yield();
        }
    });
    bool all = until(context, [&] {
        return server.sessions() == 1 && server.record().packets() == threads * each;
    });
    for (std::thread &sender : senders)
        sender.join();
    observer.join();
    REQUIRE(all);
    CHECK(refused == 0);
    std::map<unsigned, std::vector<Bytes>> streams;
    for (const Bytes &packet : server.record().all_packets())
        streams[(unsigned)packet[10] << 8 | packet[11]].push_back(packet);
    CHECK(streams.size() == threads);
    for (const auto &stream : streams) {
        CHECK(stream.second.size() == each);
        CHECK(no_duplicates(stream.second));
    }
}

TEST_CASE("threads go on sending while connections are lost", "[thread]")
{
    Context context(true);
    Server server(context);
    Caller caller(context, server.port, {{"reconnect-min", "10"}, {"reconnect-max", "50"}});
    REQUIRE(until(context, [&] {
        return open_connections(caller.session) == default_connections && server.sessions() == 1 &&
               open_connections(server.session()) == default_connections;
    }));
    std::atomic<bool> stop{false};
    std::vector<std::thread> senders;
    for (unsigned t = 0; t < 2; t++)
        senders.emplace_back([&, t] {
            for (uint16_t i = 0; !stop; i++) {
                (void)send(t ? server.session() : caller.session, rtp(i, 500, 1000 + t));
                uv_sleep(1);
            }
        });
    bool replaced = true;
    for (unsigned i = 0; i < 5 && replaced; i++) {
        cut(i % 2 ? caller.session : server.session(), i);
        replaced = until(context, [&] {
            return stats_of(caller.session).reconnects == i + 1 &&
                   open_connections(caller.session) == default_connections &&
                   open_connections(server.session()) == default_connections;
        });
    }
    stop = true;
    for (std::thread &sender : senders)
        sender.join();
    CHECK(replaced);
}

TEST_CASE("sessions are destroyed from outside while media flows", "[thread]")
{
    Context context(true);
    Server server(context);
    for (int round = 0; round < 10; round++) {
        Caller caller(context, server.port);
        std::atomic<size_t> after{0};
        REQUIRE(until(context, [&] {
            return server.sessions() == (size_t)round + 1 &&
                   open_connections(server.session((size_t)round)) > 0;
        }));
        livetcp_session *other = server.session((size_t)round);
        std::thread sender([&] {
            for (uint16_t i = 0; i < 300; i++)
                (void)send(other, rtp(i));
        });
        until(context, [&] { return caller.record.packets() > 10; });
        livetcp_session_destroy(&caller.session);
        after = caller.record.packets();
        sender.join();
        CHECK(caller.record.packets() == after); /* no callback after destroy */
    }
}

TEST_CASE("a context with its own thread is destroyed with all that is on it", "[thread]")
{
    for (int round = 0; round < 20; round++) {
        Context context(true);
        Server server(context);
        Caller first(context, server.port), second(context, server.port);
        for (uint16_t i = 0; i < 50; i++)
            REQUIRE(first.send(rtp(i)) == LIVETCP_OK);
        if (round % 2)
            REQUIRE(until(context,
                          [&] { return open_connections(second.session) == default_connections; }));
        context.end();
        size_t states = first.record.states().size();
        CHECK(context.context == nullptr);
        CHECK(first.record.states().size() == states);
    }
}

TEST_CASE("threads make and destroy sessions on one context", "[thread]")
{
    Context context(true);
    Server server(context, {{"max-sessions", "1000"}});
    std::atomic<unsigned> failures{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; t++)
        threads.emplace_back([&] {
            for (int i = 0; i < 15; i++) {
                livetcp_config config;
                livetcp_session *session;
                livetcp_config_init(&config);
                snprintf(config.host, sizeof config.host, "127.0.0.1");
                config.port = server.port;
                if (livetcp_session_connect(context.context, &config, nullptr, nullptr, &session,
                                            nullptr) != LIVETCP_OK) {
                    failures++;
                    continue;
                }
                (void)send(session, rtp(1));
                livetcp_session_close(session, LIVETCP_USEC_SEC);
                livetcp_session_destroy(&session);
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    CHECK(failures == 0);
}
