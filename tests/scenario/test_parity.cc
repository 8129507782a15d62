/* SPDX-License-Identifier: MIT */
/* Parity from the peer, put into an open session as its connections would bring it. */
#include "catch.h"
#include "sim_session.h"

extern "C" {
#include "base/bytes.h"
#include "engine/repair/parity_encoder.h"
}

using namespace scenario;

namespace
{

const uint32_t media = 0x1234;

livetcp_config config_of(livetcp_order order)
{
    livetcp_config config = make_config("shortest-queue", 3);
    config.order = order;
    return config;
}

/* A call whose listener gets packets that its caller did not send. */
class Injected
{
  public:
    explicit Injected(livetcp_order order = LIVETCP_ORDER_ARRIVAL)
        : call("delay=10ms", config_of(order), 1),
          encoder(lt_parity_encoder_create(4, media, 8190, 5))
    {
        call.world.run_for(1000000);
        remote = call.remote();
        REQUIRE(remote != nullptr);
        REQUIRE(remote->stats().open_connections == 3);
    }
    ~Injected()
    {
        for (lt_packet *&packet : parity)
            lt_packet_unref(&packet);
        lt_parity_encoder_destroy(&encoder);
    }
    Injected(const Injected &) = delete;
    Injected &operator=(const Injected &) = delete;

    void announce(unsigned slot)
    {
        uint8_t frame[LT_CONTROL_MAX];
        lt_control message;
        lt_parity_encoder_announce(encoder, &message);
        remote->receive(slot, frame, lt_control_encode(&message, frame));
    }
    /* The packet is in its group; it arrives on a connection, or later, or never. */
    std::vector<uint8_t> make(uint16_t sequence)
    {
        std::vector<uint8_t> packet(100 + sequence % 50u, (uint8_t)sequence);
        packet[0] = 0x80;
        packet[1] = 96;
        lt_write_be16(&packet[2], sequence);
        lt_write_be32(&packet[8], media);
        lt_packet *owned = lt_packet_create(packet.data(), packet.size());
        owned->ssrc = media;
        owned->sequence = sequence;
        if (lt_parity_encoder_add(encoder, owned) == LT_PARITY_FULL)
            parity.push_back(lt_parity_encoder_finish(encoder, call.world.now()));
        lt_packet_unref(&owned);
        packet.insert(packet.begin(), {(uint8_t)(packet.size() >> 8), (uint8_t)packet.size()});
        return packet;
    }
    void arrive(unsigned slot, const std::vector<uint8_t> &frame)
    {
        remote->receive(slot, frame.data(), frame.size());
    }
    void arrive(unsigned slot, const lt_packet *packet)
    {
        remote->receive(slot, packet->frame, packet->frame_size);
    }
    std::vector<int> delivered() const
    {
        std::vector<int> sequences;
        for (const Received &packet : remote->received)
            if (packet.ssrc == media)
                sequences.push_back(packet.sequence);
        return sequences;
    }

    SimCall call;
    SimSession *remote;
    lt_parity_encoder *encoder;
    std::vector<lt_packet *> parity;
};

} // namespace

TEST_CASE("a packet whose connection stalls comes back by parity, and once")
{
    Injected in;
    in.announce(2);
    auto first = in.make(65534), lost = in.make(65535), third = in.make(0), last = in.make(1);
    in.arrive(0, first);
    in.arrive(1, third);
    in.arrive(0, last);
    in.arrive(2, in.parity[0]);
    CHECK(in.delivered() == std::vector<int>{65534, 0, 1, 65535});
    CHECK(in.remote->received.back().connection == 2);
    in.arrive(1, lost);
    CHECK(in.delivered().size() == 4);

    livetcp_session_stats stats = in.remote->stats();
    CHECK(in.remote->received.size() == 4); /* parity is not delivered */
    CHECK(stats.received.packets == 4);
    CHECK(stats.received.duplicates == 1);
    CHECK(stats.received.parity == 1);
    CHECK(stats.received.parity_rebuilt == 1);
    CHECK(stats.received.parity_useful == 1);
    CHECK(stats.received.parity_invalid == 0);
    CHECK(in.remote->connection_stats(0).packets_received == 2);
    CHECK(in.remote->connection_stats(1).packets_received == 2);
    CHECK(in.remote->connection_stats(2).packets_received == 0);
    CHECK(stats.open_connections == 3);
}

