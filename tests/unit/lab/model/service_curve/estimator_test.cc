/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "base/rng.h"
#include "lab/model/service_curve/estimator.h"
}

#include <cmath>
#include <functional>
#include <memory>
#include <string>

struct estimator {
    lt_estimator *of = nullptr;
    explicit estimator(lt_estimator_config config)
    {
        REQUIRE(lt_estimator_create(&config, &of, nullptr) == LIVETCP_OK);
    }
    ~estimator()
    {
        lt_estimator_destroy(&of);
    }

    lt_train_state add(livetcp_usec delay)
    {
        lt_train_state state;
        REQUIRE(lt_estimator_add(of, delay, &state, nullptr) == LIVETCP_OK);
        return state;
    }
    /* One train, until it has ended. */
    lt_train_state train(const std::function<livetcp_usec(size_t)> &delay)
    {
        lt_train_state state = LT_TRAIN_GOES_ON;
        for (size_t i = 0; state == LT_TRAIN_GOES_ON; i++)
            state = add(delay(i));
        return state;
    }
};

static lt_estimator_config config()
{
    return {1e6, INFINITY, 100, 3, 0, 0.05, 0, 0};
}

static std::function<livetcp_usec(size_t)> noise(uint64_t seed)
{
    auto rng = std::make_shared<lt_rng>(lt_rng{seed});
    return [rng](size_t) { return livetcp_usec(50000 + 1000 * lt_rng_uniform(rng.get())); };
}

TEST_CASE("rates go up by the step until one has no steady state")
{
    estimator e(config());

    CHECK(lt_estimator_rate(e.of) == 1e6);
    CHECK(lt_estimator_wanted(e.of) == 100);
    CHECK(e.train(noise(1)) == LT_TRAIN_STEADY);
    CHECK(lt_estimator_rate(e.of) == 2e6);
    CHECK(e.train(noise(2)) == LT_TRAIN_STEADY);
    CHECK(e.train([](size_t i) { return 50000 + 100 * livetcp_usec(i); }) == LT_TRAIN_UNSTEADY);
    CHECK(lt_estimator_rate(e.of) == 0);

    size_t count;
    auto points = lt_estimator_points(e.of, &count);
    REQUIRE(count == 2);
    CHECK(points[1].rate == 2e6);
    CHECK(points[1].delay_us > 50900);
    auto last = lt_estimator_train(e.of, 2);
    REQUIRE(last);
    CHECK(last->rate == 3e6);
    CHECK(last->extensions == 3);
    CHECK(last->count == 400);
    CHECK_FALSE(lt_estimator_train(e.of, 3));
}

TEST_CASE("samples that depend on each other are thinned until they do not")
{
    estimator e(config());
    auto fresh = noise(3);
    livetcp_usec held = 0;

    /* Two after each other are the same packet's, so to say. */
    CHECK(e.train([&](size_t i) { return held = i % 2 ? held : fresh(i); }) == LT_TRAIN_STEADY);
    auto train = lt_estimator_train(e.of, 0);
    CHECK(train->extensions == 1);
    CHECK(train->count == 100);
    CHECK(train->runs.independent);
}

TEST_CASE("a train that stays dependent is told apart and still counts")
{
    estimator e(config());
    lt_rng rng = {7};
    double level = 0;

    auto swinging = [&](size_t) {
        level = 0.85 * level + lt_rng_uniform(&rng) - 0.5;
        return livetcp_usec(50000 + 1000 * level);
    };
    CHECK(e.train(swinging) == LT_TRAIN_DEPENDENT);
    CHECK(lt_estimator_train(e.of, 0)->count == 400);
    CHECK(lt_estimator_rate(e.of) == 2e6);
}

/* A backlog that takes some hundred samples to pass. */
static std::function<livetcp_usec(size_t)> swinging(uint64_t seed)
{
    auto rng = std::make_shared<lt_rng>(lt_rng{seed});
    auto backlog = std::make_shared<double>(0);
    return [=](size_t) {
        *backlog = 0.99 * *backlog + lt_rng_uniform(rng.get()) - 0.5;
        return livetcp_usec(100000 + 1000 * *backlog);
    };
}

