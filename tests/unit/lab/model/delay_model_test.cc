/* SPDX-License-Identifier: MIT */
/* The delay model as an application sees it. */
#include "delay_model_fixture.h"

#include <cmath>
#include <functional>
#include <limits>

TEST_CASE("without loss nothing waits")
{
    auto constants = GENERATE(LIVETCP_TCP_CONSTANTS_BROSH, LIVETCP_TCP_CONSTANTS_LINUX,
                              LIVETCP_TCP_CONSTANTS_NEWRENO);
    auto config = stream_of(VIDEO, 100, 0, constants);
    config.one_way_us = 30000;
    Solved s(config);

    REQUIRE(s.result == LIVETCP_OK);
    CHECK(s.summary.bounded);
    CHECK(s.mean_ms() == Approx(30));
    CHECK(s.summary.jitter_us == 0);
    CHECK(s.quantile_ms(0.999999) == Approx(30));
    CHECK(livetcp_delay_model_ccdf(s.model, 30000) == 0);
    CHECK(livetcp_delay_model_ccdf(s.model, 29999) == 1);
    CHECK(std::isinf(s.summary.capacity_pps));
}

TEST_CASE("the distribution is one: probabilities add up, moments and quantiles agree with it")
{
    Solved s(stream_of(GENERATE(VOICE, VIDEO), 100, 0.01));
    livetcp_delay_point point;
    double sum = 0, mean = 0, square = 0, last = 0;

    REQUIRE(s.result == LIVETCP_OK);
    for (size_t i = 0; livetcp_delay_model_at(s.model, i, &point); i++) {
        CHECK(point.delay_us > last);
        CHECK(point.delay_us >= 50000 * (1 - 1e-9));
        last = point.delay_us;
        sum += point.probability;
        mean += point.probability * point.delay_us;
        square += point.probability * point.delay_us * point.delay_us;
        CHECK(point.ccdf == Approx(1 - sum).margin(1e-9));
        CHECK(livetcp_delay_model_ccdf(s.model, point.delay_us) == Approx(point.ccdf));
    }
    CHECK(sum == Approx(1));
    CHECK(mean == Approx(s.summary.mean_us));
    CHECK(std::sqrt(square - mean * mean) == Approx(s.summary.jitter_us).epsilon(1e-4));
    CHECK(livetcp_delay_model_ccdf(s.model, livetcp_delay_model_quantile(s.model, 0.95)) <= 0.05);
    CHECK(livetcp_delay_model_ccdf(s.model, livetcp_delay_model_quantile(s.model, 0.95) - 1) >
          0.05);
}

TEST_CASE("more loss and longer round trips never make the delay smaller")
{
    auto bytes = GENERATE(VOICE, VIDEO);
    double last = 0;

    for (double loss : {0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03}) {
        Solved s(stream_of(bytes, 100, loss));
        REQUIRE(s.result == LIVETCP_OK);
        CHECK(s.mean_ms() > last);
        last = s.mean_ms();
    }
    last = 0;
    for (double rtt : {10, 20, 40, 60, 100, 140, 200}) {
        Solved s(stream_of(bytes, rtt, 0.005));
        REQUIRE(s.result == LIVETCP_OK);
        CHECK(s.mean_ms() > last);
        last = s.mean_ms();
    }
}

TEST_CASE("a rate that TCP cannot carry is late without bound")
{
    Solved s(stream_of(VIDEO, 300, 0.05));

    REQUIRE(s.result == LIVETCP_OK);
    CHECK_FALSE(s.summary.bounded);
    CHECK(s.summary.capacity_pps < 50);
    double alone = 0;
    auto config = stream_of(VIDEO, 300, 0.05);
    CHECK(livetcp_tcp_capacity(&config, &alone, nullptr) == LIVETCP_OK);
    CHECK(alone == Approx(s.summary.capacity_pps));
    CHECK(std::isinf(s.summary.mean_us));
    CHECK(std::isinf(s.quantile_ms(0.5)));
    CHECK(livetcp_delay_model_ccdf(s.model, 1e9) == 1);
    livetcp_delay_point point;
    CHECK_FALSE(livetcp_delay_model_at(s.model, 0, &point));

    auto relieved = stream_of(VIDEO, 300, 0.05);
    relieved.connections = 5;
    CHECK(Solved(relieved).summary.bounded);
    CHECK(Solved(stream_of(VIDEO, 300, 0.999)).result == LIVETCP_OK);
}

TEST_CASE("what TCP carries does not depend on where windows are cut off")
{
    for (double loss : {0.001, 0.005, 0.02, 0.3}) {
        auto config = stream_of(VIDEO, 300, loss);
        double some = 0, many = 0;
        config.window_states = 16;
        CHECK(livetcp_tcp_capacity(&config, &some, nullptr) == LIVETCP_OK);
        config.window_states = 1000;
        CHECK(livetcp_tcp_capacity(&config, &many, nullptr) == LIVETCP_OK);
        INFO("loss " << loss);
        CHECK(many == Approx(some).epsilon(1e-6));
        /* Mathis et al.: sqrt(3/2) / (RTT sqrt(p)), as long as losses come alone. */
        if (loss < 0.01)
            CHECK(many == Approx(std::sqrt(1.5 / loss) / 0.3).epsilon(0.2));
    }
}

TEST_CASE("splitting and parallel connections help video on a long path by more than half")
{
    auto config = stream_of(VIDEO, 300, 0.005);
    config.backlog_states = 0;
    double one = Solved(config).quantile_ms(0.95);
    config.split = 2;
    CHECK(Solved(config).quantile_ms(0.95) < 0.4 * one);
    config.split = 1;
    config.connections = 5;
    CHECK(Solved(config).quantile_ms(0.95) < 0.4 * one);
}

