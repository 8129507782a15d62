/* SPDX-License-Identifier: MIT */
#include "metrics.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TV_HAS_MICROHTTPD

#include <microhttpd.h>

enum { CLIENTS = 16, IDLE_S = 10, LABELS = 160, SESSION_TEXT = 6144 };

struct metrics {
    struct MHD_Daemon *daemon;
    uv_mutex_t lock; /* of the text, which the daemon's thread reads */
    char *text;
    size_t size;
};

/* ---- the text ---- */

typedef struct text {
    char *bytes;
    size_t size, capacity;
    bool failed;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *t, const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof line || t->failed) {
        t->failed = true;
        return;
    }
    if (t->size + (size_t)size > t->capacity) {
        const size_t capacity = 2 * t->capacity + sizeof line;
        char *larger = realloc(t->bytes, capacity);
        if (!larger) {
            t->failed = true;
            return;
        }
        t->bytes = larger;
        t->capacity = capacity;
    }
    memcpy(t->bytes + t->size, line, (size_t)size);
    t->size += (size_t)size;
}

static void family(text *t, const char *name, const char *type, const char *help)
{
    put(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Names of channels have no quotation marks and backslashes: main.c refuses them. */
static void channel_lines(text *t, const viewer_channels *channels)
{
    static const struct {
        const char *name, *type, *help;
    } families[] = {
        {"livetcp_tv_pictures_total", "counter", "Pictures encoded."},
        {"livetcp_tv_key_frames_total", "counter", "Of these, key frames."},
        {"livetcp_tv_skipped_pictures_total", "counter",
         "Pictures that the computer was too slow to encode."},
        {"livetcp_tv_history_seconds", "gauge", "What is kept in memory."},
        {"livetcp_tv_history_bytes", "gauge", "Memory that it takes."},
    };
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        family(t, families[f].name, families[f].type, families[f].help);
        for (unsigned i = 0; i < channels->count; i++) {
            channel_stats s;
            channel_get_stats(channels->list[i], &s);
            const double values[] = {(double)s.pictures, (double)s.keys, (double)s.skipped,
                                     (double)s.history_us / 1e6, (double)s.history_bytes};
            put(t, "%s{stream=\"%s\"} %.15g\n", families[f].name, channel_name(channels->list[i]),
                values[f]);
        }
    }
    family(t, "livetcp_tv_encoded_bytes_per_second", "gauge", "What the encoder aims at.");
    for (unsigned i = 0; i < channels->count; i++) {
        channel_stats s;
        channel_get_stats(channels->list[i], &s);
        put(t, "livetcp_tv_encoded_bytes_per_second{stream=\"%s\",quality=\"high\"} %d\n",
            channel_name(channels->list[i]), s.kbits[TRACK_HIGH] * 125);
        put(t, "livetcp_tv_encoded_bytes_per_second{stream=\"%s\",quality=\"low\"} %d\n",
            channel_name(channels->list[i]), s.kbits[TRACK_LOW] * 125);
    }
}

/* ---- viewers ---- */

/* Gathered once, for all figures. */
typedef struct seen {
    const viewer *viewer;
    viewer_stats stats;
} seen;

static seen *see_all(viewer *const *viewers, size_t count, int64_t now)
{
    seen *all = calloc(count + 1, sizeof *all);

    for (size_t i = 0; all && i < count; i++) {
        all[i].viewer = viewers[i];
        viewer_get_stats(viewers[i], now, &all[i].stats);
    }
    return all;
}

static void viewers_lines(text *t, const viewer_channels *channels, const seen *all, size_t count)
{
    family(t, "livetcp_tv_viewers", "gauge", "Viewers of a channel and quality.");
    for (unsigned i = 0; i < channels->count; i++) {
        unsigned sums[2] = {0};
        for (size_t j = 0; j < count; j++)
            sums[all[j].stats.track] += viewer_channel(all[j].viewer) == channels->list[i];
        for (int quality = 0; quality < 2; quality++)
            put(t, "livetcp_tv_viewers{stream=\"%s\",quality=\"%s\"} %u\n",
                channel_name(channels->list[i]), quality == TRACK_HIGH ? "high" : "low",
                sums[quality]);
    }
}

typedef double viewer_figure(const viewer_stats *v);

static double requests(const viewer_stats *v)
{
    return (double)v->requests;
}

static double garbage(const viewer_stats *v)
{
    return (double)v->garbage;
}

static double skipped(const viewer_stats *v)
{
    return (double)v->skipped;
}

static double shift(const viewer_stats *v)
{
    return (double)v->behind_us / 1e6;
}

static const struct {
    const char *name, *type, *help;
    viewer_figure *figure;
} figures[] = {
    {"livetcp_tv_requests_total", "counter", "Controls of a viewer.", requests},
    {"livetcp_tv_garbage_total", "counter", "Packets of a viewer that are no control.", garbage},
    {"livetcp_tv_not_sent_pictures_total", "counter",
     "Pictures that a viewer missed while it waited for a key frame.", skipped},
    {"livetcp_tv_time_shift_seconds", "gauge", "How far a viewer is behind.", shift},
};

static void figure_lines(text *t, const seen *all, size_t count)
{
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        family(t, figures[f].name, figures[f].type, figures[f].help);
        for (size_t i = 0; i < count; i++)
            put(t, "%s{stream=\"%s\",peer=\"%s\"} %.15g\n", figures[f].name,
                channel_name(viewer_channel(all[i].viewer)), viewer_remote(all[i].viewer),
                figures[f].figure(&all[i].stats));
    }
}

