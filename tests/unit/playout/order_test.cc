/* SPDX-License-Identifier: MIT */
/* Order, gaps and late packets with a fixed delay, through the pull API. */
#include "fixture.h"

namespace
{

/* The i-th packet of voice. */
Rtp voice_packet(unsigned i, uint16_t first = 0)
{
    Rtp rtp;
    rtp.sequence = static_cast<uint16_t>(first + i);
    rtp.timestamp = 160 * i;
    return rtp;
}

/* Sent every 20 ms, arriving 30 ms later. */
livetcp_usec arrival(unsigned i)
{
    return 1 * second + i * 20 * ms + 30 * ms;
}

} // namespace

TEST_CASE("packets are played a fixed delay after the least transit time")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 60 * ms));
    for (unsigned i = 0; i < 50; i++) {
        livetcp_playout_slot slot = playout.arrive(voice_packet(i), arrival(i) + i % 3 * 10 * ms);
        CHECK(slot.result == LIVETCP_PLAYOUT_PLAY);
        CHECK(slot.play_us == arrival(i) + 60 * ms);
        CHECK(slot.delay_us == 60 * ms);
        CHECK(slot.queueing_us == i % 3 * 10 * ms);
    }
    playout.play(arrival(50));
    for (const Output &output : playout.outputs)
        CHECK(output.now == output.play_us);
    CHECK(playout.played().size() == 48);
    CHECK(playout.concealed() == 0);
    CHECK(playout.stats().played_ratio == 1);
    CHECK(playout.stats().packet_rate == Approx(50));
}

TEST_CASE("with mode none packets are played as they come")
{
    Playout playout(voice(LIVETCP_PLAYOUT_NONE));
    for (unsigned i = 0; i < 20; i++) {
        livetcp_usec now = arrival(i) + i % 4 * 5 * ms;
        CHECK(playout.arrive(voice_packet(i), now).play_us == now);
        CHECK(playout.pull(now).kind == LIVETCP_PLAYOUT_PACKET);
    }
    CHECK(playout.latency().max_us == 0);
}

TEST_CASE("a lost packet is concealed when it is due, and the next one says so")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 60 * ms));
    for (unsigned i = 0; i < 20; i++)
        if (i != 10 && i != 11)
            playout.arrive(voice_packet(i), arrival(i));
    playout.play(arrival(19) + 60 * ms);
    REQUIRE(playout.outputs.size() == 20);
    for (unsigned i = 0; i < 20; i++) {
        const Output &output = playout.outputs[i];
        bool lost = i == 10 || i == 11;
        CHECK(output.kind == (lost ? LIVETCP_PLAYOUT_CONCEAL : LIVETCP_PLAYOUT_PACKET));
        CHECK(output.sequence == i);
        CHECK(output.timestamp == 160 * i);
        CHECK(output.play_us == arrival(i) + 60 * ms);
        CHECK(output.now == output.play_us);
        CHECK(output.duration_us == 20 * ms);
        CHECK(output.discontinuity == (i == 12));
        CHECK_FALSE(output.late);
    }
    CHECK(playout.stats().lost == 2);
    CHECK(playout.stats().loss_ratio == Approx(0.1));
    CHECK(playout.stats().burst_ratio == Approx(2 * 0.9));
}

TEST_CASE("a voice packet that comes late is concealed, counted, and not played")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 60 * ms));
    for (unsigned i = 0; i < 10; i++)
        playout.arrive(voice_packet(i), arrival(i));
    for (unsigned i = 11; i < 15; i++)
        playout.arrive(voice_packet(i), arrival(i)); /* 10 is due now */
    CHECK(playout.arrive(voice_packet(10), arrival(14) + 1).result == LIVETCP_PLAYOUT_LATE);
    CHECK(playout.stats().late == 1);
    CHECK(playout.stats().lost == 0);
    CHECK(playout.arrive(voice_packet(10), arrival(14) + 2).result == LIVETCP_PLAYOUT_DUPLICATE);
    playout.play(arrival(14) + 60 * ms);
    CHECK(playout.played() == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14});
    CHECK(playout.concealed() == 1);
}

TEST_CASE("packets that overtook each other are played in order, across the wrap")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 100 * ms));
    const unsigned order[] = {0, 1, 3, 2, 5, 6, 4, 8, 7, 9};
    livetcp_usec now = 0;
    for (unsigned i : order) {
        livetcp_usec came = arrival(i) > now ? arrival(i) : now;
        CHECK(playout.arrive(voice_packet(i, 65531), came).result == LIVETCP_PLAYOUT_PLAY);
        now = came;
    }
    CHECK(playout.put(voice_packet(3, 65531), now).result == LIVETCP_PLAYOUT_DUPLICATE);
    playout.play(arrival(9) + 100 * ms);
    CHECK(playout.played() == std::vector<int>{65531, 65532, 65533, 65534, 65535, 0, 1, 2, 3, 4});
    CHECK(playout.concealed() == 0);
    for (unsigned i = 0; i < 10; i++)
        CHECK(playout.outputs[i].play_us == arrival(i) + 100 * ms);
}

