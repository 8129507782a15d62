/* SPDX-License-Identifier: MIT */
#include "relay/metrics.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#ifdef LT_RELAY_HAS_MICROHTTPD

#include "relay/metrics_text.h"

#include <microhttpd.h>

enum { CLIENTS = 16, IDLE_S = 10 };

#define PATIENCE_NS (2 * 1000000000ull)

/* Requests come on libmicrohttpd's thread; the loop composes the text, since routes belong to the
 * loop. */
struct lt_relay_metrics {
    struct MHD_Daemon *daemon;
    uv_async_t ask;
    uv_mutex_t lock; /* of the following members */
    uv_cond_t changed;
    uint64_t asked, answered;
    char *text; /* last answer */
    size_t size;
    bool ending;

    lt_relay_route ***routes; /* used by the loop only */
    const unsigned *count;
};

static void on_ask(uv_async_t *handle)
{
    lt_relay_metrics *m = handle->data;
    size_t size = 0;
    char *text = lt_relay_metrics_text(*m->routes, *m->count, &size);

    uv_mutex_lock(&m->lock);
    free(m->text);
    m->text = text;
    m->size = size;
    m->answered = m->asked;
    uv_cond_broadcast(&m->changed);
    uv_mutex_unlock(&m->lock);
}

/* A copy of a text composed after the call; NULL: not available. */
static char *wait_for_text(lt_relay_metrics *m, size_t *size)
{
    char *copy = NULL;

    uv_mutex_lock(&m->lock);
    const uint64_t mine = ++m->asked;
    bool late = m->ending;
    if (!late)
        uv_async_send(&m->ask);
    while (m->answered < mine && !late && !m->ending)
        late = uv_cond_timedwait(&m->changed, &m->lock, PATIENCE_NS) != 0;
    if (m->answered >= mine && m->text && (copy = malloc(m->size))) {
        memcpy(copy, m->text, m->size);
        *size = m->size;
    }
    uv_mutex_unlock(&m->lock);
    return copy;
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code, void *text,
                              size_t size, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(size, text, mode);
    enum MHD_Result result;

    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type",
                            code == MHD_HTTP_OK ? "text/plain; version=0.0.4; charset=utf-8"
                                                : "text/plain; charset=utf-8");
    result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **state)
{
    static char missing[] = "There is only /metrics here.\n";
    static char refused[] = "/metrics is for GET.\n";
    static char busy[] = "The relay did not answer in time.\n";
    size_t size = 0;

    (void)version;
    (void)upload;
    (void)state;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        *upload_size = 0;
        return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, refused, sizeof refused - 1,
                      MHD_RESPMEM_PERSISTENT);
    }
    if (strcmp(url, "/metrics") != 0)
        return answer(connection, MHD_HTTP_NOT_FOUND, missing, sizeof missing - 1,
                      MHD_RESPMEM_PERSISTENT);
    char *text = wait_for_text(user, &size);
    if (!text)
        return answer(connection, MHD_HTTP_SERVICE_UNAVAILABLE, busy, sizeof busy - 1,
                      MHD_RESPMEM_PERSISTENT);
    return answer(connection, MHD_HTTP_OK, text, size, MHD_RESPMEM_MUST_FREE);
}

/* Reads "127.0.0.1:9464" or "[::1]:9464". */
static bool read_address(const char *text, struct sockaddr_storage *address)
{
    const char *colon = strrchr(text, ':');
    char host[64], *end;

    if (!colon || colon == text || !colon[1] || (size_t)(colon - text) >= sizeof host)
        return false;
    unsigned long port = strtoul(colon + 1, &end, 10);
    if (*end || port > 65535)
        return false;
    const bool six = *text == '[' && colon[-1] == ']';
    snprintf(host, sizeof host, "%.*s", (int)(colon - text) - 2 * six, text + six);
    return six ? uv_ip6_addr(host, (int)port, (struct sockaddr_in6 *)address) == 0
               : uv_ip4_addr(host, (int)port, (struct sockaddr_in *)address) == 0;
}

