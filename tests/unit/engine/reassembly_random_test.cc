/* SPDX-License-Identifier: MIT */
/* Seeded random paths: several connections, each in order by itself, with loss, copies and stalls.
 * No packet may be delivered twice, and each must be counted. */
#include "receiver.h"

#include <algorithm>
#include <map>
#include <set>

extern "C" {
#include "base/rng.h"
}

namespace
{

const livetcp_usec wait_us = 300000;

struct Plan {
    unsigned connections = 5;
    double loss = 0;            /* fraction of packets lost */
    double copies = 0;          /* fraction of packets also sent on a second connection */
    double stalls = 0;          /* probability of a stall before a packet */
    livetcp_usec stall_us = 0;  /* longest stall */
    unsigned ssrcs = 1;         /* concurrent streams */
    unsigned replace_after = 0; /* packets after which a stream gets a new SSRC; 0: never */
    double jumps = 0;           /* probability of a forward jump before a packet */
};

struct Sent {
    livetcp_usec at;
    unsigned connection;
    uint32_t ssrc;
    uint16_t sequence;
    uint32_t id;
};

class Sender
{
  public:
    Sender(const Plan &chosen, uint64_t seed) : plan(chosen)
    {
        lt_rng_seed(&rng, seed);
    }

    /* All arrivals of `count` packets sent every millisecond, in order of arrival. */
    std::vector<Sent> send(unsigned count)
    {
        std::vector<Sent> arrivals;
        std::vector<livetcp_usec> busy_until(plan.connections);
        std::map<unsigned, uint16_t> next;
        for (uint32_t id = 0; id < count; id++) {
            unsigned stream = id % plan.ssrcs;
            unsigned lap = plan.replace_after ? id / plan.replace_after : 0;
            uint32_t ssrc = stream + 1 + 1000 * lap;
            if (!next.count(ssrc))
                next[ssrc] = (uint16_t)lt_rng_next(&rng);
            if (chance(plan.jumps))
                next[ssrc] = (uint16_t)(next[ssrc] + 4000 + lt_rng_next(&rng) % 8000);
            uint16_t sequence = next[ssrc]++;
            if (chance(plan.loss))
                continue;
            sent++;
            unsigned copies = chance(plan.copies) ? 2 : 1;
            unsigned connection = (unsigned)(lt_rng_next(&rng) % plan.connections);
            for (unsigned copy = 0; copy < copies; copy++) {
                livetcp_usec &busy = busy_until[(connection + copy) % plan.connections];
                busy = std::max<livetcp_usec>(busy, id * 1000 + 20000);
                if (chance(plan.stalls))
                    busy += (livetcp_usec)(lt_rng_uniform(&rng) * (double)plan.stall_us);
                arrivals.push_back(
                    {busy, (connection + copy) % plan.connections, ssrc, sequence, id});
            }
        }
        std::stable_sort(arrivals.begin(), arrivals.end(),
                         [](const Sent &a, const Sent &b) { return a.at < b.at; });
        return arrivals;
    }

    unsigned sent = 0; /* packets, copies counted once */

  private:
    bool chance(double share)
    {
        return lt_rng_uniform(&rng) < share;
    }

    Plan plan;
    lt_rng rng;
};

/* Pushes all arrivals, expires timers in between, and checks the holding times. */
void run(Receiver &r, const std::vector<Sent> &arrivals, livetcp_usec longest_hold)
{
    size_t checked = 0, held_too_long = 0;
    auto check = [&](livetcp_usec now) {
        for (; checked < r.delivered.size(); checked++)
            held_too_long += now - r.delivered[checked].arrival_us > longest_hold;
    };
    auto expire_until = [&](livetcp_usec now) {
        for (livetcp_usec due = r.deadline(); due <= now; due = r.deadline()) {
            r.expire(due);
            REQUIRE(r.deadline() > due);
            check(due);
        }
    };
    for (const Sent &packet : arrivals) {
        expire_until(packet.at);
        REQUIRE(r.push(packet.ssrc, packet.sequence, packet.at, packet.id, packet.connection) ==
                LIVETCP_OK);
        check(packet.at);
    }
    expire_until(LIVETCP_NEVER - 1);
    CHECK(held_too_long == 0);
    CHECK_FALSE(r.damaged);
}

void check_once(const Receiver &r)
{
    std::set<uint32_t> ids;
    for (const Delivered &packet : r.delivered)
        REQUIRE(ids.insert(packet.id).second);
}

/* Each stream's packets are delivered in order, with a discontinuity exactly at each gap. */
void check_order(const Receiver &r, unsigned ssrcs)
{
    std::map<uint32_t, uint32_t> last;
    size_t wrong = 0, unmarked = 0;
    for (const Delivered &packet : r.delivered) {
        auto before = last.find(packet.ssrc);
        if (before != last.end()) {
            wrong += packet.id <= before->second;
            unmarked += packet.discontinuity != (packet.id != before->second + ssrcs);
        }
        last[packet.ssrc] = packet.id;
    }
    CHECK(wrong == 0);
    CHECK(unmarked == 0);
}

Plan random_plan(uint64_t seed)
{
    lt_rng rng;
    Plan plan;
    lt_rng_seed(&rng, seed * 977);
    plan.connections = 1 + (unsigned)(lt_rng_next(&rng) % 8);
    plan.loss = seed % 3 ? lt_rng_uniform(&rng) * 0.2 : 0;
    plan.copies = seed % 2 ? lt_rng_uniform(&rng) : 0;
    plan.stalls = 0.002;
    plan.stall_us = 2000000;
    plan.ssrcs = 1 + (unsigned)(lt_rng_next(&rng) % 4);
    plan.replace_after = seed % 5 ? 0 : 3000;
    return plan;
}

} // namespace

