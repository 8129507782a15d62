/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include "handshake_fixture.h"

extern "C" {
#include "rtp/rtp.h"
}

namespace
{

/* A message with every field that its type has set to something, and no other. */
lt_control sample(lt_control_type type)
{
    lt_control m;
    bool request = type == LT_CONTROL_CREATE || type == LT_CONTROL_JOIN;
    bool answer = type == LT_CONTROL_ACCEPT || type == LT_CONTROL_CHALLENGE;

    memset(&m, 0, sizeof m);
    m.type = type;
    if (request || answer) {
        m.version = LT_WIRE_VERSION;
        memset(m.nonce, 0xa1, sizeof m.nonce);
    }
    if (request) {
        m.index = 4;
        m.count = 5;
        memset(m.session_id, 0xb2, sizeof m.session_id);
    }
    if (type == LT_CONTROL_CREATE || type == LT_CONTROL_ACCEPT) {
        m.capabilities = 0x01020304;
        memset(m.public_key, 0xc3, sizeof m.public_key);
    }
    if (type == LT_CONTROL_JOIN)
        m.ticket = 0x61626364;
    if (answer || type == LT_CONTROL_PROOF || type == LT_CONTROL_JOIN)
        memset(m.mac, 0xd4, sizeof m.mac);
    if (type == LT_CONTROL_PING || type == LT_CONTROL_PONG)
        m.timestamp = 0x0102030405060708;
    if (type == LT_CONTROL_REJECT || type == LT_CONTROL_BYE)
        m.reason = 16;
    if (type == LT_CONTROL_PARITY) {
        m.parity_ssrc = 0x11121314;
        m.media_ssrc = 0x21222324;
        m.payload_type = 127;
    }
    if (type == LT_CONTROL_RECEPTION)
        m.reception = {
            1,  1, 0x0102030405060708,  1000, 0x11121314, 0x2122, 3, 4, 5, 6, -7, 8, 9, 10,
            11, 2, {{12, 13}, {14, 15}}};
    if (type == LT_CONTROL_TRANSMISSION)
        m.transmission = {1, 7,  2,  4,  5,  0x0102030405060708, 6, 7, 8,
                          9, 10, 11, 12, 13, {1, 2, 3, 4},       14};
    if (type == LT_CONTROL_RECEIPT)
        m.receipt = {0x31323334, 0x01020304};
    if (type == LT_CONTROL_RESENT)
        m.resent = {0x31323334, 0x41424344, 0x41424343};
    if (type == LT_CONTROL_ARRIVAL)
        m.arrival = {0x11121314, 0x21222324, 0x0102030405060708, 0x31323334, 0x41424344};
    if (type == LT_CONTROL_REJECT) {
        m.code = 0x0191;
        strcpy(m.text, "token");
    }
    return m;
}

bool same(const lt_reception &a, const lt_reception &b)
{
    return a.number == b.number && a.playing == b.playing && a.now_us == b.now_us &&
           a.packets == b.packets && a.newest_ssrc == b.newest_ssrc &&
           a.newest_sequence == b.newest_sequence && a.newest_age_us == b.newest_age_us &&
           a.echo_number == b.echo_number && a.echo_age_us == b.echo_age_us &&
           a.hold_us == b.hold_us && a.margin_us == b.margin_us && a.playout_us == b.playout_us &&
           a.missing == b.missing && a.late_order == b.late_order &&
           a.late_playout == b.late_playout && a.receipt_count == b.receipt_count &&
           std::equal(a.receipts, a.receipts + a.receipt_count, b.receipts,
                      [](const lt_receipt &x, const lt_receipt &y) {
                          return x.number == y.number && x.packets == y.packets;
                      });
}

bool same(const lt_transmission &a, const lt_transmission &b)
{
    return a.number == b.number && a.protection == b.protection && a.copies == b.copies &&
           a.parity_group == b.parity_group && a.connections == b.connections &&
           a.now_us == b.now_us && a.rtt_us == b.rtt_us && a.min_rtt_us == b.min_rtt_us &&
           a.rtt_variation_us == b.rtt_variation_us && a.send_queue_us == b.send_queue_us &&
           a.send_buffer_us == b.send_buffer_us && a.network_us == b.network_us &&
           a.head_of_line_us == b.head_of_line_us && a.hedge_delay_us == b.hedge_delay_us &&
           !memcmp(a.shares, b.shares, sizeof a.shares) && a.copy_spacing_us == b.copy_spacing_us;
}

bool same(const lt_receipt &a, const lt_receipt &b)
{
    return a.number == b.number && a.packets == b.packets;
}

bool same(const lt_resent &a, const lt_resent &b)
{
    return a.number == b.number && a.missing == b.missing && a.again == b.again;
}

bool same(const lt_frame_arrival &a, const lt_frame_arrival &b)
{
    return a.ssrc == b.ssrc && a.timestamp == b.timestamp && a.at_us == b.at_us &&
           a.train_us == b.train_us && a.train_bytes == b.train_bytes;
}

bool same(const lt_control &a, const lt_control &b)
{
    return a.type == b.type && a.version == b.version && a.index == b.index && a.count == b.count &&
           a.capabilities == b.capabilities &&
           !memcmp(a.session_id, b.session_id, sizeof a.session_id) &&
           !memcmp(a.nonce, b.nonce, sizeof a.nonce) &&
           !memcmp(a.public_key, b.public_key, sizeof a.public_key) &&
           !memcmp(a.mac, b.mac, sizeof a.mac) && a.timestamp == b.timestamp &&
           a.reason == b.reason && a.code == b.code && !strcmp(a.text, b.text) &&
           a.role == b.role && a.parity_ssrc == b.parity_ssrc && a.media_ssrc == b.media_ssrc &&
           a.payload_type == b.payload_type && a.ticket == b.ticket &&
           (a.type != LT_CONTROL_RECEPTION || same(a.reception, b.reception)) &&
           (a.type != LT_CONTROL_TRANSMISSION || same(a.transmission, b.transmission)) &&
           (a.type != LT_CONTROL_RECEIPT || same(a.receipt, b.receipt)) &&
           (a.type != LT_CONTROL_RESENT || same(a.resent, b.resent)) &&
           (a.type != LT_CONTROL_ARRIVAL || same(a.arrival, b.arrival));
}

/* Makes the RTCP length agree with the bytes there are. */
void set_length(Bytes &packet)
{
    size_t words = packet.size() / 4 - 1;
    packet[2] = (uint8_t)(words >> 8);
    packet[3] = (uint8_t)words;
}

Bytes packet_of(const lt_control &message)
{
    Bytes frame = encode(message);
    return Bytes(frame.begin() + LT_FRAME_HEADER, frame.end());
}

} // namespace

