/* SPDX-License-Identifier: MIT */
/* One end of a WebSocket, whose bytes the test carries. */
#ifndef LT_TESTS_UNIT_WEBSOCKET_END_H
#define LT_TESTS_UNIT_WEBSOCKET_END_H

extern "C" {
#include "websocket/filter.h"
}

#include "catch.h"

#include <cstring>
#include <string>

/* Bytes 0, 1, 2...: of a caller's key, and of masks. */
inline livetcp_result count_up(void *user, uint8_t *bytes, size_t size)
{
    uint8_t *next = static_cast<uint8_t *>(user);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (*next)++;
    return LIVETCP_OK;
}

struct End {
    lt_ws *ws = nullptr;
    uint8_t random = 0;

    explicit End(const lt_ws_setup &setup)
    {
        REQUIRE(lt_ws_create(&setup, count_up, &random, &ws) == LIVETCP_OK);
    }
    ~End()
    {
        lt_ws_destroy(&ws);
    }
    End(const End &) = delete;
    End &operator=(const End &) = delete;

    lt_ws_state state() const
    {
        return lt_ws_state_of(ws);
    }
    std::string error() const
    {
        return lt_ws_error(ws)->message;
    }
    std::string output()
    {
        const uint8_t *data;
        size_t size = lt_ws_output(ws, &data);
        std::string text(reinterpret_cast<const char *>(data), size);
        lt_ws_written(ws, size);
        return text;
    }
    /* Gives it the bytes in pieces, and returns the payload. */
    std::string receive(const std::string &bytes, size_t piece = SIZE_MAX)
    {
        std::string payload;
        for (size_t at = 0; at < bytes.size();) {
            size_t size = std::min(piece, bytes.size() - at);
            lt_ws_receive(ws, reinterpret_cast<const uint8_t *>(bytes.data()) + at, size);
            at += size;
            uint8_t data[LT_WS_READ_MIN];
            while ((size = lt_ws_read(ws, data, sizeof data)) > 0)
                payload.append(reinterpret_cast<char *>(data), size);
        }
        return payload;
    }
    livetcp_result write(const std::string &payload)
    {
        return lt_ws_write(ws, payload.data(), payload.size());
    }
    bool says(const std::string &part) const
    {
        INFO(error());
        CHECK(state() == LT_WS_FAILED);
        return error().find(part) != std::string::npos;
    }
};

inline lt_ws_setup caller_setup()
{
    lt_ws_setup setup = {};
    setup.host = "media.example";
    setup.port = 8080;
    setup.path = "/live";
    setup.origins = "";
    return setup;
}

inline lt_ws_setup listener_setup()
{
    lt_ws_setup setup = {};
    setup.listener = true;
    setup.host = setup.path = setup.origins = "";
    return setup;
}

/* Both ends, open. */
struct Pair {
    End caller, listener;

    explicit Pair(const lt_ws_setup &a = caller_setup(), const lt_ws_setup &b = listener_setup())
        : caller(a), listener(b)
    {
        listener.receive(caller.output());
        caller.receive(listener.output());
    }
};

/* The answer to a caller whose key is 0, 1, 2... 15. */
const char *const ACCEPT = "Bz3qJYTGdOe8gUSpLosEdiLKDrk=";

inline std::string frame(uint8_t first, const std::string &payload, bool masked)
{
    std::string text(1, char(first));
    size_t size = payload.size();
    uint8_t mask = masked ? 0x80 : 0;
    if (size < 126) {
        text += char(mask | size);
    } else if (size < 65536) {
        text += char(mask | 126);
        text += char(size >> 8);
        text += char(size);
    } else {
        text += char(mask | 127);
        for (int shift = 56; shift >= 0; shift -= 8)
            text += char(uint64_t(size) >> shift);
    }
    if (masked)
        text += "\x01\x02\x03\x04";
    for (size_t i = 0; i < size; i++)
        text += masked ? char(payload[i] ^ (1 + i % 4)) : payload[i];
    return text;
}

#endif
