/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <livetcp/model.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace
{

livetcp_startup_config session_of(double rtt_ms, double loss, livetcp_tcp_constants constants,
                                  unsigned connections = 1, double bytes = 3000)
{
    livetcp_startup_config config;
    livetcp_startup_config_init(&config, constants);
    config.rtt_us = (livetcp_usec)(rtt_ms * 1000);
    config.loss = loss;
    config.connections = connections;
    config.bytes = bytes;
    return config;
}

struct Started {
    livetcp_startup_model *model = nullptr;
    livetcp_error error = {};
    livetcp_result result;

    explicit Started(const livetcp_startup_config &config)
    {
        result = livetcp_startup_model_solve(&config, &model, &error);
    }
    ~Started()
    {
        livetcp_startup_model_destroy(&model);
    }
    Started(const Started &) = delete;
    Started &operator=(const Started &) = delete;
    double mean(livetcp_startup_event event) const
    {
        return livetcp_startup_mean_us(model, event) / 1e3;
    }
    double quantile(livetcp_startup_event event, double q) const
    {
        return livetcp_startup_quantile_us(model, event, q) / 1e3;
    }
};

/* Figure 8 of Zhang et al. with dice: seconds that `segments` wait for timeouts. */
double play_timeouts(std::mt19937_64 &dice, double p, double first, double normal,
                     unsigned segments)
{
    std::uniform_real_distribution<double> uniform;
    double rto = first, waited = 0;
    for (unsigned i = 0; i < segments; i++) {
        bool again = false;
        while (uniform(dice) < p) {
            waited += rto;
            rto = std::min(2 * rto, 120.0);
            again = true;
        }
        if (!again)
            rto = normal;
    }
    return waited;
}

/* The handshake of docs/reference/wire-format.md with dice: when all connections of a session are
 * open, s. */
double play_session(std::mt19937_64 &dice, double rtt, double p, unsigned connections)
{
    const double syn_timeout = 1;
    /* RFC 6298, 2.2: of one round trip, half is taken for its variation. Linux adds 200 ms at
     * least. RFC 8985, 7.2: a segment alone is sent again after two round trips and, in Linux, 200
     * ms. */
    const double timeout = rtt + std::max(2 * rtt, 0.2), probe = 2 * rtt + 0.2;
    std::vector<double> connected(connections);
    for (double &at : connected) {
        at = rtt;
        std::uniform_real_distribution<double> uniform;
        unsigned linear = 4;
        for (double rto = syn_timeout; uniform(dice) < p;
             rto *= linear ? 1 : 2, linear -= linear > 0)
            at += rto;
    }
    auto exchange = [&] {
        std::uniform_real_distribution<double> uniform;
        if (probe >= timeout)
            return rtt + play_timeouts(dice, p, timeout, timeout, 1);
        return uniform(dice) < p ? rtt + probe + play_timeouts(dice, p, timeout, timeout, 1) : rtt;
    };
    double accepted = connected[0] + exchange(), open = accepted;
    for (unsigned i = 1; i < connections; i++)
        open = std::max(open, std::max(accepted, connected[i]) + exchange() + exchange());
    return open;
}

} // namespace

TEST_CASE("without loss a session starts in a round trip, and slow start is all that follows")
{
    Started s(session_of(100, 0, LIVETCP_TCP_CONSTANTS_ZHANG, 5, 5 * 1448 * 7));
    REQUIRE(s.result == LIVETCP_OK);
    auto zhang = livetcp_startup_zhang(s.model);
    auto cardwell = livetcp_startup_cardwell(s.model);

    CHECK(s.mean(LIVETCP_STARTUP_FIRST_READY) == Approx(100));
    CHECK(s.mean(LIVETCP_STARTUP_ALL_READY) == Approx(100));
    CHECK(zhang.handshake_us == Approx(150000));
    CHECK(zhang.timeout_us == 0);
    /* log_1.5(7/2 * 0.5 + 1) round trips from a window of two, log_1.5(7/2 + 1) from one. */
    CHECK(zhang.transfer_us == Approx(1e5 * std::log(2.75) / std::log(1.5)));
    CHECK(cardwell.handshake_us == Approx(100000));
    CHECK(cardwell.transfer_us == Approx(1e5 * std::log(4.5) / std::log(1.5)));
    CHECK(s.mean(LIVETCP_STARTUP_DELIVERED) ==
          Approx((zhang.handshake_us + zhang.transfer_us) / 1e3));
}

