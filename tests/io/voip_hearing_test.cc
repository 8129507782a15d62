/* SPDX-License-Identifier: MIT */
/* What samples/voip_call hears, and how often its thread wakes up for it, in virtual time. */
#include "catch.h"

extern "C" {
#include "voip_hearing.h"
}

namespace
{

const livetcp_usec MS = LIVETCP_USEC_MSEC;
const unsigned FRAMES = 200, COUNTED = FRAMES - 25; /* without half a second */

/* The tail of the call is still on its way; the first packets end the noise before them. */
const unsigned EDGE = 4;

} // namespace

TEST_CASE("packets that are there in time cost the thread no wake-up of their own",
          "[voip-hearing]")
{
    const int phase = GENERATE(0, 3, 7, 11, 15, 19);
    CAPTURE(phase);
    const heard all = hear_call(FRAMES, phase * MS, [](unsigned) { return 50 * MS; });
    CHECK(all.wakeups <= COUNTED + EDGE);
    CHECK(all.decoded + EDGE >= FRAMES);
    CHECK(all.corrected == 0);
    CHECK(all.emptiest >= 0);
    CHECK(all.delay_us < 15 * MS);
}

TEST_CASE("a packet that comes after the frame before it is due is waited for", "[voip-hearing]")
{
    const int phase = GENERATE(0, 3, 7, 11, 15, 19);
    CAPTURE(phase);
    /* one of eight just in time: 2 ms before it is due */
    const auto way = [](unsigned frame) {
        return frame % 8 == 7 ? 50 * MS + LATENCY_US - 2 * MS : 50 * MS;
    };
    const heard some = hear_call(FRAMES, phase * MS, way);
    const heard none = hear_call(FRAMES, phase * MS, [](unsigned) { return 50 * MS; });
    CHECK(some.decoded == none.decoded);
    CHECK(some.corrected == 0);
    CHECK(some.concealed <= none.concealed + 1);
    CHECK(some.wakeups <= COUNTED + COUNTED / 8 + EDGE);
    CHECK(some.delay_us < 15 * MS);
}

TEST_CASE("a gap is filled from the packet behind it when it is due, and not before",
          "[voip-hearing]")
{
    const int phase = GENERATE(0, 7, 15);
    CAPTURE(phase);
    const auto way = [](unsigned frame) { return frame % 10 == 9 ? (livetcp_usec)LOST : 50 * MS; };
    const heard gaps = hear_call(FRAMES, phase * MS, way);
    CHECK(gaps.decoded + EDGE >= gaps.sent);
    CHECK(gaps.corrected > 0);
    CHECK(gaps.emptiest >= 0);
    CHECK(gaps.wakeups <= COUNTED + COUNTED / 10 + EDGE);
}

TEST_CASE("a pause costs no wake-ups, and the speech behind it is not heard later",
          "[voip-hearing]")
{
    const int phase = GENERATE(0, 3, 7, 11, 15, 19);
    CAPTURE(phase);
    const auto way = [](unsigned frame) {
        return frame % 50 >= 25 ? (livetcp_usec)NOT_SENT : 50 * MS;
    };
    const heard pauses = hear_call(FRAMES, phase * MS, way);
    CHECK(pauses.decoded + EDGE >= pauses.sent);
    /* the first packet behind each pause, and the three that the playout takes for late */
    CHECK(pauses.wakeups <= COUNTED + 4 * (FRAMES / 50) + EDGE);
    CHECK(pauses.emptiest >= 0);
    CHECK(pauses.fullest <= 48 * (5 + 22 + 10 + 20));
    CHECK(pauses.delay_us < 20 * MS);
}
