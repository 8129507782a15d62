/* SPDX-License-Identifier: MIT */
/* max-send-delay: what a path that is too slow still delivers, and what it costs. */
#include "catch.h"
#include "programme.h"

using namespace scenario;

namespace
{

livetcp_config with_limit(const char *policy, unsigned connections, livetcp_usec limit)
{
    livetcp_config config = make_config(policy, connections);
    config.max_send_delay_us = limit;
    config.rtcp = LIVETCP_RTCP_OFF; /* the shares below are those of the programme alone */
    config.feedback_us = 0;
    return config;
}

std::vector<livetcp_usec> count_events(const SimSession &session, livetcp_engine_event_type type,
                                       livetcp_result reason = LIVETCP_OK)
{
    std::vector<livetcp_usec> found;
    for (const livetcp_engine_event &event : session.events)
        if (event.type == type && event.reason == reason)
            found.push_back(0);
    return found;
}

void require_accounted(const SimSession &session)
{
    livetcp_session_stats stats = session.stats();
    CHECK(stats.dropped.late == stats.dropped.late_droppable + stats.dropped.late_delta +
                                    stats.dropped.late_audio + stats.dropped.late_key);
    CHECK(stats.dropped.queue_full == stats.dropped.full_droppable + stats.dropped.full_delta +
                                          stats.dropped.full_audio + stats.dropped.full_key);
    uint64_t known = stats.sent.packets + stats.sent.queue_packets + stats.dropped.late +
                     stats.dropped.queue_full + stats.dropped.connection;
    CHECK(known <= stats.sent.accepted + stats.sent.resent);
    CHECK(known + stats.connections >= stats.sent.accepted);
}

} // namespace

TEST_CASE("nothing is dropped for time while there is no congestion")
{
    for (const char *policy : {"single", "round-robin", "shortest-queue", "duplicate", "hedge"}) {
        INFO(policy);
        uint64_t seed = 1;
        SimCall call("delay=30ms,loss=0.5%,rate=20mbit,queue=200p", with_limit(policy, 5, SEC),
                     seed);
        call.world.run_for(SEC);
        Programme programme(call);
        programme.play(20 * SEC);
        call.world.run_for(3 * SEC);
        CHECK(call.caller.stats().dropped.late == 0);
        CHECK(call.caller.stats().sent.keyframes_wanted == 0);
        for (const auto &of : programme.tally())
            CHECK(of.second.received == of.second.sent);
    }
}

TEST_CASE("overload costs the least important packets, and no more delay than was allowed")
{
    const char *policy = GENERATE("single", "shortest-queue", "earliest-delivery");
    livetcp_usec limit = GENERATE(300, 600) * MS;
    SimCall call("delay=20ms,rate=700kbit,queue=20p", with_limit(policy, 3, limit), 1);
    call.world.run_for(SEC);
    Programme programme(call);
    programme.play(30 * SEC);
    call.world.run_for(3 * SEC);
    auto tally = programme.tally();
    INFO(policy << " limit " << limit);
    CHECK(tally[LIVETCP_IMPORTANCE_AUDIO].share() > 0.9);
    CHECK(tally[LIVETCP_IMPORTANCE_KEY].share() > 0.98);
    CHECK(tally[LIVETCP_IMPORTANCE_DROPPABLE].share() < tally[LIVETCP_IMPORTANCE_DELTA].share());
    CHECK(tally[LIVETCP_IMPORTANCE_DELTA].share() <= tally[LIVETCP_IMPORTANCE_AUDIO].share());
    /* What is already on its way may be lost, and repaired, beyond the limit's reach: in two round
     * trips with the link's queue full. */
    for (auto &of : tally) {
        INFO("importance " << of.first << ": " << of.second.received << " of " << of.second.sent
                           << ", " << of.second.p95());
        CHECK(of.second.p95() < limit + 2 * (40 + 343) * MS);
    }
    CHECK(call.caller.stats().dropped.late > 0);
    require_accounted(call.caller);
}

TEST_CASE("without a limit the same overload costs the pictures seconds, and not the sound")
{
    SimCall call("delay=20ms,rate=700kbit,queue=20p", with_limit("shortest-queue", 3, 0), 1);
    call.world.run_for(SEC);
    Programme programme(call);
    programme.play(30 * SEC);
    call.world.run_for(20 * SEC);
    CHECK(programme.tally()[LIVETCP_IMPORTANCE_KEY].longest > 3 * SEC);
    CHECK(programme.tally()[LIVETCP_IMPORTANCE_AUDIO].longest < SEC / 2);
    CHECK(call.caller.stats().dropped.late == 0);
}