TEST_CASE("the time spent on timeouts is that of the same chain played with dice")
{
    const double loss = GENERATE(0.02, 0.1);
    const double both = loss + loss * (1 - loss);
    const unsigned segments = 7, sessions = 400000;
    Started s(session_of(100, loss, LIVETCP_TCP_CONSTANTS_ZHANG, 1, segments * 1448.0));
    REQUIRE(s.result == LIVETCP_OK);
    std::mt19937_64 dice{1999};
    double syn = 0, data = 0;

    for (unsigned i = 0; i < sessions; i++) {
        syn += play_timeouts(dice, both, 3, 0.3, 1) / sessions;
        data += play_timeouts(dice, both, 3, 0.3, segments) / sessions;
    }
    CHECK(livetcp_startup_zhang(s.model).timeout_us == Approx(1e6 * data).epsilon(0.03));
    CHECK(s.mean(LIVETCP_STARTUP_FIRST_READY) == Approx(100 + 1e3 * syn).epsilon(0.03));
}

TEST_CASE("of several connections the first is ready sooner, and all are later")
{
    auto constants = GENERATE(LIVETCP_TCP_CONSTANTS_ZHANG, LIVETCP_TCP_CONSTANTS_LINUX,
                              LIVETCP_TCP_CONSTANTS_NEWRENO);
    Started one(session_of(100, 0.05, constants, 1));
    Started five(session_of(100, 0.05, constants, 5));

    CHECK(one.mean(LIVETCP_STARTUP_FIRST_READY) == Approx(one.mean(LIVETCP_STARTUP_ALL_READY)));
    CHECK(five.mean(LIVETCP_STARTUP_FIRST_READY) < one.mean(LIVETCP_STARTUP_FIRST_READY));
    CHECK(five.mean(LIVETCP_STARTUP_ALL_READY) > one.mean(LIVETCP_STARTUP_ALL_READY));
    for (double q : {0.5, 0.9, 0.99, 0.999})
        CHECK(five.quantile(LIVETCP_STARTUP_FIRST_READY, q) <=
              five.quantile(LIVETCP_STARTUP_ALL_READY, q));
}

TEST_CASE("all connections are open two or four round trips later, and later with loss")
{
    unsigned connections = GENERATE(1, 2, 8);
    double rtt = GENERATE(0.05, 0.1, 0.3), loss = GENERATE(0.0, 0.01, 0.1);
    Started s(session_of(1e3 * rtt, loss, LIVETCP_TCP_CONSTANTS_LINUX, connections));
    std::mt19937_64 dice(7);
    std::vector<double> played(loss > 0 ? 40000 : 1);
    double both = loss + (1 - loss) * loss;

    for (double &open : played)
        open = 1e3 * play_session(dice, rtt, both, connections);
    std::sort(played.begin(), played.end());
    double mean = std::accumulate(played.begin(), played.end(), 0.0) / (double)played.size();
    INFO(connections << " connections, RTT " << rtt << " s, loss " << loss);
    CHECK(s.mean(LIVETCP_STARTUP_ALL_OPEN) == Approx(mean).epsilon(0.03));
    for (double q : {0.5, 0.9, 0.99}) {
        double at = s.quantile(LIVETCP_STARTUP_ALL_OPEN, q);
        auto by = [&](double ms) {
            return (double)(std::upper_bound(played.begin(), played.end(), ms) - played.begin()) /
                   (double)played.size();
        };
        INFO("quantile " << q << ": " << at << " ms");
        CHECK(by(at + 10) >= q - 0.01); /* a step is 10 ms */
        CHECK(by(at - 20) <= q + 0.01);
    }
    if (loss == 0)
        CHECK(mean == Approx(1e3 * rtt * (connections == 1 ? 2 : 4)));
}

