/* SPDX-License-Identifier: MIT */
/* Input from unauthenticated peers to a listener. */
#include "catch.h"

#include "handshake_fixture.h"

#include <algorithm>
#include <string>

namespace
{

Bytes framed(const Bytes &packet)
{
    Bytes frame(LT_FRAME_HEADER + packet.size());
    frame[0] = (uint8_t)(packet.size() >> 8);
    frame[1] = (uint8_t)packet.size();
    std::copy(packet.begin(), packet.end(), frame.begin() + LT_FRAME_HEADER);
    return frame;
}

Bytes rtp(size_t payload)
{
    Bytes packet = {0x80, 0x60, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    packet.resize(packet.size() + payload, 0x55);
    return framed(packet);
}

const Bytes receiver_report = {0, 8, 0x80, 201, 0, 1, 0, 0, 0, 1};

/* The reason in the REJECT that is sent back; LIVETCP_OK without one. */
livetcp_result told(const Inbound &inbound)
{
    lt_control message;
    if (!inbound.reply.size || decode_frame(bytes_of(inbound.reply), &message) != LIVETCP_OK ||
        message.type != LT_CONTROL_REJECT)
        return LIVETCP_OK;
    return lt_control_reason(&message);
}

void check_refused(const Bytes &input, livetcp_result reason)
{
    Inbound inbound;
    CHECK(inbound.receive(input) == LT_PENDING_FAILED);
    CHECK(inbound.error == reason);
    CHECK(told(inbound) == reason);
}

Bytes message(lt_control_type type)
{
    lt_control m = {};
    m.type = type;
    m.version = LT_WIRE_VERSION;
    m.count = 1;
    m.reason = 3;
    return encode(m);
}

} // namespace

TEST_CASE("a first frame that is not a request is refused with its reason")
{
    std::string get = "GET / HTTP/1.1\r\nHost: example\r\n\r\n";

    check_refused(Bytes(get.begin(), get.end()), LIVETCP_ERR_FRAME_TOO_LARGE);
    check_refused(framed(Bytes(20, 0x17)), LIVETCP_ERR_GARBAGE);
    check_refused(framed(Bytes(1, 0x80)), LIVETCP_ERR_GARBAGE);
    check_refused(rtp(160), LIVETCP_ERR_PROTOCOL);
    check_refused(receiver_report, LIVETCP_ERR_PROTOCOL);
    for (lt_control_type type : {LT_CONTROL_ACCEPT, LT_CONTROL_CHALLENGE, LT_CONTROL_PROOF,
                                 LT_CONTROL_JOINED, LT_CONTROL_PING, LT_CONTROL_PONG})
        check_refused(message(type), LIVETCP_ERR_PROTOCOL);

    Bytes other_version = message(LT_CONTROL_CREATE);
    other_version[LT_FRAME_HEADER + 12] = 9;
    check_refused(other_version, LIVETCP_ERR_VERSION);

    Bytes cut = message(LT_CONTROL_CREATE);
    cut.resize(cut.size() - 4);
    cut[1] = (uint8_t)(cut[1] - 4);
    check_refused(cut, LIVETCP_ERR_PROTOCOL);
}

TEST_CASE("a peer that gives up gets no answer")
{
    for (lt_control_type type : {LT_CONTROL_REJECT, LT_CONTROL_BYE}) {
        Inbound inbound;
        CHECK(inbound.receive(message(type)) == LT_PENDING_FAILED);
        CHECK(inbound.error == LIVETCP_ERR_NOT_SUPPORTED); /* reason 3, as the peer sent it */
        CHECK(inbound.reply.size == 0);
    }
}

TEST_CASE("null packets and unknown messages before the request are skipped")
{
    Inbound inbound;
    Bytes unknown = message(LT_CONTROL_JOINED);
    unknown[LT_FRAME_HEADER] = 0x80 | 31;
    Bytes input = {0, 0, 0, 0};
    Bytes create = message(LT_CONTROL_CREATE);
    input.insert(input.end(), unknown.begin(), unknown.end());
    input.insert(input.end(), create.begin(), create.end());
    CHECK(inbound.receive(input) == LT_PENDING_CREATE);
    CHECK(inbound.rest.empty());
}

TEST_CASE("media before the proof is refused")
{
    Established session(1);
    Caller caller;
    Inbound inbound;
    Bytes join = caller.start(session.caller, 1, 5, session.random);
    Bytes media = rtp(100);

    join.insert(join.end(), media.begin(), media.end());
    REQUIRE(inbound.receive(join) == LT_PENDING_LOOKUP);
    CHECK(inbound.rest == media);
    REQUIRE(lt_pending_connection_challenge(inbound.inbound, &session.listener, Random::draw,
                                            &session.random, &inbound.reply) == LIVETCP_OK);
    CHECK(inbound.receive(inbound.rest) == LT_PENDING_FAILED);
    CHECK(inbound.error == LIVETCP_ERR_PROTOCOL);
}

TEST_CASE("a handshake is bounded in bytes")
{
    SECTION("one frame over the limit")
    {
        Bytes input = {(uint8_t)((LT_PENDING_HELD - 1) >> 8), (uint8_t)(LT_PENDING_HELD - 1)};
        check_refused(input, LIVETCP_ERR_FRAME_TOO_LARGE);
    }
    SECTION("the largest frame, a byte at a time")
    {
        size_t length = LT_PENDING_HELD - LT_FRAME_HEADER;
        Inbound inbound;
        CHECK(inbound.receive({(uint8_t)(length >> 8), (uint8_t)length}) == LT_PENDING_MORE);
        for (size_t i = 0; i + 1 < length; i++)
            REQUIRE(inbound.receive({0x80}) == LT_PENDING_MORE);
        CHECK(inbound.receive({0x80}) == LT_PENDING_FAILED);
        CHECK(inbound.error == LIVETCP_ERR_PROTOCOL);
    }
    SECTION("null packets without end")
    {
        Inbound inbound;
        for (size_t i = 0; i < LT_PENDING_HELD / 2; i++)
            REQUIRE(inbound.receive({0, 0}) == LT_PENDING_MORE);
        CHECK(inbound.receive({0, 0}) == LT_PENDING_FAILED);
        CHECK(inbound.error == LIVETCP_ERR_PROTOCOL);
        CHECK(told(inbound) == LIVETCP_ERR_PROTOCOL);
    }
    SECTION("a flood in one read is not consumed to its end")
    {
        Inbound inbound;
        CHECK(inbound.receive(Bytes(1 << 20, 0)) == LT_PENDING_FAILED);
        CHECK(inbound.rest.size() > (1 << 20) - LT_PENDING_HELD - 8);
    }
}

TEST_CASE("the deadline does not move")
{
    Inbound inbound(1000, 5 * LIVETCP_USEC_SEC);
    CHECK(lt_pending_connection_deadline(inbound.inbound) == 1000 + 5 * LIVETCP_USEC_SEC);
    inbound.receive({0, 0, 0});
    CHECK(lt_pending_connection_deadline(inbound.inbound) == 1000 + 5 * LIVETCP_USEC_SEC);

    /* The owner's reaction: a rejection. */
    lt_pending_connection_reject(inbound.inbound, LIVETCP_ERR_HANDSHAKE_TIMEOUT, &inbound.reply);
    CHECK(told(inbound) == LIVETCP_ERR_HANDSHAKE_TIMEOUT);
}

TEST_CASE("decisions are taken once and for what was asked")
{
    Established session(1);
    Inbound creating, joining;
    lt_credentials made;
    lt_pending_authenticator pending;
    Random &random = session.random;
    lt_reply reply;

    CHECK(lt_pending_connection_accept(creating.inbound, &made, Random::draw, &random, &reply) ==
          LIVETCP_ERR_BAD_STATE);
    REQUIRE(joining.receive(message(LT_CONTROL_JOIN)) == LT_PENDING_LOOKUP);
    CHECK(lt_pending_connection_accept(joining.inbound, &made, Random::draw, &random, &reply) ==
          LIVETCP_ERR_BAD_STATE);
    CHECK(reply.size == 0);
    lt_pending_connection_authenticator(joining.inbound, &pending);
    CHECK_FALSE(pending.pending);
    REQUIRE(lt_pending_connection_challenge(joining.inbound, &session.listener, Random::draw,
                                            &random, &reply) == LIVETCP_OK);
    CHECK(lt_pending_connection_challenge(joining.inbound, &session.listener, Random::draw, &random,
                                          &reply) == LIVETCP_ERR_BAD_STATE);
}

TEST_CASE("destroying is idempotent")
{
    lt_pending_connection *inbound = lt_pending_connection_create(0, 1);
    lt_pending_connection_destroy(&inbound);
    CHECK(inbound == nullptr);
    lt_pending_connection_destroy(&inbound);
}
