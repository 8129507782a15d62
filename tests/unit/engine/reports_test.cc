/* SPDX-License-Identifier: MIT */
/* The reports component of one or both ends, without a session. */
#include "catch.h"

#include <cstring>
#include <memory>
#include <vector>

extern "C" {
#include "base/bytes.h"
#include "engine/reports/reports.h"
#include "rtp/rtcp/packet.h"
#include "wire/frame.h"
}

namespace
{

const livetcp_usec ms = 1000, second = 1000000;

using Bytes = std::vector<uint8_t>;

struct Frame {
    int slot;
    Bytes packet;
};

livetcp_config config_of(livetcp_usec feedback_us = 200 * ms, livetcp_rtcp rtcp = LIVETCP_RTCP_OFF)
{
    livetcp_config config;
    livetcp_config_init(&config);
    config.feedback_us = feedback_us;
    config.rtcp = rtcp;
    return config;
}

Bytes media(uint16_t sequence)
{
    Bytes packet(172);
    packet[0] = 0x80;
    packet[1] = 0; /* PCMU: 8 kHz by RFC 3551 */
    lt_write_be16(&packet[2], sequence);
    lt_write_be32(&packet[4], sequence * 160u);
    lt_write_be32(&packet[8], 0xcafe);
    return packet;
}

/* One end of a session with four connections. */
struct End {
    explicit End(const livetcp_config &settings = config_of(), livetcp_result random = LIVETCP_OK)
        : random_result(random)
    {
        lt_rng_seed(&rng, 1);
        for (unsigned i = 0; i < 4; i++) {
            paths[i].connection = i;
            paths[i].usable = true;
            paths[i].known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_RTT |
                             LIVETCP_PATH_MIN_RTT | LIVETCP_PATH_TCP_STATE;
            paths[i].rtt_us = 60 * ms;
            paths[i].min_rtt_us = 40 * ms;
            paths[i].tcp_state = LIVETCP_TCP_OPEN;
        }
        lt_reports_setup setup = {};
        setup.config = &settings;
        setup.random = give_random;
        setup.random_user = this;
        setup.rng = &rng;
        setup.sink = {this, has_way, write};
        created = lt_reports_create(&setup, &reports);
    }
    ~End()
    {
        lt_reports_destroy(&reports);
    }
    End(const End &) = delete;
    End &operator=(const End &) = delete;

    static livetcp_result give_random(void *user, uint8_t *bytes, size_t size)
    {
        End *end = static_cast<End *>(user);
        end->randoms++;
        memset(bytes, 7, size);
        return end->random_result;
    }
    static bool has_way(const void *user)
    {
        return static_cast<const End *>(user)->way;
    }
    static bool write(void *user, int slot, const uint8_t *frame, size_t size, livetcp_usec now)
    {
        End *end = static_cast<End *>(user);
        CHECK(now == end->expired_at);
        REQUIRE(size > LT_FRAME_HEADER);
        CHECK(lt_read_be16(frame) == size - LT_FRAME_HEADER);
        if (end->room)
            end->frames.push_back({slot, Bytes(frame + LT_FRAME_HEADER, frame + size)});
        return end->room;
    }

    /* The application's packet is written in that slot after `queued` microseconds in the queue. */
    void write_media(livetcp_usec now, unsigned slot = 0, livetcp_usec queued = 0)
    {
        Bytes bytes = media(next_sequence++);
        lt_packet *packet = lt_packet_create(bytes.data(), bytes.size());
        lt_rtp_header header = {};
        REQUIRE(packet);
        REQUIRE(lt_rtp_parse(bytes.data(), bytes.size(), &header));
        packet->ssrc = header.ssrc;
        packet->timestamp = header.timestamp;
        packet->sequence = header.sequence;
        packet->payload_type = header.payload_type;
        packet->header_size = header.header_size;
        packet->enqueued_us = now - queued;
        packet->review_us = LIVETCP_NEVER;
        lt_reports_on_placed(reports, packet, 1, false);
        written[slot] += packet->frame_size;
        timestamped = lt_reports_wants_timestamp(reports, slot, packet, now);
        lt_reports_on_written(reports, &paths[slot], packet, written[slot], now);
        last = std::shared_ptr<lt_packet>(packet, [](lt_packet *p) { lt_packet_unref(&p); });
    }

