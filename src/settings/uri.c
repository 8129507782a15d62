/* SPDX-License-Identifier: MIT */
/* URIs after RFC 3986: livetcp://host:port/stream-id?name=value&name=value, and livetcps:// for
 * TLS; livetcp+ws://host:port/path and livetcp+wss:// for WebSockets, whose path is the
 * WebSocket's. Zone identifiers of IPv6 addresses are as in RFC 6874. */
#include "base/error.h"
#include "base/sized.h"
#include "base/text_list.h"
#include "settings/settings.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct scheme {
    const char *text;
    bool tls, websocket;
    const char *port; /* default port; NULL = no default */
} scheme;

static const scheme schemes[] = {{"livetcp://", false, false, NULL},
                                 {"livetcps://", true, false, "443"},
                                 {"livetcp+ws://", false, true, "80"},
                                 {"livetcp+wss://", true, true, "443"}};

#define SCHEME_COUNT (sizeof schemes / sizeof *schemes)

/* Size of the longest value: a token, or percent-encoded hosts. */
#define NAME_SIZE  64
#define VALUE_SIZE (LIVETCP_TOKEN_MAX + 1)
#define HOST_SIZE  sizeof(((livetcp_config *)0)->host)

_Static_assert(2 * HOST_SIZE <= VALUE_SIZE, "a list of hosts, with a pair of brackets an item");

static const char stream_id_name[] = "stream-id";
static const char path_name[] = "websocket-path";

/* A part of the URI. */
typedef struct span {
    const char *begin;
    const char *end;
} span;

static int span_size(span s)
{
    return s.end - s.begin > 60 ? 60 : (int)(s.end - s.begin);
}

/* Error messages contain names and hosts, but no values: URIs may contain passwords. */

/* The first `c` in the span, or its end. */
static const char *span_find(span s, char c)
{
    const char *found = memchr(s.begin, c, (size_t)(s.end - s.begin));

    return found ? found : s.end;
}

/* ---- percent-encoding ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Decodes the text, NUL-terminated. Errors: LIVETCP_ERR_BAD_URI, with `name` in the message. */
static livetcp_result decode(span text, span name, char *out, size_t size, livetcp_error *error)
{
    size_t used = 0;

    for (const char *p = text.begin; p < text.end; p++) {
        char c = *p;
        if (c == '%') {
            int high = text.end - p > 2 ? hex_digit(p[1]) : -1;
            int low = text.end - p > 2 ? hex_digit(p[2]) : -1;
            if (high < 0 || low < 0 || !(high | low))
                return lt_fail(error, LIVETCP_ERR_BAD_URI,
                               "'%.*s' in the URI has a '%%' that is not followed by two hex "
                               "digits, or by 00; write '%%' itself as %%25",
                               span_size(name), name.begin);
            c = (char)(high << 4 | low);
            p += 2;
        }
        if (used + 1 >= size)
            return lt_fail(error, LIVETCP_ERR_BAD_URI, "'%.*s' in the URI is too long",
                           span_size(name), name.begin);
        out[used++] = c;
    }
    out[used] = 0;
    return LIVETCP_OK;
}

/* ---- parsing ---- */

static livetcp_result apply_pair(livetcp_config *config, span name, span value,
                                 livetcp_error *error)
{
    char name_text[NAME_SIZE], value_text[VALUE_SIZE];
    bool is_list = span_find(value, ',') != value.end; /* with a pair of brackets an item */
    size_t limit = is_list ? 2 * HOST_SIZE : HOST_SIZE;
    livetcp_result result = decode(name, name, name_text, sizeof name_text, error);
    const lt_setting *setting = result == LIVETCP_OK ? lt_setting_find(name_text, NULL) : NULL;

    if (setting && setting->size > limit)
        limit = setting->size;
    if (result == LIVETCP_OK)
        result = decode(value, name, value_text, limit, error);
    if (result == LIVETCP_OK)
        result = livetcp_config_set(config, name_text, value_text, error);
    return result;
}

