/* SPDX-License-Identifier: MIT */
/* The rate component: when it looks, and what it counts. */
#include "catch.h"

#include <vector>

extern "C" {
#include "engine/rate/rate.h"
}

namespace
{

const livetcp_usec ms = 1000, second = 1000000;

/* A session of two connections that carries 1 Mbit/s of media, a tenth of overhead on top. */
struct Session {
    explicit Session(uint32_t min = 0, uint32_t max = 0)
    {
        livetcp_config config;
        livetcp_config_init(&config);
        config.min_bitrate = min;
        config.max_bitrate = max;
        lt_rate_init(&rate, &config);
        for (unsigned i = 0; i < 2; i++) {
            paths[i].connection = i;
            paths[i].usable = true;
            paths[i].known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_CWND |
                             LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT;
            paths[i].cwnd_bytes = 1000000;
            paths[i].rtt_us = paths[i].min_rtt_us = 20 * ms;
        }
    }

    bool update()
    {
        lt_rate_view view = {paths, 2, 125000, 0};
        return lt_rate_wants_update(&rate, now) && lt_rate_update(&rate, &view, now);
    }

    /* Ten milliseconds of media, all delivered, on the connections in turn. */
    void write()
    {
        lt_rate_on_written(&rate, turn, 1375, 1250);
        turn = 1 - turn;
    }

    /* How often the estimate changed. */
    unsigned run(livetcp_usec duration)
    {
        unsigned changes = 0;
        for (livetcp_usec end = now + duration; now < end; now += 10 * ms) {
            lt_rate_on_path_info(&rate);
            changes += update();
            write();
        }
        return changes;
    }

    lt_rate rate;
    livetcp_path paths[2] = {};
    unsigned turn = 0;
    livetcp_usec now = second;
};

} // namespace

TEST_CASE("a rate begins as its upper bound, or unknown", "[rate]")
{
    Session unbounded, bounded(100000, 2000000);
    CHECK(lt_rate_get(&unbounded.rate) == 0);
    CHECK(lt_rate_get(&bounded.rate) == 2000000);
}

TEST_CASE("the estimate is looked at only when path info came, and not too often", "[rate]")
{
    Session session;
    CHECK_FALSE(lt_rate_wants_update(&session.rate, session.now));
    session.write();
    CHECK_FALSE(lt_rate_wants_update(&session.rate, session.now)); /* nor after a write */
    lt_rate_on_path_info(&session.rate);
    CHECK(lt_rate_wants_update(&session.rate, session.now));
    session.update();
    CHECK_FALSE(lt_rate_wants_update(&session.rate, session.now + second));
    lt_rate_on_path_info(&session.rate);
    CHECK_FALSE(lt_rate_wants_update(&session.rate, session.now + 4 * ms));
    CHECK(lt_rate_wants_update(&session.rate, session.now + 5 * ms));
}

TEST_CASE("a path carries at least what is delivered as it is sent", "[rate]")
{
    Session session;
    CHECK(session.run(2 * second) > 0);
    CHECK(lt_rate_get(&session.rate) >= 1000000);
    CHECK(lt_rate_get(&session.rate) <= 2000000); /* more has not been tried */
    CHECK(session.rate.written == Approx(275000).margin(2000));
    CHECK(session.rate.media == Approx(250000).margin(2000));
    CHECK(session.rate.delivered == Approx(275000).margin(2000));
}

TEST_CASE("an estimate keeps its bounds", "[rate]")
{
    Session session(100000, 600000);
    session.run(2 * second);
    CHECK(lt_rate_get(&session.rate) == 600000);
}

TEST_CASE("queued bytes are not delivered, but for those that are selectively acknowledged",
          "[rate]")
{
    Session session;
    session.write();
    session.write();
    session.paths[0].queued_bytes = 1000;
    session.paths[1].queued_bytes = 1000;
    session.paths[1].known |= LIVETCP_PATH_SACKED;
    session.paths[1].sacked_bytes = 600;
    lt_rate_on_path_info(&session.rate);
    session.update();
    CHECK(session.rate.delivered == 375 + 975);
    session.paths[0].queued_bytes = 1200; /* more than there is room for: nothing is taken back */
    session.now += 5 * ms;
    lt_rate_on_path_info(&session.rate);
    session.update();
    CHECK(session.rate.delivered == 375 + 975);
}

TEST_CASE("a connection that replaces another counts from the start", "[rate]")
{
    Session session;
    session.run(second);
    uint64_t delivered = session.rate.delivered;
    lt_rate_reset_slot(&session.rate, 0);
    session.turn = 0;
    session.write();
    session.paths[0].queued_bytes = 375;
    session.paths[1].queued_bytes = 1375; /* its last write, not counted yet */
    lt_rate_on_path_info(&session.rate);
    session.update();
    CHECK(session.rate.delivered == delivered + 1000);
    CHECK(session.rate.written == 101 * 1375);
}
