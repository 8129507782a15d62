/* SPDX-License-Identifier: MIT */
/* The slots of a session without traffic. */
#include "component_fixture.h"

TEST_CASE("a caller connects every slot once, and the first one creates the session", "[links]")
{
    Bench bench(3);
    unsigned slot;
    for (unsigned i = 0; i < 3; i++) {
        REQUIRE(lt_links_next_connect(bench.links, 0, &slot));
        CHECK(slot == i);
        CHECK(lt_links_state(bench.links, i) == LIVETCP_CONNECTION_CONNECTING);
    }
    CHECK_FALSE(lt_links_next_connect(bench.links, 0, &slot));

    CHECK(lt_links_connected(bench.links, 1, 0));
    CHECK_FALSE(lt_links_connected(bench.links, 1, 0));
    REQUIRE(bench.written.size() == 1);
    CHECK(bench.written[0].slot == 1);
    CHECK(bench.written[0].message().type == LT_CONTROL_CREATE);
    CHECK(lt_links_takes_media(bench.links, 1)); /* media may follow CREATE directly */

    /* The other slots wait for the key. */
    CHECK(lt_links_connected(bench.links, 0, 0));
    CHECK(bench.written.size() == 1);
    CHECK_FALSE(lt_links_takes_media(bench.links, 0));
    CHECK(lt_links_open_count(bench.links) == 0);
}

