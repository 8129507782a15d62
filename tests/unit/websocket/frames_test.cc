/* SPDX-License-Identifier: MIT */
/* Frames both ways: messages, control frames, and what breaks the rules. */
#include "end.h"

#include <random>

namespace
{

const uint8_t FIN = 0x80, CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

std::string with_code(unsigned code, const std::string &text = "")
{
    return std::string(1, char(code >> 8)) + char(code) + text;
}

/* A listener that gets these bytes of a caller; returns its answer. */
std::string failure(const std::string &bytes, const std::string &why, livetcp_result code,
                    unsigned close_code)
{
    Pair pair;
    INFO(why);
    pair.listener.receive(bytes);
    CHECK(pair.listener.says(why));
    CHECK(lt_ws_error(pair.listener.ws)->code == code);
    CHECK(pair.listener.write("x") == code);
    std::string answer = pair.listener.output();
    REQUIRE(answer.size() >= 4);
    CHECK(uint8_t(answer[0]) == (FIN | CLOSE));
    CHECK(answer.substr(2, 2) == with_code(close_code));
    lt_ws_end(pair.listener.ws, LIVETCP_ERR_PROTOCOL); /* the closing frame is sent once */
    CHECK(pair.listener.output().empty());
    return answer;
}

} // namespace

TEST_CASE("payload comes out as it went in, however bytes and messages are cut")
{
    std::mt19937 random(GENERATE(1u, 2u, 3u));
    Pair pair;
    End *ends[2] = {&pair.caller, &pair.listener};

    for (int round = 0; round < 40; round++) {
        End *from = ends[round % 2], *to = ends[1 - round % 2];
        std::string sent;
        for (int i = 0; i < 5; i++) {
            std::string message(random() % (i ? 300 : 70000), '\0');
            for (char &c : message)
                c = char(random());
            REQUIRE(from->write(message) == LIVETCP_OK);
            sent += message;
        }
        std::string bytes = from->output();
        REQUIRE(to->receive(bytes, 1 + random() % 5000) == sent);
    }
}

TEST_CASE("a caller's frames are masked, each with a key of its own, a listener's are not")
{
    Pair pair;

    REQUIRE(pair.caller.write("media") == LIVETCP_OK);
    REQUIRE(pair.caller.write("media") == LIVETCP_OK);
    std::string bytes = pair.caller.output();
    REQUIRE(bytes.size() == 2 * (2 + 4 + 5));
    CHECK(bytes.substr(0, 2) == "\x82\x85");
    CHECK(bytes.find("media") == std::string::npos);
    CHECK(bytes.substr(2, 4) != bytes.substr(13, 4));
    REQUIRE(pair.listener.write("media") == LIVETCP_OK);
    CHECK(pair.listener.output() == "\x82\x05media");
}

TEST_CASE("fragments, and control frames between them")
{
    Pair pair;
    std::string bytes = frame(BINARY, "a", true) + frame(FIN | PING, "p", true) +
                        frame(CONTINUATION, "", true) + frame(CONTINUATION, "b", true) +
                        frame(FIN | PONG, "unasked", true) + frame(FIN | CONTINUATION, "c", true) +
                        frame(FIN | BINARY, "", true) + frame(FIN | BINARY, "d", true);
    size_t piece = GENERATE(1u, 3u, 1000u);

    CHECK(pair.listener.receive(bytes, piece) == "abcd");
    CHECK(pair.listener.output() == frame(FIN | PONG, "p", false));
    CHECK(pair.listener.state() == LT_WS_OPEN);
}

TEST_CASE("pings are answered, and those of a peer that does not read are left out")
{
    Pair pair;

    CHECK(pair.caller.receive(frame(FIN | PING, std::string(125, 'p'), false)).empty());
    CHECK(pair.caller.output().size() == 2 + 4 + 125);
    for (int i = 0; i < 10000; i++)
        pair.listener.receive(frame(FIN | PING, std::string(125, 'p'), true));
    const uint8_t *data;
    CHECK(lt_ws_output(pair.listener.ws, &data) < LT_WS_BACKLOG_MAX + 200);
    pair.listener.output();
    pair.listener.receive(frame(FIN | PING, "again", true));
    CHECK(pair.listener.output() == frame(FIN | PONG, "again", false));
}

