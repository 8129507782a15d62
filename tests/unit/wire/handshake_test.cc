/* SPDX-License-Identifier: MIT */
/* Handshakes between a caller and a listener. */
#include "catch.h"

#include "handshake_fixture.h"

namespace
{

/* A joining connection, up to the caller's receipt of CHALLENGE. */
struct Joining {
    Caller caller;
    Inbound inbound;
    Bytes challenge;

    Joining(Established &session, unsigned index)
    {
        REQUIRE(inbound.receive(caller.start(session.caller, index, 5, session.random)) ==
                LT_PENDING_LOOKUP);
        REQUIRE(lt_pending_connection_challenge(inbound.inbound, &session.listener, Random::draw,
                                                &session.random, &inbound.reply) == LIVETCP_OK);
        challenge = bytes_of(inbound.reply);
    }
};

livetcp_result rejected_for(const lt_reply &reply)
{
    lt_control message;
    if (!reply.size || decode_frame(bytes_of(reply), &message) != LIVETCP_OK ||
        message.type != LT_CONTROL_REJECT)
        return LIVETCP_OK;
    return lt_control_reason(&message);
}

} // namespace

TEST_CASE("a session is created, confirmed and joined")
{
    Established session(7, 2);
    REQUIRE(session.done);
    CHECK(!memcmp(session.caller.key, session.listener.key, LT_KEY_SIZE));

    for (unsigned index = 0; index < 5; index++) {
        Joining joining(session, index);
        CHECK(lt_pending_connection_request(joining.inbound.inbound)->index == index);
        REQUIRE(joining.caller.receive(session.caller, joining.challenge) == LIVETCP_OK);
        CHECK_FALSE(joining.caller.handshake.joined);
        REQUIRE(joining.inbound.receive(bytes_of(joining.caller.reply)) == LT_PENDING_PROVED);
        REQUIRE(joining.caller.receive(session.caller, bytes_of(joining.inbound.reply)) ==
                LIVETCP_OK);
        CHECK(joining.caller.handshake.joined);
    }
}

TEST_CASE("seeded runs are the same, others differ")
{
    Established one(7), again(7), other(8);
    CHECK(!memcmp(one.caller.key, again.caller.key, LT_KEY_SIZE));
    CHECK(memcmp(one.caller.key, other.caller.key, LT_KEY_SIZE) != 0);
}

TEST_CASE("media pipelined behind CREATE is left for the session")
{
    Random random(1);
    lt_credentials credentials, made;
    Caller caller;
    Inbound inbound;
    Bytes media = {0, 2, 0x80, 0x60};

    lt_credentials_create(&credentials, nullptr, Random::draw, &random);
    Bytes stream = caller.start(credentials, 0, 5, random);
    size_t create_size = stream.size();
    stream.insert(stream.end(), media.begin(), media.end());

    SECTION("in one read")
    {
        REQUIRE(inbound.receive(stream) == LT_PENDING_CREATE);
        CHECK(inbound.rest == media);
    }
    SECTION("cut at every byte of CREATE")
    {
        for (size_t cut = 0; cut < create_size; cut++) {
            Inbound other;
            Bytes head(stream.begin(), stream.begin() + (long)cut);
            REQUIRE(other.receive(head) == LT_PENDING_MORE);
            CHECK(other.rest.empty());
            REQUIRE(other.receive(Bytes(stream.begin() + (long)cut, stream.end())) ==
                    LT_PENDING_CREATE);
            CHECK(other.rest == media);
        }
        REQUIRE(inbound.receive(stream) == LT_PENDING_CREATE);
    }
    CHECK(!memcmp(lt_pending_connection_request(inbound.inbound)->session_id,
                  credentials.session_id, LT_SESSION_ID_SIZE));
    CHECK(lt_pending_connection_accept(inbound.inbound, &made, Random::draw, &random,
                                       &inbound.reply) == LIVETCP_OK);
}