static livetcp_result apply_query(livetcp_config *config, span query, livetcp_error *error)
{
    while (query.begin < query.end) {
        span item = {query.begin, span_find(query, '&')};
        const char *equals = span_find(item, '=');
        livetcp_result result;

        if (equals == item.begin || equals == item.end || item.end + 1 == query.end)
            return lt_fail(error, LIVETCP_ERR_BAD_URI,
                           "'%.*s' in the URI is not name=value&name=value",
                           span_size((span){item.begin, equals}), item.begin);
        result =
            apply_pair(config, (span){item.begin, equals}, (span){equals + 1, item.end}, error);
        if (result != LIVETCP_OK)
            return result;
        query.begin = item.end < query.end ? item.end + 1 : query.end;
    }
    return LIVETCP_OK;
}

/* The colon before the port, outside of brackets, or the end. */
static const char *find_port(span authority)
{
    bool inside = false;

    for (const char *p = authority.begin; p < authority.end; p++) {
        inside = *p == '[' || (inside && *p != ']');
        if (*p == ':' && !inside)
            return p;
    }
    return authority.end;
}

/* Splits an authority into host and port; port.begin is NULL if there is none. Removes the brackets
 * of a single address, but not those in a list. */
static livetcp_result split_authority(span authority, span *host, span *port, livetcp_error *error)
{
    const char *after = span_find(authority, '@');

    *port = (span){NULL, NULL};
    if (after != authority.end)
        return lt_fail(error, LIVETCP_ERR_BAD_URI,
                       "the URI has an '@' before its host: livetcp URIs have no user names");
    if (span_find(authority, ',') != authority.end) {
        *host = (span){authority.begin, find_port(authority)};
        after = host->end;
    } else if (authority.begin < authority.end && *authority.begin == '[') {
        *host = (span){authority.begin + 1, span_find(authority, ']')};
        after = host->end + 1;
        if (host->end == authority.end || span_find(*host, ':') == host->end)
            return lt_fail(error, LIVETCP_ERR_BAD_URI,
                           "'%.*s' in the URI is not an IPv6 address in brackets, like [::1]",
                           span_size(authority), authority.begin);
    } else {
        *host = (span){authority.begin, span_find(authority, ':')};
        after = host->end;
    }
    if (after == authority.end)
        return LIVETCP_OK;
    *port = (span){after + 1, authority.end};
    if (*after != ':' || port->begin == port->end)
        return lt_fail(error, LIVETCP_ERR_BAD_URI, "'%.*s' in the URI is not host:port",
                       span_size(authority), authority.begin);
    if (span_find(*port, ':') != port->end)
        return lt_fail(error, LIVETCP_ERR_BAD_URI,
                       "'%.*s' in the URI is not host:port; an IPv6 address goes in brackets, "
                       "like [::1]:5004",
                       span_size(authority), authority.begin);
    return LIVETCP_OK;
}

static livetcp_result apply_authority(livetcp_config *config, span authority, const scheme *s,
                                      livetcp_error *error)
{
    static const char host_name[] = "host", port_name[] = "port";
    span host, port;
    livetcp_result result = split_authority(authority, &host, &port, error);

    if (result == LIVETCP_OK)
        result = apply_pair(config, (span){host_name, host_name + 4}, host, error);
    if (result == LIVETCP_OK && port.begin)
        result = apply_pair(config, (span){port_name, port_name + 4}, port, error);
    else if (result == LIVETCP_OK && s->port)
        result = livetcp_config_set(config, port_name, s->port, error);
    if (result == LIVETCP_OK && s->tls)
        result = livetcp_config_set(config, "tls", "on", error);
    if (result == LIVETCP_OK && s->websocket)
        result = livetcp_config_set(config, "websocket", "on", error);
    return result;
}

static livetcp_result check_characters(const char *uri, livetcp_error *error)
{
    for (const char *p = uri; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f || *p == '#')
            return lt_fail(error, LIVETCP_ERR_BAD_URI,
                           "the URI has a blank, a control character or a '#' at position %zu; "
                           "percent-encode it",
                           (size_t)(p - uri));
    return LIVETCP_OK;
}

