/* SPDX-License-Identifier: MIT */
/* Scenes of the transcripts: how packets are spread over connections. */
#include "catch.h"
#include "transcript.h"

namespace scenario
{

namespace
{

const livetcp_usec second = 1000000;

void voice(SimCall &call)
{
    call.world.run_for(second);
    play_voice(call, 10 * second);
    call.world.run_for(second);
    CHECK(call.remote()->stats().received.packets >= 500);
}

void programme(SimCall &call)
{
    call.world.run_for(second);
    play_programme(call, 5 * second);
    call.world.run_for(second);
    CHECK(call.remote()->stats().received.packets >= 700);
}

/* 500 packets a second that fill a segment each. */
void much(SimCall &call)
{
    call.world.run_for(second);
    call.stream(1434, 2000, 2 * second);
    call.world.run_for(second);
    CHECK(call.remote()->stats().received.packets >= 1000);
}

/* Three streams at a time, one of which stops early. */
void streams(SimCall &call)
{
    call.world.run_for(second);
    for (uint16_t i = 0; i < 200; i++) {
        call.caller.send(1, i, 400);
        call.caller.send(2, static_cast<uint16_t>(65500 + i), 900);
        if (i < 50)
            call.caller.send(3, i, 1400);
        call.world.run_for(20000);
    }
    call.world.run_for(second);
    CHECK(call.remote()->stats().received.packets >= 450);
}

/* Each packet carries the frames of the two before it. */
void repeating(SimCall &call)
{
    call.world.run_for(second);
    for (uint16_t i = 0; i < 250; i++) {
        call.caller.send_repeating(7, i, 190, 2);
        call.world.run_for(20000);
    }
    call.world.run_for(second);
}

} // namespace

void add_policy_scenes(std::vector<Scene> &scenes)
{
    for (const char *policy : {"single", "round-robin", "shortest-queue", "earliest-delivery",
                               "duplicate", "hedge", "parity", "auto"}) {
        std::string name = policy;
        livetcp_config config = make_config(policy, name == "single" ? 1 : 5);
        scenes.push_back({name + "-voice", "delay=20ms,loss=1%", config, voice});
        scenes.push_back({name + "-programme", "delay=50ms,loss=1%", config, programme});
        scenes.push_back(
            {name + "-jitter", "delay=30ms,jitter=8ms,loss=2%,burst=3", config, streams});
    }
    livetcp_config config = make_config("auto", 8);
    scenes.push_back({"auto-x8", "delay=50ms,loss=1%", config, much});
    config = make_config("shortest-queue", 32);
    scenes.push_back({"shortest-queue-x32", "delay=50ms,loss=1%", config, much});
    config = make_config("duplicate", 5);
    config.copies = 3;
    config.redundancy_budget = 2.5;
    scenes.push_back({"three-copies", "delay=20ms,loss=1%", config, voice});
    config = make_config("hedge", 5);
    config.hedge_delay_us = 10000;
    config.redundancy_budget = 0.05;
    scenes.push_back({"hedge-with-a-small-budget", "delay=30ms,loss=3%", config, programme});
    config = make_config("parity", 4);
    config.parity_group = 2;
    scenes.push_back({"parity-of-two", "delay=30ms,loss=3%", config, streams});
    for (const char *policy : {"round-robin", "auto", "parity"})
        scenes.push_back({std::string("repeating-") + policy, "delay=20ms,loss=2%",
                          make_config(policy, 4), repeating});
    config = make_config("round-robin", 3);
    config.split = 3;
    scenes.push_back({"split", "delay=20ms,loss=1%", config, programme});
    for (livetcp_usec wait : {1000000, 60000}) {
        config = make_config("round-robin", 5);
        config.order = LIVETCP_ORDER_SEQUENCE;
        config.order_wait_us = wait;
        scenes.push_back({"sequence-order-" + std::to_string(wait / 1000) + "ms",
                          "delay=50ms,loss=2%", config, programme});
    }
    config = make_config("parity", 5);
    config.order = LIVETCP_ORDER_SEQUENCE;
    scenes.push_back({"sequence-order-and-parity", "delay=50ms,loss=2%", config, streams});
}

} // namespace scenario
