/* SPDX-License-Identifier: MIT */
/* Losses of a buffer that is hardly longer than the session's own queue. */
#include "catch.h"

extern "C" {
#include "engine/rate/short_buffer.h"
}

namespace
{

constexpr livetcp_usec second = 1000000;
constexpr double segment = 1448;

/* 100 segments a second, with a round trip of 40 ms. */
struct Sends {
    Sends()
    {
        lt_short_buffer_init(&buffer);
        sample.base_us = 40000;
        sample.now_us = second;
        run(0.01, 0, false); /* nothing is known of the path yet */
    }

    /* `part` of the segments are lost in the time. */
    void run(double seconds, double part, bool ours = true)
    {
        for (int i = 0; i < static_cast<int>(seconds * 100); i++) {
            sample.now_us += second / 100;
            lost += part;
            sample.delivered += static_cast<uint64_t>((1 - part) * segment);
            sample.retransmitted = static_cast<uint64_t>(lost);
            lt_short_buffer_update(&buffer, &sample, ours);
        }
    }

    lt_short_buffer buffer;
    lt_congestion_sample sample = {};
    double lost = 0;
};

} // namespace

TEST_CASE("a session that loses few segments has all of its queue", "[short_buffer]")
{
    Sends sends;
    sends.run(30, 0.015);
    CHECK(sends.buffer.spare == 1);
}

TEST_CASE("losses that end with a shorter queue keep it short, and after some time it grows again",
          "[short_buffer]")
{
    Sends sends;
    sends.run(2.6, 0.06);
    CHECK(sends.buffer.spare == 0);
    sends.run(2.5, 0.02);
    CHECK(sends.buffer.spare == 0);
    sends.run(10, 0.02);
    CHECK(sends.buffer.spare > 0.4);
    CHECK(sends.buffer.spare < 0.6);
    sends.run(4, 0.06); /* at once: that they are the buffer's is known */
    CHECK(sends.buffer.spare < 0.1);
    sends.run(23, 0);
    CHECK(sends.buffer.spare == 1);
}

TEST_CASE("losses that do not end with a shorter queue are left alone", "[short_buffer]")
{
    Sends sends;
    sends.run(2.6, 0.06);
    CHECK(sends.buffer.spare == 0);
    sends.run(2.6, 0.06);
    CHECK(sends.buffer.spare == 1);
    sends.run(29, 0.06); /* for half a minute */
    CHECK(sends.buffer.spare == 1);
    sends.run(3, 0.06);
    CHECK(sends.buffer.spare == 0);
}

TEST_CASE("repairs of losses of before do not count while a shorter queue is tried",
          "[short_buffer]")
{
    Sends sends;
    sends.run(2.6, 0.06);
    sends.run(0.5, 0.2);
    sends.run(3, 0.01);
    CHECK(sends.buffer.spare < 0.1);
}

TEST_CASE("losses beside a flow that fills the buffer say nothing about it", "[short_buffer]")
{
    Sends sends;
    sends.run(10, 0.06, false);
    CHECK(sends.buffer.spare == 1);
    sends.run(0.5, 0.2); /* nor those that are still repaired when it has gone */
    sends.run(3, 0);
    CHECK(sends.buffer.spare == 1);
}
