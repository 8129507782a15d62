/* SPDX-License-Identifier: MIT */
/* Routes of equal cost, planned changes, outages, policers: paths that are not all alike. */
#include "emulate_test.h"

#include <set>

namespace
{

const livetcp_usec sec = LIVETCP_USEC_SEC, ms = LIVETCP_USEC_MSEC;

lt_link_result offer(Link &link, livetcp_usec now, std::uint32_t flow, std::uintptr_t number = 0,
                     std::size_t size = 1500)
{
    const lt_link_packet packet = {reinterpret_cast<void *>(number), size, LT_ECN_NOT_ECT, flow};
    return lt_link_offer(link.link, now, &packet);
}

/* Delay of one packet sent at `now` over an idle link; 0 when it is lost. */
livetcp_usec delay_at(Link &link, livetcp_usec now, std::uint32_t flow = 0)
{
    if (offer(link, now, flow) != LT_LINK_TAKEN)
        return 0;
    const auto out = link.run();
    return out.empty() ? 0 : out.back().departure - now;
}

} // namespace

TEST_CASE("link: a flow keeps its route, and flows are spread over the routes")
{
    Link link("delay=30ms,routes=0+12ms+40ms");
    lt_rng rng = {7};
    std::multiset<livetcp_usec> delays;
    for (int flow = 0; flow < 3000; flow++) {
        const auto hash = static_cast<std::uint32_t>(lt_rng_next(&rng));
        const livetcp_usec delay = delay_at(link, flow * sec, hash);
        CHECK(delay_at(link, flow * sec + sec / 2, hash) == delay);
        delays.insert(delay);
    }
    for (livetcp_usec delay : {30 * ms, 42 * ms, 70 * ms})
        CHECK(static_cast<double>(delays.count(delay)) == Approx(1000).margin(120));
}

TEST_CASE("link: packets of one route stay in order, those of another may overtake")
{
    Link link("routes=0+12ms,jitter=5ms");
    /* Found by trial: a hash for each route. */
    std::uint32_t flow[2] = {0, 0};
    for (std::uint32_t hash = 0; hash < 4096; hash += 256)
        flow[delay_at(link, (1 + hash) * sec, hash) >= 12 * ms] = hash;
    const livetcp_usec start = 10000 * sec;
    for (std::uintptr_t i = 0; i < 200; i++)
        REQUIRE(offer(link, start + static_cast<livetcp_usec>(i) * 100, flow[i % 2], i) ==
                LT_LINK_TAKEN);
    std::uintptr_t last[2] = {0, 1};
    bool overtook = false;
    for (const auto &packet : link.run()) {
        CHECK(packet.number >= last[packet.number % 2]);
        last[packet.number % 2] = packet.number;
        overtook |= packet.number % 2 == 0 && packet.number > last[1] + 20;
    }
    CHECK(overtook);
}

TEST_CASE("link: a route's loss is that route's")
{
    Link link("routes=0+1ms/50%");
    int lost[2] = {0, 0}, sent[2] = {0, 0};
    for (std::uint32_t i = 0; i < 4000; i++) {
        const bool second = i & 1;
        sent[second]++;
        lost[second] += offer(link, i, second ? 256 : 0) != LT_LINK_TAKEN;
    }
    CHECK(lost[0] == 0);
    CHECK(lost[1] == Approx(1000).margin(100));
    CHECK(link.counters().lost_random == static_cast<std::uint64_t>(lost[1]));
}

TEST_CASE("link: planned changes happen at their times, counted from the beginning")
{
    Link link("delay=65ms@8s,delay=30ms@20s,delay=50ms");
    CHECK(delay_at(link, 100 * sec) == 50 * ms); /* not begun: nothing is planned yet */
    lt_link_begin(link.link, 200 * sec);
    CHECK(delay_at(link, 208 * sec - 1) == 50 * ms);
    CHECK(delay_at(link, 208 * sec + 16 * ms) == 65 * ms);
    CHECK(delay_at(link, 220 * sec) == 30 * ms);
    lt_link_params params;
    lt_link_get_params(link.link, &params);
    CHECK(params.delay == 30 * ms);
    /* A change by hand does not bring back what has happened. */
    link.change(221 * sec, "loss=0");
    CHECK(delay_at(link, 222 * sec) == 30 * ms);
}

