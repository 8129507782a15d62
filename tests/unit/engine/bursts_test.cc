/* SPDX-License-Identifier: MIT */
/* The record of losses, the burst statistics from it, and delayed copies. */
#include "catch.h"

extern "C" {
#include "base/rng.h"
#include "engine/repair/loss_bursts.h"
#include "engine/sender/delayed_copies.h"
}

#include <vector>

namespace
{

const livetcp_usec ms = 1000;

/* Two packets every 10 ms, each lost with the probability of a state that lasts `burst_us` on
 * average; with 0, independently. */
struct Losses {
    lt_rng rng;
    lt_loss_record record = {};
    lt_loss_bursts bursts = {};
    bool bad = false;
    livetcp_usec now = 0, changed = 0;

    explicit Losses(uint64_t seed)
    {
        lt_rng_seed(&rng, seed);
    }

    bool lost(double loss, livetcp_usec burst_us)
    {
        if (!burst_us)
            return lt_rng_uniform(&rng) < loss;
        for (; changed < now; changed += 100) {
            double leave = 100.0 / static_cast<double>(burst_us);
            double move = bad ? leave : leave * loss / (1 - loss);
            bad = lt_rng_uniform(&rng) < move ? !bad : bad;
        }
        return bad;
    }

    /* A delivery is known 70 ms after the write, a loss after 140 ms. */
    void run(livetcp_usec duration, double loss, livetcp_usec burst_us)
    {
        struct Waiting {
            uint64_t number;
            livetcp_usec at;
            bool lost;
        };
        std::vector<Waiting> waiting;
        for (livetcp_usec end = now + duration; now < end; now += 10 * ms) {
            for (int i = 0; i < 2; i++) {
                bool is_lost = lost(loss, burst_us);
                waiting.push_back({lt_loss_record_written(&record, now),
                                   now + (is_lost ? 140 : 70) * ms, is_lost});
            }
            for (size_t i = 0; i < waiting.size();) {
                if (waiting[i].at > now) {
                    i++;
                    continue;
                }
                lt_loss_record_resolved(&record, waiting[i].number,
                                        waiting[i].lost ? LT_FATE_LOST : LT_FATE_ARRIVED);
                waiting.erase(waiting.begin() + static_cast<long>(i));
            }
            if (now % (1000 * ms) == 0) {
                lt_loss_bursts_update(&bursts, &record);
                lt_loss_record_age(&record, 0.98);
            }
        }
    }
};

struct Packet {
    Packet() : packet(lt_packet_create(nullptr, 100))
    {
    }

    ~Packet()
    {
        lt_packet_unref(&packet);
    }

    lt_packet *packet;
};

void add(lt_delayed_copies &copies, Packet &packet, livetcp_usec due, livetcp_usec pointless)
{
    lt_delayed_copy copy = {packet.packet, 1, due, pointless};

    REQUIRE(lt_delayed_copies_add(&copies, &copy));
}

} // namespace

TEST_CASE("losses one by one are no bursts, whatever their share", "[bursts]")
{
    for (double loss : {0.001, 0.01, 0.03, 0.1, 0.3})
        for (uint64_t seed = 1; seed <= 10; seed++) {
            Losses losses(seed);
            losses.run(60 * 1000 * ms, loss, 0);
            CAPTURE(loss, seed, losses.bursts.joint, losses.bursts.burst_us);
            CHECK(!losses.bursts.found);
            CHECK(lt_loss_bursts_spacing(&losses.bursts, 30 * ms) == 0);
        }
}