/* Those that every session has, which the library writes. */
typedef struct sessions {
    livetcp_session **list;
    char (*texts)[LABELS];
    const char **labels;
} sessions;

static void name_sessions(sessions *s, viewer *const *viewers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(s->texts[i], LABELS, "stream=\"%s\",peer=\"%s\"",
                 channel_name(viewer_channel(viewers[i])), viewer_remote(viewers[i]));
        s->labels[i] = s->texts[i];
        s->list[i] = viewer_session(viewers[i]);
    }
}

/* Figures may become longer between two calls. */
static bool add_sessions(text *t, const sessions *s, size_t count)
{
    size_t length, size = SESSION_TEXT * (count + 1);

    for (;;) {
        char *larger = realloc(t->bytes, t->size + size);
        if (!larger)
            return false;
        t->bytes = larger;
        t->capacity = t->size + size;
        length = livetcp_sessions_prometheus(s->list, s->labels, count, t->bytes + t->size, size);
        if (length < size)
            break;
        size = length + SESSION_TEXT;
    }
    t->size += length;
    return length > 0;
}

static void session_lines(text *t, viewer *const *viewers, size_t count)
{
    sessions s = {.list = calloc(count + 1, sizeof *s.list),
                  .texts = calloc(count + 1, sizeof *s.texts),
                  .labels = calloc(count + 1, sizeof *s.labels)};

    if (s.list && s.texts && s.labels)
        name_sessions(&s, viewers, count);
    if (!s.list || !s.texts || !s.labels || !add_sessions(t, &s, count))
        t->failed = true;
    free(s.list);
    free(s.texts);
    free(s.labels);
}

void metrics_update(metrics *m, const viewer_channels *channels, viewer *const *viewers,
                    size_t count, int64_t now)
{
    text t = {0};
    seen *all = see_all(viewers, count, now);

    t.failed = !all;
    channel_lines(&t, channels);
    if (all) {
        viewers_lines(&t, channels, all, count);
        figure_lines(&t, all, count);
        session_lines(&t, viewers, count);
    }
    free(all);
    if (t.failed) {
        free(t.bytes);
        return; /* the one before stays */
    }
    uv_mutex_lock(&m->lock);
    free(m->text);
    m->text = t.bytes;
    m->size = t.size;
    uv_mutex_unlock(&m->lock);
}

/* ---- HTTP ---- */

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

/* "127.0.0.1:9464", "[::1]:9464" */
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
