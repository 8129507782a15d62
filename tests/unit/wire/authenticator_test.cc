/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include "handshake_fixture.h"

#include <algorithm>
#include <openssl/err.h>
#include <string>

namespace
{

/* Points of small order on Curve25519 and its twist, little-endian: they give the all-zero secret
 * that RFC 7748 section 6.1 says to check for. */
const uint8_t low_order[][LT_KEY_SIZE] = {
    {0},
    {1},
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
     0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
     0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1,
     0x55, 0x9c, 0x83, 0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c,
     0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
};

bool all_zero(const void *data, size_t size)
{
    const uint8_t *bytes = static_cast<const uint8_t *>(data);
    return std::all_of(bytes, bytes + size, [](uint8_t b) { return b == 0; });
}

struct Pair {
    Random random;
    lt_credentials caller, listener;

    explicit Pair(uint64_t seed) : random(seed)
    {
        REQUIRE(lt_credentials_create(&caller, nullptr, Random::draw, &random) == LIVETCP_OK);
        REQUIRE(lt_credentials_create(&listener, caller.session_id, Random::draw, &random) ==
                LIVETCP_OK);
    }
    void agree()
    {
        REQUIRE(lt_credentials_agree(&caller, listener.public_key) == LIVETCP_OK);
        REQUIRE(lt_credentials_agree(&listener, caller.public_key) == LIVETCP_OK);
    }
};

/* livetcp_random_fn that counts up from the byte at `user`. */
livetcp_result count_up(void *user, uint8_t *bytes, size_t size)
{
    uint8_t *next = static_cast<uint8_t *>(user);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (*next)++;
    return LIVETCP_OK;
}

std::string hex(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < size; i++)
        text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
    return text;
}

} // namespace

/* The values in docs/reference/wire-format.md, computed by an independent implementation of X25519
 * and HKDF. */
TEST_CASE("the example in the specification")
{
    lt_credentials caller, listener;
    uint8_t session_id[LT_SESSION_ID_SIZE], caller_nonce[LT_NONCE_SIZE],
        listener_nonce[LT_NONCE_SIZE], mac[LT_MAC_SIZE];
    uint8_t next = 0x00;
    count_up(&next, session_id, sizeof session_id);
    next = 0x20;
    lt_credentials_create(&caller, session_id, count_up, &next);
    caller.role = LT_AUTHENTICATOR_CALLER;
    next = 0x60;
    lt_credentials_create(&listener, session_id, count_up, &next);
    next = 0xa0;
    count_up(&next, caller_nonce, sizeof caller_nonce);
    next = 0xc0;
    count_up(&next, listener_nonce, sizeof listener_nonce);

    CHECK(hex(caller.public_key, LT_KEY_SIZE) ==
          "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254");
    CHECK(hex(listener.public_key, LT_KEY_SIZE) ==
          "675dd574ed7789310b3d2e7681f3790b466c773b1521fecf36577958371ea52f");
    REQUIRE(lt_credentials_agree(&caller, listener.public_key) == LIVETCP_OK);
    REQUIRE(lt_credentials_agree(&listener, caller.public_key) == LIVETCP_OK);
    for (const lt_credentials *side : {&caller, &listener})
        CHECK(hex(side->key, LT_KEY_SIZE) ==
              "8521776d536a873e1e198944e22d219c5d37013b0d8c3951d8a0cb9b86e1a19a");
    lt_authenticator_compute(&caller, LT_AUTHENTICATOR_LISTENER, 3, caller_nonce, listener_nonce,
                             mac);
    CHECK(hex(mac, LT_MAC_SIZE) ==
          "9cd01d921e0c7bc26122b812ee9cebefc2cd455be379290b4eafc510c9d1ba0c");
    lt_authenticator_compute(&listener, LT_AUTHENTICATOR_CALLER, 3, caller_nonce, listener_nonce,
                             mac);
    CHECK(hex(mac, LT_MAC_SIZE) ==
          "555e0466d7be906ee3df1f3209f15f3f27725ac8ec32bb14ad388bf3711a2dfc");
}

TEST_CASE("both sides come to one key and forget their private keys")
{
    Pair pair(1);
    CHECK(pair.caller.role == LT_AUTHENTICATOR_CALLER);
    CHECK(pair.listener.role == LT_AUTHENTICATOR_LISTENER);
    CHECK(memcmp(pair.caller.public_key, pair.listener.public_key, LT_KEY_SIZE) != 0);
    CHECK_FALSE(pair.caller.has_key);
    pair.agree();
    CHECK(pair.caller.has_key);
    CHECK(pair.listener.has_key);
    CHECK(!memcmp(pair.caller.key, pair.listener.key, LT_KEY_SIZE));
    CHECK_FALSE(all_zero(pair.caller.key, LT_KEY_SIZE));
    CHECK(all_zero(pair.caller.private_key, LT_KEY_SIZE));
    CHECK(all_zero(pair.listener.private_key, LT_KEY_SIZE));
    CHECK(lt_credentials_agree(&pair.caller, pair.listener.public_key) == LIVETCP_ERR_BAD_STATE);

    lt_credentials_wipe(&pair.caller);
    CHECK(all_zero(&pair.caller, sizeof pair.caller));
}