static void on_closed(uv_handle_t *handle)
{
    lt_relay_metrics *m = handle->data;

    uv_cond_destroy(&m->changed);
    uv_mutex_destroy(&m->lock);
    free(m->text);
    free(m);
}

static livetcp_result serve(lt_relay_metrics *m, const char *text,
                            const struct sockaddr_storage *address, const lt_relay_journal *journal,
                            livetcp_error *error)
{
    const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO |
                           (address->ss_family == AF_INET6 ? (unsigned)MHD_USE_IPv6 : 0u);

    m->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, m, MHD_OPTION_SOCK_ADDR, address,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CLIENTS,
                                 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_END);
    if (!m->daemon)
        return lt_fail(error, LIVETCP_ERR_ADDRESS_IN_USE,
                       "--metrics %.60s: cannot listen there: another program has the port, or it "
                       "is no address of this machine",
                       text);
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(m->daemon, MHD_DAEMON_INFO_BIND_PORT);
    lt_relay_log(journal, LIVETCP_LOG_INFO, "", "metrics at http://%.*s:%u/metrics",
                 (int)(strrchr(text, ':') - text), text, info ? info->port : 0u);
    return LIVETCP_OK;
}

livetcp_result lt_relay_metrics_create(uv_loop_t *loop, const char *address,
                                       lt_relay_route ***routes, const unsigned *count,
                                       const lt_relay_journal *journal, lt_relay_metrics **metrics,
                                       livetcp_error *error)
{
    struct sockaddr_storage at = {0};
    lt_relay_metrics *m;

    *metrics = NULL;
    if (!read_address(address, &at))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--metrics %.60s: it is an address and port, such as 127.0.0.1:9464",
                       address);
    m = calloc(1, sizeof *m);
    if (!m || uv_mutex_init(&m->lock) != 0) {
        free(m);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    }
    m->routes = routes;
    m->count = count;
    if (uv_cond_init(&m->changed) != 0) {
        uv_mutex_destroy(&m->lock);
        free(m);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    }
    if (uv_async_init(loop, &m->ask, on_ask) != 0) {
        uv_cond_destroy(&m->changed);
        uv_mutex_destroy(&m->lock);
        free(m);
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "cannot wake the loop");
    }
    m->ask.data = m;
    livetcp_result result = serve(m, address, &at, journal, error);
    if (result == LIVETCP_OK)
        *metrics = m;
    else
        lt_relay_metrics_destroy(&m);
    return result;
}

void lt_relay_metrics_destroy(lt_relay_metrics **metrics)
{
    lt_relay_metrics *m = *metrics;

    *metrics = NULL;
    if (!m)
        return;
    uv_mutex_lock(&m->lock);
    m->ending = true; /* a request that waits for the loop is answered now */
    uv_cond_broadcast(&m->changed);
    uv_mutex_unlock(&m->lock);
    if (m->daemon)
        MHD_stop_daemon(m->daemon);
    uv_close((uv_handle_t *)&m->ask, on_closed);
}

#else

livetcp_result lt_relay_metrics_create(uv_loop_t *loop, const char *address,
                                       lt_relay_route ***routes, const unsigned *count,
                                       const lt_relay_journal *journal, lt_relay_metrics **metrics,
                                       livetcp_error *error)
{
    (void)loop;
    (void)routes;
    (void)count;
    (void)journal;
    *metrics = NULL;
    return lt_fail(error, LIVETCP_ERR_NOT_SUPPORTED,
                   "--metrics %.60s: this livetcp was built without libmicrohttpd (Debian: "
                   "libmicrohttpd-dev); --stats has the same figures as JSON",
                   address);
}

void lt_relay_metrics_destroy(lt_relay_metrics **metrics)
{
    *metrics = NULL;
}

#endif
