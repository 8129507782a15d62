/* SPDX-License-Identifier: MIT */
#include "tls/context.h"

#include "base/error.h"
#include "tls/context_private.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/x509v3.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only suites with forward secrecy and authenticated encryption, the properties that all TLS 1.3
 * suites have. */
static const char tls12_ciphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

/* PSK identity of the key that a passphrase gives: both ends must use the same. */
static const char psk_identity[] = "livetcp passphrase";

static bool is_set(const char *text)
{
    return text && text[0];
}

/* The system's or libssl's own words for what it put on its queue first: the cause. */
static const char *libssl_reason(void)
{
    unsigned long code = ERR_peek_error();
    const char *reason =
        ERR_SYSTEM_ERROR(code) ? strerror(ERR_GET_REASON(code)) : ERR_reason_error_string(code);
    return reason ? reason : "unreadable";
}

/* ---- keys from passphrases ---- */

#define SCRYPT_N      32768
#define SCRYPT_R      8
#define SCRYPT_P      1
#define SCRYPT_MEMORY (64 << 20)

livetcp_result lt_tls_derive_psk(const char *passphrase, uint8_t psk[LT_TLS_PSK_SIZE],
                                 livetcp_error *error)
{
    /* Both ends must derive the same key before they have exchanged a byte: the salt is constant,
     * and separates our keys from other uses of the passphrase. */
    static const char salt[] = "LiveTCP 1 passphrase";
    size_t length = strlen(passphrase);

    if (length < LT_TLS_PASSPHRASE_MIN)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the passphrase has %zu characters and needs at least %d: short ones "
                       "can be found by trial from a recorded handshake",
                       length, LT_TLS_PASSPHRASE_MIN);
    if (!EVP_PBE_scrypt(passphrase, length, (const unsigned char *)salt, sizeof salt - 1, SCRYPT_N,
                        SCRYPT_R, SCRYPT_P, SCRYPT_MEMORY, psk, LT_TLS_PSK_SIZE)) {
        ERR_clear_error();
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory to derive the passphrase's key");
    }
    return LIVETCP_OK;
}

/* A shared key in libssl's form, a session to resume. The cipher's digest is the one of the PSK
 * binders (RFC 8446 section 4.2.11). */
static SSL_SESSION *make_psk(const lt_tls_context *context, const uint8_t *key)
{
    static const unsigned char aes_128_gcm_sha256[] = {0x13, 0x01};
    SSL *ssl = SSL_new(context->ctx);
    const SSL_CIPHER *cipher = ssl ? SSL_CIPHER_find(ssl, aes_128_gcm_sha256) : NULL;
    SSL_SESSION *session = SSL_SESSION_new();

    if (!cipher || !session || !SSL_SESSION_set1_master_key(session, key, LT_TLS_PSK_SIZE) ||
        !SSL_SESSION_set_cipher(session, cipher) ||
        !SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION)) {
        SSL_SESSION_free(session);
        session = NULL;
    }
    SSL_free(ssl);
    return session;
}

/* Callback of a caller: the shared key. `md` is set if the listener has chosen another digest than
 * ours. */
static int use_psk(SSL *ssl, const EVP_MD *md, const unsigned char **id, size_t *id_size,
                   SSL_SESSION **session)
{
    lt_tls_context *context = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

    *session = NULL;
    if (md && EVP_MD_get_type(md) != NID_sha256)
        return 1;
    *id = (const unsigned char *)psk_identity;
    *id_size = sizeof psk_identity - 1;
    if (!SSL_SESSION_up_ref(context->psk))
        return 0;
    *session = context->psk;
    return 1;
}

static int find_psk(SSL *ssl, const unsigned char *id, size_t size, SSL_SESSION **session)
{
    lt_tls_context *context = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

    *session = NULL;
    if (size != sizeof psk_identity - 1 || memcmp(id, psk_identity, size) != 0)
        return 1; /* a ticket, or another identity: not ours */
    if (!SSL_SESSION_up_ref(context->psk))
        return 0;
    *session = context->psk;
    return 1;
}

