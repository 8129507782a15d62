/* SPDX-License-Identifier: MIT */
/* A session feeds a playout: packets in order, the path, and reports that the sender gets. */
#include "io/world.h"

#include <atomic>
#include <memory>
#include <thread>

using namespace world;

namespace
{

const uint32_t VOICE = 0x1234, OTHER = 0x5678;
const unsigned STEP = 80; /* 10 ms at 8 kHz */

Bytes voice(uint16_t sequence, uint32_t ssrc = VOICE)
{
    Bytes packet = rtp(sequence, 100, ssrc);
    uint32_t timestamp = sequence * STEP;
    packet[1] = 0; /* PCMU */
    for (int i = 0; i < 4; i++)
        packet[4 + i] = (uint8_t)(timestamp >> (24 - 8 * i));
    return packet;
}

livetcp_playout_config playout_config(livetcp_playout_mode mode)
{
    livetcp_playout_config config;
    livetcp_playout_config_init(&config);
    config.mode = mode;
    config.clock_rate = 8000;
    config.max_latency_us = 3600 * (livetcp_usec)LIVETCP_USEC_SEC; /* nothing is late here */
    config.latency_us = config.max_latency_us;
    config.release = LIVETCP_PLAYOUT_IN_ORDER;
    return config;
}

/* A playout, and the numbers of the packets that came out of it. */
class Player
{
  public:
    explicit Player(const livetcp_playout_config &config)
    {
        REQUIRE(livetcp_playout_create(&config, &playout, nullptr) == LIVETCP_OK);
    }
    explicit Player(livetcp_playout_mode mode = LIVETCP_PLAYOUT_FIXED)
        : Player(playout_config(mode))
    {
    }
    ~Player()
    {
        livetcp_playout_destroy(&playout);
    }
    Player(const Player &) = delete;
    Player &operator=(const Player &) = delete;

    void pull()
    {
        livetcp_playout_item item = {};
        std::lock_guard<std::mutex> guard(mutex);
        item.struct_size = sizeof item;
        do {
            REQUIRE(livetcp_playout_pull(playout, (livetcp_usec)(uv_hrtime() / 1000), &item) ==
                    LIVETCP_OK);
            if (item.kind == LIVETCP_PLAYOUT_PACKET)
                played.push_back(item.sequence);
        } while (item.kind != LIVETCP_PLAYOUT_NOTHING);
    }
    bool played_to(unsigned count)
    {
        pull();
        return played.size() == count;
    }
    livetcp_playout_stats stats() const
    {
        livetcp_playout_stats stats = {};
        stats.struct_size = sizeof stats;
        REQUIRE(livetcp_playout_get_stats(playout, &stats) == LIVETCP_OK);
        return stats;
    }
    bool in_order() const
    {
        for (size_t i = 0; i < played.size(); i++)
            if (played[i] != i)
                return false;
        return true;
    }

    livetcp_playout *playout = nullptr;
    std::mutex mutex;
    std::vector<unsigned> played;
};

void lock(void *player)
{
    ((Player *)player)->mutex.lock();
}

void unlock(void *player)
{
    ((Player *)player)->mutex.unlock();
}

livetcp_playout_attachment locked(Player &player)
{
    livetcp_playout_attachment attachment = {};
    attachment.struct_size = sizeof attachment;
    attachment.lock = lock;
    attachment.unlock = unlock;
    attachment.user = &player;
    return attachment;
}

/* A server whose first session is attached as it comes. */
std::function<bool(Server &, Server::Accepted &)>
attaching(Player &player, const livetcp_playout_attachment *attachment = nullptr)
{
    return [&player, attachment](Server &, Server::Accepted &accepted) {
        return livetcp_playout_attach(player.playout, accepted.session, attachment) == LIVETCP_OK;
    };
}

} // namespace

TEST_CASE("an attached playout plays what the session receives, and the sender is told")
{
    Player player;
    Context context;
    Server server(context, {}, attaching(player));
    Caller caller(context, server.port);
    for (uint16_t i = 0; i < 40; i++)
        REQUIRE(caller.send(voice(i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return player.played_to(40); }));
    CHECK(player.in_order());
    CHECK(server.record().packets() == 40); /* the application has them, too */
    REQUIRE(until(context, [&] {
        livetcp_session_stats stats = stats_of(caller.session);
        return stats.peer.margin_us != LIVETCP_NO_MARGIN && stats.sent.delays.playout_us >= 0;
    }));
    livetcp_session_stats told = stats_of(caller.session);
    CHECK(told.peer.margin_us > 0);
    CHECK(told.sent.delays.playout_us > 0);
    CHECK(told.peer.late_playout == 0);
    CHECK(stats_of(server.session()).received.delays.playout_us > 0);
}