/* Case-insensitive (RFC 3986, section 3.1). */
static bool has_scheme(const char *uri, const char *wanted)
{
    for (size_t i = 0; wanted[i]; i++)
        if (tolower((unsigned char)uri[i]) != wanted[i])
            return false;
    return true;
}

static const scheme *find_scheme(const char *uri)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (has_scheme(uri, schemes[i].text))
            return &schemes[i];
    return NULL;
}

/* A single slash means nothing, since many libraries append one. A WebSocket's path is requested as
 * written, percent-encoding included. */
static livetcp_result apply_path(livetcp_config *config, const scheme *s, span path,
                                 livetcp_error *error)
{
    char text[sizeof config->websocket_path];
    size_t size = (size_t)(path.end - path.begin);

    if (size < 2)
        return LIVETCP_OK;
    if (!s->websocket)
        return apply_pair(config, (span){stream_id_name, stream_id_name + strlen(stream_id_name)},
                          (span){path.begin + 1, path.end}, error);
    if (size >= sizeof text)
        return lt_fail(error, LIVETCP_ERR_BAD_URI, "'%s' in the URI is too long", path_name);
    memcpy(text, path.begin, size);
    text[size] = '\0';
    return livetcp_config_set(config, path_name, text, error);
}

static livetcp_result apply(livetcp_config *config, const char *uri, const scheme *s,
                            livetcp_error *error)
{
    const char *authority = uri + strlen(s->text);
    const char *rest = authority + strcspn(authority, "/?");
    livetcp_result result = apply_authority(config, (span){authority, rest}, s, error);

    if (result != LIVETCP_OK)
        return result;
    if (*rest == '/') {
        span path = {rest, rest + strcspn(rest, "?")};
        result = apply_path(config, s, path, error);
        rest = path.end;
    }
    if (result != LIVETCP_OK || !*rest)
        return result;
    return apply_query(config, (span){rest + 1, rest + strlen(rest)}, error);
}

/* Fails for a foreign scheme. Without a scheme, the message has the text up to the query, unless it
 * contains user information. */
static livetcp_result fail_scheme(const char *uri, livetcp_error *error)
{
    const char *colon = strstr(uri, "://");
    size_t shown = colon ? (size_t)(colon - uri) + 3 : strchr(uri, '@') ? 0 : strcspn(uri, "?");

    return lt_fail(error, LIVETCP_ERR_BAD_URI,
                   "'%.*s%s' is not a URI like livetcp://host:port?connections=5",
                   span_size((span){uri, uri + shown}), uri, uri[shown] ? "..." : "");
}

livetcp_result livetcp_config_apply_uri(livetcp_config *config, const char *uri,
                                        livetcp_error *error)
{
    livetcp_config changed;
    const scheme *s;
    livetcp_result result = lt_config_read(&changed, config, error);

    if (result != LIVETCP_OK)
        return result;
    s = uri ? find_scheme(uri) : NULL;
    if (!s)
        return fail_scheme(uri ? uri : "", error);
    result = check_characters(uri, error);
    if (result != LIVETCP_OK)
        return result;
    /* Settings that the program's struct lacks are rejected; fields of a newer struct beyond ours
     * are unchanged. */
    if (config->struct_size < changed.struct_size)
        changed.struct_size = config->struct_size;
    result = apply(&changed, uri, s, error);
    changed.struct_size = config->struct_size;
    if (result == LIVETCP_OK)
        lt_copy_sized(config, config->struct_size, &changed, sizeof changed);
    return result;
}

/* ---- formatting ---- */

typedef struct writer {
    char *out;
    size_t size;
    size_t used; /* may exceed `size`, if the text does not fit */
} writer;

static void put(writer *w, char c)
{
    if (w->used < w->size)
        w->out[w->used] = c;
    w->used++;
}

static void put_string(writer *w, const char *text)
{
    while (*text)
        put(w, *text++);
}

/* Unreserved characters (RFC 3986, section 2.3) and those in `also` are not encoded. */
static void put_encoded(writer *w, const char *text, const char *also)
{
    static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789-._~";
    static const char hex[] = "0123456789ABCDEF";

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (strchr(unreserved, c) || strchr(also, c)) {
            put(w, (char)c);
        } else {
            put(w, '%');
            put(w, hex[c >> 4]);
            put(w, hex[c & 15]);
        }
    }
}

