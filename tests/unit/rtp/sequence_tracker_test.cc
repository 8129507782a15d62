/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "rtp/sequence_tracker.h"
}

namespace
{

constexpr livetcp_usec second = LIVETCP_USEC_SEC;

/* A tracker that marks new sequence numbers as received and follows confirmed jumps. */
class Tracker
{
  public:
    explicit Tracker(uint16_t first)
    {
        uint64_t extended = lt_sequence_tracker_start(&tracker, first, now);
        CHECK(classify(first) == LT_SEQUENCE_NEW);
        CHECK(number == extended);
    }
    lt_sequence_result classify(uint16_t sequence, uint64_t lowest = 0)
    {
        uint64_t before = number;
        lt_sequence_result result =
            lt_sequence_tracker_classify(&tracker, sequence, lowest, now, &number);
        if (result == LT_SEQUENCE_NEW)
            lt_sequence_tracker_accept(&tracker, number, now);
        if (result == LT_SEQUENCE_RESTART) {
            lt_sequence_tracker_restart(&tracker, sequence, &jumped, &number);
            CHECK(number > before);
            lt_sequence_tracker_accept(&tracker, jumped, now);
            lt_sequence_tracker_accept(&tracker, number, now);
        }
        return result;
    }

    lt_sequence_tracker tracker = {};
    livetcp_usec now = 1000 * second;
    uint64_t number = 0, jumped = 0;
};

} // namespace

TEST_CASE("a number is new once, through wraps", "[tracker]")
{
    Tracker t(65534);
    uint64_t first = t.number;
    for (unsigned i = 1; i < 70000; i++) {
        REQUIRE(t.classify((uint16_t)(65534 + i)) == LT_SEQUENCE_NEW);
        REQUIRE(t.number == first + i);
        REQUIRE(t.classify((uint16_t)(65534 + i)) == LT_SEQUENCE_DUPLICATE);
    }
}

TEST_CASE("a packet that was not accepted is still new", "[tracker]")
{
    Tracker t(100);
    uint64_t extended;
    for (unsigned i = 0; i < 2; i++)
        CHECK(lt_sequence_tracker_classify(&t.tracker, 101, 0, t.now, &extended) ==
              LT_SEQUENCE_NEW);
}

TEST_CASE("what is below the lowest wanted is late once, then a duplicate", "[tracker]")
{
    Tracker t(100);
    CHECK(t.classify(110) == LT_SEQUENCE_NEW);
    CHECK(t.classify(105, t.number) == LT_SEQUENCE_LATE);
    CHECK(t.classify(105) == LT_SEQUENCE_DUPLICATE);
    CHECK(t.classify(104) == LT_SEQUENCE_NEW);
}

TEST_CASE("two packets near each other confirm a jump", "[tracker]")
{
    Tracker t(100);
    CHECK(t.classify(20000) == LT_SEQUENCE_JUMP);
    CHECK(t.classify(20000) == LT_SEQUENCE_DUPLICATE);
    CHECK(t.classify(20101) == LT_SEQUENCE_JUMP); /* too far from the first */
    CHECK(t.classify(101) == LT_SEQUENCE_NEW);    /* the stream continues meanwhile */
    CHECK(t.classify(20001) == LT_SEQUENCE_RESTART);
    CHECK(t.jumped == t.number + 100);
    CHECK(t.classify(20101) == LT_SEQUENCE_DUPLICATE);
    CHECK(t.classify(20102) == LT_SEQUENCE_NEW);
}

TEST_CASE("a jump that nothing confirms in time is forgotten", "[tracker]")
{
    Tracker t(100);
    CHECK(t.classify(20000) == LT_SEQUENCE_JUMP);
    t.now += 10 * second;
    CHECK(t.classify(20001) == LT_SEQUENCE_JUMP);
    CHECK(t.classify(20002) == LT_SEQUENCE_RESTART);
}

TEST_CASE("a sender that starts over is believed only after a pause", "[tracker]")
{
    Tracker t(30000);

    SECTION("at numbers of the window")
    {
        t.now += 10 * second - 1;
        CHECK(t.classify(29000) == LT_SEQUENCE_NEW);
        CHECK(t.classify(30000) == LT_SEQUENCE_DUPLICATE);
        t.now += 10 * second;
        CHECK(t.classify(29000) == LT_SEQUENCE_JUMP);
        CHECK(t.classify(29001) == LT_SEQUENCE_NEW);
    }
    SECTION("behind it")
    {
        t.now += 2 * second - 1;
        CHECK(t.classify(10000) == LT_SEQUENCE_LATE);
        t.now += 1;
        CHECK(t.classify(10000) == LT_SEQUENCE_JUMP);
        CHECK(t.classify(10001) == LT_SEQUENCE_RESTART);
    }
}

TEST_CASE("who knows better can call a packet a jump", "[tracker]")
{
    Tracker t(100);
    CHECK(lt_sequence_tracker_classify_jump(&t.tracker, 100, t.now) == LT_SEQUENCE_JUMP);
    CHECK(lt_sequence_tracker_classify_jump(&t.tracker, 100, t.now) == LT_SEQUENCE_DUPLICATE);
    CHECK(lt_sequence_tracker_classify_jump(&t.tracker, 99, t.now) == LT_SEQUENCE_RESTART);
}
