/* SPDX-License-Identifier: MIT */
/* Stream ids, tokens and roles in CREATE, and their coverage by the MACs. */
#include "catch.h"

#include "handshake_fixture.h"

#include <string>

extern "C" {
#include "wire/frame.h"
}

namespace
{

const lt_channel_binding channel = {true, {1, 2, 3}};

/* A first connection whose frames a test may modify. */
struct Entry {
    Random random{1};
    lt_credentials credentials, listener;
    std::string stream_id, token;
    Caller caller;
    Inbound inbound;
    Bytes create, accept;

    explicit Entry(const std::string &id = "", const std::string &secret = "",
                   livetcp_role role = LIVETCP_ROLE_BOTH, bool tls = true)
        : stream_id(id), token(secret)
    {
        memset(&listener, 0, sizeof listener);
        REQUIRE(lt_credentials_create(&credentials, nullptr, Random::draw, &random) == LIVETCP_OK);
        caller.introduction = {role, stream_id.c_str(), token.c_str()};
        create = caller.start(credentials, 0, 1, random);
        if (tls) {
            lt_caller_bind(&caller.handshake, &channel);
            lt_pending_connection_bind(inbound.inbound, &channel);
        }
    }

    lt_pending_step receive_create()
    {
        lt_pending_step step = inbound.receive(create);
        if (step == LT_PENDING_CREATE) {
            REQUIRE(lt_pending_connection_accept(inbound.inbound, &listener, Random::draw, &random,
                                                 &inbound.reply) == LIVETCP_OK);
            accept = bytes_of(inbound.reply);
        }
        return step;
    }

    /* Runs up to PROOF, unless the caller refuses ACCEPT. */
    livetcp_result answer(lt_pending_step *step)
    {
        livetcp_result result = caller.receive(credentials, accept);
        *step = result == LIVETCP_OK ? inbound.receive(bytes_of(caller.reply)) : LT_PENDING_MORE;
        return result;
    }

    lt_introduction told() const
    {
        return lt_pending_connection_introduction(inbound.inbound);
    }
};

size_t capabilities_at(const Bytes &)
{
    return LT_FRAME_HEADER + 12 + 4 + 3;
}

void write_be16(Bytes &bytes, size_t at, size_t value)
{
    bytes[at] = (uint8_t)(value >> 8);
    bytes[at + 1] = (uint8_t)value;
}

} // namespace

TEST_CASE("stream id, token and role reach the listener, of any size that is allowed")
{
    for (size_t id : {0, 1, 2, 3, 4, 5, 511, 512}) {
        for (size_t token : {0, 1, 6, 2047, 2048}) {
            INFO(id << " " << token);
            Entry entry(std::string(id, 'n'), std::string(token, 't'), LIVETCP_ROLE_SUBSCRIBE);
            CHECK(entry.create.size() % 4 == LT_FRAME_HEADER % 4);
            lt_pending_step step;
            REQUIRE(entry.receive_create() == LT_PENDING_CREATE);
            CHECK(entry.told().stream_id == entry.stream_id);
            CHECK(entry.told().token == entry.token);
            CHECK(entry.told().role == LIVETCP_ROLE_SUBSCRIBE);
            REQUIRE(entry.answer(&step) == LIVETCP_OK);
            CHECK(step == LT_PENDING_PROVED);
            lt_pending_connection_forget_token(entry.inbound.inbound);
            CHECK(std::string(entry.told().token).empty());
            CHECK(entry.told().stream_id == entry.stream_id);
        }
    }
}

TEST_CASE("the layout of an introduction is the one in docs/reference/wire-format.md")
{
    Entry entry("caf\xc3\xa9", "abc", LIVETCP_ROLE_PUBLISH);
    const Bytes &c = entry.create;
    REQUIRE(c.size() == LT_FRAME_HEADER + LT_CREATE_FIXED + 4 + 8);
    CHECK(c[LT_FRAME_HEADER + 12 + 3] == 1); /* role */
    CHECK(c[capabilities_at(c)] == LT_CAPABILITIES);
    CHECK(Bytes(c.begin() + LT_FRAME_HEADER + LT_CREATE_FIXED, c.end()) ==
          Bytes({0, 5, 0, 3, 'c', 'a', 'f', 0xc3, 0xa9, 'a', 'b', 'c'}));
}

