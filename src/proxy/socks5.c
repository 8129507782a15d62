/* SPDX-License-Identifier: MIT */
#include "proxy/socks5.h"

#include "base/error.h"
#include "base/ip.h"

#include <string.h>

#define VERSION      5
#define USER_VERSION 1

/* Authentication methods. */
#define NO_USER   0x00
#define WITH_USER 0x02
#define NONE      0xff

#define COMMAND_CONNECT 1

/* Address types. */
#define IPV4 1
#define NAME 3
#define IPV6 4

/* ---- requests ---- */

static void put(lt_proxy_step *step, const void *bytes, size_t size)
{
    if (step->output_size + size > sizeof step->output)
        return; /* cannot happen: each of these is short */
    memcpy(step->output + step->output_size, bytes, size);
    step->output_size += size;
}

static void put_byte(lt_proxy_step *step, size_t value)
{
    uint8_t byte = (uint8_t)value;

    put(step, &byte, 1);
}

void lt_socks5_begin(lt_socks5 *socks, lt_proxy_step *step)
{
    *socks = (lt_socks5){.step = step};
    put_byte(step, VERSION);
    put_byte(step, step->proxy->has_user ? 2 : 1);
    put_byte(step, NO_USER);
    if (step->proxy->has_user)
        put_byte(step, WITH_USER);
}

static void ask_as_user(lt_socks5 *socks)
{
    const lt_proxy *proxy = socks->step->proxy;

    socks->stage = LT_SOCKS5_USER;
    put_byte(socks->step, USER_VERSION);
    put_byte(socks->step, strlen(proxy->user));
    put(socks->step, proxy->user, strlen(proxy->user));
    put_byte(socks->step, strlen(proxy->password));
    put(socks->step, proxy->password, strlen(proxy->password));
}

static void ask_to_connect(lt_socks5 *socks)
{
    lt_proxy_step *step = socks->step;
    size_t length = strlen(step->host);
    lt_ip ip;

    socks->stage = LT_SOCKS5_REPLY;
    put_byte(step, VERSION);
    put_byte(step, COMMAND_CONNECT);
    put_byte(step, 0);
    if (!lt_ip_parse(step->host, length, &ip)) {
        put_byte(step, NAME);
        put_byte(step, length);
        put(step, step->host, length);
    } else if (lt_ip_is_v4(&ip)) {
        put_byte(step, IPV4);
        put(step, ip.bytes + 12, 4);
    } else {
        put_byte(step, IPV6);
        put(step, ip.bytes, 16);
    }
    put_byte(step, step->port >> 8);
    put_byte(step, step->port);
}

/* ---- answers ---- */

static void fail(lt_socks5 *socks, const char *text)
{
    lt_proxy_step *step = socks->step;

    step->state = LT_TUNNEL_FAILED;
    lt_fail(&step->error, LIVETCP_ERR_PROXY, "%s: %s", step->name, text);
}

static void fail_version(lt_socks5 *socks)
{
    uint8_t first = socks->held[0];

    if (first == 'H')
        fail(socks, "it answered as HTTP; set proxy=http://HOST:PORT");
    else if (first == '<')
        fail(socks, "it answered with HTML; is it a web server? a SOCKS5 proxy is needed");
    else if (first == 0 || first == 4)
        fail(socks, "it speaks SOCKS4, and LiveTCP SOCKS5");
    else if (first == 0x15 || first == 0x16)
        fail(socks, "it answered with TLS; is it an HTTP proxy? set proxy=https://HOST:PORT");
    else
        fail(socks, "it answered with something else than SOCKS5; is it a SOCKS5 proxy, and the "
                    "right port?");
}

static void take_method(lt_socks5 *socks)
{
    bool has_user = socks->step->proxy->has_user;
    uint8_t method = socks->held[1];

    if (socks->held[0] != VERSION)
        fail_version(socks);
    else if (method == NO_USER)
        ask_to_connect(socks);
    else if (method == WITH_USER && has_user)
        ask_as_user(socks);
    else if (method == NONE && has_user)
        fail(socks, "it takes neither callers without a user nor user and password; allow one of "
                    "these there");
    else if (method == NONE)
        fail(socks, "it does not take callers without a user; set user and password: "
                    "proxy=socks5://USER:PASSWORD@HOST:PORT");
    else
        fail(socks, "it chose a kind of authentication that was not offered");
}

static void take_user(lt_socks5 *socks)
{
    if (socks->held[1] == 0) {
        ask_to_connect(socks);
        return;
    }
    socks->step->refused = true;
    fail(socks, "the proxy does not accept the user and password in 'proxy'");
}

static const char *text_of(uint8_t reply)
{
    static const char *const texts[] = {
        [1] = "the proxy failed; see its log",
        [2] = "the proxy's rules forbid it: have its administrator allow this host and port",
        [3] = "the proxy has no route to that network",
        [4] = "the proxy cannot reach that host; check the name, which the proxy resolves",
        [5] = "connection refused; check host and port, and that a listener is running",
        [6] = "the way from the proxy is too long (TTL expired)",
        [7] = "the proxy does not support CONNECT",
        [8] = "the proxy does not support this kind of address (IPv4, IPv6 or a name)"};

    return reply < sizeof texts / sizeof *texts && texts[reply] ? texts[reply]
                                                                : "the proxy gave no known reason";
}

static void take_reply(lt_socks5 *socks)
{
    lt_proxy_step *step = socks->step;
    uint8_t reply = socks->held[1];

    if (socks->held[0] != VERSION) {
        fail_version(socks);
        return;
    }
    if (reply == 0) {
        step->state = LT_TUNNEL_OPEN;
        return;
    }
    step->state = LT_TUNNEL_FAILED;
    lt_fail(&step->error, LIVETCP_ERR_PROXY, "%s: %.120s: %s (SOCKS5 reply %u)", step->name,
            step->target, text_of(reply), reply);
}

/* Size of the current answer, as far as its bytes so far tell. 0 = invalid. */
static size_t size_wanted(const lt_socks5 *socks)
{
    static const size_t head = 4, port = 2;

    if (socks->stage != LT_SOCKS5_REPLY)
        return 2;
    if (socks->size < head)
        return head;
    if (socks->held[1] != 0)
        return socks->size; /* refused: the address does not matter */
    if (socks->size < head + 1)
        return head + 1;
    switch (socks->held[3]) {
    case IPV4:
        return head + 4 + port;
    case IPV6:
        return head + 16 + port;
    case NAME:
        return head + 1 + socks->held[4] + port;
    default:
        return 0;
    }
}

static void take_answer(lt_socks5 *socks)
{
    lt_socks5_stage stage = socks->stage;

    if (stage == LT_SOCKS5_METHOD)
        take_method(socks);
    else if (stage == LT_SOCKS5_USER)
        take_user(socks);
    else
        take_reply(socks);
    socks->size = 0;
}

size_t lt_socks5_receive(lt_socks5 *socks, const uint8_t *data, size_t size)
{
    size_t taken = 0;

    while (taken < size && socks->step->state == LT_TUNNEL_GOING) {
        socks->held[socks->size++] = data[taken++];
        size_t wanted = size_wanted(socks);
        if (socks->size == 1 && socks->stage != LT_SOCKS5_USER && socks->held[0] != VERSION)
            fail_version(socks);
        else if (!wanted)
            fail(socks, "its reply has an address of a kind that does not exist");
        else if (socks->size >= wanted)
            take_answer(socks);
    }
    return taken;
}