TEST_CASE("another session or another peer has another key")
{
    Pair one(1), two(2);
    one.agree();
    two.agree();
    CHECK(memcmp(one.caller.key, two.caller.key, LT_KEY_SIZE) != 0);

    Pair salted(1); /* the same keys, another session id */
    salted.listener.session_id[0] ^= 1;
    REQUIRE(lt_credentials_agree(&salted.listener, salted.caller.public_key) == LIVETCP_OK);
    CHECK(memcmp(one.listener.key, salted.listener.key, LT_KEY_SIZE) != 0);
}

TEST_CASE("the key is bound to the public keys, not only to the shared secret")
{
    /* X25519 ignores the top bit: both encodings of a public key give the same secret. */
    Pair one(1), respelled(1);
    one.agree();
    respelled.caller.public_key[LT_KEY_SIZE - 1] ^= 0x80;
    REQUIRE(lt_credentials_agree(&respelled.listener, respelled.caller.public_key) == LIVETCP_OK);
    CHECK(memcmp(one.listener.key, respelled.listener.key, LT_KEY_SIZE) != 0);
}

TEST_CASE("public keys of low order are refused and leave nothing behind")
{
    for (const auto &point : low_order) {
        CAPTURE((int)point[0], (int)point[31]);
        Pair pair(3);
        lt_credentials before = pair.listener;
        CHECK(lt_credentials_agree(&pair.listener, point) == LIVETCP_ERR_BAD_PROOF);
        CHECK(!memcmp(&before, &pair.listener, sizeof before));
        CHECK(ERR_peek_error() == 0);
    }
}

TEST_CASE("no randomness, no credentials")
{
    for (int budget = 0; budget < 2; budget++) {
        CAPTURE(budget);
        Random random(1);
        lt_credentials credentials;
        random.budget = budget;
        memset(&credentials, 0xff, sizeof credentials);
        CHECK(lt_credentials_create(&credentials, nullptr, Random::draw, &random) ==
              LIVETCP_ERR_SYSTEM);
        CHECK(all_zero(&credentials, sizeof credentials));
    }
}

TEST_CASE("a proof needs a key")
{
    Pair pair(1);
    uint8_t nonce[LT_NONCE_SIZE] = {0}, mac[LT_MAC_SIZE];
    CHECK(lt_authenticator_compute(&pair.caller, LT_AUTHENTICATOR_CALLER, 0, nonce, nonce, mac) ==
          LIVETCP_ERR_BAD_STATE);
}

TEST_CASE("a proof holds for its role, index, nonces and session alone")
{
    Pair pair(1);
    uint8_t caller_nonce[LT_NONCE_SIZE], listener_nonce[LT_NONCE_SIZE], mac[LT_MAC_SIZE];
    Random::draw(&pair.random, caller_nonce, LT_NONCE_SIZE);
    Random::draw(&pair.random, listener_nonce, LT_NONCE_SIZE);
    pair.agree();
    REQUIRE(lt_authenticator_compute(&pair.caller, LT_AUTHENTICATOR_CALLER, 3, caller_nonce,
                                     listener_nonce, mac) == LIVETCP_OK);
    auto check = [&](lt_authenticator_role role, unsigned index) {
        return lt_authenticator_check(&pair.listener, role, index, caller_nonce, listener_nonce,
                                      mac);
    };
    REQUIRE(check(LT_AUTHENTICATOR_CALLER, 3) == LIVETCP_OK);

    CHECK(check(LT_AUTHENTICATOR_LISTENER, 3) == LIVETCP_ERR_BAD_PROOF);
    for (unsigned index = 0; index < 32; index++)
        CHECK(check(LT_AUTHENTICATOR_CALLER, index) ==
              (index == 3 ? LIVETCP_OK : LIVETCP_ERR_BAD_PROOF));
    CHECK(lt_authenticator_check(&pair.listener, LT_AUTHENTICATOR_CALLER, 3, listener_nonce,
                                 caller_nonce, mac) == LIVETCP_ERR_BAD_PROOF);
    for (uint8_t *field :
         {caller_nonce, listener_nonce, mac, pair.listener.session_id, pair.listener.key}) {
        for (int bit = 0; bit < 16 * 8; bit++) {
            field[bit / 8] ^= (uint8_t)(1 << bit % 8);
            CHECK(check(LT_AUTHENTICATOR_CALLER, 3) == LIVETCP_ERR_BAD_PROOF);
            field[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    CHECK(check(LT_AUTHENTICATOR_CALLER, 3) == LIVETCP_OK);
}
