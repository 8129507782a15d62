/* SPDX-License-Identifier: MIT */
/* TCP's average of the round trip after a handshake that lost a packet. */
#include "catch.h"

extern "C" {
#include "engine/links/first_rtt.h"
#include "engine/links/path_info.h"
}

namespace
{

const livetcp_usec ms = LIVETCP_USEC_MSEC;

/* TCP's estimator, and what is made of it. */
struct Connection {
    explicit Connection(livetcp_usec handshake_us)
    {
        sample(handshake_us);
    }

    void sample(livetcp_usec rtt_us)
    {
        lt_path_measured_rtt(&tcp, rtt_us);
        if (!(tcp.known & LIVETCP_PATH_MIN_RTT) || rtt_us < tcp.min_rtt_us)
            tcp.min_rtt_us = rtt_us;
        tcp.known |= LIVETCP_PATH_MIN_RTT;
    }

    livetcp_path ask()
    {
        livetcp_path info = tcp;
        lt_first_rtt_correct(&first, &info);
        return info;
    }

    livetcp_path tcp = {};
    lt_first_rtt first = {};
};

} // namespace

TEST_CASE("the first sample after a handshake with a timeout is the round trip", "[links]")
{
    Connection connection(1100 * ms);
    CHECK(connection.ask().rtt_us == 1100 * ms); /* nothing better is known */
    for (unsigned i = 0; i < 100; i++) {
        connection.sample(100 * ms);
        livetcp_path info = connection.ask();
        CHECK(info.rtt_us == Approx(100 * ms).margin(ms));
        CHECK(info.rtt_variation_us <= 50 * ms);
        CHECK(info.min_rtt_us == 100 * ms);
    }
    CHECK(connection.first.settled);
}

TEST_CASE("samples that differ are averaged as TCP does, and a queue is seen", "[links]")
{
    Connection connection(1100 * ms), clean(100 * ms);
    connection.sample(100 * ms);
    connection.ask();
    for (unsigned i = 0; i < 60; i++) {
        livetcp_usec rtt = i < 20 ? (90 + i % 3 * 10) * ms : 180 * ms;
        connection.sample(rtt);
        clean.sample(rtt);
        CHECK(connection.ask().rtt_us == Approx(clean.tcp.rtt_us).margin(2 * ms));
    }
}

TEST_CASE("several samples between two looks are never less than the minimum", "[links]")
{
    Connection connection(1100 * ms);
    for (unsigned i = 0; i < 100; i++) {
        for (unsigned k = 0; k < i % 5; k++)
            connection.sample((100 + (i + k) % 7) * ms);
        livetcp_path info = connection.ask();
        if (i > 1) {
            CHECK(info.rtt_us >= 100 * ms);
            CHECK(info.rtt_us <= 110 * ms);
        }
    }
    CHECK(connection.first.settled);
}

TEST_CASE("the average of other connections is TCP's", "[links]")
{
    for (livetcp_usec handshake : {100 * ms, 900 * ms}) {
        Connection connection(handshake);
        connection.ask();
        connection.sample(50 * ms);
        CHECK(connection.ask().rtt_us == connection.tcp.rtt_us);
    }
    Connection far_away(1300 * ms); /* the path is that long */
    for (unsigned i = 0; i < 20; i++) {
        far_away.sample((1300 + i) * ms);
        CHECK(far_away.ask().rtt_us == far_away.tcp.rtt_us);
    }
}

TEST_CASE("without a minimum the average is TCP's", "[links]")
{
    Connection connection(1100 * ms);
    connection.tcp.known &= ~static_cast<uint32_t>(LIVETCP_PATH_MIN_RTT);
    livetcp_path info = connection.tcp;
    info.min_rtt_us = 100 * ms;
    lt_first_rtt_correct(&connection.first, &info);
    CHECK(info.rtt_us == 1100 * ms);
}
