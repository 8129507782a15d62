/* SPDX-License-Identifier: MIT */
#include "websocket/upgrade.h"

#include "base/error.h"
#include "base/text_list.h"

#include <livetcp/version.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Lengths in base 64: of the 16-byte key, and of a SHA-1 digest. */
#define KEY_TEXT    24
#define ACCEPT_TEXT 28

static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/* Sec-WebSocket-Accept (RFC 6455 section 4.2.2). "" if this OpenSSL lacks SHA-1: equals no valid
 * answer. */
static void compute_accept(const char *key, char accept[32])
{
    char text[KEY_TEXT + sizeof guid];
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;

    accept[0] = '\0';
    snprintf(text, sizeof text, "%.24s%s", key, guid);
    if (EVP_Digest(text, strlen(text), digest, &size, EVP_sha1(), NULL) == 1 && size == 20)
        EVP_EncodeBlock((unsigned char *)accept, digest, 20);
}

static void write_text(lt_upgrade *upgrade, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void write_text(lt_upgrade *upgrade, const char *format, ...)
{
    va_list arguments;
    int size;

    va_start(arguments, format);
    size = vsnprintf(upgrade->text, sizeof upgrade->text, format, arguments);
    va_end(arguments);
    upgrade->text_size = size > 0 && (size_t)size < sizeof upgrade->text ? (size_t)size : 0;
}

/* ---- fields for servers in front ---- */

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* Header fields that the opening handshake sets itself, or that HTTP defines for the connection. */
static bool is_ours(const char *name, size_t size)
{
    static const char *const ours[] = {"Host",           "Upgrade",           "Connection",
                                       "Content-Length", "Transfer-Encoding", "Origin"};
    static const char prefix[] = "Sec-WebSocket-";

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strlen(ours[i]) == size && !strncasecmp(name, ours[i], size))
            return true;
    return size >= sizeof prefix - 1 && !strncasecmp(name, prefix, sizeof prefix - 1);
}

static bool is_value(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
            return false;
    return true;
}

const char *lt_ws_fields_check(const char *fields, char *why, size_t size)
{
    unsigned line = 0;

    for (size_t length; *fields; fields += length + (fields[length] != 0)) {
        size_t name = 0;
        length = strcspn(fields, "\n");
        line++;
        while (name < length && is_name_character(fields[name]))
            name++;
        snprintf(why, size, "line %u is no 'Name: value'", line);
        if (!name || name == length || fields[name] != ':' ||
            !is_value(fields + name, length - name))
            return why;
        snprintf(why, size, "line %u: '%.*s' is a field that LiveTCP sets itself", line,
                 name < 64 ? (int)name : 64, fields);
        if (is_ours(fields, name))
            return why;
    }
    return NULL;
}

/* Writes the additional header fields, which were checked. */
static void write_fields(const char *fields, char *text)
{
    const char *end = text + 2 * LT_WS_FIELDS_MAX;

    for (; *fields && text < end; fields++) {
        if (*fields == '\n')
            *text++ = '\r';
        *text++ = *fields;
        if (!fields[1] && *fields != '\n') {
            *text++ = '\r';
            *text++ = '\n';
        }
    }
    *text = '\0';
}

/* ---- the caller's request ---- */

static void write_request(lt_upgrade *upgrade)
{
    const lt_ws_setup *setup = upgrade->setup;
    bool brackets = strchr(setup->host, ':') != NULL;
    char key[KEY_TEXT + 1], port[8] = "", fields[2 * LT_WS_FIELDS_MAX + 3];

    EVP_EncodeBlock((unsigned char *)key, setup->key, sizeof setup->key);
    compute_accept(key, upgrade->accept);
    write_fields(setup->fields ? setup->fields : "", fields);
    if (setup->port)
        snprintf(port, sizeof port, ":%u", setup->port);
    write_text(upgrade,
               "GET %s HTTP/1.1\r\n"
               "Host: %s%s%s%s\r\n"
               "User-Agent: LiveTCP/%s\r\n"
               "Upgrade: websocket\r\n"
               "Connection: Upgrade\r\n"
               "Sec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: %s\r\n"
               "Sec-WebSocket-Protocol: %s" LT_WS_PROTOCOL "\r\n%s\r\n",
               setup->path[0] ? setup->path : "/", brackets ? "[" : "", setup->host,
               brackets ? "]" : "", port, LIVETCP_VERSION, key,
               setup->tls ? LT_WS_PROTOCOL_BOUND ", " : "", fields);
    OPENSSL_cleanse(fields, sizeof fields);
}

