/* SPDX-License-Identifier: MIT */
#include "channel.h"

#include "encoding.h"
#include "sound.h"
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_BYTES ((size_t)256 << 20) /* per channel, at any bit rate */
#define MIN_SHARE     8 /* minimum bit rate: this part (1/N) of the configured one */
#define LATE_PICTURES 2 /* more late pictures than this, and some are skipped */
#define SECOND_US     1000000

/* An unbounded sequence; the oldest units are discarded. */
typedef struct track {
    unit **ring;
    size_t capacity;
    uint64_t first, end;
    size_t bytes;
} track;

/* The thread's output for one time; may have no picture. */
typedef struct moment {
    struct moment *next;
    unit *units[TRACKS];
} moment;

struct channel {
    channel_settings settings;
    char name[64];
    uv_thread_t thread;
    bool runs;
    source *source;        /* these are the thread's */
    int pictures, seconds; /* of the source: so many in so many */
    unsigned rounds;
    encoding *encodings[2];
    sound *sound;
    tv_picture picture, half;

    uv_mutex_t lock; /* of the following members */
    uv_cond_t changed;
    bool ending, want_key, failed;
    int wanted_kbits[2], kbits[2];
    moment *made, **made_end;
    uint64_t skipped;
    char trouble[400];

    track tracks[TRACKS]; /* used by the loop */
    int64_t last_key_us, asked_us;
    uint64_t keys, bytes;
};

/* ---- memory of the last minutes ---- */

static unit **at(const track *t, uint64_t number)
{
    return &t->ring[number % t->capacity];
}

static bool grow(track *t)
{
    const size_t capacity = t->capacity ? 2 * t->capacity : 1024;
    unit **ring = malloc(capacity * sizeof *ring);

    if (!ring)
        return false;
    for (uint64_t i = t->first; i < t->end; i++)
        ring[i % capacity] = *at(t, i);
    free(t->ring);
    t->ring = ring;
    t->capacity = capacity;
    return true;
}

static bool push(track *t, unit *u)
{
    if (t->end - t->first == t->capacity && !grow(t))
        return false;
    *at(t, t->end++) = u;
    t->bytes += u->allocated + sizeof *u;
    return true;
}

static void drop_first(track *t)
{
    unit *u = *at(t, t->first++);

    t->bytes -= u->allocated + sizeof *u;
    unit_destroy(u);
}

static size_t history_bytes(const channel *c)
{
    return c->tracks[0].bytes + c->tracks[1].bytes + c->tracks[2].bytes;
}

/* Discards old units; keeps the last second, so that every live viewer finds its position. */
static void forget(channel *c)
{
    track *high = &c->tracks[TRACK_HIGH], *sounds = &c->tracks[TRACK_SOUND];
    const int64_t newest = (*at(high, high->end - 1))->pts_us;
    const int64_t oldest = newest - (int64_t)c->settings.history_s * SECOND_US;

    while (high->end - high->first > 1) {
        const int64_t pts = (*at(high, high->first))->pts_us;
        if (pts >= oldest && (history_bytes(c) <= HISTORY_BYTES || pts >= newest - SECOND_US))
            break;
        drop_first(high);
        drop_first(&c->tracks[TRACK_LOW]);
    }
    const int64_t kept = (*at(high, high->first))->pts_us;
    while (sounds->first < sounds->end && (*at(sounds, sounds->first))->pts_us < kept)
        drop_first(sounds);
}

/* Adds pictures of both qualities, or of none, so that their numbers stay equal. */
static void keep(channel *c, moment *m)
{
    unit *high = m->units[TRACK_HIGH], *low = m->units[TRACK_LOW], *audio = m->units[TRACK_SOUND];

    if (high && low && push(&c->tracks[TRACK_HIGH], high)) {
        if (!push(&c->tracks[TRACK_LOW], low)) {
            c->tracks[TRACK_HIGH].end--;
            c->tracks[TRACK_HIGH].bytes -= high->allocated + sizeof *high;
        } else {
            c->keys += high->key;
            c->last_key_us = high->key ? high->pts_us : c->last_key_us;
            c->bytes += high->used + low->used;
            m->units[TRACK_HIGH] = m->units[TRACK_LOW] = NULL;
        }
    }
    if (audio && push(&c->tracks[TRACK_SOUND], audio)) {
        c->bytes += audio->used;
        m->units[TRACK_SOUND] = NULL;
    }
    for (int i = 0; i < TRACKS; i++)
        unit_destroy(m->units[i]);
    free(m);
}

