/* SPDX-License-Identifier: MIT */
#include "proxy/tunnel.h"

#include "base/error.h"
#include "proxy/connect.h"
#include "proxy/socks5.h"

#include <openssl/crypto.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lt_tunnel {
    lt_proxy_step step;
    union {
        lt_proxy_connect connect;
        lt_socks5 socks;
    } by;
};

lt_tunnel *lt_tunnel_create(const lt_tunnel_setup *setup)
{
    lt_tunnel *tunnel = calloc(1, sizeof *tunnel);
    bool brackets = strchr(setup->host, ':') != NULL;
    lt_proxy_step *step;
    char text[LT_PROXY_TEXT];

    if (!tunnel)
        return NULL;
    step = &tunnel->step;
    step->proxy = setup->proxy;
    step->host = setup->host;
    step->port = setup->port;
    lt_proxy_text(setup->proxy, text);
    snprintf(step->name, sizeof step->name, "proxy %.270s", text);
    snprintf(step->target, sizeof step->target, "%s%s%s:%u", brackets ? "[" : "", setup->host,
             brackets ? "]" : "", setup->port);
    if (setup->proxy->kind == LT_PROXY_SOCKS5)
        lt_socks5_begin(&tunnel->by.socks, step);
    else
        lt_proxy_connect_begin(&tunnel->by.connect, step, setup->challenge, setup->cnonce);
    return tunnel;
}

void lt_tunnel_destroy(lt_tunnel **owner)
{
    lt_tunnel *tunnel = *owner;

    if (!tunnel)
        return;
    *owner = NULL;
    OPENSSL_cleanse(tunnel, sizeof *tunnel); /* it contains requests with secrets */
    free(tunnel);
}

lt_tunnel_state lt_tunnel_state_of(const lt_tunnel *tunnel)
{
    return tunnel->step.state;
}

size_t lt_tunnel_output(const lt_tunnel *tunnel, const uint8_t **data)
{
    *data = tunnel->step.output + tunnel->step.output_done;
    return tunnel->step.output_size - tunnel->step.output_done;
}

void lt_tunnel_written(lt_tunnel *tunnel, size_t size)
{
    lt_proxy_step *step = &tunnel->step;

    step->output_done += size;
    if (step->output_done < step->output_size)
        return;
    OPENSSL_cleanse(step->output, step->output_size);
    step->output_size = step->output_done = 0;
}

size_t lt_tunnel_receive(lt_tunnel *tunnel, const uint8_t *data, size_t size)
{
    tunnel->step.answered = tunnel->step.answered || size;
    if (tunnel->step.proxy->kind == LT_PROXY_SOCKS5)
        return lt_socks5_receive(&tunnel->by.socks, data, size);
    return lt_proxy_connect_receive(&tunnel->by.connect, data, size);
}

static void fail(lt_tunnel *tunnel, livetcp_result code, const char *text)
{
    lt_proxy_step *step = &tunnel->step;

    if (step->state != LT_TUNNEL_GOING)
        return;
    step->state = LT_TUNNEL_FAILED;
    lt_fail(&step->error, code, "%s: %s", step->name, text);
}

void lt_tunnel_ended(lt_tunnel *tunnel)
{
    fail(tunnel, LIVETCP_ERR_PROXY,
         tunnel->step.answered
             ? "it closed the connection in the middle of its answer; see its log"
             : "it closed the connection without an answer; is it a proxy of this kind, and does "
               "it allow this host?");
}

void lt_tunnel_timed_out(lt_tunnel *tunnel)
{
    fail(tunnel, LIVETCP_ERR_HANDSHAKE_TIMEOUT,
         tunnel->step.answered
             ? "it did not finish its answer within connect-timeout"
             : "it did not answer within connect-timeout; is it a proxy of this kind, and can it "
               "reach the host?");
}

const livetcp_error *lt_tunnel_error(const lt_tunnel *tunnel)
{
    return &tunnel->step.error;
}

bool lt_tunnel_is_refused(const lt_tunnel *tunnel)
{
    return tunnel->step.refused;
}
