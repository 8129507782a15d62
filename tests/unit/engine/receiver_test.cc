/* SPDX-License-Identifier: MIT */
/* lt_receiver alone: input bytes, and its calls to the sink. */
#include "parity_fixture.h"

#include <algorithm>
#include <functional>
#include <memory>

extern "C" {
#include "engine/receiver/receiver.h"
#include "wire/frame.h"
}

namespace
{

constexpr uint32_t media = 0x11111111, parity = 0x22222222;

/* One call to the sink. */
struct Call {
    enum Kind { MEDIA, RTCP, CONTROL } kind;
    unsigned slot;
    Bytes bytes;
    livetcp_usec now;
    bool report, discontinuity, rebuilt;
    lt_rtp_header header;
};

class Receiver
{
  public:
    explicit Receiver(livetcp_wire wire = LIVETCP_WIRE_SESSION,
                      livetcp_order order = LIVETCP_ORDER_ARRIVAL, size_t max_receive = 65535)
    {
        livetcp_config config;
        livetcp_config_init(&config);
        config.wire = wire;
        config.order = order;
        config.order_wait_us = 100000;
        config.max_receive = max_receive;
        lt_receiver_sink sink = {permission_of, on_media, on_rtcp, on_control, this};
        receiver = lt_receiver_create(&config, &sink);
        REQUIRE(receiver);
        for (unsigned slot = 0; slot < 3; slot++)
            lt_receiver_start(receiver, slot);
    }
    ~Receiver()
    {
        lt_receiver_destroy(&receiver);
        CHECK(receiver == nullptr);
    }
    Receiver(const Receiver &) = delete;
    Receiver &operator=(const Receiver &) = delete;

    livetcp_result receive(const Bytes &bytes, unsigned slot = 0)
    {
        /* A copy of exactly this size, so that a sanitizer reports a read past the end. */
        std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
        std::copy(bytes.begin(), bytes.end(), copy.get());
        return lt_receiver_receive(receiver, slot, copy.get(), bytes.size(), now);
    }
    livetcp_result announce()
    {
        lt_control message = {};
        message.type = LT_CONTROL_PARITY;
        message.parity_ssrc = parity;
        message.media_ssrc = media;
        message.payload_type = LT_PARITY_PAYLOAD_TYPE;
        return lt_receiver_parity_announced(receiver, &message);
    }
    livetcp_session_stats stats() const
    {
        livetcp_session_stats stats = {};
        lt_receiver_gather(receiver, &stats);
        return stats;
    }
    lt_receiver_slot_counts slot(unsigned slot) const
    {
        return *lt_receiver_get_slot(receiver, slot);
    }
    /* The sequence numbers of the media delivered since the last call. */
    std::vector<int> take()
    {
        std::vector<int> numbers;
        for (; taken < calls.size(); taken++)
            if (calls[taken].kind == Call::MEDIA)
                numbers.push_back(calls[taken].header.sequence);
        return numbers;
    }

    lt_receiver *receiver;
    livetcp_usec now = 1000000;
    lt_receive_permission permission = LT_RECEIVE_ALL;
    std::function<livetcp_result(unsigned slot)> control = [](unsigned) { return LIVETCP_OK; };
    std::function<void()> delivered = [] {};
    std::vector<Call> calls;

  private:
    static lt_receive_permission permission_of(void *user, unsigned)
    {
        return static_cast<Receiver *>(user)->permission;
    }
    void record(Call::Kind kind, const lt_arrival *arrival)
    {
        calls.push_back({kind, arrival->connection,
                         Bytes(arrival->data, arrival->data + arrival->size), arrival->arrival_us,
                         arrival->report, arrival->discontinuity, arrival->packet != nullptr,
                         arrival->header});
        CHECK(arrival->rtcp == (kind == Call::RTCP));
        delivered();
    }
    static void on_media(void *user, const lt_arrival *arrival)
    {
        static_cast<Receiver *>(user)->record(Call::MEDIA, arrival);
    }
    static void on_rtcp(void *user, const lt_arrival *arrival)
    {
        static_cast<Receiver *>(user)->record(Call::RTCP, arrival);
    }
    static livetcp_result on_control(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                     livetcp_usec now)
    {
        auto *self = static_cast<Receiver *>(user);
        self->calls.push_back(
            {Call::CONTROL, slot, Bytes(packet, packet + size), now, false, false, false, {}});
        return self->control(slot);
    }

