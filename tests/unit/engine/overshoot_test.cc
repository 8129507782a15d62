/* SPDX-License-Identifier: MIT */
/* Sources that send more than they are told. */
#include "catch.h"

extern "C" {
#include "engine/rate/overshoot.h"
}

#include <functional>

namespace
{

constexpr double carried = 1e6; /* bit/s, of the path */

/* For `seconds` the source, which sends `sends` bit/s when told so much, is told what the path
 * carries less the excess; returns what it sends at last. */
struct Source {
    Source()
    {
        lt_overshoot_init(&overshoot);
    }

    double run(double seconds, const std::function<double(double)> &sends, bool stands = true)
    {
        for (livetcp_usec end = now + static_cast<livetcp_usec>(seconds * 1e6); now < end;
             now += 50000) {
            told = carried - overshoot.bits;
            sent = sends(told);
            lt_overshoot_update(&overshoot, told, sent, false, stands, now);
        }
        return sent;
    }

    lt_overshoot overshoot;
    double told = 0, sent = 0;
    livetcp_usec now = 1000000;
};

} // namespace

TEST_CASE("a source that sends more than it is told is told less", "[overshoot]")
{
    Source times, more;
    CHECK(times.run(15, [](double told) { return 1.25 * told; }) == Approx(carried).epsilon(0.03));
    CHECK(times.told == Approx(carried / 1.25).epsilon(0.03));
    CHECK(more.run(15, [](double told) { return told + 64e3; }) == Approx(carried).epsilon(0.03));
}

TEST_CASE("small differences, and those that harm nobody, are left alone", "[overshoot]")
{
    Source little, unseen;
    little.run(15, [](double told) { return 1.03 * told; });
    CHECK(little.told == carried);
    unseen.run(
        15, [](double told) { return 1.25 * told; }, false);
    CHECK(unseen.told == carried);
}

TEST_CASE("a source that has come to send what it is told is told all again", "[overshoot]")
{
    Source source;
    source.run(15, [](double told) { return 1.25 * told; });
    source.run(10, [](double told) { return told; });
    CHECK(source.told == carried);
}

TEST_CASE("a source of a fixed rate is told less for a moment only", "[overshoot]")
{
    Source source;
    auto fixed = [](double) { return 1.6 * carried; };
    source.run(1.5, fixed);
    CHECK(source.told < 0.95 * carried);
    source.run(4, fixed);
    CHECK(source.told == carried);
    source.run(8, fixed);
    CHECK(source.told == carried);
}
