/* SPDX-License-Identifier: MIT */
/* The path is away for a while: new connections find out when it is back, and carry the media until
 * the others have recovered. */
#include "catch.h"
#include "sim_session.h"
#include "sim_video.h"

#include <algorithm>

using namespace scenario;

namespace
{

const livetcp_usec ms = 1000, second = 1000000;

/* 8 connections; what waits longer than `limit` is dropped, 0 = nothing is. */
livetcp_config outage_config(const char *policy, livetcp_usec limit = 400 * ms)
{
    livetcp_config config = make_config(policy, 8);
    config.max_send_delay_us = limit;
    return config;
}

std::string both_ways(livetcp_usec rtt)
{
    return "delay=" + std::to_string(rtt / 2) + "us";
}

/* A call whose caller or listener sends video, over a path that is away now and then. */
class Outages
{
  public:
    Outages(const std::string &path, const livetcp_config &config, bool backward = false)
        : call(path.c_str(), config, 1), backward_(backward)
    {
        call.world.run_for(second);
        stream(2 * second);
    }

    /* Time from the end of an outage of that length to the arrival of the first packet that was
     * sent after it, within that time. */
    livetcp_usec recovery(livetcp_usec length, livetcp_usec after = 4 * second)
    {
        cut(true);
        stream(length);
        cut(false);
        livetcp_usec back = call.world.now(), first = LIVETCP_NEVER;
        size_t before = received().size();
        stream(after);
        for (size_t i = before; i < received().size(); i++)
            if (received()[i].at - received()[i].delay >= back)
                first = std::min(first, received()[i].at - back);
        return first;
    }

    void cut(bool away)
    {
        call.path.forward.cut(away);
        call.path.backward.cut(away);
    }

    void stream(livetcp_usec duration)
    {
        for (livetcp_usec end = call.world.now() + duration; call.world.now() < end;) {
            (backward_ ? *call.remote() : call.caller).send(0x1234, sequence_++, 1434);
            call.world.run_for(20 * ms);
        }
    }

    const std::vector<Received> &received() const
    {
        return (backward_ ? call.caller : *call.remote()).received;
    }

    uint16_t sent() const
    {
        return sequence_;
    }

    SimCall call;

  private:
    bool backward_;
    uint16_t sequence_ = 0;
};

} // namespace

TEST_CASE("the first new packet comes within a round trip and 200 ms of the end of an outage")
{
    for (livetcp_usec rtt : {20 * ms, 60 * ms, 200 * ms})
        for (const char *policy : {"auto", "hedge", "shortest-queue", "duplicate", "parity"}) {
            Outages outages(both_ways(rtt), outage_config(policy));
            livetcp_usec length = 1500 * ms;
            for (unsigned i = 0; i < 5; i++, length += 130 * ms) {
                CAPTURE(rtt, policy, length);
                CHECK(outages.recovery(length) <= rtt + 200 * ms);
                CHECK(outages.call.caller.stats().open_connections == 8);
                CHECK(outages.call.remote()->stats().open_connections == 8);
            }
            livetcp_session_stats stats = outages.call.caller.stats();
            CHECK(stats.control.outages == 5);
            CHECK(stats.control.outages_ended >= 4); /* or TCP was the first by chance */
            CHECK(stats.control.outage_probes < 5 * 60);
            CHECK(outages.call.remote()->stats().control.outages == 0);
            CHECK(outages.call.listener.rejections.empty());
            CHECK(stats.reconnects <= 5 * 8); /* those that were stuck */
        }
}

/* A SYN, its answer, the JOIN that tells the listener, and the packet: two round trips and what
 * passes until the SYN. */
TEST_CASE("where the listener sends, the caller's probes serve as well")
{
    for (livetcp_usec rtt : {20 * ms, 60 * ms, 200 * ms})
        for (const char *policy : {"auto", "shortest-queue"}) {
            Outages outages(both_ways(rtt), outage_config(policy), true);
            livetcp_usec length = 1500 * ms;
            for (unsigned i = 0; i < 5; i++, length += 130 * ms) {
                CAPTURE(rtt, policy, length);
                CHECK(outages.recovery(length) <= 2 * rtt + 90 * ms);
                CHECK(outages.call.caller.stats().open_connections == 8);
            }
        }
}

/* The caller has little under way: what it tells of the media, and its keepalives. What was when
 * the outage began had arrived, and is acknowledged after it. */