    size_t taken = 0;
};

Bytes operator+(Bytes a, const Bytes &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Bytes frame(const Bytes &packet)
{
    return Bytes{(uint8_t)(packet.size() >> 8), (uint8_t)packet.size()} + packet;
}

Bytes rtp(uint16_t sequence, size_t payload = 20, uint32_t ssrc = media)
{
    Bytes packet(LT_RTP_MIN_SIZE + payload, (uint8_t)(sequence * 7));
    packet[0] = 0x80;
    packet[1] = 96;
    lt_write_be16(&packet[2], sequence);
    lt_write_be32(&packet[4], sequence * 3000u);
    lt_write_be32(&packet[8], ssrc);
    return packet;
}

/* A receiver report without report blocks. */
Bytes rtcp()
{
    return {0x80, 201, 0, 1, 1, 2, 3, 4};
}

/* A control message with its LENGTH field. */
Bytes control(lt_control_type type)
{
    uint8_t bytes[LT_CONTROL_MAX];
    lt_control message = {};
    message.type = type;
    size_t size = lt_control_encode(&message, bytes);
    return Bytes(bytes, bytes + size);
}

Bytes without_length(const Bytes &framed)
{
    return Bytes(framed.begin() + LT_FRAME_HEADER, framed.end());
}

using Numbers = std::vector<int>;

} // namespace

TEST_CASE("frames cut anywhere come out whole, with their header", "[receiver]")
{
    Bytes stream = frame(rtp(7)) + frame(rtcp()) + control(LT_CONTROL_PING) + frame({}) +
                   frame(rtp(8, 300)) + frame(rtp(9, 0));
    size_t step = GENERATE(1u, 2u, 3u, 13u, 34u, 1000u);
    Receiver r;

    for (size_t at = 0; at < stream.size(); at += step) {
        size_t end = at + step < stream.size() ? at + step : stream.size();
        REQUIRE(r.receive(Bytes(stream.begin() + (long)at, stream.begin() + (long)end), 2) ==
                LIVETCP_OK);
    }
    REQUIRE(r.calls.size() == 5);
    CHECK(r.calls[0].kind == Call::MEDIA);
    CHECK(r.calls[0].bytes == rtp(7));
    CHECK(r.calls[0].header.ssrc == media);
    CHECK(r.calls[0].header.timestamp == 21000);
    CHECK(r.calls[0].header.payload_type == 96);
    CHECK(r.calls[0].header.header_size == 12);
    CHECK(r.calls[1].kind == Call::RTCP);
    CHECK(r.calls[1].bytes == rtcp());
    CHECK_FALSE(r.calls[1].report);
    CHECK(r.calls[2].kind == Call::CONTROL);
    CHECK(r.calls[2].bytes == without_length(control(LT_CONTROL_PING)));
    CHECK(r.calls[3].bytes == rtp(8, 300));
    CHECK(r.calls[4].bytes == rtp(9, 0));
    for (const Call &call : r.calls) {
        CHECK(call.slot == 2);
        CHECK(call.now == r.now);
    }
    CHECK(r.stats().received.null_frames == 1);
    CHECK(r.stats().received.packets == 4);
    CHECK(r.stats().received.bytes == 32 + 8 + 312 + 12);
    CHECK(r.stats().received.bytes_read == stream.size());
    CHECK(r.slot(2).packets == 4);
    CHECK(r.slot(2).bytes == stream.size());
    CHECK(r.slot(0).packets == 0);
    CHECK(r.slot(0).bytes == 0);
}

TEST_CASE("each slot has its own cut frame, which ends with its connection", "[receiver]")
{
    Bytes first = frame(rtp(1)), second = frame(rtp(2));
    auto head = [](const Bytes &bytes) { return Bytes(bytes.begin(), bytes.begin() + 9); };
    auto tail = [](const Bytes &bytes) { return Bytes(bytes.begin() + 9, bytes.end()); };
    Receiver r;

    CHECK(r.receive(head(first), 0) == LIVETCP_OK);
    CHECK(r.receive(head(second), 1) == LIVETCP_OK);
    CHECK(r.receive(tail(first), 0) == LIVETCP_OK);
    CHECK(r.receive(tail(second), 1) == LIVETCP_OK);
    CHECK(r.take() == Numbers{1, 2});

    CHECK(r.receive(head(frame(rtp(3))), 1) == LIVETCP_OK);
    lt_receiver_reset(r.receiver, 1);
    lt_receiver_start(r.receiver, 1);
    CHECK(r.receive(frame(rtp(4)), 1) == LIVETCP_OK);
    CHECK(r.take() == Numbers{4});
    CHECK(r.slot(1).packets == 2); /* counters survive the connection */
}

TEST_CASE("what cannot be read is an error, after what came before it", "[receiver]")
{
    Receiver r(LIVETCP_WIRE_SESSION, LIVETCP_ORDER_ARRIVAL, 100);
    Bytes version_one = rtp(2), too_long_rtcp = rtcp(), cut_short = {0x80, 96, 0, 1};
    version_one[0] = 0x40;
    too_long_rtcp[3] = 2;

    SECTION("neither RTP nor RTCP")
    {
        for (const Bytes &bad : {version_one, too_long_rtcp, cut_short, Bytes{0x80}}) {
            lt_receiver_start(r.receiver, 0);
            CHECK(r.receive(frame(bad) + frame(rtp(3))) == LIVETCP_ERR_GARBAGE);
        }
        CHECK(r.take().empty());
    }
    SECTION("too large")
    {
        CHECK(r.receive(frame(rtp(1, 88)) + frame(rtp(2, 89)) + frame(rtp(3))) ==
              LIVETCP_ERR_FRAME_TOO_LARGE);
        CHECK(r.take() == Numbers{1});
    }
    SECTION("the other slots go on")
    {
        CHECK(r.receive(frame(version_one), 0) == LIVETCP_ERR_GARBAGE);
        CHECK(r.receive(frame(rtp(1)), 1) == LIVETCP_OK);
        CHECK(r.take() == Numbers{1});
    }
    /* Undecodable bytes count as read. */
    CHECK(r.stats().received.bytes_read > 0);
}

TEST_CASE("before it has joined, a slot carries control messages only", "[receiver]")
{
    Receiver r;
    r.permission = LT_RECEIVE_CONTROL;

    CHECK(r.receive(control(LT_CONTROL_PING) + frame({}) + frame(rtp(1))) == LIVETCP_ERR_PROTOCOL);
    lt_receiver_start(r.receiver, 0);
    CHECK(r.receive(frame(rtcp())) == LIVETCP_ERR_PROTOCOL);
    REQUIRE(r.calls.size() == 1);
    CHECK(r.calls[0].kind == Call::CONTROL);
    CHECK(r.slot(0).packets == 0);
    CHECK(r.stats().received.packets == 0);

    /* A control message may change the state for the frame after it. */
    lt_receiver_start(r.receiver, 0);
    r.control = [&](unsigned) {
        r.permission = LT_RECEIVE_ALL;
        return LIVETCP_OK;
    };
    CHECK(r.receive(control(LT_CONTROL_JOINED) + frame(rtp(1))) == LIVETCP_OK);
    CHECK(r.take() == Numbers{1});
}

TEST_CASE("an error of the control message's ends the input", "[receiver]")
{
    Receiver r;
    r.control = [](unsigned) { return LIVETCP_ERR_VERSION; };

    CHECK(r.receive(frame(rtp(1)) + control(LT_CONTROL_CREATE) + frame(rtp(2))) ==
          LIVETCP_ERR_VERSION);
    CHECK(r.take() == Numbers{1});
}

TEST_CASE("a slot that is closed while it is read hands out no more", "[receiver]")
{
    Receiver r;
    bool by_control = GENERATE(false, true);

    if (by_control)
        r.control = [&](unsigned) {
            r.permission = LT_RECEIVE_NOTHING;
            return LIVETCP_OK;
        };
    else
        r.delivered = [&] { r.permission = LT_RECEIVE_NOTHING; };
    CHECK(r.receive(control(LT_CONTROL_BYE) + frame(rtp(1)) + frame(rtp(2)) + frame({0x00})) ==
          LIVETCP_OK);
    CHECK(r.take() == (by_control ? Numbers{} : Numbers{1}));
}

TEST_CASE("RTCP goes up at once, and LiveTCP's own is marked", "[receiver]")
{
    Bytes marked = rtcp() + without_length(control(LT_CONTROL_REPORT));
    Receiver r(LIVETCP_WIRE_SESSION, LIVETCP_ORDER_SEQUENCE);

    CHECK(r.receive(frame(rtp(1)) + frame(rtcp()) + frame(marked)) == LIVETCP_OK);
    REQUIRE(r.calls.size() == 2); /* the media is held */
    CHECK(r.calls[0].kind == Call::RTCP);
    CHECK_FALSE(r.calls[0].report);
    CHECK(r.calls[1].kind == Call::RTCP);
    CHECK(r.calls[1].report);
    CHECK(r.calls[1].bytes == marked);
    CHECK(r.calls[1].header.ssrc == 0);
    CHECK(r.stats().received.packets == 1); /* only the application's packet counts */
    CHECK(r.stats().received.bytes == 8);
    CHECK(r.slot(0).packets == 2);
}

TEST_CASE("on a plain wire, every RTCP packet is the application's", "[receiver]")
{
    Bytes ping = control(LT_CONTROL_PING);
    Bytes marked = rtcp() + without_length(control(LT_CONTROL_REPORT));
    Receiver r(LIVETCP_WIRE_PLAIN);

    CHECK(r.receive(ping + frame(marked)) == LIVETCP_OK);
    REQUIRE(r.calls.size() == 2);
    CHECK(r.calls[0].kind == Call::RTCP);
    CHECK(r.calls[0].bytes == without_length(ping));
    CHECK_FALSE(r.calls[0].report);
    CHECK_FALSE(r.calls[1].report);
    CHECK(r.stats().received.packets == 2);
}

TEST_CASE("a copy by another slot is counted there, and discarded", "[receiver]")
{
    Receiver r;

    CHECK(r.receive(frame(rtp(1)) + frame(rtp(2)), 0) == LIVETCP_OK);
    CHECK(r.receive(frame(rtp(1)) + frame(rtp(3)), 1) == LIVETCP_OK);
    CHECK(r.take() == Numbers{1, 2, 3});
    CHECK(r.stats().received.duplicates == 1);
    CHECK(r.stats().received.packets == 3);
    CHECK(r.slot(0).packets == 2);
    CHECK(r.slot(1).packets == 2);
    CHECK(lt_receiver_get_media(r.receiver)->delivered == 3);
}

TEST_CASE("announced parity rebuilds a packet once", "[receiver]")
{
    std::vector<Bytes> group = {rtp(1), rtp(2, 33), rtp(3)};
    Bytes fec = {0x81, LT_PARITY_PAYLOAD_TYPE, 0, 1, 0, 0, 0, 0};
    fec.resize(16);
    lt_write_be32(&fec[8], parity);
    lt_write_be32(&fec[12], media);
    fec = fec + expected_fec(group, 1);
    Receiver r;

    SECTION("not before the announcement")
    {
        CHECK(r.receive(frame(group[0]) + frame(group[2]) + frame(fec)) == LIVETCP_OK);
        CHECK(r.take() == Numbers{1, 3, 1}); /* parity is handled as any stream */
        CHECK(r.stats().received.parity == 0);
    }
    SECTION("after it, and the original is the duplicate")
    {
        REQUIRE(r.announce() == LIVETCP_OK);
        CHECK(r.receive(frame(group[0]) + frame(group[2])) == LIVETCP_OK);
        r.now += 500;
        CHECK(r.receive(frame(fec), 1) == LIVETCP_OK);
        CHECK(r.take() == Numbers{1, 3, 2});
        CHECK(r.calls.back().bytes == group[1]);
        CHECK(r.calls.back().rebuilt);
        CHECK(r.calls.back().slot == 1);
        CHECK(r.calls.back().now == r.now);
        CHECK(r.calls.back().header.timestamp == 6000);
        CHECK(r.receive(frame(group[1])) == LIVETCP_OK);
        CHECK(r.take().empty());
        CHECK(r.stats().received.parity == 1);
        CHECK(r.stats().received.parity_rebuilt == 1);
        CHECK(r.stats().received.parity_useful == 1);
        CHECK(r.stats().received.parity_invalid == 0);
        CHECK(r.stats().received.duplicates == 1);
        CHECK(r.slot(0).packets == 3);
        CHECK(r.slot(1).packets == 0); /* parity is not counted as media */
    }
    SECTION("announced while its connection is read")
    {
        r.control = [&](unsigned) { return r.announce(); };
        CHECK(r.receive(frame(group[0]) + control(LT_CONTROL_PADDING) + frame(group[1]) +
                        frame(group[2]) + frame(fec)) == LIVETCP_OK);
        /* Number 1 arrived earlier: unknown to the decoder, known to reassembly. */
        CHECK(r.take() == Numbers{1, 2, 3});
        CHECK(r.stats().received.parity_rebuilt == 1);
        CHECK(r.stats().received.duplicates == 1);
        CHECK(r.stats().received.parity_useful == 0);
    }
    SECTION("not before media may come")
    {
        REQUIRE(r.announce() == LIVETCP_OK);
        r.permission = LT_RECEIVE_CONTROL;
        CHECK(r.receive(frame(fec)) == LIVETCP_ERR_PROTOCOL);
        CHECK(r.stats().received.parity == 0);
    }
}

TEST_CASE("sequence order waits until its deadline", "[receiver]")
{
    Receiver r(LIVETCP_WIRE_SESSION, LIVETCP_ORDER_SEQUENCE);

    CHECK(lt_receiver_deadline(r.receiver) == LIVETCP_NEVER);
    CHECK(r.receive(frame(rtp(11)) + frame(rtp(10))) == LIVETCP_OK);
    CHECK(r.take().empty()); /* the first to arrive may not be the first sent */
    REQUIRE(lt_receiver_deadline(r.receiver) == r.now + 50000);
    lt_receiver_expire(r.receiver, r.now + 49999);
    CHECK(r.take().empty());
    lt_receiver_expire(r.receiver, r.now += 50000);
    CHECK(r.take() == Numbers{10, 11});
    CHECK(r.calls.back().header.timestamp == 33000); /* a held packet keeps its header */
    CHECK(lt_receiver_deadline(r.receiver) == LIVETCP_NEVER);

    CHECK(r.receive(frame(rtp(13))) == LIVETCP_OK);
    CHECK(r.take().empty());
    REQUIRE(lt_receiver_deadline(r.receiver) == r.now + 100000);
    lt_receiver_expire(r.receiver, r.now += 100000);
    CHECK(r.take() == Numbers{13});
    CHECK(r.calls.back().discontinuity);
    CHECK(r.stats().received.sequence_gaps == 1);

    CHECK(r.receive(frame(rtp(12))) == LIVETCP_OK);
    CHECK(r.stats().received.late_discarded == 1);

    /* At the end of the session no gap can be filled. */
    CHECK(r.receive(frame(rtp(16)) + frame(rtp(15))) == LIVETCP_OK);
    CHECK(r.take().empty());
    lt_receiver_expire(r.receiver, LIVETCP_NEVER);
    CHECK(r.take() == Numbers{15, 16});
}

TEST_CASE("a receiver that holds packets and cut frames is destroyed whole", "[receiver]")
{
    Receiver r(LIVETCP_WIRE_SESSION, LIVETCP_ORDER_SEQUENCE);

    REQUIRE(r.announce() == LIVETCP_OK);
    CHECK(r.receive(frame(rtp(1)) + frame(rtp(3)) + Bytes{0, 100, 0x80}) == LIVETCP_OK);
    lt_receiver *none = nullptr;
    lt_receiver_destroy(&none);
    CHECK(none == nullptr);
}
