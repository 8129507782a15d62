/* SPDX-License-Identifier: MIT */
/* Packets from acceptance to the next write, without a session. */
#include "component_fixture.h"

#include <memory>

extern "C" {
#include "engine/sender/sender.h"
}

namespace
{

struct Sending : Bench {
    explicit Sending(const char *policy, unsigned count = 3, livetcp_usec max_send_delay_us = 0)
        : Bench(count, false)
    {
        config.max_send_delay_us = max_send_delay_us;
        sender = lt_sender_create(&config, livetcp_policy_find(policy), &events);
        REQUIRE(sender);
        open_all(0);
    }

    ~Sending()
    {
        lt_sender_destroy(&sender);
    }

    livetcp_result accept(const std::vector<uint8_t> &packet, livetcp_usec now)
    {
        bool rtcp = false;
        return lt_sender_accept(sender, packet.data(), packet.size(), nullptr, now, &rtcp);
    }

    /* Places the oldest packet; returns the number of copies, 0 if it waits. */
    unsigned place(livetcp_usec now)
    {
        lt_placed placed;
        if (!lt_sender_place(sender, links, now, &placed))
            return 0;
        lt_packet_unref(&placed.packet);
        return placed.copies;
    }

    /* Writes the contents of the outboxes; returns the slots in order. */
    std::vector<unsigned> write_all()
    {
        std::vector<unsigned> slots;
        livetcp_engine_write write;
        const lt_packet *finishing;
        while (lt_sender_next_write(sender, links, &write, &finishing)) {
            bool first;
            slots.push_back(write.connection);
            lt_packet *whole = lt_sender_wrote(sender, write.connection, write.size, &first);
            lt_packet_unref(&whole);
        }
        return slots;
    }

    livetcp_session_stats stats(livetcp_usec now) const
    {
        livetcp_session_stats all = {};
        lt_sender_gather(sender, links, now, &all);
        return all;
    }

    lt_sender *sender;
};

} // namespace

TEST_CASE("a packet goes through the policy to an outbox, and is written once", "[sender]")
{
    Sending s("round-robin");
    REQUIRE(s.accept(rtp(1), 0) == LIVETCP_OK);
    CHECK(lt_sender_queued(s.sender) == 1);
    CHECK(s.place(0) == 1);
    CHECK(lt_sender_queued(s.sender) == 0);
    CHECK(s.write_all() == std::vector<unsigned>{0});
    CHECK(s.stats(0).sent.packets == 1);
    CHECK(s.stats(0).sent.bytes == 102);
    CHECK(lt_sender_idle(s.sender, 0));
}

TEST_CASE("copies beyond the first are paid for, and counted", "[sender]")
{
    Sending s("duplicate");
    REQUIRE(s.accept(rtp(1), 0) == LIVETCP_OK);
    CHECK(s.place(0) == 2);
    CHECK(s.write_all().size() == 2);
    CHECK(s.stats(0).sent.packets == 1);
    CHECK(s.stats(0).sent.copies == 1);
    CHECK(s.stats(0).sent.extra_bytes == 100);
}

namespace
{

/* The policy's views at reviews; this policy requests a copy of each packet wherever there is
 * space. */
std::vector<livetcp_policy_view> shown;

void place_on_first(void *, const livetcp_policy_view *, const livetcp_packet_view *,
                    livetcp_decision *decision)
{
    decision->connections = 1;
}

void copy_to_ready(void *, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                   livetcp_decision *decision)
{
    shown.push_back(*view);
    if (packet->size > 100) /* small packets need none */
        for (unsigned i = 0; i < view->path_count && !decision->connections; i++)
            if (view->paths[i].ready && !(packet->carried_by >> i & 1))
                decision->connections = 1u << i;
}

} // namespace

TEST_CASE("packets reviewed together see one view until a copy is placed", "[sender]")
{
    livetcp_policy policy = {};
    policy.struct_size = sizeof policy;
    policy.path_size = sizeof(livetcp_path);
    policy.name = "copies";
    policy.place = place_on_first;
    policy.review = copy_to_ready;
    Sending s("single");
    s.config.redundancy_budget = 1;
    REQUIRE(lt_sender_configure(s.sender, &s.config, &policy) == LIVETCP_OK);
    std::vector<lt_packet *> placed;
    for (unsigned i = 0; i < 3; i++) { /* the first one is large */
        REQUIRE(s.accept(rtp(static_cast<uint16_t>(i), i ? 40 : 500), 0) == LIVETCP_OK);
        lt_sender_begin_round(s.sender, s.links, 0);
        lt_placed one;
        REQUIRE(lt_sender_place(s.sender, s.links, 0, &one));
        placed.push_back(one.packet);
        s.write_all();
    }

    shown.clear();
    lt_sender_begin_round(s.sender, s.links, 10 * ms);
    CHECK_FALSE(lt_sender_review(s.sender, s.links, placed[1], 10 * ms));
    CHECK_FALSE(lt_sender_review(s.sender, s.links, placed[2], 10 * ms));
    CHECK(lt_sender_review(s.sender, s.links, placed[0], 10 * ms));
    CHECK_FALSE(lt_sender_review(s.sender, s.links, placed[1], 10 * ms));
    REQUIRE(shown.size() == 4);
    CHECK(shown[1].budget_bytes == shown[0].budget_bytes);
    CHECK(shown[2].budget_bytes == shown[0].budget_bytes);
    CHECK(shown[3].budget_bytes + lt_packet_size(placed[0]) == shown[0].budget_bytes);
    CHECK(s.write_all() == std::vector<unsigned>{1});

    lt_sender_begin_round(s.sender, s.links, 20 * ms);
    CHECK_FALSE(lt_sender_review(s.sender, s.links, placed[1], 20 * ms));
    CHECK(shown[4].now_us == 20 * ms);
    for (lt_packet *packet : placed)
        lt_packet_unref(&packet);
}