TEST_CASE("media behind PROOF is left for the session")
{
    Established session(1);
    Joining joining(session, 1);
    Bytes media = {0, 2, 0x80, 0x60};

    REQUIRE(joining.caller.receive(session.caller, joining.challenge) == LIVETCP_OK);
    Bytes stream = bytes_of(joining.caller.reply);
    stream.insert(stream.end(), media.begin(), media.end());
    REQUIRE(joining.inbound.receive(stream) == LT_PENDING_PROVED);
    CHECK(joining.inbound.rest == media);
}

/* ---- attacks ---- */

TEST_CASE("a recorded PROOF is worth nothing on a second connection")
{
    Established session(1);
    Joining recorded(session, 1);
    Caller first = recorded.caller;
    Bytes join(recorded.caller.opening.frame,
               recorded.caller.opening.frame + recorded.caller.opening.size);
    REQUIRE(first.receive(session.caller, recorded.challenge) == LIVETCP_OK);
    Bytes proof = bytes_of(first.reply);
    REQUIRE(recorded.inbound.receive(proof) == LT_PENDING_PROVED);

    Inbound replay; /* receives the caller's exact bytes */
    REQUIRE(replay.receive(join) == LT_PENDING_LOOKUP);
    REQUIRE(lt_pending_connection_challenge(replay.inbound, &session.listener, Random::draw,
                                            &session.random, &replay.reply) == LIVETCP_OK);
    CHECK(replay.receive(proof) == LT_PENDING_FAILED);
    CHECK(replay.error == LIVETCP_ERR_BAD_PROOF);
    CHECK(rejected_for(replay.reply) == LIVETCP_ERR_BAD_PROOF);
}

namespace
{

/* A connection that joins with a ticket. */
struct Ticketed {
    Caller caller;
    Inbound inbound;
    Bytes join;

    Ticketed(Established &session, uint32_t ticket, unsigned index = 5)
    {
        caller.start(session.caller, index, index + 1, session.random);
        REQUIRE(lt_caller_use_ticket(&caller.handshake, &session.caller, ticket, &caller.opening) ==
                LIVETCP_OK);
        join = Bytes(caller.opening.frame, caller.opening.frame + caller.opening.size);
    }
};

} // namespace

TEST_CASE("a ticket lets media follow JOIN at once, and the listener proves itself all the same")
{
    Established session(7);
    Ticketed joining(session, 3);
    CHECK(joining.caller.handshake.proved);
    CHECK(joining.caller.handshake.unanswered);
    Bytes media = {0, 2, 0x80, 0x60};
    Bytes both = joining.join;
    both.insert(both.end(), media.begin(), media.end());
    REQUIRE(joining.inbound.receive(both) == LT_PENDING_LOOKUP);
    CHECK(joining.inbound.rest == media);
    CHECK(lt_pending_connection_ticket(joining.inbound.inbound) == 0);
    REQUIRE(lt_pending_connection_redeem(joining.inbound.inbound, &session.listener,
                                         &joining.inbound.reply) == LIVETCP_OK);
    CHECK(lt_pending_connection_ticket(joining.inbound.inbound) == 3);
    Bytes answer = bytes_of(joining.inbound.reply);
    REQUIRE(joining.inbound.receive(media) == LT_PENDING_PROVED);
    CHECK(joining.inbound.rest == media);
    Bytes joined = bytes_of(joining.inbound.reply);

    Caller early = joining.caller;
    CHECK(early.receive(session.caller, joined) == LIVETCP_ERR_PROTOCOL);
    REQUIRE(joining.caller.receive(session.caller, answer) == LIVETCP_OK);
    CHECK(joining.caller.reply.size == 0);
    CHECK_FALSE(joining.caller.handshake.unanswered);
    CHECK(joining.caller.receive(session.caller, answer) == LIVETCP_ERR_PROTOCOL);
    REQUIRE(joining.caller.receive(session.caller, joined) == LIVETCP_OK);
    CHECK(joining.caller.handshake.joined);
}

