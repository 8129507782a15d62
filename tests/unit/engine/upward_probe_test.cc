/* SPDX-License-Identifier: MIT */
/* Probes upwards: when padding is sent, how much at what pace, and what it shows. */
#include "catch.h"

extern "C" {
#include "engine/rate/upward_probe.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;
constexpr double told = 50000; /* bytes per second */

/* A session on a round trip of 60 ms that is updated every 5 ms, with a frame every 40 ms. */
struct Session {
    Session()
    {
        lt_upward_probe_init(&probe);
    }

    void update(livetcp_usec queue_us)
    {
        lt_upward_probe_view view = {};
        view.now_us = now;
        view.base_us = 60 * ms;
        view.queue_us = queue_us;
        view.estimate = told;
        view.retransmitted = retransmitted;
        view.stood = stood;
        view.wanted = wanted;
        lt_upward_probe_update(&probe, &view, &trains);
    }

    /* Padding as far as it is due, which `takes` says whether the connections take. */
    void pad()
    {
        for (uint64_t due; (due = lt_upward_probe_due(&probe, now)) > 0;) {
            size_t size = takes ? static_cast<size_t>(due < 1000 ? due : 1000) : 0;
            if (!sent)
                first_us = now;
            sent += size;
            last_us = now;
            lt_upward_probe_on_padding(&probe, size, now);
        }
    }

    void run(livetcp_usec length, livetcp_usec queue_us = 0)
    {
        for (livetcp_usec end = now + length; now < end; now += ms) {
            if (now % (40 * ms) == 0)
                lt_upward_probe_on_media(&probe, now);
            if (now % (5 * ms) == 0)
                update(queue_us);
            pad();
        }
    }

    lt_upward_probe probe;
    lt_packet_trains trains = {};
    livetcp_usec now = 1000 * ms, first_us = 0, last_us = 0;
    uint64_t sent = 0, retransmitted = 0;
    bool stood = false, wanted = true, takes = true;
};

} // namespace

TEST_CASE("nothing is probed for a source that has no use for more", "[upward-probe]")
{
    Session session;
    session.wanted = false;
    session.run(2000 * ms);
    CHECK(session.sent == 0);
    CHECK(lt_upward_probe_deadline(&session.probe) == LIVETCP_NEVER);
}

TEST_CASE("a train follows a frame, at a multiple of the told rate", "[upward-probe]")
{
    Session session;
    session.run(100 * ms);
    REQUIRE(session.sent > 0);
    CHECK(session.first_us % (40 * ms) == 3 * ms); /* the frame is written by then */
    double rate = static_cast<double>(session.sent) * 1e6 /
                  static_cast<double>(session.last_us - session.first_us);
    CHECK(rate > 3 * told);
    CHECK(rate < 6 * told);
}

TEST_CASE("where a queue has stood before, the first train is twice the told rate",
          "[upward-probe]")
{
    Session session;
    session.stood = true;
    session.run(160 * ms);
    double rate = static_cast<double>(session.sent) * 1e6 /
                  static_cast<double>(session.last_us - session.first_us);
    CHECK(rate > 1.5 * told);
    CHECK(rate < 3 * told);
}

TEST_CASE("a train without a queue shows a rate, and the next one is faster", "[upward-probe]")
{
    Session session;
    session.run(200 * ms);
    uint64_t first = session.sent;
    session.run(60 * ms);
    double carried = lt_upward_probe_carried(&session.probe);
    CHECK(carried > 2 * told);
    CHECK(carried < 4 * told);
    session.run(300 * ms);
    CHECK(session.sent - first > first);
    CHECK(lt_upward_probe_carried(&session.probe) > carried);
}

TEST_CASE("a train that queues shows nothing by itself, and ends", "[upward-probe]")
{
    Session session, empty;
    empty.run(180 * ms);
    session.run(60 * ms); /* 17 of 40 ms of it */
    session.run(160 * ms, 25 * ms);
    CHECK(session.sent < empty.sent);
    session.run(100 * ms);
    CHECK(lt_upward_probe_carried(&session.probe) == 0);
}

TEST_CASE("a train ends where no connection takes more, and shows no rate that was not sent",
          "[upward-probe]")
{
    Session session;
    session.run(45 * ms);
    REQUIRE(session.sent > 0);
    session.takes = false;
    session.run(150 * ms);
    uint64_t sent = session.sent;
    session.takes = true;
    session.run(60 * ms);
    CHECK(sent < 2000);
    CHECK(lt_upward_probe_carried(&session.probe) <= static_cast<double>(sent) * 25);
}

TEST_CASE("no train follows a loss for a while", "[upward-probe]")
{
    Session session;
    session.run(150 * ms);
    uint64_t sent = session.sent;
    session.retransmitted = 3;
    session.run(900 * ms);
    CHECK(session.sent == sent);
    CHECK(lt_upward_probe_carried(&session.probe) == 0);
    session.run(300 * ms);
    CHECK(session.sent > sent);
}

TEST_CASE("where frames show the rate nothing is probed", "[upward-probe]")
{
    Session session;
    session.trains.count = 2;
    session.trains.rates[0] = session.trains.rates[1] = 10 * told;
    session.run(900 * ms);
    CHECK(session.sent == 0);
    session.run(300 * ms); /* that was long ago */
    CHECK(session.sent > 0);

    Session near;
    near.trains.count = 1;
    near.trains.rates[0] = 1.2 * told;
    near.run(3000 * ms);
    CHECK(near.sent == 0);
}