TEST_CASE("a stream that stops is concealed for three packets, then it is silence")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 40 * ms));
    for (unsigned i = 0; i < 10; i++)
        playout.arrive(voice_packet(i), arrival(i));
    playout.play(arrival(100));
    REQUIRE(playout.outputs.size() == 13);
    for (unsigned i = 10; i < 13; i++) {
        CHECK(playout.outputs[i].kind == LIVETCP_PLAYOUT_CONCEAL);
        CHECK(playout.outputs[i].late);
        CHECK(playout.outputs[i].sequence == i);
        CHECK(playout.outputs[i].play_us == arrival(i) + 40 * ms);
    }
    CHECK(playout.deadline() == LIVETCP_NEVER);
    CHECK(playout.stats().lost == 0); /* no evidence of further packets */
    CHECK(playout.stats().concealed == 3);
    /* It was a silence: the sequence numbers continue. */
    Rtp next = voice_packet(10);
    next.timestamp = 160 * 100;
    CHECK(playout.arrive(next, arrival(100)).events == LIVETCP_PLAYOUT_TALKSPURT);
    playout.play(arrival(100) + 40 * ms);
    CHECK(playout.played().size() == 11);
    CHECK(playout.stats().lost == 0);
    CHECK_FALSE(playout.outputs.back().discontinuity);
}

TEST_CASE("in order, packets come out at once and only gaps are waited for")
{
    livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED, 100 * ms);
    config.release = LIVETCP_PLAYOUT_IN_ORDER;
    Playout playout(config);
    for (unsigned i = 0; i < 20; i++)
        if (i != 10)
            playout.arrive(voice_packet(i), arrival(i));
    playout.play(arrival(19) + 100 * ms);
    REQUIRE(playout.outputs.size() == 20);
    for (unsigned i = 0; i < 20; i++) {
        const Output &output = playout.outputs[i];
        CHECK(output.play_us == arrival(i) + 100 * ms);
        if (i < 3)
            CHECK(output.now <= arrival(0) + 50 * ms); /* the first may have been overtaken */
        else if (i < 10)
            CHECK(output.now == arrival(i));
        else if (i == 10)
            CHECK((output.kind == LIVETCP_PLAYOUT_CONCEAL && output.now == output.play_us));
        else
            CHECK(output.now == std::max(arrival(i), arrival(10) + 100 * ms));
    }
}

TEST_CASE("video is played late rather than not, and missing packets are told in one")
{
    livetcp_playout_config config = video(LIVETCP_PLAYOUT_FIXED, 50 * ms);
    Playout playout(config);
    auto packet = [](unsigned frame, unsigned i) {
        Rtp rtp;
        rtp.sequence = static_cast<uint16_t>(4 * frame + i);
        rtp.timestamp = 3000 * frame;
        rtp.marker = i == 3;
        return rtp;
    };
    const livetcp_usec frame_us = 33333;
    for (unsigned frame = 0; frame < 10; frame++)
        for (unsigned i = 0; i < 4; i++) {
            if (frame == 5 && (i == 1 || i == 2))
                continue;
            livetcp_usec now = second + frame * frame_us + (frame == 8 ? 80 * ms : 0);
            if (frame == 9)
                now += 80 * ms;
            livetcp_playout_slot slot = playout.arrive(packet(frame, i), now);
            CHECK(slot.result == (frame < 8 ? LIVETCP_PLAYOUT_PLAY : LIVETCP_PLAYOUT_PLAY_LATE));
        }
    playout.play(2 * second);
    REQUIRE(playout.outputs.size() == 39);
    const Output &gap = playout.outputs[21];
    CHECK(gap.kind == LIVETCP_PLAYOUT_CONCEAL);
    CHECK(gap.missing == 2);
    CHECK(gap.sequence == 21);
    CHECK(playout.outputs[22].discontinuity);
    CHECK(playout.outputs[31].late);
    CHECK(playout.outputs[31].now == second + 8 * frame_us + 80 * ms);
    CHECK(playout.stats().lost == 2);
    CHECK(playout.stats().played_late == 8);
    CHECK(playout.stats().late == 8);
    CHECK(playout.stats().packet_rate == Approx(120).epsilon(0.05));
}

TEST_CASE("times alone: nothing is held, and the count is right all the same")
{
    livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED, 60 * ms);
    config.release = LIVETCP_PLAYOUT_TIMES_ONLY;
    Playout playout(config);
    for (unsigned i = 0; i < 1000; i++) {
        if (i == 100 || i == 101)
            continue;
        livetcp_usec late = i == 500 ? 61 * ms : 0;
        livetcp_playout_slot slot = playout.put(voice_packet(i), arrival(i) + late);
        CHECK(slot.play_us == arrival(i) + 60 * ms);
        CHECK(slot.result == (late ? LIVETCP_PLAYOUT_LATE : LIVETCP_PLAYOUT_PLAY));
    }
    Rtp last = voice_packet(1000);
    playout.put(last, arrival(1010));
    CHECK(playout.stats().lost == 2);
    CHECK(playout.stats().late == 2);
    CHECK(playout.stats().played == 997);
    CHECK(playout.stats().held_packets == 0);
    CHECK(playout.deadline() == LIVETCP_NEVER);
}