TEST_CASE("timeouts of a SYN: one second and, up to the fifth, one more on Linux today")
{
    /* 60 % loss one way: the k-th SYN is the first to arrive in 0.4 * 0.6^(k-1). */
    auto config = session_of(100, 0.6, LIVETCP_TCP_CONSTANTS_LINUX);
    config.loss_back = 0;
    Started now(config);
    REQUIRE(now.result == LIVETCP_OK);
    CHECK(now.quantile(LIVETCP_STARTUP_FIRST_READY, 0.39) == Approx(100));
    CHECK(now.quantile(LIVETCP_STARTUP_FIRST_READY, 0.41) == Approx(1100));
    CHECK(now.quantile(LIVETCP_STARTUP_FIRST_READY, 1 - std::pow(0.6, 5) - 0.001) == Approx(4100));
    CHECK(now.quantile(LIVETCP_STARTUP_FIRST_READY, 1 - std::pow(0.6, 6) - 0.001) == Approx(5100));
    CHECK(now.quantile(LIVETCP_STARTUP_FIRST_READY, 1 - std::pow(0.6, 7) - 0.001) == Approx(7100));

    config.constants = LIVETCP_TCP_CONSTANTS_ZHANG;
    Started then(config);
    CHECK(then.quantile(LIVETCP_STARTUP_FIRST_READY, 0.41) == Approx(3100));
    CHECK(then.quantile(LIVETCP_STARTUP_FIRST_READY, 1 - std::pow(0.6, 3) - 0.001) == Approx(9100));
}

TEST_CASE("more loss, longer paths, more bytes: later")
{
    double last = 0;
    for (double loss : {0.0, 0.01, 0.05, 0.1, 0.3, 0.6}) {
        Started s(session_of(100, loss, LIVETCP_TCP_CONSTANTS_ZHANG));
        REQUIRE(s.result == LIVETCP_OK);
        CHECK(livetcp_startup_zhang(s.model).total_us > last);
        last = livetcp_startup_zhang(s.model).total_us;
    }
    Started shorter(session_of(50, 0.01, LIVETCP_TCP_CONSTANTS_LINUX));
    Started longer(session_of(200, 0.01, LIVETCP_TCP_CONSTANTS_LINUX));
    Started more(session_of(200, 0.01, LIVETCP_TCP_CONSTANTS_LINUX, 1, 300000));
    CHECK(livetcp_startup_zhang(shorter.model).total_us <
          livetcp_startup_zhang(longer.model).total_us);
    CHECK(livetcp_startup_zhang(longer.model).total_us <
          livetcp_startup_zhang(more.model).total_us);
}

TEST_CASE("a session that is out of range is named")
{
    using Config = livetcp_startup_config;
    struct Wrong {
        const char *field;
        std::function<void(Config &)> set;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Wrong wrongs[] = {
        {"loss", [](Config &c) { c.loss = 1; }},
        {"loss", [=](Config &c) { c.loss = nan; }},
        {"loss_back", [](Config &c) { c.loss_back = 1; }},
        {"loss_back", [](Config &c) { c.loss_back = -0.5; }},
        {"rtt_us", [](Config &c) { c.rtt_us = -5; }},
        {"mss_bytes", [](Config &c) { c.mss_bytes = 0; }},
        {"connections", [](Config &c) { c.connections = 65; }},
        {"bytes", [](Config &c) { c.bytes = -1; }},
        {"bytes", [](Config &c) { c.bytes = 1e9; }},
        {"constants", [](Config &c) { c.constants = (livetcp_tcp_constants)7; }},
        {"struct_size", [](Config &c) { c.struct_size = 0; }},
    };
    for (const Wrong &wrong : wrongs) {
        auto config = session_of(100, 0.01, LIVETCP_TCP_CONSTANTS_ZHANG);
        wrong.set(config);
        Started s(config);
        INFO(wrong.field << ": " << s.error.message);
        CHECK(s.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(s.error.message).find(wrong.field) != std::string::npos);
        CHECK(s.model == nullptr);
    }
    Started s(session_of(100, 0.01, LIVETCP_TCP_CONSTANTS_ZHANG));
    CHECK(std::isnan(s.quantile(LIVETCP_STARTUP_ALL_READY, 1)));
    CHECK(std::isnan(s.mean((livetcp_startup_event)4)));
}
