/* SPDX-License-Identifier: MIT */
/* Queue disciplines: what RFC 8289 and RFC 8290 say of them, in virtual time. */
#include "emulate_test.h"

#include <cmath>
#include <map>
#include <memory>

namespace
{

/* Sends at `interval` from `from` to `to`, popping as it goes. */
struct Source {
    livetcp_usec interval;
    std::size_t size;
    std::uint32_t flow;
    lt_ecn ecn;
};

struct Arrived {
    livetcp_usec sent, delay;
    std::uint32_t flow;
    bool marked;
};

std::vector<Arrived> send(Link &link, const std::vector<Source> &sources, livetcp_usec from,
                          livetcp_usec to)
{
    struct Packet {
        livetcp_usec sent;
        std::uint32_t flow;
    };
    std::vector<std::unique_ptr<Packet>> packets;
    std::vector<livetcp_usec> due(sources.size(), from);
    std::vector<Arrived> all;
    const auto pop = [&](livetcp_usec until) {
        for (livetcp_usec next; (next = lt_link_next(link.link)) <= until;) {
            lt_link_delivery out;
            while (lt_link_pop(link.link, next, &out)) {
                const auto *packet = static_cast<Packet *>(out.packet);
                all.push_back(
                    {packet->sent, out.departure - packet->sent, packet->flow, out.marked});
            }
        }
    };
    for (;;) {
        std::size_t first = 0;
        for (std::size_t i = 1; i < due.size(); i++)
            first = due[i] < due[first] ? i : first;
        const livetcp_usec now = due[first];
        if (now >= to)
            break;
        pop(now);
        const Source &source = sources[first];
        packets.push_back(std::make_unique<Packet>(Packet{now, source.flow}));
        const lt_link_packet offered = {packets.back().get(), source.size, source.ecn, source.flow};
        lt_link_offer(link.link, now, &offered);
        due[first] += source.interval;
    }
    pop(LIVETCP_NEVER - 1);
    return all;
}

livetcp_usec largest(const std::vector<Arrived> &all, livetcp_usec from, std::uint32_t flow)
{
    livetcp_usec max = 0;
    for (const Arrived &packet : all)
        if (packet.sent >= from && packet.flow == flow && packet.delay > max)
            max = packet.delay;
    return max;
}

const livetcp_usec sec = LIVETCP_USEC_SEC;

} // namespace

TEST_CASE("link: CoDel leaves a queue below its target alone, and a burst that drains")
{
    Link link("rate=12mbit,queue=off,aqm=codel"); /* 1 ms a packet */
    /* 4 packets each 5 ms: at most 4 ms in the queue. */
    for (livetcp_usec now = 0; now < 10 * sec; now += 5000)
        for (int i = 0; i < 4; i++)
            REQUIRE(link.push(now, 1) == LT_LINK_TAKEN);
    /* 60 packets at once are gone before they were above it for an interval. */
    for (int i = 0; i < 60; i++)
        link.push(10 * sec, 1);
    link.run();
    CHECK(link.counters().dropped_aqm == 0);
    CHECK(link.counters().out_packets == 8060);
}

TEST_CASE("link: CoDel drops one packet an interval, then more often by the square root")
{
    Link link("rate=12mbit,queue=off,aqm=codel:5ms:100ms");
    /* A standing queue: one packet per transmission time, behind 50 that came at once. */
    for (std::uintptr_t i = 0; i < 50; i++)
        link.push(0, i);
    std::vector<livetcp_usec> drops;
    for (livetcp_usec now = 0; now < sec; now += 1000) {
        lt_link_delivery out;
        while (lt_link_pop(link.link, now, &out)) {
        }
        for (void *packet; lt_link_drop(link.link, &packet);)
            drops.push_back(now);
        link.push(now, 1);
    }
    REQUIRE(drops.size() > 4);
    /* Above the target from the fifth packet on (5 ms); the first drop an interval later. */
    CHECK(drops[0] == Approx(106000).margin(1000));
    /* RFC 8289, 5.3: the k-th follows the one before after interval / sqrt(k). */
    for (std::size_t k = 1; k < 5; k++)
        CHECK(drops[k] - drops[k - 1] == Approx(100000 / std::sqrt(k)).margin(1001));
    CHECK(link.counters().dropped_aqm >= drops.size());
}

TEST_CASE("link: a CBR flow above the rate keeps its excess out of CoDel's queue in the long run")
{
    Link codel("rate=1mbit,queue=1000p,aqm=codel"), tail("rate=1mbit,queue=1000p");
    const std::vector<Source> excess = {{1000, 150, 1, LT_ECN_NOT_ECT}}; /* 1.2 Mbit/s */
    const auto with = send(codel, excess, 0, 60 * sec), without = send(tail, excess, 0, 60 * sec);
    CHECK(largest(without, 40 * sec, 1) > 1000000); /* 1000 packets take 1.2 s */
    CHECK(largest(with, 40 * sec, 1) < 200000);     /* it begins anew when the queue has drained */
    CHECK(codel.counters().dropped_aqm > 0);
    /* The link is busy all the same. */
    CHECK(codel.counters().out_bytes >= 7300000);
}

