/* SPDX-License-Identifier: MIT */
/* Statistics of sessions in Prometheus' text format 0.0.4: base units, counters end with _total.
 * All lines of a metric family stand together, for all sessions. */
#include <livetcp/session.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Text that does not fit is counted only. */
typedef struct text {
    char *bytes;
    size_t size, used;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *t, const char *format, ...)
{
    const bool fits = t->used < t->size;
    va_list arguments;

    va_start(arguments, format);
    const int size = vsnprintf(fits ? t->bytes + t->used : NULL, fits ? t->size - t->used : 0,
                               format, arguments);
    va_end(arguments);
    t->used += size > 0 ? (size_t)size : 0;
}

static void put_family(text *t, const char *name, const char *type, const char *help)
{
    put(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

typedef struct seen {
    livetcp_session *session;
    const char *labels;
    livetcp_session_stats stats;
} seen;

/* A metric of a session: a counter, or a time in microseconds; negative = unknown. */
typedef struct figure {
    const char *name, *type, *help;
    size_t offset;
    enum { COUNT, SIZE, USEC, BITS } kind;
    const char *more; /* additional labels */
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
    {"livetcp_rerouted_connections_total", "counter",
     "Of these, replaced to leave a route longer than others have.", AT(rerouted), COUNT, ""},
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

static void put_figure(text *t, const char *name, const figure *f, const seen *one)
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

static void put_connection_family(text *t, const connection_figure *f, const seen *list,
                                  size_t count)
{
    put_family(t, f->name, f->type, f->help);
    for (size_t i = 0; i < count; i++)
        for (unsigned j = 0; j < list[i].stats.connections; j++) {
            livetcp_connection_stats stats = {.struct_size = sizeof stats};
            if (livetcp_session_get_connection_stats(list[i].session, j, &stats) == LIVETCP_OK)
                put(t, "%s{%s,connection=\"%u\"} %" PRIu64 "\n", f->name, list[i].labels, j,
                    *(const uint64_t *)((const char *)&stats + f->offset));
        }
}

static void put_all(text *t, const seen *list, size_t count)
{
    const char *name = "";

    put_family(t, "livetcp_open_connections", "gauge",
               "Connections of a session that carry media.");
    for (size_t i = 0; i < count; i++)
        put(t, "livetcp_open_connections{%s} %u\n", list[i].labels, list[i].stats.open_connections);
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        if (figures[f].name) {
            name = figures[f].name;
            put_family(t, name, figures[f].type, figures[f].help);
        }
        for (size_t i = 0; i < count; i++)
            put_figure(t, name, &figures[f], &list[i]);
    }
    for (size_t f = 0; f < sizeof connection_figures / sizeof *connection_figures; f++)
        put_connection_family(t, &connection_figures[f], list, count);
}

size_t livetcp_sessions_prometheus(livetcp_session *const *sessions, const char *const *labels,
                                   size_t count, char *bytes, size_t size)
{
    text t = {.bytes = bytes, .size = size};
    seen *list = calloc(count ? count : 1, sizeof *list);

    for (size_t i = 0; list && i < count; i++) {
        list[i] = (seen){sessions[i], labels[i], {.struct_size = sizeof list[i].stats}};
        livetcp_session_get_stats(sessions[i], &list[i].stats);
    }
    if (list)
        put_all(&t, list, count);
    free(list);
    if (size > 0 && (t.used == 0 || t.used >= size))
        bytes[0] = '\0';
    return t.used;
}
