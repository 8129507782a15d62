/* SPDX-License-Identifier: MIT */
/* The rate over a span of the past, against a walk over all that was added. */
#include "catch.h"

#include <vector>

extern "C" {
#include "base/rng.h"
#include "engine/rate/delay_history.h"
}

namespace
{

/* From the oldest of these ticks that is no older than the span to the newest. */
double rate_of(const std::vector<lt_delay_tick> &ticks, livetcp_usec now, livetcp_usec span)
{
    for (size_t i = 0; i + 1 < ticks.size(); i++)
        if (ticks[i].start_us >= now - span)
            return static_cast<double>(ticks.back().delivered - ticks[i].delivered) * 1e6 /
                   static_cast<double>(ticks.back().start_us - ticks[i].start_us);
    return 0;
}

} // namespace

TEST_CASE("the rate is that since the oldest tick of the span", "[rate]")
{
    lt_delay_history history = {};
    std::vector<lt_delay_tick> ticks;
    lt_rng rng;
    lt_congestion_sample sample = {};

    lt_rng_seed(&rng, 5);
    for (unsigned i = 0; i < 3 * LT_DELAY_TICKS; i++) {
        sample.now_us += 20000 + static_cast<livetcp_usec>(lt_rng_next(&rng) % 50000);
        sample.delivered += lt_rng_next(&rng) % 10000;
        sample.queue_us = LIVETCP_NEVER;
        lt_delay_history_add(&history, &sample);
        ticks.push_back({});
        ticks.back().start_us = sample.now_us;
        ticks.back().delivered = sample.delivered;
        if (ticks.size() > LT_DELAY_TICKS)
            ticks.erase(ticks.begin());
        livetcp_usec now = sample.now_us + 3000;
        for (livetcp_usec span = 0; span < 5000000; span += 70001)
            REQUIRE(lt_delay_history_rate(&history, now, span) == rate_of(ticks, now, span));
        if (ticks.size() > 1) /* exactly the span */
            REQUIRE(lt_delay_history_rate(&history, now, now - ticks[0].start_us) ==
                    rate_of(ticks, now, now - ticks[0].start_us));
    }
}

TEST_CASE("the average of a window counts each tick's least queue once", "[rate]")
{
    lt_delay_history history = {};
    lt_congestion_sample sample = {};
    const livetcp_usec queues[] = {50000, 10000, 30000, LIVETCP_NEVER};

    for (unsigned i = 0; i < 40; i++) { /* four samples in a tick */
        sample.now_us = 5000 * i;
        sample.queue_us = queues[i / 4 % 4];
        lt_delay_history_add(&history, &sample);
        if (sample.queue_us != LIVETCP_NEVER)
            sample.queue_us += 100000;
        lt_delay_history_add(&history, &sample);
    }
    lt_delay_window window = lt_delay_history_window(&history, sample.now_us, 150000);
    CHECK(window.known);
    CHECK(window.queue_us == 10000);
    CHECK(window.average_us == 30000);
}