TEST_CASE("a handshake that takes too long fails, once, and closing is told apart", "[links]")
{
    Bench bench(1);
    unsigned slot;
    livetcp_result reason;
    REQUIRE(lt_links_next_connect(bench.links, 0, &slot));
    REQUIRE(lt_links_connected(bench.links, 0, 0));
    livetcp_usec limit = bench.config.handshake_timeout_us;
    CHECK(lt_links_deadline(bench.links) == limit);
    lt_links_expire(bench.links, limit - 1);
    CHECK_FALSE(lt_links_next_failed(bench.links, &slot, &reason));
    lt_links_expire(bench.links, limit);
    REQUIRE(lt_links_next_failed(bench.links, &slot, &reason));
    CHECK(slot == 0);
    CHECK(reason == LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    CHECK_FALSE(lt_links_next_failed(bench.links, &slot, &reason));

    CHECK(lt_links_begin_close(bench.links, 0, reason, limit));
    CHECK_FALSE(lt_links_begin_close(bench.links, 0, LIVETCP_ERR_GARBAGE, limit));
    CHECK(lt_links_closing_slots(bench.links) == 1);
    livetcp_usec since = 0;
    CHECK(lt_links_closing(bench.links, 0, &reason, &since));
    CHECK(reason == LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    CHECK(since == limit);
    CHECK_FALSE(lt_links_takes_media(bench.links, 0));
}

TEST_CASE("a lost connection is tried again, later each time, within bounds", "[links]")
{
    Bench bench(1);
    livetcp_usec now = 0, before = 0;
    bool renewed;
    for (unsigned attempt = 0; attempt < 12; attempt++) {
        unsigned slot;
        now = attempt ? lt_links_deadline(bench.links) : 0;
        REQUIRE(lt_links_next_connect(bench.links, now, &slot));
        REQUIRE(lt_links_detach(bench.links, 0, LIVETCP_ERR_REFUSED, now, &renewed) == LIVETCP_OK);
        livetcp_usec wait = lt_links_deadline(bench.links) - now;
        CHECK(wait >= 3 * bench.config.reconnect_min_us / 4);
        CHECK(wait <= 5 * bench.config.reconnect_max_us / 4);
        if (attempt && wait < bench.config.reconnect_max_us / 2)
            CHECK(wait > before);
        before = wait;
    }
    CHECK(lt_links_last_loss(bench.links) == LIVETCP_ERR_REFUSED);
    CHECK(lt_links_has_future(bench.links));
    lt_links_end(bench.links);
    CHECK_FALSE(lt_links_next_connect(bench.links, now + 3600 * 1000 * ms, nullptr));
}

TEST_CASE("a refusal is the session's: the others are withdrawn, and follow when one is open",
          "[links]")
{
    Bench bench(3);
    unsigned slot;
    bool renewed;
    for (unsigned i = 0; i < 3; i++)
        REQUIRE(lt_links_next_connect(bench.links, 0, &slot));
    REQUIRE(lt_links_detach(bench.links, 1, LIVETCP_ERR_REFUSED, ms, &renewed) == LIVETCP_OK);
    for (unsigned other : {0u, 2u}) {
        REQUIRE(lt_links_next_withdrawn(bench.links, &slot));
        CHECK(slot == other);
        REQUIRE(lt_links_begin_close(bench.links, slot, LIVETCP_OK, ms));
        REQUIRE(lt_links_detach(bench.links, slot, LIVETCP_OK, ms, &renewed) == LIVETCP_OK);
    }
    CHECK_FALSE(lt_links_next_withdrawn(bench.links, &slot));
    CHECK(lt_links_last_loss(bench.links) == LIVETCP_ERR_REFUSED);

    livetcp_usec now = lt_links_deadline(bench.links);
    REQUIRE(lt_links_next_connect(bench.links, now, &slot));
    CHECK(slot == 1);
    CHECK_FALSE(lt_links_next_connect(bench.links, now + 3600 * 1000 * ms, &slot));
    CHECK(lt_links_deadline(bench.links) == LIVETCP_NEVER);
    CHECK(lt_links_has_future(bench.links));
}

TEST_CASE("a refusal on one connection is its own while another is joining or open", "[links]")
{
    Bench bench(3);
    unsigned slot;
    bool renewed;
    for (unsigned i = 0; i < 3; i++)
        REQUIRE(lt_links_next_connect(bench.links, 0, &slot));
    REQUIRE(lt_links_connected(bench.links, 0, 0));
    REQUIRE(lt_links_detach(bench.links, 1, LIVETCP_ERR_REFUSED, ms, &renewed) == LIVETCP_OK);
    CHECK_FALSE(lt_links_next_withdrawn(bench.links, &slot));
    CHECK(lt_links_state(bench.links, 2) == LIVETCP_CONNECTION_CONNECTING);
    CHECK(lt_links_deadline(bench.links) < 200 * ms);
}

TEST_CASE("a slot in use is not taken over, unless it missed its keepalives", "[links]")
{
    Bench bench(2, false);
    unsigned slot;
    livetcp_result reason;
    bench.open_all(0);
    CHECK(lt_links_open_count(bench.links) == 2);
    CHECK(lt_links_adopt(bench.links, 2, 0, 0) == LIVETCP_ERR_INDEX_RANGE);
    CHECK(lt_links_adopt(bench.links, 0, 0, ms) == LIVETCP_ERR_INDEX_IN_USE);
    CHECK_FALSE(lt_links_next_failed(bench.links, &slot, &reason));
    livetcp_usec late = 3 * bench.config.keepalive_interval_us;
    CHECK(lt_links_adopt(bench.links, 0, 0, late) == LIVETCP_ERR_INDEX_IN_USE);
    REQUIRE(lt_links_next_failed(bench.links, &slot, &reason));
    CHECK(slot == 0);
    CHECK(reason == LIVETCP_ERR_PEER_TIMEOUT);
    lt_links_set_ending(bench.links);
    CHECK(lt_links_adopt(bench.links, 1, 0, late) == LIVETCP_ERR_CLOSED);
}

TEST_CASE("an open connection is pinged when nothing is written, and its answer is a round trip",
          "[links]")
{
    Bench bench(1, false);
    REQUIRE(lt_links_adopt(bench.links, 0, 0, 0) == LIVETCP_OK);
    livetcp_usec interval = bench.config.keepalive_interval_us * 9 / 8; /* of a listener */
    CHECK(lt_links_deadline(bench.links) == interval);
    lt_links_wrote(bench.links, 0, 100, interval / 2);
    CHECK(lt_links_deadline(bench.links) == interval / 2 + interval);
    CHECK(lt_links_stream_bytes(bench.links, 0) == 100);
    livetcp_usec due = lt_links_deadline(bench.links);
    lt_links_expire(bench.links, due);
    REQUIRE(bench.written.size() == 1);
    lt_control message = bench.written[0].message();
    CHECK(message.type == LT_CONTROL_PING);

    message.type = LT_CONTROL_PONG;
    REQUIRE(lt_links_control(bench.links, 0, &message, due + 30 * ms) == LIVETCP_OK);
    CHECK(bench.path(0).rtt_us == 30 * ms);
    CHECK(lt_links_round_trip(bench.links) == 30 * ms);
    message.timestamp = static_cast<uint64_t>(due + 1000 * ms); /* chosen by the peer */
    REQUIRE(lt_links_control(bench.links, 0, &message, due + 40 * ms) == LIVETCP_OK);
    CHECK(bench.path(0).rtt_us == 30 * ms);
}

TEST_CASE("a PONG to what was written in an outage is no round trip", "[links]")
{
    Bench bench(1, false);
    bench.open_all(0);
    lt_control pong = {};
    pong.type = LT_CONTROL_PONG;
    auto answer = [&](livetcp_usec then, livetcp_usec now) {
        pong.timestamp = static_cast<uint64_t>(then);
        REQUIRE(lt_links_control(bench.links, 0, &pong, now) == LIVETCP_OK);
        return bench.path(0).rtt_us;
    };
    lt_links_wrote(bench.links, 0, 100, 1000 * ms);
    bench.tell(0, 0, 4000 * ms);
    CHECK(answer(1000 * ms, 4010 * ms) == 20 * ms);
    CHECK(answer(3900 * ms, 4010 * ms) == 20 * ms);
    CHECK(bench.path(0).rtt_variation_us == ms);
    CHECK(answer(4001 * ms, 4101 * ms) == 30 * ms);
}

TEST_CASE("path information is asked for when it is old, sooner while something is queued",
          "[links]")
{
    Bench bench(2, false);
    bench.open_all(0);
    CHECK(lt_links_stale(bench.links, 3, 500) == 0);
    bench.tell(1, 5000, 0);
    CHECK(lt_links_stale(bench.links, 3, ms) == 2);
    CHECK(lt_links_stale(bench.links, 1, ms) == 0);
    /* The kernel has sent data: the previous path info no longer counts. */
    lt_links_writable(bench.links, 0);
    CHECK(lt_links_stale(bench.links, 3, ms) == 3);
    lt_links_blocked(bench.links, 0);
    CHECK_FALSE(lt_links_can_write(bench.links, 0));
    CHECK(lt_links_quickest(bench.links, ms) == 1);
    lt_links_blocked(bench.links, 1);
    CHECK(lt_links_quickest(bench.links, ms) == -1);
    CHECK_FALSE(lt_links_has_way(bench.links));
    CHECK(lt_links_any_blocked(bench.links));
    lt_links_writable(bench.links, 0);
    CHECK(lt_links_any_blocked(bench.links));
    lt_links_writable(bench.links, 1);
    CHECK_FALSE(lt_links_any_blocked(bench.links));
}

TEST_CASE("what is acknowledged without a round trip waits for the round trip", "[links]")
{
    Bench bench(1, false);
    bench.open_all(0);
    livetcp_path info = {};
    auto tell = [&](uint32_t known, uint32_t queued, livetcp_usec rtt_us, livetcp_usec now) {
        info.known = known | LIVETCP_PATH_QUEUED | LIVETCP_PATH_TCP_STATE;
        info.tcp_state = LIVETCP_TCP_OPEN;
        info.queued_bytes = queued;
        info.rtt_us = rtt_us;
        REQUIRE(lt_links_path_info(bench.links, 0, &info, now));
        return *lt_links_path_sample(bench.links, 0);
    };
    lt_links_wrote(bench.links, 0, 1448, 100 * ms);
    CHECK(tell(LIVETCP_PATH_RTT, 1448, 20 * ms, 101 * ms).segments == 0);
    /* Only the queue was queried; TCP's average has moved by an eighth of 16 ms. */
    CHECK(tell(0, 0, 0, 140 * ms).segments == 0);
    lt_links_wrote(bench.links, 0, 60, 200 * ms);
    lt_path_sample sample = tell(LIVETCP_PATH_RTT, 60, 22 * ms, 201 * ms);
    CHECK(sample.segments == 1);
    CHECK(sample.sent_us == 100 * ms);
    CHECK(sample.excess_us == Approx(16 * ms).margin(100));
}
