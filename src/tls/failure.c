/* SPDX-License-Identifier: MIT */
#include "tls/failure.h"

#include "base/error.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <stddef.h>

/* Texts of an error, for each side that may have to act. */
typedef struct words {
    long code;
    const char *text;
} words;

static const words certificates[] = {
    {X509_V_ERR_CERT_HAS_EXPIRED,
     "the peer's certificate has expired; renew it there, or set this host's clock"},
    {X509_V_ERR_CERT_NOT_YET_VALID,
     "the peer's certificate is not valid yet; is a clock wrong at one of the ends?"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
     "the peer's certificate is from an unknown CA; give the CA's with tls-ca, or the "
     "certificate's fingerprint with tls-fingerprint"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
     "the peer's certificate is from an unknown CA; give the CA's with tls-ca, or the "
     "certificate's fingerprint with tls-fingerprint"},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
     "the peer's certificate is from an unknown CA; give the CA's with tls-ca, or the "
     "certificate's fingerprint with tls-fingerprint"},
    {X509_V_ERR_CERT_SIGNATURE_FAILURE,
     "the peer's certificate names a CA that has not signed it; is tls-ca an older one of the same "
     "name?"},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
     "the peer's certificate is from an unknown CA; give the CA's with tls-ca, or the "
     "certificate's fingerprint with tls-fingerprint"},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
     "the peer's certificate is signed by itself; give it with tls-ca, or its fingerprint with "
     "tls-fingerprint"},
    {X509_V_ERR_APPLICATION_VERIFICATION,
     "the fingerprint of the peer's certificate differs from tls-fingerprint"},
    {X509_V_ERR_CERT_REVOKED, "the peer's certificate was revoked"},
    {X509_V_ERR_INVALID_PURPOSE, "the peer's certificate is not for this purpose"},
};

#define PROXY_CA                                                                                   \
    "the proxy's certificate is from an unknown CA; give the CA's with proxy-ca, or install it "   \
    "on "                                                                                          \
    "this host"

/* Texts that differ for the certificate of a proxy. */
static const words proxy_certificates[] = {
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, PROXY_CA},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, PROXY_CA},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, PROXY_CA},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, PROXY_CA},
    {X509_V_ERR_CERT_SIGNATURE_FAILURE, PROXY_CA},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
     "the proxy's certificate is signed by itself; give it with proxy-ca"},
};

static const words proxy_reasons[] = {
    {SSL_R_WRONG_VERSION_NUMBER, "the proxy does not speak TLS; set proxy=http://HOST:PORT"},
    {SSL_R_HTTP_REQUEST, "the proxy does not speak TLS; set proxy=http://HOST:PORT"},
    {SSL_R_HTTPS_PROXY_REQUEST, "the proxy does not speak TLS; set proxy=http://HOST:PORT"},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED,
     "the proxy demands a certificate, which LiveTCP does not give to proxies"},
};