/* ---- the answer, as the caller reads it ---- */

static void on_answer_field(void *user, const char *name, const char *value)
{
    lt_upgrade *upgrade = user;

    if (!strcasecmp(name, "Upgrade")) {
        upgrade->has_upgrade = lt_http_list_has(value, "websocket");
    } else if (!strcasecmp(name, "Connection")) {
        upgrade->has_connection = upgrade->has_connection || lt_http_list_has(value, "upgrade");
    } else if (!strcasecmp(name, "Sec-WebSocket-Accept")) {
        upgrade->has_accept = !strcmp(value, upgrade->accept);
    } else if (!strcasecmp(name, "Sec-WebSocket-Extensions")) {
        upgrade->has_extension = true;
    } else if (!strcasecmp(name, "Sec-WebSocket-Protocol")) {
        upgrade->bound = upgrade->setup->tls && !strcmp(value, LT_WS_PROTOCOL_BOUND);
        upgrade->other_protocol = !upgrade->bound && strcmp(value, LT_WS_PROTOCOL) != 0;
    } else if (!strcasecmp(name, "Content-Type")) {
        upgrade->html = !strncasecmp(value, "text/html", 9);
    } else if (!strcasecmp(name, "Location")) {
        snprintf(upgrade->location, sizeof upgrade->location, "%.*s",
                 (int)sizeof upgrade->location - 1, value);
        for (char *c = upgrade->location; *c; c++)
            *c = *c < '!' || *c > '~' ? '?' : *c;
    }
}

static void refuse(lt_upgrade *upgrade, livetcp_result code, const char *format, ...)
    __attribute__((format(LT_PRINTF, 3, 4)));

static void refuse(lt_upgrade *upgrade, livetcp_result code, const char *format, ...)
{
    char text[sizeof upgrade->error.message];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    upgrade->state = LT_UPGRADE_REFUSED;
    lt_fail(&upgrade->error, code, "WebSocket: %s", text);
}

static const char *advice_of(int status)
{
    switch (status) {
    case 400:
        return "a server in front may have taken out fields; nginx: proxy_http_version 1.1, and "
               "set Upgrade and Connection";
    case 401:
        return "the server wants a user, which LiveTCP does not give to a WebSocket; let it admit "
               "this path, and give a token instead";
    case 403:
        return "the server forbids it; look at its log";
    case 404:
    case 405:
        return "the server has no WebSocket at this path; check the path of the URI, and "
               "websocket-path "
               "of the listener";
    case 407:
        return "a proxy is in the way; set 'proxy'";
    case 426:
        return "a server in front may have taken out the Upgrade field; nginx: proxy_http_version "
               "1.1, and set Upgrade and Connection";
    case 502:
    case 503:
    case 504:
        return "the server in front cannot reach the listener; check that it runs";
    default:
        return "is it a WebSocket, and the right port and path?";
    }
}

