/* SPDX-License-Identifier: MIT */
/* Sequence order: waits for gaps, for a bounded time. */
#include "receiver.h"

using Sequences = std::vector<int>;

namespace
{

const livetcp_usec start_us = 50000;
const livetcp_usec wait_us = 1000000;

/* A receiver whose stream 1 has started and delivered `last`; the time is start_us. */
struct Started : Receiver {
    explicit Started(uint16_t last, livetcp_usec wait = wait_us)
        : Receiver(LIVETCP_ORDER_SEQUENCE, wait)
    {
        push(1, last, 0);
        expire(start_us);
        REQUIRE(take() == Sequences{last});
    }
};

} // namespace

TEST_CASE("the first packets are put in order before any is delivered", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_SEQUENCE, wait_us);
    for (uint16_t sequence : {12, 10, 11, 65535, 0, 12})
        r.push(1, sequence, 100);
    CHECK(r.take().empty());
    CHECK(r.deadline() == 100 + start_us);
    r.expire(100 + start_us - 1);
    CHECK(r.take().empty());
    r.expire(100 + start_us);
    CHECK(r.take() == Sequences{65535, 0});
    CHECK(r.stats().duplicates == 1);
    CHECK(r.deadline() == 100 + wait_us); /* 1..9 are the gap now */
    r.expire(100 + wait_us);
    CHECK(r.take() == Sequences{10, 11, 12});
    CHECK(r.delivered[2].discontinuity);
    CHECK(r.stats().gaps == 9);
    CHECK(r.deadline() == LIVETCP_NEVER);
    CHECK_FALSE(r.damaged);
}

TEST_CASE("packets in order are neither copied nor held", "[reassembly]")
{
    Started r(65530);
    for (unsigned i = 1; i < 20; i++)
        r.push(1, (uint16_t)(65530 + i), start_us + i);
    CHECK(r.stats().delivered == 20);
    CHECK(r.delivered[0].held);
    for (size_t i = 1; i < r.delivered.size(); i++)
        CHECK_FALSE(r.delivered[i].held);
}

TEST_CASE("a gap that fills delivers all at once", "[reassembly]")
{
    Started r(10);
    r.push(1, 12, start_us);
    r.push(1, 13, start_us);
    r.push(1, 15, start_us);
    CHECK(r.take().empty());
    r.push(1, 11, start_us + 100);
    CHECK(r.take() == Sequences{11, 12, 13});
    r.push(1, 14, start_us + 200);
    CHECK(r.take() == Sequences{14, 15});
    for (const Delivered &d : r.delivered)
        CHECK_FALSE(d.discontinuity);
    CHECK(r.stats().gaps == 0);
}

TEST_CASE("a gap is given up wait_us after it was noticed", "[reassembly]")
{
    Started r(10);
    r.push(1, 13, 100000, 0, 4);
    r.push(1, 12, 900000); /* shrinks the gap without extending the wait */
    CHECK(r.deadline() == 100000 + wait_us);
    r.expire(100000 + wait_us - 1);
    CHECK(r.take().empty());
    r.expire(100000 + wait_us);
    CHECK(r.take() == Sequences{12, 13});
    CHECK(r.delivered[1].discontinuity);
    CHECK_FALSE(r.delivered[2].discontinuity);
    CHECK(r.delivered[2].connection == 4);
    CHECK(r.delivered[2].arrival_us == 100000);
    CHECK(r.stats().gaps == 1);

    r.push(1, 11, 2000000);
    CHECK(r.stats().late_discarded == 1);
    r.push(1, 11, 2000000);
    CHECK(r.stats().duplicates == 1);
    CHECK(r.take().empty());
}

TEST_CASE("each gap has its own wait", "[reassembly]")
{
    Started r(10);
    r.push(1, 12, 100000);
    r.push(1, 14, 300000);
    r.expire(100000 + wait_us);
    CHECK(r.take() == Sequences{12});
    CHECK(r.deadline() == 300000 + wait_us);
    r.push(1, 13, 1200000);
    CHECK(r.take() == Sequences{13, 14});
    CHECK(r.deadline() == LIVETCP_NEVER);
    CHECK(r.stats().gaps == 1);
}

TEST_CASE("a packet ends the waits that are over", "[reassembly]")
{
    Started r(10);
    r.push(1, 12, 100000);
    r.push(1, 13, 100000 + wait_us);
    CHECK(r.take() == Sequences{12, 13});
}

TEST_CASE("with a wait of 0 nothing is held", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_SEQUENCE, 0);
    for (uint16_t sequence : {5, 4, 6, 9, 8, 10})
        r.push(1, sequence, 7);
    CHECK(r.take() == Sequences{5, 6, 9, 10});
    CHECK(r.stats().late_discarded == 2);
    CHECK(r.stats().gaps == 2);
    CHECK(r.deadline() == LIVETCP_NEVER);
}

TEST_CASE("one stream's gap does not hold another's packets", "[reassembly]")
{
    Started r(10);
    r.push(2, 500, 60000);
    r.expire(60000 + start_us);
    r.push(1, 12, 200000);
    r.push(2, 501, 200000);
    r.push(2, 502, 200000);
    CHECK(r.take() == Sequences{500, 501, 502});
}

TEST_CASE("held packets are bounded by number", "[reassembly]")
{
    Started r(0);
    for (unsigned i = 0; i < 2048; i++)
        r.push(1, (uint16_t)(2 + i), 100000);
    CHECK(r.take().empty());
    r.push(1, 2050, 100000);
    CHECK(r.take().size() == 2049);
    CHECK(r.stats().gaps == 1);
}