TEST_CASE("a ticket of another number, index, nonce or session is refused")
{
    Established session(7), other(8);
    for (size_t at : {LT_FRAME_HEADER + 12 + 1, LT_FRAME_HEADER + 12 + 4 + 16,
                      LT_FRAME_HEADER + 12 + 4 + 32 + 3, LT_FRAME_HEADER + 12 + 4 + 36}) {
        CAPTURE(at);
        Ticketed joining(session, 3, 4);
        joining.join[at] ^= 1;
        if (at == LT_FRAME_HEADER + 12 + 1)
            joining.join[at + 1] = 32; /* every index is in range */
        REQUIRE(joining.inbound.receive(joining.join) == LT_PENDING_LOOKUP);
        CHECK(lt_pending_connection_redeem(joining.inbound.inbound, &session.listener,
                                           &joining.inbound.reply) == LIVETCP_ERR_BAD_PROOF);
        CHECK(joining.inbound.reply.size == 0);
        CHECK(lt_pending_connection_ticket(joining.inbound.inbound) == 0);
    }
    Ticketed joining(session, 3);
    REQUIRE(joining.inbound.receive(joining.join) == LT_PENDING_LOOKUP);
    CHECK(lt_pending_connection_redeem(joining.inbound.inbound, &other.listener,
                                       &joining.inbound.reply) == LIVETCP_ERR_BAD_PROOF);

    Joining without(session, 1);
    CHECK(lt_pending_connection_redeem(without.inbound.inbound, &session.listener,
                                       &without.inbound.reply) == LIVETCP_ERR_BAD_STATE);
}

TEST_CASE("a listener that cannot answer a ticket is not believed")
{
    Established session(7), other(8);
    Ticketed joining(session, 3);
    joining.inbound.receive(joining.join);
    Joining strange(other, 1);
    CHECK(joining.caller.receive(session.caller, strange.challenge) == LIVETCP_ERR_BAD_PROOF);
}

TEST_CASE("the listener's own MAC sent back is no proof")
{
    Established session(1);
    Joining joining(session, 1);
    lt_control challenge;
    REQUIRE(decode_frame(joining.challenge, &challenge) == LIVETCP_OK);
    lt_control proof = {};
    proof.type = LT_CONTROL_PROOF;
    memcpy(proof.mac, challenge.mac, LT_MAC_SIZE);
    CHECK(joining.inbound.receive(encode(proof)) == LT_PENDING_FAILED);
    CHECK(joining.inbound.error == LIVETCP_ERR_BAD_PROOF);
}

TEST_CASE("the caller's own messages sent back are no challenge")
{
    Established session(1);
    Caller caller;
    Bytes join = caller.start(session.caller, 1, 5, session.random);
    CHECK(caller.receive(session.caller, join) == LIVETCP_ERR_PROTOCOL);
}

TEST_CASE("who lacks the key neither joins nor challenges")
{
    Established session(1), stranger(2);
    memcpy(stranger.caller.session_id, session.caller.session_id, LT_SESSION_ID_SIZE);
    memcpy(stranger.listener.session_id, session.caller.session_id, LT_SESSION_ID_SIZE);

    SECTION("a caller that makes up a proof")
    {
        Joining joining(session, 1);
        lt_control proof = {};
        proof.type = LT_CONTROL_PROOF;
        CHECK(joining.inbound.receive(encode(proof)) == LT_PENDING_FAILED);
        CHECK(joining.inbound.error == LIVETCP_ERR_BAD_PROOF);
    }
    SECTION("a listener that takes the caller of another")
    {
        Caller caller;
        Inbound inbound;
        REQUIRE(inbound.receive(caller.start(session.caller, 1, 5, session.random)) ==
                LT_PENDING_LOOKUP);
        REQUIRE(lt_pending_connection_challenge(inbound.inbound, &stranger.listener, Random::draw,
                                                &stranger.random, &inbound.reply) == LIVETCP_OK);
        CHECK(caller.receive(session.caller, bytes_of(inbound.reply)) == LIVETCP_ERR_BAD_PROOF);
        CHECK(caller.reply.size == 0);
    }
}