TEST_CASE("late packets of another session are not reported to this one's sender")
{
    livetcp_playout_config config = playout_config(LIVETCP_PLAYOUT_FIXED);
    config.latency_us = config.min_latency_us = 0;
    config.release = LIVETCP_PLAYOUT_WHEN_DUE;
    Player player(config);
    /* Most of these are late, before anything is attached. */
    for (uint16_t i = 0; i < 50; i++) {
        Bytes bytes = voice(i == 0 ? 100 : i == 1 ? 160 : 100 + i, OTHER);
        livetcp_playout_packet packet = {};
        packet.struct_size = sizeof packet;
        packet.data = bytes.data();
        packet.size = bytes.size();
        packet.arrival_us = i == 0 ? 1 : LIVETCP_USEC_SEC;
        REQUIRE(livetcp_playout_put(player.playout, &packet, nullptr) == LIVETCP_OK);
        player.pull();
    }
    REQUIRE(player.stats().late > 40);

    Context context;
    Server server(context, {}, attaching(player));
    Caller caller(context, server.port);
    REQUIRE(caller.send(voice(0)) == LIVETCP_OK);
    REQUIRE(caller.send(voice(1)) == LIVETCP_OK);
    REQUIRE(until(context,
                  [&] { return stats_of(caller.session).peer.margin_us != LIVETCP_NO_MARGIN; }));
    CHECK(stats_of(caller.session).peer.late_playout <= 2);
}

TEST_CASE("an attached playout learns the path")
{
    Player player(LIVETCP_PLAYOUT_STATIC);
    Context context;
    Server server(context, {}, attaching(player));
    Caller caller(context, server.port);
    livetcp_playout_latency latency = {};
    livetcp_playout_path path = {};
    latency.struct_size = sizeof latency;
    path.struct_size = sizeof path;
    uint16_t next = 0;
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    if (!(connection_stats(server.session(), 0).path.known & LIVETCP_PATH_RTT)) {
        WARN("the platform tells no round-trip times");
        return;
    }
    REQUIRE(until(context, [&] {
        REQUIRE(caller.send(voice(next++)) == LIVETCP_OK);
        REQUIRE(livetcp_playout_get_latency(player.playout, &latency) == LIVETCP_OK);
        return latency.target_us < latency.max_us;
    }));
    REQUIRE(livetcp_session_get_playout_path(server.session(), &path) == LIVETCP_OK);
    CHECK(path.rtt_us > 0);
    CHECK(path.struct_size == sizeof path);
    CHECK(latency.target_us >= 30 * LIVETCP_USEC_MSEC); /* 3/f, and a round trip */
}

TEST_CASE("of several streams in a session each playout gets its own")
{
    Player first, second;
    livetcp_playout_attachment one = {}, other = {};
    one.struct_size = other.struct_size = sizeof one;
    one.wants = [](const livetcp_packet *packet, void *) { return packet->data[11] == 0x34; };
    other.wants = [](const livetcp_packet *packet, void *) { return packet->data[11] == 0x78; };
    Context context;
    Server server(context, {}, [&](Server &, Server::Accepted &accepted) {
        return livetcp_playout_attach(first.playout, accepted.session, &one) == LIVETCP_OK &&
               livetcp_playout_attach(second.playout, accepted.session, &other) == LIVETCP_OK;
    });
    Caller caller(context, server.port);
    for (uint16_t i = 0; i < 30; i++) {
        REQUIRE(caller.send(voice(i)) == LIVETCP_OK);
        REQUIRE(caller.send(voice(i, OTHER)) == LIVETCP_OK);
    }
    REQUIRE(until(context, [&] { return first.played_to(30); }));
    REQUIRE(until(context, [&] { return second.played_to(30); }));
    CHECK(first.stats().ssrc == VOICE);
    CHECK(second.stats().ssrc == OTHER);
    CHECK(first.stats().foreign + second.stats().foreign == 0);
}