TEST_CASE("a caller that only receives notices each of several outages")
{
    for (livetcp_usec rtt : {20 * ms, 200 * ms}) {
        Outages outages(both_ways(rtt), outage_config("auto"), true);
        auto under_way = [&] {
            uint32_t slots = 0;
            for (unsigned slot = 0; slot < 8; slot++) {
                std::shared_ptr<SimConnection> connection = outages.call.caller.connection(slot);
                REQUIRE(connection);
                slots |= connection->up.facts().queued_bytes ? UINT32_C(1) << slot : 0;
            }
            return slots;
        };
        for (unsigned i = 0; i < 6; i++) {
            CAPTURE(rtt, i);
            livetcp_session_stats before = outages.call.caller.stats();
            livetcp_usec cut_at = outages.call.world.now();
            while (!under_way())
                outages.stream(20 * ms);
            uint32_t mistaken = under_way();
            outages.cut(true);
            while (outages.call.caller.stats().control.outages == before.control.outages &&
                   outages.call.world.now() < cut_at + 9 * second)
                outages.stream(20 * ms);
            REQUIRE(outages.call.caller.stats().control.outages == before.control.outages + 1);
            CHECK(outages.call.world.now() - cut_at < 2 * second + 5 * rtt);
            outages.stream(500 * ms);
            for (unsigned slot = 0; slot < 8; slot++)
                if (mistaken >> slot & 1)
                    outages.call.caller.connection(slot)->up.mistake(outages.call.world.now() -
                                                                     cut_at);
            outages.cut(false);
            outages.stream(2 * rtt + 2 * second);
        }
        CHECK(outages.call.listener.rejections.empty());
        CHECK(outages.call.caller.stats().reconnects <= 6 * 8);
    }
}

/* The connection that ended the last one is still open, and silent like the others; the listener
 * has not learnt that it is closed. */
TEST_CASE("an outage soon after another one is ended by a new connection, too")
{
    for (livetcp_usec apart : {300 * ms, 600 * ms})
        for (bool backward : {false, true}) {
            Outages outages(both_ways(60 * ms), outage_config("auto"), backward);
            for (unsigned i = 0; i < 4; i++) {
                CAPTURE(apart, backward, i);
                CHECK(outages.recovery(1500 * ms, apart) <= 260 * ms);
            }
            outages.stream(5 * second);
            livetcp_session_stats stats = outages.call.caller.stats();
            CHECK(stats.control.outages == 4);
            CHECK(stats.control.outages_ended == 4);
            CHECK(stats.open_connections == 8);
            CHECK(outages.call.remote()->stats().open_connections == 8);
            /* a reset or a handshake was lost in the next outage */
            for (livetcp_result reason : outages.call.listener.rejections)
                CHECK((reason == LIVETCP_ERR_INDEX_IN_USE ||
                       reason == LIVETCP_ERR_HANDSHAKE_TIMEOUT));
        }
}

TEST_CASE("whoever sends the JOIN of an outage before again does not get the place of the new one")
{
    Outages outages(both_ways(60 * ms), outage_config("auto"));
    SimCall &call = outages.call;
    const unsigned spare = 8;
    std::vector<SimTcp::Bytes> joins;
    std::shared_ptr<SimConnection> joined;
    call.caller.on_written = [&](unsigned slot, const uint8_t *data, size_t size) {
        if (slot == spare && call.caller.connection(spare) != joined) {
            joined = call.caller.connection(spare);
            joins.emplace_back(data, data + size);
        }
    };
    for (unsigned i = 0; i < 2; i++)
        outages.recovery(1500 * ms, 300 * ms);
    REQUIRE(joins.size() == 2);
    REQUIRE(call.remote()->connection(spare) == joined);
    unsigned replaced = call.listener.replaced;
    for (unsigned i = 0; i < 2; i++) {
        CAPTURE(i);
        auto again = std::make_shared<SimConnection>(call.world, call.path, 1 << 20);
        call.listener.accept(again);
        CHECK(again->up.write(joins[i].data(), joins[i].size()) == joins[i].size());
        outages.stream(100 * ms);
        CHECK(call.remote()->connection(spare) == joined);
    }
    CHECK(call.listener.replaced == replaced);
    CHECK(call.listener.rejections ==
          std::vector<livetcp_result>{LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_BAD_PROOF});
    outages.stream(5 * second);
    CHECK(call.remote()->stats().open_connections == 8);
}

TEST_CASE("of what was sent in outages soon after each other nothing is lost, or comes twice")
{
    for (livetcp_usec apart : {200 * ms, 400 * ms, 700 * ms})
        for (bool backward : {false, true}) {
            CAPTURE(apart, backward);
            Outages outages(both_ways(60 * ms), outage_config("auto", 0), backward);
            for (unsigned i = 0; i < 4; i++)
                outages.recovery(1500 * ms, apart);
            outages.stream(5 * second);
            outages.call.world.run_for(5 * second);
            CHECK(outages.received().size() == outages.sent());
            CHECK(outages.call.caller.stats().open_connections == 8);
        }
}

TEST_CASE("of what was sent before and in an outage nothing is lost unless it is dropped for time")
{
    Outages outages(both_ways(60 * ms), outage_config("auto", 0));
    for (unsigned i = 0; i < 3; i++)
        outages.recovery(1500 * ms);
    outages.call.world.run_for(5 * second);
    CHECK(outages.received().size() == outages.sent());
    CHECK(outages.call.caller.stats().control.outages_ended == 3);
}

