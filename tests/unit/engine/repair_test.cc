/* SPDX-License-Identifier: MIT */
/* Packets under way, without a session. */
#include "component_fixture.h"

extern "C" {
#include "engine/repair/probes.h"
#include "engine/repair/repair.h"
}

namespace
{

struct Repairing : Bench {
    explicit Repairing(const char *policy, unsigned count = 3) : Bench(count, false)
    {
        lt_repair_setup setup = {};
        setup.config = &config;
        setup.policy = livetcp_policy_find(policy);
        setup.uses_path_info = true;
        setup.random = random;
        setup.random_user = &rng;
        setup.writer = writer();
        setup.on_acknowledged = on_acknowledged;
        setup.user = this;
        repair = lt_repair_create(&setup);
        REQUIRE(repair);
        open_all(0);
    }

    ~Repairing()
    {
        lt_repair_destroy(&repair);
    }

    static void on_acknowledged(void *user, unsigned slot, const lt_packet *packet, livetcp_usec,
                                livetcp_usec)
    {
        static_cast<Repairing *>(user)->acknowledged.emplace_back(slot, packet->sequence);
    }

    /* A packet that was placed on that slot and written whole. */
    lt_packet *write(unsigned slot, uint16_t sequence, livetcp_usec review, livetcp_usec now)
    {
        std::vector<uint8_t> bytes = rtp(sequence);
        lt_packet *packet = lt_packet_create(bytes.data(), bytes.size());
        REQUIRE(packet);
        packet->ssrc = 0x1234;
        packet->sequence = sequence;
        packet->review_us = review;
        packet->carried = 1U << slot;
        packet->first_connection = static_cast<uint8_t>(slot);
        packet->copies = 1;
        packet->written = true;
        lt_links_wrote(links, slot, packet->frame_size, now);
        lt_repair_written(repair, links, slot, packet, now);
        return packet;
    }

    void acknowledge_all(unsigned slot, livetcp_usec now)
    {
        tell(slot, 0, now);
        lt_repair_acknowledged(repair, links, slot, now);
    }

    lt_repair *repair;
    std::vector<std::pair<unsigned, uint16_t>> acknowledged;
};

} // namespace

TEST_CASE("a packet is under way until it is acknowledged", "[repair]")
{
    Repairing r("hedge");
    r.write(0, 1, LIVETCP_NEVER, ms);
    r.write(0, 2, LIVETCP_NEVER, 2 * ms);
    CHECK(r.path(0).oldest_unacked_us == ms);
    r.tell(0, 102, 20 * ms); /* the first one has arrived */
    lt_repair_acknowledged(r.repair, r.links, 0, 20 * ms);
    REQUIRE(r.acknowledged.size() == 1);
    CHECK(r.acknowledged[0] == std::make_pair(0U, uint16_t{1}));
    CHECK(r.path(0).oldest_unacked_us == 2 * ms);
    r.acknowledge_all(0, 21 * ms);
    CHECK(r.acknowledged.size() == 2);
    CHECK(r.path(0).oldest_unacked_us == LIVETCP_NEVER);
}

TEST_CASE("a packet that is late is asked about, once for each time that the policy named",
          "[repair]")
{
    Repairing r("hedge");
    r.write(0, 1, 30 * ms, ms);
    CHECK(lt_repair_deadline(r.repair) <= 30 * ms);
    CHECK(lt_repair_next_due(r.repair, r.links, 29 * ms) == nullptr);
    lt_packet *due = lt_repair_next_due(r.repair, r.links, 30 * ms);
    REQUIRE(due);
    CHECK(due->sequence == 1);
    due->review_us = 60 * ms;
    lt_repair_reviewed(r.repair, due, false, 30 * ms);
    CHECK(lt_repair_next_due(r.repair, r.links, 59 * ms) == nullptr);
    r.acknowledge_all(0, 59 * ms);
    CHECK(lt_repair_next_due(r.repair, r.links, 60 * ms) == nullptr);
}