    void deliver(uint16_t sequence, livetcp_usec arrival, livetcp_usec now)
    {
        Bytes bytes = media(sequence);
        lt_rtp_header header = {};
        REQUIRE(lt_rtp_parse(bytes.data(), bytes.size(), &header));
        lt_arrival of = arrival_of(bytes, arrival);
        of.header = header;
        lt_reports_on_delivered(reports, &of, now);
    }

    static lt_arrival arrival_of(const Bytes &bytes, livetcp_usec at)
    {
        lt_arrival arrival = {};
        arrival.data = bytes.data();
        arrival.size = bytes.size();
        arrival.arrival_us = at;
        return arrival;
    }

    /* Returns the frames written. */
    std::vector<Frame> expire(livetcp_usec now, uint64_t gaps = 0, uint64_t late_order = 0)
    {
        lt_reports_view view = {paths, 4, gaps, late_order, 0};
        frames.clear();
        expired_at = now;
        lt_reports_expire(reports, &view, now);
        return frames;
    }

    /* Takes frames of the other end. True if the last one was RTCP for LiveTCP. */
    bool take(const std::vector<Frame> &from, livetcp_usec now)
    {
        bool own = false;
        for (const Frame &frame : from) {
            const Bytes &bytes = frame.packet;
            own = false;
            if (lt_control_is(bytes.data(), bytes.size())) {
                lt_control message;
                REQUIRE(lt_control_decode(bytes.data(), bytes.size(), &message) == LIVETCP_OK);
                lt_reports_on_feedback(reports, &message, now);
            } else {
                lt_arrival arrival = arrival_of(bytes, now);
                lt_reports_on_rtcp(reports, &arrival);
                own = lt_control_marks_report(bytes.data(), bytes.size());
            }
        }
        return own;
    }

    livetcp_session_stats stats(livetcp_usec now) const
    {
        livetcp_session_stats stats = {};
        lt_reports_gather(reports, paths, 4, &stats, now);
        return stats;
    }

    livetcp_usec deadline() const
    {
        return lt_reports_deadline(reports);
    }

    lt_reports *reports = nullptr;
    livetcp_result created, random_result;
    lt_rng rng;
    livetcp_path paths[4] = {};
    uint64_t written[4] = {};
    uint16_t next_sequence = 1;
    std::shared_ptr<lt_packet> last;
    bool timestamped = false, way = true, room = true;
    unsigned randoms = 0;
    livetcp_usec expired_at = 0;
    std::vector<Frame> frames;
};

lt_control decode(const Frame &frame)
{
    lt_control message = {};
    REQUIRE(lt_control_is(frame.packet.data(), frame.packet.size()));
    REQUIRE(lt_control_decode(frame.packet.data(), frame.packet.size(), &message) == LIVETCP_OK);
    return message;
}

lt_rtcp_part first_part(const Bytes &bytes)
{
    lt_rtcp_reader reader = {bytes.data(), bytes.size()};
    lt_rtcp_part part = {};
    REQUIRE(lt_rtcp_read(&reader, &part) == LT_RTCP_PART);
    return part;
}

livetcp_playout_report playout_of(livetcp_usec margin, livetcp_usec delay = 80 * ms)
{
    livetcp_playout_report report = {};
    report.struct_size = sizeof report;
    report.margin_us = margin;
    report.delay_us = delay;
    return report;
}

/* The margin in the next RECEPTION, which is written at `now`. */
int32_t next_margin(End &end, livetcp_usec now)
{
    end.deliver(1, now, now);
    std::vector<Frame> frames = end.expire(now);
    REQUIRE(frames.size() == 1);
    return decode(frames[0]).reception.margin_us;
}

} // namespace

/* ---- created ---- */

