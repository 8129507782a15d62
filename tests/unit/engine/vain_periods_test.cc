/* SPDX-License-Identifier: MIT */
/* A queue that stays, whatever the session sends, is another's. */
#include "catch.h"

extern "C" {
#include "engine/rate/vain_periods.h"
}

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000 * ms;
constexpr double limit = 50000; /* bytes per second */

/* A session that delivers `rate` while a queue stands; when it is found to be another's. */
livetcp_usec found_at(double rate, livetcp_usec queue_us, livetcp_usec until, bool follows = true)
{
    lt_vain_periods vain;
    lt_vain_periods_init(&vain);
    for (livetcp_usec now = second; now < until; now += 10 * ms) {
        lt_congestion_sample sample = {};
        sample.now_us = now;
        sample.base_us = 200 * ms;
        sample.connections = 1;
        sample.follows = follows;
        sample.lossless = true;
        sample.delivered = static_cast<uint64_t>(rate * static_cast<double>(now) / 1e6);
        lt_delay_window window = {};
        window.known = true;
        window.queue_us = window.total_us = queue_us;
        window.span_us = 200 * ms;
        window.delivered =
            static_cast<uint64_t>(rate * static_cast<double>(now - window.span_us) / 1e6);
        if (lt_vain_periods_update(&vain, &sample, &window, limit, 50 * ms))
            return now - second;
    }
    return LIVETCP_NEVER;
}

} // namespace

/* Beside CUBIC at its plateau an encoder on one connection was told 20 kbit/s for four seconds, and
 * had 0.09 of a fair share in the end. */
TEST_CASE("a queue that stands while next to nothing is sent is another's", "[vain_periods]")
{
    CHECK(found_at(0.05 * limit, 30 * ms, 10 * second) < 2 * second);
    CHECK(found_at(0.05 * limit, 5 * ms, 10 * second) == LIVETCP_NEVER); /* none stands */
    CHECK(found_at(0.95 * limit, 30 * ms, 6 * second) == LIVETCP_NEVER); /* it may be our own */
}

/* That of BBR may be shorter than ours. A source at a fixed rate may have made the queue, which
 * drains by what the link has to spare. */
TEST_CASE("a queue that lasts although the source sends what it is told is another's",
          "[vain_periods]")
{
    livetcp_usec found = found_at(0.95 * limit, 10 * ms, 10 * second);
    CHECK(found > 5 * second);
    CHECK(found < 8 * second);
    CHECK(found_at(0.95 * limit, 5 * ms, 30 * second) == LIVETCP_NEVER); /* none stands */
    CHECK(found_at(0.95 * limit, 10 * ms, 30 * second, false) == LIVETCP_NEVER);
    CHECK(found_at(0.95 * limit, 30 * ms, 10 * second, false) == LIVETCP_NEVER);
}