bool channel_collect(channel *c)
{
    uv_mutex_lock(&c->lock);
    moment *m = c->made;
    c->made = NULL;
    c->made_end = &c->made;
    uv_mutex_unlock(&c->lock);
    if (!m)
        return false;
    while (m) {
        moment *next = m->next;
        keep(c, m);
        m = next;
    }
    if (c->tracks[TRACK_HIGH].end > c->tracks[TRACK_HIGH].first)
        forget(c);
    return true;
}

uint64_t channel_first(const channel *c, int kind)
{
    return c->tracks[kind].first;
}

uint64_t channel_end(const channel *c, int kind)
{
    return c->tracks[kind].end;
}

unit *channel_unit(const channel *c, int kind, uint64_t number)
{
    return *at(&c->tracks[kind], number);
}

bool channel_find_key(const channel *c, int64_t pts_us, uint64_t *number)
{
    const track *t = &c->tracks[TRACK_HIGH];

    for (uint64_t i = t->end; i-- > t->first;) {
        const unit *u = *at(t, i);
        if (u->pts_us <= pts_us && u->key) {
            *number = i;
            return true;
        }
    }
    return false;
}

uint64_t channel_find(const channel *c, int kind, int64_t pts_us)
{
    const track *t = &c->tracks[kind];
    uint64_t low = t->first, high = t->end;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if ((*at(t, middle))->pts_us < pts_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the thread ---- */

static void post(channel *c, unit *high, unit *low, unit *audio)
{
    moment *m = calloc(1, sizeof *m);

    if (!m) { /* out of memory: one picture less */
        unit_destroy(high);
        unit_destroy(low);
        unit_destroy(audio);
        return;
    }
    m->units[TRACK_HIGH] = high;
    m->units[TRACK_LOW] = low;
    m->units[TRACK_SOUND] = audio;
    uv_mutex_lock(&c->lock);
    *c->made_end = m;
    c->made_end = &m->next;
    uv_mutex_unlock(&c->lock);
}

/* Waits until then; false when the channel ends. */
static bool wait_until(channel *c, int64_t time_us)
{
    uv_mutex_lock(&c->lock);
    int64_t left;
    while (!c->ending && (left = time_us - (int64_t)(uv_hrtime() / 1000)) > 0)
        uv_cond_timedwait(&c->changed, &c->lock, (uint64_t)left * 1000);
    const bool goes_on = !c->ending;
    uv_mutex_unlock(&c->lock);
    return goes_on;
}

static bool take_wishes(channel *c)
{
    uv_mutex_lock(&c->lock);
    const bool key = c->want_key;
    c->want_key = false;
    for (int i = 0; i < 2; i++) {
        encoding_set_rate(c->encodings[i], c->wanted_kbits[i]);
        c->kbits[i] = encoding_rate(c->encodings[i]);
    }
    uv_mutex_unlock(&c->lock);
    return key;
}

static void fail(channel *c, const char *message)
{
    uv_mutex_lock(&c->lock);
    snprintf(c->trouble, sizeof c->trouble, "channel %s ends: %s", c->name, message);
    c->failed = true;
    uv_mutex_unlock(&c->lock);
    uv_async_send(c->settings.wake);
}

/* Makes a picture in both qualities. */
static bool make_picture(channel *c, uint32_t number, int64_t pts_us, bool key)
{
    char message[240];

    if (!source_next(c->source, number, &c->picture, message, sizeof message)) {
        fail(c, message);
        return false;
    }
    if (source_rounds(c->source) != c->rounds)
        sound_rewind(c->sound);
    c->rounds = source_rounds(c->source);
    if (c->settings.numbers)
        tv_picture_put_number(&c->picture, c->settings.index << 24 | (number & 0xffffff));
    tv_picture_halve(&c->picture, &c->half);
    key = take_wishes(c) || key;
    unit *high = encoding_encode(c->encodings[TRACK_HIGH], &c->picture, pts_us, key);
    unit *low = encoding_encode(c->encodings[TRACK_LOW], &c->half, pts_us, key);
    post(c, high, low, NULL);
    return true;
}

static void make_sound(channel *c, int64_t start_us, uint64_t *frames)
{
    while (start_us + (int64_t)(*frames + 1) * SOUND_FRAME_US <= (int64_t)(uv_hrtime() / 1000)) {
        const int64_t pts_us = start_us + (int64_t)*frames * SOUND_FRAME_US;
        post(c, NULL, NULL, sound_next(c->sound, pts_us));
        ++*frames;
    }
}

static int64_t time_of(const channel *c, uint64_t pictures)
{
    return (int64_t)(pictures * SECOND_US * (uint64_t)c->seconds / (uint64_t)c->pictures);
}

/* So many pictures that the computer was too slow for. Those of a file are passed over, so that its
 * sound goes with the others. */
static bool skip(channel *c, uint32_t number, uint64_t missed)
{
    char message[240];

    uv_mutex_lock(&c->lock);
    c->skipped += missed;
    uv_mutex_unlock(&c->lock);
    for (uint64_t i = 0; source_is_file(c->source) && i < missed; i++)
        if (!source_next(c->source, number, &c->picture, message, sizeof message)) {
            fail(c, message);
            return false;
        }
    return true;
}

/* Picture n belongs to start + n pictures' time, however late it is: sound and pictures keep
 * together. */
static void run(void *user)
{
    channel *c = user;
    const int64_t start_us = (int64_t)(uv_hrtime() / 1000);
    const int64_t key_us = (int64_t)c->settings.key_ms * 1000;
    int64_t next_key_us = start_us;
    uint64_t frames = 0;

    for (uint64_t number = 0;; number++) {
        int64_t due = start_us + time_of(c, number);
        const int64_t late = (int64_t)(uv_hrtime() / 1000) - due;
        if (late > time_of(c, LATE_PICTURES)) {
            const uint64_t missed = (uint64_t)(late / time_of(c, 1));
            if (!skip(c, (uint32_t)number, missed))
                return;
            number += missed;
            due = start_us + time_of(c, number);
        }
        if (!wait_until(c, due))
            return;
        if (!make_picture(c, (uint32_t)number, due, due >= next_key_us))
            return;
        next_key_us = due >= next_key_us ? due + key_us : next_key_us;
        make_sound(c, start_us, &frames);
        uv_async_send(c->settings.wake); /* once, so that viewers get both in one burst */
    }
}

/* ---- wishes ---- */

void channel_want_key(channel *c, int64_t now_us, int64_t round_trip_us)
{
    if (now_us - c->last_key_us < round_trip_us || now_us - c->asked_us < round_trip_us)
        return;
    c->asked_us = now_us;
    uv_mutex_lock(&c->lock);
    c->want_key = true;
    uv_mutex_unlock(&c->lock);
}

void channel_set_rate(channel *c, int kind, int kbits)
{
    const int max_kbits = kind == TRACK_HIGH ? c->settings.kbits : c->settings.low_kbits;
    const int min_kbits = max_kbits / MIN_SHARE > 16 ? max_kbits / MIN_SHARE : 16;

    kbits = kbits > max_kbits ? max_kbits : kbits < min_kbits ? min_kbits : kbits;
    uv_mutex_lock(&c->lock);
    if (abs(kbits - c->wanted_kbits[kind]) * 20 > c->wanted_kbits[kind] || kbits == max_kbits)
        c->wanted_kbits[kind] = kbits;
    uv_mutex_unlock(&c->lock);
}

/* ---- the channel ---- */

static bool open_all(channel *c, char *message, size_t size)
{
    const channel_settings *s = &c->settings;
    const source_settings from = {.name = s->source,
                                  .width = s->width,
                                  .height = s->height,
                                  .fps = s->fps,
                                  .channel = s->index};

    c->source = source_open(&from, message, size);
    if (!c->source)
        return false;
    source_rate(c->source, &c->pictures, &c->seconds);
    encoding_settings to = {.width = source_width(c->source),
                            .height = source_height(c->source),
                            .pictures = c->pictures,
                            .seconds = c->seconds,
                            .kbits = s->kbits,
                            .intra_refresh = s->intra_refresh,
                            .preset = s->preset};
    to.key_frames = (int)((int64_t)s->key_ms * to.pictures / to.seconds / 1000);
    to.key_frames = to.key_frames > 1 ? to.key_frames : 1;
    if (!tv_picture_create(&c->picture, to.width, to.height) ||
        !tv_picture_create(&c->half, to.width / 4 * 2, to.height / 4 * 2)) {
        snprintf(message, size, "no memory for pictures of %d by %d", to.width, to.height);
        return false;
    }
    c->encodings[TRACK_HIGH] = encoding_open(&to, message, size);
    to.width = c->half.width;
    to.height = c->half.height;
    to.kbits = s->low_kbits;
    if (c->encodings[TRACK_HIGH])
        c->encodings[TRACK_LOW] = encoding_open(&to, message, size);
    if (c->encodings[TRACK_LOW])
        c->sound = sound_open(s->sound, s->index, message, size);
    return c->sound;
}

channel *channel_create(const channel_settings *settings, char *message, size_t size)
{
    channel *c = calloc(1, sizeof *c);

    if (!c) {
        snprintf(message, size, "no memory for channel %s", settings->name);
        return NULL;
    }
    c->settings = *settings;
    snprintf(c->name, sizeof c->name, "%s", settings->name);
    c->wanted_kbits[TRACK_HIGH] = c->kbits[TRACK_HIGH] = settings->kbits;
    c->wanted_kbits[TRACK_LOW] = c->kbits[TRACK_LOW] = settings->low_kbits;
    c->made_end = &c->made;
    c->last_key_us = c->asked_us = INT64_MIN / 2;
    uv_mutex_init(&c->lock);
    uv_cond_init(&c->changed);
    c->runs = open_all(c, message, size);
    if (c->runs && uv_thread_create(&c->thread, run, c) != 0) {
        snprintf(message, size, "no thread for channel %s", settings->name);
        c->runs = false;
    }
    if (!c->runs)
        channel_destroy(&c);
    return c;
}

void channel_stop(channel *c)
{
    uv_mutex_lock(&c->lock);
    c->ending = true;
    uv_cond_signal(&c->changed);
    uv_mutex_unlock(&c->lock);
}

void channel_destroy(channel **cp)
{
    channel *c = *cp;

    *cp = NULL;
    if (!c)
        return;
    channel_stop(c);
    if (c->runs)
        uv_thread_join(&c->thread);
    channel_collect(c);
    for (int i = 0; i < TRACKS; i++) {
        while (c->tracks[i].first < c->tracks[i].end)
            drop_first(&c->tracks[i]);
        free(c->tracks[i].ring);
    }
    sound_close(&c->sound);
    encoding_close(&c->encodings[TRACK_HIGH]);
    encoding_close(&c->encodings[TRACK_LOW]);
    source_close(&c->source);
    tv_picture_destroy(&c->picture);
    tv_picture_destroy(&c->half);
    uv_cond_destroy(&c->changed);
    uv_mutex_destroy(&c->lock);
    free(c);
}

const char *channel_name(const channel *c)
{
    return c->name;
}

unsigned channel_index(const channel *c)
{
    return c->settings.index;
}

const char *channel_trouble(channel *c)
{
    uv_mutex_lock(&c->lock);
    const bool failed = c->failed;
    uv_mutex_unlock(&c->lock);
    return failed ? c->trouble : NULL; /* written once, before `failed` */
}

void channel_get_stats(channel *c, channel_stats *stats)
{
    const track *high = &c->tracks[TRACK_HIGH];

    *stats = (channel_stats){.pictures = high->end,
                             .keys = c->keys,
                             .bytes = c->bytes,
                             .history_bytes = history_bytes(c)};
    if (high->end > high->first)
        stats->history_us = (*at(high, high->end - 1))->pts_us - (*at(high, high->first))->pts_us;
    uv_mutex_lock(&c->lock);
    stats->skipped = c->skipped;
    stats->kbits[0] = c->kbits[0];
    stats->kbits[1] = c->kbits[1];
    uv_mutex_unlock(&c->lock);
}
