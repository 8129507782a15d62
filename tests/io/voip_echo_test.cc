/* SPDX-License-Identifier: MIT */
/* The echo canceller of samples/voip_call: what the loudspeaker played is taken out of what the
 * microphone took, and the two are kept in step. */
#include "catch.h"

#include <cmath>
#include <random>
#include <vector>

extern "C" {
#include "../../samples/voip_call/echo.h"
}

using Frame = std::vector<int16_t>;

static Frame noise(std::mt19937 &random)
{
    std::uniform_int_distribution<int> samples(-8000, 8000);
    Frame frame(FRAME);
    for (int16_t &sample : frame)
        sample = static_cast<int16_t>(samples(random));
    return frame;
}

static double power(const Frame &frame)
{
    double sum = 0;
    for (int16_t sample : frame)
        sum += static_cast<double>(sample) * sample;
    return sum / static_cast<double>(frame.size());
}

TEST_CASE("the echo of a room is taken out of the microphone's sound, and nothing else")
{
    const size_t late = 1500; /* samples: some 30 ms of buffers and room */
    for (bool cancels : {true, false}) {
        std::mt19937 random(7);
        echo *e = echo_create(cancels);
        REQUIRE(e);
        Frame room(late, 0);
        double before = 0, after = 0;
        for (unsigned i = 0; i < 150; i++) {
            Frame far = noise(random), captured(FRAME), played(FRAME);
            room.insert(room.end(), far.begin(), far.end());
            for (size_t k = 0; k < FRAME; k++)
                captured[k] = static_cast<int16_t>(room[i * FRAME + k] / 4);
            echo_played(e, far.data(), FRAME);
            double loud = power(captured);
            echo_cancel(e, captured.data(), played.data());
            CHECK(played == far);
            if (i < 100) /* it learns the room */
                continue;
            before += loud;
            after += power(captured);
        }
        INFO(10 * std::log10(before / after) << " dB");
        CHECK((after < before / 10) == cancels);
        echo_destroy(&e);
    }
}

TEST_CASE("what one talks into a silent loudspeaker comes through as it is")
{
    std::mt19937 random(7);
    echo *e = echo_create(true);
    const Frame silence(FRAME, 0);
    REQUIRE(e);
    for (unsigned i = 0; i < 20; i++) {
        const Frame captured = noise(random);
        Frame out = captured, played(FRAME, 1);
        echo_played(e, silence.data(), FRAME);
        echo_cancel(e, out.data(), played.data());
        CHECK(played == silence);
        if (i > 6)
            CHECK(out == captured);
    }
    echo_destroy(&e);
}

TEST_CASE("after a device has stumbled, the two are in step again")
{
    echo *e = echo_create(false);
    Frame played(FRAME), captured(FRAME), loud(FRAME, 1000);
    REQUIRE(e);
    for (unsigned i = 0; i < 10; i++)
        echo_played(e, loud.data(), FRAME);
    echo_align(e, 10 * FRAME + FRAME / 2); /* near enough */
    echo_align(e, 2 * FRAME);              /* eight frames were never taken */
    for (unsigned i = 0; i < 3; i++) {
        echo_cancel(e, captured.data(), played.data());
        CHECK(played == (i < 2 ? loud : Frame(FRAME, 0)));
    }
    echo_played(e, loud.data(), FRAME);
    echo_align(e, 5 * FRAME); /* four frames were not played: silence comes first */
    for (unsigned i = 0; i < 6; i++) {
        echo_cancel(e, captured.data(), played.data());
        CHECK(played == (i == 4 ? loud : Frame(FRAME, 0)));
    }
    echo_destroy(&e);
}
