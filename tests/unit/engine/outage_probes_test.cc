/* SPDX-License-Identifier: MIT */
/* Times at which probe connections are started during an outage. */
#include "catch.h"

extern "C" {
#include "engine/links/outage_probes.h"
}

#include <vector>

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000 * ms;

/* Starts every probe due until `until`; returns the times. */
std::vector<livetcp_usec> run(lt_outage_probes &probes, livetcp_usec until)
{
    std::vector<livetcp_usec> times;
    unsigned number;
    for (;;) {
        livetcp_usec due = lt_outage_probes_deadline(&probes);
        if (due > until)
            return times;
        REQUIRE_FALSE(lt_outage_probes_next(&probes, due - 1, &number));
        REQUIRE(lt_outage_probes_next(&probes, due, &number));
        CHECK(number < LIVETCP_MAX_OUTAGE_PROBES);
        times.push_back(due);
    }
}

livetcp_session_stats stats_of(const lt_outage_probes &probes)
{
    livetcp_session_stats stats = {};
    lt_outage_probes_gather(&probes, &stats);
    return stats;
}

} // namespace

TEST_CASE("a path that works is not probed", "[outage]")
{
    lt_outage_probes probes = {};
    unsigned number;
    CHECK(lt_outage_probes_deadline(&probes) == LIVETCP_NEVER);
    lt_outage_probes_update(&probes, LIVETCP_NEVER, 60 * ms);
    CHECK_FALSE(lt_outage_probes_next(&probes, second, &number));
    /* A loss that TCP repairs after its retransmission timeout. */
    lt_outage_probes_update(&probes, second, 60 * ms);
    CHECK(lt_outage_probes_deadline(&probes) == second + 370 * ms);
    CHECK_FALSE(lt_outage_probes_next(&probes, second + 360 * ms, &number));
    lt_outage_probes_update(&probes, LIVETCP_NEVER, 60 * ms);
    CHECK(lt_outage_probes_deadline(&probes) == LIVETCP_NEVER);
}

TEST_CASE("probes begin every 50 ms, four in a round trip, and fewer as time goes on", "[outage]")
{
    lt_outage_probes probes = {};
    lt_outage_probes_update(&probes, 0, 60 * ms);
    std::vector<livetcp_usec> times = run(probes, 2 * second);
    for (size_t i = 1; i < times.size(); i++)
        CHECK(times[i] - times[i - 1] == 50 * ms);
    size_t before = times.size();
    CHECK(run(probes, 100 * second).size() < 400);
    CHECK(run(probes, 3600 * second).size() < 3600);
    CHECK(before == 33);

    lt_outage_probes far = {};
    lt_outage_probes_update(&far, 0, 600 * ms);
    times = run(far, 3 * second);
    REQUIRE(times.size() > 4);
    for (size_t i = 1; i < times.size(); i++)
        CHECK(times[i] - times[i - 1] == 150 * ms);
}

TEST_CASE("the first answer behind lost ones ends an outage, and the others are of no use",
          "[outage]")
{
    lt_outage_probes probes = {};
    lt_outage_probes_update(&probes, 0, 60 * ms);
    size_t count = run(probes, second).size();
    CHECK(lt_outage_probes_is_away(&probes));
    CHECK(probes.in_flight == (1U << LIVETCP_MAX_OUTAGE_PROBES) - 1);
    lt_outage_probes_lost(&probes, 1);
    CHECK(lt_outage_probes_answered(&probes, (unsigned)(count - 1) % LIVETCP_MAX_OUTAGE_PROBES,
                                    second));
    CHECK(probes.in_flight == 0);
    for (unsigned i = 0; i < LIVETCP_MAX_OUTAGE_PROBES; i++)
        CHECK_FALSE(lt_outage_probes_answered(&probes, i, second));
    CHECK(stats_of(probes).control.outages == 1);
    CHECK(stats_of(probes).control.outage_probes == count);
    CHECK(stats_of(probes).control.outages_ended == 1);
}

TEST_CASE("silence on a path that answers is no outage, and is looked at again", "[outage]")
{
    lt_outage_probes probes = {};
    lt_outage_probes_update(&probes, 0, 60 * ms);
    livetcp_usec now = run(probes, 450 * ms).back();
    CHECK_FALSE(lt_outage_probes_is_away(&probes));
    CHECK_FALSE(lt_outage_probes_answered(&probes, 0, now));
    CHECK(probes.in_flight == 0);
    CHECK(stats_of(probes).control.outages == 0);
    lt_outage_probes_update(&probes, 0, 60 * ms); /* still no answer */
    CHECK(lt_outage_probes_deadline(&probes) == now + second);
    CHECK(run(probes, now + second).size() == 1);
}

TEST_CASE("an old connection may be the first: what is under way then is of use", "[outage]")
{
    lt_outage_probes probes = {};
    lt_outage_probes_update(&probes, 0, 60 * ms);
    size_t count = run(probes, second).size();
    unsigned last = (unsigned)(count - 1) % LIVETCP_MAX_OUTAGE_PROBES;
    lt_outage_probes_update(&probes, LIVETCP_NEVER, 60 * ms);
    CHECK_FALSE(lt_outage_probes_is_away(&probes));
    CHECK(lt_outage_probes_deadline(&probes) == LIVETCP_NEVER);
    CHECK(lt_outage_probes_answered(&probes, last, second));
    CHECK_FALSE(lt_outage_probes_is_away(&probes));
    CHECK(lt_outage_probes_deadline(&probes) == LIVETCP_NEVER);
    CHECK(stats_of(probes).control.outages == 1);
}

TEST_CASE("probes of an outage are of use until the next round begins, also in a new silence",
          "[outage]")
{
    lt_outage_probes probes = {};
    lt_outage_probes_update(&probes, 0, 60 * ms);
    size_t count = run(probes, 950 * ms).size();
    unsigned last = (unsigned)(count - 1) % LIVETCP_MAX_OUTAGE_PROBES;
    REQUIRE(last != 0);
    CHECK(lt_outage_probes_would_end(&probes, last));
    uint32_t under_way = probes.in_flight;
    lt_outage_probes twice = probes;

    /* No update in between. */
    lt_outage_probes_update(&probes, second, 60 * ms);
    CHECK_FALSE(lt_outage_probes_is_away(&probes));
    CHECK(probes.in_flight == under_way);
    CHECK(lt_outage_probes_deadline(&probes) == second + 370 * ms);
    CHECK(lt_outage_probes_answered(&probes, last, second + 20 * ms));
    CHECK(stats_of(probes).control.outages == 1);
    CHECK(stats_of(probes).control.outages_ended == 1);

    lt_outage_probes_update(&twice, second, 60 * ms);
    CHECK(run(twice, second + 370 * ms).size() == 1);
    CHECK(twice.in_flight == 1);
    CHECK_FALSE(lt_outage_probes_would_end(&twice, 0));
    CHECK_FALSE(lt_outage_probes_answered(&twice, last, second + 380 * ms));
    run(twice, 2 * second);
    CHECK(stats_of(twice).control.outages == 2);
}
