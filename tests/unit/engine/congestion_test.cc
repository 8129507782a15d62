/* SPDX-License-Identifier: MIT */
/* The parts of the congestion control, each by itself. */
#include "catch.h"

#include <functional>
#include <vector>

extern "C" {
#include "engine/rate/bitrate.h"
#include "engine/rate/congestion.h"
#include "engine/rate/round_trips.h"
}

namespace
{

const livetcp_usec ms = 1000, second = 1000000;

livetcp_path path_with(uint32_t queued)
{
    livetcp_path path = {};
    path.usable = true;
    path.known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_SACKED |
                 LIVETCP_PATH_TCP_STATE | LIVETCP_PATH_CWND | LIVETCP_PATH_RTT |
                 LIVETCP_PATH_MIN_RTT;
    path.tcp_state = LIVETCP_TCP_OPEN;
    path.cwnd_bytes = 100000;
    path.rtt_us = path.min_rtt_us = 50 * ms;
    path.queued_bytes = queued;
    return path;
}

/* A bottleneck without packets: what is sent waits behind what was sent before. `offered` is what
 * the source would send, the window what it may. */
struct Fluid {
    explicit Fluid(double rate) : capacity(rate)
    {
        lt_congestion_init(&congestion);
    }

    void run(livetcp_usec duration, double offered)
    {
        const livetcp_usec step = 5 * ms;
        for (livetcp_usec end = now + duration; now < end; now += step) {
            double seconds = static_cast<double>(step) / 1e6;
            backlog += offered * seconds;
            double window =
                congestion.window == UINT64_MAX ? 1e12 : static_cast<double>(congestion.window);
            double send = std::min(backlog, std::max(0.0, window - in_flight));
            backlog -= send;
            in_flight += send;
            double pipe = capacity * static_cast<double>(base) / 1e6;
            double out = std::min(in_flight, capacity * seconds *
                                                 std::min(1.0, in_flight / std::max(pipe, 1.0)));
            in_flight -= out;
            delivered += out;
            double queue = std::max(0.0, in_flight - pipe) / capacity;
            lt_congestion_sample sample = {};
            sample.now_us = now;
            sample.delivered = static_cast<uint64_t>(delivered);
            sample.in_flight = sample.undelivered = static_cast<uint64_t>(in_flight);
            sample.queue_us = static_cast<livetcp_usec>(queue * 1e6) + others_us;
            sample.busy_us = sample.exact_us = sample.queue_us;
            sample.wait_us = backlog > 1 ? static_cast<livetcp_usec>(backlog / capacity * 1e6) : 0;
            sample.base_us = base;
            sample.connections = 8;
            sample.follows = follows;
            sample.offered = offered;
            lost += losses * out / 1448;
            sample.retransmitted = retransmitted + static_cast<uint64_t>(lost);
            lt_congestion_update(&congestion, &sample);
        }
    }

    lt_congestion congestion;
    double capacity, backlog = 0, in_flight = 0, delivered = 0; /* bytes, bytes per second */
    livetcp_usec base = 60 * ms, others_us = 0, now = second;
    uint64_t retransmitted = 0;
    double losses = 0, lost = 0; /* part of the segments, and their number */
    bool follows = false;
};

} // namespace

TEST_CASE("a round trip is that of the packet, above the least of its connection", "[round_trips]")
{
    lt_round_trips trips;
    lt_round_trips_init(&trips);
    livetcp_path path = path_with(0);
    livetcp_usec now = second;
    lt_queue_samples samples;
    CHECK(lt_round_trips_base(&trips) == LIVETCP_NEVER);
    lt_round_trips_update(&trips, &path, 0, now, &samples);
    CHECK(samples.queue_us == LIVETCP_NEVER);
    CHECK(lt_round_trips_base(&trips) == 50 * ms); /* TCP's own, of the handshake */
    lt_round_trips_wrote(&trips, &path, 1000, {}, now);
    path.queued_bytes = 1000;
    for (now += 10 * ms; now < second + 80 * ms; now += 10 * ms) {
        CHECK(lt_round_trips_update(&trips, &path, 0, now, &samples) == 0);
        CHECK(samples.queue_us == LIVETCP_NEVER);
    }
    path.queued_bytes = 0;
    CHECK(lt_round_trips_update(&trips, &path, 0, now, &samples) == 1000);
    CHECK(samples.queue_us == 20 * ms); /* it was not there yet after 70 ms */
    CHECK(lt_round_trips_base(&trips) == 50 * ms);
    /* The packet's own time at a known rate is no queue. */
    lt_round_trips_wrote(&trips, &path, 1000, {}, now);
    livetcp_usec written = now;
    path.queued_bytes = 1000;
    for (now += 10 * ms; now < written + 80 * ms; now += 10 * ms)
        lt_round_trips_update(&trips, &path, 100000, now, &samples);
    path.queued_bytes = 0;
    lt_round_trips_update(&trips, &path, 100000, now, &samples);
    CHECK(samples.queue_us == 10 * ms);
}