TEST_CASE("every control message survives encoding and decoding")
{
    for (int type = LT_CONTROL_CREATE; type <= LT_CONTROL_ARRIVAL; type++) {
        CAPTURE(type);
        lt_control before = sample((lt_control_type)type), after;
        Bytes frame = encode(before);
        REQUIRE(frame.size() <= LT_CONTROL_MAX);
        CHECK((size_t)(frame[0] << 8 | frame[1]) == frame.size() - LT_FRAME_HEADER);
        REQUIRE(decode_frame(frame, &after) == LIVETCP_OK);
        CHECK(same(before, after));
    }
}

TEST_CASE("every control message is legal RTCP named LTCP")
{
    for (int type = LT_CONTROL_CREATE; type <= LT_CONTROL_ARRIVAL; type++) {
        CAPTURE(type);
        Bytes packet = packet_of(sample((lt_control_type)type));
        CHECK(lt_rtp_classify(packet.data(), packet.size()) == LT_RTP_CONTROL);
        CHECK(lt_rtcp_ssrc(packet.data(), packet.size()) == LT_CONTROL_SSRC);
        CHECK(packet[0] == (0x80 | type));
        CHECK(packet[1] == 204);
        CHECK(!memcmp(&packet[8], "LTCP", 4));
    }
}

TEST_CASE("the layout of CREATE is the one in docs/reference/wire-format.md")
{
    Bytes packet = packet_of(sample(LT_CONTROL_CREATE));
    REQUIRE(packet.size() == 84);
    CHECK(packet[12] == LT_WIRE_VERSION);
    CHECK(packet[13] == 4);
    CHECK(packet[14] == 5);
    CHECK(packet[15] == 0);
    CHECK(packet[16] == 1);
    CHECK(packet[20] == 0xb2);
    CHECK(packet[36] == 0xa1);
    CHECK(packet[52] == 0xc3);
    CHECK(packet[83] == 0xc3);
}

TEST_CASE("a control message cut anywhere is refused")
{
    for (int type = LT_CONTROL_CREATE; type <= LT_CONTROL_ARRIVAL; type++) {
        Bytes whole = packet_of(sample((lt_control_type)type));
        for (size_t size = 0; size < whole.size(); size++) {
            CAPTURE(type, size);
            Bytes cut(whole.begin(), whole.begin() + (long)size);
            lt_control message;
            livetcp_result expected = size < 12 ? LIVETCP_ERR_NOT_RTP : LIVETCP_ERR_PROTOCOL;
            CHECK(decode_packet(cut.data(), cut.size(), &message) == expected);
            if (size < 12 || size % 4)
                continue;
            set_length(cut); /* a whole RTCP packet that lacks fields */
            bool older = (type == LT_CONTROL_TRANSMISSION && size >= whole.size() - 8) ||
                         (type == LT_CONTROL_JOIN && size >= 48) || /* without its ticket */
                         (type == LT_CONTROL_REJECT && size >= 16); /* without its words */
            CHECK(decode_packet(cut.data(), cut.size(), &message) ==
                  (older ? LIVETCP_OK : LIVETCP_ERR_PROTOCOL));
        }
    }
}

