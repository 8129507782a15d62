/* SPDX-License-Identifier: MIT */
/* RTCP from anybody: a compound is walked and read, then heard by an end that sends and receives
 * and whose own report must read well afterwards. */
#include "fuzz.h"

#include "rtp/rtcp/packet.h"
#include "rtp/rtcp/reporter.h"

#define NOW (LIVETCP_USEC_SEC * (livetcp_usec)100)

static void read_part(const lt_rtcp_part *part, const uint8_t *data, size_t size)
{
    lt_rtcp_sender_info info;
    lt_rtcp_block block;
    uint32_t ssrc;

    FUZZ_REQUIRE(part->body >= data && part->size <= size);
    FUZZ_REQUIRE(part->body + part->size <= data + size);
    if (lt_rtcp_read_report(part, &ssrc, &info))
        for (unsigned i = 0; i < part->count; i++) {
            lt_rtcp_read_block(part, i, &block);
            FUZZ_REQUIRE(block.cumulative_lost >= -0x800000 && block.cumulative_lost <= 0x7fffff);
        }
}

static void walk(const uint8_t *data, size_t size)
{
    lt_rtcp_reader reader = {data, size};
    lt_rtcp_part part;

    while (lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        read_part(&part, data, size);
}

static void report(lt_reporter *reporter, livetcp_usec now)
{
    uint8_t out[LT_REPORT_MAX];
    size_t size = lt_reporter_write(reporter, out, now, now);
    lt_rtcp_reader reader = {out, size};
    lt_rtcp_part part;

    FUZZ_REQUIRE(size > 0 && size <= sizeof out);
    while (lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        ;
    FUZZ_REQUIRE(reader.left == 0);
    FUZZ_REQUIRE(lt_reporter_deadline(reporter) > now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lt_reporter *reporter = lt_reporter_create(1, "fuzz", 1);
    lt_rtp_header header = {.ssrc = 0x01010101, .header_size = LT_RTP_MIN_SIZE};
    lt_reporter_summary summary;

    FUZZ_REQUIRE(reporter);
    walk(data, size);
    lt_reporter_sent(reporter, &header, 100, NOW, NOW);
    report(reporter, NOW);
    lt_reporter_on_received(reporter, data, size, NOW + 1000);
    header.ssrc = 0x02020202;
    lt_reporter_received(reporter, &header, 100, NOW + 2000);
    lt_reporter_on_received(reporter, data, size, NOW + 3000);
    report(reporter, NOW + 4000);
    lt_reporter_summarize(reporter, &summary);
    FUZZ_REQUIRE(summary.rtt_us >= -1 && summary.rtt_us < NOW);
    FUZZ_REQUIRE(summary.reported_fraction >= 0 && summary.reported_fraction < 1);
    lt_reporter_destroy(&reporter);
    return 0;
}
