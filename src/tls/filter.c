/* SPDX-License-Identifier: MIT */
/* libssl between two memory BIOs: one holds received records, the other records to send. */
#include "tls/filter.h"

#include "base/error.h"
#include "tls/context_private.h"
#include "tls/failure.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT_SIZE     256
#define FINGERPRINT_SIZE 104

struct lt_tls_filter {
    lt_tls_context *context;
    SSL *ssl;
    lt_tls_filter *outer; /* whose plaintext it is; NULL = none */
    BIO *in, *out;        /* the SSL's */
    size_t done;          /* bytes of `out` that are written */
    size_t records;       /* written with the present key */
    lt_tls_state state;
    livetcp_error error;
    char subject[SUBJECT_SIZE];
    char fingerprint[FINGERPRINT_SIZE];
};

/* ---- what went wrong ---- */

static void fail(lt_tls_filter *filter)
{
    const lt_tls_context *context = filter->context;
    lt_tls_end end = {.listener = context->listener,
                      .shared_key = context->psk != NULL,
                      .proxy = context->proxy,
                      .name = context->name};

    bool refused = ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_CERTIFICATE_VERIFY_FAILED;

    filter->state = LT_TLS_FAILED;
    lt_tls_failure_text(&end, refused ? SSL_get_verify_result(filter->ssl) : X509_V_OK,
                        ERR_peek_error(), &filter->error);
    ERR_clear_error();
}

/* Handles the result of a libssl call. */
static void take_result(lt_tls_filter *filter, int result)
{
    int why = SSL_get_error(filter->ssl, result);

    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
        return;
    if (why == SSL_ERROR_ZERO_RETURN)
        filter->state = LT_TLS_ENDED;
    else
        fail(filter);
}

/* ---- the handshake ---- */

static void describe_certificate(lt_tls_filter *filter)
{
    X509 *certificate = SSL_get0_peer_certificate(filter->ssl);
    BIO *text = certificate ? BIO_new(BIO_s_mem()) : NULL;
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    char *p = filter->fingerprint;

    if (!text)
        return;
    if (X509_NAME_print_ex(text, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) >= 0) {
        int length = BIO_read(text, filter->subject, sizeof filter->subject - 1);
        filter->subject[length > 0 ? length : 0] = '\0';
    }
    BIO_free(text);
    if (X509_digest(certificate, EVP_sha256(), digest, &size) != 1)
        return;
    p += sprintf(p, "sha-256 ");
    for (unsigned i = 0; i < size && i < 32; i++)
        p += sprintf(p, "%s%02X", i ? ":" : "", digest[i]);
}

/* libssl falls back to certificates when the peer refuses the shared key; we do not. */
static bool key_was_shared(lt_tls_filter *filter)
{
    if (!filter->context->psk || SSL_session_reused(filter->ssl))
        return true;
    filter->state = LT_TLS_FAILED;
    lt_fail(&filter->error, LIVETCP_ERR_TLS,
            "TLS: the peer proved no knowledge of the passphrase; set the same one at both ends");
    return false;
}

static void shake_hands(lt_tls_filter *filter)
{
    ERR_clear_error();
    int result = SSL_do_handshake(filter->ssl);

    if (result != 1) {
        take_result(filter, result);
        return;
    }
    if (!key_was_shared(filter))
        return;
    filter->state = LT_TLS_OPEN;
    describe_certificate(filter);
}

/* ---- life ---- */