TEST_CASE("a malformed introduction is refused")
{
    const size_t sizes = LT_FRAME_HEADER + LT_CREATE_FIXED;
    Entry entry("name", "token");
    Bytes &create = entry.create;

    SECTION("a stream id beyond the limit")
    {
        write_be16(create, sizes, 513);
    }
    SECTION("a token beyond the limit")
    {
        write_be16(create, sizes + 2, 2049);
    }
    SECTION("beyond the packet")
    {
        write_be16(create, sizes + 2, 9);
    }
    SECTION("not UTF-8")
    {
        create[sizes + 4] = 0xff;
    }
    SECTION("a NUL")
    {
        create[sizes + 4] = 0;
    }
    SECTION("a control character")
    {
        create[sizes + 8] = 0x1b;
    }
    SECTION("an unknown role")
    {
        create[LT_FRAME_HEADER + 12 + 3] = 3;
    }
    CHECK(entry.receive_create() == LT_PENDING_FAILED);
    CHECK(entry.inbound.error == LIVETCP_ERR_PROTOCOL);
}

TEST_CASE("a listener refuses a token that everybody can read, and takes a stream id")
{
    Entry named("studio", "", LIVETCP_ROLE_BOTH, false), bearer("", "t", LIVETCP_ROLE_BOTH, false);
    CHECK(named.receive_create() == LT_PENDING_CREATE);
    CHECK(bearer.receive_create() == LT_PENDING_FAILED);
    CHECK(bearer.inbound.error == LIVETCP_ERR_TLS);
    lt_control reject;
    const lt_reply &said = bearer.inbound.reply;
    REQUIRE(lt_control_decode(said.frame + LT_FRAME_HEADER, said.size - LT_FRAME_HEADER, &reject) ==
            LIVETCP_OK);
    CHECK(reject.reason == LT_REASON_PROTOCOL);
    CHECK(std::string(reject.text) == "a token is taken under TLS or a passphrase only");
}

TEST_CASE("what somebody changes on the way is noticed")
{
    Entry entry("studio", "", LIVETCP_ROLE_SUBSCRIBE, false);
    lt_pending_step step;

    SECTION("the stream id")
    {
        entry.create[LT_FRAME_HEADER + LT_CREATE_FIXED + 4] ^= 1;
    }
    SECTION("the role")
    {
        entry.create[LT_FRAME_HEADER + 12 + 3] = LIVETCP_ROLE_PUBLISH;
    }
    SECTION("a capability that does not exist yet")
    {
        entry.create[capabilities_at(entry.create) - 3] = 1;
    }
    SECTION("padding")
    {
        entry.create.back() ^= 1;
    }
    REQUIRE(entry.receive_create() == LT_PENDING_CREATE);
    CHECK(entry.answer(&step) == LIVETCP_ERR_BAD_PROOF);
    CHECK_FALSE(entry.credentials.has_key);
}

TEST_CASE("a capability that is taken out of ACCEPT alone is noticed")
{
    Entry entry("", "", LIVETCP_ROLE_SUBSCRIBE);
    lt_pending_step step;
    REQUIRE(entry.receive_create() == LT_PENDING_CREATE);
    entry.accept[capabilities_at(entry.accept)] = 0;
    CHECK(entry.answer(&step) == LIVETCP_ERR_BAD_PROOF);
}

/* Without the bit in CREATE, ACCEPT and the MACs equal those of version 0.2. */
TEST_CASE("with a peer that knows no receipts there are none")
{
    Entry entry("studio");
    lt_pending_step step;
    entry.create[capabilities_at(entry.create)] = LT_CAPABILITY_INTRODUCTION;
    REQUIRE(entry.receive_create() == LT_PENDING_CREATE);
    CHECK(entry.accept[capabilities_at(entry.accept)] == LT_CAPABILITY_INTRODUCTION);
    CHECK(lt_pending_connection_capabilities(entry.inbound.inbound) == LT_CAPABILITY_INTRODUCTION);
    /* The caller had sent more: a change in transit, which the MACs detect. */
    CHECK(entry.answer(&step) == LIVETCP_ERR_BAD_PROOF);
}

