/* SPDX-License-Identifier: MIT */
#include "relay/metrics_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *bytes;
    size_t size, capacity;
    bool failed;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *t, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof line || t->failed) {
        t->failed = true;
        return;
    }
    if (t->size + (size_t)size > t->capacity) {
        size_t capacity = 2 * t->capacity + sizeof line;
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

/* Escapes backslash, quotation mark and line feed of a label's value. */
static const char *escape(const char *value, char *out, size_t size)
{
    size_t used = 0;

    for (; *value && used + 3 < size; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n')
            out[used++] = '\\';
        out[used++] = *value == '\n' ? 'n' : *value;
    }
    out[used] = '\0';
    return out;
}

static void family(text *t, const char *name, const char *type, const char *help)
{
    put(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* ---- ends ---- */

/* Labels of an end: end="in", end="out1", ... */
static const char *end_labels(const lt_relay_end *end, char *out, size_t size)
{
    char name[2 * LT_RELAY_NAME];

    escape(end->route, name, sizeof name);
    if (end->index)
        snprintf(out, size, "stream=\"%s\",end=\"out%u\"", name, end->index);
    else
        snprintf(out, size, "stream=\"%s\",end=\"in\"", name);
    return out;
}

typedef void end_lines(text *t, const char *labels, const lt_relay_end *end);

static void packets_lines(text *t, const char *labels, const lt_relay_end *end)
{
    put(t, "livetcp_relay_packets_total{%s,direction=\"in\"} %" PRIu64 "\n", labels,
        end->counts.packets_in);
    put(t, "livetcp_relay_packets_total{%s,direction=\"out\"} %" PRIu64 "\n", labels,
        end->counts.packets_out);
}

static void bytes_lines(text *t, const char *labels, const lt_relay_end *end)
{
    put(t, "livetcp_relay_bytes_total{%s,direction=\"in\"} %" PRIu64 "\n", labels,
        end->counts.bytes_in);
    put(t, "livetcp_relay_bytes_total{%s,direction=\"out\"} %" PRIu64 "\n", labels,
        end->counts.bytes_out);
}

static void lost_lines(text *t, const char *labels, const lt_relay_end *end)
{
    for (unsigned i = 0; i < LT_RELAY_CAUSES; i++)
        put(t, "livetcp_relay_not_relayed_packets_total{%s,cause=\"%s\"} %" PRIu64 "\n", labels,
            lt_relay_cause_name((lt_relay_cause)i), end->counts.lost[i]);
}

static void sessions_lines(text *t, const char *labels, const lt_relay_end *end)
{
    if (end->kind->sessions)
        put(t, "livetcp_relay_sessions_total{%s} %" PRIu64 "\n", labels, end->counts.sessions);
}

static void each_end(text *t, lt_relay_route *const *routes, unsigned count, end_lines *lines)
{
    char labels[3 * LT_RELAY_NAME];

    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < routes[i]->count; j++)
            lines(t, end_labels(routes[i]->ends[j], labels, sizeof labels), routes[i]->ends[j]);
}

/* ---- sessions ---- */

enum { LABELS = 400, SESSION_TEXT = 6144 };

typedef struct sessions {
    livetcp_session **list;
    char (*labels)[LABELS];
    size_t count;
    const lt_relay_end *end;
    bool failed;
} sessions;

static bool grow(sessions *s)
{
    livetcp_session **list = realloc(s->list, (s->count + 1) * sizeof *list);

    s->list = list ? list : s->list;
    char(*labels)[LABELS] = list ? realloc(s->labels, (s->count + 1) * sizeof *labels) : NULL;
    s->labels = labels ? labels : s->labels;
    s->failed = s->failed || !labels;
    return labels;
}

static void see(livetcp_session *session, const char *remote, void *user)
{
    sessions *s = user;
    char labels[3 * LT_RELAY_NAME], peer[160];

    if (!grow(s))
        return;
    snprintf(s->labels[s->count], LABELS, "%s,peer=\"%s\"",
             end_labels(s->end, labels, sizeof labels), escape(remote, peer, sizeof peer));
    s->list[s->count++] = session;
}

/* Statistics may become longer between two calls: retries with a larger buffer. */
static bool add_sessions(text *t, const sessions *s, const char **labels)
{
    size_t length, size = SESSION_TEXT * (s->count + 1);

    for (size_t i = 0; i < s->count; i++)
        labels[i] = s->labels[i];
    for (;;) {
        char *larger = realloc(t->bytes, t->size + size);
        if (!larger)
            return false;
        t->bytes = larger;
        t->capacity = t->size + size;
        length = livetcp_sessions_prometheus(s->list, labels, s->count, t->bytes + t->size, size);
        if (length < size)
            break;
        size = length + SESSION_TEXT;
    }
    t->size += length;
    return length > 0;
}

static void session_lines(text *t, lt_relay_route *const *routes, unsigned count)
{
    sessions s = {.list = NULL};

    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < routes[i]->count; j++) {
            s.end = routes[i]->ends[j];
            if (s.end->kind->sessions)
                s.end->kind->sessions(routes[i]->ends[j], see, &s);
        }
    const char **labels = calloc(s.count + 1, sizeof *labels);
    if (s.failed || !labels || !add_sessions(t, &s, labels))
        t->failed = true;
    free(labels);
    free(s.labels);
    free(s.list);
}

char *lt_relay_metrics_text(lt_relay_route *const *routes, unsigned count, size_t *size)
{
    text t = {.bytes = NULL};

    family(&t, "livetcp_relay_streams", "gauge", "Routes that run.");
    put(&t, "livetcp_relay_streams %u\n", count);
    family(&t, "livetcp_relay_packets_total", "counter",
           "Packets that came from an end (in) and went to it (out).");
    each_end(&t, routes, count, packets_lines);
    family(&t, "livetcp_relay_bytes_total", "counter",
           "Bytes that came from an end (in) and went to it (out).");
    each_end(&t, routes, count, bytes_lines);
    family(&t, "livetcp_relay_not_relayed_packets_total", "counter",
           "Packets that were not relayed, by cause.");
    each_end(&t, routes, count, lost_lines);
    family(&t, "livetcp_relay_sessions_total", "counter", "Sessions that were opened.");
    each_end(&t, routes, count, sessions_lines);
    session_lines(&t, routes, count);
    if (t.failed) {
        free(t.bytes);
        return NULL;
    }
    *size = t.size;
    return t.bytes;
}