TEST_CASE("link: a planned rate reaches the packet being transmitted and those behind it")
{
    Link link("rate=12mbit,queue=off,rate=1.2mbit@5500us");
    lt_link_begin(link.link, 0);
    for (std::uintptr_t i = 0; i < 8; i++)
        link.push(0, i);
    const auto out = link.run();
    REQUIRE(out.size() == 8);
    CHECK(out[4].departure == 5000);
    CHECK(out[5].departure == 5500 + 5000); /* half of it is left, at a tenth of the rate */
    CHECK(out[6].departure == 20500);
    CHECK(out[7].departure == 30500);
}

TEST_CASE("link: an outage loses what comes and what is sent meanwhile, and comes again")
{
    Link link("delay=10ms,outage=2s@10s/5s+1s@1s");
    CHECK(delay_at(link, sec + 1) == 10 * ms); /* not begun */
    lt_link_begin(link.link, 0);
    const std::pair<livetcp_usec, bool> times[] = {
        {sec / 2, true},   {sec, false},      {2 * sec - 1, false}, {2 * sec, true},
        {9 * sec, true},   {10 * sec, false}, {12 * sec, true},     {15 * sec - 1, true},
        {15 * sec, false}, {17 * sec, true},  {61 * sec, false},    {62 * sec, true}};
    for (const auto &time : times) {
        INFO("at " << time.first);
        CHECK((delay_at(link, time.first) != 0) == time.second);
    }
    CHECK(link.counters().lost_outage == 5);

    Link queued("rate=8kbit,queue=off,outage=1s@1s"); /* 1 byte a millisecond */
    lt_link_begin(queued.link, 0);
    for (std::uintptr_t i = 0; i < 4; i++)
        REQUIRE(queued.push(0, i, 600) == LT_LINK_TAKEN); /* sent after 0.6, 1.2, 1.8, 2.4 s */
    const auto out = queued.run();
    REQUIRE(out.size() == 2);
    CHECK(out[1].number == 3);
    CHECK(queued.counters().lost_outage == 2);
    std::size_t back = 0;
    for (void *packet; lt_link_drop(queued.link, &packet);)
        back++;
    CHECK(back == 2);
}

TEST_CASE("link: a policer passes its rate and its burst, without a queue")
{
    Link link("policer=800kbit:10kB,delay=5ms"); /* 100 bytes a millisecond */
    int passed = 0;
    for (int i = 0; i < 20; i++)
        passed += offer(link, 0, 0, 0, 1000) == LT_LINK_TAKEN;
    CHECK(passed == 10);
    CHECK(offer(link, 9 * ms, 0, 0, 1000) == LT_LINK_DROPPED_POLICER);
    CHECK(offer(link, 10 * ms, 0, 0, 1000) == LT_LINK_TAKEN);
    for (const auto &packet : link.run())
        CHECK(packet.departure <= 15 * ms);
    passed = 0;
    for (int i = 0; i < 100000; i++) /* 8 Mbit/s for 100 s */
        passed += offer(link, sec + i * ms, 0, 0, 1000) == LT_LINK_TAKEN;
    CHECK(passed == Approx(10000).margin(12));
    CHECK(link.counters().dropped_policer == 11u + 100000u - static_cast<unsigned>(passed));
    /* A change begins with a full bucket; one of something else does not. */
    link.change(200 * sec, "policer=8kbit:2kB");
    CHECK(offer(link, 200 * sec, 0, 0, 2000) == LT_LINK_TAKEN);
    link.change(200 * sec, "delay=6ms");
    CHECK(offer(link, 200 * sec, 0, 0, 2000) == LT_LINK_DROPPED_POLICER);
}

TEST_CASE("link: impairments draw by themselves")
{
    const auto lost = [](const std::string &more) {
        Link link("loss=10%" + more, 3);
        std::set<int> numbers;
        for (int i = 0; i < 2000; i++)
            if (offer(link, i * ms, static_cast<std::uint32_t>(i)) == LT_LINK_LOST_RANDOM)
                numbers.insert(i);
        return numbers;
    };
    CHECK(lost("") == lost(",delay=5ms,routes=0+9ms,aqm=codel,rate=100mbit"));
}