TEST_CASE("when congestion ends, everything is delivered again")
{
    SimCall call("delay=20ms,rate=10mbit,queue=50p", with_limit("shortest-queue", 3, 300 * MS),
                 GENERATE(1, 2, 3));
    call.world.run_for(SEC);
    Programme programme(call);
    programme.play(5 * SEC);
    CHECK(call.caller.stats().dropped.late == 0);
    call.path.forward.set(link_params("delay=20ms,rate=300kbit,queue=50p"));
    programme.play(10 * SEC);
    CHECK(call.caller.stats().dropped.late > 0);
    call.path.forward.set(link_params("delay=20ms,rate=10mbit,queue=50p"));
    programme.play(8 * SEC);
    uint64_t dropped = call.caller.stats().dropped.late;
    size_t received = call.remote()->received.size();
    programme.play(5 * SEC);
    call.world.run_for(SEC);
    CHECK(call.caller.stats().dropped.late == dropped);
    for (size_t i = received + 50; i < call.remote()->received.size(); i++)
        REQUIRE(call.remote()->received[i].delay < 100 * MS);
}

TEST_CASE("a path that is cut drops what is late, and asks for one key frame when it is back")
{
    SimCall call("delay=20ms", with_limit("shortest-queue", 3, 400 * MS), 1);
    call.world.run_for(SEC);
    Programme programme(call);
    programme.play(3 * SEC + 100 * MS);
    call.path.forward.cut(true);
    programme.play(3 * SEC);
    livetcp_session_stats stats = call.caller.stats();
    CHECK(stats.sent.queue_delay_us <= 450 * MS);
    CHECK(stats.dropped.late > 100);
    CHECK(stats.sent.keyframes_wanted > 0);
    CHECK(stats.dropped.late_key > 0);
    CHECK_FALSE(
        count_events(call.caller, LIVETCP_ENGINE_WARNING, LIVETCP_ERR_KEYFRAME_DROPPED).empty());
    call.path.forward.cut(false);
    programme.play(10 * SEC);
    uint64_t dropped = call.caller.stats().dropped.late;
    programme.play(5 * SEC);
    CHECK(call.caller.stats().dropped.late == dropped);
    require_accounted(call.caller);
}

TEST_CASE("a packet does not sit in the queue past its time when nothing else happens")
{
    SimCall call("delay=20ms", with_limit("shortest-queue", 2, 200 * MS), 1);
    call.world.run_for(SEC);
    for (unsigned slot = 0; slot < 2; slot++)
        call.caller.connection(slot)->up.stop_reading();
    for (uint16_t i = 0; i < 200; i++)
        call.caller.send_as(1, i, i, 1000, LIVETCP_IMPORTANCE_DELTA);
    size_t before = call.caller.stats().sent.queue_packets;
    REQUIRE(before > 0);
    call.world.run_for(250 * MS);
    CHECK(call.caller.stats().sent.queue_packets == 0);
    CHECK(call.caller.stats().dropped.late > 0);
}

TEST_CASE("packets that wait for a connection are dropped when their time is up")
{
    livetcp_config config = with_limit("single", 1, 300 * MS);
    SimCall call("delay=20ms", config, 1);
    call.listener.refusing = true;
    for (uint16_t i = 0; i < 50; i++) {
        call.caller.send_as(1, i, i, 500, LIVETCP_IMPORTANCE_DELTA);
        call.world.run_for(20 * MS);
    }
    livetcp_session_stats stats = call.caller.stats();
    CHECK(stats.sent.inferred_delay_us == -1);
    CHECK(stats.sent.queue_packets <= 17);
    CHECK(stats.dropped.late >= 30);
    CHECK(stats.sent.keyframes_wanted == 0); /* nobody would see it */
    call.listener.refusing = false;
    call.world.run_for(6 * SEC);
    CHECK(call.caller.stats().sent.keyframes_wanted == 1);
    CHECK(count_events(call.caller, LIVETCP_ENGINE_KEYFRAME_WANTED).size() == 1);
}

