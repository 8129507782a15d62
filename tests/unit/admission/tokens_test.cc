/* SPDX-License-Identifier: MIT */
/* Tokens of a file and JWTs: who is let in, and who is not, for which reason. */
#include "catch.h"

#include <openssl/evp.h>

#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "admission/base64url.h"
#include "admission/tokens.h"
}

namespace
{

const int64_t NOW = 1700000000;
const std::string SECRET(32, 'k');

std::string base64url(const std::string &bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string text;
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t bits = 0;
        size_t left = std::min<size_t>(3, bytes.size() - i);
        for (size_t j = 0; j < 3; j++)
            bits = bits << 8 | (j < left ? (uint8_t)bytes[i + j] : 0);
        for (size_t j = 0; j <= left; j++)
            text += digits[bits >> (18 - 6 * j) & 63];
    }
    return text;
}

std::string hmac(const std::string &input, const std::string &key = SECRET)
{
    unsigned char mac[32];
    size_t size = 0;
    REQUIRE(EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.data(), key.size(),
                      (const unsigned char *)input.data(), input.size(), mac, sizeof mac, &size));
    return std::string((char *)mac, size);
}

/* An Ed25519 key pair from a seed. */
struct Ed25519 {
    EVP_PKEY *key;

    explicit Ed25519(uint8_t seed)
    {
        uint8_t bytes[32];
        memset(bytes, seed, sizeof bytes);
        key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes, sizeof bytes);
        REQUIRE(key);
    }
    ~Ed25519()
    {
        EVP_PKEY_free(key);
    }
    Ed25519(const Ed25519 &) = delete;
    Ed25519 &operator=(const Ed25519 &) = delete;

    std::string public_key() const
    {
        uint8_t bytes[32];
        size_t size = sizeof bytes;
        REQUIRE(EVP_PKEY_get_raw_public_key(key, bytes, &size) == 1);
        return std::string((char *)bytes, size);
    }
    std::string sign(const std::string &input) const
    {
        uint8_t signature[64];
        size_t size = sizeof signature;
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        REQUIRE(EVP_DigestSignInit(context, nullptr, nullptr, nullptr, key) == 1);
        REQUIRE(EVP_DigestSign(context, signature, &size, (const uint8_t *)input.data(),
                               input.size()) == 1);
        EVP_MD_CTX_free(context);
        return std::string((char *)signature, size);
    }
};

const std::string HS256 = R"({"alg":"HS256","typ":"JWT"})";

std::string claims(const std::string &more = "", const std::string &sub = "studio",
                   const std::string &roles = R"(["publish"])")
{
    return "{\"sub\":\"" + sub + "\",\"roles\":" + roles + ",\"exp\":" + std::to_string(NOW + 60) +
           more + "}";
}

std::string jwt(const std::string &payload, const std::string &header = HS256)
{
    std::string text = base64url(header) + "." + base64url(payload);
    return text + "." + base64url(hmac(text));
}

struct Tokens {
    lt_tokens *tokens = nullptr;
    livetcp_error error = {};
    std::string why;

    explicit Tokens(const std::string &text)
    {
        lt_tokens_read(text.data(), text.size(), &tokens, &error);
    }
    ~Tokens()
    {
        lt_tokens_destroy(&tokens);
    }
    Tokens(const Tokens &) = delete;
    Tokens &operator=(const Tokens &) = delete;

    unsigned judge(const std::string &token, const std::string &stream = "studio",
                   livetcp_role role = LIVETCP_ROLE_PUBLISH, int64_t now = NOW)
    {
        lt_tokens_claim claim = {token.c_str(), stream.c_str(), role};
        const char *reason = nullptr;
        unsigned code = lt_tokens_check(tokens, &claim, now, &reason);
        why = code ? reason : "";
        if (code)
            CHECK_FALSE(why.empty());
        CHECK(why.size() <= 120);
        return code;
    }
};

std::string keys(const std::string &more = "")
{
    return "{\"keys\":[{\"kty\":\"oct\",\"alg\":\"HS256\",\"kid\":\"a\",\"k\":\"" +
           base64url(SECRET) + "\"}]" + more + "}";
}

const char listed[] = R"({"tokens":[
    {"token":"studio-0123456789abcdef","sub":"studio","roles":["publish"]},
    {"token":"viewer-0123456789abcdef","sub":"live/*","roles":["subscribe"],"exp":1700000100},
    {"token":"owner-0123456789abcdefg","sub":"*","roles":["publish","subscribe"]}]})";

} // namespace

