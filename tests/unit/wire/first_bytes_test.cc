/* SPDX-License-Identifier: MIT */
/* Classification of a peer by its first bytes. */
#include "catch.h"

#include <string>
#include <vector>

extern "C" {
#include "wire/control.h"
#include "wire/first_bytes.h"
}

namespace
{

using Bytes = std::vector<uint8_t>;

Bytes text(const std::string &characters)
{
    return Bytes(characters.begin(), characters.end());
}

Bytes framed(Bytes content)
{
    content.insert(content.begin(), {static_cast<uint8_t>(content.size() >> 8),
                                     static_cast<uint8_t>(content.size())});
    return content;
}

Bytes rtp(uint8_t payload_type, size_t size = 172)
{
    Bytes packet(size);
    packet[0] = 0x80;
    packet[1] = payload_type;
    return packet;
}

Bytes control(lt_control_type type)
{
    lt_control message = {};
    message.type = type;
    message.version = LT_WIRE_VERSION;
    message.count = 1;
    Bytes frame(LT_CONTROL_MAX);
    frame.resize(lt_control_encode(&message, frame.data()));
    return frame;
}

Bytes stun()
{
    return {0x00, 0x01, 0x00, 0x00, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
}

/* Classifies the bytes as a whole, split at every position, byte by byte, and after null packets:
 * all results must agree. */
lt_peer_kind kind_of(const Bytes &bytes)
{
    lt_peer_kind whole = lt_first_bytes_classify(bytes.data(), bytes.size());
    lt_peer_kind decided = LT_PEER_UNDECIDED;
    for (size_t size = 0; size <= bytes.size(); size++) {
        lt_peer_kind kind = lt_first_bytes_classify(bytes.data(), size);
        if (decided != LT_PEER_UNDECIDED || size == bytes.size())
            CHECK(kind == whole);
        decided = kind;
    }
    for (size_t nulls : {size_t{0}, size_t{1}, size_t{5}, size_t{100}}) {
        Bytes stream(2 * nulls);
        stream.insert(stream.end(), bytes.begin(), bytes.end());
        CHECK(lt_first_bytes_classify(stream.data(), stream.size()) == whole);
        for (size_t piece : {size_t{1}, size_t{3}, size_t{16}, stream.size() + 1}) {
            lt_first_bytes first = {};
            for (size_t i = 0; i < stream.size(); i += piece)
                lt_first_bytes_add(&first, stream.data() + i, std::min(piece, stream.size() - i));
            CHECK(first.kind == whole);
        }
    }
    return whole;
}

} // namespace

TEST_CASE("sessions and plain RTP are told apart", "[first-bytes]")
{
    for (lt_control_type type :
         {LT_CONTROL_CREATE, LT_CONTROL_JOIN, LT_CONTROL_ACCEPT, LT_CONTROL_REJECT, LT_CONTROL_BYE})
        CHECK(kind_of(control(type)) == LT_PEER_SESSION);
    for (uint8_t type : {0, 8, 33, 96, 127, 128 + 96})
        CHECK(kind_of(framed(rtp(type))) == LT_PEER_PLAIN);
    CHECK(kind_of(framed(rtp(96, 8190))) == LT_PEER_PLAIN);
    CHECK(kind_of(framed({0x80, 200, 0, 6, 0, 0, 0, 1})) == LT_PEER_PLAIN); /* sender report */
    CHECK(kind_of(framed({0x80, 201, 0, 1, 0, 0, 0, 1})) == LT_PEER_PLAIN);
    /* Another application's APP packet. */
    CHECK(kind_of(framed({0x80, 204, 0, 2, 0, 0, 0, 1, 'T', 'E', 'S', 'T'})) == LT_PEER_PLAIN);
    CHECK(kind_of(framed({0x80, 204, 0, 1, 0, 0, 0, 1})) == LT_PEER_PLAIN);
}

TEST_CASE("other protocols are known by how they begin", "[first-bytes]")
{
    for (const char *line :
         {"GET / HTTP/1.1\r\n", "POST /x HTTP/1.1\r\n", "HEAD / HTTP/1.0\r\n", "PUT / HTTP/1.1\r\n",
          "DELETE /x HTTP/1.1\r\n", "CONNECT a:1 HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n",
          "OPTIONS * HTTP/1.1\r\n", "OPTIONS /x HTTP/1.1\r\n", "HTTP/1.1 400 Bad Request\r\n",
          "<!DOCTYPE HTML>\n<html>", "<html>\r\n<head>"}) {
        CAPTURE(line);
        CHECK(kind_of(text(line)) == LT_PEER_HTTP);
    }
    for (const char *line : {"OPTIONS rtsp://h/s RTSP/1.0\r\n", "OPTIONS * RTSP/1.0\r\n",
                             "DESCRIBE rtsp://h/s RTSP/1.0\r\n", "GET_PARAMETER rtsp://h RTSP/1.0",
                             "ANNOUNCE rtsp://h RTSP/1.0", "RTSP/1.0 400 Bad Request\r\n"}) {
        CAPTURE(line);
        CHECK(kind_of(text(line)) == LT_PEER_RTSP);
    }
    CHECK(kind_of(text("SSH-2.0-OpenSSH_9.2p1\r\n")) == LT_PEER_SSH);
    CHECK(kind_of(text("PROXY TCP4 192.0.2.1 192.0.2.2 4000 5004\r\n")) == LT_PEER_PROXY_HEADER);
    CHECK(kind_of(text(std::string("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c", 16))) ==
          LT_PEER_PROXY_HEADER);
    CHECK(kind_of({0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc}) == LT_PEER_TLS);
    CHECK(kind_of({0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46}) == LT_PEER_TLS); /* an alert */
    CHECK(kind_of(stun()) == LT_PEER_STUN);
    CHECK(kind_of(framed(stun())) == LT_PEER_STUN);
    Bytes answer = stun();
    answer[0] = 0x01;
    CHECK(kind_of(answer) == LT_PEER_STUN);
    CHECK(std::string(lt_peer_kind_name(LT_PEER_HTTP)) == "HTTP");
    CHECK(lt_peer_kind_name(LT_PEER_SESSION) == nullptr);
    CHECK(lt_peer_kind_name(LT_PEER_OTHER) == nullptr);
}

TEST_CASE("what is none of them is not guessed", "[first-bytes]")
{
    CHECK(kind_of(framed(Bytes(20, 0x11))) == LT_PEER_OTHER);
    CHECK(kind_of(framed(Bytes(100, 0x16))) == LT_PEER_OTHER);
    CHECK(kind_of(text("hello, world")) == LT_PEER_OTHER);
    CHECK(kind_of(text("GETTING")) == LT_PEER_OTHER);
    CHECK(kind_of(text("OPTIONS sip:h SIP/2.0")) == LT_PEER_OTHER);
    CHECK(kind_of(Bytes(10, 0x16)) == LT_PEER_OTHER);
    CHECK(kind_of(framed({0x80, 96, 0, 1})) == LT_PEER_OTHER); /* too short for RTP */
    CHECK(kind_of({0, 3, 0x80, 201, 0, 1}) == LT_PEER_OTHER);  /* too short for RTCP */
    CHECK(kind_of({0, 20, 0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x43}) == LT_PEER_OTHER); /* wrong cookie */
    CHECK(kind_of({0, 19, 0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42}) == LT_PEER_OTHER); /* wrong length */
}

TEST_CASE("too few bytes decide nothing", "[first-bytes]")
{
    for (const Bytes &bytes :
         {Bytes{}, Bytes{0}, Bytes{0, 0}, Bytes{0, 0, 0}, Bytes(100), Bytes{0, 172}, text("GE"),
          text("GET"), text("OPTIONS * "), Bytes{0, 172, 0x80}, Bytes{0x16, 0x03},
          Bytes{0, 1, 0, 0, 0x21, 0x12, 0xa4}, Bytes{0, 48, 0x80, 204, 0, 11, 0, 0, 0, 0, 'L'}})
        CHECK(kind_of(bytes) == LT_PEER_UNDECIDED);
}