static void take_answer(lt_upgrade *upgrade)
{
    const lt_http_head *head = &upgrade->head;
    int status = head->status;

    if (status / 100 == 3)
        refuse(upgrade, LIVETCP_ERR_PROTOCOL,
               "the server redirects with %d %s to %s, which LiveTCP does not follow; call that "
               "place, or see whether it is a login page of the network",
               status, head->reason, upgrade->location[0] ? upgrade->location : "nowhere");
    else if (status != 101 && status / 100 == 2)
        refuse(upgrade, LIVETCP_ERR_PROTOCOL,
               "the server answered %d %s with %s; it has no WebSocket at this path, or a server "
               "in front has taken out the Upgrade field",
               status, head->reason, upgrade->html ? "a web page" : "a document");
    else if (status != 101)
        refuse(upgrade, LIVETCP_ERR_PROTOCOL, "the server answered %d %s; %s", status, head->reason,
               advice_of(status));
    else if (head->minor < 1)
        refuse(upgrade, LIVETCP_ERR_PROTOCOL,
               "the server answered with HTTP/1.0, which has no WebSockets");
    else if (!upgrade->has_upgrade || !upgrade->has_connection)
        refuse(upgrade, LIVETCP_ERR_PROTOCOL,
               "the server switched to another protocol than WebSocket");
    else if (!upgrade->has_accept)
        refuse(upgrade, LIVETCP_ERR_PROTOCOL,
               "the server's Sec-WebSocket-Accept does not answer our key: it is no WebSocket "
               "server, or a cache is in the way");
    else if (upgrade->has_extension)
        refuse(upgrade, LIVETCP_ERR_PROTOCOL, "the server wants an extension that was not offered");
    else if (upgrade->other_protocol)
        refuse(upgrade, LIVETCP_ERR_PROTOCOL,
               "the server chose a Sec-WebSocket-Protocol that was not offered; LiveTCP's is "
               "'" LT_WS_PROTOCOL "'");
    else
        upgrade->state = LT_UPGRADE_DONE;
}

/* The answer is not HTTP. */
static void refuse_answer(lt_upgrade *upgrade)
{
    const lt_http_head *head = &upgrade->head;
    const uint8_t *begin = head->begin;
    const char *what = "the answer is not HTTP; is it a WebSocket server, and the right port?";

    if (head->state == LT_HTTP_HEAD_TOO_LONG)
        what = "the head of the answer has more than 8 KiB";
    else if (head->state == LT_HTTP_HEAD_MALFORMED)
        what = "the answer is malformed HTTP";
    else if (begin[0] == '<')
        what = "the answer is HTML without a head; is it a WebSocket server?";
    else if (begin[0] == 0x15 || begin[0] == 0x16)
        what = "the answer is TLS; call livetcp+wss://";
    else if (!begin[0]) /* a frame's LENGTH; the rest may not have arrived yet */
        what = "the answer looks like RTP without a WebSocket; call livetcp://";
    refuse(upgrade, LIVETCP_ERR_GARBAGE, "%s", what);
}

/* ---- the request, as the listener reads it ---- */

/* Strips "http://authority" of the absolute form (RFC 9112 section 3.2.2). */
static const char *path_of(const char *target)
{
    const char *authority = strstr(target, "://");
    const char *path = *target == '/' || !authority ? target : strchr(authority + 3, '/');

    return path ? path : "/";
}

static void on_target(void *user, const char *target)
{
    lt_upgrade *upgrade = user;
    const char *wanted = upgrade->setup->path, *path = path_of(target);
    size_t size = strcspn(path, "?");

    upgrade->wrong_path = wanted[0] && strcmp(path, wanted) != 0 &&
                          (strlen(wanted) != size || memcmp(path, wanted, size) != 0);
}

static bool is_origin_allowed(const char *origins, const char *origin)
{
    char item[256];

    for (unsigned i = 0; i < lt_text_list_count(origins); i++)
        if (lt_text_list_item(origins, i, item, sizeof item) &&
            (!strcmp(item, "*") || !strcasecmp(item, origin)))
            return true;
    return false;
}

/* Each proxy appends its entry, so the last ones are kept. */
static void add_forwarded(lt_upgrade *upgrade, const char *value)
{
    char *text = upgrade->forwarded;
    const size_t max_size = sizeof upgrade->forwarded - 1;
    size_t more = strlen(value), kept = strlen(text), cut;

    if (more > max_size) {
        value += more - max_size;
        cut = strcspn(value, ",");
        value += cut;
        more = max_size - cut;
        kept = 0;
    }
    while (kept && kept + 1 + more > max_size) { /* drops the first entry */
        cut = strcspn(text, ",") + 1;
        cut = cut < kept ? cut : kept;
        memmove(text, text + cut, kept - cut);
        kept -= cut;
    }
    if (kept)
        text[kept++] = ',';
    memcpy(text + kept, value, more);
    text[kept + more] = '\0';
}

