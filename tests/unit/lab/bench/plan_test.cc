/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/bench/packet.h"
#include "lab/bench/plan.h"
}

#include <string>
#include <vector>

static lt_plan usual()
{
    lt_plan plan = {};
    plan.flows = 5;
    plan.direction = LT_MEDIA_FORWARD;
    plan.size = 1448;
    plan.interval = 20000;
    plan.warmup = 5000000;
    plan.duration = 60000000;
    return plan;
}

TEST_CASE("a plan counts packets and spreads phases")
{
    lt_plan plan = usual();
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    CHECK(plan.streams == 5);
    CHECK(plan.warmup_rounds == 250);
    CHECK(plan.packets == 3250);
    for (unsigned s = 0; s < plan.streams; s++) {
        CHECK(plan.phase[s] >= 0);
        CHECK(plan.phase[s] < plan.interval);
        CHECK(lt_plan_due(&plan, s, 10) == plan.phase[s] + 200000);
    }
}

TEST_CASE("speech has streams of its own, in the directions of the others")
{
    lt_plan plan = usual();
    plan.direction = LT_MEDIA_BOTH;
    plan.interval = 40000;
    plan.speech = true;
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    CHECK(plan.streams == 10);
    REQUIRE(plan.all_streams == 20);
    CHECK(plan.rounds == 1625);
    CHECK(plan.packets == 3251); /* room for 65 s of speech */
    for (unsigned s = 0; s < plan.all_streams; s++) {
        CHECK(lt_plan_is_speech(&plan, s) == (s >= 10));
        CHECK(lt_plan_stream_direction(&plan, s) ==
              (s % 10 < 5 ? LT_MEDIA_FORWARD : LT_MEDIA_BACKWARD));
    }
    CHECK(lt_plan_speech_due(&plan, 12, 0) < LT_SPEECH_US);
    CHECK(lt_plan_speech_due(&plan, 12, 7) == lt_plan_speech_due(&plan, 12, 0) + 140000);

    plan.speech = false;
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    CHECK(plan.all_streams == 10);
    CHECK_FALSE(lt_plan_is_speech(&plan, 9));
}

TEST_CASE("sending in order never goes back in time and reaches every stream")
{
    lt_plan plan = usual();
    plan.flows = LT_BENCH_MAX_FLOWS;
    plan.direction = LT_MEDIA_BOTH;
    plan.duration = 1000000;
    REQUIRE(lt_plan_make(&plan, 7, nullptr) == LIVETCP_OK);
    REQUIRE(plan.streams == 2 * LT_BENCH_MAX_FLOWS);
    std::vector<int> seen(plan.streams);
    livetcp_usec last = -1;
    for (uint32_t round = 0; round < 3; round++) {
        for (unsigned i = 0; i < plan.streams; i++) {
            livetcp_usec due = lt_plan_due(&plan, plan.order[i], round);
            CHECK(due >= last);
            last = due;
            seen[plan.order[i]]++;
        }
    }
    for (int n : seen)
        CHECK(n == 3);
    CHECK(lt_plan_stream_direction(&plan, 0) == LT_MEDIA_FORWARD);
    CHECK(lt_plan_stream_direction(&plan, plan.flows) == LT_MEDIA_BACKWARD);
}

TEST_CASE("talkspurts with silence between them")
{
    lt_plan plan = usual();
    plan.talkspurt = 1990000; /* rounded up to 100 packets */
    plan.silence = 3000000;
    plan.opening = 2;
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    CHECK(plan.spurt_packets == 100);
    CHECK(plan.warmup_rounds == 100);
    CHECK(plan.measured_from == 5000000); /* the second talkspurt */
    CHECK(plan.length == 65000000);
    CHECK(plan.packets == 1300);
    CHECK(lt_plan_due(&plan, 0, 99) == plan.phase[0] + 1980000);
    CHECK(lt_plan_due(&plan, 0, 100) == plan.phase[0] + 5000000);
    CHECK(lt_plan_due(&plan, 0, 1299) == plan.phase[0] + 61980000);
    unsigned opening = 0;
    for (uint32_t i = 0; i < plan.packets; i++) {
        CHECK(lt_plan_due(&plan, 0, i) - plan.phase[0] < plan.length);
        opening += lt_plan_opens(&plan, i);
    }
    CHECK(opening == 2 * 12); /* nothing was silent before the first */
    CHECK(lt_plan_opens(&plan, 100));
    CHECK_FALSE(lt_plan_opens(&plan, 102));
}

TEST_CASE("a warm-up that ends in silence is over when the next talkspurt begins")
{
    lt_plan plan = usual();
    plan.talkspurt = 1000000;
    plan.silence = 9000000;
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    CHECK(plan.warmup_rounds == 50);
    CHECK(plan.measured_from == 10000000);
    CHECK(plan.packets == 50 + 6 * 50);
}

