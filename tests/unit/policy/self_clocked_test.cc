/* SPDX-License-Identifier: MIT */
/* Detection of a source that fills any given rate, as opposed to media. */
#include "catch.h"

extern "C" {
#include "policy/self_clocked.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;

struct Queue {
    void place(livetcp_usec enqueued, livetcp_usec placed, bool rtcp = false)
    {
        livetcp_packet_view packet = {};
        packet.size = 1400;
        packet.enqueued_us = enqueued;
        packet.rtcp = rtcp;
        lt_self_clocked_placed(&source, &packet, placed);
        now = placed;
    }

    /* Each packet arrives as the previous one leaves, and leaves a fixed time later. */
    void greedy(unsigned count)
    {
        while (count--)
            place(now + 20, now + 5 * ms);
    }

    bool is() const
    {
        return lt_self_clocked_is(&source);
    }

    lt_self_clocked source = {};
    livetcp_usec now = 1000 * ms;
};

} // namespace

TEST_CASE("a source is greedy when its packets come as others leave, many times in a row")
{
    Queue queue;
    queue.greedy(20);
    CHECK_FALSE(queue.is());
    queue.greedy(80);
    CHECK(queue.is());
}

TEST_CASE("a greedy source stays one when a packet is late or its reports come between")
{
    Queue queue;
    queue.greedy(200);
    queue.place(queue.now + 40 * ms, queue.now + 45 * ms);
    CHECK(queue.is());
    queue.greedy(60);
    for (int i = 0; i < 4; i++)
        queue.place(queue.now - 30 * ms, queue.now, true);
    CHECK(queue.is());
}

TEST_CASE("a source that goes over to sending by a clock is noticed at once")
{
    Queue queue;
    queue.greedy(200);
    for (int i = 0; i < 2; i++)
        queue.place(queue.now + 20 * ms, queue.now + 20 * ms);
    CHECK_FALSE(queue.is());
}

TEST_CASE("media is not greedy, however full the path")
{
    Queue queue;
    SECTION("packets that need not wait")
    {
        for (int i = 0; i < 1000; i++)
            queue.place(queue.now + ms / 2, queue.now + ms / 2);
    }
    SECTION("packets that wait, each for itself")
    {
        for (int i = 0; i < 1000; i++)
            queue.place(queue.now + 5 * ms, queue.now + 20 * ms);
    }
    SECTION("a queue that is never empty")
    {
        for (int i = 0; i < 1000; i++)
            queue.place(queue.now - 200 * ms, queue.now + ms);
    }
    SECTION("frames of several packets")
    {
        for (int frame = 0; frame < 500; frame++) {
            livetcp_usec made = queue.now + 20 * ms;
            for (int i = 0; i < 4; i++)
                queue.place(made, made + i * 2 * ms);
        }
    }
    SECTION("frames of two packets, of which the second waits")
    {
        for (int frame = 0; frame < 500; frame++) {
            livetcp_usec made = queue.now + 20 * ms;
            queue.place(made, made);
            queue.place(made, made + 5 * ms);
        }
    }
    CHECK_FALSE(queue.is());
}
