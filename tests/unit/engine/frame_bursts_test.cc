/* SPDX-License-Identifier: MIT */
/* What the delivery of a frame says about a path. */
#include "catch.h"

extern "C" {
#include "engine/rate/bitrate.h"
#include "engine/rate/frame_bursts.h"
}

namespace
{

const livetcp_usec ms = 1000, base = 60 * ms;

/* Frames of three packets over a link of that rate; the platform's answer comes `late` after. */
double carried(double rate, unsigned frames, size_t size, livetcp_usec late)
{
    lt_frame_bursts bursts;
    lt_frame_bursts_init(&bursts);
    livetcp_usec now = 1000 * ms;
    for (unsigned i = 0; i < frames; i++, now += 40 * ms) {
        lt_burst_place place = {};
        for (unsigned j = 0; j < 3; j++)
            place = lt_frame_bursts_on_written(&bursts, size, now);
        auto taken = static_cast<livetcp_usec>(2 * static_cast<double>(size) / rate * 1e6);
        lt_frame_bursts_on_delivered(&bursts, &place, now, base, now + base + taken + late);
    }
    return lt_frame_bursts_rate(&bursts);
}

} // namespace

TEST_CASE("a path carries at least the rate at which frames are delivered", "[frame_bursts]")
{
    CHECK(carried(125e3, 4, 1000, 0) == Approx(125e3));
    CHECK(carried(125e3, 4, 1000, 8 * ms) == Approx(2000 / 0.024)); /* a bound, no rate */
    CHECK(carried(125e3, 3, 1000, 0) == 0);                         /* not often enough */
    CHECK(carried(125e3, 4, 200, 0) == 0);                          /* too few bytes */
    CHECK(carried(10e6, 4, 1000, 0) == Approx(2000 / 0.005)); /* no more than the clock shows */
}

TEST_CASE("packets of different frames are no burst", "[frame_bursts]")
{
    lt_frame_bursts bursts;
    lt_frame_bursts_init(&bursts);
    lt_burst_place first = lt_frame_bursts_on_written(&bursts, 1000, 0);
    lt_burst_place second = lt_frame_bursts_on_written(&bursts, 1000, 20 * ms);
    CHECK(first.number != second.number);
    CHECK(second.behind == 0);
}

TEST_CASE("the rate at which something stood is forgotten once more gets through", "[bitrate]")
{
    lt_bitrate bitrate;
    lt_bitrate_init(&bitrate, 0, 0);
    CHECK_FALSE(lt_bitrate_on_burst_rate(&bitrate, 1e6)); /* nothing has stood */
    bitrate.ceiling = 50e3;
    CHECK_FALSE(lt_bitrate_on_burst_rate(&bitrate, 55e3));
    CHECK(lt_bitrate_on_burst_rate(&bitrate, 60e3));
    CHECK(bitrate.ceiling == 0);
    bitrate.ceiling = 50e3;
    bitrate.by_windows = true; /* the windows stay what they are */
    CHECK_FALSE(lt_bitrate_on_burst_rate(&bitrate, 60e3));
}