TEST_CASE("a key frame is asked for at most once per round trip and stream, and only if needed")
{
    SimCall call("delay=100ms,rate=200kbit,queue=20p", with_limit("single", 1, 300 * MS), 1);
    call.world.run_for(2 * SEC);
    std::map<uint32_t, std::vector<livetcp_usec>> asked;
    size_t seen = 0;
    for (uint32_t i = 0; i < 2500; i++) {
        for (uint32_t ssrc : {1u, 2u, 3u})
            call.caller.send_as(ssrc, static_cast<uint16_t>(i), i, 600,
                                ssrc == 1   ? LIVETCP_IMPORTANCE_DROPPABLE
                                : ssrc == 2 ? LIVETCP_IMPORTANCE_DELTA
                                            : LIVETCP_IMPORTANCE_UNKNOWN);
        call.world.run_for(4 * MS);
        for (; seen < call.caller.events.size(); seen++)
            if (call.caller.events[seen].type == LIVETCP_ENGINE_KEYFRAME_WANTED)
                asked[call.caller.events[seen].ssrc].push_back(call.world.now());
    }
    CHECK(asked.count(1) == 0); /* nothing refers to what was dropped of it */
    for (uint32_t ssrc : {2u, 3u}) {
        REQUIRE(asked[ssrc].size() > 5);
        CHECK(asked[ssrc].size() <= 10 * SEC / (200 * MS));
        for (size_t i = 1; i < asked[ssrc].size(); i++)
            CHECK(asked[ssrc][i] - asked[ssrc][i - 1] >= 196 * MS);
    }
    CHECK(call.caller.stats().sent.keyframes_wanted == asked[2].size() + asked[3].size());
}

TEST_CASE("no key frame is asked for while one waits in the queue")
{
    SimCall call("delay=20ms", with_limit("single", 1, 2 * SEC), 1);
    call.world.run_for(SEC);
    call.caller.connection(0)->up.stop_reading();
    for (uint16_t i = 0; i < 40; i++) /* more than the window takes */
        call.caller.send_as(2, i, i, 1000, LIVETCP_IMPORTANCE_AUDIO);
    call.caller.send_as(1, 0, 0, 1000, LIVETCP_IMPORTANCE_DELTA);
    call.world.run_for(300 * MS);
    call.caller.send_as(1, 1, 3600, 1000, LIVETCP_IMPORTANCE_KEY);
    call.world.run_for(850 * MS); /* the delta is late now, and the key frame is not */
    CHECK(call.caller.stats().dropped.late_delta == 1);
    CHECK(call.caller.stats().dropped.late_key == 0);
    CHECK(call.caller.stats().sent.keyframes_wanted == 0);
    call.world.run_for(1300 * MS);
    CHECK(call.caller.stats().dropped.late_key == 1);
    CHECK(call.caller.stats().sent.keyframes_wanted == 1);
}

TEST_CASE("pictures are dropped whole, also what is handed over after the drop")
{
    SimCall call("delay=20ms,rate=700kbit,queue=20p", with_limit("shortest-queue", 3, 300 * MS), 1);
    call.world.run_for(SEC);
    Programme programme(call);
    programme.play(30 * SEC);
    call.world.run_for(3 * SEC);
    /* A picture of which something was already sent may still be cut. */
    INFO(programme.torn());
    CHECK(programme.torn() < 170); /* of 750 */
    CHECK(call.caller.stats().dropped.late > 400);
}

TEST_CASE("a limit below one round trip is raised to it, and told about once")
{
    SimCall call("delay=100ms", with_limit("shortest-queue", 2, 50 * MS), 1);
    call.world.run_for(2 * SEC);
    Programme programme(call);
    programme.play(10 * SEC);
    call.world.run_for(SEC);
    CHECK(call.caller.stats().sent.delay_limit_us == 200 * MS);
    size_t told = 0;
    for (const livetcp_engine_event &event : call.caller.events)
        if (event.type == LIVETCP_ENGINE_WARNING && event.reason == LIVETCP_ERR_INVALID_ARGUMENT) {
            told++;
            CHECK(event.asked_us == 50 * MS);
            CHECK(event.used_us == 200 * MS);
        }
    CHECK(told == 1);
    auto tally = programme.tally();
    for (const auto &of : tally)
        CHECK(of.second.share() > 0.9);
}

