/* SPDX-License-Identifier: MIT */
/* The clock rate of a stream, from its payload type, its packets, or its sender's reports. */
#include "catch.h"

extern "C" {
#include "base/rng.h"
#include "rtp/rtcp/clock_rate.h"
#include "rtp/rtcp/ntp.h"
}

namespace
{

const livetcp_usec second = 1000000;

/* Packets of `seconds`, one every `interval`, each delayed by up to `jitter`. */
lt_clock_rate learn(double rate, livetcp_usec interval, livetcp_usec jitter, double seconds)
{
    lt_clock_rate clock = {};
    lt_rng rng;
    lt_rng_seed(&rng, 1);
    for (livetcp_usec at = 0; at < seconds * second; at += interval) {
        livetcp_usec late =
            static_cast<livetcp_usec>(lt_rng_uniform(&rng) * static_cast<double>(jitter));
        /* Wraps soon after the start. */
        uint32_t timestamp =
            0xfffffff0u + static_cast<uint32_t>(static_cast<uint64_t>(rate * at / second));
        lt_clock_rate_on_packet(&clock, 96, timestamp, 7 * second + at + late);
    }
    return clock;
}

} // namespace

TEST_CASE("static payload types have the rates of RFC 3551", "[rtcp]")
{
    CHECK(lt_clock_rate_of_payload(0) == 8000);
    CHECK(lt_clock_rate_of_payload(8) == 8000);
    CHECK(lt_clock_rate_of_payload(9) == 8000); /* G.722, which samples at 16000 */
    CHECK(lt_clock_rate_of_payload(10) == 44100);
    CHECK(lt_clock_rate_of_payload(33) == 90000);
    CHECK(lt_clock_rate_of_payload(1) == 0);
    CHECK(lt_clock_rate_of_payload(35) == 0);
    CHECK(lt_clock_rate_of_payload(127) == 0);
    lt_clock_rate clock = {};
    lt_clock_rate_on_packet(&clock, 8, 0, 0);
    CHECK(clock.rate == 8000); /* from the payload type, at once */
}

TEST_CASE("what the application tells is neither guessed nor changed", "[rtcp]")
{
    lt_clock_rate clock = {};
    lt_clock_rate_set(&clock, 50000); /* not a usual rate */
    CHECK(clock.rate == 50000);
    for (unsigned i = 0; i < 500; i++)
        lt_clock_rate_on_packet(&clock, 96, i * 960, i * 20000); /* looks like 48000 */
    CHECK(clock.rate == 50000);
    lt_clock_rate_on_packet(&clock, 0, 0, 11 * second);
    CHECK(clock.rate == 50000);
    lt_clock_rate_on_report(&clock, 1, 0);
    lt_clock_rate_on_report(&clock, 1 + (UINT64_C(2) << 32), 16000);
    CHECK(clock.rate == 50000);
    lt_clock_rate_set(&clock, 90000);
    CHECK(clock.rate == 90000);
}

TEST_CASE("each rate in use is found from a stream, with jitter, within three seconds", "[rtcp]")
{
    for (uint32_t rate : {8000u, 16000u, 24000u, 32000u, 44100u, 48000u, 90000u, 96000u}) {
        INFO(rate);
        CHECK(learn(rate, 20000, 0, 2.5).rate == rate);
        CHECK(learn(rate, 20000, 20000, 3).rate == rate);
        CHECK(learn(rate * 1.0001, 33333, 10000, 3).rate == rate); /* 100 ppm */
    }
}

TEST_CASE("a rate is not believed before two spans agree on it", "[rtcp]")
{
    CHECK(learn(48000, 20000, 0, 1.9).rate == 0);
}

TEST_CASE("timestamps that run like no clock in use stay unknown", "[rtcp]")
{
    CHECK(learn(67000, 20000, 0, 30).rate == 0);
    CHECK(learn(0, 20000, 0, 30).rate == 0);
}

TEST_CASE("frames out of display order do not mislead", "[rtcp]")
{
    lt_clock_rate clock = {};
    const unsigned order[] = {0, 3, 1, 2}; /* I P B B, at 25 frames a second */
    for (unsigned i = 0; i < 100; i++)
        lt_clock_rate_on_packet(&clock, 96, (i / 4 * 4 + order[i % 4]) * 3600, i * 40000);
    CHECK(clock.rate == 90000);
}

TEST_CASE("a stream that jumps back is learned again", "[rtcp]")
{
    lt_clock_rate clock = learn(48000, 20000, 0, 3);
    for (unsigned i = 0; i < 1000; i++)
        lt_clock_rate_on_packet(&clock, 96, 0x70000000u + i * 320,
                                (20 + i / 50) * second + i % 50 * 20000);
    CHECK(clock.rate == 16000);
}

TEST_CASE("two sender reports tell the rate, and packets do not change it again", "[rtcp]")
{
    lt_clock_rate clock = {};
    uint64_t ntp = lt_ntp_from_unix(1700000000 * second);
    lt_clock_rate_on_report(&clock, ntp, 1000);
    lt_clock_rate_on_report(&clock, ntp + (UINT64_C(1) << 31), 1000 + 24000); /* too soon */
    CHECK(clock.rate == 0);
    lt_clock_rate_on_report(&clock, ntp + (UINT64_C(2) << 32), 1000 + 96000);
    CHECK(clock.rate == 48000);
    for (unsigned i = 0; i < 500; i++)
        lt_clock_rate_on_packet(&clock, 96, i * 160, i * 20000);
    CHECK(clock.rate == 48000);
}

TEST_CASE("sender reports that lie tell nothing", "[rtcp]")
{
    lt_clock_rate clock = {};
    uint64_t ntp = lt_ntp_from_unix(1700000000 * second);
    lt_clock_rate_on_report(&clock, ntp, 0);
    lt_clock_rate_on_report(&clock, ntp + (UINT64_C(2) << 32), 12345678);
    lt_clock_rate_on_report(&clock, 0, 0);
    lt_clock_rate_on_report(&clock, UINT64_MAX, 96000);
    lt_clock_rate_on_report(&clock, UINT64_C(1) << 63, 96000);
    CHECK(clock.rate == 0);
}