TEST_CASE("frames that break the rules are named, and answered with a code")
{
    std::string oversized = std::string("\x89\xfe\x00\x7e", 4) + "\x01\x02\x03\x04";

    failure(frame(FIN | BINARY, "x", false), "not masked", LIVETCP_ERR_PROTOCOL, 1002);
    failure(frame(FIN | 0x40 | BINARY, "x", true), "reserved bits", LIVETCP_ERR_PROTOCOL, 1002);
    failure(frame(FIN | TEXT, "{\"hello\": 1}", true), "binary messages", LIVETCP_ERR_NOT_SUPPORTED,
            1003);
    failure(frame(FIN | 3, "x", true), "unknown type", LIVETCP_ERR_PROTOCOL, 1002);
    failure(frame(FIN | 11, "x", true), "unknown type", LIVETCP_ERR_PROTOCOL, 1002);
    failure(oversized + std::string(126, 'p'), "more than 125 bytes", LIVETCP_ERR_PROTOCOL, 1002);
    failure(frame(PING, "p", true), "in pieces", LIVETCP_ERR_PROTOCOL, 1002);
    failure(frame(FIN | CONTINUATION, "x", true), "did not begin", LIVETCP_ERR_PROTOCOL, 1002);
    failure(frame(BINARY, "x", true) + frame(FIN | BINARY, "x", true), "in the middle of another",
            LIVETCP_ERR_PROTOCOL, 1002);
    failure(std::string("\x82\xfe\x00\x05\x01\x02\x03\x04", 8) + "media", "shortest form",
            LIVETCP_ERR_PROTOCOL, 1002);
    failure(std::string("\x82\xff\x80\0\0\0\0\0\0\0\x01\x02\x03\x04x", 15), "shortest form",
            LIVETCP_ERR_PROTOCOL, 1002);
    failure(frame(FIN | BINARY, std::string(LT_WS_MESSAGE_MAX + 1, 'x'), true), "1 MiB",
            LIVETCP_ERR_FRAME_TOO_LARGE, 1009);
    failure(frame(BINARY, std::string(LT_WS_MESSAGE_MAX - 1, 'x'), true) +
                frame(CONTINUATION, "ab", true),
            "1 MiB", LIVETCP_ERR_FRAME_TOO_LARGE, 1009);
    failure(frame(FIN | CLOSE, "x", true), "a code that must not", LIVETCP_ERR_PROTOCOL, 1002);
    failure(frame(FIN | CLOSE, with_code(1005), true), "a code that must not", LIVETCP_ERR_PROTOCOL,
            1002);

    Pair pair;
    pair.caller.receive(frame(FIN | BINARY, "x", true));
    CHECK(pair.caller.says("masked"));
}

TEST_CASE("messages of a mebibyte pass")
{
    Pair pair;
    std::string message(LT_WS_MESSAGE_MAX, 'x');

    CHECK(pair.listener.receive(frame(FIN | BINARY, message, true)) == message);
    CHECK(pair.listener.receive(frame(FIN | BINARY, message, true)) == message);
}

TEST_CASE("a closing frame, and reasons both ways")
{
    struct {
        livetcp_result reason;
        unsigned code;
        livetcp_result heard; /* LIVETCP_OK: an orderly end */
    } cases[] = {
        {LIVETCP_OK, 1000, LIVETCP_OK},
        {LIVETCP_ERR_CLOSED, 1000, LIVETCP_OK},
        {LIVETCP_ERR_CONNECTION_LOST, 1001, LIVETCP_OK},
        {LIVETCP_ERR_PROTOCOL, 1002, LIVETCP_ERR_PROTOCOL},
        {LIVETCP_ERR_GARBAGE, 1002, LIVETCP_ERR_PROTOCOL},
        {LIVETCP_ERR_NOT_SUPPORTED, 1003, LIVETCP_ERR_NOT_SUPPORTED},
        {LIVETCP_ERR_CANCELLED, 1008, LIVETCP_ERR_CANCELLED},
        {LIVETCP_ERR_BAD_PROOF, 1008, LIVETCP_ERR_CANCELLED},
        {LIVETCP_ERR_FRAME_TOO_LARGE, 1009, LIVETCP_ERR_FRAME_TOO_LARGE},
        {LIVETCP_ERR_NO_MEMORY, 1011, LIVETCP_ERR_SYSTEM},
        {LIVETCP_ERR_TOO_MANY_SESSIONS, 1013, LIVETCP_ERR_TOO_MANY_SESSIONS},
    };
    for (const auto &c : cases) {
        Pair pair;
        INFO(livetcp_result_text(c.reason));
        lt_ws_end(pair.listener.ws, c.reason);
        CHECK(pair.listener.write("late") == LIVETCP_ERR_BAD_STATE);
        std::string bytes = pair.listener.output();
        CHECK(bytes.substr(2, 2) == with_code(c.code));
        pair.caller.receive(bytes);
        if (c.heard == LIVETCP_OK) {
            CHECK(pair.caller.state() == LT_WS_ENDED);
        } else {
            CHECK(pair.caller.says(std::to_string(c.code)));
            CHECK(pair.caller.says(livetcp_result_text(c.reason)));
            CHECK(lt_ws_error(pair.caller.ws)->code == c.heard);
        }
        std::string echo = pair.caller.output(); /* masked, with the same code */
        REQUIRE(echo.size() == 8);
        CHECK(pair.caller.write("late") != LIVETCP_OK);
        pair.listener.receive(echo);
        CHECK(pair.listener.output().empty());
    }
}

TEST_CASE("closing frames of others")
{
    {
        Pair pair;
        pair.listener.receive(frame(FIN | BINARY, "last", true) + frame(FIN | CLOSE, "", true));
        CHECK(pair.listener.state() == LT_WS_ENDED);
        CHECK(pair.listener.output() == frame(FIN | CLOSE, "", false));
    }
    {
        Pair pair;
        pair.listener.receive(frame(FIN | CLOSE, with_code(4321, "go\x01 away"), true));
        CHECK(pair.listener.says("4321: go? away"));
        CHECK(lt_ws_error(pair.listener.ws)->code == LIVETCP_ERR_CONNECTION_LOST);
    }
    Pair pair;
    pair.listener.receive(frame(FIN | CLOSE, with_code(1012), true) + frame(FIN | TEXT, "x", true));
    CHECK(pair.listener.state() == LT_WS_ENDED);
}
