/* SPDX-License-Identifier: MIT */
/* The legs of the delay by kernel timestamps over an emulated path, against what is true and what
 * is inferred without them. Needs TUN and network namespaces; without them it prints "SKIPPED:" and
 * the reason. What the machine is late by is in the truth as well. */
#include "io/path.h"
#include "io/sockets.h"

extern "C" {
#include "platform/probe.h"
}

using namespace world;

namespace
{

/* A packet that carries its number and when it was sent. */
Bytes timed(uint16_t sequence)
{
    Bytes packet = rtp(sequence, 172);
    uint64_t now = uv_hrtime() / 1000;
    memcpy(&packet[12], &now, sizeof now);
    return packet;
}

struct Means {
    double truth = 0, sent = 0, received = 0, network = 0, sent_repair = 0, arrived_repair = 0,
           reading = 0;
};

/* A session over the path, one connection, and what becomes of its packets. */
class Stream
{
  public:
    Stream(const Path &path, const char *timestamps)
        : far_(at(path, LT_FAR)),
          server_(*far_, {{"host", LT_PATH_FAR_IPV4}, {"timestamps", timestamps}},
                  [this](Server &, Server::Accepted &accepted) {
                      accepted.record->when_packet = [this](livetcp_session *,
                                                            const livetcp_packet *packet) {
                          if (!packet->rtcp)
                              take(*packet);
                      };
                      return true;
                  }),
          near_(at(path, LT_NEAR)), caller_(*near_, server_.port,
                                            {{"host", LT_PATH_FAR_IPV4},
                                             {"timestamps", timestamps},
                                             {"policy", "single"},
                                             {"congestion-control", "reno"},
                                             {"connections", "1"}})
    {
        REQUIRE(until(*near_, [&] {
            return server_.sessions() > 0 && open_connections(caller_.session) == 1;
        }));
    }

    void send(uint16_t sequence)
    {
        REQUIRE(caller_.send(timed(sequence)) == LIVETCP_OK);
    }

    /* From here on it counts. */
    void begin()
    {
        std::lock_guard<std::mutex> guard(lock_);
        delay_ = 0;
        packets_ = 0;
    }

    void look()
    {
        livetcp_session_stats ours = stats(), theirs = stats_of(server_.session());
        sum_.sent += total(ours.sent.delays);
        sum_.received += total(theirs.received.delays);
        sum_.network += static_cast<double>(ours.sent.delays.network_us);
        sum_.sent_repair += static_cast<double>(ours.sent.delays.head_of_line_us);
        sum_.arrived_repair += static_cast<double>(theirs.received.delays.head_of_line_us);
        sum_.reading += static_cast<double>(theirs.received.reading_us);
        looks_++;
    }

    Means means() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        Means mean = sum_;
        for (double Means::*field : {&Means::sent, &Means::received, &Means::network,
                                     &Means::sent_repair, &Means::arrived_repair, &Means::reading})
            mean.*field /= looks_;
        mean.truth = delay_ / packets_;
        return mean;
    }

    livetcp_session_stats stats() const
    {
        return stats_of(caller_.session);
    }

    livetcp_session_stats remote_stats()
    {
        return stats_of(server_.session());
    }

    bool wait_for(unsigned packets)
    {
        return until(*near_, [&] {
            std::lock_guard<std::mutex> guard(lock_);
            return packets_ >= packets;
        });
    }

  private:
    static double total(const livetcp_delays &delays)
    {
        return static_cast<double>(delays.send_queue_us + delays.send_buffer_us +
                                   delays.network_us + delays.head_of_line_us);
    }

    void take(const livetcp_packet &packet)
    {
        uint64_t sent;
        memcpy(&sent, packet.data + 12, sizeof sent);
        std::lock_guard<std::mutex> guard(lock_);
        delay_ += static_cast<double>(packet.arrival_us) - static_cast<double>(sent);
        packets_++;
    }

    static std::unique_ptr<Context> at(const Path &path, lt_end end)
    {
        path.enter(end);
        return std::make_unique<Context>(true);
    }

    mutable std::mutex lock_;
    double delay_ = 0;
    unsigned packets_ = 0, looks_ = 0;
    Means sum_;
    std::unique_ptr<Context> far_;
    Server server_;
    std::unique_ptr<Context> near_;
    Caller caller_;
};

void say(const char *which, const Means &mean)
{
    std::cout << which << ": true " << mean.truth << ", sent " << mean.sent << ", received "
              << mean.received << ", network " << mean.network << ", repair " << mean.sent_repair
              << " and " << mean.arrived_repair << ", reading " << mean.reading << " us"
              << std::endl;
}

} // namespace

TEST_CASE("the legs by the kernel's times over a path with losses add up to the delay", "[stamps]")
{
    const double way = 20000; /* us */
    const unsigned warm_up = 200, count = 1500;
    const uint64_t spacing_ns = 5000000;
    if (!lt_platform_has_timestamps()) {
        std::cout << "SKIPPED: this kernel tells no timestamps" << std::endl;
        return;
    }
    Path path("delay=20ms,loss=2%", "delay=20ms,loss=2%");
    if (!path.path)
        return;
    Stream stamped(path, "on"), inferred(path, "off");
    uint64_t next = uv_hrtime();
    for (unsigned i = 0; i < warm_up + count; i++) {
        while (uv_hrtime() < next)
            uv_sleep(1);
        next += spacing_ns;
        for (Stream *stream : {&stamped, &inferred}) {
            stream->send(static_cast<uint16_t>(i));
            if (i == warm_up)
                stream->begin();
            if (i > warm_up)
                stream->look();
        }
    }
    CHECK(stamped.wait_for(count));
    Means by_stamps = stamped.means(), without = inferred.means();
    say("kernel's times", by_stamps);
    say("inferred", without);

    livetcp_session_stats stats = stamped.stats();
    CHECK(stats.timestamped == LIVETCP_TIMESTAMPED_SENT);
    CHECK(stamped.remote_stats().timestamped == LIVETCP_TIMESTAMPED_RECEIVED);
    CHECK(inferred.stats().timestamped == 0);
    CHECK(stats.sent.timestamped > count / 2);
    CHECK(stats.control.timestamps_invalid == 0);

    CHECK(by_stamps.network >= way);
    CHECK(by_stamps.network < by_stamps.truth);
    CHECK(by_stamps.sent + by_stamps.reading == Approx(by_stamps.truth).epsilon(0.2));
    CHECK(by_stamps.received + by_stamps.reading == Approx(by_stamps.truth).epsilon(0.3));
    CHECK(by_stamps.network == Approx(without.network).epsilon(0.3));
    /* What was repaired of each stream differs: each had losses of its own. */
    CHECK(by_stamps.sent >= by_stamps.network);
    CHECK(without.sent >= without.network);
}