TEST_CASE("tokens: base64url is read as it is written, and not otherwise")
{
    uint8_t out[8];
    for (const std::string &bytes : {std::string(), std::string("f"), std::string("fo"),
                                     std::string("foo"), std::string("\xff\xfe\xfd\xfc")}) {
        std::string text = base64url(bytes);
        REQUIRE(lt_base64url_decode(text.data(), text.size(), out) == (long)bytes.size());
        CHECK(std::string((char *)out, bytes.size()) == bytes);
    }
    for (const char *text : {"A", "AAAAA", "Zm8=", "Zm9v\n", "Zm+v", "Zm/v", "Zn", "Zm9"})
        CHECK(lt_base64url_decode(text, strlen(text), out) == -1);
}

TEST_CASE("tokens: those of a list let in for their stream and role, and in their time")
{
    Tokens tokens(listed);
    REQUIRE(tokens.tokens);
    CHECK(tokens.judge("studio-0123456789abcdef") == 0);
    CHECK(tokens.judge("studio-0123456789abcdef", "studi") == 403);
    CHECK(tokens.judge("studio-0123456789abcdef", "studio2") == 403);
    CHECK(tokens.judge("studio-0123456789abcdef", "") == 403);
    CHECK(tokens.judge("studio-0123456789abcdef", "studio", LIVETCP_ROLE_SUBSCRIBE) == 403);
    CHECK(tokens.judge("studio-0123456789abcdef", "studio", LIVETCP_ROLE_BOTH) == 403);
    CHECK(tokens.why.find("role") != std::string::npos);
    CHECK(tokens.judge("viewer-0123456789abcdef", "live/a", LIVETCP_ROLE_SUBSCRIBE) == 0);
    CHECK(tokens.judge("viewer-0123456789abcdef", "live", LIVETCP_ROLE_SUBSCRIBE) == 403);
    CHECK(tokens.judge("viewer-0123456789abcdef", "live/a", LIVETCP_ROLE_SUBSCRIBE, NOW + 200) ==
          401);
    CHECK(tokens.judge("owner-0123456789abcdefg", "anything", LIVETCP_ROLE_BOTH) == 0);
    CHECK(tokens.judge("") == 401);
    CHECK(tokens.judge("studio-0123456789abcdeg") == 401);
    CHECK(tokens.judge("studio-0123456789abcde") == 401);
}

TEST_CASE("tokens: a JWT lets in that one of our keys has signed, while it is valid")
{
    Tokens tokens(keys());
    REQUIRE(tokens.tokens);
    CHECK(tokens.judge(jwt(claims())) == 0);
    CHECK(tokens.judge(jwt(claims()), "attic") == 403);
    CHECK(tokens.judge(jwt(claims()), "studio", LIVETCP_ROLE_SUBSCRIBE) == 403);
    CHECK(tokens.judge(jwt(claims(), R"({"alg":"HS256","kid":"a"})")) == 0);
    CHECK(tokens.judge(jwt(claims(), R"({"alg":"HS256","kid":"b"})")) == 401);
    CHECK(tokens.judge(jwt(claims("", "*", R"(["subscribe","publish"])")), "x",
                       LIVETCP_ROLE_BOTH) == 0);
    /* Clocks are half a minute apart at most. */
    CHECK(tokens.judge(jwt(claims()), "studio", LIVETCP_ROLE_PUBLISH, NOW + 89) == 0);
    CHECK(tokens.judge(jwt(claims()), "studio", LIVETCP_ROLE_PUBLISH, NOW + 90) == 401);
    CHECK(tokens.why == "the token has expired");
    std::string begins = ",\"nbf\":" + std::to_string(NOW);
    CHECK(tokens.judge(jwt(claims(begins)), "studio", LIVETCP_ROLE_PUBLISH, NOW - 30) == 0);
    CHECK(tokens.judge(jwt(claims(begins)), "studio", LIVETCP_ROLE_PUBLISH, NOW - 31) == 401);
}

TEST_CASE("tokens: EdDSA, and a key of one kind is not taken for another")
{
    Ed25519 ours(1), others(2);
    std::string header = base64url(R"({"alg":"EdDSA"})"), body = base64url(claims());
    auto token = [&](const Ed25519 &key) {
        return header + "." + body + "." + base64url(key.sign(header + "." + body));
    };
    Tokens tokens("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" +
                  base64url(ours.public_key()) + "\"}]}");
    REQUIRE(tokens.tokens);
    CHECK(tokens.judge(token(ours)) == 0);
    CHECK(tokens.judge(token(others)) == 401);
    std::string cut = token(ours);
    cut.pop_back();
    CHECK(tokens.judge(cut) == 401);
    /* The public key is known to everybody, and so would be a MAC by it. */
    std::string input = base64url(HS256) + "." + body;
    CHECK(tokens.judge(input + "." + base64url(hmac(input, ours.public_key()))) == 401);
}

