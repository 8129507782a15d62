/* SPDX-License-Identifier: MIT */
/* Authenticators of joining connections over OpenSSL's libcrypto: X25519 (RFC 7748), HKDF-SHA-256
 * (RFC 5869) and HMAC-SHA-256 (RFC 2104). docs/reference/wire-format.md defines the input bytes;
 * docs/adr/0007-join-proof.md has the reasons. */
#include "wire/authenticator.h"

#include "base/bytes.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <string.h>

/* Domain separation: our keys differ from any other key derived from the same agreement. */
static const char key_label[] = "LiveTCP 1 join key";
static const char binding_label[] = "LiveTCP 1 channel";
static const char transcript_label[] = "LiveTCP 1 introduction";

/* ---- key pairs ---- */

static bool derive_public_key(const uint8_t private_key[LT_KEY_SIZE],
                              uint8_t public_key[LT_KEY_SIZE])
{
    size_t size = LT_KEY_SIZE;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, private_key, LT_KEY_SIZE);
    bool done = key && EVP_PKEY_get_raw_public_key(key, public_key, &size) > 0;

    EVP_PKEY_free(key);
    return done;
}

livetcp_result lt_credentials_create(lt_credentials *credentials, const uint8_t *session_id,
                                     lt_random_fn random, void *random_user)
{
    livetcp_result result = LIVETCP_OK;

    memset(credentials, 0, sizeof *credentials);
    if (session_id) {
        credentials->role = LT_AUTHENTICATOR_LISTENER;
        memcpy(credentials->session_id, session_id, LT_SESSION_ID_SIZE);
    } else {
        credentials->role = LT_AUTHENTICATOR_CALLER;
        result = random(random_user, credentials->session_id, LT_SESSION_ID_SIZE);
    }
    if (result == LIVETCP_OK)
        result = random(random_user, credentials->private_key, LT_KEY_SIZE);
    if (result == LIVETCP_OK &&
        !derive_public_key(credentials->private_key, credentials->public_key))
        result = LIVETCP_ERR_SYSTEM;
    if (result != LIVETCP_OK)
        lt_credentials_wipe(credentials);
    return result;
}

void lt_wipe(void *secret, size_t size)
{
    OPENSSL_cleanse(secret, size);
}

void lt_credentials_wipe(lt_credentials *credentials)
{
    OPENSSL_cleanse(credentials, sizeof *credentials);
}

/* ---- agreement ---- */

/* Loads our key pair with both halves. From the private key alone libcrypto would compute the
 * public one again, which is a third of the cost of an agreement. */
static EVP_PKEY *load_key_pair(const lt_credentials *credentials)
{
    /* OSSL_PARAM takes non-const pointers for read-only data, too. */
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY,
                                          (void *)credentials->private_key, LT_KEY_SIZE),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)credentials->public_key,
                                          LT_KEY_SIZE),
        OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "X25519", NULL);
    EVP_PKEY *key = NULL;

    if (context && EVP_PKEY_fromdata_init(context) > 0)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, params);
    EVP_PKEY_CTX_free(context);
    return key;
}

/* X25519. A public key of low order yields zeros for any private key (RFC 7748, section 6.1), so
 * that the peer would know the secret without a key. It is rejected here, since not all
 * implementations in libcrypto check for it. */
static livetcp_result agree_secret(const lt_credentials *credentials,
                                   const uint8_t peer_public_key[LT_KEY_SIZE],
                                   uint8_t secret[LT_KEY_SIZE])
{
    static const uint8_t zeros[LT_KEY_SIZE];
    livetcp_result result = LIVETCP_ERR_SYSTEM;
    size_t size = LT_KEY_SIZE;
    EVP_PKEY_CTX *context = NULL;
    EVP_PKEY *ours = load_key_pair(credentials);
    EVP_PKEY *peers =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, peer_public_key, LT_KEY_SIZE);

    if (ours)
        context = EVP_PKEY_CTX_new(ours, NULL);
    if (!peers || !context || EVP_PKEY_derive_init(context) <= 0 ||
        EVP_PKEY_derive_set_peer_ex(context, peers, 0) <= 0)
        goto out;
    if (EVP_PKEY_derive(context, secret, &size) <= 0 || !CRYPTO_memcmp(secret, zeros, LT_KEY_SIZE))
        result = LIVETCP_ERR_BAD_PROOF;
    else
        result = LIVETCP_OK;
