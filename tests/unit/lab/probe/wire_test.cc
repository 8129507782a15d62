/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/probe/wire.h"
}

#include <cstring>
#include <string>
#include <vector>

static std::vector<uint8_t> encoded(const lt_wire_message &message)
{
    std::vector<uint8_t> bytes(message.length);
    lt_wire_encode(&message, bytes.data());
    return bytes;
}

static const lt_wire_message packet = {LT_WIRE_PACKET, LT_WIRE_SAMPLE, 100, 7, 1ull << 60, 3};

TEST_CASE("a message comes back from what it is encoded to")
{
    lt_wire_message m;

    REQUIRE(lt_wire_decode(encoded(packet).data(), &m, nullptr) == LIVETCP_OK);
    CHECK(m.type == LT_WIRE_PACKET);
    CHECK(m.flags == LT_WIRE_SAMPLE);
    CHECK(m.length == 100);
    CHECK(m.a == 7);
    CHECK(m.b == 1ull << 60);
    CHECK(m.c == 3);
}

TEST_CASE("what is no prober's is told apart")
{
    lt_wire_message m;
    livetcp_error error;
    auto refused = [&](size_t at, uint8_t value, livetcp_result code, const std::string &word) {
        auto bytes = encoded(packet);
        bytes[at] = value;
        CHECK(lt_wire_decode(bytes.data(), &m, &error) == code);
        INFO(error.message);
        CHECK(std::string(error.message).find(word) != std::string::npos);
    };
    refused(0, 'H', LIVETCP_ERR_PROTOCOL, "not a livetcp probe");
    refused(4, 2, LIVETCP_ERR_VERSION, "version 2");
    refused(5, 0, LIVETCP_ERR_PROTOCOL, "type 0");
    refused(5, 5, LIVETCP_ERR_PROTOCOL, "type 5");
    refused(8, 1, LIVETCP_ERR_PROTOCOL, "nonsense");
    refused(11, 39, LIVETCP_ERR_PROTOCOL, "39 bytes");
}

TEST_CASE("messages are found in a stream, whatever the pieces")
{
    std::vector<uint8_t> stream;
    for (uint32_t length : {40u, 41u, 100u, uint32_t(LT_WIRE_MAX), 40u}) {
        auto more = encoded({LT_WIRE_PACKET, 0, length, length, 0, 0});
        stream.insert(stream.end(), more.begin(), more.end());
    }
    for (size_t max : {1u, 7u, 40u, 64000u}) {
        lt_wire_reader reader = {};
        std::vector<uint64_t> found;
        for (size_t at = 0; at < stream.size();) {
            const lt_wire_message *message;
            uint8_t *where;
            size_t take = lt_wire_wants(&reader, &where);
            take = take < max ? take : max;
            REQUIRE(take > 0);
            if (where)
                memcpy(where, stream.data() + at, take);
            at += take;
            REQUIRE(lt_wire_got(&reader, take, &message, nullptr) == LIVETCP_OK);
            if (message)
                found.push_back(message->a);
        }
        CHECK(found == std::vector<uint64_t>{40, 41, 100, LT_WIRE_MAX, 40});
    }
}