static bool set_psk(lt_tls_context *context, const uint8_t *key)
{
    context->psk = make_psk(context, key);
    if (!context->psk)
        return false;
    /* TLS 1.3 gives shared keys forward secrecy (psk_dhe_ke, RFC 8446 section 4.2.9). */
    SSL_CTX_set_min_proto_version(context->ctx, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context->ctx, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256");
    if (context->listener)
        SSL_CTX_set_psk_find_session_callback(context->ctx, find_psk);
    else
        SSL_CTX_set_psk_use_session_callback(context->ctx, use_psk);
    return true;
}

/* ---- certificates ---- */

/* libcrypto would ask at the terminal, and everything would wait for the answer. */
static int refuse_password(char *password, int size, int writing, void *asked)
{
    (void)password;
    (void)size;
    (void)writing;
    *(bool *)asked = true;
    return -1;
}

static livetcp_result load_key(const lt_tls_context *context, const char *key_file,
                               const char *cert_file, livetcp_error *error)
{
    bool has_password = false;

    ERR_clear_error();
    SSL_CTX_set_default_passwd_cb(context->ctx, refuse_password);
    SSL_CTX_set_default_passwd_cb_userdata(context->ctx, &has_password);
    int result = SSL_CTX_use_PrivateKey_file(context->ctx, key_file, SSL_FILETYPE_PEM);
    SSL_CTX_set_default_passwd_cb_userdata(context->ctx, NULL);
    if (result == 1)
        return LIVETCP_OK;
    if (has_password)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "tls-key: the key in %.120s has a password; write one without, for this "
                       "user alone: openssl pkey -in FILE -out NEW",
                       key_file);
    if (ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "tls-key: the key in %.120s is not that of the certificate in %.120s; name "
                       "the two files of one pair",
                       key_file, cert_file);
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "tls-key: cannot read a private key (PEM) from %.120s: %s", key_file,
                   ERR_GET_REASON(ERR_peek_error()) == ERR_R_UNSUPPORTED ? "there is none in it"
                                                                         : libssl_reason());
}

static livetcp_result load_certificate(const lt_tls_context *context, const lt_tls_setup *setup,
                                       livetcp_error *error)
{
    const char *key_file = is_set(setup->key_file) ? setup->key_file : setup->cert_file;

    if (!is_set(setup->cert_file))
        return LIVETCP_OK;
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(context->ctx, setup->cert_file) != 1)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "tls-cert: cannot read a certificate (PEM) from %.120s: %s",
                       setup->cert_file, libssl_reason());
    return load_key(context, key_file, setup->cert_file, error);
}

/* Tickets of one listener are for this protocol alone, and for whom the present authorities have
 * signed: who resumes shows no certificate. */
static bool set_session_context(const lt_tls_context *context, const lt_tls_setup *setup)
{
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    BIO *file = is_set(setup->ca_file) ? BIO_new_file(setup->ca_file, "rb") : NULL;
    uint8_t piece[4096], id[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    int got = 0;
    bool done = digest && (file || !is_set(setup->ca_file)) &&
                EVP_DigestInit_ex(digest, EVP_sha256(), NULL) &&
                EVP_DigestUpdate(digest, LT_TLS_ALPN, sizeof LT_TLS_ALPN);

    while (done && file && (got = BIO_read(file, piece, sizeof piece)) > 0)
        done = EVP_DigestUpdate(digest, piece, (size_t)got);
    done = done && got >= 0 && EVP_DigestFinal_ex(digest, id, &size) &&
           SSL_CTX_set_session_id_context(context->ctx, id, size);
    EVP_MD_CTX_free(digest);
    BIO_free(file);
    return done;
}

static livetcp_result load_authorities(const lt_tls_context *context, const lt_tls_setup *setup,
                                       livetcp_error *error)
{
    ERR_clear_error();
    if (is_set(setup->ca_file) &&
        SSL_CTX_load_verify_locations(context->ctx, setup->ca_file, NULL) != 1)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%s: cannot read certificates (PEM) from %.120s: %s",
                       setup->proxy ? "proxy-ca" : "tls-ca", setup->ca_file, libssl_reason());
    if (setup->listener && !set_session_context(context, setup))
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for TLS");
    if (is_set(setup->ca_file) && setup->listener)
        SSL_CTX_set_client_CA_list(context->ctx, SSL_load_client_CA_file(setup->ca_file));
    if (!is_set(setup->ca_file) && !setup->listener && !setup->insecure)
        SSL_CTX_set_default_verify_paths(context->ctx);
    return LIVETCP_OK;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

livetcp_result lt_tls_parse_fingerprint(const char *text, uint8_t digest[32], livetcp_error *error)
{
    static const char prefix[] = "sha-256 ";
    const char *p = text;
    size_t count = 0;

    for (size_t i = 0; i < sizeof prefix - 1; i++, p++)
        if ((*p | (prefix[i] == ' ' ? 0 : 0x20)) != (prefix[i] == '-' ? '-' : prefix[i]))
            goto wrong;
    while (count < 32) {
        int high = hex_value(p[0]), low = high < 0 ? -1 : hex_value(p[1]);
        if (low < 0)
            goto wrong;
        digest[count++] = (uint8_t)(high << 4 | low);
        p += 2;
        if (count < 32 && *p == ':')
            p++;
    }
    if (!*p)
        return LIVETCP_OK;
wrong:
    return lt_fail(
        error, LIVETCP_ERR_INVALID_ARGUMENT,
        "tls-fingerprint takes 'sha-256 ' and 32 bytes as AB:CD:..., which `openssl x509 "
        "-noout -fingerprint -sha256` prints");
}

static bool has_fingerprint(const lt_tls_context *context, const X509 *certificate)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;

    return certificate && X509_digest(certificate, EVP_sha256(), digest, &size) == 1 &&
           size == sizeof context->fingerprint &&
           CRYPTO_memcmp(digest, context->fingerprint, size) == 0;
}

