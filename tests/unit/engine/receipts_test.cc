/* SPDX-License-Identifier: MIT */
/* Receipts: their content, times and rate. */
#include "catch.h"

extern "C" {
#include "engine/reports/receipts.h"
}

namespace
{

const livetcp_usec ms = 1000;

struct Receipts {
    Receipts()
    {
        lt_receipts_init(&receipts);
    }

    unsigned fill()
    {
        return lt_receipts_fill(&receipts, filled);
    }

    lt_receipts receipts;
    lt_receipt filled[LT_RECEPTION_RECEIPTS], last;
};

} // namespace

TEST_CASE("a connection is told of when packets have come since the last time", "[receipts]")
{
    Receipts r;
    lt_receipts_on_packets(&r.receipts, 0, 3);
    CHECK(r.fill() == 0); /* without a sequence number */
    lt_receipts_on_number(&r.receipts, 0, 7);
    REQUIRE(r.fill() == 1);
    CHECK(r.filled[0].number == 7);
    CHECK(r.filled[0].packets == 3);
    CHECK(r.fill() == 0);
    lt_receipts_on_packets(&r.receipts, 0, 4);
    CHECK(r.fill() == 1);
}

TEST_CASE("of many connections all have their turn", "[receipts]")
{
    Receipts r;
    bool told[LIVETCP_MAX_CONNECTIONS] = {};
    for (unsigned slot = 0; slot < LIVETCP_MAX_CONNECTIONS; slot++)
        lt_receipts_on_number(&r.receipts, slot, slot + 1);
    for (unsigned round = 1; round <= LIVETCP_MAX_CONNECTIONS / LT_RECEPTION_RECEIPTS; round++) {
        for (unsigned slot = 0; slot < LIVETCP_MAX_CONNECTIONS; slot++)
            lt_receipts_on_packets(&r.receipts, slot, round);
        REQUIRE(r.fill() == LT_RECEPTION_RECEIPTS);
        for (const lt_receipt &receipt : r.filled)
            told[receipt.number - 1] = true;
    }
    for (bool one : told)
        CHECK(one);
}

TEST_CASE("the last receipt is repeated until it is answered, and not for ever", "[receipts]")
{
    Receipts r;
    lt_resent answer = {7, 5, 4};
    lt_receipts_on_number(&r.receipts, 2, 7);
    lt_receipts_on_packets(&r.receipts, 2, 9);
    CHECK(lt_receipts_deadline(&r.receipts) == LIVETCP_NEVER);
    lt_receipts_on_ended(&r.receipts, 2, 10, ms);
    CHECK(lt_receipts_deadline(&r.receipts) == ms);
    bool answered = GENERATE(true, false);
    unsigned sent = 0;
    for (livetcp_usec now = ms; now < 10000 * ms; now += 10 * ms) {
        while (lt_receipts_next(&r.receipts, &r.last, now)) {
            CHECK(r.last.number == 7);
            CHECK(r.last.packets == 10);
            sent++;
        }
        if (answered && sent == 2) {
            lt_receipts_on_answer(&r.receipts, &answer);
            lt_receipts_on_answer(&r.receipts, &answer); /* no longer expected */
        }
    }
    CHECK(sent == (answered ? 2 : LT_RECEIPT_TRIES));
    CHECK(r.receipts.lost == (answered ? 5 : 0));
    CHECK(r.receipts.again == (answered ? 4 : 0));
    CHECK(lt_receipts_deadline(&r.receipts) == LIVETCP_NEVER);
}

TEST_CASE("a connection after it begins to count anew, and none after the end", "[receipts]")
{
    Receipts r;
    lt_receipts_on_number(&r.receipts, 0, 7);
    lt_receipts_on_packets(&r.receipts, 0, 3);
    CHECK(r.fill() == 1);
    lt_receipts_on_ended(&r.receipts, 0, 3, ms);
    lt_receipts_on_number(&r.receipts, 0, 8);
    lt_receipts_on_packets(&r.receipts, 0, 3);
    REQUIRE(r.fill() == 1);
    CHECK(r.filled[0].number == 8);
    lt_receipts_stop(&r.receipts);
    CHECK_FALSE(lt_receipts_next(&r.receipts, &r.last, 1000 * ms));
    lt_receipts_on_number(&r.receipts, 1, 9);
    lt_receipts_on_packets(&r.receipts, 1, 3);
    CHECK(r.fill() == 0);
}