TEST_CASE("what waits in the kernel or for a repair is no sample of the network", "[round_trips]")
{
    lt_round_trips trips;
    lt_round_trips_init(&trips);
    livetcp_path path = path_with(0);
    livetcp_usec now = second;
    lt_queue_samples samples;
    lt_round_trips_update(&trips, &path, 0, now, &samples);
    path.queued_bytes = path.cwnd_bytes; /* the window is full */
    lt_round_trips_wrote(&trips, &path, 1000, {}, now);
    path.queued_bytes += 1000;
    for (now += 10 * ms; now < second + 200 * ms; now += 10 * ms)
        lt_round_trips_update(&trips, &path, 0, now, &samples);
    path.queued_bytes = 0;
    trips.written += path.cwnd_bytes; /* that was written before */
    lt_round_trips_update(&trips, &path, 0, now, &samples);
    CHECK(samples.queue_us == 0); /* TCP's round trip is the path's */

    lt_round_trips_wrote(&trips, &path, 1000, {}, now);
    path.queued_bytes = 1000;
    path.tcp_state = LIVETCP_TCP_RECOVERY;
    now += 10 * ms;
    lt_round_trips_update(&trips, &path, 0, now, &samples);
    path.tcp_state = LIVETCP_TCP_OPEN;
    path.queued_bytes = 0;
    now += 10 * ms;
    CHECK(lt_round_trips_update(&trips, &path, 0, now, &samples) == 1000);
    CHECK(samples.queue_us == LIVETCP_NEVER);
}

TEST_CASE("a longer route is believed after a while", "[round_trips]")
{
    for (bool kept : {false, true}) {
        lt_round_trips trips;
        lt_round_trips_init(&trips);
        livetcp_path path = path_with(0);
        livetcp_usec now = second;
        lt_queue_samples samples;
        path.min_rtt_us = 20 * ms;
        lt_round_trips_update(&trips, &path, 0, now, &samples);
        for (unsigned i = 0; i < 120; i++) {
            lt_round_trips_wrote(&trips, &path, 1000, {}, now);
            path.queued_bytes = 1000;
            now += 90 * ms;
            lt_round_trips_update(&trips, &path, 0, now, &samples);
            now += 10 * ms;
            path.queued_bytes = 0;
            lt_round_trips_update(&trips, &path, 0, now, &samples);
            if (kept)
                lt_round_trips_keep_base(&trips, now);
        }
        CHECK(lt_round_trips_base(&trips) == (kept ? 20 : 100) * ms);
    }
}

TEST_CASE("the least minimum of a route counts for each of its connections", "[round_trips]")
{
    lt_round_trips trips;
    lt_round_trips_init(&trips);
    livetcp_path path = path_with(0);
    lt_queue_samples samples;
    path.min_rtt_us = 30 * ms;
    lt_round_trips_update(&trips, &path, 0, second, &samples);
    lt_round_trips_share_base(&trips, 20 * ms);
    CHECK(lt_round_trips_base(&trips) == 20 * ms);
    CHECK(lt_round_trips_own_base(&trips) == 30 * ms);
    lt_round_trips_share_base(&trips, 40 * ms);
    CHECK(lt_round_trips_base(&trips) == 30 * ms);
    /* A longer route is longer for all. */
    lt_round_trips_share_base(&trips, 20 * ms);
    lt_round_trips_lengthen(&trips, 100 * ms, second);
    CHECK(lt_round_trips_base(&trips) == 120 * ms);
}
