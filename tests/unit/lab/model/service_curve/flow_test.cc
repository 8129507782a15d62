/* SPDX-License-Identifier: MIT */
/* Lübben and Fidler's own validation, section III-C: what is known of simulated flow control, the
 * estimator finds. */
#include "catch.h"

extern "C" {
#include "base/rng.h"
#include "lab/model/service_curve/estimator.h"
#include "lab/model/service_curve/flow.h"
}

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct probed {
    lt_estimator *of = nullptr;
    std::vector<livetcp_service_point> points;

    /* Every train on a flow of its own; the mean of the times between samples is `gap`, s. */
    probed(lt_flow_config flow_config, lt_estimator_config config, double gap, double settle)
    {
        lt_rng rng = {flow_config.seed + 1000};
        REQUIRE(lt_estimator_create(&config, &of, nullptr) == LIVETCP_OK);
        while (lt_estimator_rate(of) > 0) {
            flow_config.seed++;
            train(flow_config, rng, gap, settle);
        }
        size_t count;
        auto all = lt_estimator_points(of, &count);
        points.assign(all, all + count);
    }
    ~probed()
    {
        lt_estimator_destroy(&of);
    }

    void train(const lt_flow_config &config, lt_rng &rng, double gap, double settle)
    {
        lt_flow *flow;
        lt_train_state state = LT_TRAIN_GOES_ON;
        double rate = lt_estimator_rate(of), next = settle;

        REQUIRE(lt_flow_create(&config, &flow, nullptr) == LIVETCP_OK);
        for (uint64_t i = 0; state == LT_TRAIN_GOES_ON; i++) {
            double time = double(i) / rate, delay = lt_flow_send(flow, time);
            if (time < next)
                continue;
            next = time - gap * std::log(1 - lt_rng_uniform(&rng));
            REQUIRE(lt_estimator_add(of, livetcp_usec(delay * 1e6 + 0.5), &state, nullptr) ==
                    LIVETCP_OK);
        }
        lt_flow_destroy(&flow);
    }
    double rate_at(double seconds) const
    {
        return livetcp_attainable_rate(points.data(), points.size(), livetcp_usec(seconds * 1e6));
    }
};

/* C = 10 Mbit/s, T = 50 ms, in packets of 1000 bits; r_acc = 1 Mbit/s, epsilon = 0. */
static probed static_window(double window)
{
    return probed({window, 10000, 0.05, 0, 1}, {1000, INFINITY, 100, 1, 0, 0, 0, 0}, 0.01, 1);
}

TEST_CASE("a static window of 500 kbit limits 10 Mbit/s to 5")
{
    auto found = static_window(500);

    REQUIRE(found.points.size() == 5);
    for (const auto &point : found.points)
        CHECK(point.delay_us == Approx(50000).margin(1));
    CHECK(found.rate_at(0.05) == 0);
    CHECK(found.rate_at(0.1) == Approx(2500)); /* half the rate in twice the latency */
    CHECK(found.rate_at(1000) == Approx(5000).epsilon(0.001));
}

TEST_CASE("a static window of 2 Mbit leaves the link its 10 Mbit/s")
{
    auto found = static_window(2000);

    REQUIRE(found.points.size() == 10);
    CHECK(found.points.back().delay_us == Approx(50000).margin(1));
    CHECK(found.rate_at(1000) == Approx(10000).epsilon(0.001));
}

/* 5 ms there and back, congestion notifications at p = 0.001: Mathis et al. have 1.31 / (sqrt(p)
 * RTT) = 4143 packets/s for it. The samples near that rate have to be far apart: how fast a queue
 * forgets goes with the square of what is left of the rate. */
static probed adaptive_window(uint64_t seed, double step)
{
    return probed({41, INFINITY, 0.005, 1e-3, seed}, {step, INFINITY, 100, 60, 0, 0.05, 0, 0}, 1,
                  20);
}

TEST_CASE("an adaptive window attains 4100 of 4143 packets/s in steps of 100")
{
    auto found = adaptive_window(1, 100);

    REQUIRE(found.points.size() == 41);
    CHECK(found.points.back().rate == 4100);
    CHECK(found.points.front().delay_us == Approx(5000).margin(1));
    CHECK(found.rate_at(0.005) == 0);
    /* It converges slowly (Figure 5a): a static window of 41 packets is there in tenths of a
     * second. */
    CHECK(found.rate_at(1) < 0.8 * 4100);
    CHECK(found.rate_at(1e5) == Approx(4100).epsilon(0.01));
}

TEST_CASE("coarse steps find 4000 packets/s")
{
    auto found = adaptive_window(2, 800);

    REQUIRE(found.points.size() == 5);
    CHECK(found.points.back().rate == 4000);
}

