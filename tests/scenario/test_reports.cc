/* SPDX-License-Identifier: MIT */
/* Sender and receiver reports between two sessions. */
#include "catch.h"
#include "sim_session.h"

extern "C" {
#include "base/bytes.h"
#include "rtp/rtcp/ntp.h"
#include "rtp/rtcp/packet.h"
}

using namespace scenario;

namespace
{

const livetcp_usec second = 1000000;
const livetcp_usec wall_clock = 1700000000 * second;

/* PCMU, 20 ms a packet. */
void voice(SimSession &session, World &world, unsigned packets, uint32_t ssrc = 7)
{
    for (unsigned i = 0; i < packets; i++) {
        std::vector<uint8_t> packet(172);
        packet[0] = 0x80;
        uint64_t number = static_cast<uint64_t>(world.now()) / 20000;
        lt_write_be16(&packet[2], static_cast<uint16_t>(number));
        lt_write_be32(&packet[4], static_cast<uint32_t>(number * 160));
        lt_write_be32(&packet[8], ssrc);
        lt_write_be64(&packet[12], static_cast<uint64_t>(world.now()));
        CHECK(livetcp_engine_send(session.engine, packet.data(), packet.size(), nullptr,
                                  world.now()) == LIVETCP_OK);
        session.service();
        world.run_for(20000);
    }
}

std::vector<int> types(const std::vector<uint8_t> &bytes)
{
    lt_rtcp_reader reader = {bytes.data(), bytes.size()};
    lt_rtcp_part part;
    std::vector<int> found;
    while (lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        found.push_back(part.type);
    CHECK(reader.left == 0);
    return found;
}

struct Talk {
    explicit Talk(livetcp_rtcp rtcp, const char *spec = "delay=40ms") : call(spec, with(rtcp), 1)
    {
        livetcp_engine_set_wall_clock(call.caller.engine, wall_clock);
        call.world.run_for(second);
        REQUIRE(call.remote() != nullptr);
        livetcp_engine_set_wall_clock(call.remote()->engine, wall_clock);
    }
    static livetcp_config with(livetcp_rtcp rtcp)
    {
        livetcp_config config = make_config("shortest-queue", 3);
        config.rtcp = rtcp;
        return config;
    }
    SimCall call;
};

} // namespace

TEST_CASE("reports tell both ends about the way between them")
{
    Talk talk(LIVETCP_RTCP_AUTO);
    voice(talk.call.caller, talk.call.world, 1000); /* 20 s */
    talk.call.world.run_for(100000);
    livetcp_session_stats ours = talk.call.caller.stats(), theirs = talk.call.remote()->stats();
    CHECK(ours.control.reports_sent >= 3);
    CHECK(ours.control.reports_sent <= 15);
    CHECK(theirs.control.reports_received == ours.control.reports_sent);
    CHECK(theirs.control.reports_sent >= 3);
    CHECK(ours.control.report_rtt_us == Approx(80000).margin(500));
    CHECK(ours.peer.reported_fraction == 0);
    CHECK(ours.peer.reported_missing == 0);
    CHECK(ours.peer.reported_jitter_us < 2000);
    CHECK(theirs.received.jitter_us < 2000);
    CHECK(theirs.received.missing == 0);
    CHECK(ours.control.reports_invalid + theirs.control.reports_invalid == 0);
    CHECK(theirs.control.report_rtt_us == -1); /* it sends no media */
    /* Reports are no media. */
    CHECK(theirs.received.packets == 1000);
    CHECK(ours.sent.packets == 1000);
    CHECK(talk.call.remote()->received.size() == 1000);

    REQUIRE(talk.call.remote()->reports.size() == ours.control.reports_sent);
    for (const auto &report : talk.call.remote()->reports)
        CHECK(types(report) == std::vector<int>{LT_RTCP_SR, LT_RTCP_SDES, LT_RTCP_APP});
    for (const auto &report : talk.call.caller.reports)
        CHECK(types(report) == std::vector<int>{LT_RTCP_RR, LT_RTCP_SDES, LT_RTCP_APP});
}

TEST_CASE("a sender report maps RTP time to the wall clock")
{
    Talk talk(LIVETCP_RTCP_AUTO, "delay=40ms,jitter=10ms,loss=2%");
    voice(talk.call.caller, talk.call.world, 1000);
    REQUIRE(talk.call.remote()->reports.size() >= 2);
    for (const auto &report : talk.call.remote()->reports) {
        lt_rtcp_reader reader = {report.data(), report.size()};
        lt_rtcp_part part;
        lt_rtcp_sender_info info;
        uint32_t ssrc;
        REQUIRE(lt_rtcp_read(&reader, &part) == LT_RTCP_PART);
        REQUIRE(lt_rtcp_read_report(&part, &ssrc, &info));
        double unix_us = static_cast<double>(info.ntp) / 4294.967296 - LT_NTP_UNIX_EPOCH * 1e6;
        double media_us = info.timestamp / 160.0 * 20000;
        CHECK(unix_us - static_cast<double>(wall_clock) == Approx(media_us).margin(1000));
    }
}

TEST_CASE("loss that reached the application is in the reports")
{
    Talk talk(LIVETCP_RTCP_AUTO);
    for (unsigned i = 0; i < 500; i++) {
        if (i % 10 == 5)
            talk.call.world.run_for(20000); /* this one was lost before it came to us */
        else
            voice(talk.call.caller, talk.call.world, 1);
    }
    voice(talk.call.caller, talk.call.world, 400);
    CHECK(talk.call.remote()->stats().received.missing == 50);
    CHECK(talk.call.caller.stats().peer.reported_missing == 50);
}

TEST_CASE("auto falls silent once the application reports, on does not, off never begins")
{
    for (livetcp_rtcp rtcp : {LIVETCP_RTCP_AUTO, LIVETCP_RTCP_ON, LIVETCP_RTCP_OFF}) {
        INFO(rtcp);
        Talk talk(rtcp);
        voice(talk.call.caller, talk.call.world, 50);
        CHECK((talk.call.caller.stats().control.reports_sent > 0) == (rtcp != LIVETCP_RTCP_OFF));
        CHECK(talk.call.caller.send_report(7) == LIVETCP_OK);
        uint64_t before = talk.call.caller.stats().control.reports_sent;
        voice(talk.call.caller, talk.call.world, 1000);
        talk.call.world.run_for(100000);
        CHECK((talk.call.caller.stats().control.reports_sent > before) ==
              (rtcp == LIVETCP_RTCP_ON));
        /* The peer, whose application is silent, still reports to it. */
        CHECK((talk.call.caller.stats().control.reports_received > 0) ==
              (rtcp != LIVETCP_RTCP_OFF));
        CHECK((talk.call.caller.stats().received.jitter_us == -1));
        CHECK(talk.call.remote()->received.size() == 1051);
    }
}

TEST_CASE("the end of a session is told to the peer's RTP stack, once")
{
    Talk talk(LIVETCP_RTCP_AUTO);
    voice(talk.call.caller, talk.call.world, 50);
    talk.call.caller.close(second);
    talk.call.world.run_for(5 * second);
    auto &reports = talk.call.remote()->reports;
    REQUIRE_FALSE(reports.empty());
    CHECK(types(reports.back()) ==
          std::vector<int>{LT_RTCP_SR, LT_RTCP_SDES, LT_RTCP_BYE, LT_RTCP_APP});
    reports.pop_back();
    for (const auto &report : reports)
        CHECK(types(report).size() == 3);
}

TEST_CASE("reports wait for a path that is down, and for nothing else")
{
    Talk talk(LIVETCP_RTCP_AUTO);
    voice(talk.call.caller, talk.call.world, 500);
    talk.call.path.forward.cut(true);
    talk.call.world.run_for(4 * second);
    talk.call.path.forward.cut(false);
    talk.call.world.run_for(10 * second);
    uint64_t before = talk.call.remote()->stats().control.reports_received;
    voice(talk.call.caller, talk.call.world, 500);
    CHECK(talk.call.remote()->stats().control.reports_received > before);
    CHECK(talk.call.caller.state() == LIVETCP_SESSION_OPEN);
}

TEST_CASE("on a plain wire there are reports only when asked for, without our mark")
{
    for (livetcp_rtcp rtcp : {LIVETCP_RTCP_AUTO, LIVETCP_RTCP_ON}) {
        INFO(rtcp);
        livetcp_config config = make_config("single", 1);
        config.wire = LIVETCP_WIRE_PLAIN;
        config.rtcp = rtcp;
        World world;
        SimPath path(world, "delay=20ms", 1);
        std::vector<uint8_t> stream;
        {
            SimSession session(world, config, true, 1);
            auto connection = std::make_shared<SimConnection>(world, path, 1 << 20);
            connection->listener.on_data = [&](const SimTcp::Bytes &bytes) {
                stream.insert(stream.end(), bytes.begin(), bytes.end());
            };
            session.on_connect = [&](unsigned slot) {
                session.attach(slot, connection);
                livetcp_engine_connected(session.engine, slot, world.now());
            };
            session.service();
            voice(session, world, 100);
            session.close(second);
            world.run_for(second);
            connection->listener = {};
        }
        world.clear();
        std::vector<std::vector<int>> reports;
        for (size_t at = 0; at + 2 <= stream.size();) {
            size_t size = lt_read_be16(&stream[at]);
            std::vector<uint8_t> packet(stream.begin() + static_cast<long>(at) + 2,
                                        stream.begin() + static_cast<long>(at + 2 + size));
            if (packet[1] == LT_RTCP_SR)
                reports.push_back(types(packet));
            else
                CHECK(packet[1] == 0);
            at += 2 + size;
        }
        if (rtcp == LIVETCP_RTCP_AUTO) {
            CHECK(reports.empty());
        } else {
            REQUIRE(reports.size() >= 2);
            CHECK(reports.front() == std::vector<int>{LT_RTCP_SR, LT_RTCP_SDES});
            CHECK(reports.back() == std::vector<int>{LT_RTCP_SR, LT_RTCP_SDES, LT_RTCP_BYE});
        }
    }
}
