/* SPDX-License-Identifier: MIT */
#include "metrics_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 160, SESSION_TEXT = 6144 };

/* ---- a text that grows ---- */

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

/* ---- channels ---- */

/* Names of channels need no escaping: main.c refuses quotation marks and backslashes. */
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

/* Statistics of a viewer, read once for all families. */
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

/* ---- sessions ---- */

/* Statistics of sessions, which the library writes. */
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

/* Statistics may become longer between two calls: retries with a larger buffer. */
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

char *metrics_text(const viewer_channels *channels, viewer *const *viewers, size_t count,
                   int64_t now, size_t *size)
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
        return NULL;
    }
    *size = t.size;
    return t.bytes;
}