TEST_CASE("a tail probe follows at once, unless losses come in bursts", "[repair]")
{
    Bench bench(1, false);
    lt_control_writer writer = bench.writer();
    lt_probes probes;
    livetcp_usec now = 0;
    bench.open_all(now);
    lt_probes_init(&probes, &bench.config, true, true, &writer);
    for (; now < 2000 * ms; now += 200 * ms)
        lt_probes_written(&probes, &bench.path(0), now);
    CHECK(lt_probes_deadline(&probes) == now - 200 * ms + ms);
    probes.bursts = true;
    lt_probes_written(&probes, &bench.path(0), now);
    CHECK(lt_probes_deadline(&probes) == now + 4 * ms); /* a fifth of the round trip */
}

TEST_CASE("what waits behind a late packet is due with it, unless a copy is elsewhere", "[repair]")
{
    Repairing r("hedge");
    r.write(0, 1, 30 * ms, ms);
    r.write(0, 2, 45 * ms, ms);
    lt_packet *copied = r.write(0, 3, 45 * ms, ms);
    copied->carried |= 1U << 1;
    unsigned asked = 0;
    while (lt_packet *due = lt_repair_next_due(r.repair, r.links, 30 * ms)) {
        CHECK(due->sequence <= 2);
        due->review_us = 90 * ms;
        lt_repair_reviewed(r.repair, due, false, 30 * ms);
        asked++;
    }
    CHECK(asked == 2);
}

TEST_CASE("recovery makes the policy be asked at once", "[repair]")
{
    Repairing r("hedge");
    r.write(1, 1, 300 * ms, ms);
    lt_repair_alarm(r.repair, 1, 10 * ms);
    lt_packet *due = lt_repair_next_due(r.repair, r.links, 10 * ms);
    REQUIRE(due);
    due->review_us = LIVETCP_NEVER;
    lt_repair_reviewed(r.repair, due, true, 10 * ms);
}

TEST_CASE("a lost connection gives back what it did not deliver, the youngest first", "[repair]")
{
    Repairing r("hedge");
    r.write(0, 1, LIVETCP_NEVER, ms);
    r.write(0, 2, LIVETCP_NEVER, ms);
    for (uint16_t expected : {uint16_t{2}, uint16_t{1}}) {
        lt_packet *packet = lt_repair_take_back(r.repair, r.links, 0, false);
        REQUIRE(packet);
        CHECK(packet->sequence == expected);
        lt_packet_unref(&packet);
    }
    CHECK(lt_repair_take_back(r.repair, r.links, 0, false) == nullptr);
    r.write(0, 3, LIVETCP_NEVER, ms);
    CHECK(lt_repair_take_back(r.repair, r.links, 0, true) == nullptr);
}

TEST_CASE("parity is announced everywhere before it is sent, and waits for a connection",
          "[repair]")
{
    Repairing r("parity", 2);
    std::vector<uint8_t> bytes = rtp(0);
    for (uint16_t i = 0; i < r.config.parity_group; i++) {
        lt_packet *packet = lt_packet_create(rtp(i).data(), bytes.size());
        REQUIRE(packet);
        packet->ssrc = 0x1234;
        packet->sequence = i;
        packet->marker = i + 1u == r.config.parity_group;
        packet->carried = 1;
        CHECK(lt_repair_next_parity(r.repair, ms) == nullptr);
        CHECK(lt_repair_protect(r.repair, r.links, packet, ms));
        lt_packet_unref(&packet);
    }
    REQUIRE(r.written.size() == 2);
    CHECK(r.written[0].message().type == LT_CONTROL_PARITY);
    CHECK(r.written[0].slot != r.written[1].slot);
    lt_packet *parity = lt_repair_next_parity(r.repair, ms);
    REQUIRE(parity);
    CHECK(parity->parity);
    CHECK(parity->avoid == 1);
    CHECK(lt_repair_parity_known(r.repair, parity) == 3);
    lt_repair_reset_slot(r.repair, 1);
    CHECK(lt_repair_parity_known(r.repair, parity) == 1);
    lt_repair_parity_placed(r.repair, true);
    CHECK(lt_repair_next_parity(r.repair, ms) == nullptr);
    livetcp_session_stats stats = {};
    lt_repair_gather(r.repair, &stats);
    CHECK(stats.sent.parity == 1);
}