out:
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(peers);
    EVP_PKEY_free(ours);
    return result;
}

/* HKDF: salt = session id; info = label, caller's public key, listener's public key. Without the
 * public keys, different pairs could yield one secret (RFC 7748, section 6.1). */
static bool derive_key(const lt_credentials *credentials,
                       const uint8_t peer_public_key[LT_KEY_SIZE],
                       const uint8_t secret[LT_KEY_SIZE], uint8_t key[LT_KEY_SIZE])
{
    enum { LABEL = sizeof key_label - 1 };
    bool caller = credentials->role == LT_AUTHENTICATOR_CALLER;
    uint8_t info[LABEL + 2 * LT_KEY_SIZE];
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_HKDF, NULL);
    EVP_KDF_CTX *context = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
    OSSL_PARAM params[5];
    bool done;

    memcpy(info, key_label, LABEL);
    memcpy(info + LABEL, caller ? credentials->public_key : peer_public_key, LT_KEY_SIZE);
    memcpy(info + LABEL + LT_KEY_SIZE, caller ? peer_public_key : credentials->public_key,
           LT_KEY_SIZE);
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0);
    params[1] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, LT_KEY_SIZE);
    params[2] = OSSL_PARAM_construct_octet_string(
        OSSL_KDF_PARAM_SALT, (void *)credentials->session_id, LT_SESSION_ID_SIZE);
    params[3] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info, sizeof info);
    params[4] = OSSL_PARAM_construct_end();
    done = context && EVP_KDF_derive(context, key, LT_KEY_SIZE, params) > 0;

    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
    return done;
}

livetcp_result lt_credentials_agree(lt_credentials *credentials,
                                    const uint8_t peer_public_key[LT_KEY_SIZE])
{
    uint8_t secret[LT_KEY_SIZE] = {0};
    uint8_t key[LT_KEY_SIZE] = {0};
    livetcp_result result;

    if (credentials->has_key)
        return LIVETCP_ERR_BAD_STATE;
    /* Input of the peer must leave no entry on OpenSSL's error queue, which the application or our
     * TLS would take for its own. */
    ERR_set_mark();
    result = agree_secret(credentials, peer_public_key, secret);
    if (result == LIVETCP_OK && !derive_key(credentials, peer_public_key, secret, key))
        result = LIVETCP_ERR_SYSTEM;
    if (result == LIVETCP_OK) {
        memcpy(credentials->key, key, LT_KEY_SIZE);
        credentials->has_key = true;
        OPENSSL_cleanse(credentials->private_key, LT_KEY_SIZE);
    }
    ERR_pop_to_mark();
    OPENSSL_cleanse(secret, sizeof secret);
    OPENSSL_cleanse(key, sizeof key);
    return result;
}

/* ---- key of one connection ---- */

static livetcp_result replace_key(lt_credentials *bound, const uint8_t *input, size_t input_size)
{
    uint8_t key[LT_KEY_SIZE];
    size_t size = 0;
    bool done = EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, bound->key, LT_KEY_SIZE, input,
                          input_size, key, LT_KEY_SIZE, &size) != NULL &&
                size == LT_KEY_SIZE;

    if (done)
        memcpy(bound->key, key, LT_KEY_SIZE);
    OPENSSL_cleanse(key, sizeof key);
    return done ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
}

static livetcp_result bind_channel(lt_credentials *bound, const lt_channel_binding *binding)
{
    uint8_t input[sizeof binding_label - 1 + LT_BINDING_SIZE];
    livetcp_result result;

    memcpy(input, binding_label, sizeof binding_label - 1);
    memcpy(input + sizeof binding_label - 1, binding->bytes, LT_BINDING_SIZE);
    result = replace_key(bound, input, sizeof input);
    OPENSSL_cleanse(input, sizeof input);
    return result;
}