TEST_CASE("held packets are bounded by bytes, oldest gap first", "[reassembly]")
{
    Started r(0);
    r.push(2, 100, 0);
    r.expire(start_us);
    r.take();
    const size_t payload = 65000 - LT_RTP_MIN_SIZE;
    r.push(2, 102, 90000, 0, 0, payload);
    unsigned held = 1;
    for (uint16_t sequence = 2; r.take().empty(); sequence++, held++)
        r.push(1, sequence, 100000, 0, 0, payload);
    CHECK(held == 4 * 1024 * 1024 / 65000 + 1);
    CHECK(r.delivered.back().ssrc == 2);
    CHECK(r.stats().gaps == 1);
}

TEST_CASE("held packets may be at most 4096 numbers apart", "[reassembly]")
{
    Started r(0);
    for (uint16_t sequence = 2; sequence <= 4096; sequence += 1000)
        r.push(1, sequence, 100000);
    CHECK(r.take().empty());
    r.push(1, 4096, 100000); /* 1..4096 */
    CHECK(r.take().empty());
    r.push(1, 4097, 100000); /* 2..4097 */
    CHECK(r.take() == Sequences{2});
    CHECK(r.stats().gaps == 1);
}

TEST_CASE("a jump in sequence order goes on from there, in order", "[reassembly]")
{
    Started r(100);
    r.push(1, 102, 100000);
    r.push(1, 20001, 100100);
    CHECK(r.take().empty());
    r.push(1, 20000, 100200);
    CHECK(r.take() == Sequences{102});
    r.push(1, 20003, 100300);
    r.push(1, 19999, 100300);
    r.expire(100200 + start_us);
    CHECK(r.take() == Sequences{19999, 20000, 20001});
    CHECK(r.delivered[2].discontinuity);
    CHECK_FALSE(r.delivered[3].discontinuity);
    r.push(1, 20002, 200000);
    CHECK(r.take() == Sequences{20002, 20003});
    r.push(1, 103, 200000); /* before the jump: too late */
    CHECK(r.stats().late_discarded == 1);
    CHECK(r.stats().restarts == 1);
}

TEST_CASE("a stream that starts over is delivered in order", "[reassembly]")
{
    Started r(40000);
    r.push(1, 6, 3000000);
    r.push(1, 5, 3000000);
    r.push(1, 8, 3000000);
    r.expire(3000000 + start_us);
    CHECK(r.take() == Sequences{5, 6});
    CHECK(r.delivered[1].discontinuity);
    r.push(1, 7, 3100000);
    CHECK(r.take() == Sequences{7, 8});
}

TEST_CASE("a stream that is forgotten delivers what it held", "[reassembly]")
{
    Started r(10);
    r.push(1, 12, 100000);
    r.push(1, 14, 100000);
    for (uint32_t ssrc = 2; ssrc <= 65; ssrc++)
        r.push(ssrc, 700, 100000);
    CHECK(r.stats().evicted == 1);
    CHECK(r.take() == Sequences{12, 14});
    CHECK(r.stats().gaps == 2);
    r.expire(100000 + start_us);
    CHECK(r.take().size() == 64);
    CHECK(r.deadline() == LIVETCP_NEVER);
}

TEST_CASE("what is still held is freed", "[reassembly]")
{
    Started r(10);
    for (uint16_t sequence = 12; sequence < 200; sequence += 3)
        r.push(1, sequence, 100000);
    r.push(1, 20000, 100000);
    r.push(7, 1, 100000); /* still in its start period */
}

TEST_CASE("when the order of sequence ends, what is held goes out", "[reassembly]")
{
    bool by_time = GENERATE(false, true);
    Started r(10, 60000000);
    for (uint16_t sequence : {12, 13, 15})
        r.push(1, sequence, 100000);
    r.push(7, 1, 100000); /* still in its start period */
    lt_reassembly_set_order(r.reassembly, LIVETCP_ORDER_ARRIVAL);
    CHECK(r.take().empty());
    CHECK(r.deadline() <= 100000);
    Sequences expected{12, 13, 15, 1};
    if (by_time)
        r.expire(100000);
    else
        r.push(1, 12, 100001); /* a duplicate */
    CHECK(r.take() == expected);
    CHECK(r.delivered[1].discontinuity);
    CHECK(r.stats().gaps == 2);
    CHECK(r.deadline() == LIVETCP_NEVER);
    r.push(1, 18, 200000);
    r.push(1, 11, 200000); /* no longer expected, and not late either */
    CHECK(r.take() == Sequences{18, 11});
    r.push(1, 13, 200000);
    CHECK(r.take().empty());
}

TEST_CASE("when the order of sequence begins, streams go on behind what came", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL, wait_us);
    for (uint16_t sequence : {10, 12, 14})
        r.push(1, sequence, 0);
    lt_reassembly_set_order(r.reassembly, LIVETCP_ORDER_SEQUENCE);
    CHECK(r.deadline() == LIVETCP_NEVER);
    for (uint16_t sequence : {17, 16, 11, 15})
        r.push(1, sequence, 1000);
    CHECK(r.take() == Sequences{10, 12, 14, 15, 16, 17});
    CHECK(r.stats().late_discarded == 1); /* 11 */
    CHECK(r.stats().gaps == 0);
    r.push(1, 19, 2000);
    CHECK(r.deadline() == 2000 + wait_us);
    lt_reassembly_set_order(r.reassembly, LIVETCP_ORDER_ARRIVAL);
    lt_reassembly_set_order(r.reassembly, LIVETCP_ORDER_SEQUENCE); /* no effect */
    CHECK(r.deadline() == 2000 + wait_us);
}