TEST_CASE("reports need randomness for RTCP only", "[reports]")
{
    End off(config_of(), LIVETCP_ERR_SYSTEM);
    CHECK(off.created == LIVETCP_OK);
    CHECK(off.randoms == 0);
    End on(config_of(0, LIVETCP_RTCP_ON));
    CHECK(on.created == LIVETCP_OK);
    CHECK(on.randoms == 1);
    End broken(config_of(0, LIVETCP_RTCP_ON), LIVETCP_ERR_SYSTEM);
    CHECK(broken.created == LIVETCP_ERR_SYSTEM);
    CHECK(broken.reports == nullptr);
}

TEST_CASE("without media nothing is due, and nothing is known", "[reports]")
{
    End end(config_of(200 * ms, LIVETCP_RTCP_ON));
    CHECK(end.deadline() == LIVETCP_NEVER);
    CHECK(end.expire(second).empty());
    livetcp_session_stats stats = end.stats(second);
    CHECK(stats.sent.delays.send_queue_us == -1);
    CHECK(stats.received.delays.head_of_line_us == -1);
    CHECK(stats.received.jitter_us == -1);
    CHECK(stats.control.feedback_rtt_us == -1);
    CHECK(stats.peer.margin_us == LIVETCP_NO_MARGIN);
    CHECK(stats.timestamped == 0);
}

/* ---- RTCP ---- */

TEST_CASE("a report is due once media is written, and written once", "[reports]")
{
    End end(config_of(0, LIVETCP_RTCP_AUTO));
    end.write_media(second);
    end.write_media(second);
    CHECK(end.deadline() == second);
    CHECK(end.expire(second - 1).empty());
    std::vector<Frame> frames = end.expire(second);
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].slot == LT_REPORTS_QUICKEST);
    lt_rtcp_part part = first_part(frames[0].packet);
    CHECK(part.type == LT_RTCP_SR);
    CHECK(lt_read_be32(part.body) == 0xcafe);
    CHECK(lt_read_be32(part.body + 16) == 2);       /* packets */
    CHECK(lt_read_be32(part.body + 20) == 2 * 160); /* octets of payload */
    CHECK(end.expire(second).empty());
    CHECK(end.deadline() > second);
    CHECK(end.stats(second).control.reports_sent == 1);
}

TEST_CASE("a report waits for a connection, and is left out if that has no room", "[reports]")
{
    End end(config_of(0, LIVETCP_RTCP_AUTO));
    end.write_media(second);
    end.way = false;
    CHECK(end.deadline() == LIVETCP_NEVER);
    CHECK(end.expire(2 * second).empty());
    end.way = true;
    CHECK(end.deadline() == second);
    end.room = false;
    CHECK(end.expire(2 * second).empty());
    CHECK(end.stats(2 * second).control.reports_sent == 0);
    CHECK(end.deadline() > 2 * second);
}

TEST_CASE("the peer tells our report from its application's", "[reports]")
{
    End sender(config_of(0, LIVETCP_RTCP_AUTO)), receiver(config_of(0, LIVETCP_RTCP_AUTO));
    sender.write_media(second);
    std::vector<Frame> frames = sender.expire(second);
    REQUIRE(frames.size() == 1);
    CHECK(receiver.take(frames, second + 30 * ms));
    const size_t mark = 12;
    frames[0].packet.resize(frames[0].packet.size() - mark);
    CHECK_FALSE(receiver.take(frames, second + 30 * ms));
    CHECK(receiver.stats(second).control.reports_received == 2);
}

TEST_CASE("reports of both ends measure the round trip and count what is missing", "[reports]")
{
    End sender(config_of(0, LIVETCP_RTCP_ON)), receiver(config_of(0, LIVETCP_RTCP_ON));
    lt_reports_set_wall_clock(sender.reports, 1700000000 * second);
    sender.write_media(second);
    receiver.take(sender.expire(second), second + 20 * ms);
    for (uint16_t sequence : {1, 2, 4})
        receiver.deliver(sequence, second + 20 * ms, second + 20 * ms);
    livetcp_usec due = receiver.deadline();
    REQUIRE(due != LIVETCP_NEVER);
    sender.take(receiver.expire(due), due + 30 * ms);
    livetcp_session_stats stats = sender.stats(due + 30 * ms);
    CHECK(stats.control.report_rtt_us == Approx(50 * ms).margin(ms));
    CHECK(stats.peer.reported_missing == 1);
    CHECK(receiver.stats(due).received.missing == 1);
}