TEST_CASE("with an old listener a caller does without an introduction, or goes")
{
    lt_pending_step step;
    Entry plain("", "", LIVETCP_ROLE_PUBLISH), named("studio"), bearer("", "token");

    for (Entry *entry : {&plain, &named, &bearer}) {
        entry->create[capabilities_at(entry->create)] = 0;
        REQUIRE(entry->receive_create() == LT_PENDING_CREATE);
        CHECK(std::string(entry->told().stream_id).empty());
        CHECK(std::string(entry->told().token).empty());
        CHECK(entry->told().role == LIVETCP_ROLE_BOTH);
        CHECK(entry->accept[capabilities_at(entry->accept)] == 0);
    }
    CHECK(plain.answer(&step) == LIVETCP_OK);
    CHECK(step == LT_PENDING_PROVED);
    CHECK(named.answer(&step) == LIVETCP_ERR_NO_INTRODUCTION);
    CHECK(bearer.answer(&step) == LIVETCP_ERR_NO_INTRODUCTION);
}

TEST_CASE("a bound session's first PROOF covers the introduction")
{
    Entry entry("studio");
    lt_pending_authenticator proof;
    lt_control message;
    lt_reply joined;
    REQUIRE(entry.receive_create() == LT_PENDING_CREATE);
    lt_pending_connection_authenticator(entry.inbound.inbound, &proof);
    REQUIRE(entry.caller.receive(entry.credentials, entry.accept) == LIVETCP_OK);
    REQUIRE(decode_frame(bytes_of(entry.caller.reply), &message) == LIVETCP_OK);
    lt_pending_authenticator other = proof;
    other.transcript.create[0] ^= 1;
    CHECK(lt_pending_authenticator_confirm(&other, &entry.listener, &message, &joined) ==
          LIVETCP_ERR_BAD_PROOF);
    CHECK(lt_pending_authenticator_confirm(&proof, &entry.listener, &message, &joined) ==
          LIVETCP_OK);
}

TEST_CASE("REJECT carries the application's code and words")
{
    Inbound inbound;
    lt_control message;
    std::string longest(LT_REJECT_TEXT_MAX - 1, 'x');

    for (const std::string &text : {std::string("no such stream"), std::string(), longest + "y",
                                    std::string("caf\xc3\xa9")}) {
        lt_pending_connection_reject_with(inbound.inbound, LIVETCP_ERR_CANCELLED, 404, text.c_str(),
                                          &inbound.reply);
        REQUIRE(decode_frame(bytes_of(inbound.reply), &message) == LIVETCP_OK);
        CHECK(message.code == 404);
        CHECK(message.text == text);
        CHECK(lt_control_reason(&message) == LIVETCP_ERR_CANCELLED);
    }
    /* A character that would be truncated is omitted, and so is text with control characters. */
    lt_pending_connection_reject_with(inbound.inbound, LIVETCP_ERR_CANCELLED, 0,
                                      (longest + "\xc3\xa9").c_str(), &inbound.reply);
    REQUIRE(decode_frame(bytes_of(inbound.reply), &message) == LIVETCP_OK);
    CHECK(message.text == longest);
    lt_pending_connection_reject_with(inbound.inbound, LIVETCP_ERR_CANCELLED, 1, "\x1b[31m",
                                      &inbound.reply);
    REQUIRE(decode_frame(bytes_of(inbound.reply), &message) == LIVETCP_OK);
    CHECK(std::string(message.text).empty());
    CHECK(message.code == 1);
}

TEST_CASE("a peer's REJECT is read, and words that cannot be shown are not")
{
    Inbound inbound;
    lt_control message;
    lt_pending_connection_reject_with(inbound.inbound, LIVETCP_ERR_CANCELLED, 403, "token",
                                      &inbound.reply);
    Bytes frame = bytes_of(inbound.reply);
    const size_t size_at = LT_FRAME_HEADER + 12 + 1, text_at = LT_FRAME_HEADER + 12 + 4;

    SECTION("an escape sequence")
    {
        frame[text_at] = 0x1b;
    }
    SECTION("longer than the packet")
    {
        frame[size_at] = 9;
    }
    SECTION("longer than any")
    {
        frame[size_at] = 255;
    }
    REQUIRE(decode_frame(frame, &message) == LIVETCP_OK);
    CHECK(std::string(message.text).empty());
    CHECK(message.code == 403);
}

TEST_CASE("only callers that know WAIT are told to wait")
{
    Entry present, old;
    old.create[capabilities_at(old.create)] = 0;
    lt_reply reply;
    for (Entry *entry : {&present, &old}) {
        REQUIRE(entry->receive_create() == LT_PENDING_CREATE);
        lt_pending_connection_wait(entry->inbound.inbound, &reply);
        CHECK((reply.size > 0) == (entry == &present));
    }
}