TEST_CASE("an index changed on the way is noticed at both ends")
{
    Established session(1);
    Caller caller;
    Inbound inbound;
    Bytes join = caller.start(session.caller, 1, 5, session.random);
    join[LT_FRAME_HEADER + 13] = 2;
    REQUIRE(inbound.receive(join) == LT_PENDING_LOOKUP);
    REQUIRE(lt_pending_connection_challenge(inbound.inbound, &session.listener, Random::draw,
                                            &session.random, &inbound.reply) == LIVETCP_OK);
    CHECK(caller.receive(session.caller, bytes_of(inbound.reply)) == LIVETCP_ERR_BAD_PROOF);

    /* A proof that the caller computes for its own index does not admit it at another. */
    lt_control challenge, proof = {};
    REQUIRE(decode_frame(bytes_of(inbound.reply), &challenge) == LIVETCP_OK);
    proof.type = LT_CONTROL_PROOF;
    REQUIRE(lt_authenticator_compute(&session.caller, LT_AUTHENTICATOR_CALLER, 1,
                                     caller.handshake.nonce, challenge.nonce,
                                     proof.mac) == LIVETCP_OK);
    CHECK(inbound.receive(encode(proof)) == LT_PENDING_FAILED);
    CHECK(inbound.error == LIVETCP_ERR_BAD_PROOF);
}

TEST_CASE("a session cannot be created with a public key of low order")
{
    Random random(1);
    lt_credentials credentials, made;
    Caller caller;
    Inbound inbound;

    lt_credentials_create(&credentials, nullptr, Random::draw, &random);
    memset(credentials.public_key, 0, LT_KEY_SIZE);
    REQUIRE(inbound.receive(caller.start(credentials, 0, 1, random)) == LT_PENDING_CREATE);
    CHECK(lt_pending_connection_accept(inbound.inbound, &made, Random::draw, &random,
                                       &inbound.reply) == LIVETCP_ERR_BAD_PROOF);
    CHECK(inbound.reply.size == 0);
    CHECK_FALSE(made.has_key);
    lt_pending_connection_reject(inbound.inbound, LIVETCP_ERR_BAD_PROOF, &inbound.reply);
    CHECK(rejected_for(inbound.reply) == LIVETCP_ERR_BAD_PROOF);
}

TEST_CASE("an ACCEPT changed in any bit leaves the caller without a key")
{
    Random random(1);
    lt_credentials credentials, made;
    Caller caller;
    Inbound inbound;

    lt_credentials_create(&credentials, nullptr, Random::draw, &random);
    inbound.receive(caller.start(credentials, 0, 5, random));
    REQUIRE(lt_pending_connection_accept(inbound.inbound, &made, Random::draw, &random,
                                         &inbound.reply) == LIVETCP_OK);
    Bytes accept = bytes_of(inbound.reply);
    /* From the nonce on: header, version, reserved and capabilities come before it. */
    for (size_t bit = (LT_FRAME_HEADER + 20) * 8; bit < accept.size() * 8; bit++) {
        CAPTURE(bit);
        Bytes changed = accept;
        Caller same = caller;
        lt_credentials trial = credentials;
        changed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(same.receive(trial, changed) == LIVETCP_ERR_BAD_PROOF);
        CHECK_FALSE(trial.has_key);
        CHECK(!memcmp(&trial, &credentials, sizeof trial));
    }
    CHECK(caller.receive(credentials, accept) == LIVETCP_OK);
    CHECK(credentials.has_key);
}

