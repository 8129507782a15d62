/* SPDX-License-Identifier: MIT */
/* What the listener or viewer got. */
#include "call.h"

namespace
{

Rtp packet(unsigned i, unsigned flags = 0)
{
    Rtp rtp;
    rtp.sequence = static_cast<uint16_t>(i);
    rtp.timestamp = 160 * i;
    rtp.flags = flags;
    return rtp;
}

livetcp_usec due(unsigned i)
{
    return second + i * 20 * ms;
}

} // namespace

TEST_CASE("copies that were played instead of late and lost packets are the saved ratio")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 50 * ms));
    for (unsigned i = 0; i < 100; i++) {
        if (i % 10 == 3) /* lost; a copy comes with the next */
            continue;
        if (i % 10 == 4)
            playout.arrive(packet(i - 1, LIVETCP_PLAYOUT_REDUNDANT), due(i));
        if (i % 50 == 7) /* lost, and no copy */
            continue;
        playout.arrive(packet(i), due(i));
    }
    playout.play(due(100) + 50 * ms);
    livetcp_playout_stats stats = playout.stats();
    CHECK(stats.played == 98);
    CHECK(stats.played_secondary == 10);
    CHECK(stats.lost == 2);
    CHECK(stats.played_ratio == Approx(0.98));
    CHECK(stats.played_primary_ratio == Approx(0.88));
    CHECK(stats.played_secondary_ratio == Approx(0.10));
    CHECK(stats.saved_ratio == Approx(10 / 12.0));
    CHECK(stats.loss_ratio == Approx(0.02));
    CHECK(stats.burst_ratio == Approx(0.98)); /* each alone: the random 1/(1 - p) */
}

TEST_CASE("loss in bursts has a burst ratio above one, random loss of one")
{
    for (unsigned length : {1u, 5u}) {
        lt_rng rng;
        lt_rng_seed(&rng, 3);
        Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 50 * ms));
        unsigned losing = 0;
        for (unsigned i = 0; i < 20000; i++) {
            if (!losing && lt_rng_uniform(&rng) < 0.1 / length)
                losing = length;
            if (losing)
                losing--;
            else
                playout.arrive(packet(i), due(i));
        }
        playout.play(due(20000) + second);
        double ratio = playout.stats().burst_ratio;
        if (length == 1)
            CHECK(ratio == Approx(1).margin(0.1));
        else
            CHECK(ratio == Approx(5 * 0.9).margin(0.5));
    }
}

TEST_CASE("mean and deviation of the playout delay are those of the talkspurts")
{
    Call call(voice(LIVETCP_PLAYOUT_STATIC));
    call.silence_us = 800 * ms;
    double sum = 0, squares = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < 20; i++) {
        call.playout.path([&](livetcp_playout_path &p) { p.rtt_us = (20 + 10 * (i % 4)) * ms; });
        call.run(2 * second, [](livetcp_usec) { return livetcp_usec(0); });
    }
    for (const Fate &fate : call.fates)
        if (fate.slot.events & LIVETCP_PLAYOUT_TALKSPURT) {
            double delay = static_cast<double>(fate.slot.delay_us);
            sum += delay;
            squares += delay * delay;
            count++;
        }
    livetcp_playout_stats stats = call.playout.stats();
    CHECK(count == 20);
    CHECK(stats.talkspurts == count);
    CHECK(static_cast<double>(stats.mean_delay_us) == Approx(sum / count).margin(2));
    double variance = squares / count - sum / count * sum / count;
    CHECK(static_cast<double>(stats.stddev_delay_us) == Approx(std::sqrt(variance)).margin(2));
    CHECK(stats.mouth_to_ear_us == stats.mean_delay_us + 25 * ms + 20 * ms);
}

TEST_CASE("a picture that stands because the sender sends no other is no freeze")
{
    Playout playout(video(LIVETCP_PLAYOUT_FIXED));
    Rtp rtp;
    livetcp_usec now = second, media = 0;
    for (unsigned i = 0; i < 100; i++) {
        livetcp_usec step = i == 50 ? 3 * second : i == 80 ? 440 * ms : 40 * ms; /* or lost */
        now += step;
        media += step;
        rtp.sequence = static_cast<uint16_t>(i < 80 ? i : i + 10);
        rtp.timestamp = static_cast<uint32_t>(media * 9 / 100);
        playout.arrive(rtp, now);
    }
    playout.play(now + second);
    livetcp_playout_stats stats = playout.stats();
    CHECK(stats.freezes == 1);
    CHECK(stats.lost == 10);
    CHECK(stats.longest_freeze_us == 440 * ms);
    CHECK(stats.total_freeze_us == stats.longest_freeze_us);
}

TEST_CASE("delays measured over two connections: jitter is RFC 3550's")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED));
    for (unsigned i = 0; i < 500; i++)
        playout.arrive(packet(i), due(i) + (i % 2 ? 10 * ms : 0));
    CHECK(playout.stats().jitter_us == Approx(10 * ms).margin(10));
}

namespace
{

/* Speech without pauses whose playout delay begins to grow after two seconds: the sender announces
 * a longer round trip before the playout knows the distribution of the delays. */
void talk_while_delay_grows(Call &call, livetcp_usec late_us)
{
    auto tell = [&](livetcp_usec rtt_us) {
        call.playout.path([&](livetcp_playout_path &p) { p.rtt_us = rtt_us; });
    };
    tell(20 * ms);
    call.run(2 * second, [](livetcp_usec) { return livetcp_usec(0); });
    livetcp_usec before = call.playout.stats().delay_us;
    tell(120 * ms);
    call.run(1900 * ms, [&](livetcp_usec now) { return now == 3 * second ? late_us : 0; });
    CHECK(call.playout.stats().delay_us > before + 20 * ms);
    call.playout.play(call.fates.back().slot.play_us);
}

} // namespace

TEST_CASE("a delay that grows in a talkspurt conceals no packet that is there")
{
    Call call(voice(LIVETCP_PLAYOUT_POLICY_AWARE));
    talk_while_delay_grows(call, 0);
    CHECK(call.playout.played().size() == call.fates.size());
    CHECK(call.playout.concealed() == 0);
}

TEST_CASE("a delay that grows in a talkspurt conceals packets that are late, each once")
{
    Call call(voice(LIVETCP_PLAYOUT_POLICY_AWARE));
    talk_while_delay_grows(call, 150 * ms); /* and those behind it on the connection */
    CHECK(call.playout.concealed() > 0);
    CHECK(call.playout.concealed() + call.playout.played().size() == call.fates.size());
}