TEST_CASE("a greedy source gets what Mathis et al. say from an adaptive window")
{
    lt_flow *flow;
    lt_flow_config config = {41, INFINITY, 0.005, 1e-3, 1};
    double time = 0, packets = 4e6;

    REQUIRE(lt_flow_create(&config, &flow, nullptr) == LIVETCP_OK);
    for (double i = 0; i < packets; i++)
        time += lt_flow_send(flow, time) - config.delay;
    CHECK(packets / time == Approx(4143).epsilon(0.02));
    lt_flow_destroy(&flow);
}

/* Figure 6: the bounds of single packets of a film, from the service curve, against the quantiles
 * of many transmissions of it through the same flow control. A packet is 76 bytes here, so that the
 * film of 132 frames has 2000 packets/s, about half of what the flow control attains. */
static const size_t packet_bytes = 76;

static std::vector<livetcp_trace_frame> film()
{
    std::vector<livetcp_trace_frame> frames;
    std::ifstream file(LT_TEST_FILM);
    for (std::string line; std::getline(file, line);) {
        livetcp_trace_frame frame;
        std::istringstream words(line);
        if (line[0] != '#' && words >> frame.time_us >> frame.bytes) {
            frame.bytes = (frame.bytes + packet_bytes - 1) / packet_bytes * packet_bytes;
            frames.push_back(frame);
        }
    }
    REQUIRE(frames.size() == 132);
    return frames;
}

/* For each frame, the delays of its last packet, over as many transmissions one after the other. */
static std::vector<std::vector<double>> transmit(const std::vector<livetcp_trace_frame> &frames,
                                                 size_t times)
{
    std::vector<std::vector<double>> delays(frames.size());
    lt_flow_config config = {41, INFINITY, 0.005, 1e-3, 77};
    lt_flow *flow;
    double length = double(frames.back().time_us - frames.front().time_us) / 1e6 + 0.04;

    REQUIRE(lt_flow_create(&config, &flow, nullptr) == LIVETCP_OK);
    for (size_t k = 0; k < times; k++)
        for (size_t i = 0; i < frames.size(); i++) {
            double delay = 0, time = double(k) * length + double(frames[i].time_us) / 1e6;
            for (size_t n = 0; n < frames[i].bytes / packet_bytes; n++)
                delay = lt_flow_send(flow, time);
            if (k)
                delays[i].push_back(delay * 1e6);
        }
    lt_flow_destroy(&flow);
    return delays;
}

TEST_CASE("the delay of a film is within its bound, and the bound within twice the delay")
{
    const double xi = 0.01, step = 400;
    probed found({41, INFINITY, 0.005, 1e-3, 3}, {step, 3600, 500, 30, 0, xi, 0, 0}, 0.5, 20);
    auto frames = film();
    livetcp_envelope *envelope;
    std::vector<livetcp_usec> bounds(frames.size());

    REQUIRE(found.points.size() == 9);
    for (auto &point : found.points)
        point.rate *= 8.0 * packet_bytes;
    REQUIRE(livetcp_envelope_create(frames.data(), frames.size(), &envelope, nullptr) ==
            LIVETCP_OK);
    livetcp_delay_bounds(found.points.data(), found.points.size(), envelope, bounds.data());
    auto bound = livetcp_delay_bound(found.points.data(), found.points.size(), envelope);
    livetcp_envelope_destroy(&envelope);

    size_t below = 0;
    double worst = 0;
    std::vector<double> ratios;
    auto delays = transmit(frames, 400);
    for (size_t i = 0; i < frames.size(); i++) {
        auto &d = delays[i];
        std::sort(d.begin(), d.end());
        double quantile = lt_quantile_of(d.data(), d.size(), 1 - 9 * xi).value;
        below += double(bounds[i]) < quantile;
        worst = std::max(worst, quantile);
        ratios.push_back(double(bounds[i]) / quantile);
    }
    std::sort(ratios.begin(), ratios.end());
    CAPTURE(bound, worst, below, ratios.front(), ratios[66], ratios.back());
    CHECK(below == 0);
    CHECK(double(bound) >= worst);
    CHECK(double(bound) <= 2 * worst);
    /* Of frames that hardly wait, the bound is looser: nine rates share the probability. */
    CHECK(ratios[66] <= 3);
}

TEST_CASE("flow control that cannot be simulated is refused")
{
    lt_flow *flow;
    livetcp_error error;
    for (lt_flow_config c : {lt_flow_config{0, 1, 1, 0, 1},
                             {1, 0, 1, 0, 1},
                             {1, 1, 0, 0, 1},
                             {1, 1, 1, 1, 1},
                             {1e9, 1, 1, 0, 1},
                             {NAN, 1, 1, 0, 1}}) {
        CHECK(lt_flow_create(&c, &flow, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(flow == nullptr);
    }
}