TEST_CASE("redundant audio is taken apart on its way into the playout")
{
    livetcp_redundancy_config config;
    livetcp_redundancy_config_init(&config);
    livetcp_redundancy_encoder *encoder = nullptr;
    livetcp_redundancy_decoder *decoder = nullptr;
    REQUIRE(livetcp_redundancy_encoder_create(&config, &encoder, nullptr) == LIVETCP_OK);
    REQUIRE(livetcp_redundancy_decoder_create(&config, &decoder, nullptr) == LIVETCP_OK);
    livetcp_playout_config due = playout_config(LIVETCP_PLAYOUT_FIXED);
    due.release = LIVETCP_PLAYOUT_WHEN_DUE;
    due.latency_us = 500 * LIVETCP_USEC_MSEC;
    Player player(due);
    livetcp_playout_attachment attachment = {};
    attachment.struct_size = sizeof attachment;
    attachment.decoder = decoder;
    {
        Context context;
        Server server(context, {}, attaching(player, &attachment));
        Caller caller(context, server.port);
        for (uint16_t i = 0; i < 20; i++) {
            Bytes packet = voice(i);
            const void *red;
            size_t size;
            REQUIRE(livetcp_redundancy_encode(encoder, packet.data(), packet.size(), nullptr, &red,
                                              &size, nullptr) == LIVETCP_OK);
            if (i % 2 == 0 || i == 19) /* the others are lost before the session */
                REQUIRE(livetcp_session_send(caller.session, red, size) == LIVETCP_OK);
        }
        REQUIRE(until(context, [&] { return player.stats().received >= 20; }));
        CHECK(player.stats().held_packets == 20);
    }
    livetcp_redundancy_encoder_destroy(&encoder);
    livetcp_redundancy_decoder_destroy(&decoder);
}

TEST_CASE("a playout is attached once, and detached by hand or with the session")
{
    Player player;
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    livetcp_session *session = server.session();

    REQUIRE(livetcp_playout_attach(player.playout, session, nullptr) == LIVETCP_OK);
    CHECK(livetcp_playout_attach(player.playout, session, nullptr) == LIVETCP_ERR_BAD_STATE);
    REQUIRE(caller.send(voice(0)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return player.stats().received == 1; }));
    livetcp_playout_detach(player.playout, session);
    livetcp_playout_detach(player.playout, session);
    REQUIRE(caller.send(voice(1)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == 2; }));
    CHECK(player.stats().received == 1);
    REQUIRE(livetcp_playout_attach(player.playout, session, nullptr) == LIVETCP_OK);
    REQUIRE(caller.send(voice(2)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return player.stats().received == 2; }));
    livetcp_session_destroy(&server.at(0).session);
    livetcp_playout_destroy(&player.playout);
    CHECK(player.playout == nullptr);
}

TEST_CASE("a callback may detach, and end the session")
{
    Player player;
    Context context;
    Server server(context, {}, [&](Server &all, Server::Accepted &accepted) {
        accepted.record->when_packet = [&](livetcp_session *session, const livetcp_packet *) {
            livetcp_playout_detach(player.playout, session);
            livetcp_playout_destroy(&player.playout);
            livetcp_session_destroy(&all.at(0).session);
        };
        return livetcp_playout_attach(player.playout, accepted.session, nullptr) == LIVETCP_OK;
    });
    Caller caller(context, server.port);
    for (uint16_t i = 0; i < 10; i++)
        REQUIRE(caller.send(voice(i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return player.playout == nullptr; }));
    CHECK(server.record().packets() == 1);
}

TEST_CASE("nonsense is not attached")
{
    Player player;
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    livetcp_playout_attachment attachment = {};
    livetcp_playout_path path = {};

    CHECK(livetcp_playout_attach(nullptr, caller.session, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_attach(player.playout, nullptr, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_attach(player.playout, caller.session, &attachment) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    attachment.struct_size = sizeof attachment;
    attachment.lock = lock;
    CHECK(livetcp_playout_attach(player.playout, caller.session, &attachment) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    livetcp_playout_detach(player.playout, caller.session);
    livetcp_playout_detach(nullptr, nullptr);
    CHECK(livetcp_session_get_playout_path(caller.session, &path) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_session_get_playout_path(caller.session, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("another thread pulls under the lock", "[thread]")
{
    Player player;
    const livetcp_playout_attachment attachment = locked(player);
    const unsigned count = 400;
    std::atomic<bool> stop{false};
    {
        Context context(true);
        Server server(context, {}, attaching(player, &attachment));
        Caller caller(context, server.port);
        std::thread audio([&] {
            while (!stop) {
                player.pull();
                std::this_thread::yield();
            }
        });
        bool sent = true;
        for (unsigned i = 0; i < count; i++) {
            sent = sent && caller.send(voice((uint16_t)i)) == LIVETCP_OK;
            uv_sleep(i % 20 == 0);
        }
        bool came = until(context, [&] {
            std::lock_guard<std::mutex> guard(player.mutex);
            return player.played.size() + player.stats().held_packets == count;
        });
        if (server.sessions() == 1) /* from a thread that is not the loop's */
            livetcp_playout_detach(player.playout, server.session());
        stop = true;
        audio.join();
        CHECK(sent);
        CHECK(came);
    }
    CHECK(player.in_order());
}
