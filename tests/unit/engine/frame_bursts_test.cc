/* SPDX-License-Identifier: MIT */
/* What the delivery of a frame says about a path. */
#include "catch.h"

extern "C" {
#include "engine/rate/bitrate.h"
#include "engine/rate/frame_bursts.h"
}

namespace
{

const livetcp_usec ms = 1000, second = 1000 * ms, base = 60 * ms;

/* Frames of three packets over a link of that rate; the platform's answer comes `late` after. */
void deliver(lt_frame_bursts &bursts, livetcp_usec now, double rate, unsigned frames, size_t size,
             livetcp_usec late)
{
    for (unsigned i = 0; i < frames; i++, now += 40 * ms) {
        lt_burst_place place = {};
        for (unsigned j = 0; j < 3; j++)
            place = lt_frame_bursts_on_written(&bursts, size, now);
        auto taken = static_cast<livetcp_usec>(2 * static_cast<double>(size) / rate * 1e6);
        lt_frame_bursts_on_delivered(&bursts, &place, now, base, now + base + taken + late);
    }
}

double carried(double rate, unsigned frames, size_t size, livetcp_usec late)
{
    lt_frame_bursts bursts;
    lt_frame_bursts_init(&bursts);
    deliver(bursts, 1000 * ms, rate, frames, size, late);
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

TEST_CASE("what a path has carried stays known while another flow slows frames down",
          "[frame_bursts]")
{
    lt_frame_bursts bursts;
    lt_frame_bursts_init(&bursts);
    deliver(bursts, 1000 * ms, 250e3, 6, 1000, 0);
    deliver(bursts, 2000 * ms, 50e3, 6, 1000, 0);
    CHECK(lt_frame_bursts_rate(&bursts) == Approx(50e3));
    CHECK(lt_frame_bursts_best(&bursts) == Approx(250e3));
    CHECK(lt_frame_bursts_behind(&bursts) == 2000);
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
    lt_congestion congestion;
    lt_bitrate_init(&bitrate, 0, 0);
    lt_congestion_init(&congestion);
    auto shows = [&](double rate) {
        return lt_bitrate_on_burst_rate(&bitrate, &congestion, rate, second);
    };
    CHECK_FALSE(shows(1e6)); /* nothing has stood */
    bitrate.ceiling = 50e3;
    CHECK_FALSE(shows(55e3));
    CHECK(shows(60e3));
    CHECK(bitrate.ceiling == 0);
    bitrate.ceiling = 50e3;
    bitrate.by_windows = true; /* the windows stay what they are */
    CHECK_FALSE(shows(60e3));
}