/* Replaces the verification of the chain: the fingerprint identifies the certificate itself. Its
 * validity dates are still checked. */
static int check_fingerprint(X509_STORE_CTX *store, void *argument)
{
    const lt_tls_context *context = argument;
    X509 *certificate = X509_STORE_CTX_get0_cert(store);
    X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(store);
    time_t now = X509_VERIFY_PARAM_get_time(param);
    int why = X509_V_OK;

    if (!has_fingerprint(context, certificate))
        why = X509_V_ERR_APPLICATION_VERIFICATION;
    else if (X509_cmp_time(X509_get0_notAfter(certificate), &now) < 0)
        why = X509_V_ERR_CERT_HAS_EXPIRED;
    else if (X509_cmp_time(X509_get0_notBefore(certificate), &now) > 0)
        why = X509_V_ERR_CERT_NOT_YET_VALID;
    X509_STORE_CTX_set_error(store, why);
    return why == X509_V_OK;
}

static livetcp_result set_verification(lt_tls_context *context, const lt_tls_setup *setup,
                                       livetcp_error *error)
{
    int mode = SSL_VERIFY_NONE;

    if (is_set(setup->fingerprint)) {
        livetcp_result result =
            lt_tls_parse_fingerprint(setup->fingerprint, context->fingerprint, error);
        if (result != LIVETCP_OK)
            return result;
        context->has_fingerprint = true;
        SSL_CTX_set_cert_verify_callback(context->ctx, check_fingerprint, context);
    }
    if (setup->listener && (is_set(setup->ca_file) || context->has_fingerprint))
        mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    else if (!setup->listener && !setup->insecure)
        mode = SSL_VERIFY_PEER;
    SSL_CTX_set_verify(context->ctx, setup->psk ? SSL_VERIFY_NONE : mode, NULL);
    return LIVETCP_OK;
}

/* ---- protocol and tickets ---- */

/* In order of preference. A caller over WebSocket offers both: it speaks the first, which a proxy
 * in front may select; the second tells a listener that shares its port that the connection is for
 * it. */
static const unsigned char with_http[] = "\x08http/1.1\x07" LT_TLS_ALPN;
static const unsigned char without_http[] = "\x07" LT_TLS_ALPN;