TEST_CASE("an application that reports itself does so alone, unless rtcp is on", "[reports]")
{
    const uint8_t bye[] = {0x81, LT_RTCP_BYE, 0, 1, 0, 0, 0, 1};
    const uint8_t rr[] = {0x80, LT_RTCP_RR, 0, 1, 0, 0, 0, 1};
    for (livetcp_rtcp mode : {LIVETCP_RTCP_AUTO, LIVETCP_RTCP_ON}) {
        End end(config_of(0, mode));
        end.write_media(second);
        lt_reports_on_own_rtcp(end.reports, bye, sizeof bye);
        CHECK(end.deadline() == second);
        lt_reports_on_own_rtcp(end.reports, rr, sizeof rr);
        CHECK(end.deadline() == (mode == LIVETCP_RTCP_ON ? second : LIVETCP_NEVER));
    }
}

TEST_CASE("a plain peer gets RTCP only if it is on, without a mark, and no feedback", "[reports]")
{
    livetcp_config config = config_of(200 * ms, LIVETCP_RTCP_AUTO);
    config.wire = LIVETCP_WIRE_PLAIN;
    End quiet(config);
    quiet.write_media(second);
    quiet.deliver(1, second, second);
    CHECK(quiet.deadline() == LIVETCP_NEVER);
    config.rtcp = LIVETCP_RTCP_ON;
    End end(config);
    end.write_media(second);
    std::vector<Frame> frames = end.expire(second);
    REQUIRE(frames.size() == 1);
    End other(config_of(0, LIVETCP_RTCP_ON));
    CHECK_FALSE(other.take(frames, second));
}

TEST_CASE("goodbye is said once a session, in the slot that is named", "[reports]")
{
    End end(config_of(0, LIVETCP_RTCP_AUTO));
    end.write_media(second);
    end.expire(second);
    end.frames.clear();
    end.expired_at = 2 * second;
    for (unsigned slot : {2, 3})
        lt_reports_goodbye(end.reports, slot, 2 * second);
    REQUIRE(end.frames.size() == 1);
    CHECK(end.frames[0].slot == 2);
    lt_rtcp_reader reader = {end.frames[0].packet.data(), end.frames[0].packet.size()};
    lt_rtcp_part part = {};
    bool bye = false;
    while (lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        bye = bye || part.type == LT_RTCP_BYE;
    CHECK(bye);
    CHECK(end.stats(2 * second).control.reports_sent == 2);
}

TEST_CASE("a clock rate needs a payload type", "[reports]")
{
    End end(config_of(0, LIVETCP_RTCP_ON));
    CHECK(lt_reports_set_clock_rate(end.reports, 96, 90000) == LIVETCP_OK);
    CHECK(lt_reports_set_clock_rate(end.reports, LIVETCP_ANY_PAYLOAD, 90000) == LIVETCP_OK);
    CHECK(lt_reports_set_clock_rate(end.reports, 128, 1) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(lt_reports_set_clock_rate(end.reports, -2, 1) == LIVETCP_ERR_INVALID_ARGUMENT);
    End off;
    CHECK(lt_reports_set_clock_rate(off.reports, 96, 90000) == LIVETCP_OK);
}

/* ---- feedback ---- */

TEST_CASE("feedback comes back with the round trip, less what the peer kept it", "[reports]")
{
    End sender, receiver;
    sender.write_media(second);
    CHECK(sender.deadline() == second);
    std::vector<Frame> frames = sender.expire(second);
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].slot == LT_REPORTS_QUICKEST);
    CHECK(decode(frames[0]).type == LT_CONTROL_TRANSMISSION);
    receiver.take(frames, second + 30 * ms);
    receiver.deliver(1, second + 130 * ms, second + 130 * ms);
    CHECK(receiver.deadline() == second + 130 * ms);
    frames = receiver.expire(second + 130 * ms);
    REQUIRE(frames.size() == 1);
    CHECK(decode(frames[0]).reception.echo_age_us == 100 * ms);
    sender.take(frames, second + 150 * ms);
    livetcp_session_stats stats = sender.stats(second + 150 * ms);
    CHECK(stats.control.feedback_rtt_us == 50 * ms);
    CHECK(stats.peer.packets == 1);
    CHECK(stats.control.feedback_sent == 1);
    CHECK(stats.control.feedback_received == 1);
    stats = receiver.stats(second + 150 * ms);
    CHECK(stats.peer.rtt_us == 60 * ms);
    CHECK(stats.peer.min_rtt_us == 40 * ms);
    CHECK(stats.peer.connections == 4);
    CHECK(stats.peer.copies == 1);
}