TEST_CASE("tokens: JWTs that prove nothing are refused")
{
    Tokens tokens(keys());
    std::string good = jwt(claims()), body = base64url(claims());
    std::vector<std::string> bad = {
        "..",
        "a.b",
        "a.b.c",
        good + ".",
        good + "A",
        good.substr(0, good.rfind('.')) + ".",
        base64url(R"({"alg":"none"})") + "." + body + ".",
        base64url(R"({"alg":"HS512"})") + "." + body + good.substr(good.rfind('.')),
        base64url(R"({"alg":1})") + "." + body + good.substr(good.rfind('.')),
        base64url(R"([])") + "." + body + good.substr(good.rfind('.')),
        base64url(HS256) + "." + base64url(claims("", "*")) + good.substr(good.rfind('.')),
        jwt(claims(), R"({"alg":"HS256","crit":["x"],"x":1})"),
        jwt(claims(), R"({"alg":"HS256","alg":"none"})"),
        jwt("[]"),
        jwt("not json"),
        jwt(std::string("{\"sub\":\"studio\",\"roles\":[\"publish\"]}")), /* for ever */
        jwt(R"({"sub":"studio","roles":["publish"],"exp":"1800000000"})"),
        jwt(R"({"sub":"studio","roles":["publish"],"exp":1800000000,"exp":1})"),
        jwt(claims(R"(,"aud":"somebody")")),
        jwt(claims(R"(,"aud":[])")),
        base64url(std::string(1400, '[')) + "." + body + ".",
    };
    for (const std::string &token : bad) {
        CAPTURE(token);
        CHECK(tokens.judge(token) == 401);
    }
    for (const char *payload :
         {R"({"roles":["publish"],"exp":1800000000})", R"({"sub":"studio","exp":1800000000})",
          R"({"sub":1,"roles":["publish"],"exp":1800000000})",
          R"({"sub":"studio","roles":"publish","exp":1800000000})",
          R"({"sub":"studio","roles":[1,"Publish"],"exp":1800000000})"}) {
        CAPTURE(payload);
        CHECK(tokens.judge(jwt(payload)) == 403);
    }
    for (size_t i = 0; i < good.size(); i++) { /* any other character */
        std::string changed = good;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        CHECK(tokens.judge(changed) == 401);
    }
}

TEST_CASE("tokens: an audience that is wanted must be named")
{
    Tokens tokens(keys(R"(,"aud":"far")"));
    CHECK(tokens.judge(jwt(claims(R"(,"aud":"far")"))) == 0);
    CHECK(tokens.judge(jwt(claims(R"(,"aud":["near","far"])"))) == 0);
    CHECK(tokens.judge(jwt(claims(R"(,"aud":"near")"))) == 401);
    CHECK(tokens.judge(jwt(claims())) == 401);
}

TEST_CASE("tokens: a file that is wrong says where, and shows no secret")
{
    const std::string weak = "c2VjcmV0c2VjcmV0";
    const std::vector<std::pair<std::string, const char *>> files = {
        {"", "not JSON"},
        {"{\"tokens\":[\n{\"token\":\"" + weak + "\" x}]}", "line 2"},
        {"[]", "no caller"},
        {"{}", "no caller"},
        {R"({"keys":[{}]})", "keys, number 1"},
        {R"({"keys":[{"kty":"RSA"}]})", "Ed25519"},
        {R"({"keys":[{"kty":"oct","k":")" + weak + "\"}]}", "32 bytes"},
        {R"({"keys":[{"kty":"oct","k":")" + std::string(400, 'A') + "\"}]}", "255 bytes"},
        {R"({"keys":[{"kty":"oct","alg":"HS512","k":")" + weak + "\"}]}", "HS256"},
        {R"({"keys":[{"kty":"OKP","crv":"Ed25519","x":")" + weak + "\"}]}", "public key"},
        {R"({"tokens":[{"token":"short","sub":"*","roles":["publish"]}]})", "16 bytes"},
        {R"({"tokens":[{"token":")" + weak + R"(","roles":["publish"]}]})", "sub is missing"},
        {R"({"tokens":[{"token":")" + weak + R"(","sub":"*","roles":[]}]})", "roles"},
        {R"({"tokens":[{"token":")" + weak + R"(","sub":"*","roles":["publish"],"exp":"x"}]})",
         "exp"},
    };
    for (const auto &file : files) {
        CAPTURE(file.first);
        Tokens tokens(file.first);
        CHECK(tokens.tokens == nullptr);
        CHECK(tokens.error.code == LIVETCP_ERR_INVALID_ARGUMENT);
        INFO(tokens.error.message);
        CHECK(std::string(tokens.error.message).find(file.second) != std::string::npos);
        CHECK(std::string(tokens.error.message).find(weak) == std::string::npos);
    }
}
