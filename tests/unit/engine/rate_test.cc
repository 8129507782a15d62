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
        lt_rate_view view = {paths, 2, 125000, 125000, 0, 0, 0, 0, 0, false};
        return lt_rate_wants_update(&rate, now) && lt_rate_update(&rate, &view, now);
    }

    /* Ten milliseconds of media, all delivered, on the connections in turn. */
    void write()
    {
        lt_packet packet = {};
        packet.frame_size = 1250 + LT_FRAME_HEADER;
        lt_rate_on_written(&rate, turn, &paths[turn], 1375, &packet, now);
        turn = 1 - turn;
    }

    /* Path info of both comes. */
    void tell()
    {
        for (unsigned i = 0; i < 2; i++)
            lt_rate_on_path_info(&rate, i, &paths[i], now);
    }

    /* How often the estimate changed. */
    unsigned run(livetcp_usec duration)
    {
        unsigned changes = 0;
        for (livetcp_usec end = now + duration; now < end; now += 10 * ms) {
            tell();
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
    session.tell();
    CHECK(lt_rate_wants_update(&session.rate, session.now));
    session.update();
    CHECK_FALSE(lt_rate_wants_update(&session.rate, session.now + second));
    session.tell();
    CHECK_FALSE(lt_rate_wants_update(&session.rate, session.now + 2 * ms));
    CHECK(lt_rate_wants_update(&session.rate, session.now + 3 * ms));
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

TEST_CASE("path info is wanted of connections with bytes in flight, now and then", "[rate]")
{
    Session session;
    CHECK(lt_rate_deadline(&session.rate) == LIVETCP_NEVER);
    session.write();
    CHECK(lt_rate_deadline(&session.rate) > session.now + 20 * ms); /* the next frame asks before */
    session.write();
    livetcp_usec due = lt_rate_deadline(&session.rate);
    CHECK(due > session.now);
    CHECK(due <= session.now + 10 * ms);
    CHECK(lt_rate_wants_path_info(&session.rate) == 0);
    lt_rate_expire(&session.rate, due - 1);
    CHECK(lt_rate_wants_path_info(&session.rate) == 0);
    lt_rate_expire(&session.rate, due);
    CHECK(lt_rate_wants_path_info(&session.rate) == 3);
    CHECK(lt_rate_deadline(&session.rate) == LIVETCP_NEVER); /* until an answer has come */
    session.now = due;
    session.paths[0].queued_bytes = 1375;
    session.tell();
    session.update();
    CHECK(lt_rate_wants_path_info(&session.rate) == 0);
    CHECK(lt_rate_deadline(&session.rate) > session.now);
    session.now += 20 * ms;
    session.paths[0].queued_bytes = 0; /* all of it has arrived */
    session.tell();
    session.update();
    CHECK(lt_rate_deadline(&session.rate) == LIVETCP_NEVER);
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
    session.tell();
    session.update();
    CHECK(session.rate.delivered == 375 + 975);
    session.paths[0].queued_bytes = 1200; /* more than there is room for: nothing is taken back */
    session.now += 5 * ms;
    session.tell();
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
    session.tell();
    session.update();
    CHECK(session.rate.delivered == delivered + 1000);
    CHECK(session.rate.written == 101 * 1375);
}

TEST_CASE("a connection of which nothing is known yet does not hide what the others show", "[rate]")
{
    Session session;
    session.paths[1].known = 0; /* it has just been opened */
    session.write();
    session.paths[0].queued_bytes = 1375;
    lt_rate_on_path_info(&session.rate, 0, &session.paths[0], session.now);
    session.update();
    livetcp_session_stats stats = {};
    lt_rate_gather(&session.rate, &stats);
    CHECK(stats.sent.congestion == LIVETCP_CONGESTION_NONE);
    session.paths[0].known = 0;
    session.now += 10 * ms;
    session.tell();
    session.update();
    lt_rate_gather(&session.rate, &stats);
    CHECK(stats.sent.congestion == LIVETCP_CONGESTION_BACKLOG);
}
