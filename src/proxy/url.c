/* SPDX-License-Identifier: MIT */
#include "proxy/url.h"

#include "base/error.h"
#include "base/ip.h"

#include <openssl/crypto.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *scheme;
    lt_proxy_kind kind;
    uint16_t port;
} schemes[] = {
    {"http", LT_PROXY_HTTP, 80},
    {"https", LT_PROXY_HTTPS, 443},
    {"socks5", LT_PROXY_SOCKS5, 1080},
    {"socks5h", LT_PROXY_SOCKS5, 1080},
};

#define SCHEME_COUNT (sizeof schemes / sizeof *schemes)

typedef struct span {
    const char *begin;
    size_t size;
} span;

static livetcp_result refuse(const char *where, const char *what, livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "%s: %s; it takes http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT, "
                   "with USER:PASSWORD@ before the host if the proxy wants them",
                   where, what);
}

/* ---- user and password ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decodes. False if it is too long, has a '%' without two hex digits, or a control
 * character. */
static bool decode(span text, char *out, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.begin[i];
        if (c == '%') {
            int high = i + 2 < text.size ? hex_value(text.begin[i + 1]) : -1;
            int low = i + 2 < text.size ? hex_value(text.begin[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (unsigned char)(high << 4 | low);
            i += 2;
        }
        if (c < ' ' || c == 0x7f || used + 1 >= size)
            return false;
        out[used++] = (char)c;
    }
    out[used] = '\0';
    return true;
}

static livetcp_result read_user(span text, const char *where, lt_proxy *proxy, livetcp_error *error)
{
    const char *colon = memchr(text.begin, ':', text.size);
    span user = {text.begin, colon ? (size_t)(colon - text.begin) : text.size};
    span password = {colon ? colon + 1 : "", colon ? text.size - user.size - 1 : 0};

    proxy->has_user = true;
    if (!user.size)
        return refuse(where, "there is no user before the '@'", error);
    if (!decode(user, proxy->user, sizeof proxy->user) ||
        !decode(password, proxy->password, sizeof proxy->password))
        return refuse(where,
                      "user and password have at most 255 bytes, no control characters, and write "
                      "'%' as %25, ':' as %3A and '@' as %40",
                      error);
    return LIVETCP_OK;
}

/* ---- host and port ---- */

static livetcp_result read_port(span text, const char *where, lt_proxy *proxy, livetcp_error *error)
{
    unsigned port = 0;

    for (size_t i = 0; i < text.size && port <= UINT16_MAX; i++)
        port = text.begin[i] >= '0' && text.begin[i] <= '9'
                   ? port * 10 + (unsigned)(text.begin[i] - '0')
                   : UINT16_MAX + 1;
    if (!port || port > UINT16_MAX)
        return refuse(where, "the proxy's port is not a number from 1 to 65535", error);
    proxy->port = (uint16_t)port;
    return LIVETCP_OK;
}

static livetcp_result read_place(span text, const char *where, lt_proxy *proxy,
                                 livetcp_error *error)
{
    const char *end = text.begin + text.size;
    const char *close =
        text.size && text.begin[0] == '[' ? memchr(text.begin, ']', text.size) : NULL;
    const char *colon = close ? close + 1 : memchr(text.begin, ':', text.size);
    span host = text;
    lt_ip ip;

    if (close)
        host = (span){text.begin + 1, (size_t)(close - text.begin) - 1};
    else if (colon)
        host.size = (size_t)(colon - text.begin);
    if (close && colon < end && *colon != ':')
        return refuse(where, "something follows the address in brackets", error);
    if (!host.size || host.size >= sizeof proxy->host)
        return refuse(where, "the proxy's host is missing or too long", error);
    if (close ? !lt_ip_parse(host.begin, host.size, &ip) : memchr(host.begin, '[', host.size) != 0)
        return refuse(where, "the proxy's host is no IPv6 address in brackets", error);
    for (size_t i = 0; i < host.size; i++)
        if ((unsigned char)host.begin[i] <= ' ' || host.begin[i] == 0x7f)
            return refuse(where, "the proxy's host has blanks or control characters", error);
    memcpy(proxy->host, host.begin, host.size);
    proxy->host[host.size] = '\0';
    if (!colon || colon == end)
        return LIVETCP_OK;
    return read_port((span){colon + 1, (size_t)(end - colon) - 1}, where, proxy, error);
}

/* ---- the whole ---- */

static bool read_scheme(const char *url, size_t size, lt_proxy *proxy)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++) {
        if (strlen(schemes[i].scheme) != size || strncasecmp(schemes[i].scheme, url, size) != 0)
            continue;
        proxy->kind = schemes[i].kind;
        proxy->port = schemes[i].port;
        return true;
    }
    return false;
}

