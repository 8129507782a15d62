/* SPDX-License-Identifier: MIT */
/* Kernel timestamps matched to the packets that requested them. */
#include "catch.h"

#include <vector>

extern "C" {
#include "engine/reports/tx_timestamps.h"
}

namespace
{

const livetcp_usec ms = 1000, second = 1000000;

enum Step { WAIT, WHOLE, INVALID };

struct Waiting {
    explicit Waiting(unsigned most = 8) : capacity(most)
    {
    }
    ~Waiting()
    {
        lt_tx_timestamps_clear(&stamps);
    }
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

    void expect(uint64_t end, livetcp_usec written_us, uint16_t number = 0)
    {
        lt_packet *packet = lt_packet_create(nullptr, 12);
        REQUIRE(packet);
        packet->sequence = number;
        lt_tx_timestamps_expect(&stamps, capacity, packet, end, written_us);
        lt_packet_unref(&packet);
    }

    /* The last packet whose timestamps are complete afterwards is `whole`. */
    Step take(livetcp_tx_timestamp_kind kind, uint32_t byte, livetcp_usec at, livetcp_usec now)
    {
        livetcp_tx_timestamp stamp = {kind, byte, at};
        bool valid = lt_tx_timestamps_take(&stamps, &stamp, now);
        Step step = valid ? WAIT : INVALID;
        for (; lt_tx_timestamps_next(&stamps, &whole); step = WHOLE) {
            wholes.push_back(whole.packet->sequence);
            sequence = whole.packet->sequence;
            CHECK(whole.packet->references == 1);
            lt_packet_unref(&whole.packet);
        }
        return step;
    }

    /* All timestamps on schedule, read at once. */
    Step take_all(uint32_t byte, livetcp_usec written_us)
    {
        livetcp_usec now = written_us + 100 * ms;
        CHECK(take(LIVETCP_TX_SCHEDULED, byte, written_us + 1 * ms, now) == WAIT);
        CHECK(take(LIVETCP_TX_SENT, byte, written_us + 3 * ms, now) == WAIT);
        return take(LIVETCP_TX_ACKNOWLEDGED, byte, written_us + 90 * ms, now);
    }

    unsigned capacity;
    lt_tx_timestamps stamps = {};
    lt_timestamped whole = {};
    unsigned sequence = 0;
    std::vector<unsigned> wholes;
};

} // namespace

TEST_CASE("three stamps tell of a packet when it passed", "[stamps]")
{
    Waiting waiting;
    waiting.expect(1000, 5 * second, 7);
    REQUIRE(waiting.take_all(999, 5 * second) == WHOLE);
    CHECK(waiting.sequence == 7);
    CHECK(waiting.whole.written_us == 5 * second);
    CHECK(waiting.whole.scheduled_us == 5 * second + 1 * ms);
    CHECK(waiting.whole.sent_us == 5 * second + 3 * ms);
    CHECK(waiting.whole.acknowledged_us == 5 * second + 90 * ms);
    CHECK_FALSE(waiting.whole.sent_again);
    CHECK(waiting.stamps.count == 0);
    CHECK(waiting.take_all(999, 5 * second) == WAIT); /* once only */
}

TEST_CASE("a byte that no frame ended with says nothing", "[stamps]")
{
    Waiting waiting;
    waiting.expect(1000, second);
    for (uint32_t byte : {0u, 998u, 1000u, UINT32_MAX})
        CHECK(waiting.take_all(byte, second) == WAIT);
    CHECK(waiting.take(LIVETCP_TX_OTHER, 999, second, second) == WAIT);
    CHECK(waiting.stamps.count == 1);
    CHECK(waiting.take_all(999, second) == WHOLE);
}

TEST_CASE("positions wrap at 32 bits", "[stamps]")
{
    const uint64_t wrap = UINT64_C(1) << 32;
    Waiting waiting;
    uint16_t number = 0;
    for (uint64_t end : {wrap - 100, wrap, wrap + 100, 3 * wrap + 200})
        waiting.expect(end, second, number++);
    CHECK(waiting.take_all(UINT32_MAX - 100, second) == WHOLE);
    CHECK(waiting.sequence == 0);
    CHECK(waiting.take_all(UINT32_MAX, second) == WHOLE);
    CHECK(waiting.sequence == 1);
    CHECK(waiting.take_all(99, second) == WHOLE);
    CHECK(waiting.sequence == 2);
    CHECK(waiting.take_all(199, second) == WHOLE);
    CHECK(waiting.sequence == 3);
}

TEST_CASE("what is sent again was sent when it was first", "[stamps]")
{
    Waiting waiting;
    waiting.expect(1000, second);
    CHECK(waiting.take(LIVETCP_TX_SENT, 999, second + ms, 2 * second) == WAIT);
    CHECK(waiting.take(LIVETCP_TX_SENT, 999, second + 90 * ms, 2 * second) == WAIT);
    REQUIRE(waiting.take(LIVETCP_TX_ACKNOWLEDGED, 999, second + 150 * ms, 2 * second) == WHOLE);
    CHECK(waiting.whole.sent_us == second + ms);
    CHECK(waiting.whole.sent_again);
    CHECK(waiting.whole.scheduled_us == INT64_MIN);
}