/* A peer that offers only other protocols wants another server at this port. */
static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *size,
                       const unsigned char *in, unsigned in_size, void *argument)
{
    const lt_tls_context *context = argument;
    const unsigned char *ours = context->websocket ? with_http : without_http;
    unsigned ours_size = context->websocket ? sizeof with_http - 1 : sizeof without_http - 1;

    (void)ssl;
    return SSL_select_next_proto((unsigned char **)out, size, ours, ours_size, in, in_size) ==
                   OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* One ticket serves all connections of a session. Reuse reveals nothing to an observer, since all
 * of them go from one host to the same address. */
static int keep_ticket(SSL *ssl, SSL_SESSION *session)
{
    lt_tls_context *context = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

    if (!SSL_SESSION_is_resumable(session))
        return 0;
    SSL_SESSION_free(context->ticket);
    context->ticket = session;
    return 1; /* we hold the reference now */
}

static void set_tickets(lt_tls_context *context, const lt_tls_context *previous)
{
    uint8_t keys[80];

    if (!context->listener) {
        SSL_CTX_set_session_cache_mode(context->ctx,
                                       SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(context->ctx, keep_ticket);
        return;
    }
    SSL_CTX_set_session_cache_mode(context->ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context->ctx, 1);
    if (previous && SSL_CTX_get_tlsext_ticket_keys(previous->ctx, keys, sizeof keys) == 1)
        SSL_CTX_set_tlsext_ticket_keys(context->ctx, keys, sizeof keys);
    OPENSSL_cleanse(keys, sizeof keys);
}

static void set_protocol(lt_tls_context *context)
{
    static const unsigned char http[] = "\x08http/1.1";

    SSL_CTX_set_min_proto_version(context->ctx, TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context->ctx, tls12_ciphers);
    SSL_CTX_set_options(context->ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                          SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context->ctx, SSL_MODE_RELEASE_BUFFERS);
    if (context->listener)
        SSL_CTX_set_alpn_select_cb(context->ctx, select_alpn, context);
    else if (context->proxy)
        SSL_CTX_set_alpn_protos(context->ctx, http, sizeof http - 1);
    else if (context->websocket)
        SSL_CTX_set_alpn_protos(context->ctx, with_http, sizeof with_http - 1);
    else
        SSL_CTX_set_alpn_protos(context->ctx, without_http, sizeof without_http - 1);
}

/* ---- life ---- */

static livetcp_result set_up(lt_tls_context *context, const lt_tls_setup *setup,
                             const lt_tls_context *previous, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    set_protocol(context);
    set_tickets(context, previous);
    if (setup->psk && !set_psk(context, setup->psk))
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for TLS");
    if (result == LIVETCP_OK)
        result = load_certificate(context, setup, error);
    if (result == LIVETCP_OK)
        result = load_authorities(context, setup, error);
    if (result == LIVETCP_OK)
        result = set_verification(context, setup, error);
    return result;
}

livetcp_result lt_tls_context_create(const lt_tls_setup *setup, const lt_tls_context *previous,
                                     lt_tls_context **out, livetcp_error *error)
{
    lt_tls_context *context = calloc(1, sizeof *context);
    livetcp_result result = LIVETCP_ERR_NO_MEMORY;

    *out = NULL;
    if (context)
        context->ctx = SSL_CTX_new(setup->listener ? TLS_server_method() : TLS_client_method());
    if (!context || !context->ctx) {
        free(context);
        return lt_fail(error, result, "no memory for TLS");
    }
    atomic_init(&context->references, 1);
    context->listener = setup->listener;
    context->proxy = setup->proxy;
    context->websocket = setup->websocket;
    context->insecure = setup->insecure;
    snprintf(context->name, sizeof context->name, "%s", setup->name ? setup->name : "");
    SSL_CTX_set_app_data(context->ctx, context);
    ERR_set_mark();
    result = set_up(context, setup, previous, error);
    ERR_pop_to_mark();
    if (result == LIVETCP_OK)
        *out = context;
    else
        lt_tls_context_release(&context);
    return result;
}

lt_tls_context *lt_tls_context_reference(lt_tls_context *context)
{
    atomic_fetch_add(&context->references, 1);
    return context;
}

void lt_tls_context_release(lt_tls_context **owner)
{
    lt_tls_context *context = *owner;

    if (!context)
        return;
    *owner = NULL;
    if (atomic_fetch_sub(&context->references, 1) > 1)
        return;
    SSL_SESSION_free(context->ticket);
    SSL_SESSION_free(context->psk);
    SSL_CTX_free(context->ctx);
    free(context);
}

bool lt_tls_context_has_ticket(const lt_tls_context *context)
{
    return context->ticket != NULL;
}