TEST_CASE("patience waits until a train is stationary, not until its samples are independent")
{
    auto c = config();
    CHECK(estimator(c).train(swinging(1)) == LT_TRAIN_UNSTEADY);

    c.patience = 31;
    estimator e(c);
    REQUIRE(e.train(swinging(1)) == LT_TRAIN_DEPENDENT);
    auto train = lt_estimator_train(e.of, 0);
    CHECK(train->extensions > 3);
    CHECK(train->extensions < 31);
    CHECK(train->count == 100 * (train->extensions + 1));
    CHECK(e.train([](size_t i) { return 50000 + 100 * livetcp_usec(i); }) == LT_TRAIN_UNSTEADY);
    CHECK(lt_estimator_train(e.of, 1)->extensions == 31);
}

TEST_CASE("what wanders within the resolution is steady")
{
    auto c = config();
    c.resolution = 2000;
    estimator e(c);

    /* A twentieth of the samples may do what they like: the quantile does not see them. */
    auto drifting = [](size_t i) {
        return 50000 + 20 * livetcp_usec(i) + (i % 25 == 7 ? 90000 : 0);
    };
    CHECK(e.train(drifting) == LT_TRAIN_STEADY);
    CHECK(lt_estimator_train(e.of, 0)->even);
    CHECK(lt_estimator_train(e.of, 0)->extensions == 0);
    CHECK(e.train([](size_t i) { return 50000 + 40 * livetcp_usec(i); }) == LT_TRAIN_UNSTEADY);
}

TEST_CASE("a delay over the limit ends the search at once")
{
    auto c = config();
    c.delay_limit = 100000;
    estimator e(c);

    CHECK(e.add(99999) == LT_TRAIN_GOES_ON);
    CHECK(e.add(100001) == LT_TRAIN_UNSTEADY);
    CHECK(lt_estimator_rate(e.of) == 0);
    CHECK(lt_estimator_train(e.of, 0)->over_limit);
}

TEST_CASE("the largest rate is probed and none above it")
{
    auto c = config();
    c.step = 0.1;
    c.max_rate = 0.3;
    estimator e(c);

    for (int i = 1; i <= 3; i++) {
        CHECK(lt_estimator_rate(e.of) == Approx(0.1 * i));
        e.train(noise(uint64_t(i)));
    }
    CHECK(lt_estimator_rate(e.of) == 0);
}

TEST_CASE("without a violation probability the largest delay counts")
{
    auto c = config();
    c.violation = 0;
    estimator e(c);
    auto fresh = noise(5);

    e.train([&](size_t i) { return i == 42 ? 60000 : fresh(i); });
    size_t count;
    CHECK(lt_estimator_points(e.of, &count)[0].delay_us == 60000);
}

TEST_CASE("a search that is stopped keeps what it has")
{
    estimator e(config());

    e.train(noise(1));
    e.add(50000);
    lt_estimator_stop(e.of);
    CHECK(lt_estimator_rate(e.of) == 0);
    CHECK(lt_estimator_wanted(e.of) == 0);
    CHECK(lt_estimator_train(e.of, 1)->state == LT_TRAIN_INTERRUPTED);
    size_t count;
    lt_estimator_points(e.of, &count);
    CHECK(count == 1);
    lt_estimator_stop(e.of);
    CHECK_FALSE(lt_estimator_train(e.of, 2));
}

TEST_CASE("a search that cannot work is refused, and the message says why")
{
    auto refused = [](lt_estimator_config c, const std::string &word) {
        lt_estimator *e;
        livetcp_error error;
        CHECK(lt_estimator_create(&c, &e, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        INFO(error.message);
        CHECK(std::string(error.message).find(word) != std::string::npos);
        CHECK(e == nullptr);
    };
    auto c = config();
    refused((c.samples = 19, c), "too few");
    refused((c = config(), c.step = 0, c), "step");
    refused((c = config(), c.step = NAN, c), "step");
    refused((c = config(), c.max_rate = 5e5, c), "below");
    refused((c = config(), c.violation = 1, c), "violation");
    refused((c = config(), c.extensions = 10000, c), "too many");
    refused((c = config(), c.patience = 10000, c), "too many");
}