TEST_CASE("in sequence order, a rebuilt packet ends the wait for it")
{
    Injected in(LIVETCP_ORDER_SEQUENCE);
    in.announce(2);
    for (uint16_t sequence = 10; sequence < 14; sequence++)
        in.arrive(0, in.make(sequence));
    in.call.world.run_for(100000); /* the stream has started */
    auto first = in.make(14), lost = in.make(15), third = in.make(16), last = in.make(17);
    in.arrive(0, first);
    in.arrive(0, third);
    in.arrive(0, last);
    CHECK(in.delivered() == std::vector<int>{10, 11, 12, 13, 14});
    in.arrive(2, in.parity[1]);
    CHECK(in.delivered() == std::vector<int>{10, 11, 12, 13, 14, 15, 16, 17});
    CHECK_FALSE(in.remote->received.back().discontinuity);
    in.arrive(1, lost);
    CHECK(in.remote->stats().received.duplicates == 1);
    CHECK(in.remote->stats().received.parity_useful == 1);
    CHECK(in.remote->stats().received.sequence_gaps == 0);
}

TEST_CASE("a packet that was given up before parity came is rebuilt in vain")
{
    Injected in(LIVETCP_ORDER_SEQUENCE);
    in.announce(2);
    for (uint16_t sequence = 1; sequence <= 4; sequence++)
        in.arrive(0, in.make(sequence));
    in.call.world.run_for(100000);
    auto first = in.make(5), lost = in.make(6), third = in.make(7), last = in.make(8);
    in.arrive(0, first);
    in.arrive(0, third);
    in.arrive(0, last);
    in.call.world.run_for(5000000); /* past order-wait */
    CHECK(in.delivered() == std::vector<int>{1, 2, 3, 4, 5, 7, 8});
    in.arrive(2, in.parity[1]);
    CHECK(in.delivered() == std::vector<int>{1, 2, 3, 4, 5, 7, 8});
    CHECK(in.remote->stats().received.parity_rebuilt == 1);
    CHECK(in.remote->stats().received.parity_useful == 0);
    CHECK(in.remote->stats().received.late_discarded == 1);
}

TEST_CASE("parity that nobody announced is one more stream")
{
    Injected in;
    auto first = in.make(1);
    in.make(2), in.make(3), in.make(4);
    in.arrive(0, first);
    in.arrive(0, in.parity[0]);
    CHECK(in.remote->received.size() == 2);
    CHECK(in.remote->received.back().ssrc == lt_parity_encoder_ssrc(in.encoder));
    CHECK(in.remote->stats().received.parity == 0);
}

TEST_CASE("parity announced on a connection that has not joined ends it")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    lt_parity_encoder *encoder = lt_parity_encoder_create(2, media, 8190, 1);
    lt_control message;
    uint8_t frame[LT_CONTROL_MAX];
    lt_parity_encoder_announce(encoder, &message);
    size_t size = lt_control_encode(&message, frame);
    lt_parity_encoder_destroy(&encoder);

    /* The caller has sent CREATE, and JOIN some time after; neither is answered at once. */
    call.world.run_for(35000);
    REQUIRE(call.caller.connection_stats(1).state == LIVETCP_CONNECTION_JOINING);
    CHECK(livetcp_engine_receive(call.caller.engine, 1, frame, size, nullptr, call.world.now()) ==
          LIVETCP_ERR_PROTOCOL);
    call.caller.service();
    call.world.run_for(2000000);
    CHECK(call.caller.stats().open_connections == 2); /* it came again */
}

TEST_CASE("a malformed PARITY costs its connection, malformed parity only itself")
{
    Injected in;
    in.announce(0);
    lt_control message = {};
    message.type = LT_CONTROL_PARITY;
    message.parity_ssrc = message.media_ssrc = 7;
    uint8_t frame[LT_CONTROL_MAX];
    size_t size = lt_control_encode(&message, frame);
    in.remote->receive(1, frame, size);
    CHECK(in.remote->connection_stats(1).last_error == LIVETCP_ERR_PROTOCOL);
    in.call.world.run_for(1000000);
    CHECK(in.remote->stats().open_connections == 3);

    for (uint16_t sequence = 1; sequence <= 4; sequence++)
        in.make(sequence);
    in.parity[0]->frame[LT_FRAME_HEADER + 16] |= 0x80;
    in.arrive(0, in.parity[0]);
    CHECK(in.remote->stats().received.parity_invalid == 1);
    CHECK(in.remote->stats().open_connections == 3);
    CHECK(in.remote->received.empty());
}

TEST_CASE("what replaces a connection is told of parity anew, before parity goes there")
{
    SimCall call("delay=50ms", make_config("parity", 3), 1);
    call.world.run_for(1000000);
    call.stream(500, 20000, 20000); /* the first packet, and PARITY everywhere */
    for (unsigned slot = 0; slot < 3; slot++)
        call.caller.connection(slot)->reset(); /* none of that arrives */
    call.world.run_for(2000000);
    REQUIRE(call.caller.stats().open_connections == 3);
    call.stream(500, 20000, 2000000);
    call.world.run_for(1000000);
    CHECK(call.remote()->stats().received.parity >= 20);
    for (const Received &packet : call.remote()->received)
        CHECK(packet.ssrc == media);
}
