/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/probe/source.h"
#include "lab/probe/wire.h"
}

#include <vector>

TEST_CASE("a train has a constant rate, and samples at random after it has settled")
{
    lt_probe_source source;
    lt_due_packet packet;
    std::vector<livetcp_usec> samples;

    lt_source_train(&source, 1e6, 1250, 2 * LIVETCP_USEC_SEC, 50000, 1);
    for (int i = 0; i < 20200; i++) { /* 100 packets/s */
        REQUIRE(lt_source_peek(&source, &packet));
        CHECK(packet.time == 10000 * livetcp_usec(i));
        CHECK(packet.bytes == 1250);
        if (packet.sample)
            samples.push_back(packet.time);
        lt_source_advance(&source);
    }
    CHECK(samples.front() >= 2 * LIVETCP_USEC_SEC);
    /* 200 s at one in 50 ms, and one in 55 as packets come every 10. */
    CHECK(samples.size() == Approx(3640).epsilon(0.05));
    size_t next = 0;
    for (size_t i = 1; i < samples.size(); i++)
        next += samples[i] - samples[i - 1] == 10000;
    CHECK(double(next) / double(samples.size()) == Approx(0.18).epsilon(0.2)); /* 1 - exp(-0.2) */
}

TEST_CASE("a large frame goes in pieces, of which the last is sampled")
{
    const std::vector<livetcp_trace_frame> frames = {
        {1000, 10}, {5000, 2 * LT_WIRE_MAX}, {5000, LT_WIRE_MAX + 1}, {9000, 500}};
    lt_probe_source source;
    lt_due_packet packet;
    std::vector<livetcp_usec> times;
    std::vector<uint32_t> bytes;
    int samples = 0;

    lt_source_trace(&source, frames.data(), frames.size());
    while (lt_source_peek(&source, &packet)) {
        times.push_back(packet.time);
        bytes.push_back(packet.bytes);
        samples += packet.sample;
        lt_source_advance(&source);
    }
    CHECK(bytes == std::vector<uint32_t>{LT_WIRE_HEAD, LT_WIRE_MAX, LT_WIRE_MAX,
                                         LT_WIRE_MAX - LT_WIRE_HEAD, LT_WIRE_HEAD + 1, 500});
    CHECK(times == std::vector<livetcp_usec>{0, 4000, 4000, 4000, 4000, 8000});
    CHECK(samples == 4);
}

TEST_CASE("a filler has a constant rate, no samples and an end")
{
    lt_probe_source source;
    lt_due_packet packet;
    int packets = 0;

    lt_source_filler(&source, 1e6, 1250, LIVETCP_USEC_SEC);
    while (lt_source_peek(&source, &packet)) {
        CHECK(packet.time == 10000 * livetcp_usec(packets++));
        CHECK_FALSE(packet.sample);
        lt_source_advance(&source);
    }
    CHECK(packets == 100);
}
