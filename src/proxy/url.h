/* SPDX-License-Identifier: MIT */
/* A proxy's URL, and NO_PROXY: the hosts that are connected directly. */
#ifndef LT_PROXY_URL_H
#define LT_PROXY_URL_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lt_proxy_kind {
    LT_PROXY_HTTP = 0, /* CONNECT (RFC 9110 section 9.3.6) */
    LT_PROXY_HTTPS,    /* the same inside TLS */
    LT_PROXY_SOCKS5    /* RFC 1928 */
} lt_proxy_kind;

/* RFC 1929 allows 255 bytes for each of user and password. */
#define LT_PROXY_WORD 256

/* User and password are secrets: wipe it with lt_proxy_clear(). */
typedef struct lt_proxy {
    lt_proxy_kind kind;
    char host[256]; /* without brackets */
    uint16_t port;
    bool has_user;
    char user[LT_PROXY_WORD];
    char password[LT_PROXY_WORD];
} lt_proxy;

/* Reads http://user:password@host:port, https://, socks5:// (socks5h:// is the same); user and
 * password percent-encoded. Without a port: 80, 443, 1080. Errors name `where` ("proxy"), never
 * the user or the password: LIVETCP_ERR_INVALID_ARGUMENT. */
livetcp_result lt_proxy_parse(const char *url, const char *where, lt_proxy *proxy,
                              livetcp_error *error);

void lt_proxy_clear(lt_proxy *proxy);

/* Fits "socks5://HOST:PORT". */
#define LT_PROXY_TEXT 280

/* "proxy http://host:port", without user and password. */
void lt_proxy_text(const lt_proxy *proxy, char text[LT_PROXY_TEXT]);

/* True if NO_PROXY, in curl's interpretation, matches the host: a list, separated by commas or
 * spaces, of names (with their subdomains), addresses and networks, each with an optional port, or
 * "*". */
bool lt_proxy_is_exempt(const char *no_proxy, const char *host, uint16_t port);

#endif
