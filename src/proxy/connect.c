/* SPDX-License-Identifier: MIT */
#include "proxy/connect.h"

#include "base/error.h"

#include <livetcp/version.h>
#include <openssl/crypto.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Maximum number of 1xx responses before the final one. */
#define INFORMATIONAL_MAX 8

/* ---- the request ---- */

void lt_proxy_connect_begin(lt_proxy_connect *connect, lt_proxy_step *step,
                            lt_proxy_challenge *known, const uint8_t cnonce[LT_PROXY_CNONCE])
{
    char answer[LT_PROXY_AUTHORIZATION];
    int size;

    memset(connect, 0, offsetof(lt_proxy_connect, head));
    connect->step = step;
    connect->known = known;
    connect->authorized = step->proxy->has_user && known->scheme != LT_PROXY_NO_SCHEME;
    answer[0] = '\0';
    if (connect->authorized &&
        !lt_proxy_authorize(known, step->proxy, step->target, cnonce, answer)) {
        step->state = LT_TUNNEL_FAILED;
        lt_fail(&step->error, LIVETCP_ERR_PROXY,
                "%s: this host's OpenSSL cannot answer the proxy's challenge (Digest with MD5 is "
                "off in FIPS mode), or the challenge is too long",
                step->name);
        return;
    }
    size = snprintf((char *)step->output, sizeof step->output,
                    "CONNECT %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: LiveTCP/%s\r\n%s%s%s\r\n",
                    step->target, step->target, LIVETCP_VERSION,
                    answer[0] ? "Proxy-Authorization: " : "", answer, answer[0] ? "\r\n" : "");
    step->output_size = size > 0 && (size_t)size < sizeof step->output ? (size_t)size : 0;
    OPENSSL_cleanse(answer, sizeof answer);
}

/* ---- the answer ---- */

static void on_field(void *user, const char *name, const char *value)
{
    lt_proxy_connect *connect = user;

    if (!strcasecmp(name, "Proxy-Authenticate"))
        lt_proxy_challenge_read(&connect->asked, value);
    else if (!strcasecmp(name, "Content-Type"))
        connect->html = !strncasecmp(value, "text/html", 9);
}

/* A proxy that was sent user and password may repeat them in its words: these are left out then. */
static void fail(lt_proxy_connect *connect, const char *advice)
{
    lt_proxy_step *step = connect->step;
    const char *reason = connect->authorized ? "" : connect->head.reason;

    step->state = LT_TUNNEL_FAILED;
    lt_fail(&step->error, LIVETCP_ERR_PROXY, "%s: %d%s%s for %.120s; %s", step->name,
            connect->head.status, *reason ? " " : "", reason, step->target, advice);
}

static void fail_user(lt_proxy_connect *connect)
{
    connect->step->refused = true;
    fail(connect, "the proxy does not accept the user and password in 'proxy'");
}

/* 407 Proxy Authentication Required: asks for another connection if credentials may help. */
static void take_challenge(lt_proxy_connect *connect)
{
    lt_proxy_step *step = connect->step;
    const lt_proxy_challenge *asked = &connect->asked;
    bool was_accepted = connect->known->accepted;

    if (asked->scheme == LT_PROXY_NO_SCHEME) {
        step->state = LT_TUNNEL_FAILED;
        lt_fail(&step->error, LIVETCP_ERR_PROXY,
                "%s: 407, it wants authentication by %s, and LiveTCP has Basic and Digest "
                "(qop=auth; MD5, SHA-256): allow one of these there",
                step->name, asked->others[0] ? asked->others : "a method that it does not name");
    } else if (!step->proxy->has_user) {
        fail(connect, "set user and password: proxy=http://USER:PASSWORD@HOST:PORT");
    } else if (connect->authorized && !asked->stale && !was_accepted) {
        fail_user(connect);
    } else {
        *connect->known = *asked;
        step->state = LT_TUNNEL_AGAIN;
    }
}

static const char *advice_of(int status)
{
    switch (status) {
    case 400:
    case 404:
    case 405:
    case 501:
        return "is it a web server? a proxy that allows CONNECT is needed";
    case 401:
    case 403:
        return "the proxy forbids it: have its administrator allow CONNECT to this host and port, "
               "or let the listener use port 443";
    case 408:
    case 504:
        return "the proxy got no answer from there; check host, port and firewalls";
    case 429:
        return "the proxy has had too many requests";
    case 502:
    case 503:
        return "the proxy cannot reach it; check host and port, and that a listener runs there";
    default:
        return status / 100 == 3 ? "the proxy wants to redirect, for example to a login page"
                                 : "see the proxy's log";
    }
}

static void take_answer(lt_proxy_connect *connect)
{
    int status = connect->head.status;

    if (status == 407) {
        take_challenge(connect);
    } else if (status == 401 &&
               connect->authorized) { /* tinyproxy answers wrong credentials with 401 */
        fail_user(connect);
    } else if (status / 100 != 2) {
        fail(connect, advice_of(status));
    } else if (connect->html) {
        fail(connect, "it answered with a web page: is it a web server, or a login page of the "
                      "network?");
    } else {
        connect->known->accepted = connect->authorized;
        connect->step->state = LT_TUNNEL_OPEN;
    }
}

static void refuse_garbage(lt_proxy_connect *connect)
{
    lt_proxy_step *step = connect->step;
    const uint8_t *begin = connect->head.begin;
    const char *what = "it answered with something else than HTTP; is it a proxy, and the right "
                       "port?";

    if (begin[0] == '<')
        what = "it answered with HTML; is it a web server? a proxy that allows CONNECT is needed";
    else if (begin[0] == 0x15 || begin[0] == 0x16)
        what = "it answered with TLS; set proxy=https://HOST:PORT";
    else if (begin[0] == 0x05)
        what = "it answered as SOCKS; set proxy=socks5://HOST:PORT";
    step->state = LT_TUNNEL_FAILED;
    lt_fail(&step->error, LIVETCP_ERR_PROXY, "%s: %s", step->name, what);
}

static void end_head(lt_proxy_connect *connect)
{
    lt_proxy_step *step = connect->step;
    lt_http_head *head = &connect->head;

    switch (head->state) {
    case LT_HTTP_HEAD_MORE:
        return;
    case LT_HTTP_HEAD_NOT_HTTP:
        refuse_garbage(connect);
        return;
    case LT_HTTP_HEAD_TOO_LONG:
    case LT_HTTP_HEAD_MALFORMED:
        step->state = LT_TUNNEL_FAILED;
        lt_fail(&step->error, LIVETCP_ERR_PROXY, "%s: the head of its answer is %s; is it a proxy?",
                step->name,
                head->state == LT_HTTP_HEAD_TOO_LONG ? "longer than 8 KiB a line or 128 lines"
                                                     : "no HTTP");
        return;
    case LT_HTTP_HEAD_DONE:
        break;
    }
    if (head->status >= 200 || ++connect->informational > INFORMATIONAL_MAX)
        take_answer(connect);
}

size_t lt_proxy_connect_receive(lt_proxy_connect *connect, const uint8_t *data, size_t size)
{
    size_t taken = 0;

    if (!connect->head.on_field)
        lt_http_head_init(&connect->head, HTTP_RESPONSE, on_field, connect);
    while (taken < size && connect->step->state == LT_TUNNEL_GOING) {
        taken += lt_http_head_receive(&connect->head, data + taken, size - taken);
        end_head(connect);
        if (connect->head.state == LT_HTTP_HEAD_DONE && connect->step->state == LT_TUNNEL_GOING)
            lt_http_head_init(&connect->head, HTTP_RESPONSE, on_field, connect);
    }
    return taken;
}