TEST_CASE("a JOIN without a ticket is what it was before there were tickets")
{
    lt_control before = sample(LT_CONTROL_JOIN), after;
    before.ticket = 0;
    memset(before.mac, 0, sizeof before.mac);
    Bytes packet = packet_of(before);
    CHECK(packet.size() == 48);
    REQUIRE(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_OK);
    CHECK(same(before, after));
    /* A number alone is none. */
    packet.insert(packet.end(), 4, 0xee);
    set_length(packet);
    REQUIRE(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_OK);
    CHECK(same(before, after));
}

TEST_CASE("fields that a later version appends are ignored")
{
    for (int type = LT_CONTROL_CREATE; type <= LT_CONTROL_ARRIVAL; type++) {
        CAPTURE(type);
        lt_control before = sample((lt_control_type)type), after;
        Bytes packet = packet_of(before);
        packet.insert(packet.end(), 400, 0xee);
        CHECK(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_ERR_PROTOCOL);
        set_length(packet);
        REQUIRE(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_OK);
        CHECK(same(before, after));
    }
}

TEST_CASE("a connection has a number, and no more is sent again than was missing")
{
    for (lt_control_type type : {LT_CONTROL_RECEIPT, LT_CONTROL_RESENT}) {
        CAPTURE(type);
        lt_control message = sample(type), after;
        message.receipt.number = message.resent.number = 0;
        Bytes packet = packet_of(message);
        CHECK(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_ERR_PROTOCOL);
    }
    lt_control message = sample(LT_CONTROL_RESENT), after;
    message.resent.again = message.resent.missing + 1;
    Bytes packet = packet_of(message);
    CHECK(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_ERR_PROTOCOL);
}

TEST_CASE("padding has the size that it is to have, or up to three bytes less")
{
    for (size_t size : {14, 15, 17, 18, 200, 1001, 1002}) {
        std::vector<uint8_t> frame(size, 0xee);
        size_t written = lt_control_encode_padding(frame.data(), size);
        CHECK(written <= size);
        CHECK(written + 3 >= size);
        REQUIRE((frame[0] << 8 | frame[1]) + 2u == written);
        lt_control message;
        CHECK(lt_control_is(frame.data() + 2, written - 2));
        CHECK(lt_control_decode(frame.data() + 2, written - 2, &message) == LIVETCP_OK);
        CHECK(message.type == LT_CONTROL_PADDING);
    }
}

TEST_CASE("types of a later version are told from malformed ones")
{
    for (unsigned type = LT_CONTROL_ARRIVAL + 1; type < 32; type++) {
        CAPTURE(type);
        Bytes packet = packet_of(sample(LT_CONTROL_JOINED));
        lt_control message;
        packet[0] = (uint8_t)(0x80 | type);
        CHECK(decode_packet(packet.data(), packet.size(), &message) == LIVETCP_ERR_NOT_SUPPORTED);
        packet[3]++;
        CHECK(decode_packet(packet.data(), packet.size(), &message) == LIVETCP_ERR_PROTOCOL);
    }
}

TEST_CASE("another version is named as such, whatever follows it")
{
    for (lt_control_type type :
         {LT_CONTROL_CREATE, LT_CONTROL_ACCEPT, LT_CONTROL_JOIN, LT_CONTROL_CHALLENGE}) {
        for (unsigned version : {0u, 2u, 255u}) {
            CAPTURE(type, version);
            lt_control message = sample(type), after;
            message.version = (uint8_t)version;
            Bytes packet = packet_of(message);
            CHECK(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_ERR_VERSION);
            packet.resize(16);
            set_length(packet);
            CHECK(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_ERR_VERSION);
        }
    }
}

TEST_CASE("index and count are checked against each other and the limit")
{
    for (lt_control_type type : {LT_CONTROL_CREATE, LT_CONTROL_JOIN}) {
        for (unsigned index = 0; index < 256; index += index < 40 ? 1 : 43) {
            for (unsigned count = 0; count < 256; count += count < 40 ? 1 : 43) {
                CAPTURE(type, index, count);
                lt_control message = sample(type), after;
                message.index = (uint8_t)index;
                message.count = (uint8_t)count;
                bool good = count >= 1 && count <= LIVETCP_MAX_CONNECTIONS && index < count;
                CHECK(decode_frame(encode(message), &after) ==
                      (good ? LIVETCP_OK : LIVETCP_ERR_PROTOCOL));
            }
        }
    }
}

