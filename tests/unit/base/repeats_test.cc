/* SPDX-License-Identifier: MIT */
/* What repeats is told once in a while, with the number of those that were not. */
#include "catch.h"

#include <string>

extern "C" {
#include "base/repeats.h"
}

namespace
{

const livetcp_usec second = LIVETCP_USEC_SEC, hold = 10 * second;

} // namespace

TEST_CASE("a thing is told again after a pause, with the number of those between", "[repeats]")
{
    lt_repeats repeats = {};
    unsigned untold = 99;
    CHECK(lt_repeats_tell(&repeats, "here", hold, 0, &untold));
    CHECK(untold == 0);
    for (int i = 1; i < 10; i++)
        CHECK_FALSE(lt_repeats_tell(&repeats, "here", hold, i * second, &untold));
    CHECK(lt_repeats_tell(&repeats, "there", hold, 9 * second, &untold)); /* another */
    CHECK(untold == 0);
    CHECK(lt_repeats_tell(&repeats, "here", hold, 10 * second, &untold));
    CHECK(untold == 9);
    CHECK_FALSE(lt_repeats_tell(&repeats, "here", hold, 11 * second, &untold));
    CHECK(lt_repeats_tell(&repeats, "here", hold, 1000 * second, &untold));
    CHECK(untold == 1);
}

TEST_CASE("what is remembered is bounded, and the oldest is forgotten", "[repeats]")
{
    lt_repeats repeats = {};
    unsigned untold;
    for (int i = 0; i <= LT_REPEATS_MAX; i++)
        CHECK(lt_repeats_tell(&repeats, std::to_string(i).c_str(), hold, i, &untold));
    CHECK(repeats.count == LT_REPEATS_MAX);
    CHECK_FALSE(lt_repeats_tell(&repeats, "1", hold, 100, &untold));
    CHECK_FALSE(
        lt_repeats_tell(&repeats, std::to_string(LT_REPEATS_MAX).c_str(), hold, 100, &untold));
    CHECK(lt_repeats_tell(&repeats, "0", hold, 100, &untold)); /* takes the place of 1 */
    CHECK(lt_repeats_tell(&repeats, "1", hold, 100, &untold));

    std::string longer(2 * LT_REPEATS_KEY, 'x');
    CHECK(lt_repeats_tell(&repeats, longer.c_str(), hold, 100, &untold));
    CHECK_FALSE(lt_repeats_tell(&repeats, longer.c_str(), hold, 100, &untold));
}
