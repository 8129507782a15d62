/* SPDX-License-Identifier: MIT */
// URIs of a relay's ends.
#include "catch.h"

extern "C" {
#include "relay/plan/location.h"
}

#include <cstring>
#include <string>

namespace
{

livetcp_result read(const char *uri, lt_relay_location *l, std::string *message = nullptr,
                    lt_relay_side side = LT_RELAY_IN)
{
    livetcp_error error = {};
    livetcp_result result = lt_relay_location_read(l, side, uri, &error);
    if (message)
        *message = error.message;
    return result;
}

} // namespace

TEST_CASE("an end of datagrams waits at IN and with @, and sends at OUT")
{
    lt_relay_location l;
    REQUIRE(read("udp://127.0.0.1:5000", &l) == LIVETCP_OK);
    CHECK(l.bound);
    CHECK(l.latch);
    CHECK(std::string(l.host) == "127.0.0.1");
    CHECK(l.port == 5000);
    CHECK(l.encap == LT_RELAY_ENCAP_RAW);
    CHECK(l.rcvbuf == 4u << 20);
    REQUIRE(read("udp://127.0.0.1:5000", &l, nullptr, LT_RELAY_OUT) == LIVETCP_OK);
    CHECK_FALSE(l.bound);
    CHECK_FALSE(l.latch);
    REQUIRE(read("udp://@:5000", &l, nullptr, LT_RELAY_OUT) == LIVETCP_OK);
    CHECK(l.bound);
    CHECK(std::string(l.host).empty());
    REQUIRE(read("rtp://[::1]:5000", &l) == LIVETCP_OK);
    CHECK(std::string(l.host) == "::1");
    CHECK(l.encap == LT_RELAY_ENCAP_RTP);
    CHECK(l.rtcp == LT_RELAY_RTCP_NEXT);
}

TEST_CASE("keys of datagrams")
{
    lt_relay_location l;
    REQUIRE(read("udp://@239.1.1.1:5000?encap=ts&rcvbuf=65536&ttl=3&iptos=0xb8&adapter=192.0.2.1&"
                 "source=192.0.2.7&reuse=1&latch=0&playout=80ms&",
                 &l) != LIVETCP_OK); // ends with &
    REQUIRE(read("udp://@239.1.1.1:5000?encap=ts&rcvbuf=65536&ttl=3&iptos=0xb8&adapter=192.0.2.1&"
                 "source=192.0.2.7&reuse=1&latch=0&playout=80ms",
                 &l) == LIVETCP_OK);
    CHECK(l.encap == LT_RELAY_ENCAP_TS);
    CHECK(l.rcvbuf == 65536);
    CHECK(l.ttl == 3);
    CHECK(l.iptos == 0xb8);
    CHECK(std::string(l.adapter) == "192.0.2.1");
    CHECK(std::string(l.source) == "192.0.2.7");
    CHECK(l.reuse);
    CHECK_FALSE(l.latch);
    CHECK(l.pace == LT_RELAY_PACE_FIXED);
    CHECK(l.pace_delay_us == 80000);
    REQUIRE(read("rtp://:5000?rtcp=mux&playout=adaptive&clock-rate=48000", &l) == LIVETCP_OK);
    CHECK(l.rtcp == LT_RELAY_RTCP_MUX);
    CHECK(l.pace == LT_RELAY_PACE_ADAPTIVE);
    CHECK(l.clock_rate == 48000);
    REQUIRE(read("udp://:1?adapter=eth0%25x", &l) == LIVETCP_OK);
    CHECK(std::string(l.adapter) == "eth0%x");
}

TEST_CASE("livetcp calls, or waits if it has no host")
{
    lt_relay_location l;
    REQUIRE(read("livetcp://far.example:5004?policy=single&connections=1", &l) == LIVETCP_OK);
    CHECK(l.session.mode == LIVETCP_MODE_CALLER);
    CHECK(l.session.connections == 1);
    REQUIRE(read("livetcp://:5004", &l) == LIVETCP_OK);
    CHECK(l.session.mode == LIVETCP_MODE_LISTENER);
    REQUIRE(read("livetcp://127.0.0.1:5004?mode=listener&passphrase=open-sesame-2", &l) ==
            LIVETCP_OK);
    CHECK(l.session.mode == LIVETCP_MODE_LISTENER);
    CHECK(std::string(l.text).find("sesame") == std::string::npos);
    REQUIRE(read("livetcp://:5004/camera%201?order=sequence", &l) == LIVETCP_OK);
    CHECK(std::string(l.stream_id) == "camera 1");
    CHECK(std::string(l.session.stream_id).empty());
    CHECK(std::string(l.text).find("camera%201") != std::string::npos);
    REQUIRE(read("livetcp://h:5004/camera", &l) == LIVETCP_OK);
    CHECK(std::string(l.session.stream_id) == "camera");
    REQUIRE(read("file://con", &l) == LIVETCP_OK);
    CHECK(l.encap == LT_RELAY_ENCAP_TS);
}