TEST_CASE("a packet waits while every connection is full, and is asked about again", "[sender]")
{
    Sending s("single", 1);
    s.tell(0, 1000000, ms);
    REQUIRE(s.accept(rtp(1), ms) == LIVETCP_OK);
    CHECK(s.place(ms) == 0);
    CHECK(lt_sender_deadline(s.sender) > ms);
    CHECK(lt_sender_deadline(s.sender) <= 6 * ms);
    CHECK_FALSE(lt_sender_drained(s.sender));
    CHECK(lt_sender_wants_writable(s.sender, s.links) == 0); /* all of it is sent */
    s.tell(0, 0, 2 * ms);
    lt_sender_begin_round(s.sender, s.links, 2 * ms);
    CHECK(s.place(2 * ms) == 1);
    CHECK(lt_sender_drained(s.sender));
    CHECK_FALSE(lt_sender_drained(s.sender));
}

TEST_CASE(
    "what a connection did not write comes back before the others, unless a copy is under way",
    "[sender]")
{
    Sending s("duplicate");
    REQUIRE(s.accept(rtp(1), 0) == LIVETCP_OK);
    REQUIRE(s.accept(rtp(2), 0) == LIVETCP_OK);
    REQUIRE(s.place(0) == 2);
    lt_packet *first = lt_sender_empty_outbox(s.sender, 0);
    REQUIRE(first);
    lt_sender_take_back(s.sender, first, 0); /* the copy on slot 1 suffices */
    CHECK(lt_sender_queued(s.sender) == 1);
    lt_packet *second = lt_sender_empty_outbox(s.sender, 1);
    REQUIRE(second);
    lt_sender_take_back(s.sender, second, 1);
    CHECK(lt_sender_queued(s.sender) == 2);
    lt_placed placed;
    REQUIRE(lt_sender_place(s.sender, s.links, 0, &placed));
    CHECK(placed.packet->sequence == 1);
    lt_packet_unref(&placed.packet);
    lt_sender_take_back(s.sender, nullptr, 0);
}

TEST_CASE("what is no RTP, or too large, is refused and counted", "[sender]")
{
    Sending s("single", 1);
    CHECK(s.accept({1, 2, 3}, 0) == LIVETCP_ERR_NOT_RTP);
    CHECK(s.accept(rtp(1, s.config.max_packet + 1), 0) == LIVETCP_ERR_PACKET_TOO_LARGE);
    lt_control ping = {};
    ping.type = LT_CONTROL_PING;
    std::vector<uint8_t> frame(LT_CONTROL_MAX);
    frame.resize(lt_control_encode(&ping, frame.data()));
    frame.erase(frame.begin(), frame.begin() + 2);
    CHECK(s.accept(frame, 0) == LIVETCP_ERR_NOT_RTP); /* reserved for LiveTCP */
    CHECK(s.stats(0).sent.refused == 3);
    CHECK(lt_sender_queued(s.sender) == 0);
}

TEST_CASE("a packet that would be dropped in the queue for time is not copied, either", "[sender]")
{
    for (livetcp_usec limit : {0, 400000}) {
        CAPTURE(limit);
        Sending s("hedge", 3, limit);
        REQUIRE(s.accept(rtp(1), 0) == LIVETCP_OK);
        REQUIRE(s.place(0) == 1);
        livetcp_engine_write write;
        const lt_packet *finishing;
        bool first;
        REQUIRE(lt_sender_next_write(s.sender, s.links, &write, &finishing));
        lt_packet *packet = lt_sender_wrote(s.sender, write.connection, write.size, &first);
        REQUIRE(packet);
        CHECK(lt_sender_review(s.sender, s.links, packet, 500000) == (limit == 0));
        lt_packet_unref(&packet);
    }
}

TEST_CASE("another policy decides from the next packet on", "[sender]")
{
    Sending s("single");
    REQUIRE(s.accept(rtp(1), 0) == LIVETCP_OK);
    CHECK(s.place(0) == 1);
    s.write_all();
    REQUIRE(lt_sender_configure(s.sender, &s.config, livetcp_policy_find("duplicate")) ==
            LIVETCP_OK);
    REQUIRE(s.accept(rtp(2), ms) == LIVETCP_OK);
    CHECK(s.place(ms) == 2);
}

TEST_CASE("control frames go between packets, never inside one", "[sender]")
{
    Sending s("single", 1);
    REQUIRE(s.accept(rtp(1, 1000), 0) == LIVETCP_OK);
    REQUIRE(s.place(0) == 1);
    livetcp_engine_write write;
    const lt_packet *finishing;
    bool first;
    REQUIRE(lt_sender_next_write(s.sender, s.links, &write, &finishing));
    CHECK(write.size == 1002);
    CHECK(lt_sender_wrote(s.sender, 0, 10, &first) == nullptr);
    CHECK_FALSE(lt_sender_at_boundary(s.sender, 0));
    const uint8_t frame[] = {0, 2, 0xaa, 0xbb};
    REQUIRE(lt_sender_add_control(s.sender, 0, frame, sizeof frame));
    REQUIRE(lt_sender_next_write(s.sender, s.links, &write, &finishing));
    CHECK(write.size == 992);
    lt_packet *whole = lt_sender_wrote(s.sender, 0, 992, &first);
    REQUIRE(whole);
    CHECK(first);
    lt_packet_unref(&whole);
    REQUIRE(lt_sender_next_write(s.sender, s.links, &write, &finishing));
    CHECK(write.size == sizeof frame);
}
