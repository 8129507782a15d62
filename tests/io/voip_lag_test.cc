/* SPDX-License-Identifier: MIT */
/* What samples/voip_call does about a microphone that falls behind. */
#include "catch.h"

#include <algorithm>

extern "C" {
#include "../../samples/voip_call/lag.h"
#include "../../samples/voip_call/sound.h"
}

namespace
{

const livetcp_usec MS = LIVETCP_USEC_MSEC, SECOND = LIVETCP_USEC_SEC;

/* A microphone that gives `block` samples at once; `came` is how many have come at a time. The
 * program looks every 5 ms. Samples of silence that stood for missing ones, at the end. */
struct outcome {
    long stood, worst; /* worst: samples behind what it is usually, in the second half */
    bool dropped;
};

template <class Came> outcome listen(livetcp_usec duration, long block, Came came)
{
    lag l = {};
    outcome result = {};

    for (livetcp_usec now = 5 * MS; now < duration; now += 5 * MS) {
        const long passed = static_cast<long>(now * SAMPLE_RATE / SECOND);
        const long there = static_cast<long>(came(now)) / block * block;
        const long change = lag_update(&l, SECOND + now, passed - there - l.stood);
        result.dropped = result.dropped || change < 0;
        CHECK(change % FRAME == 0);
        if (now > duration / 2)
            result.worst = std::max(result.worst, passed - there - l.stood);
    }
    result.stood = l.stood;
    return result;
}

double samples(livetcp_usec us)
{
    return static_cast<double>(us) * SAMPLE_RATE / SECOND;
}

} // namespace

TEST_CASE("a microphone in time is heard as it is, whatever its blocks", "[voip-lag]")
{
    const long block = GENERATE(1, FRAME / 2, FRAME, 5 * FRAME);
    const double ppm = GENERATE(-300.0, 0.0, 300.0);
    CAPTURE(block, ppm);
    const outcome o = listen(100 * SECOND, block,
                             [=](livetcp_usec now) { return samples(now) * (1 + ppm / 1e6); });
    CHECK(o.stood == 0);
}

TEST_CASE("silence stands for what a slow microphone does not give", "[voip-lag]")
{
    const outcome o =
        listen(20 * SECOND, FRAME / 2, [](livetcp_usec now) { return 0.97 * samples(now); });
    CHECK(o.stood >= 0.028 * samples(20 * SECOND));
    CHECK(o.stood <= 0.03 * samples(20 * SECOND));
    CHECK(o.worst <= FRAME / 2 + FRAME + samples(200 * MS) * 0.1); /* a block, a frame, a window */
    CHECK_FALSE(o.dropped);
}

TEST_CASE("silence stands for what was lost while a microphone stood still", "[voip-lag]")
{
    const outcome o = listen(4 * SECOND, FRAME / 2, [](livetcp_usec now) {
        return now < SECOND ? samples(now) : samples(std::max(SECOND, now - 300 * MS));
    });
    CHECK(o.stood >= samples(300 * MS) - FRAME);
    CHECK(o.stood <= samples(300 * MS));
    CHECK(o.worst <= 2 * FRAME);
}

TEST_CASE("what comes later, after all, is dropped", "[voip-lag]")
{
    const outcome o = listen(4 * SECOND, FRAME / 2, [](livetcp_usec now) {
        return now < SECOND || now > SECOND + 600 * MS ? samples(now) : samples(SECOND);
    });
    CHECK(o.stood <= FRAME);
    CHECK(o.dropped);
}