TEST_CASE("what counts is decided by its index, or by its time if the source is greedy")
{
    lt_plan plan = usual();
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    CHECK(plan.measured_from == 5000000);
    CHECK(plan.length == 65000000);
    CHECK_FALSE(lt_plan_measured(&plan, 249, 99000000));
    CHECK(lt_plan_measured(&plan, 250, -1));
    plan.greedy = true;
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    CHECK_FALSE(lt_plan_measured(&plan, 900, 4999999));
    CHECK(lt_plan_measured(&plan, 1, 5000000));
    CHECK_FALSE(lt_plan_measured(&plan, 1, 65000000));
    CHECK_FALSE(lt_plan_opens(&plan, 0));
}

TEST_CASE("the seed decides the phases")
{
    lt_plan a = usual(), b = usual(), c = usual();
    REQUIRE(lt_plan_make(&a, 1, nullptr) == LIVETCP_OK);
    REQUIRE(lt_plan_make(&b, 1, nullptr) == LIVETCP_OK);
    REQUIRE(lt_plan_make(&c, 2, nullptr) == LIVETCP_OK);
    CHECK(a.phase[3] == b.phase[3]);
    CHECK(a.phase[3] != c.phase[3]);
}

TEST_CASE("impossible plans are refused and named")
{
    livetcp_error error = {};
    auto refused = [&](lt_plan plan, const char *word) {
        error = {};
        CHECK(lt_plan_make(&plan, 1, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        INFO(error.message);
        CHECK(std::string(error.message).find(word) != std::string::npos);
    };
    lt_plan plan = usual();
    plan.flows = 0;
    refused(plan, "flows");
    plan = usual();
    plan.flows = LT_BENCH_MAX_FLOWS + 1;
    refused(plan, "flows");
    plan = usual();
    plan.size = LT_BENCH_MIN_SIZE - 1;
    refused(plan, "bytes");
    plan = usual();
    plan.size = LT_BENCH_MAX_SIZE + 1;
    refused(plan, "bytes");
    plan = usual();
    plan.interval = 0;
    refused(plan, "interval");
    plan = usual();
    plan.duration = 0;
    refused(plan, "duration");
    plan = usual();
    plan.talkspurt = 1;
    refused(plan, "silence");
    plan.silence = 86400000001;
    refused(plan, "a day");
    plan = usual();
    plan.greedy = true;
    plan.talkspurt = plan.silence = 1000000;
    refused(plan, "greedy");
    plan = usual();
    plan.interval = 100;
    plan.duration = 86400000000;
    refused(plan, "memory");
}

TEST_CASE("packets of the bench are RTP and carry their probe")
{
    std::vector<uint8_t> packet(1446);
    lt_packet_prepare(packet.data(), packet.size(), 0x4c540003, 9);
    lt_probe probe = {3, 70000, 123456789012345, false};
    lt_packet_timestamp(packet.data(), &probe, 1000000);
    CHECK(packet[0] == 0x80);
    CHECK(packet[1] == 96);
    CHECK((packet[2] << 8 | packet[3]) == 70000 % 65536);
    CHECK((packet[4] << 24 | packet[5] << 16 | packet[6] << 8 | packet[7]) == 90000);
    lt_probe read = {};
    REQUIRE(lt_packet_read(packet.data(), packet.size(), &read));
    CHECK(read.stream == probe.stream);
    CHECK(read.index == probe.index);
    CHECK(read.sent == probe.sent);
}

TEST_CASE("what is not a packet of the bench is told apart")
{
    std::vector<uint8_t> packet(LT_BENCH_RTP + LT_BENCH_PROBE);
    lt_probe probe = {1, 2, 3, false}, read;
    lt_packet_prepare(packet.data(), packet.size(), 1, 1);
    lt_packet_timestamp(packet.data(), &probe, 0);
    REQUIRE(lt_packet_read(packet.data(), packet.size(), &read));
    CHECK_FALSE(lt_packet_read(packet.data(), packet.size() - 1, &read));
    packet[3] ^= 1; /* sequence number and index disagree */
    CHECK_FALSE(lt_packet_read(packet.data(), packet.size(), &read));
    packet[3] ^= 1;
    packet[1] = 200; /* RTCP */
    CHECK_FALSE(lt_packet_read(packet.data(), packet.size(), &read));
}

TEST_CASE("the last packet of a frame has the marker, and is read like the others")
{
    std::vector<uint8_t> packet(100);
    lt_probe probe = {0, 7, 9, true}, read = {};
    lt_packet_prepare(packet.data(), packet.size(), 1, 1);
    lt_packet_timestamp(packet.data(), &probe, 0);
    CHECK(packet[1] == (0x80 | 96));
    REQUIRE(lt_packet_read(packet.data(), packet.size(), &read));
    CHECK(read.marker);
    probe.marker = false;
    lt_packet_timestamp(packet.data(), &probe, 0);
    CHECK(packet[1] == 96);
}