TEST_CASE("feedback goes on at its interval while media flows, and ends when closing", "[reports]")
{
    End end(config_of(200 * ms, LIVETCP_RTCP_ON));
    end.deliver(1, second, second);
    CHECK(end.expire(second).size() == 1);
    CHECK(end.deadline() > second + 200 * ms); /* the RTCP deadline */
    end.deliver(2, second + 20 * ms, second + 20 * ms);
    CHECK(end.deadline() > second + 200 * ms); /* a packet, of which there is little to tell */
    for (uint16_t i = 3; i < 90; i++)
        end.deliver(i, second + 30 * ms, second + 30 * ms);
    CHECK(end.deadline() == second + 200 * ms);
    lt_reports_on_closing(end.reports);
    livetcp_usec report_at = end.deadline();
    CHECK(report_at > second + 200 * ms);
    CHECK(report_at < LIVETCP_NEVER);
    end.deliver(90, report_at + second, report_at + second);
    CHECK(end.deadline() == report_at);
    std::vector<Frame> frames = end.expire(report_at + second);
    REQUIRE(frames.size() == 1);
    CHECK_FALSE(lt_control_is(frames[0].packet.data(), frames[0].packet.size()));
}

/* Messages of that type at the next arrival, after so much media of our own. */
static size_t arrivals_told(End &end, uint16_t sequence, livetcp_usec now)
{
    size_t told = 0;
    for (unsigned i = 0; i < 20; i++)
        lt_reports_on_accepted(end.reports, 1000, false, now);
    end.deliver(sequence, now, now);
    for (const Frame &frame : end.expire(now))
        told += frame.packet.size() == 36 && decode(frame).type == LT_CONTROL_ARRIVAL;
    return told;
}

TEST_CASE("it is told when frames arrive, but not by a session without feedback, or that closes",
          "[reports]")
{
    End end(config_of(200 * ms, LIVETCP_RTCP_OFF));
    CHECK(arrivals_told(end, 1, second) == 1);
    CHECK(arrivals_told(end, 2, second + 40 * ms) == 1);
    lt_reports_on_closing(end.reports);
    CHECK(arrivals_told(end, 3, second + 80 * ms) == 0);
    End quiet(config_of(0, LIVETCP_RTCP_OFF));
    CHECK(arrivals_told(quiet, 1, second) == 0);
}

TEST_CASE("a reception names the packet that arrived last and what is missing", "[reports]")
{
    End end;
    end.deliver(7, second, second + 10 * ms);
    end.deliver(5, second - 50 * ms, second + 10 * ms);
    std::vector<Frame> frames = end.expire(second + 10 * ms, 3, 2);
    REQUIRE(frames.size() == 1);
    lt_reception message = decode(frames[0]).reception;
    CHECK(message.newest_ssrc == 0xcafe);
    CHECK(message.newest_sequence == 7);
    CHECK(message.newest_age_us == 10 * ms);
    CHECK(message.packets == 2);
    CHECK(message.missing == 3);
    CHECK(message.late_order == 2);
    CHECK(message.echo_number == 0);
    CHECK(message.hold_us == 10 * ms + 50 * ms / 16);
    CHECK(message.playing == 0);
    CHECK(message.margin_us == INT32_MIN);
}

