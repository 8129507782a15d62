/* SPDX-License-Identifier: MIT */
/* The statistics of the estimator against arch, statsmodels and scipy (reference.py). */
#include "catch.h"

extern "C" {
#include "base/rng.h"
#include "lab/model/service_curve/quantile.h"
#include "lab/model/service_curve/runs_test.h"
#include "lab/model/service_curve/unit_root.h"
}

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

struct reference {
    std::string name;
    size_t count = 0;
    double statistic = 0, z = 0, low = 0, high = 0;
    unsigned lags = 0;
    std::vector<double> values;
};

static std::vector<reference> references()
{
    std::vector<reference> all;
    std::ifstream file(LT_TEST_REFERENCE);
    reference r;
    std::string high; /* may be inf, which streams do not read */
    while (file >> r.name >> r.count >> r.statistic >> r.lags >> r.z >> r.low >> high) {
        r.high = std::stod(high);
        r.values.resize(r.count);
        for (auto &value : r.values)
            file >> value;
        all.push_back(r);
    }
    REQUIRE(all.size() == 9);
    return all;
}

static std::vector<double> ascending(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values;
}

TEST_CASE("the unit-root test says what the libraries' regressions say")
{
    for (const auto &r : references()) {
        INFO(r.name);
        lt_unit_root test;
        REQUIRE(lt_unit_root_test(r.values.data(), r.count, &test));
        CHECK(test.lags == r.lags);
        CHECK(test.statistic == Approx(r.statistic).epsilon(1e-9));
        CHECK(test.stationary == (r.statistic < test.critical));
        /* Elliott's for long series; shorter ones need more. */
        CHECK(test.critical < -2.73);
        CHECK(test.critical > -3);
    }
}

static double normal(lt_rng *rng)
{
    return std::sqrt(-2 * std::log(1 - lt_rng_uniform(rng))) *
           std::cos(6.283185307179586 * lt_rng_uniform(rng));
}

/* How many of `count` autoregressive series are found stationary, which begin `first` standard
 * deviations from their mean, or anywhere if they have none. */
static int found_stationary(int count, double coefficient, double first)
{
    int found = 0;
    lt_rng rng = {11};
    lt_unit_root test;

    for (int k = 0; k < count; k++) {
        std::vector<double> values = {first /
                                      std::sqrt(1 - std::min(0.99, coefficient * coefficient))};
        while (values.size() < 200)
            values.push_back(coefficient * values.back() + normal(&rng));
        REQUIRE(lt_unit_root_test(values.data(), values.size(), &test));
        found += test.stationary;
    }
    return found;
}

TEST_CASE("one random walk in twenty is taken for stationary")
{
    CHECK(found_stationary(1000, 1, 0) > 30);
    CHECK(found_stationary(1000, 1, 0) < 90); /* choosing the lags costs something */
}

TEST_CASE("a train that begins with a backlog is stationary, too")
{
    CHECK(found_stationary(200, 0.85, 0) > 190);
    CHECK(found_stationary(200, 0.85, 5) > 190);
}

TEST_CASE("the runs test says what statsmodels says")
{
    for (const auto &r : references()) {
        INFO(r.name);
        lt_runs_test test;
        lt_runs_test_run(r.values.data(), ascending(r.values).data(), r.count, &test);
        CHECK(test.z == Approx(r.z).epsilon(1e-9));
        CHECK(test.above + test.below == r.count);
    }
}

TEST_CASE("the interval of a quantile is scipy's")
{
    for (const auto &r : references()) {
        INFO(r.name);
        auto q = lt_quantile_of(ascending(r.values).data(), r.count, 0.9);
        CHECK(q.low == r.low);
        CHECK(q.high == r.high);
        CHECK(q.low <= q.value);
        CHECK(q.value <= q.high);
    }
}

TEST_CASE("series without variation are stationary, whatever is alike in them")
{
    lt_unit_root test;
    std::vector<double> values(40, 7.0);

    REQUIRE(lt_unit_root_test(values.data(), values.size(), &test));
    CHECK(test.stationary);
    values[20] = 8; /* the lags of a single spike depend on each other */
    REQUIRE(lt_unit_root_test(values.data(), values.size(), &test));
    CHECK(test.stationary);
    CHECK(std::isfinite(test.statistic));
}

TEST_CASE("a straight line is not stationary")
{
    lt_unit_root test;
    std::vector<double> values;
    for (int i = 0; i < 60; i++)
        values.push_back(50 + 3 * i);
    REQUIRE(lt_unit_root_test(values.data(), values.size(), &test));
    CHECK_FALSE(test.stationary);
}

TEST_CASE("few values on one side of the median are counted exactly")
{
    lt_runs_test test;
    std::vector<double> values(40, 5.0); /* most packets meet no queue */
    values[10] = values[11] = values[12] = values[13] = 9;

    lt_runs_test_run(values.data(), ascending(values).data(), values.size(), &test);
    CHECK(test.above == 4);
    CHECK(test.runs == 3);
    /* Of the C(40, 4) places that four values may have, at most three runs come from these: 37 with
     * the four together, 3 with some at either end. */
    CHECK(test.p == Approx(2 * 40.0 / 91390).epsilon(1e-9));
    CHECK_FALSE(test.independent);
}

TEST_CASE("too few samples for a quantile are told by its interval")
{
    std::vector<double> values(50);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = double(i);

    CHECK(std::isinf(lt_quantile_of(values.data(), values.size(), 0.99).high));
    CHECK(lt_quantile_of(values.data(), values.size(), 0.99).value == 49);
    CHECK(lt_quantile_samples(0.95) == 72);
    values.resize(72, 50);
    CHECK(std::isfinite(lt_quantile_of(values.data(), values.size(), 0.95).high));
    CHECK(std::isinf(lt_quantile_of(values.data(), 71, 0.95).high));
    CHECK(lt_quantile_of(values.data(), 50, 1).value == 49);
    CHECK(lt_quantile_samples(1) == SIZE_MAX);
}
