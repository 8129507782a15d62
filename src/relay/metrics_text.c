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

/* A label's value: backslash, quotation mark and line feed are escaped. */
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

/* The labels of an end: "in", "out1", ... */
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

typedef struct seen {
    livetcp_session *session;
    char labels[400];
    livetcp_session_stats stats;
} seen;

typedef struct sessions {
    seen *list;
    size_t count;
    const lt_relay_end *end;
    bool failed;
} sessions;

static void see(livetcp_session *session, const char *remote, void *user)
{
    sessions *s = user;
    seen *larger = realloc(s->list, (s->count + 1) * sizeof *larger);
    char labels[3 * LT_RELAY_NAME], peer[160];

    if (!larger) {
        s->failed = true;
        return;
    }
    s->list = larger;
    seen *one = &larger[s->count];
    *one = (seen){.session = session, .stats = {.struct_size = sizeof one->stats}};
    if (livetcp_session_get_stats(session, &one->stats) != LIVETCP_OK)
        return;
    snprintf(one->labels, sizeof one->labels, "%s,peer=\"%s\"",
             end_labels(s->end, labels, sizeof labels), escape(remote, peer, sizeof peer));
    s->count++;
}

/* A figure of a session: a counter, or a time in µs, negative when it is not known. */
typedef struct figure {
    const char *name, *type, *help;
    size_t offset;
    enum { COUNT, SIZE, USEC, BITS } kind;
    const char *more; /* labels */
} figure;

#define AT(field) offsetof(livetcp_session_stats, field)

static const figure figures[] = {
    {"livetcp_sent_packets_total", "counter", "Packets handed to the kernel.", AT(sent.packets),
     COUNT, ""},
    {"livetcp_sent_bytes_total", "counter",
     "Bytes handed to the kernel, framing and copies included.", AT(sent.bytes), COUNT, ""},
    {"livetcp_copied_packets_total", "counter", "Copies beyond the first of each packet.",
     AT(sent.copies), COUNT, ""},
    {"livetcp_dropped_packets_total", "counter", "Packets dropped before they were sent.",
     AT(dropped.late), COUNT, ",cause=\"late\""},
    {NULL, NULL, NULL, AT(dropped.queue_full), COUNT, ",cause=\"queue-full\""},
    {NULL, NULL, NULL, AT(dropped.connection), COUNT, ",cause=\"connection\""},
    {"livetcp_received_packets_total", "counter", "Packets delivered.", AT(received.packets), COUNT,
     ""},
    {"livetcp_received_bytes_total", "counter", "Bytes of media delivered.", AT(received.bytes),
     COUNT, ""},
    {"livetcp_duplicate_packets_total", "counter", "Received copies that were not needed.",
     AT(received.duplicates), COUNT, ""},
    {"livetcp_reconnects_total", "counter", "Connections replaced.", AT(reconnects), COUNT, ""},
    {"livetcp_send_queue_packets", "gauge", "Packets that wait to be sent.", AT(sent.queue_packets),
     SIZE, ""},
    {"livetcp_send_queue_bytes", "gauge", "Bytes that wait to be sent.", AT(sent.queue_bytes), SIZE,
     ""},
    {"livetcp_round_trip_seconds", "gauge", "Mean round trip of the open connections.", AT(rtt_us),
     USEC, ""},
    {"livetcp_sent_delay_seconds", "gauge", "Delay of sent media, by where it arises.",
     AT(sent.delays.send_queue_us), USEC, ",part=\"send-queue\""},
    {NULL, NULL, NULL, AT(sent.delays.send_buffer_us), USEC, ",part=\"send-buffer\""},
    {NULL, NULL, NULL, AT(sent.delays.network_us), USEC, ",part=\"network\""},
    {NULL, NULL, NULL, AT(sent.delays.head_of_line_us), USEC, ",part=\"head-of-line\""},
    {NULL, NULL, NULL, AT(sent.delays.playout_us), USEC, ",part=\"playout\""},
    {"livetcp_estimated_bytes_per_second", "gauge",
     "Media that the connections carry without delay; absent while it is not known.",
     AT(sent.estimated_bitrate), BITS, ""},
};

static void figure_line(text *t, const char *name, const figure *f, const seen *one)
{
    const char *at = (const char *)&one->stats + f->offset;

    if (f->kind == COUNT)
        put(t, "%s{%s%s} %" PRIu64 "\n", name, one->labels, f->more, *(const uint64_t *)at);
    else if (f->kind == SIZE)
        put(t, "%s{%s%s} %zu\n", name, one->labels, f->more, *(const size_t *)at);
    else if (f->kind == USEC && *(const livetcp_usec *)at >= 0)
        put(t, "%s{%s%s} %.6f\n", name, one->labels, f->more,
            (double)*(const livetcp_usec *)at / 1e6);
    else if (f->kind == BITS && *(const uint32_t *)at)
        put(t, "%s{%s%s} %.0f\n", name, one->labels, f->more, *(const uint32_t *)at / 8.0);
}

typedef struct connection_figure {
    const char *name, *type, *help;
    size_t offset;
} connection_figure;

static const connection_figure connection_figures[] = {
    {"livetcp_connection_sent_packets_total", "counter", "Packets sent on a connection.",
     offsetof(livetcp_connection_stats, packets_sent)},
    {"livetcp_connection_sent_bytes_total", "counter", "Bytes sent on a connection.",
     offsetof(livetcp_connection_stats, bytes_sent)},
    {"livetcp_connection_received_packets_total", "counter", "Packets received on a connection.",
     offsetof(livetcp_connection_stats, packets_received)},
    {"livetcp_connection_received_bytes_total", "counter", "Bytes received on a connection.",
     offsetof(livetcp_connection_stats, bytes_read)},
    {"livetcp_connection_reconnects_total", "counter", "Times that a connection was replaced.",
     offsetof(livetcp_connection_stats, reconnects)},
};

static void connection_lines(text *t, const sessions *s)
{
    for (size_t f = 0; f < sizeof connection_figures / sizeof *connection_figures; f++) {
        const connection_figure *c = &connection_figures[f];
        family(t, c->name, c->type, c->help);
        for (size_t i = 0; i < s->count; i++)
            for (unsigned j = 0; j < s->list[i].stats.connections; j++) {
                livetcp_connection_stats stats = {.struct_size = sizeof stats};
                if (livetcp_session_get_connection_stats(s->list[i].session, j, &stats) ==
                    LIVETCP_OK)
                    put(t, "%s{%s,connection=\"%u\"} %" PRIu64 "\n", c->name, s->list[i].labels, j,
                        *(const uint64_t *)((const char *)&stats + c->offset));
            }
    }
}

static void session_lines(text *t, lt_relay_route *const *routes, unsigned count)
{
    sessions s = {.list = NULL};
    const char *name = "";

    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < routes[i]->count; j++) {
            s.end = routes[i]->ends[j];
            if (s.end->kind->sessions)
                s.end->kind->sessions(routes[i]->ends[j], see, &s);
        }
    family(t, "livetcp_open_connections", "gauge", "Connections of a session that carry media.");
    for (size_t i = 0; i < s.count; i++)
        put(t, "livetcp_open_connections{%s} %u\n", s.list[i].labels,
            s.list[i].stats.open_connections);
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        if (figures[f].name) {
            name = figures[f].name;
            family(t, name, figures[f].type, figures[f].help);
        }
        for (size_t i = 0; i < s.count; i++)
            figure_line(t, name, &figures[f], &s.list[i]);
    }
    connection_lines(t, &s);
    t->failed = t->failed || s.failed;
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