TEST_CASE("a full queue gives up key frames last, and says so")
{
    livetcp_config config = with_limit("single", 1, 0);
    config.queue_packets = 20;
    SimCall call("delay=20ms", config, 1, 5000);
    call.world.run_for(SEC);
    call.caller.connection(0)->up.stop_reading();
    Programme programme(call);
    programme.play(SEC);
    livetcp_session_stats stats = call.caller.stats();
    CHECK(stats.sent.queue_packets == 20);
    CHECK(stats.dropped.full_key == 0);
    CHECK(stats.dropped.full_droppable > 20);
    CHECK(stats.dropped.full_delta > 20);
    CHECK(count_events(call.caller, LIVETCP_ENGINE_WARNING, LIVETCP_ERR_KEYFRAME_DROPPED).empty());
    programme.play(3 * SEC);
    stats = call.caller.stats();
    CHECK(stats.dropped.full_key > 0);
    CHECK(count_events(call.caller, LIVETCP_ENGINE_WARNING, LIVETCP_ERR_KEYFRAME_DROPPED).size() >=
          1);
    CHECK(count_events(call.caller, LIVETCP_ENGINE_WARNING, LIVETCP_ERR_KEYFRAME_DROPPED).size() <=
          4);
    require_accounted(call.caller);
}

TEST_CASE("the inferred delay is about what packets then take")
{
    SimCall call("delay=20ms,rate=1mbit,queue=100p", with_limit("shortest-queue", 3, 0), 1);
    call.world.run_for(SEC);
    call.stream(1000, 5 * MS, 3 * SEC, 1); /* 1.6 Mbit/s */
    livetcp_usec inferred = call.caller.stats().sent.inferred_delay_us;
    call.caller.send(9, 1, 1000);
    call.world.run_for(10 * SEC);
    livetcp_usec taken = 0;
    for (const Received &packet : call.remote()->received)
        if (packet.ssrc == 9)
            taken = packet.delay;
    INFO(inferred << " inferred, " << taken << " taken");
    REQUIRE(taken > 500 * MS);
    CHECK(inferred > taken / 2);
    CHECK(inferred < taken * 2);
}

TEST_CASE("whatever the source and the path do, the limits hold and every packet is accounted for")
{
    for (uint64_t seed = 1; seed <= 25; seed++) {
        lt_rng rng;
        lt_rng_seed(&rng, seed);
        INFO("seed " << seed);
        const char *policies[] = {"single", "round-robin", "shortest-queue", "duplicate", "hedge"};
        livetcp_config config =
            with_limit(policies[seed % 5], 2 + seed % 3,
                       (150 + static_cast<livetcp_usec>(lt_rng_next(&rng) % 500)) * MS);
        config.queue_packets = 30 + lt_rng_next(&rng) % 300;
        SimCall call("delay=20ms,loss=1%,rate=2mbit,queue=30p", config, seed);
        call.world.run_for(SEC);
        uint64_t audio = 0;
        for (unsigned i = 0; i < 2500; i++) {
            auto importance = static_cast<livetcp_importance>(lt_rng_next(&rng) % 5);
            audio += importance == LIVETCP_IMPORTANCE_AUDIO;
            call.caller.send_as(1 + importance % 3, static_cast<uint16_t>(i), i / 4,
                                20 + lt_rng_next(&rng) % 1400, importance);
            call.world.run_for(static_cast<livetcp_usec>(lt_rng_next(&rng) % 8) * MS);
            if (lt_rng_next(&rng) % 500 == 0)
                call.path.forward.set(link_params(lt_rng_next(&rng) % 2
                                                      ? "delay=20ms,rate=900kbit,queue=30p"
                                                      : "delay=20ms,rate=5mbit,queue=30p"));
            livetcp_session_stats stats = call.caller.stats();
            REQUIRE(stats.sent.queue_packets <= config.queue_packets);
            REQUIRE(stats.sent.queue_delay_us <= stats.sent.delay_limit_us + 20 * MS);
        }
        require_accounted(call.caller);
        call.path.forward.set(link_params("delay=20ms,rate=5mbit,queue=100p"));
        call.world.run_for(10 * SEC);
        livetcp_session_stats stats = call.caller.stats();
        CHECK(stats.sent.queue_packets == 0);
        CHECK(stats.sent.packets + stats.dropped.late + stats.dropped.queue_full ==
              stats.sent.accepted);
        CHECK(stats.dropped.late_audio * 2 < audio);
        CHECK(call.remote()->received.size() == stats.sent.packets);
    }
}
