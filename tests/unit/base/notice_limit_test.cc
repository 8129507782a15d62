/* SPDX-License-Identifier: MIT */
/* The rate limit for repeated notices. */
#include "catch.h"

#include <string>

extern "C" {
#include "base/notice_limit.h"
}

namespace
{

const livetcp_usec second = LIVETCP_USEC_SEC, hold = 10 * second;

} // namespace

TEST_CASE("a key is reported again after a pause, with the number of suppressed notices",
          "[notice-limit]")
{
    lt_notice_limit limit = {};
    unsigned suppressed = 99;
    CHECK(lt_notice_limit_allow(&limit, "here", hold, 0, &suppressed));
    CHECK(suppressed == 0);
    for (int i = 1; i < 10; i++)
        CHECK_FALSE(lt_notice_limit_allow(&limit, "here", hold, i * second, &suppressed));
    CHECK(lt_notice_limit_allow(&limit, "there", hold, 9 * second, &suppressed)); /* another key */
    CHECK(suppressed == 0);
    CHECK(lt_notice_limit_allow(&limit, "here", hold, 10 * second, &suppressed));
    CHECK(suppressed == 9);
    CHECK_FALSE(lt_notice_limit_allow(&limit, "here", hold, 11 * second, &suppressed));
    CHECK(lt_notice_limit_allow(&limit, "here", hold, 1000 * second, &suppressed));
    CHECK(suppressed == 1);
}

TEST_CASE("the number of keys is bounded, and the oldest is replaced", "[notice-limit]")
{
    lt_notice_limit limit = {};
    unsigned suppressed;
    for (int i = 0; i <= LT_NOTICE_KEYS_MAX; i++)
        CHECK(lt_notice_limit_allow(&limit, std::to_string(i).c_str(), hold, i, &suppressed));
    CHECK(limit.count == LT_NOTICE_KEYS_MAX);
    CHECK_FALSE(lt_notice_limit_allow(&limit, "1", hold, 100, &suppressed));
    CHECK_FALSE(lt_notice_limit_allow(&limit, std::to_string(LT_NOTICE_KEYS_MAX).c_str(), hold, 100,
                                      &suppressed));
    CHECK(lt_notice_limit_allow(&limit, "0", hold, 100, &suppressed)); /* replaces 1 */
    CHECK(lt_notice_limit_allow(&limit, "1", hold, 100, &suppressed));

    std::string longer(2 * LT_NOTICE_KEY_SIZE, 'x');
    CHECK(lt_notice_limit_allow(&limit, longer.c_str(), hold, 100, &suppressed));
    CHECK_FALSE(lt_notice_limit_allow(&limit, longer.c_str(), hold, 100, &suppressed));
}
