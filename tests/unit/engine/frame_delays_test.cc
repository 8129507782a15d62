/* SPDX-License-Identifier: MIT */
/* One-way delays of frames, and the reports of their arrival. */
#include "catch.h"

extern "C" {
#include "engine/rate/frame_delays.h"
#include "engine/reports/frame_arrivals.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;
constexpr livetcp_usec ahead = 12345678; /* of the peer's clock */

struct Delays {
    Delays()
    {
        lt_frame_delays_init(&delays);
        apply(0);
    }

    void write(uint32_t frame, livetcp_usec at, bool waits = false)
    {
        lt_packet packet = {};
        livetcp_path path = {};
        packet.ssrc = 7;
        packet.timestamp = frame;
        packet.frame_size = 1200 + LT_FRAME_HEADER;
        path.known = LIVETCP_PATH_CWND | LIVETCP_PATH_QUEUED;
        path.cwnd_bytes = waits ? 1000 : 100000;
        lt_frame_delays_on_written(&delays, &packet, &path, at);
    }

    void arrive(uint32_t frame, livetcp_usec at, livetcp_usec now, uint32_t train_us = 0,
                uint32_t train_bytes = 0)
    {
        lt_frame_arrival arrival = {7, frame, static_cast<uint64_t>(at), train_us, train_bytes};
        lt_frame_delays_on_arrival(&delays, &arrival, now);
    }

    /* A frame every 40 ms, each on its way for that long, whose reports come 40 ms later. */
    livetcp_usec frames(livetcp_usec from, unsigned count, livetcp_usec way)
    {
        for (unsigned i = 0; i < count; i++, from += 40 * ms) {
            write(++newest, from);
            arrive(newest, from + way + ahead, from + way + 40 * ms);
        }
        return from;
    }

    lt_congestion_sample apply(livetcp_usec now, livetcp_usec trip = 20 * ms, bool answered = true)
    {
        lt_congestion_sample sample = {};
        sample.now_us = now;
        sample.answered = answered;
        sample.queue_us = sample.busy_us = sample.exact_us = trip;
        lt_frame_delays_apply(&delays, 0.8, &sample);
        return sample;
    }

    lt_frame_delays delays;
    uint32_t newest = 0;
};

lt_arrival packet_of(uint32_t ssrc, uint32_t timestamp, livetcp_usec at)
{
    lt_arrival arrival = {};
    arrival.header.ssrc = ssrc;
    arrival.header.timestamp = timestamp;
    arrival.size = 1200;
    arrival.arrival_us = at;
    return arrival;
}

struct Arrivals {
    Arrivals()
    {
        lt_frame_arrivals_init(&arrivals);
    }

    bool is_due() const
    {
        return lt_frame_arrivals_deadline(&arrivals) != LIVETCP_NEVER;
    }

    void arrive(uint32_t ssrc, uint32_t timestamp, livetcp_usec at)
    {
        arrive(packet_of(ssrc, timestamp, at));
    }

    void arrive(const lt_arrival &arrival)
    {
        lt_frame_arrivals_on_delivered(&arrivals, &arrival);
    }

    /* Packet `part` of `parts` of a frame. */
    void arrive(uint32_t timestamp, uint16_t part, uint16_t parts, livetcp_usec at)
    {
        lt_arrival arrival = packet_of(7, timestamp, at);
        arrival.header.sequence = static_cast<uint16_t>(timestamp * parts + part);
        arrival.header.marker = part + 1 == parts;
        arrive(arrival);
    }

    lt_frame_arrival take()
    {
        REQUIRE(is_due());
        return lt_frame_arrivals_take(&arrivals);
    }

    /* Our own frame of 20 kB. */
    void send(livetcp_usec now)
    {
        for (unsigned i = 0; i < 20; i++)
            lt_frame_arrivals_on_accepted(&arrivals, 1000, false, now);
    }

    lt_frame_arrivals arrivals;
};

} // namespace

