/* SPDX-License-Identifier: MIT */
/* A tunnel whose proxy is the test. */
#ifndef LT_TESTS_UNIT_PROXY_TUNNEL_H
#define LT_TESTS_UNIT_PROXY_TUNNEL_H

extern "C" {
#include "proxy/tunnel.h"
}

#include "catch.h"

#include <algorithm>
#include <cstring>
#include <string>

/* A proxy, and what it has asked so far. */
struct Proxy {
    lt_proxy proxy;
    lt_proxy_challenge challenge = {};

    explicit Proxy(const std::string &url)
    {
        livetcp_error error = {};
        INFO(error.message);
        REQUIRE(lt_proxy_parse(url.c_str(), "proxy", &proxy, &error) == LIVETCP_OK);
    }
};

struct Tunnel {
    lt_tunnel *tunnel;
    std::string host;

    explicit Tunnel(Proxy &by, const std::string &target = "media.example", uint16_t port = 5004)
        : host(target)
    {
        static const uint8_t cnonce[LT_PROXY_CNONCE] = {1, 2,  3,  4,  5,  6,  7,  8,
                                                        9, 10, 11, 12, 13, 14, 15, 16};
        lt_tunnel_setup setup = {&by.proxy, &by.challenge, host.c_str(), port, cnonce};
        tunnel = lt_tunnel_create(&setup);
        REQUIRE(tunnel);
    }
    ~Tunnel()
    {
        lt_tunnel_destroy(&tunnel);
    }
    Tunnel(const Tunnel &) = delete;
    Tunnel &operator=(const Tunnel &) = delete;

    std::string output()
    {
        const uint8_t *data;
        size_t size = lt_tunnel_output(tunnel, &data);
        std::string text((const char *)data, size);
        lt_tunnel_written(tunnel, size);
        return text;
    }

    /* Answers in pieces of this size; returns how much was the proxy's. */
    size_t answer(const std::string &text, size_t piece = 1)
    {
        size_t taken = 0;
        while (taken < text.size()) {
            size_t size = std::min(piece, text.size() - taken);
            size_t n = lt_tunnel_receive(tunnel, (const uint8_t *)text.data() + taken, size);
            taken += n;
            if (n < size || state() != LT_TUNNEL_GOING)
                break;
        }
        return taken;
    }

    lt_tunnel_state state() const
    {
        return lt_tunnel_state_of(tunnel);
    }
    std::string error() const
    {
        return lt_tunnel_error(tunnel)->message;
    }
    bool says(const std::string &part) const
    {
        INFO(error());
        CHECK(state() == LT_TUNNEL_FAILED);
        CHECK(error().find("secret") == std::string::npos);
        CHECK(error().find("proxy.example") != std::string::npos);
        return error().find(part) != std::string::npos;
    }
};

#endif
