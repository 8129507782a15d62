/* SPDX-License-Identifier: MIT */
#include "metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TV_HAS_MICROHTTPD

#include "metrics_text.h"

#include <microhttpd.h>

enum { CLIENTS = 16, IDLE_S = 10 };

struct metrics {
    struct MHD_Daemon *daemon;
    uv_mutex_t lock; /* of `text`, which the daemon's thread reads */
    char *text;
    size_t size;
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code, void *body,
                              size_t size, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(size, body, mode);
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
    metrics *m = user;
    (void)version, (void)upload, (void)state;

    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        *upload_size = 0;
        return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, refused, sizeof refused - 1,
                      MHD_RESPMEM_PERSISTENT);
    }
    if (strcmp(url, "/metrics") != 0)
        return answer(connection, MHD_HTTP_NOT_FOUND, missing, sizeof missing - 1,
                      MHD_RESPMEM_PERSISTENT);
    uv_mutex_lock(&m->lock);
    const enum MHD_Result result =
        answer(connection, MHD_HTTP_OK, m->text, m->size, MHD_RESPMEM_MUST_COPY);
    uv_mutex_unlock(&m->lock);
    return result;
}

/* Reads "127.0.0.1:9464" or "[::1]:9464". */
static bool read_address(const char *body, struct sockaddr_storage *address)
{
    const char *colon = strrchr(body, ':');
    char host[64], *end;

    if (!colon || colon == body || !colon[1] || (size_t)(colon - body) >= sizeof host)
        return false;
    const unsigned long port = strtoul(colon + 1, &end, 10);
    if (*end || port > 65535)
        return false;
    const bool six = *body == '[' && colon[-1] == ']';
    snprintf(host, sizeof host, "%.*s", (int)(colon - body) - 2 * six, body + six);
    return six ? uv_ip6_addr(host, (int)port, (struct sockaddr_in6 *)address) == 0
               : uv_ip4_addr(host, (int)port, (struct sockaddr_in *)address) == 0;
}

void metrics_update(metrics *m, const viewer_channels *channels, viewer *const *viewers,
                    size_t count, int64_t now)
{
    size_t size;
    char *text = metrics_text(channels, viewers, count, now, &size);

    if (!text)
        return; /* the previous text stays */
    uv_mutex_lock(&m->lock);
    free(m->text);
    m->text = text;
    m->size = size;
    uv_mutex_unlock(&m->lock);
}

metrics *metrics_open(const char *address, unsigned *port, char *message, size_t size)
{
    struct sockaddr_storage at = {0};
    metrics *m;

    if (!read_address(address, &at)) {
        snprintf(message, size,
                 "--metrics is an address and a port such as 127.0.0.1:9464, "
                 "not '%s'",
                 address);
        return NULL;
    }
    m = calloc(1, sizeof *m);
    if (!m || uv_mutex_init(&m->lock) != 0) {
        snprintf(message, size, "no memory for metrics");
        free(m);
        return NULL;
    }
    m->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | (at.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0), 0, NULL,
        NULL, on_request, m, MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)&at,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_S, MHD_OPTION_END);
    if (!m->daemon) {
        snprintf(message, size, "--metrics cannot listen on %s: is another program there?",
                 address);
        metrics_close(&m);
        return NULL;
    }
    *port = MHD_get_daemon_info(m->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return m;
}

void metrics_close(metrics **m)
{
    if (!*m)
        return;
    if ((*m)->daemon)
        MHD_stop_daemon((*m)->daemon);
    uv_mutex_destroy(&(*m)->lock);
    free((*m)->text);
    free(*m);
    *m = NULL;
}

#else

metrics *metrics_open(const char *address, unsigned *port, char *message, size_t size)
{
    (void)port;
    snprintf(message, size,
             "--metrics %s: this program was built without libmicrohttpd (Debian: "
             "libmicrohttpd-dev); --stats has the same figures as JSON",
             address);
    return NULL;
}

void metrics_close(metrics **m)
{
    *m = NULL;
}

void metrics_update(metrics *m, const viewer_channels *channels, viewer *const *viewers,
                    size_t count, int64_t now)
{
    (void)m, (void)channels, (void)viewers, (void)count, (void)now;
}

#endif
