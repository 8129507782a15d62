/* SPDX-License-Identifier: MIT */
/* Reception statistics of one source. */
#include "catch.h"

extern "C" {
#include "rtp/rtcp/ntp.h"
#include "rtp/rtcp/receiver.h"
}

namespace
{

const livetcp_usec second = 1000000;

struct Source {
    explicit Source(uint8_t type = 0) : payload_type(type)
    {
        lt_rtcp_receiver_start(&receiver, 7, 0);
    }
    void take(uint16_t sequence, uint32_t timestamp, livetcp_usec at)
    {
        lt_rtp_header header = {};
        header.ssrc = 7;
        header.sequence = sequence;
        header.timestamp = timestamp;
        header.payload_type = payload_type;
        header.header_size = 12;
        lt_rtcp_receiver_take(&receiver, &header, at);
    }
    lt_rtcp_block report(livetcp_usec now = 0)
    {
        lt_rtcp_block block = {};
        lt_rtcp_receiver_report(&receiver, &block, now);
        return block;
    }
    lt_rtcp_receiver receiver;
    uint8_t payload_type;
};

} // namespace

TEST_CASE("loss is counted by interval and in all, also across the wrap", "[rtcp]")
{
    Source source;
    for (unsigned i = 0; i < 10; i++)
        source.take(static_cast<uint16_t>(65530 + i), i * 160, i * 20000);
    lt_rtcp_block block = source.report();
    CHECK(block.ssrc == 7);
    CHECK(block.fraction_lost == 0);
    CHECK(block.cumulative_lost == 0);
    CHECK(block.highest == 0x10000 + 3); /* one wrap */

    for (unsigned i = 10; i < 20; i++)
        if (i % 4 == 3) /* 13 and 17 are lost */
            continue;
        else
            source.take(static_cast<uint16_t>(65530 + i), i * 160, i * 20000);
    block = source.report();
    /* The last packet, 19, is lost too, which cannot be detected. 9 expected, 2 lost. */
    CHECK(block.highest == 0x10000 + 12);
    CHECK(block.fraction_lost == 2 * 256 / 9);
    CHECK(block.cumulative_lost == 2);

    block = source.report(); /* no packet since the last report */
    CHECK(block.fraction_lost == 0);
    CHECK(block.cumulative_lost == 2);
}

TEST_CASE("packets out of order are not lost, nor are those before the first", "[rtcp]")
{
    Source source;
    for (uint16_t sequence : {2, 1, 0, 5, 4, 3, 65535})
        source.take(sequence, sequence * 160u, sequence * 20000);
    lt_rtcp_block block = source.report();
    CHECK(block.cumulative_lost == 0);
    CHECK(lt_rtcp_receiver_lost(&source.receiver) == 0);
}

TEST_CASE("what came late makes up for what was lost before", "[rtcp]")
{
    Source source;
    source.take(0, 0, 0);
    source.take(3, 480, 0);
    CHECK(source.report().cumulative_lost == 2);
    source.take(1, 160, 0);
    source.take(2, 320, 0);
    lt_rtcp_block block = source.report();
    CHECK(block.cumulative_lost == 0);
    CHECK(block.fraction_lost == 0); /* A.3: a negative loss counts as zero */
}

TEST_CASE("a stream that starts over is counted anew", "[rtcp]")
{
    Source source;
    source.take(100, 0, 0);
    source.take(105, 0, 0);
    CHECK(source.report().cumulative_lost == 4);
    source.take(40000, 0, 0);
    source.take(40001, 0, 0);
    lt_rtcp_block block = source.report();
    CHECK(block.cumulative_lost == 0);
    CHECK(block.highest == 40001);
    /* As old as reassembly accepts. */
    source.take(40001 - 16000, 0, 0);
    CHECK(source.report().highest == 40001);
}

TEST_CASE("cumulative loss stays within its 24 bits", "[rtcp]")
{
    Source source;
    uint16_t sequence = 0;
    source.take(sequence, 0, 0);
    for (unsigned i = 0; i < 9000; i++) {
        sequence = static_cast<uint16_t>(sequence + 3000);
        source.take(sequence, 0, 0);
    }
    CHECK(source.report().cumulative_lost == 0x7fffff);
    CHECK(lt_rtcp_receiver_lost(&source.receiver) == 9000 * 2999);
}

TEST_CASE("jitter follows A.8", "[rtcp]")
{
    Source source; /* PCMU: 8000 Hz, 20 ms are 160 */
    uint64_t expected = 0;
    livetcp_usec delays[] = {0, 10000, 5000, 30000, 0, 0, 12000};
    livetcp_usec before = 0;
    for (unsigned i = 0; i < 7; i++) {
        source.take(static_cast<uint16_t>(i), 1000 + i * 160, second + i * 20000 + delays[i]);
        uint64_t change = static_cast<uint64_t>(std::abs(delays[i] - before)) * 8 / 1000;
        if (i > 0)
            expected += change - ((expected + 8) >> 4);
        before = delays[i];
    }
    CHECK(source.report().jitter == expected >> 4);
    CHECK(lt_rtcp_receiver_jitter_us(&source.receiver) ==
          static_cast<livetcp_usec>((expected >> 4) * 1000 / 8));
}

TEST_CASE("a steady stream has no jitter, also when its timestamp wraps", "[rtcp]")
{
    Source source;
    for (unsigned i = 0; i < 1000; i++)
        source.take(static_cast<uint16_t>(i), 0xffffff00u + i * 160, 5 * second + i * 20000);
    CHECK(source.report().jitter == 0);
}

TEST_CASE("jitter stays finite whatever the timestamps", "[rtcp]")
{
    Source source;
    for (unsigned i = 0; i < 1000; i++)
        source.take(static_cast<uint16_t>(i), i % 2 ? 0x80000000u : 0, i * 20000);
    CHECK(source.report().jitter <= 0x80000000u);
    CHECK(lt_rtcp_receiver_jitter_us(&source.receiver) >= 0);
}

TEST_CASE("without a clock rate there is no jitter", "[rtcp]")
{
    Source source(96);
    for (unsigned i = 0; i < 10; i++)
        source.take(static_cast<uint16_t>(i), i * i * 12345, i * 20000);
    CHECK(source.report().jitter == 0);
    CHECK(lt_rtcp_receiver_jitter_us(&source.receiver) == -1);
}

TEST_CASE("LSR and DLSR are those of the last sender report", "[rtcp]")
{
    Source source;
    lt_rtcp_sender_info info = {UINT64_C(0xb44db7052000abcd), 0, 0, 0};
    source.take(1, 0, 0);
    CHECK(source.report(second).lsr == 0);
    CHECK(source.report(second).dlsr == 0);
    lt_rtcp_receiver_take_sr(&source.receiver, &info, 2 * second);
    lt_rtcp_block block = source.report(2 * second + 5250000);
    CHECK(block.lsr == 0xb7052000);
    CHECK(block.dlsr == 0x00054000);
}
