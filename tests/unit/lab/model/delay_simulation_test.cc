/* SPDX-License-Identifier: MIT */
/*
 * The paper's chain played with dice, state by state as in Table 6, with states of fast recovery
 * and timeout that the solver passes through. Probabilities are not computed here but played, too:
 * segment by segment.
 */
#include "delay_model_fixture.h"

extern "C" {
#include "lab/model/delay/capacity.h"
}

#include <algorithm>
#include <random>
#include <vector>

namespace
{

struct Chain {
    double r, f, p, per_mss, rtt, rto;
    unsigned w, b = 0, l = 0;
    double seconds = 0;
    std::mt19937_64 dice{20080602};
    std::vector<double> delays; /* over the one-way delay, seconds */

    Chain(unsigned bytes, double rtt_s, double loss)
        : r(rtt_s * 50), f(50), p(loss), per_mss(1448.0 / bytes), rtt(rtt_s), rto(4 * rtt_s),
          w((unsigned)std::ceil(rtt_s * 50))
    {
    }

    bool lost()
    {
        return std::uniform_real_distribution<double>()(dice) < p;
    }

    /* To a whole number of packets, at random so that the mean is kept. */
    void set_backlog(double packets)
    {
        double x = std::max(0.0, packets);
        double whole = std::floor(x + 1e-9);
        double rest = x - whole > 1e-9 ? x - whole : 0;
        b = (unsigned)whole + (std::uniform_real_distribution<double>()(dice) < rest ? 1 : 0);
    }

    void send(double packets, double delay)
    {
        double whole = std::floor(packets);
        for (double i = 0; i < whole; i++)
            delays.push_back(delay);
        if (std::uniform_real_distribution<double>()(dice) < packets - whole)
            delays.push_back(delay);
    }

    /* Losses among `rest` segments that follow `known` lost ones: enough arrivals for three
     * duplicate acknowledgements, with limited transmit, and no retransmission lost? */
    bool recovers(unsigned size, unsigned lost_count)
    {
        unsigned arrived = size - lost_count;
        if (arrived == 0)
            return false;
        bool enough = arrived >= 3;
        if (arrived == 1)
            enough = !lost() & !lost();
        if (arrived == 2)
            enough = !(lost() & lost());
        for (unsigned i = 0; i < lost_count; i++)
            if (lost())
                return false;
        return enough;
    }

    unsigned count_losses(unsigned segments)
    {
        unsigned count = 0;
        for (unsigned i = 0; i < segments; i++)
            count += lost();
        return count;
    }

    void application_limited()
    {
        if (!lost()) {
            delays.push_back(0);
            seconds += 1 / f;
            return;
        }
        if (!recovers(w, 1 + count_losses(w - 1))) {
            w = 0, l = 1;
            seconds += rto;
            set_backlog(rto * f);
            return;
        }
        for (int i = 0; i < (int)(r + 3); i++)
            delays.push_back(rtt + 3 / f - i / f);
        seconds += rtt + 3 / f;
        w = std::max(1u, (unsigned)(r + 3) / 2), l = 1;
        b = 3;
    }

    void network_limited()
    {
        unsigned losses = count_losses(w);
        double waited = b / f;
        seconds += rtt;
        if (!losses) {
            send(std::min<double>(b, w * per_mss), waited);
            unsigned old = w;
            w = w > r / 2 ? w + 1 : 2 * w;
            set_backlog(b + r - old * per_mss);
        } else if (recovers(w, losses)) {
            double n = std::min<double>(b, (w + 3) * per_mss);
            for (int i = 0; i < (int)n; i++)
                delays.push_back(waited + std::max(0.0, rtt + 3 / f - i / f));
            set_backlog(b + r - (w + 3) * per_mss);
            w = std::max(1u, (w + 3) / 2), l = 1;
        } else {
            seconds += rto - rtt;
            w = 0, l = 1;
            set_backlog(b + rto * f);
        }
    }

    void fast_recovery()
    {
        seconds += rtt;
        send(std::min<double>(b, w * per_mss), b / f);
        set_backlog(b + r - w * per_mss);
        l = 0;
    }

    void timeout()
    {
        if (lost()) {
            seconds += std::pow(2, l) * rto;
            set_backlog(b + std::pow(2, l) * rto * f);
            l = std::min(l + 1, 6u);
            return;
        }
        seconds += rtt;
        send(std::min<double>(b, per_mss), b / f);
        set_backlog(b + r - per_mss);
        w = 1, l = 0;
    }

    void step()
    {
        if (w == 0)
            timeout();
        else if (l == 1)
            fast_recovery();
        else if (b == 0 && w >= r)
            application_limited();
        else
            network_limited();
    }
};

struct Path {
    unsigned bytes;
    double rtt, loss, margin;
};

} // namespace

TEST_CASE("the solved chain and the same chain played with dice agree")
{
    auto path = GENERATE(Path{VOICE, 0.1, 0.02, 0.02}, Path{VIDEO, 0.1, 0.01, 0.02},
                         Path{VOICE, 0.02, 0.05, 0.04}, Path{VIDEO, 0.3, 0.001, 0.03},
                         Path{724, 0.1, 0.02, 0.02});
    Chain chain(path.bytes, path.rtt, path.loss);
    while (chain.delays.size() < 1500000)
        chain.step();
    auto config = stream_of(path.bytes, path.rtt * 1000, path.loss);
    config.backlog_states = 0;
    config.window_states = 16;
    config.one_way_us = 0;
    Solved s(config);
    REQUIRE(s.result == LIVETCP_OK);
    INFO(path.bytes << " bytes, RTT " << path.rtt << ", loss " << path.loss);
    check_against_dice(s, 0, chain.delays, path.margin);
}

TEST_CASE("what TCP carries is what the dice carry of a backlog that never ends")
{
    double loss = GENERATE(0.01, 0.05, 0.1);
    Chain chain(VIDEO, 0.1, loss);
    while (chain.delays.size() < 400000) {
        chain.b = 100000;
        chain.step();
    }
    lt_delay_params params;
    double carried;
    auto config = stream_of(VIDEO, 100, loss);
    REQUIRE(lt_delay_params_make(&params, &config, nullptr) == LIVETCP_OK);
    REQUIRE(lt_delay_capacity(&params, &carried, nullptr) == LIVETCP_OK);
    INFO("loss " << loss);
    CHECK(carried == Approx((double)chain.delays.size() / chain.seconds).epsilon(0.02));
}