TEST_CASE("the smallest margin is kept until a message has told it", "[reports]")
{
    End end;
    for (livetcp_usec margin : {30 * ms, -5 * ms, 40 * ms, LIVETCP_NO_MARGIN}) {
        livetcp_playout_report report = playout_of(margin);
        CHECK(lt_reports_on_playout(end.reports, &report) == LIVETCP_OK);
    }
    CHECK(next_margin(end, second) == -5 * ms);
    CHECK(next_margin(end, 2 * second) == -5 * ms); /* no newer measurement */
    livetcp_playout_report report = playout_of(40 * ms);
    lt_reports_on_playout(end.reports, &report);
    CHECK(next_margin(end, 3 * second) == 40 * ms);
    CHECK(end.stats(second).received.delays.playout_us == 80 * ms);
}

TEST_CASE("a playout report out of range changes nothing", "[reports]")
{
    End end;
    for (const livetcp_playout_report &report : {playout_of(61 * second), playout_of(-61 * second),
                                                 playout_of(0, -1), playout_of(0, 61 * second)})
        CHECK(lt_reports_on_playout(end.reports, &report) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(next_margin(end, second) == INT32_MIN);
    CHECK(end.stats(second).received.delays.playout_us == -1);
}

TEST_CASE("a transmission tells the protection of the least protected packet", "[reports]")
{
    End end;
    lt_packet packet = {};
    packet.review_us = second;
    lt_reports_on_placed(end.reports, &packet, 2, true);
    packet.review_us = LIVETCP_NEVER;
    lt_reports_on_placed(end.reports, &packet, 1, true);
    packet.rtcp = true;
    lt_reports_on_placed(end.reports, &packet, 1, false);
    packet.rtcp = false;
    packet.review_us = second;
    lt_reports_on_placed(end.reports, &packet, 3, false);
    end.next_sequence = 1;
    lt_packet written = packet;
    written.enqueued_us = second;
    lt_reports_on_written(end.reports, &end.paths[0], &written, 100, second);
    std::vector<Frame> frames = end.expire(second);
    REQUIRE(frames.size() == 1);
    lt_transmission message = decode(frames[0]).transmission;
    CHECK(message.protection == LIVETCP_PROTECTION_PARITY);
    CHECK(message.copies == 1);
    CHECK(message.parity_group == 4);
    CHECK(message.hedge_delay_us == LT_UNKNOWN_US);
}

TEST_CASE("a new peer numbers its messages anew", "[reports]")
{
    End end;
    lt_control message = {};
    message.type = LT_CONTROL_RECEPTION;
    for (uint32_t number : {5, 1}) {
        message.reception.number = number;
        message.reception.packets = number;
        lt_reports_on_feedback(end.reports, &message, second);
        CHECK(end.stats(second).peer.packets == 5);
    }
    lt_reports_on_new_peer(end.reports);
    lt_reports_on_feedback(end.reports, &message, second);
    CHECK(end.stats(second).peer.packets == 1);
}

/* ---- delays ---- */

TEST_CASE("delay components are inferred from path info", "[reports]")
{
    End end;
    end.write_media(second, 0, 7 * ms);
    livetcp_delays delays = end.stats(second).sent.delays;
    CHECK(delays.send_queue_us == 7 * ms);
    CHECK(delays.send_buffer_us == 0);
    CHECK(delays.network_us == 40 * ms); /* half of 40, and the 20 above */
    CHECK(delays.head_of_line_us == -1);
    /* Acknowledged late, while TCP repaired a loss at the previous path info. */
    end.paths[0].tcp_state = LIVETCP_TCP_RECOVERY;
    lt_reports_on_path_info(end.reports, &end.paths[0], second + 50 * ms);
    lt_reports_on_acknowledged(end.reports, &end.paths[0], end.last.get(), second,
                               second + 260 * ms);
    CHECK(end.stats(second).sent.delays.head_of_line_us == 100 * ms);
    /* A replacement connection starts without history. */
    lt_reports_reset_slot(end.reports, 0);
    lt_reports_on_acknowledged(end.reports, &end.paths[0], end.last.get(), second,
                               second + 260 * ms);
    CHECK(end.stats(second).sent.delays.head_of_line_us < 100 * ms);
}

TEST_CASE("each end tells the components that the other cannot know", "[reports]")
{
    End sender, receiver;
    sender.write_media(second, 0, 7 * ms);
    receiver.take(sender.expire(second), second + 30 * ms);
    livetcp_playout_report report = playout_of(20 * ms, 90 * ms);
    lt_reports_on_playout(receiver.reports, &report);
    receiver.deliver(1, second + 30 * ms, second + 42 * ms);
    sender.take(receiver.expire(second + 42 * ms), second + 70 * ms);
    livetcp_delays delays = receiver.stats(second + 70 * ms).received.delays;
    CHECK(delays.send_queue_us == 7 * ms);
    CHECK(delays.network_us == 40 * ms);
    CHECK(delays.head_of_line_us == 12 * ms);
    CHECK(delays.playout_us == 90 * ms);
    delays = sender.stats(second + 70 * ms).sent.delays;
    CHECK(delays.head_of_line_us == 12 * ms);
    CHECK(delays.playout_us == 90 * ms);
}

/* ---- kernel timestamps ---- */

namespace
{

/* The number of packets with timestamps among those of ten seconds, one per millisecond, without
 * the initial period in which packets are only counted. */
unsigned sample(End &end)
{
    const unsigned counting = 200;
    unsigned samples = 0, all = 0;
    lt_reports_has_timestamps(end.reports, 0);
    for (unsigned i = 0; i < counting + 10000; i++) {
        livetcp_usec now = second + i * ms;
        end.write_media(now);
        if (!end.timestamped)
            continue;
        all++;
        samples += i >= counting;
        for (livetcp_tx_timestamp_kind kind : {LIVETCP_TX_SENT, LIVETCP_TX_ACKNOWLEDGED}) {
            livetcp_tx_timestamp of = {kind, static_cast<uint32_t>(end.written[0] - 1), now};
            lt_reports_on_tx_timestamp(end.reports, &end.paths[0], &of, now);
        }
    }
    CHECK(end.stats(11 * second).sent.timestamped == all);
    return samples;
}

} // namespace

TEST_CASE("timestamps are sampled at their interval, or of all packets, or of none", "[reports]")
{
    livetcp_config config = config_of();
    End automatic(config);
    CHECK(sample(automatic) == Approx(100).margin(25)); /* one in 100 ms */
    config.timestamps = LIVETCP_TIMESTAMPS_ON;
    End all(config);
    CHECK(sample(all) == 10000);
    config.timestamps = LIVETCP_TIMESTAMPS_OFF;
    End none(config);
    CHECK(sample(none) == 0);
}

TEST_CASE("timestamps are asked only for media, and of sockets that tell them", "[reports]")
{
    livetcp_config config = config_of();
    config.timestamps = LIVETCP_TIMESTAMPS_ON;
    End end(config);
    end.write_media(second);
    CHECK_FALSE(end.timestamped);
    lt_reports_has_timestamps(end.reports, 0);
    end.write_media(second, 1);
    CHECK_FALSE(end.timestamped);
    end.write_media(second);
    CHECK(end.timestamped);
    /* No frame ends here. */
    CHECK_FALSE(lt_reports_wants_timestamp(end.reports, 0, nullptr, second));
    lt_packet packet = {};
    packet.rtcp = true;
    CHECK_FALSE(lt_reports_wants_timestamp(end.reports, 0, &packet, second));
    packet.rtcp = false;
    packet.parity = true;
    CHECK_FALSE(lt_reports_wants_timestamp(end.reports, 0, &packet, second));
    packet.parity = false;
    packet.written = true; /* another copy */
    CHECK_FALSE(lt_reports_wants_timestamp(end.reports, 0, &packet, second));
    lt_reports_reset_slot(end.reports, 0);
    end.write_media(second);
    CHECK_FALSE(end.timestamped);
}

TEST_CASE("measured components replace the inferred ones for ten seconds", "[reports]")
{
    End end;
    lt_reports_has_timestamps(end.reports, 0);
    end.write_media(second);
    REQUIRE(end.timestamped);
    const uint32_t byte = static_cast<uint32_t>(end.written[0] - 1);
    const livetcp_tx_timestamp told[] = {{LIVETCP_TX_SCHEDULED, byte, second + 3 * ms},
                                         {LIVETCP_TX_SENT, byte, second + 5 * ms},
                                         {LIVETCP_TX_ACKNOWLEDGED, byte, second + 55 * ms}};
    for (const livetcp_tx_timestamp &timestamp : told)
        lt_reports_on_tx_timestamp(end.reports, &end.paths[0], &timestamp, second + 60 * ms);
    livetcp_session_stats stats = end.stats(second + 60 * ms);
    CHECK(stats.timestamped == LIVETCP_TIMESTAMPED_SENT);
    CHECK(stats.sent.timestamped == 1);
    CHECK(stats.sent.delays.send_buffer_us == 5 * ms);
    CHECK(stats.sent.interface_queue_us == 2 * ms);
    CHECK(stats.sent.delays.network_us == 30 * ms); /* half of 40, and the 10 above */
    CHECK(stats.sent.delays.head_of_line_us == 0);
    stats = end.stats(12 * second);
    CHECK(stats.timestamped == 0);
    CHECK(stats.sent.delays.send_buffer_us == 0);
    CHECK(stats.sent.delays.network_us == 40 * ms);
    CHECK(stats.sent.delays.head_of_line_us == -1);
}

TEST_CASE("an impossible timestamp is counted", "[reports]")
{
    End end;
    lt_reports_has_timestamps(end.reports, 0);
    end.write_media(second);
    livetcp_tx_timestamp timestamp = {LIVETCP_TX_SENT, static_cast<uint32_t>(end.written[0] - 1),
                                      second - 2 * ms}; /* before it was written */
    lt_reports_on_tx_timestamp(end.reports, &end.paths[0], &timestamp, second + ms);
    livetcp_rx_timestamp read = {true, false, second + 2 * ms}; /* in the future */
    lt_reports_on_read(end.reports, 0, &read, 1, second);
    livetcp_session_stats stats = end.stats(second);
    CHECK(stats.control.timestamps_invalid == 2);
    CHECK(stats.sent.timestamped == 0);
    CHECK(stats.received.timestamped_reads == 0);
}

TEST_CASE("read timestamps tell our reading from the wait for a repair", "[reports]")
{
    End end;
    livetcp_rx_timestamp read = {true, false, second};
    lt_reports_on_read(end.reports, 0, &read, 1, second + 2 * ms);
    CHECK(end.stats(second).timestamped == 0); /* its socket reports none */
    lt_reports_has_timestamps(end.reports, 0);
    for (unsigned i = 0; i < 40; i++) {
        read.at_us = second + i * 20 * ms;
        lt_reports_on_read(end.reports, 0, &read, 1, read.at_us + 2 * ms);
    }
    livetcp_session_stats stats = end.stats(2 * second);
    CHECK(stats.timestamped == LIVETCP_TIMESTAMPED_RECEIVED);
    CHECK(stats.received.reading_us == 2 * ms);
    CHECK(stats.received.delays.head_of_line_us == 0);
    read.at_us += 100 * ms;
    read.repaired = true;
    lt_reports_on_read(end.reports, 0, &read, 5, read.at_us + 2 * ms);
    stats = end.stats(2 * second);
    CHECK(stats.received.reading_us == 2 * ms);
    CHECK(stats.received.delays.head_of_line_us > 8 * ms);
    CHECK(stats.received.timestamped_reads == 41);
}
