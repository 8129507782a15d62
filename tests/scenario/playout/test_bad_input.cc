/* SPDX-License-Identifier: MIT */
/* Streams that jump, start over, change, collide or lie: nothing plays twice, the delay stays
 * bounded, and what happened is reported. */
#include "call.h"

#include <map>
#include <set>

namespace
{

/* A stream as its sender means it; every packet has a name, its payload's first bytes. */
class Stream
{
  public:
    explicit Stream(const livetcp_playout_config &config)
        : max_us(config.max_latency_us), playout(config)
    {
    }

    livetcp_playout_slot send(livetcp_usec now)
    {
        livetcp_playout_slot slot = playout.arrive(rtp, now);
        check(slot, now);
        rtp.sequence++;
        rtp.timestamp += 160;
        rtp.name++;
        return slot;
    }

    void run(unsigned packets)
    {
        for (; packets; packets--, clock += 20 * ms)
            send(clock);
    }

    void check(const livetcp_playout_slot &slot, livetcp_usec now)
    {
        events |= slot.events;
        if (slot.result == LIVETCP_PLAYOUT_PLAY) {
            CHECK(slot.play_us >= now);
            CHECK(slot.play_us <= now + max_us);
        }
    }

    /* Plays what is left; nothing may have come out twice, or before what went before. */
    void finish()
    {
        playout.play(clock + 10 * second);
        std::set<std::pair<uint32_t, uint32_t>> seen;
        unsigned twice = 0, backwards = 0;
        livetcp_usec last = INT64_MIN;
        for (const Output &output : playout.outputs) {
            if (output.kind != LIVETCP_PLAYOUT_PACKET)
                continue;
            twice += !seen.insert({output.ssrc, output.name}).second;
            backwards += output.play_us < last;
            last = output.play_us;
        }
        CHECK(twice == 0);
        CHECK(backwards == 0);
    }

    size_t played() const
    {
        return playout.played().size();
    }

    livetcp_usec max_us;
    Playout playout;
    Rtp rtp;
    livetcp_usec clock = 1000 * second;
    unsigned events = 0;
};

} // namespace

TEST_CASE("timestamps that jump, forwards or backwards, start the clock anew")
{
    for (livetcp_playout_mode mode : {LIVETCP_PLAYOUT_FIXED, LIVETCP_PLAYOUT_ADAPTIVE}) {
        for (int32_t jump : {8000 * 5, -8000 * 5, INT32_MAX - 100000, INT32_MIN + 100000}) {
            INFO("mode " << mode << " jump " << jump);
            Stream stream(voice(mode));
            stream.rtp.timestamp = 4000000000u;
            stream.run(200);
            stream.rtp.timestamp += static_cast<uint32_t>(jump);
            stream.run(200);
            stream.finish();
            CHECK(stream.played() == 400);
            CHECK(stream.events & LIVETCP_PLAYOUT_TIMESTAMP_RESET);
            CHECK(stream.playout.stats().timestamp_resets == 1);
            CHECK(stream.playout.stats().lost == 0);
        }
    }
}

TEST_CASE("a single packet with a wild timestamp is dropped and changes nothing")
{
    Stream stream(voice(LIVETCP_PLAYOUT_FIXED));
    stream.run(100);
    uint32_t right = stream.rtp.timestamp;
    stream.rtp.timestamp = right + 0x40000000;
    stream.run(1);
    stream.rtp.timestamp = right + 160;
    stream.run(100);
    stream.finish();
    CHECK(stream.played() == 200);
    CHECK(stream.playout.stats().stray == 1);
    CHECK(stream.playout.stats().lost == 1);
    CHECK(stream.playout.stats().timestamp_resets == 0);
}

TEST_CASE("sequence numbers that jump or start over are followed, without losing a packet")
{
    for (unsigned to : {0u, 30000u, 5000u, 64000u}) {
        for (bool other_time : {false, true}) {
            INFO("from 1200 to " << to << " timestamps " << other_time);
            Stream stream(voice(LIVETCP_PLAYOUT_ADAPTIVE));
            stream.rtp.sequence = 1000;
            stream.run(200);
            stream.rtp.sequence = static_cast<uint16_t>(to);
            if (other_time)
                stream.rtp.timestamp = 77;
            stream.run(200);
            stream.finish();
            CHECK(stream.playout.stats().sequence_resets == 1);
            CHECK(stream.events & LIVETCP_PLAYOUT_SEQUENCE_RESET);
            CHECK(stream.played() == 400);
            CHECK(stream.playout.stats().lost == 0);
        }
    }
}

TEST_CASE("a sender that starts over with the same SSRC and numbers is heard again")
{
    Stream stream(voice(LIVETCP_PLAYOUT_ADAPTIVE));
    stream.run(500);
    stream.clock += 300 * ms;
    stream.rtp.sequence = 0;
    stream.rtp.timestamp = 1;
    stream.run(500);
    stream.finish();
    CHECK(stream.played() == 1000);
    CHECK(stream.playout.stats().sequence_resets == 1);
}