TEST_CASE("the queue in a round trip is replaced by that of frames on their way", "[frame_delays]")
{
    Delays d;
    livetcp_usec now = d.frames(0, 125, 30 * ms);
    CHECK(d.apply(now).queue_us == 0);
    CHECK(d.apply(now).queue_us == LIVETCP_NEVER); /* until the next report */
    now = d.frames(now, 2, 45 * ms);
    lt_congestion_sample sample = d.apply(now);
    CHECK(sample.queue_us == 15 * ms);
    CHECK(sample.back_us > 0);
    CHECK(sample.back_us <= 20 * ms);
    CHECK(sample.one_way);
    CHECK(sample.train == 0);
}

TEST_CASE("a train counts once, as the peer has seen it", "[frame_delays]")
{
    Delays d;
    livetcp_usec now = d.frames(0, 125, 30 * ms);
    d.write(900, now);
    d.arrive(900, now + 30 * ms + ahead, now + 70 * ms, 20000, 10000);
    CHECK(d.apply(now).train == 10000 / 0.02 / 0.8);
    CHECK(d.apply(now).train == 0);
    for (auto [time, bytes] : {std::pair{4000u, 10000u}, {20000u, 2000u}, {0u, 0u}}) {
        d.write(901, now);
        d.arrive(901, now + 30 * ms + ahead, now + 70 * ms, time, bytes);
        CHECK(d.apply(now).train == 0);
    }
}

TEST_CASE("reports that come late tell how late acknowledgements are", "[frame_delays]")
{
    Delays d;
    livetcp_usec now = d.frames(0, 125, 30 * ms);
    auto report = [&](livetcp_usec late) {
        d.write(900, now);
        d.arrive(900, now + 30 * ms + ahead, now + 70 * ms + late);
        now += 70 * ms + late;
    };
    report(0);
    CHECK(d.apply(now).back_late_us == 0);
    report(100 * ms); /* frames of the other direction take as long */
    CHECK(d.apply(now).back_late_us == 0);
    report(150 * ms);
    CHECK(d.apply(now).back_late_us == 50 * ms);
    CHECK(d.apply(now + 100 * ms).back_late_us == 50 * ms);
    CHECK(d.apply(now + 150 * ms).back_late_us == 100 * ms); /* the next one is overdue */
    report(2000 * ms);
    CHECK(d.apply(now).back_late_us == 360 * ms);
    CHECK(d.apply(now + 500 * ms).back_late_us == 0); /* no reports: nothing is known */
}

TEST_CASE("round trips count at the start, without reports, and without media of the peer",
          "[frame_delays]")
{
    Delays d;
    livetcp_usec now = d.frames(0, 25, 30 * ms);
    CHECK(d.apply(now).queue_us == 20 * ms);
    CHECK_FALSE(d.apply(now).one_way);
    now = d.frames(now, 100, 30 * ms);
    CHECK(d.apply(now, 20 * ms, false).queue_us == 20 * ms);
    now = d.frames(now, 2, 30 * ms);
    CHECK(d.apply(now).queue_us == 0);
    CHECK(d.apply(now + 400 * ms).queue_us == 20 * ms);
}

TEST_CASE("frames that waited for TCP, and those that nobody wrote, tell nothing", "[frame_delays]")
{
    Delays d;
    livetcp_usec now = d.frames(0, 125, 30 * ms);
    d.apply(now);
    d.write(900, now, true);
    d.arrive(900, now + 200 * ms + ahead, now + 200 * ms);
    d.arrive(901, now + ahead, now + 200 * ms);
    d.arrive(901, INT64_MAX, now + 200 * ms);
    CHECK(d.delays.queue_us == LIVETCP_NEVER);
}

TEST_CASE("after a longer route, and a jump of the peer's clock, the minimum is another",
          "[frame_delays]")
{
    Delays d;
    livetcp_usec now = d.frames(0, 125, 30 * ms);
    now = d.frames(now, 300, 50 * ms); /* 12 s */
    d.apply(now);
    now = d.frames(now, 1, 50 * ms);
    CHECK(d.apply(now).queue_us == 0);
    for (livetcp_usec jump : {-3600 * 1000 * ms, 3600 * 1000 * ms}) {
        now = d.frames(now, 1, 50 * ms + jump + 3600 * 1000 * ms);
        d.delays.told_us = now;
        CHECK(d.apply(now).queue_us == 0);
    }
}