TEST_CASE("in arrival order everything that comes is delivered once", "[reassembly][random]")
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        INFO("seed " << seed);
        Sender sender(random_plan(seed), seed);
        std::vector<Sent> arrivals = sender.send(10000);
        Receiver r(LIVETCP_ORDER_ARRIVAL);
        run(r, arrivals, 0);
        check_once(r);
        CHECK(r.stats().delivered == sender.sent);
        CHECK(r.stats().duplicates == arrivals.size() - sender.sent);
        CHECK(r.stats().late_discarded == 0);
        CHECK(r.stats().restarts == 0);
    }
}

TEST_CASE("in sequence order numbers only grow, and no packet waits too long",
          "[reassembly][random]")
{
    uint64_t late = 0, gaps = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        INFO("seed " << seed);
        Plan plan = random_plan(seed);
        Sender sender(plan, seed);
        std::vector<Sent> arrivals = sender.send(10000);
        Receiver r(LIVETCP_ORDER_SEQUENCE, wait_us);
        run(r, arrivals, wait_us);
        check_once(r);
        check_order(r, plan.ssrcs);
        CHECK(r.stats().delivered + r.stats().late_discarded == sender.sent);
        CHECK(r.stats().duplicates == arrivals.size() - sender.sent);
        CHECK(r.stats().restarts == 0);
        late += r.stats().late_discarded;
        gaps += r.stats().gaps;
    }
    CHECK(late > 0); /* otherwise the stalls tested nothing */
    CHECK(gaps > 0);
}

TEST_CASE("without stalls beyond the wait, sequence order loses nothing", "[reassembly][random]")
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        INFO("seed " << seed);
        Plan plan = random_plan(seed);
        plan.loss = 0;
        plan.stall_us = 200000;
        plan.stalls = 0.0005;
        plan.replace_after = 0;
        Sender sender(plan, seed);
        std::vector<Sent> arrivals = sender.send(10000);
        /* A connection may stall again before it has caught up: this wait covers it. */
        Receiver r(LIVETCP_ORDER_SEQUENCE, 10 * wait_us);
        run(r, arrivals, 10 * wait_us);
        check_order(r, plan.ssrcs);
        CHECK(r.stats().gaps == 0);
        CHECK(r.stats().delivered + r.stats().late_discarded == sender.sent);
        /* Only packets overtaken for longer than a stream's start are late. */
        CHECK(r.stats().late_discarded < 200);
    }
}

TEST_CASE("jumping numbers are delivered at most once and in order", "[reassembly][random]")
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        INFO("seed " << seed);
        Plan plan = random_plan(seed);
        plan.jumps = 0.001;
        plan.stall_us = 100000;
        plan.replace_after = 0;
        Sender sender(plan, seed);
        std::vector<Sent> arrivals = sender.send(10000);

        Receiver arrival(LIVETCP_ORDER_ARRIVAL);
        run(arrival, arrivals, LIVETCP_NEVER);
        check_once(arrival);
        CHECK(arrival.stats().restarts > 0);
        CHECK(arrival.stats().delivered + arrival.stats().late_discarded <= sender.sent);
        CHECK(arrival.stats().delivered > sender.sent * 99 / 100);

        Receiver sequence(LIVETCP_ORDER_SEQUENCE, wait_us);
        run(sequence, arrivals, LIVETCP_NEVER);
        check_once(sequence);
        std::map<uint32_t, uint32_t> last;
        for (const Delivered &packet : sequence.delivered) {
            if (last.count(packet.ssrc))
                REQUIRE(packet.id > last[packet.ssrc]);
            last[packet.ssrc] = packet.id;
        }
    }
}