TEST_CASE("a path that loses packets, and one whose queue is full, are not taken for an outage")
{
    for (const char *path : {"delay=30ms,loss=10%", "delay=30ms,rate=500kbit,queue=10p"}) {
        CAPTURE(path);
        Outages outages(path, outage_config("auto"));
        outages.stream(60 * second);
        CHECK(outages.call.caller.stats().control.outages == 0);
        CHECK(outages.call.caller.stats().open_connections == 8);
    }
}

TEST_CASE("a session of as many connections as there can be has no spare one, and goes on")
{
    livetcp_config config = outage_config("shortest-queue");
    config.connections = 32;
    Outages outages(both_ways(60 * ms), config);
    CHECK(outages.recovery(1500 * ms) < 4 * second);
    CHECK(outages.call.caller.stats().control.outage_probes == 0);
}

TEST_CASE("a plain connection is left to TCP in an outage")
{
    livetcp_config config = make_config("single", 1);
    config.wire = LIVETCP_WIRE_PLAIN;
    Outages outages(both_ways(60 * ms), config);
    CHECK(outages.recovery(1500 * ms) < 4 * second);
    CHECK(outages.call.caller.stats().control.outage_probes == 0);
}

TEST_CASE("a session that ends in an outage looks no more")
{
    Outages outages(both_ways(60 * ms), outage_config("auto"));
    outages.cut(true);
    outages.stream(second);
    CHECK(outages.call.caller.stats().control.outage_probes > 0);
    outages.call.caller.close(0);
    CHECK(livetcp_engine_outage_probes(outages.call.caller.engine) == 0);
    uint64_t before = outages.call.caller.stats().control.outage_probes;
    outages.cut(false);
    outages.call.world.run_for(5 * second);
    CHECK(outages.call.caller.stats().control.outage_probes == before);
    CHECK(outages.call.remote()->state() == LIVETCP_SESSION_CLOSED);
}

/* Eight connections that try again each at its own time overflow a small buffer for long after the
 * path is back. Before they were given up, a packet was 18 s late here. */
TEST_CASE("connections that an outage has left stuck are given up, and nothing is lost with them")
{
    for (const char *policy : {"auto", "shortest-queue"})
        for (uint64_t seed : {1, 2, 3, 4}) {
            CAPTURE(policy, seed);
            SimCall call("delay=39ms,rate=678kbit,queue=6642B", make_config(policy, 8), seed);
            call.world.run_for(2 * second);
            call.stream(1434, 20 * ms, 5 * second);
            for (bool cut : {true, false}) {
                call.path.forward.cut(cut);
                call.path.backward.cut(cut);
                call.stream(1434, 20 * ms, cut ? 1400 * ms : 15 * second);
            }
            call.world.run_for(20 * second);
            CHECK(call.remote()->received.size() == (5000 + 1400 + 15000) / 20);
            CHECK(delay_quantile_ms(call.remote()->received, 0, 1) < 9000);
            livetcp_session_stats stats = call.caller.stats();
            CHECK(stats.reconnects > 0);
            CHECK(stats.reconnects <= 24);
            CHECK(stats.open_connections == 8);
            CHECK(call.remote()->stats().open_connections == 8);
        }
}

/* Media was late while copies were sent, and on time when they paused: the link counted as full for
 * half a minute and longer (p99 237 ms, a tenth of the copies). */
TEST_CASE("what an outage makes late is no fault of the copies before it")
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        Alone at("delay=10ms,rate=3782kbit,queue=18909B,loss=2%", make_config("auto", 8), 682e3,
                 false, seed, "cubic");
        auto extra = [&at](double seconds) {
            livetcp_session_stats before = at.stats();
            at.run(seconds);
            livetcp_session_stats after = at.stats();
            return static_cast<double>(after.sent.extra_bytes - before.sent.extra_bytes) /
                   static_cast<double>(after.sent.accepted_bytes - before.sent.accepted_bytes);
        };
        at.run(30);
        livetcp_usec before = at.road->world.now();
        double usual = extra(10);
        at.road->path.change("loss=100%");
        at.run(3);
        at.road->path.change("loss=2%");
        at.run(15);
        livetcp_usec from = at.road->world.now();
        double now = extra(20);
        at.run(5);
        double p99 = Video::delays_of(at.video.played, {.99}, from, from + 20 * second)[0];
        double usual_p99 =
            Video::delays_of(at.video.played, {.99}, before, before + 10 * second)[0];
        INFO("extra " << usual << ", after it " << now << "; p99 " << usual_p99 << ", " << p99);
        CHECK(now > usual / 2);
        CHECK(p99 < 1.5 * usual_p99 + 10);
    }
}
