/* SPDX-License-Identifier: MIT */
/* Two ends that exchange reports. */
#include "catch.h"

#include <string>
#include <vector>

extern "C" {
#include "rtp/rtcp/interval.h"
#include "rtp/rtcp/ntp.h"
#include "rtp/rtcp/packet.h"
#include "rtp/rtcp/reporter.h"
#include "rtp/rtcp/sender.h"
}

namespace
{

using Bytes = std::vector<uint8_t>;

const livetcp_usec second = 1000000;
const livetcp_usec unix_offset = 1700000000 * second;

lt_rtp_header header_of(uint32_t ssrc, uint16_t sequence, uint32_t timestamp, uint8_t type = 0)
{
    lt_rtp_header header = {};
    header.ssrc = ssrc;
    header.sequence = sequence;
    header.timestamp = timestamp;
    header.payload_type = type;
    header.header_size = 12;
    return header;
}

struct End {
    explicit End(uint32_t ssrc, const char *cname = "end") : reporter(nullptr)
    {
        reporter = lt_reporter_create(ssrc, cname, ssrc);
        REQUIRE(reporter);
    }
    ~End()
    {
        lt_reporter_destroy(&reporter);
    }
    End(const End &) = delete;
    End &operator=(const End &) = delete;

    void send(uint32_t ssrc, uint16_t sequence, livetcp_usec now, livetcp_usec waited = 0)
    {
        lt_rtp_header header = header_of(ssrc, sequence, sequence * 160u);
        lt_reporter_sent(reporter, &header, 172, now - waited, now);
    }
    void receive(uint32_t ssrc, uint16_t sequence, livetcp_usec now)
    {
        lt_rtp_header header = header_of(ssrc, sequence, sequence * 160u);
        lt_reporter_received(reporter, &header, 172, now);
    }
    Bytes write(livetcp_usec now)
    {
        Bytes bytes(LT_REPORT_MAX);
        bytes.resize(lt_reporter_write(reporter, bytes.data(), unix_offset + now, now));
        return bytes;
    }
    void hear(const Bytes &bytes, livetcp_usec now)
    {
        lt_reporter_on_received(reporter, bytes.data(), bytes.size(), now);
    }
    livetcp_usec due() const
    {
        return lt_reporter_deadline(reporter);
    }
    lt_reporter_summary summary() const
    {
        lt_reporter_summary summary;
        lt_reporter_summarize(reporter, &summary);
        return summary;
    }
    lt_reporter *reporter;
};

/* The packet types of a compound. */
std::vector<int> types(const Bytes &bytes)
{
    lt_rtcp_reader reader = {bytes.data(), bytes.size()};
    lt_rtcp_part part;
    std::vector<int> found;
    while (lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        found.push_back(part.type);
    CHECK(reader.left == 0);
    return found;
}

lt_rtcp_part first_part(const Bytes &bytes)
{
    lt_rtcp_reader reader = {bytes.data(), bytes.size()};
    lt_rtcp_part part = {};
    REQUIRE(lt_rtcp_read(&reader, &part) == LT_RTCP_PART);
    return part;
}

} // namespace

TEST_CASE("who has nothing to report about is silent", "[rtcp]")
{
    End end(1);
    CHECK(end.due() == LIVETCP_NEVER);
    CHECK(end.write(second).empty());
    Bytes bytes(LT_REPORT_MAX);
    CHECK(lt_reporter_write_bye(end.reporter, bytes.data(), 0, 0) == 0);
}

TEST_CASE("a sender reports at once, its receiver soon after", "[rtcp]")
{
    End sender(1, "sender"), receiver(2, "receiver");
    sender.send(7, 0, second);
    CHECK(sender.due() == second);
    receiver.receive(7, 0, second);
    CHECK(receiver.due() > second);
    CHECK(receiver.due() <= second + 500000);

    Bytes report = sender.write(second);
    CHECK(types(report) == std::vector<int>{LT_RTCP_SR, LT_RTCP_SDES});
    receiver.hear(report, second + 30000);
    Bytes answer = receiver.write(second + 250000);
    CHECK(types(answer) == std::vector<int>{LT_RTCP_RR, LT_RTCP_SDES});
    sender.hear(answer, second + 290000);
    lt_reporter_summary summary = sender.summary();
    CHECK(summary.reported);
    /* 30 ms forward, 40 ms back; DLSR has units of 1/65536 s. */
    CHECK(summary.rtt_us >= 70000);
    CHECK(summary.rtt_us <= 70016);
    CHECK(summary.reported_fraction == 0);
    CHECK(summary.invalid == 0);
}

TEST_CASE("with the clock rate told, times are exact from the first report", "[rtcp]")
{
    const uint32_t rate = 50000; /* not a usual rate: must be set */
    for (bool told : {false, true}) {
        INFO(told);
        End sender(1), receiver(2);
        if (told) {
            lt_reporter_set_clock_rate(sender.reporter, 96, rate);
            lt_reporter_set_clock_rate(receiver.reporter, LT_REPORTER_PAYLOADS, rate);
        }
        for (uint16_t i = 0; i < 10; i++) {
            livetcp_usec at = second + i * 20000;
            lt_rtp_header header = header_of(7, i, i * 1000u, 96);
            lt_reporter_sent(sender.reporter, &header, 172, at, at);
            lt_reporter_received(receiver.reporter, &header, 172, at + i % 2 * 8000);
        }
        livetcp_usec now = second + 9 * 20000 + 7000;
        lt_rtcp_sender_info info;
        uint32_t ssrc;
        Bytes report = sender.write(now);
        lt_rtcp_part part = first_part(report);
        REQUIRE(lt_rtcp_read_report(&part, &ssrc, &info));
        double unix_us = static_cast<double>(info.ntp) / 4294.967296 - LT_NTP_UNIX_EPOCH * 1e6;
        double media_us = 1e6 * info.timestamp / rate;
        CHECK(unix_us - unix_offset - second == Approx(media_us).margin(1));
        /* Extrapolated to the time of the report, not the last packet's timestamp. */
        CHECK(info.timestamp == (told ? 9350 : 9000));
        CHECK((receiver.summary().jitter_us > 0) == told);
    }
}

TEST_CASE("a told rate is for its payload type, and for others only where nothing else is known",
          "[rtcp]")
{
    End receiver(2);
    auto jitter = [&](uint32_t ssrc, uint8_t type, uint32_t step) {
        for (uint16_t i = 0; i < 50; i++) {
            lt_rtp_header header = header_of(ssrc, i, i * step, type);
            lt_reporter_received(receiver.reporter, &header, 172, second + i * 20000);
        }
        return receiver.summary().jitter_us;
    };
    lt_reporter_set_clock_rate(receiver.reporter, LT_REPORTER_PAYLOADS, 50000);
    lt_reporter_set_clock_rate(receiver.reporter, 97, 25000);
    CHECK(jitter(1, 0, 160) == 0);   /* RFC 3551 */
    CHECK(jitter(2, 96, 1000) == 0); /* dynamic: unknown until learned */
    CHECK(jitter(3, 97, 500) == 0);
    lt_reporter_set_clock_rate(receiver.reporter, 98, 50000);
    lt_reporter_set_clock_rate(receiver.reporter, 98, 0); /* reset: unknown */
    CHECK(jitter(4, 98, 1000) == 0);
    CHECK(jitter(5, 97, 1000) > 1000); /* the stream does not run at this rate */
}

TEST_CASE("loss and jitter come back to the sender", "[rtcp]")
{
    End sender(1), receiver(2);
    for (uint16_t i = 0; i < 100; i++) {
        livetcp_usec at = second + i * 20000;
        sender.send(7, i, at);
        if (i % 10)
            receiver.receive(7, i, at + (i % 2 ? 8000 : 0));
    }
    receiver.hear(sender.write(3 * second), 3 * second);
    sender.hear(receiver.write(3 * second), 3 * second);
    lt_reporter_summary summary = sender.summary();
    CHECK(summary.reported_lost == 9); /* the first one was not expected */
    CHECK(summary.reported_fraction == Approx(9.0 / 99).margin(1.0 / 256));
    CHECK(summary.reported_jitter_us == Approx(7000).epsilon(0.2));
    CHECK(receiver.summary().lost == 9);
    CHECK(receiver.summary().jitter_us == summary.reported_jitter_us);
}

TEST_CASE("the example of RFC 3550, figure 2", "[rtcp]")
{
    /* An SR at NTP b44d:b705:2000, answered after 5.25 s, arrives back at b710:8000. */
    lt_rtcp_sender sender;
    lt_rtcp_sender_start(&sender, 7);
    lt_rtp_header header = header_of(7, 0, 0);
    livetcp_usec sent = 20 * second;
    lt_rtcp_sender_take(&sender, &header, 160, sent, sent);
    livetcp_usec unix_us = INT64_C(0xb44db705) * second - LT_NTP_UNIX_EPOCH * second + 125000;
    lt_rtcp_sender_info info;
    lt_rtcp_sender_report(&sender, &info, unix_us, sent);
    CHECK(info.ntp == UINT64_C(0xb44db70520000000));
    lt_rtcp_block block = {};
    block.ssrc = 7;
    block.lsr = 0xb7052000;
    block.dlsr = 0x00054000;
    livetcp_usec later = lt_ntp_units_to_us(0xb7108000 - 0xb7052000);
    CHECK(lt_rtcp_sender_take_block(&sender, &block, sent + later));
    CHECK(sender.rtt_us == 6125000);
}

TEST_CASE("the RTP time of a report belongs to its NTP time", "[rtcp]")
{
    End sender(1);
    for (uint16_t i = 0; i < 100; i++)
        sender.send(7, i, second + i * 20000 + (i % 5 ? 0 : 15000)); /* every fifth is delayed */
    livetcp_usec now = 3 * second + 7000;
    lt_rtcp_sender_info info;
    uint32_t ssrc;
    Bytes report = sender.write(now);
    lt_rtcp_part part = first_part(report);
    REQUIRE(lt_rtcp_read_report(&part, &ssrc, &info));
    CHECK(info.ntp == lt_ntp_from_unix(unix_offset + now));
    CHECK(info.timestamp == (now - second) * 8 / 1000); /* the time of the packets without delay */
    CHECK(info.packets == 100);
    CHECK(info.octets == 16000);
}

TEST_CASE("without a clock rate a report is about the moment of the last packet", "[rtcp]")
{
    End sender(1);
    for (uint16_t i = 0; i < 10; i++) {
        lt_rtp_header header = header_of(7, i, i * 3000u, 96);
        lt_reporter_sent(sender.reporter, &header, 1000, second + i * 33000, second + i * 33000);
    }
    lt_rtcp_sender_info info;
    uint32_t ssrc;
    Bytes report = sender.write(2 * second);
    lt_rtcp_part part = first_part(report);
    REQUIRE(lt_rtcp_read_report(&part, &ssrc, &info));
    CHECK(info.timestamp == 9 * 3000);
    CHECK(info.ntp == lt_ntp_from_unix(unix_offset + second + 9 * 33000));
}

TEST_CASE("several streams are in one compound, with one name", "[rtcp]")
{
    End end(1, "AAAABBBBCCCCDDDD");
    for (uint32_t ssrc = 10; ssrc < 30; ssrc++)
        end.send(ssrc, 0, second);
    for (uint32_t ssrc = 100; ssrc < 140; ssrc++)
        end.receive(ssrc, 0, second);
    Bytes report = end.write(second); /* within LT_REPORT_MAX, and complete */
    std::vector<int> expected(LT_REPORTER_SENDERS, LT_RTCP_SR);
    expected.push_back(LT_RTCP_SDES);
    CHECK(types(report) == expected);
    CHECK(first_part(report).count == LT_REPORTER_RECEIVERS);
    Bytes bye(LT_REPORT_MAX);
    bye.resize(lt_reporter_write_bye(end.reporter, bye.data(), unix_offset, second));
    expected.push_back(LT_RTCP_BYE);
    CHECK(types(bye) == expected);
}

TEST_CASE("blocks that lie about time are counted and not believed", "[rtcp]")
{
    End sender(1);
    sender.send(7, 0, second);
    Bytes report = sender.write(second);
    lt_rtcp_part part = first_part(report);
    lt_rtcp_sender_info info;
    uint32_t ssrc;
    REQUIRE(lt_rtcp_read_report(&part, &ssrc, &info));
    struct {
        uint32_t lsr, dlsr;
        livetcp_usec at;
        bool valid;
    } cases[] = {
        {lt_ntp_middle(info.ntp), 0, 1050000, true},
        {lt_ntp_middle(info.ntp) + 1, 0, 1050000, false},      /* never sent */
        {lt_ntp_middle(info.ntp), 65536, 1050000, false},      /* answered before it arrived */
        {lt_ntp_middle(info.ntp), UINT32_MAX, 1050000, false}, /* 18 hours */
        {lt_ntp_middle(info.ntp), 0, 36001 * second, false},   /* 10 hours */
        {0, UINT32_MAX, 1050000, true},                        /* no report received yet */
    };
    uint64_t invalid = 0;
    for (const auto &c : cases) {
        INFO(c.lsr << " " << c.dlsr << " " << c.at);
        Bytes bytes(100);
        lt_rtcp_writer writer = {bytes.data(), bytes.size(), 0};
        lt_rtcp_block block = {};
        block.ssrc = 7;
        block.lsr = c.lsr;
        block.dlsr = c.dlsr;
        lt_rtcp_write_report(&writer, 99, nullptr, &block, 1);
        bytes.resize(writer.used);
        sender.hear(bytes, c.at);
        invalid += !c.valid;
        CHECK(sender.summary().invalid == invalid);
        CHECK(sender.summary().rtt_us == 50000);
    }
    sender.hear({0x81, 201, 0, 1, 0, 0, 0, 1}, second); /* announces a block that is missing */
    sender.hear({0x80}, second);
    CHECK(sender.summary().invalid == invalid + 2);
}

TEST_CASE("intervals keep to 5 % and to the reduced minimum", "[rtcp]")
{
    /* 64 kbit/s: 5.6 s with the usual minimum of RFC 3550. 2 Mbit/s: 0.18 s. */
    CHECK(lt_rtcp_interval(8000, 100) == LT_RTCP_INTERVAL_MAX_US);
    CHECK(lt_rtcp_interval(0, 100) == LT_RTCP_INTERVAL_MAX_US);
    CHECK(lt_rtcp_interval(250000, 100) == LT_RTCP_INTERVAL_MIN_US);
    CHECK(lt_rtcp_interval(UINT64_MAX, 100) == LT_RTCP_INTERVAL_MIN_US);
    CHECK(lt_rtcp_interval(40000, 100) == 1125000); /* 320 kbit/s */
    CHECK(lt_rtcp_interval(20000, 1000) == 2250000);
    CHECK(lt_rtcp_interval(20000, 2000) == 4 * second); /* 2 * 2000 / (5 % of 20000) */
    CHECK(lt_rtcp_interval_spread(1000000, 0) == 500000);
    CHECK(lt_rtcp_interval_spread(1000000, 0.5) == 1000000);
}

TEST_CASE("reports take no more than their share of a stream", "[rtcp]")
{
    End sender(1);
    size_t bytes = 0;
    for (unsigned i = 0; i < 50 * 120; i++) { /* two minutes */
        livetcp_usec now = second + i * 20000;
        sender.send(7, static_cast<uint16_t>(i), now);
        if (now >= sender.due())
            bytes += sender.write(now).size() + 54;
    }
    CHECK(bytes < 120 * 8600 / 20 / 2); /* this end's half of 5 % */
    CHECK(sender.summary().written >= 120 / 7);
}

TEST_CASE("a sender that pauses becomes a receiver, and falls silent in the end", "[rtcp]")
{
    End end(1);
    livetcp_usec now = second;
    end.send(7, 0, now);
    CHECK(first_part(end.write(now)).type == LT_RTCP_SR);
    now += 11 * second;
    CHECK(first_part(end.write(now)).type == LT_RTCP_RR);
    now += 20 * second;
    CHECK(end.write(now).empty());
    CHECK(end.due() == LIVETCP_NEVER);
    end.send(7, 1, now);
    CHECK(end.due() == now);
}

TEST_CASE("our source gives way to the peer's of the same number", "[rtcp]")
{
    End end(7);
    end.receive(7, 0, second);
    Bytes report = end.write(second);
    lt_rtcp_part part = first_part(report);
    lt_rtcp_sender_info info;
    uint32_t ssrc;
    REQUIRE(lt_rtcp_read_report(&part, &ssrc, &info));
    CHECK(ssrc != 7);
}

TEST_CASE("a CNAME is 16 characters that differ when the random bytes do", "[rtcp]")
{
    uint8_t random[12] = {};
    char cname[LT_CNAME_SIZE], other[LT_CNAME_SIZE];
    lt_reporter_cname(random, cname);
    CHECK(std::string(cname) == "AAAAAAAAAAAAAAAA");
    random[11] = 1;
    lt_reporter_cname(random, other);
    CHECK(std::string(other) == "AAAAAAAAAAAAAAAB");
}