TEST_CASE("link: with ecn=classic CoDel marks what can be marked, and drops the rest")
{
    for (lt_ecn ecn : {LT_ECN_ECT0, LT_ECN_ECT1, LT_ECN_NOT_ECT, LT_ECN_CE}) {
        Link link("rate=12mbit,queue=off,aqm=codel,ecn");
        const auto all = send(link, {{990, 1500, 1, ecn}}, 0, 20 * sec);
        const auto counters = link.counters();
        INFO("codepoint " << ecn);
        if (ecn == LT_ECN_NOT_ECT) {
            CHECK(counters.dropped_aqm > 20);
            CHECK(counters.marked == 0);
        } else {
            CHECK(counters.dropped_aqm == 0);
            CHECK((counters.marked > 20) == (ecn != LT_ECN_CE)); /* a mark stays one */
            std::uint64_t marked = 0;
            for (const Arrived &packet : all)
                marked += packet.marked;
            CHECK(marked == counters.marked);
        }
    }
}

TEST_CASE("link: ecn=l4s marks ECT(1) that waited longer than the step, and nothing else")
{
    Link link("rate=12mbit,queue=off,ecn=l4s:2ms"); /* 1 ms a packet */
    for (std::uintptr_t i = 0; i < 6; i++)
        link.push(0, i, 1500, LT_ECN_ECT1); /* wait 0, 1, 2, ... ms */
    link.push(0, 6, 1500, LT_ECN_ECT0);
    link.push(0, 7, 1500, LT_ECN_NOT_ECT);
    const auto out = link.run();
    REQUIRE(out.size() == 8);
    for (std::size_t i = 0; i < out.size(); i++)
        CHECK(out[i].marked == (i >= 3 && i <= 5));
    CHECK(link.counters().marked == 3);
}

TEST_CASE("link: FQ-CoDel keeps a thin flow out of a greedy flow's queue and shares the rate")
{
    Link link("rate=1.2mbit,queue=1000p,aqm=fq-codel"); /* 10 ms a packet of 1500 bytes */
    const std::vector<Source> flows = {{5000, 1500, 1, LT_ECN_NOT_ECT},  /* 2.4 Mbit/s */
                                       {5000, 1500, 2, LT_ECN_NOT_ECT},  /* likewise */
                                       {20000, 200, 3, LT_ECN_NOT_ECT}}; /* 80 kbit/s */
    const auto all = send(link, flows, 0, 20 * sec);
    std::map<std::uint32_t, std::uint64_t> count;
    for (const Arrived &packet : all)
        if (packet.sent < 19 * sec)
            count[packet.flow]++;
    /* The thin flow waits for the packet being transmitted and one of each other at most. */
    CHECK(largest(all, 0, 3) <= 10000 + 1334 + 2 * 10000 + 10);
    CHECK(count[3] == 950);
    CHECK(static_cast<double>(count[1]) == Approx(static_cast<double>(count[2])).epsilon(0.05));
    CHECK(link.counters().dropped_aqm > 0);
}

TEST_CASE("link: a full FQ-CoDel queue drops from the longest flow and takes the newcomer")
{
    Link link("rate=8kbit,queue=20p,aqm=fq-codel:3600s");
    const auto offer = [&](std::uintptr_t number, std::uint32_t flow) {
        const lt_link_packet packet = {reinterpret_cast<void *>(number), 100, LT_ECN_NOT_ECT, flow};
        return lt_link_offer(link.link, 0, &packet);
    };
    for (std::uintptr_t i = 0; i < 20; i++)
        REQUIRE(offer(i, 7) == LT_LINK_TAKEN);
    CHECK(link.counters().dropped_queue == 0);
    REQUIRE(offer(100, 8) == LT_LINK_TAKEN);
    /* Half of the 19 that wait, rounded up, from the head; 0 is being transmitted. */
    CHECK(link.counters().dropped_queue == 10);
    std::uintptr_t number = 1;
    for (void *packet; lt_link_drop(link.link, &packet); number++)
        CHECK(packet == reinterpret_cast<void *>(number));
    CHECK(number == 11);
    const auto out = link.run();
    REQUIRE(out.size() == 11);
    CHECK(out[1].number == 11); /* it is still its turn: a quantum is 1500 bytes */
    CHECK(link.counters().queue_packets == 0);
}

TEST_CASE("link: a change of the discipline keeps every packet")
{
    Link link("rate=12mbit,queue=off");
    for (std::uintptr_t i = 0; i < 100; i++)
        link.push(0, i);
    link.change(10000, "aqm=fq-codel");
    link.change(20000, "aqm=codel");
    link.change(30000, "aqm=off");
    const auto out = link.run();
    REQUIRE(out.size() == 100);
    for (std::uintptr_t i = 0; i < 100; i++) {
        CHECK(out[i].number == i);
        CHECK(out[i].departure == static_cast<livetcp_usec>(i + 1) * 1000);
    }
}

TEST_CASE("link: everything that an AQM dropped comes back, also by discard")
{
    Link link("rate=1mbit,queue=50p,aqm=fq-codel:1ms:10ms:8");
    std::size_t taken = 0, back = 0;
    for (std::uintptr_t i = 0; i < 3000; i++) {
        const lt_link_packet packet = {nullptr, 700, LT_ECN_NOT_ECT, static_cast<std::uint32_t>(i)};
        taken +=
            lt_link_offer(link.link, static_cast<livetcp_usec>(i) * 2000, &packet) == LT_LINK_TAKEN;
    }
    lt_link_delivery out;
    while (lt_link_pop(link.link, 6000000, &out))
        back++;
    for (void *packet; lt_link_discard(link.link, &packet);)
        back++;
    CHECK(taken == 3000);
    CHECK(back == taken);
    CHECK(link.counters().dropped_aqm > 0);
    CHECK(link.counters().dropped_queue > 0);
}