livetcp_result lt_proxy_parse(const char *url, const char *where, lt_proxy *proxy,
                              livetcp_error *error)
{
    const char *colon = strstr(url, "://");
    livetcp_result result = LIVETCP_OK;

    memset(proxy, 0, sizeof *proxy);
    if (!colon || !read_scheme(url, (size_t)(colon - url), proxy))
        return refuse(where, "it does not begin with a protocol that LiveTCP speaks to proxies",
                      error);
    span rest = {colon + 3, strlen(colon + 3)};
    if (rest.size && rest.begin[rest.size - 1] == '/')
        rest.size--;
    /* The last '@': some tools do not encode an '@' in the password. */
    for (size_t i = rest.size; i > 0; i--) {
        if (rest.begin[i - 1] != '@')
            continue;
        result = read_user((span){rest.begin, i - 1}, where, proxy, error);
        rest = (span){rest.begin + i, rest.size - i};
        break;
    }
    if (result == LIVETCP_OK && rest.size && memchr(rest.begin, '/', rest.size))
        result = refuse(where, "something follows the proxy's host and port", error);
    if (result == LIVETCP_OK)
        result = read_place(rest, where, proxy, error);
    if (result != LIVETCP_OK)
        lt_proxy_clear(proxy);
    return result;
}

void lt_proxy_clear(lt_proxy *proxy)
{
    OPENSSL_cleanse(proxy, sizeof *proxy);
}

void lt_proxy_text(const lt_proxy *proxy, char text[LT_PROXY_TEXT])
{
    static const char *const names[] = {"http", "https", "socks5"};
    bool brackets = strchr(proxy->host, ':') != NULL;

    snprintf(text, LT_PROXY_TEXT, "%s://%s%.200s%s:%u", names[proxy->kind], brackets ? "[" : "",
             proxy->host, brackets ? "]" : "", proxy->port);
}

/* ---- NO_PROXY ---- */

/* Removes the port after the last colon of an item, unless the item is a bare IPv6 address. False
 * if the port is another one. */
static bool is_port(span *item, uint16_t port)
{
    size_t at = item->size;
    unsigned named = 0;

    while (at && item->begin[at - 1] >= '0' && item->begin[at - 1] <= '9')
        at--;
    if (!at || at == item->size || item->begin[at - 1] != ':' ||
        (item->begin[0] != '[' && memchr(item->begin, ':', at - 1)))
        return true;
    for (size_t i = at; i < item->size && named <= UINT16_MAX; i++)
        named = named * 10 + (unsigned)(item->begin[i] - '0');
    item->size = at - 1;
    return named == port;
}

/* "example.org" and ".example.org" match the name and all its subdomains. */
static bool is_name(span item, const char *host)
{
    size_t size = strlen(host);

    while (size && host[size - 1] == '.')
        size--;
    if (item.size && item.begin[0] == '.') {
        item.begin++;
        item.size--;
    }
    if (!item.size || item.size > size ||
        strncasecmp(host + size - item.size, item.begin, item.size) != 0)
        return false;
    return item.size == size || host[size - item.size - 1] == '.';
}

static bool is_item(span item, const char *host, uint16_t port)
{
    lt_network network;
    lt_ip ip;

    if (item.size == 1 && item.begin[0] == '*')
        return true;
    if (!is_port(&item, port))
        return false;
    if (item.size > 2 && item.begin[0] == '[' && item.begin[item.size - 1] == ']')
        item = (span){item.begin + 1, item.size - 2};
    if (lt_ip_parse(host, strlen(host), &ip))
        return lt_network_parse(item.begin, item.size, &network) && lt_network_has(&network, &ip);
    return is_name(item, host);
}

bool lt_proxy_is_exempt(const char *no_proxy, const char *host, uint16_t port)
{
    while (*no_proxy) {
        size_t size = strcspn(no_proxy, ", \t");
        if (size && is_item((span){no_proxy, size}, host, port))
            return true;
        no_proxy += size;
        no_proxy += strspn(no_proxy, ", \t");
    }
    return false;
}