TEST_CASE("bad URIs are named with what would be right")
{
    const struct {
        const char *uri, *says;
        lt_relay_side side;
    } cases[] = {
        {"http://x", "udp://", LT_RELAY_IN},
        {"", "udp://", LT_RELAY_IN},
        {"udp://127.0.0.1", "HOST:PORT", LT_RELAY_IN},
        {"udp://::1:5000", "port", LT_RELAY_IN},
        {"udp://h:65536", "port", LT_RELAY_IN},
        {"udp://h:-1", "port", LT_RELAY_IN},
        {"udp://h:0", "port", LT_RELAY_OUT},
        {"rtp://h:0", "port", LT_RELAY_IN},
        {"rtp://h:65535", "65534", LT_RELAY_IN},
        {"udp://h:5/name", "name", LT_RELAY_IN},
        {"udp://h:5?latch", "KEY=VALUE", LT_RELAY_IN},
        {"udp://h:5?=1", "KEY=VALUE", LT_RELAY_IN},
        {"udp://h:5?latch=maybe", "1 or 0", LT_RELAY_IN},
        {"udp://h:5?ttl=256", "1..255", LT_RELAY_IN},
        {"udp://h:5?ttl=%0", "KEY=VALUE", LT_RELAY_IN},
        {"udp://h:5?ttl=%00", "KEY=VALUE", LT_RELAY_IN},
        {"udp://h:5?iptos=0x1ff", "0..255", LT_RELAY_IN},
        {"udp://h:5?pt=33", "without 33", LT_RELAY_IN},
        {"udp://h:5?pt=72", "64..95", LT_RELAY_IN},
        {"udp://h:5?encap=srt", "rtp, ts or raw", LT_RELAY_IN},
        {"udp://h:5?enacp=ts", "did you mean 'encap'", LT_RELAY_IN},
        {"udp://h:5?rtcp=off", "no key", LT_RELAY_IN},
        {"rtp://h:5?encap=ts", "rtp://", LT_RELAY_IN},
        {"udp://h:5?playout=soon", "adaptive", LT_RELAY_IN},
        {"udp://h:5?playout=2h", "60s", LT_RELAY_IN},
        {"udp://h:5?localport=7", "waits", LT_RELAY_IN},
        {"udp://h:5?source=192.0.2.7", "multicast", LT_RELAY_OUT},
        {"file://con?encap=rtp", "ts or raw", LT_RELAY_IN},
        {"file://name", "file://con", LT_RELAY_IN},
        {"livetcp://h", "port", LT_RELAY_IN},
        {"livetcp://h:1?latch=1", "latch", LT_RELAY_IN},
    };
    for (const auto &c : cases) {
        lt_relay_location l;
        std::string message;
        INFO(c.uri);
        CHECK(read(c.uri, &l, &message, c.side) != LIVETCP_OK);
        INFO(message);
        CHECK(message.find(c.says) != std::string::npos);
    }
}

#ifdef LT_RELAY_HAS_SRT
TEST_CASE("srt calls a host, waits without one, and has SRT's keys")
{
    lt_relay_location l;
    REQUIRE(read("srt://h:9000", &l) == LIVETCP_OK);
    CHECK(l.scheme == LT_RELAY_SRT);
    CHECK_FALSE(l.bound);
    CHECK(l.encap == LT_RELAY_ENCAP_TS);
    CHECK(l.latency_us == 120000);
    REQUIRE(read("srt://:9000", &l, nullptr, LT_RELAY_OUT) == LIVETCP_OK);
    CHECK(l.bound);
    REQUIRE(read("srt://[::1]:9000?mode=listener&latency=80&passphrase=0123456789&pbkeylen=24&"
                 "streamid=a%20b&encap=raw",
                 &l) == LIVETCP_OK);
    CHECK(l.bound);
    CHECK(l.latency_us == 80000);
    CHECK(l.key_length == 24);
    CHECK(std::string(l.stream_id) == "a b");
    CHECK(std::string(l.passphrase) == "0123456789");
    CHECK(std::string(l.text) == "srt://[::1]:9000"); /* for people: without secrets */
    std::string message;
    CHECK(read("srt://h:9000?passphrase=short", &l, &message) != LIVETCP_OK);
    CHECK(message.find("short") == std::string::npos);
    for (const char *uri : {"srt://h:9000?latency=61000", "srt://h:9000?latency=x", "srt://h:0",
                            "srt://h:9000?pbkeylen=17", "srt://:9000?mode=caller",
                            "srt://h:9000?mode=rendezvous", "srt://h:9000?rtcp=mux"})
        CHECK(read(uri, &l) != LIVETCP_OK);
}
#else
TEST_CASE("srt needs libsrt when it is built")
{
    lt_relay_location l;
    std::string message;
    CHECK(read("srt://h:9000", &l, &message) == LIVETCP_ERR_NOT_SUPPORTED);
    CHECK(message.find("libsrt") != std::string::npos);
}
#endif