static const scheme *scheme_of(const livetcp_config *config)
{
    const scheme *s = schemes;

    while (s->tls != (config->tls == LIVETCP_TLS_ON) ||
           s->websocket != (config->websocket == LIVETCP_WEBSOCKET_ON))
        s++;
    return s;
}

/* True if the WebSocket's path is the path of the URI; otherwise it is a setting. */
static bool has_path(const livetcp_config *config)
{
    const char *path = config->websocket_path;

    if (config->websocket != LIVETCP_WEBSOCKET_ON || path[0] != '/' || !path[1])
        return false;
    for (; *path; path++)
        if (*path <= ' ' || *path > '~' || *path == '#' || *path == '?')
            return false;
    return true;
}

static void put_authority(writer *w, const livetcp_config *config)
{
    char port[8], host[sizeof config->host];

    put_string(w, scheme_of(config)->text);
    for (unsigned i = 0; i < lt_text_list_count(config->host); i++) {
        (void)lt_text_list_item(config->host, i, host, sizeof host);
        bool brackets = strchr(host, ':') != NULL;
        put_string(w, i ? "," : "");
        put_string(w, brackets ? "[" : "");
        put_encoded(w, host, brackets ? ":" : "");
        put_string(w, brackets ? "]" : "");
    }
    snprintf(port, sizeof port, ":%u", config->port);
    put_string(w, port);
    if (has_path(config)) {
        put_string(w, config->websocket_path);
    } else if (config->stream_id[0] && config->websocket != LIVETCP_WEBSOCKET_ON) {
        put(w, '/');
        put_encoded(w, config->stream_id, ":/,@");
    }
}

/* True if the URI has the setting before its query. */
static bool is_put(const char *name, const livetcp_config *config)
{
    bool websocket = config->websocket == LIVETCP_WEBSOCKET_ON;

    return !strcmp(name, "host") || !strcmp(name, "port") ||
           (!strcmp(name, "tls") && config->tls == LIVETCP_TLS_ON) ||
           (!strcmp(name, "websocket") && websocket) ||
           (!strcmp(name, path_name) && has_path(config)) ||
           (!strcmp(name, stream_id_name) && !websocket);
}

/* Appends the setting, unless it has its default or is in the URI already. */
static livetcp_result put_setting(writer *w, const lt_setting *setting,
                                  const livetcp_config *config, const livetcp_config *defaults,
                                  char *separator, livetcp_error *error)
{
    const char *name = setting->listed.name;
    char value[VALUE_SIZE], initial[VALUE_SIZE];
    livetcp_result result = lt_setting_format(setting, config, value, sizeof value, error);

    if (result == LIVETCP_OK)
        result = lt_setting_format(setting, defaults, initial, sizeof initial, error);
    if (result != LIVETCP_OK || is_put(name, config) || !strcmp(value, initial))
        return result;
    put(w, *separator);
    *separator = '&';
    put_string(w, name);
    put(w, '=');
    put_encoded(w, value, ":/,");
    return LIVETCP_OK;
}

livetcp_result livetcp_config_to_uri(const livetcp_config *config, char *uri, size_t size,
                                     livetcp_error *error)
{
    writer w = {uri, size, 0};
    char separator = '?';
    livetcp_config whole, defaults;
    livetcp_result result = lt_config_read(&whole, config, error);
    const lt_setting *setting;

    if (result == LIVETCP_OK && !uri)
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "there is no room for the URI: NULL");
    if (result == LIVETCP_OK)
        result = lt_settings_check(&whole, error);
    if (result != LIVETCP_OK)
        return result;

    livetcp_config_init(&defaults);
    put_authority(&w, &whole);
    for (size_t i = 0; result == LIVETCP_OK && (setting = lt_setting_at(i)); i++)
        result = put_setting(&w, setting, &whole, &defaults, &separator, error);
    put(&w, 0);
    if (result == LIVETCP_OK && w.used > size)
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the URI needs %zu bytes, not %zu",
                         w.used, size);
    return result;
}
