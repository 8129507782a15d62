/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <openssl/ui.h>

#include <functional>

using Catch::Matchers::Contains;

namespace
{

/* Writes the key again, with a password. */
void encrypt_key(const certificate_files &files)
{
    FILE *file = fopen(files.key.c_str(), "r");
    EVP_PKEY *key = PEM_read_PrivateKey(file, nullptr, nullptr, nullptr);
    fclose(file);
    file = fopen(files.key.c_str(), "w");
    REQUIRE(PEM_write_PKCS8PrivateKey(file, key, EVP_aes_128_cbc(), "secret", 6, nullptr,
                                      nullptr) == 1);
    fclose(file);
    EVP_PKEY_free(key);
}

/* What libcrypto asks at a terminal meanwhile. */
unsigned prompts_seen;

unsigned count_prompts(const std::function<void()> &function)
{
    UI_METHOD *method = UI_create_method("none is there");
    UI_method_set_opener(method, [](UI *) {
        prompts_seen++;
        return 0;
    });
    prompts_seen = 0;
    UI_set_default_method(method);
    function();
    UI_set_default_method(UI_OpenSSL());
    UI_destroy_method(method);
    return prompts_seen;
}

} // namespace

TEST_CASE("files that are missing, or do not fit, are named")
{
    certificates made;
    certificate_files one = made.make("one"), two = made.make("two");
    lt_tls_setup setup{};
    setup.listener = true;

    SECTION("no certificate")
    {
        setup.cert_file = "/nowhere/cert.pem";
        context_holder holder(setup);
        CHECK(holder.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK_THAT(std::string(holder.error.message), Contains("tls-cert") &&
                                                          Contains("/nowhere/cert.pem") &&
                                                          Contains("No such file or directory"));
    }
    SECTION("a certificate's file that is no certificate")
    {
        setup.cert_file = one.key.c_str();
        context_holder holder(setup);
        CHECK(holder.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK_THAT(std::string(holder.error.message), Contains("no start line"));
    }
    SECTION("a key with a password is refused, and nobody at a terminal is asked for it")
    {
        unsigned prompts = count_prompts([&] {
            encrypt_key(two);
            setup.cert_file = two.certificate.c_str();
            setup.key_file = two.key.c_str();
            context_holder holder(setup);
            CHECK(holder.result == LIVETCP_ERR_INVALID_ARGUMENT);
            CHECK_THAT(std::string(holder.error.message),
                       Contains(two.key) && Contains("has a password") && Contains("openssl pkey"));
        });
        CHECK(prompts == 0);
    }
    SECTION("another's key")
    {
        setup.cert_file = one.certificate.c_str();
        setup.key_file = two.key.c_str();
        context_holder holder(setup);
        CHECK(holder.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK_THAT(std::string(holder.error.message), Contains("not that of the certificate"));
    }
    SECTION("no key in the certificate's file")
    {
        setup.cert_file = one.certificate.c_str();
        context_holder holder(setup);
        CHECK(holder.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK_THAT(std::string(holder.error.message),
                   Contains("tls-key") && Contains("there is none in it"));
    }
    SECTION("an authority that is a key")
    {
        setup.ca_file = one.key.c_str();
        context_holder holder(setup);
        CHECK(holder.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK_THAT(std::string(holder.error.message), Contains("tls-ca"));
    }
}

TEST_CASE("fingerprints are read with and without colons, in either case")
{
    certificates made;
    std::string text = made.make("one").fingerprint, lower, plain;
    uint8_t digest[32], other[32];
    livetcp_error error;

    for (char c : text) {
        lower += char(tolower(c));
        if (c != ':')
            plain += c;
    }
    REQUIRE(lt_tls_parse_fingerprint(text.c_str(), digest, &error) == LIVETCP_OK);
    REQUIRE(lt_tls_parse_fingerprint(lower.c_str(), other, &error) == LIVETCP_OK);
    CHECK(memcmp(digest, other, sizeof digest) == 0);
    REQUIRE(lt_tls_parse_fingerprint(plain.c_str(), other, &error) == LIVETCP_OK);
    CHECK(memcmp(digest, other, sizeof digest) == 0);
    for (const std::string &wrong :
         {std::string(), std::string("sha-1 AB"), text.substr(8), text + ":00",
          text.substr(0, text.size() - 1), text.substr(0, 20)}) {
        INFO(wrong);
        CHECK(lt_tls_parse_fingerprint(wrong.c_str(), other, &error) ==
              LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK_THAT(std::string(error.message), Contains("tls-fingerprint"));
    }
}

TEST_CASE("a passphrase gives one key, and a short one none")
{
    uint8_t key[LT_TLS_PSK_SIZE], again[LT_TLS_PSK_SIZE], other[LT_TLS_PSK_SIZE];
    livetcp_error error;

    REQUIRE(lt_tls_derive_psk("correct horse battery", key, &error) == LIVETCP_OK);
    REQUIRE(lt_tls_derive_psk("correct horse battery", again, &error) == LIVETCP_OK);
    REQUIRE(lt_tls_derive_psk("correct horse batterz", other, &error) == LIVETCP_OK);
    CHECK(memcmp(key, again, sizeof key) == 0);
    CHECK(memcmp(key, other, sizeof key) != 0);
    CHECK(lt_tls_derive_psk("short pas", other, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK_THAT(std::string(error.message), Contains("at least 10"));
    CHECK_THAT(std::string(error.message), !Contains("short pas"));
}
