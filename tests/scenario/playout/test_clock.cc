/* SPDX-License-Identifier: MIT */
/* The least transit time: it follows the clocks and nothing else. */
#include "call.h"

namespace
{

const livetcp_usec nothing = 0;

livetcp_usec worst(const Call &call, livetcp_usec from, livetcp_usec to)
{
    livetcp_usec worst = 0;
    for (const Fate &fate : call.fates)
        if (fate.media_us >= from && fate.media_us < to)
            worst = std::max<livetcp_usec>(worst, std::llabs(fate.base_error(call.way_us)));
    return worst;
}

/* Jitter, and now and then a loss that TCP repairs. */
livetcp_usec busy_path(Call &call)
{
    return call.jitter(3 * ms) + (lt_rng_uniform(&call.rng) < 0.02 ? 150 * ms : 0);
}

} // namespace

TEST_CASE("clock skew is tracked within a millisecond over ten minutes")
{
    for (double ppm : {-100.0, 100.0, -30.0, 0.0}) {
        for (livetcp_usec silence : {nothing, 800 * ms}) {
            INFO(ppm << " ppm, silence " << silence);
            Call call(voice(LIVETCP_PLAYOUT_FIXED));
            call.skew_ppm = ppm;
            call.silence_us = silence;
            call.run(600 * second, [&](livetcp_usec) { return busy_path(call); });
            CHECK(worst(call, 2 * second, 600 * second) <= 1 * ms);
            CHECK(call.playout.stats().skew_ppm == Approx(ppm).margin(10));
            CHECK(call.playout.stats().base_moves == 0);
            /* And what is played goes along, without a talkspurt's start if there is none. */
            for (const Fate &fate : call.fates)
                if (fate.media_us > 10 * second)
                    REQUIRE(std::llabs(fate.total_us() - call.way_us - 100 * ms) <= 1500);
            CHECK(call.playout.stats().measured_clock_rate == 0);
        }
    }
}

TEST_CASE("a standing queue is reported within a second, and not taken for the path")
{
    const livetcp_usec begin = 60 * second, end = 80 * second;
    for (double ppm : {0.0, 100.0, -100.0}) {
        INFO(ppm << " ppm");
        Call call(voice(LIVETCP_PLAYOUT_ADAPTIVE));
        call.skew_ppm = ppm;
        call.silence_us = 800 * ms;
        call.run(120 * second, [&](livetcp_usec now) {
            return call.jitter(2 * ms) + (now >= begin && now < end ? 150 * ms : 0);
        });
        CHECK(worst(call, 2 * second, 120 * second) <= 5 * ms);
        CHECK(worst(call, end + second, 120 * second) <= 1 * ms);
        for (const Fate &fate : call.fates) {
            livetcp_usec now = fate.media_us, reported = fate.stats.standing_queue_us;
            if (now < begin)
                REQUIRE(reported <= 10 * ms);
            if (now > begin + second && now < end && !fate.spurt)
                if (fate.media_us % (2 * second) > second) /* half a second of speech */
                    REQUIRE(reported == Approx(150 * ms).margin(10 * ms));
            if (now > end + second)
                REQUIRE(reported <= 10 * ms);
        }
        CHECK(call.playout.stats().max_standing_queue_us >= 145 * ms);
        CHECK(call.playout.stats().base_moves == 0);
    }
}

TEST_CASE("a queue that grows over many seconds is not taken for skew")
{
    Call call(voice(LIVETCP_PLAYOUT_FIXED));
    call.run(90 * second, [&](livetcp_usec now) {
        livetcp_usec grown = now > 30 * second ? (now - 30 * second) / 200 : 0; /* 5 ms/s */
        return call.jitter(1 * ms) + (now < 60 * second ? grown : 0);
    });
    CHECK(worst(call, 2 * second, 90 * second) <= 5 * ms);
    CHECK(worst(call, 61 * second, 90 * second) <= 2 * ms);
}

TEST_CASE("a path that got longer for good is believed after two minutes, and said so")
{
    Call call(voice(LIVETCP_PLAYOUT_FIXED));
    call.run(200 * second, [&](livetcp_usec now) {
        return call.jitter(1 * ms) + (now > 30 * second ? 60 * ms : 0);
    });
    CHECK(call.playout.stats().base_moves == 1);
    for (const Fate &fate : call.fates) {
        if (fate.media_us > 32 * second && fate.media_us < 148 * second)
            REQUIRE(std::llabs(fate.base_error(call.way_us)) <= 5 * ms);
        if (fate.media_us > 152 * second)
            REQUIRE(std::llabs(fate.base_error(call.way_us) - 60 * ms) <= 2 * ms);
    }
}

TEST_CASE("a path that got shorter is believed at once")
{
    Call call(voice(LIVETCP_PLAYOUT_FIXED));
    call.silence_us = 800 * ms;
    call.run(60 * second, [&](livetcp_usec now) {
        return call.jitter(1 * ms) + (now < 30 * second ? 60 * ms : 0);
    });
    CHECK(worst(call, 31 * second, 60 * second) <= 1 * ms);
    CHECK(call.playout.stats().base_moves == 0);
}

TEST_CASE("a sender whose clock stood still during a pause is heard again two seconds after it")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED));
    Rtp rtp;
    livetcp_usec now = second;
    unsigned late = 0;
    for (unsigned i = 0; i < 500; i++) {
        rtp.sequence = static_cast<uint16_t>(i);
        rtp.timestamp = 160 * i;
        now += i == 250 ? 60 * second : 20 * ms; /* on hold for a minute */
        late += playout.arrive(rtp, now).result == LIVETCP_PLAYOUT_LATE;
    }
    CHECK(late >= 90);
    CHECK(late <= 110);
    CHECK(playout.stats().base_moves == 1);
}

TEST_CASE("a long silence is no reason to believe in another path")
{
    Call call(voice(LIVETCP_PLAYOUT_ADAPTIVE));
    call.skew_ppm = 20;
    auto path = [&](livetcp_usec) { return 4 * ms + call.jitter(4 * ms); };
    call.run(60 * second, path);
    call.media_us += 600 * second;
    call.run(60 * second, path);
    CHECK(call.playout.stats().base_moves == 0);
    CHECK(call.playout.stats().timestamp_resets == 0);
    for (const Fate &fate : call.fates)
        if (fate.media_us > 661 * second)
            REQUIRE(std::llabs(fate.base_error(call.way_us) - 4 * ms) <= 4 * ms);
}