TEST_CASE("another SSRC takes over after its second packet, and the old one does not come back")
{
    Stream stream(voice(LIVETCP_PLAYOUT_FIXED));
    stream.run(100);
    Rtp old = stream.rtp;
    stream.rtp.ssrc = 99;
    stream.rtp.sequence = 20; /* also lower numbers */
    stream.rtp.timestamp = 12345;
    stream.run(100);
    CHECK(stream.events & LIVETCP_PLAYOUT_SSRC_CHANGED);
    for (unsigned i = 1; i < 20; i++) { /* what was under way, again and alone */
        Rtp late = old;
        late.sequence = static_cast<uint16_t>(old.sequence - i);
        late.timestamp = old.timestamp - 160 * i;
        late.name = old.name - i;
        if (i % 2)
            stream.check(stream.playout.arrive(late, stream.clock), stream.clock);
        stream.run(1);
    }
    stream.finish();
    CHECK(stream.played() == 100 + 100 + 19);
    CHECK(stream.playout.stats().ssrc_changes == 1);
    CHECK(stream.playout.stats().foreign == 10);
    CHECK(stream.playout.stats().ssrc == 99);
    CHECK(stream.playout.stats().lost == 0);
}

TEST_CASE("two senders with streams mixed into one: one is heard, the other counted")
{
    Stream stream(voice(LIVETCP_PLAYOUT_FIXED));
    Rtp other;
    other.ssrc = 1234;
    other.sequence = 500;
    for (unsigned i = 0; i < 300; i++) {
        stream.run(1);
        stream.check(stream.playout.arrive(other, stream.clock - 10 * ms), stream.clock - 10 * ms);
        other.sequence++;
        other.name++;
        other.timestamp += 160;
    }
    stream.finish();
    CHECK(stream.played() == 300);
    CHECK(stream.playout.stats().foreign >= 299);
    CHECK(stream.playout.stats().ssrc_changes == 0);
}

TEST_CASE("two senders with one SSRC are two sequences: nothing breaks, nothing is played twice")
{
    for (uint16_t numbers : {33000, 20000}) {
        INFO("the other's numbers are from " << numbers);
        Stream stream(voice(LIVETCP_PLAYOUT_ADAPTIVE));
        Rtp other = stream.rtp;
        other.sequence = numbers;
        other.timestamp = 0x70000001;
        other.name = 1000000;
        for (unsigned i = 0; i < 300; i++) {
            livetcp_usec between = stream.clock + 10 * ms;
            stream.run(1);
            stream.check(stream.playout.arrive(other, between), between);
            other.sequence++;
            other.name++;
            other.timestamp += 160;
        }
        stream.finish();
        livetcp_playout_stats stats = stream.playout.stats();
        CHECK(stream.played() >= 150);
        CHECK(stats.sequence_resets + stats.duplicates + stats.stray > 100);
    }
}

TEST_CASE("a wrong clock rate is reported with the right one, and the delay stays bounded")
{
    for (uint32_t actual : {4000u, 7000u, 16000u, 48000u}) {
        INFO(actual);
        Stream stream(voice(LIVETCP_PLAYOUT_ADAPTIVE));
        for (unsigned i = 0; i < 1500; i++) {
            stream.rtp.timestamp = actual / 50 * i;
            stream.send(stream.clock);
            stream.clock += 20 * ms;
        }
        CHECK(stream.events & LIVETCP_PLAYOUT_WRONG_CLOCK_RATE);
        CHECK(stream.playout.stats().measured_clock_rate == Approx(actual).epsilon(0.01));
        CHECK(stream.playout.latency().delay_us <= stream.max_us);
    }
    Stream right(voice(LIVETCP_PLAYOUT_ADAPTIVE));
    right.run(1500);
    CHECK(right.playout.stats().measured_clock_rate == 0);
}

TEST_CASE("reordering, duplicates and very late packets across the wrap")
{
    lt_rng rng;
    lt_rng_seed(&rng, 11);
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 200 * ms));
    std::multimap<livetcp_usec, unsigned> arrivals;
    unsigned very_late = 0;
    for (unsigned i = 0; i < 5000; i++) {
        livetcp_usec sent = second + i * 20 * ms;
        bool late = lt_rng_uniform(&rng) < 0.01;
        very_late += late;
        arrivals.insert({sent + (late ? 5 * second : 0) +
                             static_cast<livetcp_usec>(lt_rng_uniform(&rng) * 150) * ms,
                         i});
        if (lt_rng_uniform(&rng) < 0.2)
            arrivals.insert({sent + 6 * second, i});
    }
    for (const auto &arrival : arrivals) {
        Rtp rtp;
        rtp.sequence = static_cast<uint16_t>(63000 + arrival.second);
        rtp.timestamp = 4294900000u + 160 * arrival.second;
        playout.arrive(rtp, arrival.first);
    }
    playout.play(arrivals.rbegin()->first + second);
    livetcp_playout_stats stats = playout.stats();
    CHECK(stats.played + stats.late == 5000);
    CHECK(stats.late >= very_late);
    CHECK(stats.late <= very_late + 2); /* while the least transit time was being found */
    CHECK(stats.lost == 0);
    CHECK(stats.sequence_resets + stats.timestamp_resets == 0);
    for (size_t i = 1; i < playout.outputs.size(); i++)
        REQUIRE(playout.outputs[i].play_us >= playout.outputs[i - 1].play_us);
}
