/* SPDX-License-Identifier: MIT */
/* The first bytes of an accepted connection, without the connection. */
#include "catch.h"

#include <cstring>
#include <string>

extern "C" {
#include "io/opening.h"
}

namespace
{

/* An RTP packet of 12 bytes, framed. */
const std::string rtp("\x00\x0c\x80\x60\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07", 14);

class Opening
{
  public:
    Opening()
    {
        livetcp_config_init(&config);
        config.mode = LIVETCP_MODE_LISTENER;
        lt_ip_parse("192.0.2.1", 9, &ip);
    }
    ~Opening()
    {
        if (begun)
            lt_io_opening_clear(&opening);
    }

    /* As the owner of a socket does: what was held comes before what has come. */
    lt_io_opening_step receive(const std::string &input)
    {
        if (!begun)
            lt_io_opening_init(&opening, &config, nullptr, &ip);
        begun = true;
        uint8_t buffer[LT_IO_OPENING_HELD_MAX];
        size_t size = lt_io_opening_held(&opening, buffer);
        if (!input.empty())
            memcpy(buffer + size, input.data(), input.size());
        size += input.size();
        const uint8_t *data = buffer;
        lt_io_opening_step step = lt_io_opening_receive(&opening, &data, &size);
        rest.assign((const char *)data, size);
        return step;
    }

    /* What follows from what is left. */
    lt_io_opening_step go_on()
    {
        std::string input = rest;
        return receive(input);
    }

    std::string explain(livetcp_result *reason)
    {
        livetcp_error error = {};
        *reason = lt_io_opening_explain(&opening, "who", &error);
        return error.message;
    }

    livetcp_config config = {};
    lt_ip ip = {};
    lt_io_opening opening = {};
    bool begun = false;
    std::string rest;
};

} // namespace

TEST_CASE("a plain wire waits for no input, unless peers are to send", "[opening]")
{
    Opening o;
    o.config.wire = LIVETCP_WIRE_PLAIN;
    SECTION("peers need not")
    {
        CHECK(o.receive("") == LT_IO_OPENING_PLAIN);
    }
    SECTION("peers send")
    {
        o.config.peer_sends = true;
        CHECK(o.receive("") == LT_IO_OPENING_MORE);
        CHECK(o.receive(rtp.substr(0, 1)) == LT_IO_OPENING_MORE);
        CHECK(o.receive(rtp.substr(1)) == LT_IO_OPENING_PLAIN);
        CHECK(o.rest == rtp);
        uint8_t none[LT_IO_OPENING_HELD_MAX];
        CHECK(lt_io_opening_held(&o.opening, none) == 0);
    }
}

TEST_CASE("a silent peer of a port for both waits for media", "[opening]")
{
    Opening o;
    const uint8_t *data = nullptr;
    size_t size = 0;
    o.config.wire = LIVETCP_WIRE_AUTO;
    CHECK(o.receive("") == LT_IO_OPENING_MORE);
    SECTION("and gets it")
    {
        CHECK(lt_io_opening_expire(&o.opening, &data, &size) == LT_IO_OPENING_PLAIN);
    }
    SECTION("but one that has begun to speak has not ended in time")
    {
        CHECK(o.receive(rtp.substr(0, 1)) == LT_IO_OPENING_MORE);
        CHECK(lt_io_opening_expire(&o.opening, &data, &size) == LT_IO_OPENING_FAILED);
        CHECK(lt_io_opening_reason(&o.opening) == LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    }
}

TEST_CASE("another server's protocol is passed on from its first byte", "[opening]")
{
    Opening o;
    o.config.wire = LIVETCP_WIRE_SESSION;
    const std::string ssh = "SSH-2.0-OpenSSH_9.2\r\n";
    SECTION("where there is one")
    {
        strcpy(o.config.fallback, "127.0.0.1:22");
        CHECK(o.receive(ssh.substr(0, 2)) == LT_IO_OPENING_MORE);
        CHECK(o.receive(ssh.substr(2)) == LT_IO_OPENING_FOREIGN);
        CHECK(o.rest == ssh);
    }
    SECTION("or refused, with the words for it")
    {
        livetcp_result reason = LIVETCP_OK;
        CHECK(o.receive(ssh) == LT_IO_OPENING_REFUSED);
        CHECK(o.explain(&reason).find("SSH") != std::string::npos);
        CHECK(reason == LIVETCP_OK); /* which no SSH client could read in a REJECT */
    }
}

TEST_CASE("a proxy in front names the peer, and its limits are the peer's", "[opening]")
{
    Opening o;
    uint16_t port = 0;
    lt_ip peer;
    o.config.wire = LIVETCP_WIRE_AUTO;
    o.config.proxy_protocol = true;
    strcpy(o.config.proxy_protocol_from, "192.0.2.0/24");
    const std::string header = "PROXY TCP4 198.51.100.7 192.0.2.9 4711 5004\r\n";
    SECTION("in pieces")
    {
        CHECK(o.receive(header.substr(0, 20)) == LT_IO_OPENING_MORE);
        CHECK(o.receive(header.substr(20) + rtp) == LT_IO_OPENING_PEER);
        REQUIRE(lt_ip_parse("198.51.100.7", 12, &peer));
        CHECK(memcmp(lt_io_opening_peer(&o.opening, &port), &peer, sizeof peer) == 0);
        CHECK(port == 4711);
        CHECK(o.rest == rtp);
        CHECK(o.go_on() == LT_IO_OPENING_PLAIN);
        CHECK(o.rest == rtp);
    }
    SECTION("who sends none is refused")
    {
        livetcp_result reason = LIVETCP_OK;
        CHECK(o.receive(rtp) == LT_IO_OPENING_REFUSED);
        CHECK(o.explain(&reason).find("who: it sent no PROXY header") == 0);
    }
    SECTION("of others nothing is believed")
    {
        REQUIRE(lt_ip_parse("203.0.113.1", 11, &o.ip));
        CHECK(o.receive(header) == LT_IO_OPENING_REFUSED);
    }
}

TEST_CASE("an HTTP request may become a WebSocket", "[opening]")
{
    Opening o;
    o.config.wire = LIVETCP_WIRE_AUTO;
    const std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    const uint8_t *data = nullptr;
    size_t size = 0;
    SECTION("where there are some; this one asks for none")
    {
        bool shared = GENERATE(false, true);
        o.config.websocket = LIVETCP_WEBSOCKET_AUTO;
        if (shared)
            strcpy(o.config.fallback, "127.0.0.1:80");
        CHECK(o.receive(request) == LT_IO_OPENING_FILTER);
        REQUIRE(lt_io_opening_filter(&o.opening));
        CHECK(lt_io_filter_state_of(lt_io_opening_filter(&o.opening)) == LT_IO_FILTER_FAILED);
        lt_io_opening_step step = lt_io_opening_broken(&o.opening, &data, &size);
        CHECK(step == (shared ? LT_IO_OPENING_FOREIGN : LT_IO_OPENING_REFUSED));
        if (shared)
            CHECK(std::string((const char *)data, size) == request);
    }
    SECTION("not where there are none")
    {
        o.config.websocket = LIVETCP_WEBSOCKET_OFF;
        CHECK(o.receive(request) == LT_IO_OPENING_REFUSED);
    }
}
