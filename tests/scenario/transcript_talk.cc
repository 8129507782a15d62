/* SPDX-License-Identifier: MIT */
/* Scenes of the transcripts: what the two ends say beside media. */
#include "catch.h"
#include "transcript.h"

namespace scenario
{

namespace
{

const livetcp_usec second = 1000000;
const livetcp_usec wall_clock = 1700000000 * second;

/* Both ends know the time of day and the clock rate. */
void set_clocks(SimCall &call)
{
    call.world.run_for(second);
    for (SimSession *session : {&call.caller, call.remote()}) {
        livetcp_engine_set_wall_clock(session->engine, wall_clock);
        livetcp_engine_set_clock_rate(session->engine, LIVETCP_ANY_PAYLOAD, 8000);
    }
}

/* Media in both directions. */
void both_ways(SimCall &call)
{
    set_clocks(call);
    for (uint16_t i = 0; i < 300; i++) {
        call.caller.send_as(1, i, i * 160u, 172, LIVETCP_IMPORTANCE_AUDIO);
        if (i % 2)
            call.remote()->send_as(2, static_cast<uint16_t>(i / 2), i * 160u, 1200,
                                   LIVETCP_IMPORTANCE_UNKNOWN);
        call.world.run_for(20000);
    }
    call.world.run_for(2 * second);
    CHECK(call.remote()->received.size() > 290);
    CHECK(call.caller.received.size() > 140);
}

/* The application sends reports of its own: LiveTCP's cease, unless they are asked for. */
void own_reports(SimCall &call)
{
    set_clocks(call);
    for (int i = 0; i < 5; i++) {
        play_voice(call, second);
        call.caller.send_report(0x1234);
        call.remote()->send_report(9);
    }
    call.world.run_for(2 * second);
}

void playout(SimCall &call)
{
    set_clocks(call);
    for (int i = 0; i < 30; i++) {
        livetcp_playout_report report = {sizeof report, 60000 + i * 1000, 5000 - i * 700,
                                         static_cast<uint64_t>(i / 3)};
        CHECK(livetcp_engine_report_playout(call.remote()->engine, &report) == LIVETCP_OK);
        play_voice(call, 100000);
    }
    call.world.run_for(second);
    CHECK(call.caller.stats().control.feedback_received > 0);
}

void stamped(SimCall &call)
{
    call.tell_stamps();
    call.world.run_for(second);
    play_programme(call, 4 * second);
    call.stream(172, 1000, second);
    call.world.run_for(second);
    CHECK(call.caller.stats().sent.timestamped > 0);
    CHECK(call.remote()->stats().received.timestamped_reads > 0);
}

/* A platform that tells nothing about TCP, but for timestamps. */
void unknown_path(SimCall &call)
{
    call.caller.platform_knows = 0;
    stamped(call);
}

void silence(SimCall &call)
{
    call.world.run_for(5 * second);
}

/* Talk, and pauses longer than anybody waits. */
void talkspurts(SimCall &call)
{
    call.world.run_for(second);
    for (int i = 0; i < 3; i++) {
        play_voice(call, second);
        call.world.run_for(2 * second);
    }
}

/* A packet here and there, so that nothing follows it. */
void lone_packets(SimCall &call)
{
    call.world.run_for(second);
    call.stream(160, 20000, 4 * second);
    call.stream(160, 300000, 3 * second);
    call.world.run_for(second);
    CHECK(call.caller.stats().sent.padding > 0);
}

livetcp_config config_of(const char *policy, unsigned connections, livetcp_rtcp rtcp,
                         livetcp_wire wire = LIVETCP_WIRE_SESSION)
{
    livetcp_config config = make_config(policy, connections);
    config.rtcp = rtcp;
    config.wire = wire;
    return config;
}

} // namespace

void add_talk_scenes(std::vector<Scene> &scenes)
{
    const char *const path = "delay=20ms,loss=1%";
    const struct {
        const char *name;
        livetcp_rtcp rtcp;
    } kinds[] = {{"auto", LIVETCP_RTCP_AUTO}, {"on", LIVETCP_RTCP_ON}, {"off", LIVETCP_RTCP_OFF}};

    for (const auto &kind : kinds) {
        std::string rtcp = std::string("-rtcp-") + kind.name;
        livetcp_config session = config_of("shortest-queue", 3, kind.rtcp);
        livetcp_config plain = config_of("single", 1, kind.rtcp, LIVETCP_WIRE_PLAIN);
        scenes.push_back({"both-ways" + rtcp, path, session, both_ways});
        scenes.push_back({"own-reports" + rtcp, path, session, own_reports});
        scenes.push_back({"plain" + rtcp, path, plain, both_ways});
        scenes.push_back({"plain-own-reports" + rtcp, path, plain, own_reports});
    }
    livetcp_config config = make_config("parity", 4);
    scenes.push_back({"both-ways-with-parity", "delay=20ms,loss=3%", config, both_ways});
    config = make_config("hedge", 4);
    scenes.push_back({"both-ways-with-copies", "delay=20ms,loss=3%", config, both_ways});
    config = make_config("shortest-queue", 3);
    scenes.push_back({"playout", path, config, playout});
    config.feedback_us = 0;
    scenes.push_back({"no-feedback", path, config, both_ways});

    config = make_config("auto", 4);
    scenes.push_back({"stamps-auto", path, config, stamped});
    config.timestamps = LIVETCP_TIMESTAMPS_ON;
    scenes.push_back({"stamps-on", path, config, stamped});
    config = make_config("parity", 4);
    scenes.push_back({"stamps-and-parity", path, config, stamped});

    for (const char *policy : {"shortest-queue", "earliest-delivery", "auto"})
        scenes.push_back(
            {std::string("unknown-path-") + policy, path, make_config(policy, 4), unknown_path});

    config = make_config("shortest-queue", 3);
    scenes.push_back({"silence", path, config, silence});
    config.idle_packets = 4;
    config.idle_time_us = 1500000;
    scenes.push_back({"idle-packets", path, config, talkspurts});
    scenes.push_back(
        {"chasers", "delay=10ms,loss=2%", make_config("shortest-queue", 5), lone_packets});
    scenes.push_back({"chasers-late", "delay=60ms,loss=4%", make_config("auto", 5), lone_packets});
}

} // namespace scenario
