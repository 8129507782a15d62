/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "base/rng.h"
#include "lab/probe/result.h"
}

#include <cmath>
#include <string>

struct probe {
    lt_probe_options options = {};
    lt_probe_findings of = {};
    lt_rng rng = {1};

    probe()
    {
        options.step = 1e6;
        options.max_rate = INFINITY;
        options.samples = 100;
        options.violation = 0.05;
        options.delay_target = 150000;
        REQUIRE(lt_findings_create(&options, &of, nullptr) == LIVETCP_OK);
        of.path.known = true;
        of.path.min_rtt = 100000;
    }
    ~probe()
    {
        lt_findings_clear(&of);
    }

    /* A train with delays from `min` on, `wide` wide, all of it in the network or in the sender.
     */
    void train(livetcp_usec min, livetcp_usec wide, bool network, uint64_t again)
    {
        lt_train_state state = LT_TRAIN_GOES_ON;
        auto train = lt_findings_begin_train(&of);
        REQUIRE(train);
        train->segments = 1000;
        train->retransmitted = again;
        while (state == LT_TRAIN_GOES_ON) {
            livetcp_usec more = livetcp_usec(double(wide) * lt_rng_uniform(&rng));
            const lt_probe_sample s = {min + more, network ? 0 : more, min + (network ? more : 0),
                                       0};
            REQUIRE(lt_findings_add(&of, &s, &state, nullptr) == LIVETCP_OK);
        }
    }
    lt_probe_result result()
    {
        lt_probe_result v;
        lt_probe_result_make(&of, &v);
        INFO(v.sentence);
        return v;
    }
};

TEST_CASE("the fastest rate within the target is recommended, with its quantile as playout delay")
{
    probe p;
    p.train(50000, 1000, false, 2);
    p.train(50000, 80000, false, 20);
    p.train(50000, 300000, false, 50);
    auto v = p.result();

    CHECK(v.known);
    CHECK(v.within_target);
    CHECK(v.bitrate == 2e6);
    CHECK(v.playout == Approx(76000).epsilon(0.05));
    CHECK(v.loss == Approx(72.0 / 3000));
    CHECK(std::string(v.policy) == "auto");
    CHECK(std::string(v.sentence).find("2.00 Mbit/s with policy=auto") != std::string::npos);
}

TEST_CASE("without loss and queue one connection is enough")
{
    probe p;
    p.train(50000, 1000, true, 0);
    auto v = p.result();

    CHECK(std::string(v.policy) == "single");
    CHECK_FALSE(v.queue);
}

TEST_CASE("a queue that stands in the network is seen")
{
    probe p;
    p.train(50000, 200, true, 0);
    p.train(70000, 10000, true, 0);
    auto v = p.result();

    CHECK(v.bitrate == 2e6);
    CHECK(v.queue);
    CHECK(std::string(v.policy) == "auto");
}

TEST_CASE("what is beyond the target everywhere is said to be")
{
    probe p;
    p.train(250000, 1000, false, 5);
    p.train(250000, 90000, false, 5);
    auto v = p.result();

    CHECK(v.known);
    CHECK_FALSE(v.within_target);
    CHECK(v.bitrate == 1e6);
    CHECK(std::string(v.sentence).find("more than the delay target") != std::string::npos);
}

TEST_CASE("a path that carries nothing gets a smaller step recommended")
{
    probe p;
    lt_train_state state = LT_TRAIN_GOES_ON;
    lt_findings_begin_train(&p.of);
    for (livetcp_usec i = 0; state == LT_TRAIN_GOES_ON; i++) {
        const lt_probe_sample s = {50000 + 1000 * i, -1, -1, -1};
        REQUIRE(lt_findings_add(&p.of, &s, &state, nullptr) == LIVETCP_OK);
    }
    auto v = p.result();

    CHECK_FALSE(v.known);
    CHECK(std::string(v.sentence).find("--rate-step") != std::string::npos);
}