/* Sets the expected name: SNI to the listener, and the name in its certificate. */
static bool set_name(lt_tls_filter *filter, const char *name)
{
    X509_VERIFY_PARAM *param = SSL_get0_param(filter->ssl);

    if (!name[0])
        return true;
    if (X509_VERIFY_PARAM_set1_ip_asc(param, name) == 1)
        return true; /* RFC 6066 section 3: no addresses in SNI */
    ERR_clear_error();
    SSL_set_hostflags(filter->ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set_tlsext_host_name(filter->ssl, name) == 1 &&
           (filter->context->has_fingerprint || SSL_set1_host(filter->ssl, name) == 1);
}

static bool set_up(lt_tls_filter *filter, int64_t wall_s)
{
    lt_tls_context *context = filter->context;

    filter->ssl = SSL_new(context->ctx);
    filter->in = BIO_new(BIO_s_mem());
    filter->out = BIO_new(BIO_s_mem());
    if (!filter->ssl || !filter->in || !filter->out) {
        BIO_free(filter->in);
        BIO_free(filter->out);
        return false;
    }
    BIO_set_mem_eof_return(filter->in, -1);
    BIO_set_mem_eof_return(filter->out, -1);
    SSL_set_bio(filter->ssl, filter->in, filter->out);
    X509_VERIFY_PARAM_set_time(SSL_get0_param(filter->ssl), (time_t)wall_s);
    if (context->listener) {
        SSL_set_accept_state(filter->ssl);
        return true;
    }
    SSL_set_connect_state(filter->ssl);
    if (context->ticket)
        SSL_set_session(filter->ssl, context->ticket);
    return set_name(filter, context->name);
}

livetcp_result lt_tls_filter_create(lt_tls_context *context, int64_t wall_s, lt_tls_filter **out)
{
    lt_tls_filter *filter = calloc(1, sizeof *filter);

    *out = NULL;
    if (!filter)
        return LIVETCP_ERR_NO_MEMORY;
    filter->context = lt_tls_context_reference(context);
    if (!set_up(filter, wall_s)) {
        ERR_clear_error();
        lt_tls_filter_destroy(&filter);
        return LIVETCP_ERR_NO_MEMORY;
    }
    if (!context->listener)
        shake_hands(filter);
    *out = filter;
    return LIVETCP_OK;
}

void lt_tls_filter_destroy(lt_tls_filter **owner)
{
    lt_tls_filter *filter = *owner;

    if (!filter)
        return;
    *owner = NULL;
    /* libssl invalidates a session whose connection was not shut down. Marks ours as shut down,
     * since a lost connection may be resumed. */
    if (filter->ssl)
        SSL_set_shutdown(filter->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(filter->ssl); /* and the BIOs */
    lt_tls_filter_destroy(&filter->outer);
    lt_tls_context_release(&filter->context);
    free(filter);
}

/* ---- input ---- */

static void receive(lt_tls_filter *filter, const uint8_t *data, size_t size)
{
    while (size && filter->state < LT_TLS_ENDED) {
        int piece = size > INT_MAX ? INT_MAX : (int)size;
        if (BIO_write(filter->in, data, piece) != piece) {
            filter->state = LT_TLS_FAILED;
            lt_fail(&filter->error, LIVETCP_ERR_NO_MEMORY, "TLS: no memory for a record");
            return;
        }
        data += piece;
        size -= (size_t)piece;
    }
    if (filter->state == LT_TLS_HANDSHAKE)
        shake_hands(filter);
}

/* The end or failure of the outer filter ends this one, too. */
static void follow_outer(lt_tls_filter *filter)
{
    lt_tls_state state = filter->outer->state;

    if (filter->state >= LT_TLS_ENDED || state < LT_TLS_ENDED)
        return;
    filter->state = state;
    filter->error = filter->outer->error;
}

/* Takes the plaintext of the outer filter as input. */
static void receive_from_outer(lt_tls_filter *filter)
{
    uint8_t piece[4096];
    size_t size;

    while ((size = lt_tls_filter_read(filter->outer, piece, sizeof piece)) > 0)
        receive(filter, piece, size);
}

/* Passes its output to the outer filter. */
static void push_to_outer(lt_tls_filter *filter)
{
    char *data = NULL;
    long size = filter->outer ? BIO_get_mem_data(filter->out, &data) : 0;

    if (size <= 0)
        return;
    if (filter->outer->state == LT_TLS_OPEN)
        (void)lt_tls_filter_write(filter->outer, data, (size_t)size);
    (void)BIO_reset(filter->out);
    follow_outer(filter);
}

void lt_tls_filter_receive(lt_tls_filter *filter, const uint8_t *data, size_t size)
{
    if (!filter->outer) {
        receive(filter, data, size);
        return;
    }
    lt_tls_filter_receive(filter->outer, data, size);
    receive_from_outer(filter);
    push_to_outer(filter);
}

void lt_tls_filter_nest(lt_tls_filter *filter, lt_tls_filter *outer)
{
    filter->outer = outer;
    receive_from_outer(filter);
    push_to_outer(filter);
}

size_t lt_tls_filter_read(lt_tls_filter *filter, uint8_t *data, size_t size)
{
    size_t taken = 0;

    while (filter->state == LT_TLS_OPEN && taken < size) {
        size_t piece = 0;
        ERR_clear_error();
        int result = SSL_read_ex(filter->ssl, data + taken, size - taken, &piece);
        if (result != 1) {
            take_result(filter, result);
            break;
        }
        taken += piece;
    }
    push_to_outer(filter); /* an answer, or an alert */
    if (filter->outer && !taken)
        follow_outer(filter);
    return taken;
}

/* ---- output ---- */

/* The next write begins with a record that announces the new key. */
static void count_records(lt_tls_filter *filter, size_t size)
{
    size_t records = (size + SSL3_RT_MAX_PLAIN_LENGTH - 1) / SSL3_RT_MAX_PLAIN_LENGTH;

    if (filter->records + records > LT_TLS_RECORDS_PER_KEY) {
        filter->records = 0;
        if (SSL_key_update(filter->ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1)
            ERR_clear_error(); /* TLS 1.2 has none */
    }
    filter->records += records;
}

livetcp_result lt_tls_filter_write(lt_tls_filter *filter, const void *data, size_t size)
{
    size_t taken = 0;

    if (filter->state != LT_TLS_OPEN)
        return filter->state == LT_TLS_FAILED ? filter->error.code : LIVETCP_ERR_BAD_STATE;
    ERR_clear_error();
    count_records(filter, size);
    int result = SSL_write_ex(filter->ssl, data, size, &taken);
    if (result != 1 || taken != size)
        fail(filter);
    push_to_outer(filter);
    return filter->state == LT_TLS_FAILED ? filter->error.code : LIVETCP_OK;
}

size_t lt_tls_filter_output(const lt_tls_filter *filter, const uint8_t **data)
{
    char *begin = NULL;

    if (filter->outer)
        return lt_tls_filter_output(filter->outer, data);
    long size = BIO_get_mem_data(filter->out, &begin);

    *data = NULL;
    if (size <= 0) /* before any allocation */
        return 0;
    *data = (const uint8_t *)begin + filter->done;
    return (size_t)size - filter->done;
}

void lt_tls_filter_written(lt_tls_filter *filter, size_t size)
{
    const uint8_t *rest;

    if (filter->outer) {
        lt_tls_filter_written(filter->outer, size);
        return;
    }
    filter->done += size;
    if (lt_tls_filter_output(filter, &rest) == 0) {
        (void)BIO_reset(filter->out);
        filter->done = 0;
    }
}

void lt_tls_filter_end(lt_tls_filter *filter)
{
    if (filter->state == LT_TLS_OPEN || filter->state == LT_TLS_ENDED) {
        ERR_clear_error();
        SSL_shutdown(filter->ssl);
        ERR_clear_error();
    }
    push_to_outer(filter);
    if (filter->outer)
        lt_tls_filter_end(filter->outer);
}

/* ---- asked ---- */

lt_tls_state lt_tls_filter_state(const lt_tls_filter *filter)
{
    return filter->state;
}

const livetcp_error *lt_tls_filter_error(const lt_tls_filter *filter)
{
    return &filter->error;
}

bool lt_tls_filter_binding(lt_tls_filter *filter, uint8_t binding[LT_TLS_BINDING_SIZE])
{
    static const char label[] = "EXPORTER-Channel-Binding";

    return SSL_export_keying_material(filter->ssl, binding, LT_TLS_BINDING_SIZE, label,
                                      sizeof label - 1, NULL, 0, 0) == 1;
}

void lt_tls_filter_info(const lt_tls_filter *filter, lt_tls_info *info)
{
    bool open = SSL_is_init_finished(filter->ssl);
    const char *cipher = open ? SSL_get_cipher_name(filter->ssl) : NULL;

    info->version = open ? SSL_get_version(filter->ssl) : "";
    info->cipher = cipher ? cipher : "";
    info->subject = filter->subject;
    info->fingerprint = filter->fingerprint;
    info->shared_key = filter->context->psk != NULL;
    info->resumed = open && SSL_session_reused(filter->ssl) &&
                    (!info->shared_key || filter->context->ticket != NULL);
}