static void on_request_field(void *user, const char *name, const char *value)
{
    lt_upgrade *upgrade = user;

    if (!strcasecmp(name, "Host")) {
        upgrade->has_host = true;
    } else if (!strcasecmp(name, "Upgrade")) {
        upgrade->has_upgrade = upgrade->has_upgrade || lt_http_list_has(value, "websocket");
    } else if (!strcasecmp(name, "Connection")) {
        upgrade->has_connection = upgrade->has_connection || lt_http_list_has(value, "upgrade");
    } else if (!strcasecmp(name, "Sec-WebSocket-Version")) {
        upgrade->version_13 = !strcmp(value, "13");
    } else if (!strcasecmp(name, "Sec-WebSocket-Key")) {
        uint8_t key[18];
        upgrade->has_key =
            strlen(value) == KEY_TEXT && !strcmp(value + KEY_TEXT - 2, "==") &&
            EVP_DecodeBlock(key, (const unsigned char *)value, KEY_TEXT) == (int)sizeof key;
        if (upgrade->has_key)
            compute_accept(value, upgrade->accept);
    } else if (!strcasecmp(name, "Sec-WebSocket-Protocol")) {
        upgrade->offered = true;
        upgrade->offered_plain = upgrade->offered_plain || lt_http_list_has(value, LT_WS_PROTOCOL);
        upgrade->offered_bound =
            upgrade->offered_bound || lt_http_list_has(value, LT_WS_PROTOCOL_BOUND);
    } else if (!strcasecmp(name, "X-Forwarded-For")) {
        add_forwarded(upgrade, value);
    } else if (!strcasecmp(name, "Origin")) {
        upgrade->has_origin = true;
        upgrade->origin_allowed = is_origin_allowed(upgrade->setup->origins, value);
    }
}

/* Composes an HTTP answer other than 101; `why` is the text for the client. */
static void answer(lt_upgrade *upgrade, const char *status, const char *fields, const char *why)
{
    refuse(upgrade, LIVETCP_ERR_PROTOCOL, "%s (answered with %.3s)", why, status);
    write_text(upgrade,
               "HTTP/1.1 %s\r\n"
               "Server: LiveTCP/%s\r\n"
               "%s"
               "Connection: close\r\n"
               "Content-Type: text/plain\r\n"
               "Content-Length: %zu\r\n\r\n%s.\n",
               status, LIVETCP_VERSION, fields, strlen(why) + 2, why);
}

#define UPGRADE_FIELDS "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"

/* Detects requests that may be for another server. */
static void check_purpose(lt_upgrade *upgrade)
{
    if (strcmp(upgrade->head.method, "GET") != 0)
        answer(upgrade, "405 Method Not Allowed", "Allow: GET\r\n",
               "a WebSocket begins with GET, and there is nothing else here");
    else if (upgrade->wrong_path)
        answer(upgrade, "404 Not Found", "",
               "there is nothing at this path: it is not the listener's websocket-path");
    else if (!upgrade->has_upgrade)
        answer(upgrade, "426 Upgrade Required", UPGRADE_FIELDS,
               upgrade->head.minor < 1
                   ? "this is a WebSocket, and the request is HTTP/1.0 without Upgrade; if a "
                     "server is in front, let it use HTTP/1.1 and pass on Upgrade and Connection"
                   : "this is a WebSocket, and the request has no 'Upgrade: websocket'; if a "
                     "server is in front, let it pass on Upgrade and Connection");
    upgrade->foreign = upgrade->state == LT_UPGRADE_REFUSED;
}