TEST_CASE("PARITY names two streams and a payload type that RTP may use beside RTCP")
{
    for (unsigned payload_type = 0; payload_type < 256; payload_type++) {
        CAPTURE(payload_type);
        lt_control message = sample(LT_CONTROL_PARITY), after;
        message.payload_type = (uint8_t)payload_type;
        bool good = payload_type < 64 || (payload_type > 95 && payload_type < 128);
        CHECK(decode_frame(encode(message), &after) == (good ? LIVETCP_OK : LIVETCP_ERR_PROTOCOL));
    }
    lt_control same_stream = sample(LT_CONTROL_PARITY), after;
    same_stream.parity_ssrc = same_stream.media_ssrc;
    CHECK(decode_frame(encode(same_stream), &after) == LIVETCP_ERR_PROTOCOL);
}

TEST_CASE("only a lone APP packet named LTCP is a control message")
{
    Bytes packet = packet_of(sample(LT_CONTROL_PING));
    lt_control message;

    SECTION("another name")
    {
        packet[11] = 'Q';
        CHECK_FALSE(lt_control_is(packet.data(), packet.size()));
    }
    SECTION("a sender report")
    {
        packet[1] = 200;
        CHECK_FALSE(lt_control_is(packet.data(), packet.size()));
    }
    SECTION("RTP version 1")
    {
        packet[0] = 0x40 | LT_CONTROL_PING;
        CHECK_FALSE(lt_control_is(packet.data(), packet.size()));
    }
    SECTION("padding")
    {
        packet[0] |= 0x20;
        CHECK(decode_packet(packet.data(), packet.size(), &message) == LIVETCP_ERR_PROTOCOL);
    }
    SECTION("a compound")
    {
        Bytes twice = packet;
        twice.insert(twice.end(), packet.begin(), packet.end());
        CHECK(decode_packet(twice.data(), twice.size(), &message) == LIVETCP_ERR_PROTOCOL);
    }
    SECTION("any SSRC")
    {
        packet[4] = 0x12;
        CHECK(decode_packet(packet.data(), packet.size(), &message) == LIVETCP_OK);
    }
}

TEST_CASE("a flipped bit is never read past the end, and never accepted out of range")
{
    for (int type = LT_CONTROL_CREATE; type <= LT_CONTROL_ARRIVAL; type++) {
        Bytes whole = packet_of(sample((lt_control_type)type));
        for (size_t bit = 0; bit < whole.size() * 8; bit++) {
            CAPTURE(type, bit);
            Bytes packet = whole;
            lt_control message;
            packet[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (decode_packet(packet.data(), packet.size(), &message) != LIVETCP_OK)
                continue;
            if (message.type == LT_CONTROL_CREATE || message.type == LT_CONTROL_JOIN) {
                CHECK(message.count <= LIVETCP_MAX_CONNECTIONS);
                CHECK(message.index < message.count);
            }
            if (bit >= 32)
                CHECK((int)message.type == type);
        }
    }
}

TEST_CASE("reasons from the peer are known results and never success")
{
    CHECK(std::string(livetcp_result_name((livetcp_result)-LT_REASON_MAX)) != "unknown");

    for (lt_control_type type : {LT_CONTROL_REJECT, LT_CONTROL_BYE}) {
        for (int reason = 0; reason < 256; reason++) {
            CAPTURE(type, reason);
            lt_control message = sample(type), after;
            message.reason = (uint8_t)reason;
            REQUIRE(decode_frame(encode(message), &after) == LIVETCP_OK);
            livetcp_result result = lt_control_reason(&after);
            if (reason == 0)
                CHECK(result ==
                      (type == LT_CONTROL_BYE ? LIVETCP_ERR_CLOSED : LIVETCP_ERR_PROTOCOL));
            else if (reason <= LT_REASON_MAX)
                CHECK(result == -reason);
            else
                CHECK(result == LIVETCP_ERR_PROTOCOL);
        }
    }
}

TEST_CASE("a TRANSMISSION of before version 0.2 lacks its last fields, which count as zero")
{
    lt_control message = sample(LT_CONTROL_TRANSMISSION), after;
    Bytes packet = packet_of(message);

    packet.resize(packet.size() - 8);
    set_length(packet);
    REQUIRE(decode_packet(packet.data(), packet.size(), &after) == LIVETCP_OK);
    CHECK(after.transmission.hedge_delay_us == message.transmission.hedge_delay_us);
    CHECK(after.transmission.copy_spacing_us == 0);
    for (uint8_t share : after.transmission.shares)
        CHECK(share == 0);
}