TEST_CASE("a report is due when a frame begins to arrive and our own media has earned it",
          "[frame_arrivals]")
{
    Arrivals a;
    a.send(1000 * ms);
    a.arrive(7, 100, 1010 * ms);
    CHECK(a.is_due());
    CHECK(lt_frame_arrivals_take(&a.arrivals).timestamp == 100);
    CHECK_FALSE(a.is_due());
    a.send(1040 * ms);
    CHECK_FALSE(a.is_due());
    a.arrive(7, 100, 1050 * ms); /* the same frame */
    a.arrive(7, 99, 1050 * ms);  /* an earlier one */
    CHECK_FALSE(a.is_due());
    a.arrive(8, 5, 1051 * ms);
    CHECK(a.is_due());
    lt_frame_arrival report = lt_frame_arrivals_take(&a.arrivals);
    CHECK(report.ssrc == 8);
    CHECK(report.at_us == 1051 * ms);
}

TEST_CASE("a report tells how fast the frame before came", "[frame_arrivals]")
{
    Arrivals a;
    for (uint16_t part = 0; part < 3; part++)
        a.arrive(1, part, 3, 1000 * ms + 8 * ms * part);
    a.send(1000 * ms);
    a.send(1030 * ms);
    a.arrive(2, 0, 3, 1040 * ms);
    lt_frame_arrival report = a.take();
    CHECK(report.at_us == 1040 * ms);
    CHECK(report.train_us == 16 * ms);
    CHECK(report.train_bytes == 2 * 1200);
    a.send(1070 * ms);
    a.arrive(3, 0, 3, 1080 * ms); /* nothing else of the second frame has come */
    report = a.take();
    CHECK(report.train_us == 0);
    CHECK(report.train_bytes == 0);
}

TEST_CASE("a frame whose last packet comes first is not reported", "[frame_arrivals]")
{
    Arrivals a;
    a.arrive(1, 0, 3, 1000 * ms);
    a.arrive(1, 1, 3, 1001 * ms);
    a.arrive(1, 2, 3, 1002 * ms);
    a.send(1000 * ms);
    a.send(1030 * ms);
    lt_frame_arrivals_take(&a.arrivals); /* of the first frame */
    a.send(1040 * ms);
    a.arrive(2, 2, 3, 1040 * ms);
    a.arrive(2, 0, 3, 1041 * ms);
    CHECK_FALSE(a.is_due());
    a.arrive(3, 1, 3, 1080 * ms); /* as long as the first */
    CHECK(a.take().timestamp == 3);
    a.send(1090 * ms);
    lt_arrival alone = packet_of(7, 4, 1120 * ms); /* a frame of one packet, in its turn */
    alone.header.sequence = 11;
    alone.header.marker = true;
    a.arrive(alone);
    CHECK(a.take().timestamp == 4);
}

TEST_CASE("thin media, and none, earns no reports", "[frame_arrivals]")
{
    Arrivals a;
    for (livetcp_usec now = 1000 * ms; now < 3000 * ms; now += 20 * ms) {
        lt_frame_arrivals_on_accepted(&a.arrivals, 300, true, now); /* 120 kbit/s */
        a.arrive(7, static_cast<uint32_t>(now), now);
        CHECK_FALSE(a.is_due());
    }
}

TEST_CASE("a source that adapts earns more reports than a fixed rate", "[frame_arrivals]")
{
    for (bool adapts : {false, true}) {
        Arrivals a;
        unsigned told = 0;
        for (livetcp_usec now = 1000 * ms; now < 3000 * ms; now += 20 * ms) {
            lt_frame_arrivals_on_accepted(&a.arrivals, 1446, adapts, now); /* 578 kbit/s */
            a.arrive(7, static_cast<uint32_t>(now), now);
            if (a.is_due()) {
                lt_frame_arrivals_take(&a.arrivals);
                told++;
            }
        }
        CHECK(told == (adapts ? 49 : 0));
    }
}

TEST_CASE("more streams than are remembered are reported, too", "[frame_arrivals]")
{
    Arrivals a;
    for (uint32_t ssrc = 1; ssrc <= 10; ssrc++) {
        a.send(1000 * ms + 40 * ms * ssrc);
        a.arrive(ssrc, 1, 1010 * ms + 40 * ms * ssrc);
        CHECK(a.is_due());
        CHECK(lt_frame_arrivals_take(&a.arrivals).ssrc == ssrc);
    }
}