TEST_CASE("limited transmit and queues in bytes spare small windows and small packets")
{
    auto config = stream_of(VOICE, 20, 0.02);
    Solved with(config);
    config.limited_transmit = 0;
    Solved without(config);
    CHECK(with.summary.timeouts_per_s < without.summary.timeouts_per_s);

    config = stream_of(VOICE, 100, 0.02);
    Solved packets(config);
    config.queue_unit = LIVETCP_QUEUE_BYTES;
    Solved bytes(config);
    CHECK(bytes.mean_ms() < packets.mean_ms());
}

TEST_CASE("losses that come together lead to timeouts")
{
    auto config = stream_of(VIDEO, 100, 0.005);
    Solved random(config);
    config.loss_model = LIVETCP_LOSS_CORRELATED;
    Solved correlated(config);
    CHECK(correlated.summary.timeouts_per_s > 5 * random.summary.timeouts_per_s);
    CHECK(correlated.mean_ms() > random.mean_ms());
}

TEST_CASE("more states change nothing once there are enough")
{
    auto config = stream_of(VIDEO, 100, 0.005);
    Solved some(config);
    config.window_states = 16;
    config.backlog_states = 64;
    Solved many(config);
    REQUIRE(many.result == LIVETCP_OK);
    CHECK(many.summary.states > 3 * some.summary.states);
    CHECK(some.mean_ms() == Approx(many.mean_ms()).epsilon(0.001));
    config.backlog_states = 0;
    CHECK(Solved(config).mean_ms() == Approx(many.mean_ms()).epsilon(0.001));
}

TEST_CASE("what is out of range is named")
{
    using Config = livetcp_delay_model_config;
    struct Wrong {
        const char *field;
        std::function<void(Config &)> set;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Wrong wrongs[] = {
        {"loss", [](Config &c) { c.loss = 1; }},
        {"loss", [](Config &c) { c.loss = -0.1; }},
        {"loss", [=](Config &c) { c.loss = nan; }},
        {"rtt_us", [](Config &c) { c.rtt_us = -1; }},
        {"rtt_us", [](Config &c) { c.rtt_us = 0; }},
        {"one_way_us", [](Config &c) { c.one_way_us = c.rtt_us + 1; }},
        {"packet_bytes", [](Config &c) { c.packet_bytes = 1449; }},
        {"packet_bytes", [](Config &c) { c.packet_bytes = 0; }},
        {"mss_bytes", [](Config &c) { c.mss_bytes = 0; }},
        {"interval_us", [](Config &c) { c.interval_us = 0; }},
        {"connections", [](Config &c) { c.connections = 0; }},
        {"split", [](Config &c) { c.split = 17; }},
        {"loss_model", [](Config &c) { c.loss_model = (livetcp_loss_model)2; }},
        {"queue_unit", [](Config &c) { c.queue_unit = (livetcp_queue_unit)-1; }},
        {"constants", [](Config &c) { c.constants = (livetcp_tcp_constants)9; }},
        {"window_states", [=](Config &c) { c.window_states = nan; }},
        {"backlog_states", [](Config &c) { c.backlog_states = 1; }},
        {"struct_size", [](Config &c) { c.struct_size = 8; }},
    };
    for (const Wrong &wrong : wrongs) {
        auto config = stream_of(VOICE, 100, 0.01);
        wrong.set(config);
        Solved s(config);
        INFO(wrong.field << ": " << s.error.message);
        CHECK(s.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(s.error.message).find(wrong.field) != std::string::npos);
        CHECK(s.model == nullptr);
        CHECK(std::isnan(livetcp_delay_static_playout_us(&config)));
    }
}

TEST_CASE("a chain with too many states is refused, and says so")
{
    auto config = stream_of(VIDEO, 100, 0.01);
    config.max_states = 100;
    Solved s(config);
    CHECK(s.result == LIVETCP_ERR_NO_MEMORY);
    CHECK(std::string(s.error.message).find("100 states") != std::string::npos);

    config.max_states = 1000000000;
    config.window_states = 1000;
    config.backlog_states = 10000;
    config.interval_us = 100;
    config.loss = 1e-9;
    CHECK(Solved(config).result == LIVETCP_ERR_NO_MEMORY);
}

TEST_CASE("the static playout delay is L + RTT + 3/f, and earlier with RACK")
{
    auto paper = stream_of(VOICE, 100, 0.01);
    auto now = stream_of(VOICE, 100, 0.01, LIVETCP_TCP_CONSTANTS_LINUX);
    CHECK(livetcp_delay_static_playout_us(&paper) == Approx(210000));
    CHECK(livetcp_delay_static_playout_us(&now) == Approx(181000));
}

TEST_CASE(
    "a connection that hardly ever has its whole window is solved as soon as its rounds repeat")
{
    /* Voice at 20 % of loss: a few segments carry all of it, so that its backlog is small although
     * its window is never as large as without loss. */
    Solved s(stream_of(VOICE, 300, 0.2, LIVETCP_TCP_CONSTANTS_LINUX));
    REQUIRE(s.result == LIVETCP_OK);
    CHECK(s.summary.iterations < 200);
    CHECK(s.mean_ms() > Solved(stream_of(VOICE, 300, 0.15, LIVETCP_TCP_CONSTANTS_LINUX)).mean_ms());
    CHECK(s.mean_ms() < 1000);
}
