/* SPDX-License-Identifier: MIT */
/* TCP's average of the round trip after a handshake that lost a packet, after an outage, and where
 * acknowledgements are lost. */
#include "catch.h"

extern "C" {
#include "engine/links/path_info.h"
#include "engine/links/rtt_average.h"
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

    /* `acknowledged`: segments, the last of which was written `away_us` ago. */
    livetcp_path ask(unsigned acknowledged = 0, livetcp_usec away_us = 0)
    {
        lt_acknowledged what = {acknowledged, acknowledged ? now - away_us : LIVETCP_NEVER,
                                delivered};
        livetcp_path info = tcp;
        lt_rtt_average_correct(&average, &info, &what, now);
        return info;
    }

    /* So many bytes are written now, and acknowledged after that time by this sample. */
    livetcp_path exchange(livetcp_usec wait_us, livetcp_usec sample_us, unsigned samples = 1)
    {
        lt_rtt_average_wrote(&average, written, now);
        written += 100;
        now += wait_us;
        delivered = written;
        for (unsigned i = 0; i < samples; i++)
            sample(sample_us);
        return ask();
    }

    livetcp_path tcp = {};
    lt_rtt_average average = {};
    livetcp_usec now = 0;
    uint64_t written = 0, delivered = 0;
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
    CHECK(connection.ask().rtt_us == connection.tcp.rtt_us);
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
    CHECK(connection.ask().rtt_us == connection.tcp.rtt_us);
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
    lt_acknowledged nothing = {0, LIVETCP_NEVER, 0};
    lt_rtt_average_correct(&connection.average, &info, &nothing, 0);
    CHECK(info.rtt_us == 1100 * ms);
}

TEST_CASE("the time between two writes that are acknowledged together is no round trip", "[links]")
{
    Connection connection(40 * ms);
    connection.ask();
    for (unsigned i = 0; i < 200; i++) {
        bool lost = i % 10 == 9; /* the acknowledgement of the write 120 ms before */
        connection.sample((lost ? 160 : 40) * ms);
        livetcp_path info = connection.ask(lost ? 2 : 1, 41 * ms);
        if (i > 20) {
            CHECK(info.rtt_us < 42 * ms);
            CHECK(info.rtt_variation_us < 2 * ms);
        }
    }
    CHECK(connection.tcp.rtt_us > 45 * ms);
    for (unsigned i = 0; i < 40; i++) {
        connection.sample(40 * ms);
        connection.ask(1, 41 * ms);
    }
    CHECK(connection.ask().rtt_us == connection.tcp.rtt_us);
}

TEST_CASE("a queue is seen as TCP sees it, beside acknowledgements that were lost", "[links]")
{
    Connection connection(40 * ms), clean(40 * ms);
    connection.ask();
    for (unsigned i = 0; i < 120; i++) {
        livetcp_usec rtt = (40 + (i > 60 ? 30 : 0)) * ms;
        bool lost = i % 10 == 9;
        connection.sample(rtt + (lost ? 120 : 0) * ms);
        clean.sample(rtt);
        livetcp_path info = connection.ask(lost ? 2 : 1, rtt + ms / 2);
        CHECK(info.rtt_us == Approx(clean.tcp.rtt_us).margin(2 * ms));
    }
}

TEST_CASE("many samples between two looks move the average as far as TCP's", "[links]")
{
    Connection connection(1100 * ms), clean(100 * ms);
    connection.sample(100 * ms);
    connection.ask(1, 100 * ms);
    for (unsigned i = 0; i < 30; i++) {
        for (unsigned k = 0; k < 6; k++) {
            connection.sample(150 * ms);
            clean.sample(150 * ms);
        }
        livetcp_usec ours = connection.ask(6, 150 * ms).rtt_us;
        if (i > 0)
            CHECK(ours == Approx(clean.tcp.rtt_us).margin(10 * ms));
    }
}

TEST_CASE("an outage is no round trip, nor are several in a row", "[links]")
{
    Connection connection(20 * ms);
    connection.ask();
    for (unsigned i = 0; i < 30; i++)
        connection.exchange(20 * ms, 20 * ms);
    for (unsigned outage = 0; outage < 5; outage++) {
        CAPTURE(outage);
        livetcp_path info = connection.exchange(3000 * ms, 3000 * ms);
        CHECK(connection.tcp.rtt_us > 350 * ms); /* of TCP itself */
        CHECK(info.rtt_us <= 21 * ms);
        CHECK(info.rtt_variation_us <= 3 * ms);
        for (unsigned i = 0; i < 3; i++) {
            info = connection.exchange(20 * ms, 20 * ms);
            CHECK(info.rtt_us <= 21 * ms);
            CHECK(info.rtt_variation_us <= 3 * ms);
        }
    }
    for (unsigned i = 0; i < 200; i++)
        connection.exchange(20 * ms, 20 * ms);
    CHECK(connection.ask().rtt_us == connection.tcp.rtt_us);
}

TEST_CASE("nor is the part of it that the last packet has waited", "[links]")
{
    Connection connection(20 * ms);
    connection.ask();
    for (unsigned i = 0; i < 30; i++)
        connection.exchange(20 * ms, 20 * ms);
    CHECK(connection.exchange(1828 * ms, 902 * ms).rtt_us <= 21 * ms);
}

TEST_CASE("a path that has become longer is seen from the fourth packet on", "[links]")
{
    Connection connection(20 * ms);
    connection.ask();
    for (unsigned i = 0; i < 30; i++)
        connection.exchange(20 * ms, 20 * ms);
    for (unsigned i = 0; i < 3; i++)
        CHECK(connection.exchange(900 * ms, 900 * ms).rtt_us <= 21 * ms);
    CHECK(connection.exchange(900 * ms, 900 * ms).rtt_us > 120 * ms);
    for (unsigned i = 0; i < 60; i++)
        connection.exchange(900 * ms, 900 * ms);
    CHECK(connection.ask().rtt_us == Approx(900 * ms).epsilon(0.02));
}

TEST_CASE("after a repair that told nothing of the round trip the average is TCP's", "[links]")
{
    Connection connection(20 * ms);
    connection.ask();
    connection.exchange(20 * ms, 20 * ms);
    connection.exchange(1500 * ms, 20 * ms, 0); /* sent twice: no sample */
    connection.sample(40 * ms);
    CHECK(connection.ask().rtt_us == connection.tcp.rtt_us);
}
