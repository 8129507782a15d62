/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/bench/stall.h"
}

#include <memory>
#include <vector>

TEST_CASE("late wake-ups from the threshold on are stalls")
{
    auto log = std::make_unique<lt_stall_log>();
    lt_stall_note(log.get(), 1000, 1000);
    lt_stall_note(log.get(), 2000, 2000 + LT_STALL_THRESHOLD_US - 1);
    CHECK(log->count == 0);
    CHECK(log->worst == LT_STALL_THRESHOLD_US - 1);
    lt_stall_note(log.get(), 20000, 103000);
    REQUIRE(log->count == 1);
    CHECK(log->entries[0].begin == 20000);
    CHECK(log->entries[0].end == 103000);
    CHECK(log->worst == 83000);
    CHECK(log->ticks == 3);
}

TEST_CASE("a full log extends its last stall, so that nothing goes unnoticed")
{
    auto log = std::make_unique<lt_stall_log>();
    const int more = 3;
    for (int i = 0; i < LT_STALL_LOG_SIZE + more; i++)
        lt_stall_note(log.get(), i * 100000, i * 100000 + 20000);
    CHECK(log->count == LT_STALL_LOG_SIZE);
    CHECK(log->overflow == more);
    CHECK(log->entries[LT_STALL_LOG_SIZE - 1].end ==
          (LT_STALL_LOG_SIZE + more - 1) * 100000 + 20000);
}

TEST_CASE("stalls that several processes saw become one")
{
    std::vector<lt_stall> s = {{500, 600}, {100, 200}, {150, 300}, {590, 595}, {300, 310}};
    size_t n = lt_stall_merge(s.data(), s.size());
    REQUIRE(n == 2);
    CHECK(s[0].begin == 100);
    CHECK(s[0].end == 310);
    CHECK(s[1].begin == 500);
    CHECK(s[1].end == 600);
    CHECK(lt_stall_merge(nullptr, 0) == 0);
}

TEST_CASE("packets near a stall are found, and only those")
{
    const std::vector<lt_stall> s = {{1000, 1100}, {2000, 2050}, {5000, 6000}};
    for (livetcp_usec t = 0; t < 8000; t++) {
        bool near = false;
        for (const lt_stall &stall : s)
            near = near || (t >= stall.begin - 100 && t <= stall.end + 300);
        if (lt_stall_near(s.data(), s.size(), t, 100, 300) != near)
            FAIL("at " << t);
    }
    CHECK_FALSE(lt_stall_near(nullptr, 0, 1000, 100, 100));
}

TEST_CASE("the watch ticks and stops")
{
    auto log = std::make_unique<lt_stall_log>();
    lt_stall_watch *watch = nullptr;
    REQUIRE(lt_stall_watch_start(log.get(), &watch, nullptr) == LIVETCP_OK);
    while (__atomic_load_n(&log->ticks, __ATOMIC_ACQUIRE) < 3)
        ;
    CHECK(lt_stall_watch_cpu(watch) > 0);
    lt_stall_watch_stop(&watch);
    CHECK(watch == nullptr);
    CHECK(log->ticks >= 3);
    lt_stall_watch_stop(&watch);
}