static livetcp_result bind_transcript(lt_credentials *bound, const lt_transcript *transcript)
{
    uint8_t input[sizeof transcript_label - 1 + sizeof transcript->create + 4];
    uint8_t *p = input + sizeof transcript_label - 1;

    memcpy(input, transcript_label, sizeof transcript_label - 1);
    memcpy(p, transcript->create, sizeof transcript->create);
    lt_write_be32(p + sizeof transcript->create, transcript->capabilities);
    return replace_key(bound, input, sizeof input);
}

void lt_transcript_start(lt_transcript *transcript, uint32_t capabilities)
{
    memset(transcript, 0, sizeof *transcript);
    transcript->known = capabilities & LT_CAPABILITY_INTRODUCTION;
    transcript->capabilities = transcript->known ? capabilities & LT_CAPABILITIES : 0;
}

livetcp_result lt_transcript_cover(lt_transcript *transcript, const uint8_t *create, size_t size)
{
    size_t digest_size = 0;

    if (!EVP_Q_digest(NULL, "SHA256", NULL, create, size, transcript->create, &digest_size) ||
        digest_size != sizeof transcript->create)
        return LIVETCP_ERR_SYSTEM;
    return LIVETCP_OK;
}

livetcp_result lt_credentials_bind(const lt_credentials *credentials,
                                   const lt_channel_binding *binding,
                                   const lt_transcript *transcript, lt_credentials *bound)
{
    livetcp_result result = LIVETCP_OK;

    *bound = *credentials;
    if ((binding->known || transcript->known) && !credentials->has_key)
        return LIVETCP_ERR_BAD_STATE;
    if (binding->known)
        result = bind_channel(bound, binding);
    if (result == LIVETCP_OK && transcript->known)
        result = bind_transcript(bound, transcript);
    return result;
}

/* ---- authenticator ---- */

livetcp_result lt_authenticator_compute(const lt_credentials *credentials,
                                        lt_authenticator_role role, unsigned index,
                                        const uint8_t caller_nonce[LT_NONCE_SIZE],
                                        const uint8_t listener_nonce[LT_NONCE_SIZE],
                                        uint8_t mac[LT_MAC_SIZE])
{
    /* "LTCP", version, role, index, 0: every field has a fixed offset. */
    uint8_t input[8 + LT_SESSION_ID_SIZE + 2 * LT_NONCE_SIZE] = {'L', 'T', 'C', 'P'};
    uint8_t *p = input + 8;
    size_t size = 0;

    if (!credentials->has_key)
        return LIVETCP_ERR_BAD_STATE;
    input[4] = LT_WIRE_VERSION;
    input[5] = (uint8_t)role;
    input[6] = (uint8_t)index;
    memcpy(p, credentials->session_id, LT_SESSION_ID_SIZE);
    memcpy(p + LT_SESSION_ID_SIZE, caller_nonce, LT_NONCE_SIZE);
    memcpy(p + LT_SESSION_ID_SIZE + LT_NONCE_SIZE, listener_nonce, LT_NONCE_SIZE);

    if (!EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, credentials->key, LT_KEY_SIZE, input,
                   sizeof input, mac, LT_MAC_SIZE, &size) ||
        size != LT_MAC_SIZE)
        return LIVETCP_ERR_SYSTEM;
    return LIVETCP_OK;
}

void lt_ticket_nonce(uint32_t ticket, uint8_t nonce[LT_NONCE_SIZE])
{
    memset(nonce, 0, LT_NONCE_SIZE);
    lt_write_be32(nonce + LT_NONCE_SIZE - 4, ticket);
}

livetcp_result lt_authenticator_check(const lt_credentials *credentials, lt_authenticator_role role,
                                      unsigned index, const uint8_t caller_nonce[LT_NONCE_SIZE],
                                      const uint8_t listener_nonce[LT_NONCE_SIZE],
                                      const uint8_t mac[LT_MAC_SIZE])
{
    uint8_t expected[LT_MAC_SIZE];
    livetcp_result result =
        lt_authenticator_compute(credentials, role, index, caller_nonce, listener_nonce, expected);

    if (result == LIVETCP_OK && CRYPTO_memcmp(expected, mac, LT_MAC_SIZE))
        result = LIVETCP_ERR_BAD_PROOF;
    OPENSSL_cleanse(expected, sizeof expected);
    return result;
}
