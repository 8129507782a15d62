/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/emulate/lateness.h"
#include "lab/emulate/pool.h"
}

#include <cstring>
#include <memory>
#include <set>

TEST_CASE("lateness: quantiles are exact for small values and within 1/64 for large ones")
{
    auto histogram = std::make_unique<lt_lateness>();
    CHECK(lt_lateness_quantile(histogram.get(), 0.99) == 0);
    for (livetcp_usec i = 1; i <= 100; i++)
        lt_lateness_add(histogram.get(), i);
    CHECK(lt_lateness_quantile(histogram.get(), 0) == 1);
    CHECK(lt_lateness_quantile(histogram.get(), 0.5) == 50);
    CHECK(lt_lateness_quantile(histogram.get(), 0.99) == 99);
    CHECK(lt_lateness_quantile(histogram.get(), 1) == 100);

    for (livetcp_usec value = 1; value < (INT64_C(1) << 31); value = value * 3 + 1) {
        *histogram = {};
        lt_lateness_add(histogram.get(), value);
        lt_lateness_add(histogram.get(), (INT64_C(1) << 31) - 1);
        const livetcp_usec seen = lt_lateness_quantile(histogram.get(), 0.5);
        CHECK(seen >= value);
        CHECK(seen <= value + value / 64);
    }
}

TEST_CASE("lateness: values out of range are clamped")
{
    auto histogram = std::make_unique<lt_lateness>();
    lt_lateness_add(histogram.get(), -5);
    CHECK(lt_lateness_quantile(histogram.get(), 1) == 0);
    lt_lateness_add(histogram.get(), INT64_MAX);
    CHECK(histogram->max == (INT64_C(1) << 31) - 1);
    CHECK(lt_lateness_quantile(histogram.get(), 1) == histogram->max);
    CHECK(histogram->count == 2);
}

TEST_CASE("pool: slots are distinct, as large as asked, and reused")
{
    lt_pool pool;
    lt_pool_init(&pool, 1500);
    std::set<uint8_t *> taken;
    for (int i = 0; i < 2000; i++) {
        uint8_t *slot = lt_pool_take(&pool);
        REQUIRE(slot);
        std::memset(slot, i, 1500);
        REQUIRE(taken.insert(slot).second);
    }
    for (uint8_t *slot : taken)
        lt_pool_give(&pool, slot);
    for (int i = 0; i < 2000; i++)
        CHECK(taken.count(lt_pool_take(&pool)) == 1);
    lt_pool_clear(&pool);
}
