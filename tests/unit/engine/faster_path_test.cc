/* SPDX-License-Identifier: MIT */
/* Signs that a path is faster, and what becomes of them. */
#include "catch.h"

extern "C" {
#include "engine/rate/faster_path.h"
}

namespace
{

constexpr livetcp_usec second = LIVETCP_USEC_SEC, base = 60000;
constexpr double link = 2.5e6, share = 1.2e6; /* bytes per second */

} // namespace

TEST_CASE("a path that has become faster is used at once", "[faster_path]")
{
    lt_faster_path path = {};
    REQUIRE(lt_faster_path_heeds(&path, true, second));
    lt_faster_path_begin(&path, share, second);
    CHECK(lt_faster_path_step(&path, link, true, second) == 0); /* the sign is the limit */
    lt_faster_path_on_queue(&path, link, 2 * second);           /* and was right */
    CHECK(lt_faster_path_heeds(&path, true, 2 * second));
    lt_faster_path_begin(&path, link, 2 * second);
    CHECK(lt_faster_path_step(&path, 4 * link, true, 2 * second) == 0);
}

TEST_CASE("a sign that was wrong is followed by steps, all alike", "[faster_path]")
{
    lt_faster_path path = {};
    lt_faster_path_begin(&path, share, second);
    lt_faster_path_on_queue(&path, share * 1.05, second + second / 2);
    CHECK_FALSE(lt_faster_path_heeds(&path, true, 2 * second));
    CHECK(lt_faster_path_heeds(&path, true, 4 * second));
    /* Where packets are lost others take what this session leaves. */
    CHECK(lt_faster_path_heeds(&path, false, 2 * second));
    lt_faster_path_begin(&path, share, 4 * second);
    CHECK(lt_faster_path_step(&path, link, false, 4 * second) == 0);
    CHECK(lt_faster_path_step(&path, link, true, 4 * second) == Approx(share + link / 10));
    CHECK_FALSE(lt_faster_path_heeds(&path, true, 4 * second + second / 2));
    /* A session with less of the link takes as much. */
    lt_faster_path other = {};
    lt_faster_path_begin(&other, share / 3, second);
    lt_faster_path_on_queue(&other, share / 3, 2 * second);
    lt_faster_path_begin(&other, share / 3, 5 * second);
    CHECK(lt_faster_path_step(&other, link, true, 5 * second) == Approx(share / 3 + link / 10));
}

TEST_CASE("steps end where no queue stands any more", "[faster_path]")
{
    lt_faster_path path = {};
    lt_faster_path_begin(&path, share, second);
    lt_faster_path_on_queue(&path, share, 2 * second);
    lt_faster_path_begin(&path, share, 5 * second);
    CHECK(lt_faster_path_step(&path, link, true, 5 * second) > 0);
    lt_faster_path_on_no_queue(&path, base, 6 * second); /* too soon to tell */
    lt_faster_path_on_no_queue(&path, base, 7 * second);
    lt_faster_path_on_queue(&path, share, 8 * second); /* no test is under way */
    lt_faster_path_begin(&path, share, 9 * second);
    CHECK(lt_faster_path_step(&path, link, true, 9 * second) == 0);
}

TEST_CASE("signs that are wrong again and again are heeded less often", "[faster_path]")
{
    lt_faster_path path = {};
    livetcp_usec now = second;
    for (int seconds : {1, 2, 4, 8, 8}) {
        REQUIRE(lt_faster_path_heeds(&path, true, now));
        lt_faster_path_begin(&path, share, now);
        lt_faster_path_on_queue(&path, share, now);
        CHECK_FALSE(lt_faster_path_heeds(&path, true, now + seconds * second - 1));
        now += seconds * second;
    }
    CHECK(lt_faster_path_heeds(&path, true, now));
}