TEST_CASE("a burst's length is found, and copies are spread as far", "[bursts]")
{
    for (livetcp_usec burst_us : {6 * ms, 20 * ms, 50 * ms})
        for (uint64_t seed = 1; seed <= 5; seed++) {
            Losses losses(seed);
            losses.run(60 * 1000 * ms, 0.024, burst_us);
            CAPTURE(burst_us, seed, losses.bursts.joint, losses.bursts.burst_us);
            REQUIRE(losses.bursts.found);
            CHECK(losses.bursts.joint > 0.5);
            CHECK(losses.bursts.burst_us > 0.25 * static_cast<double>(burst_us));
            CHECK(losses.bursts.burst_us < 4 * static_cast<double>(burst_us));
            livetcp_usec spacing = lt_loss_bursts_spacing(&losses.bursts, LIVETCP_USEC_SEC);
            CHECK(spacing > burst_us);
            CHECK(spacing < 20 * burst_us);
            CHECK(lt_loss_bursts_spacing(&losses.bursts, ms) == ms);
            /* Short bursts are over by then: a copy is lost as often as any packet. */
            CHECK(lt_loss_bursts_joint(&losses.bursts, 0) == Approx(losses.bursts.joint));
            CHECK(lt_loss_bursts_joint(&losses.bursts, 50 * burst_us) ==
                  Approx(losses.bursts.loss).margin(0.001));
        }
}

TEST_CASE("bursts are forgotten when they have ended", "[bursts]")
{
    Losses losses(1);

    losses.run(60 * 1000 * ms, 0.024, 20 * ms);
    REQUIRE(losses.bursts.found);
    losses.run(400 * 1000 * ms, 0.01, 0);
    CHECK(!losses.bursts.found);
    CHECK(losses.bursts.joint == losses.bursts.loss);
    CHECK(lt_loss_bursts_joint(&losses.bursts, 0) == 0);
}

TEST_CASE("a packet whose place in the record was taken is left out", "[bursts]")
{
    lt_loss_record record = {};
    uint64_t first = lt_loss_record_written(&record, 0);

    for (unsigned i = 0; i < LT_LOSS_RECORD_SENT; i++)
        lt_loss_record_written(&record, i);
    lt_loss_record_resolved(&record, first, LT_FATE_LOST);
    CHECK(record.known == 0);
    lt_loss_record_resolved(&record, record.next - 1, LT_FATE_LOST);
    CHECK(record.known == 1);
    CHECK(record.lost == 1);
}

TEST_CASE("copies come out by their time, and pointless ones are dropped", "[bursts]")
{
    lt_delayed_copies copies = {};
    Packet a, b, c, d;

    CHECK(lt_delayed_copies_deadline(&copies) == LIVETCP_NEVER);
    add(copies, c, 30, 50);
    add(copies, a, 10, 50);
    add(copies, d, 40, 50);
    add(copies, b, 20, 25);
    CHECK(lt_delayed_copies_deadline(&copies) == 10);
    CHECK(!lt_delayed_copies_first(&copies, 9));
    REQUIRE(lt_delayed_copies_first(&copies, 10));
    CHECK(lt_delayed_copies_first(&copies, 10)->packet == a.packet);
    lt_delayed_copies_postpone(&copies, 35); /* no slot has space */
    CHECK(lt_delayed_copies_deadline(&copies) == 20);
    c.packet->delivered = true;
    REQUIRE(lt_delayed_copies_first(&copies, 36)); /* b is too old, c was acknowledged */
    CHECK(lt_delayed_copies_first(&copies, 36)->packet == a.packet);
    CHECK(copies.dropped == 2);
    lt_delayed_copies_cancel(&copies, a.packet);
    CHECK(copies.count == 1);
    lt_delayed_copies_make_due(&copies);
    REQUIRE(lt_delayed_copies_first(&copies, 0));
    CHECK(lt_delayed_copies_first(&copies, 0)->packet == d.packet);
    lt_delayed_copies_pop(&copies);
    CHECK(!lt_delayed_copies_first(&copies, 100));
    CHECK(copies.dropped == 2);
    lt_delayed_copies_clear(&copies);
    for (Packet *packet : {&a, &b, &c, &d})
        CHECK(packet->packet->references == 1);
}

TEST_CASE("only so many copies wait", "[bursts]")
{
    lt_delayed_copies copies = {};
    Packet packet;
    lt_delayed_copy copy = {packet.packet, 1, 10, 50};

    for (unsigned i = 0; i < LT_DELAYED_COPIES_MAX; i++)
        REQUIRE(lt_delayed_copies_add(&copies, &copy));
    CHECK(!lt_delayed_copies_add(&copies, &copy));
    CHECK(packet.packet->references == 1 + LT_DELAYED_COPIES_MAX);
    lt_delayed_copies_clear(&copies);
    CHECK(packet.packet->references == 1);
}
