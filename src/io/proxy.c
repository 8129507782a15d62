/* SPDX-License-Identifier: MIT */
#include "io/proxy.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/process.h"
#include "io/secret.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define REFUSED_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

#define URL_SIZE 1024

struct lt_io_proxy {
    lt_proxy address;
    char *no_proxy;             /* value of the environment variable; NULL = none */
    lt_tls_context *tls;        /* of an https:// proxy; NULL otherwise */
    lt_proxy_challenge asked;   /* last challenge of the proxy */
    livetcp_usec refused_until; /* until then the credentials count as refused */
    livetcp_error refusal;
    bool tested;  /* the credentials were accepted */
    bool testing; /* a connection is testing them */
};

/* ---- the environment ---- */

/* The first variable that is set, in curl's order. NULL if none is. */
static const char *variable(const char *const *names, const char **name)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        *name = *names;
        if (value && value[0])
            return value;
    }
    return NULL;
}

/* The URL of the environment's proxy, or "". */
static livetcp_result read_environment(char url[URL_SIZE], const char **where, livetcp_error *error)
{
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                                        NULL};
    const char *value = variable(names, where);
    int size =
        value ? snprintf(url, URL_SIZE, "%s%s", strstr(value, "://") ? "" : "http://", value) : 0;

    if (!value)
        url[0] = '\0';
    return size < URL_SIZE
               ? LIVETCP_OK
               : lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                         "%s: the variable has more than %d bytes", *where, URL_SIZE - 1);
}

static livetcp_result copy_exemptions(lt_io_proxy *proxy, livetcp_error *error)
{
    static const char *const names[] = {"no_proxy", "NO_PROXY", NULL};
    const char *name, *value = variable(names, &name);

    proxy->no_proxy = value ? strdup(value) : NULL;
    return !value || proxy->no_proxy
               ? LIVETCP_OK
               : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for %s", name);
}

/* ---- life ---- */

static livetcp_result create_tls(lt_io_proxy *proxy, const livetcp_config *config,
                                 livetcp_error *error)
{
    lt_tls_setup setup = {.proxy = true, .ca_file = config->proxy_ca, .name = proxy->address.host};

    if (proxy->address.kind == LT_PROXY_HTTPS)
        return lt_tls_context_create(&setup, NULL, &proxy->tls, error);
    if (config->proxy_ca[0])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "proxy-ca is for an https:// proxy, and this one is called without TLS");
    return LIVETCP_OK;
}

static livetcp_result create(const char *url, const char *where, bool environment,
                             const livetcp_config *config, lt_io_proxy **out, livetcp_error *error)
{
    lt_io_proxy *proxy = calloc(1, sizeof *proxy);
    livetcp_result result;

    if (!proxy)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a proxy");
    result = lt_proxy_parse(url, where, &proxy->address, error);
    if (result == LIVETCP_OK && environment)
        result = copy_exemptions(proxy, error);
    if (result == LIVETCP_OK)
        result = create_tls(proxy, config, error);
    if (result == LIVETCP_OK)
        *out = proxy;
    else
        lt_io_proxy_destroy(&proxy);
    return result;
}

livetcp_result lt_io_proxy_create(const livetcp_config *config, lt_io_proxy **proxy,
                                  livetcp_error *error)
{
    bool environment = !strcmp(config->proxy, "env");
    const char *where = "proxy";
    char url[URL_SIZE] = "";
    livetcp_result result = LIVETCP_OK;

    *proxy = NULL;
    if (environment)
        result = read_environment(url, &where, error);
    else if (config->proxy[0])
        result = lt_io_secret_read("proxy", config->proxy, url, sizeof url, error);
    if (result == LIVETCP_OK && (url[0] || (config->proxy[0] && !environment)))
        result = create(url, where, environment, config, proxy, error);
    OPENSSL_cleanse(url, sizeof url);
    return result;
}

void lt_io_proxy_destroy(lt_io_proxy **owner)
{
    lt_io_proxy *proxy = *owner;

    if (!proxy)
        return;
    *owner = NULL;
    lt_tls_context_release(&proxy->tls);
    lt_proxy_clear(&proxy->address);
    free(proxy->no_proxy);
    free(proxy);
}

/* ---- asked ---- */

bool lt_io_proxy_serves(const lt_io_proxy *proxy, const char *host, uint16_t port)
{
    return !proxy->no_proxy || !lt_proxy_is_exempt(proxy->no_proxy, host, port);
}

const lt_proxy *lt_io_proxy_address(const lt_io_proxy *proxy)
{
    return &proxy->address;
}

lt_tunnel *lt_io_proxy_tunnel(lt_io_proxy *proxy, const char *host, uint16_t port)
{
    uint8_t cnonce[LT_PROXY_CNONCE];
    lt_tunnel_setup setup = {&proxy->address, &proxy->asked, host, port, cnonce};

    if (lt_io_random(NULL, cnonce, sizeof cnonce) != LIVETCP_OK)
        return NULL;
    return lt_tunnel_create(&setup);
}

livetcp_result lt_io_proxy_filter(lt_io_proxy *proxy, lt_tls_filter **filter)
{
    uv_timeval64_t wall = {0};

    *filter = NULL;
    if (!proxy->tls)
        return LIVETCP_OK;
    uv_gettimeofday(&wall);
    return lt_tls_filter_create(proxy->tls, wall.tv_sec, filter);
}

/* HTTP proxies get credentials only after a challenge. */
bool lt_io_proxy_begin_test(lt_io_proxy *proxy, bool *testing)
{
    bool given = proxy->address.kind == LT_PROXY_SOCKS5 || proxy->asked.scheme;

    if (*testing || proxy->tested || !proxy->address.has_user || !given)
        return true;
    if (proxy->testing)
        return false;
    proxy->testing = *testing = true;
    return true;
}

void lt_io_proxy_end_test(lt_io_proxy *proxy)
{
    proxy->testing = false;
}

void lt_io_proxy_accepted(lt_io_proxy *proxy)
{
    proxy->tested = true;
}

void lt_io_proxy_refused(lt_io_proxy *proxy, const livetcp_error *error)
{
    proxy->refused_until = lt_io_now() + REFUSED_US;
    proxy->refusal = *error;
}

bool lt_io_proxy_is_refusing(const lt_io_proxy *proxy, livetcp_error *error)
{
    bool refusing = proxy->refusal.code != LIVETCP_OK && lt_io_now() < proxy->refused_until;

    if (refusing)
        *error = proxy->refusal;
    return refusing;
}