static const words reasons[] = {
    {SSL_R_UNSUPPORTED_PROTOCOL,
     "the peer's version of TLS is too old; 1.2 is the oldest that is taken (1.3 with a "
     "passphrase)"},
    {SSL_R_VERSION_TOO_LOW,
     "the peer's version of TLS is too old; 1.2 is the oldest that is taken (1.3 with a "
     "passphrase)"},
    {SSL_R_WRONG_SSL_VERSION,
     "the peer's version of TLS is too old; 1.2 is the oldest that is taken (1.3 with a "
     "passphrase)"},
    {SSL_R_NO_PROTOCOLS_AVAILABLE,
     "the peer's version of TLS is too old; 1.2 is the oldest that is taken (1.3 with a "
     "passphrase)"},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, "the peer refuses this end's version of TLS; TLS 1.2 or "
                                         "1.3 is needed (1.3 with a passphrase)"},
    {SSL_R_INAPPROPRIATE_FALLBACK, "something between the ends forces an older version of TLS"},
    {SSL_R_TLSV1_ALERT_INAPPROPRIATE_FALLBACK,
     "something between the ends forces an older version of TLS"},
    {SSL_R_WRONG_VERSION_NUMBER, "the peer does not speak TLS; set tls=off here, or tls=on there"},
    {SSL_R_HTTP_REQUEST, "the peer speaks HTTP without TLS"},
    {SSL_R_HTTPS_PROXY_REQUEST, "the peer speaks HTTP without TLS"},
    {SSL_R_PACKET_LENGTH_TOO_LONG, "a record is longer than TLS allows; does the peer speak TLS?"},
    {SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, "a record was altered on its way"},
    {SSL_R_SSLV3_ALERT_BAD_RECORD_MAC, "the peer reports a record that was altered on the path"},
    {SSL_R_NO_SHARED_CIPHER, "no cipher that both ends have; does this listener have tls-cert, or "
                             "the caller the passphrase?"},
    {SSL_R_NO_APPLICATION_PROTOCOL,
     "the peer speaks another protocol inside TLS (ALPN has no \"livetcp\")"},
    {SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL,
     "the listener speaks another protocol inside TLS (ALPN); is this the right port?"},
    {SSL_R_BINDER_DOES_NOT_VERIFY, "the passphrases differ"},
    {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE,
     "the caller has no certificate, and tls-ca or tls-fingerprint here demands one"},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED,
     "the listener demands a certificate; set tls-cert and tls-key"},
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA,
     "the peer does not know the CA of this end's certificate; tell it with tls-ca or "
     "tls-fingerprint there"},
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,
     "the peer refuses this end's certificate; are tls-ca, tls-fingerprint and the name right "
     "there?"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
     "the peer refuses this end's certificate; are tls-ca, tls-fingerprint and the name right "
     "there?"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "the peer finds this end's certificate expired"},
    {SSL_R_UNEXPECTED_MESSAGE, "a message of TLS came out of its place"},
};

static const char *find(const words *table, size_t count, long code)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].code == code)
            return table[i].text;
    return NULL;
}

#define FIND(table, code) find(table, sizeof(table) / sizeof *(table), code)

/* Alerts that mean a wrong passphrase, if one is set. */
static bool denies_key(long reason)
{
    return reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER ||
           reason == SSL_R_TLSV1_ALERT_DECRYPT_ERROR ||
           reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE;
}

/* Errors of libssl when a caller has no shared key and it continues with certificates. */
static bool needs_certificate(long reason)
{
    return reason == SSL_R_NO_SHARED_CIPHER || reason == SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM ||
           reason == SSL_R_NO_CERTIFICATE_SET;
}

static void set_certificate_text(const lt_tls_end *end, long verified, livetcp_error *error)
{
    const char *text = end->proxy ? FIND(proxy_certificates, verified) : NULL;

    if (!text)
        text = FIND(certificates, verified);
    if (end->proxy &&
        (verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH))
        lt_fail(error, LIVETCP_ERR_TLS,
                "TLS: the proxy's certificate is not for %.100s; give the name that it is for in "
                "'proxy'",
                end->name);
    else if (verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH)
        lt_fail(
            error, LIVETCP_ERR_TLS,
            "TLS: the peer's certificate is not for %.100s; set tls-name to the name that it is "
            "for, if that is the right peer",
            end->name);
    else
        lt_fail(error, LIVETCP_ERR_TLS, "TLS: %s",
                text ? text : X509_verify_cert_error_string(verified));
}

void lt_tls_failure_text(const lt_tls_end *end, long verified, unsigned long code,
                         livetcp_error *error)
{
    long reason = ERR_GET_REASON(code);
    const char *text = end->proxy ? FIND(proxy_reasons, reason) : NULL;
    const char *own = ERR_reason_error_string(code);

    if (!text)
        text = FIND(reasons, reason);
    if (verified != X509_V_OK)
        set_certificate_text(end, verified, error);
    else if (end->shared_key && !end->listener && denies_key(reason))
        lt_fail(error, LIVETCP_ERR_TLS,
                "TLS: the listener does not take this passphrase; set the same one at both ends");
    else if (end->shared_key && end->listener && needs_certificate(reason))
        lt_fail(error, LIVETCP_ERR_TLS,
                "TLS: the caller has no passphrase; set the same one at both ends");
    else
        lt_fail(error, LIVETCP_ERR_TLS, "TLS: %s",
                text  ? text
                : own ? own
                      : "the peer broke the connection off");
}