TEST_CASE("a small packet follows one that nothing else follows, unless it is acknowledged",
          "[repair]")
{
    Repairing r("hedge");
    r.write(0, 1, LIVETCP_NEVER, ms);
    livetcp_usec due = lt_repair_deadline(r.repair);
    REQUIRE(due < LIVETCP_NEVER);
    CHECK(lt_repair_wants_path_info(r.repair, due) & 1);
    r.tell(0, 102, due); /* sent, and not acknowledged */
    CHECK(lt_repair_probe(r.repair, r.links, due));
    REQUIRE(r.written.size() == 1);
    CHECK(r.written[0].slot == 0);
    CHECK_FALSE(lt_repair_probe(r.repair, r.links, due));
    r.write(0, 2, LIVETCP_NEVER, due + 500 * ms);
    r.acknowledge_all(0, due + 501 * ms);
    CHECK_FALSE(lt_repair_probe(r.repair, r.links, due + 600 * ms));
}

TEST_CASE("a link that takes no extra bytes takes no tail probes of a policy that asks for them",
          "[repair]")
{
    for (const char *policy : {"auto", "hedge"}) {
        Repairing r(policy);
        r.write(0, 1, LIVETCP_NEVER, ms);
        livetcp_usec due = lt_repair_deadline(r.repair);
        REQUIRE(due < LIVETCP_NEVER);
        r.tell(0, 102, due);
        lt_repair_set_full_links(r.repair, 1);
        CHECK(lt_repair_probe(r.repair, r.links, due) == (std::string(policy) == "hedge"));
        lt_repair_set_full_links(r.repair, 0);
        r.write(0, 2, LIVETCP_NEVER, due + 500 * ms);
        due = lt_repair_deadline(r.repair);
        r.tell(0, 102, due);
        CHECK(lt_repair_probe(r.repair, r.links, due));
    }
}

TEST_CASE("padding goes where least is under way, and where a window has space", "[repair]")
{
    Repairing r("hedge", 2);
    r.tell(0, 5000, ms);
    r.tell(1, 0, ms);
    CHECK(lt_repair_pad(r.repair, r.links, 3, 5000) == 1002);
    REQUIRE(r.written.size() == 1);
    CHECK(r.written[0].slot == 1);
    CHECK(lt_repair_pad(r.repair, r.links, 1, 300) <= 300);
    REQUIRE(r.written.size() == 2);
    CHECK(r.written[1].slot == 0);
    CHECK(lt_repair_pad(r.repair, r.links, 4, 5000) == 0); /* no such slot */
    r.tell(0, 1000000, 2 * ms);
    CHECK(lt_repair_pad(r.repair, r.links, 1, 5000) == 0);
}

TEST_CASE("a packet is overtaken by later ones of other connections on its route", "[repair]")
{
    Repairing r("hedge");
    auto due = [&](livetcp_usec now) {
        lt_packet *packet = lt_repair_next_due(r.repair, r.links, now);
        REQUIRE(packet);
        bool overtaken = packet->overtaken;
        packet->review_us = now + ms;
        lt_repair_reviewed(r.repair, packet, false, now);
        return overtaken;
    };
    r.write(1, 1, LIVETCP_NEVER, ms);
    r.write(0, 2, 30 * ms, 2 * ms)->last_sent_us = 2 * ms;
    r.write(2, 3, LIVETCP_NEVER, 3 * ms);
    CHECK_FALSE(due(30 * ms));
    r.acknowledge_all(1, 30 * ms); /* it left before */
    CHECK_FALSE(due(31 * ms));
    r.path(2).group = 2; /* another route */
    r.acknowledge_all(2, 31 * ms);
    CHECK_FALSE(due(32 * ms));
    r.path(2).group = r.path(0).group;
    CHECK(due(33 * ms));
}
