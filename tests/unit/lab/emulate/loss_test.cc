/* SPDX-License-Identifier: MIT */
/* Statistics of the loss processes, with fixed seeds. */
#include "emulate_test.h"

struct Bursts {
    double loss; /* share of packets */
    double mean_burst;
    double mean_gap;
};

static Bursts measure(const std::string &spec, std::size_t packets, lt_link_result result)
{
    Link link(spec, 2026);
    std::size_t lost = 0, bursts = 0;
    bool before = false;
    for (std::size_t i = 0; i < packets; i++) {
        const bool now = link.push(static_cast<livetcp_usec>(i), i) == result;
        lost += now;
        bursts += now && !before;
        before = now;
        lt_link_delivery out;
        while (lt_link_pop(link.link, static_cast<livetcp_usec>(i), &out)) {
        }
    }
    const lt_link_counters counters = link.counters();
    CHECK(counters.in_packets == packets);
    CHECK(counters.lost_random + counters.lost_burst == lost);
    CHECK(counters.out_packets == packets - lost);
    REQUIRE(bursts > 0);
    return {static_cast<double>(lost) / static_cast<double>(packets),
            static_cast<double>(lost) / static_cast<double>(bursts),
            static_cast<double>(packets - lost) / static_cast<double>(bursts)};
}

TEST_CASE("loss: independent losses have the asked share, and bursts of chance length only")
{
    const double loss = GENERATE(0.01, 0.03, 0.2);
    const Bursts seen = measure("loss=" + std::to_string(loss), 500000, LT_LINK_LOST_RANDOM);
    CHECK(seen.loss == Approx(loss).epsilon(0.03));
    CHECK(seen.mean_burst == Approx(1 / (1 - loss)).epsilon(0.02));
}

TEST_CASE("loss: loss= and burst= give that mean loss in bursts of that mean length")
{
    const double burst = GENERATE(1.0, 3.0, 10.0);
    const Bursts seen =
        measure("loss=2%,burst=" + std::to_string(burst), 2000000, LT_LINK_LOST_BURST);
    CHECK(seen.loss == Approx(0.02).epsilon(0.05));
    CHECK(seen.mean_burst == Approx(burst).epsilon(0.05));
}

TEST_CASE("loss: an explicit Gilbert-Elliott chain has the textbook mean")
{
    /* Bad 0.02 / (0.02 + 0.18) = 10 % of the time: 0.1 * 0.5 + 0.9 * 0.01 = 5.9 %. */
    const Bursts seen = measure("gilbert=2%:18%:50%:1%", 1000000, LT_LINK_LOST_BURST);
    CHECK(seen.loss == Approx(0.059).epsilon(0.03));

    const Bursts simple = measure("gilbert=1%:25%", 1000000, LT_LINK_LOST_BURST);
    CHECK(simple.mean_burst == Approx(4).epsilon(0.05));
    CHECK(simple.mean_gap == Approx(100).epsilon(0.05));
}

TEST_CASE("loss: everything and nothing")
{
    Link all("loss=100%"), none("delay=1ms");
    for (std::uintptr_t i = 0; i < 1000; i++) {
        CHECK(all.push(0, i) == LT_LINK_LOST_RANDOM);
        CHECK(none.push(0, i) == LT_LINK_TAKEN);
    }
}

TEST_CASE("loss: means that no chain has are refused")
{
    lt_gilbert chain;
    CHECK(lt_gilbert_from_means(0.5, 1, &chain)); /* every second packet */
    CHECK(chain.p == Approx(1));
    CHECK_FALSE(lt_gilbert_from_means(0.51, 1, &chain));
    CHECK_FALSE(lt_gilbert_from_means(1, 10, &chain));
    CHECK_FALSE(lt_gilbert_from_means(0.1, 0.5, &chain));
}
