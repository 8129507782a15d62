/* SPDX-License-Identifier: MIT */
/* redundancy-budget: what goes on the wire beyond one copy of each packet, in any second. Measured
 * on the wire, second by second, not with the engine's own accounts. */
#include "catch.h"
#include "wire_tap.h"

#include <algorithm>

using namespace scenario;

namespace
{

const uint32_t media = 0x1234;
const livetcp_usec second = 1000000;

struct Amount {
    livetcp_usec at;
    double bytes;
};

/* The bytes of the time `span` that ends at `end`. */
double sum(const std::vector<Amount> &amounts, livetcp_usec end, livetcp_usec span)
{
    double bytes = 0;
    auto first = std::lower_bound(amounts.begin(), amounts.end(), end - span + 1,
                                  [](const Amount &a, livetcp_usec at) { return a.at < at; });
    for (; first != amounts.end() && first->at <= end; ++first)
        bytes += first->bytes;
    return bytes;
}

struct Spending {
    std::vector<Amount> media, extra;
    size_t largest = 0;
    livetcp_usec spacing = 0; /* a copy is paid for by so much before it is written */
};

/* A stream of packets of `size` bytes, now and then with a burst as of a key frame. */
Spending spend(const livetcp_config &config, const char *path, size_t size, uint64_t seed)
{
    SimCall call(path, config, seed);
    WireTap tap(call, {media});
    Spending spending;
    call.world.run_for(2 * second);
    uint16_t sequence = 65000;
    for (unsigned i = 0; i < 700; i++) {
        for (unsigned burst = i % 100 == 99 ? 10 : 1; burst; burst--) {
            spending.media.push_back({call.world.now(), static_cast<double>(size)});
            REQUIRE(call.caller.send(media, sequence++, size) == LIVETCP_OK);
        }
        call.world.run_for(20000);
    }
    call.world.run_for(20 * second);
    for (const WireTap::Written &packet : tap.written) {
        if (packet.rtcp || (packet.own && packet.first))
            continue;
        spending.extra.push_back({packet.at, static_cast<double>(packet.size)});
        spending.largest = std::max(spending.largest, packet.size);
    }
    livetcp_session_stats stats = call.caller.stats();
    double extra = 0;
    for (const Amount &amount : spending.extra)
        extra += amount.bytes;
    CHECK(static_cast<double>(stats.sent.extra_bytes) == extra);
    CHECK(stats.sent.resent == 0);
    spending.spacing = stats.losses.copy_spacing_us;
    return spending;
}

/* Whenever something extra goes out, of the second up to then. Media that is older by no more than
 * the account's grain may count, and one packet a second is free. */
void check(const Spending &spending, double ratio)
{
    const livetcp_usec grain = second / 100 + spending.spacing;
    for (const Amount &last : spending.extra) {
        double spent = sum(spending.extra, last.at, second);
        double allowed = ratio * sum(spending.media, last.at, second + grain);
        double tolerance = ratio > 0 ? static_cast<double>(spending.largest) : 0;
        INFO("up to " << last.at << " us: " << spent << " bytes, allowed " << allowed);
        REQUIRE(spent <= allowed + tolerance);
    }
}

} // namespace

TEST_CASE("no policy exceeds an explicit budget in any second")
{
    unsigned spenders = 0;
    for (double ratio : {0.0, 0.1, 0.3, 1.0})
        for (size_t i = 0; livetcp_policy_at(i); i++)
            for (uint64_t seed = 1; seed <= 4; seed++) {
                const char *name = livetcp_policy_at(i)->name;
                livetcp_config config = make_config(name, 5);
                config.redundancy_budget = ratio;
                if (livetcp_config_check(&config, nullptr) != LIVETCP_OK)
                    continue; /* the budget is below what the policy always costs */
                INFO(name << ", budget " << ratio << ", seed " << seed);
                for (const char *path :
                     {"delay=50ms,loss=5%", "delay=10ms,jitter=4ms,loss=3%,burst=4"}) {
                    INFO(path);
                    Spending spending = spend(config, path, 1000, seed);
                    check(spending, ratio);
                    spenders += !spending.extra.empty();
                }
            }
    CHECK(spenders > 0);
}

TEST_CASE("left to itself a policy keeps to what it says it costs")
{
    for (size_t i = 0; livetcp_policy_at(i); i++) {
        const livetcp_policy *policy = livetcp_policy_at(i);
        livetcp_config config = make_config(policy->name, 5);
        double cost = policy->cost ? policy->cost(&config) : 0;
        INFO(policy->name);
        for (uint64_t seed = 1; seed <= 4; seed++)
            for (size_t size : {174, 1434}) {
                Spending spending = spend(config, "delay=50ms,loss=3%", size, seed);
                /* docs/guide/tuning.md: 1.0 for speech, 0.3 for more; parity packets are a header
                 * longer than their group. */
                check(spending, cost > 0     ? (cost < 1 ? 1.2 * cost : cost + 0.05)
                                : size < 400 ? 1.0
                                             : 0.3);
            }
    }
}
