/* SPDX-License-Identifier: MIT */
/* Values with units; those of link parameters are tested with these. */
#include "catch.h"

extern "C" {
#include "lab/units.h"
}

TEST_CASE("units: a value is the whole text, with its unit, or it changes nothing")
{
    livetcp_usec time = 1;
    double number = 1, share = 1;
    uint64_t rate = 1;
    lt_limit limit = {LT_LIMIT_NONE, 1};
    CHECK(lt_parse_duration("1.5s", &time));
    CHECK(time == 1500000);
    for (const char *bad : {"", "5", "-5ms", "5 ms", "5msx", "nanms", "0x5ms", "2000000s"})
        CHECK_FALSE(lt_parse_duration(bad, &time));
    CHECK(time == 1500000);
    CHECK(lt_parse_share("2%", &share));
    CHECK(share == Approx(0.02));
    CHECK_FALSE(lt_parse_share("101%", &share));
    CHECK(lt_parse_rate("30mbit", &rate));
    CHECK(rate == 30000000);
    CHECK(lt_parse_rate("off", &rate));
    CHECK(rate == 0);
    CHECK_FALSE(lt_parse_rate("0.5bit", &rate));
    CHECK(lt_parse_limit("150kB", &limit));
    CHECK(limit.unit == LT_LIMIT_BYTES);
    CHECK(limit.value == 150000);
    CHECK_FALSE(lt_parse_limit("0p", &limit));
    CHECK(lt_parse_number("12.5", &number));
    CHECK(number == 12.5);
    CHECK_FALSE(lt_parse_number("12.5x", &number));
}