TEST_CASE("an interface that does not tell when it sends sends at once", "[stamps]")
{
    Waiting waiting;
    waiting.expect(1000, second);
    CHECK(waiting.take(LIVETCP_TX_SCHEDULED, 999, second + ms, 2 * second) == WAIT);
    REQUIRE(waiting.take(LIVETCP_TX_ACKNOWLEDGED, 999, second + 50 * ms, 2 * second) == WHOLE);
    CHECK(waiting.whole.sent_us == second + ms);
}

TEST_CASE("an acknowledgement alone tells nothing, and ends the waiting", "[stamps]")
{
    Waiting waiting;
    waiting.expect(1000, second);
    waiting.expect(2000, second);
    CHECK(waiting.take(LIVETCP_TX_ACKNOWLEDGED, 1999, second + ms, 2 * second) == WAIT);
    CHECK(waiting.stamps.count == 0);
}

TEST_CASE("what was written before an acknowledged packet is acknowledged with it", "[stamps]")
{
    Waiting waiting;
    for (unsigned i = 1; i <= 5; i++)
        waiting.expect(1000 * i, second - i * ms, static_cast<uint16_t>(i));
    CHECK(waiting.take(LIVETCP_TX_SENT, 999, second + ms, 2 * second) == WAIT);
    REQUIRE(waiting.take_all(2999, second) == WHOLE);
    CHECK(waiting.wholes == std::vector<unsigned>{1, 2, 3});
    CHECK(waiting.whole.written_us == second - 3 * ms);
    CHECK(waiting.stamps.count == 2);
    CHECK(waiting.take_all(1999, second) == WAIT);
    CHECK(waiting.take_all(4999, second) == WHOLE);
    CHECK(waiting.wholes == std::vector<unsigned>{1, 2, 3, 4, 5});
}

TEST_CASE("of packets in one segment the kernel tells about the last", "[stamps]")
{
    Waiting waiting;
    waiting.expect(1000, second - 50 * ms);
    waiting.expect(2000, second);
    lt_timestamped earlier = {};
    livetcp_tx_timestamp stamp = {LIVETCP_TX_SENT, 1999, second + 3 * ms};
    CHECK(lt_tx_timestamps_take(&waiting.stamps, &stamp, 2 * second));
    stamp = {LIVETCP_TX_ACKNOWLEDGED, 1999, second + 90 * ms};
    CHECK(lt_tx_timestamps_take(&waiting.stamps, &stamp, 2 * second));
    REQUIRE(lt_tx_timestamps_next(&waiting.stamps, &earlier));
    lt_packet_unref(&earlier.packet);
    CHECK(earlier.written_us == second - 50 * ms);
    CHECK(earlier.sent_us == second + 3 * ms);
    CHECK(earlier.acknowledged_us == second + 90 * ms);
}

TEST_CASE("times that cannot be are found", "[stamps]")
{
    const livetcp_usec now = 2 * second;
    auto invalid =
        [&](std::initializer_list<std::pair<livetcp_tx_timestamp_kind, livetcp_usec>> stamps) {
            Waiting waiting;
            waiting.expect(1000, second);
            Step last = WAIT;
            for (const auto &[kind, at] : stamps)
                last = waiting.take(kind, 999, at, now);
            return last == INVALID && waiting.stamps.count == 0;
        };
    CHECK(invalid({{LIVETCP_TX_SENT, second - 2 * ms}})); /* before it was written */
    CHECK(invalid({{LIVETCP_TX_SENT, now + 2 * ms}}));    /* in the future */
    CHECK(invalid({{LIVETCP_TX_SENT, INT64_MIN}}));
    CHECK(invalid({{LIVETCP_TX_SENT, INT64_MAX}}));
    CHECK(invalid({{LIVETCP_TX_SCHEDULED, second + 5 * ms}, {LIVETCP_TX_SENT, second + 2 * ms}}));
    CHECK(
        invalid({{LIVETCP_TX_SENT, second + 5 * ms}, {LIVETCP_TX_ACKNOWLEDGED, second + 2 * ms}}));
    CHECK_FALSE(
        invalid({{LIVETCP_TX_SENT, second + 5 * ms}, {LIVETCP_TX_ACKNOWLEDGED, second + 5 * ms}}));
}

TEST_CASE("times may differ by what the clocks do", "[stamps]")
{
    Waiting waiting;
    waiting.expect(1000, second);
    CHECK(waiting.take(LIVETCP_TX_SENT, 999, second - ms, second) == WAIT);
    REQUIRE(waiting.take(LIVETCP_TX_ACKNOWLEDGED, 999, second - ms, second) == WHOLE);
    CHECK(waiting.whole.sent_us == second);
    CHECK(waiting.whole.acknowledged_us == second);
}

TEST_CASE("only so many wait, and not for ever", "[stamps]")
{
    Waiting waiting(4);
    for (unsigned i = 1; i <= 6; i++) {
        CHECK(lt_tx_timestamps_has_space(&waiting.stamps, 4, second) == (i <= 4));
        waiting.expect(1000 * i, second);
    }
    CHECK(waiting.stamps.count == 4);
    CHECK_FALSE(lt_tx_timestamps_has_space(&waiting.stamps, 4, second + LT_TIMESTAMP_AGE_MAX_US));
    CHECK(lt_tx_timestamps_has_space(&waiting.stamps, 4, second + LT_TIMESTAMP_AGE_MAX_US + 1));
    CHECK(waiting.stamps.count == 0);
    waiting.expect(9000, 100 * second);
    CHECK(waiting.take_all(8999, 100 * second) == WHOLE);
}