static void take_request(lt_upgrade *upgrade)
{
    check_purpose(upgrade);
    if (upgrade->state == LT_UPGRADE_REFUSED)
        return;
    if (upgrade->head.minor < 1)
        answer(upgrade, "400 Bad Request", "", "a WebSocket needs HTTP/1.1, and this is HTTP/1.0");
    else if (!upgrade->version_13)
        answer(upgrade, "426 Upgrade Required", UPGRADE_FIELDS,
               "this WebSocket is of version 13 (RFC 6455), and the request is for another");
    else if (!upgrade->has_connection || !upgrade->has_host || !upgrade->has_key)
        answer(upgrade, "400 Bad Request", "",
               !upgrade->has_key    ? "the request has no valid Sec-WebSocket-Key"
               : !upgrade->has_host ? "the request has no Host"
                                    : "the request has no 'Connection: Upgrade'");
    else if (upgrade->has_origin && !upgrade->origin_allowed)
        answer(upgrade, "403 Forbidden", "",
               "web pages of this Origin may not connect: add it to the listener's "
               "websocket-origin");
    else if (upgrade->offered && !upgrade->offered_plain &&
             !(upgrade->offered_bound && upgrade->setup->tls))
        answer(upgrade, "400 Bad Request", "",
               "the request is for another Sec-WebSocket-Protocol than '" LT_WS_PROTOCOL "'");
    else if (!upgrade->accept[0])
        answer(upgrade, "500 Internal Server Error", "", "this OpenSSL has no SHA-1");
    else
        upgrade->state = LT_UPGRADE_DONE;
}

static void accept_request(lt_upgrade *upgrade)
{
    const char *protocol = "";

    upgrade->bound = upgrade->setup->tls && upgrade->offered_bound;
    if (upgrade->bound)
        protocol = "Sec-WebSocket-Protocol: " LT_WS_PROTOCOL_BOUND "\r\n";
    else if (upgrade->offered)
        protocol = "Sec-WebSocket-Protocol: " LT_WS_PROTOCOL "\r\n";
    write_text(upgrade,
               "HTTP/1.1 101 Switching Protocols\r\n"
               "Server: LiveTCP/%s\r\n"
               "Upgrade: websocket\r\n"
               "Connection: Upgrade\r\n"
               "Sec-WebSocket-Accept: %s\r\n%s\r\n",
               LIVETCP_VERSION, upgrade->accept, protocol);
}

static void refuse_request(lt_upgrade *upgrade)
{
    upgrade->foreign = true;
    if (upgrade->head.state == LT_HTTP_HEAD_TOO_LONG)
        answer(upgrade, "431 Request Header Fields Too Large", "",
               "the head of the request has more than 8 KiB");
    else
        answer(upgrade, "400 Bad Request", "", "the request is malformed, or not HTTP/1.1");
}

/* ---- both ---- */

void lt_upgrade_begin(lt_upgrade *upgrade, const lt_ws_setup *setup)
{
    memset(upgrade, 0, offsetof(lt_upgrade, head));
    upgrade->setup = setup;
    lt_http_head_init(&upgrade->head, setup->listener ? HTTP_REQUEST : HTTP_RESPONSE,
                      setup->listener ? on_request_field : on_answer_field, upgrade);
    upgrade->head.limit = LT_WS_HEAD_MAX;
    upgrade->head.on_target = on_target;
    if (!setup->listener)
        write_request(upgrade);
}

static void take_head(lt_upgrade *upgrade)
{
    bool listener = upgrade->setup->listener, broken = upgrade->head.state != LT_HTTP_HEAD_DONE;

    if (upgrade->head.state == LT_HTTP_HEAD_MORE)
        return;
    if (listener && broken)
        refuse_request(upgrade);
    else if (listener)
        take_request(upgrade);
    else if (broken)
        refuse_answer(upgrade);
    else
        take_answer(upgrade);
    if (listener && upgrade->state == LT_UPGRADE_DONE)
        accept_request(upgrade);
}

size_t lt_upgrade_receive(lt_upgrade *upgrade, const uint8_t *data, size_t size)
{
    size_t taken = lt_http_head_receive(&upgrade->head, data, size);

    take_head(upgrade);
    return taken;
}

void lt_upgrade_time_out(lt_upgrade *upgrade)
{
    if (!upgrade->setup->listener || upgrade->state != LT_UPGRADE_MORE)
        return;
    answer(upgrade, "408 Request Timeout", "",
           "the head of the request did not come within the listener's handshake-timeout");
    upgrade->error.code = LIVETCP_ERR_HANDSHAKE_TIMEOUT;
}