TEST_CASE("the first connection's proof is checked by the session")
{
    Random random(1);
    lt_credentials credentials, made;
    Caller caller;
    Inbound inbound;
    lt_pending_authenticator pending;
    lt_control proof;
    lt_reply reply;

    lt_credentials_create(&credentials, nullptr, Random::draw, &random);
    inbound.receive(caller.start(credentials, 3, 5, random));
    lt_pending_connection_accept(inbound.inbound, &made, Random::draw, &random, &inbound.reply);
    lt_pending_connection_authenticator(inbound.inbound, &pending);
    REQUIRE(pending.pending);
    CHECK(pending.index == 3);
    REQUIRE(caller.receive(credentials, bytes_of(inbound.reply)) == LIVETCP_OK);
    REQUIRE(decode_frame(bytes_of(caller.reply), &proof) == LIVETCP_OK);

    lt_control wrong = proof, other = proof;
    wrong.mac[0] ^= 1;
    other.type = LT_CONTROL_PING;
    CHECK(lt_pending_authenticator_confirm(&pending, &made, &wrong, &reply) ==
          LIVETCP_ERR_BAD_PROOF);
    CHECK(lt_pending_authenticator_confirm(&pending, &made, &other, &reply) ==
          LIVETCP_ERR_PROTOCOL);
    CHECK(reply.size == 0);
    CHECK(lt_pending_authenticator_confirm(&pending, &made, &proof, &reply) == LIVETCP_OK);
    CHECK(lt_pending_authenticator_confirm(&pending, &made, &proof, &reply) ==
          LIVETCP_ERR_PROTOCOL);
}

/* ---- messages out of order ---- */

TEST_CASE("the caller takes each message in its place only")
{
    Established session(1);
    Joining joining(session, 1);
    Caller caller = joining.caller;
    lt_control joined = {};
    joined.type = LT_CONTROL_JOINED;

    CHECK(caller.receive(session.caller, encode(joined)) == LIVETCP_ERR_PROTOCOL);
    REQUIRE(caller.receive(session.caller, joining.challenge) == LIVETCP_OK);
    CHECK(caller.receive(session.caller, joining.challenge) == LIVETCP_ERR_PROTOCOL);
    REQUIRE(caller.receive(session.caller, encode(joined)) == LIVETCP_OK);
    CHECK(caller.receive(session.caller, encode(joined)) == LIVETCP_ERR_PROTOCOL);

    for (lt_control_type type : {LT_CONTROL_ACCEPT, LT_CONTROL_PROOF, LT_CONTROL_PING}) {
        lt_control message = {};
        message.type = type;
        message.version = LT_WIRE_VERSION;
        Caller fresh = joining.caller;
        CHECK(fresh.receive(session.caller, encode(message)) == LIVETCP_ERR_PROTOCOL);
        CHECK(fresh.reply.size == 0);
    }
}

TEST_CASE("the caller reports why it was turned away")
{
    Established session(1);
    Inbound inbound;
    Caller caller;

    REQUIRE(inbound.receive(caller.start(session.caller, 1, 5, session.random)) ==
            LT_PENDING_LOOKUP);
    lt_pending_connection_reject(inbound.inbound, LIVETCP_ERR_UNKNOWN_SESSION, &inbound.reply);
    CHECK(caller.receive(session.caller, bytes_of(inbound.reply)) == LIVETCP_ERR_UNKNOWN_SESSION);
    CHECK(inbound.receive(Bytes()) == LT_PENDING_FAILED);
    CHECK(inbound.error == LIVETCP_ERR_BAD_STATE);
}

TEST_CASE("no randomness, no handshake")
{
    Established session(1);
    Caller caller;
    Random none(1);
    none.budget = 0;
    CHECK(lt_caller_start(&caller.handshake, &session.caller, nullptr, 0, 5, Random::draw, &none,
                          &caller.opening) == LIVETCP_ERR_SYSTEM);
    CHECK(caller.reply.size == 0);

    Inbound joining;
    joining.receive(caller.start(session.caller, 0, 5, session.random));
    CHECK(lt_pending_connection_challenge(joining.inbound, &session.listener, Random::draw, &none,
                                          &joining.reply) == LIVETCP_ERR_SYSTEM);
    CHECK(joining.reply.size == 0);
}
