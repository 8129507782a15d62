/* SPDX-License-Identifier: MIT */
#include "watching.h"

#include "assembly.h"
#include "decoder.h"
#include "lipsync.h"

#include "../tv_common/rtcp.h"

#include <opus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE   64   /* decoded pictures that wait for their time */
#define LONGEST 5760 /* samples: an Opus packet has up to 120 ms */
#define FRAME   960
#define PATIENCE                                                                                   \
    LIVETCP_USEC_SEC /* wait for missing packets, and between requests for a key frame */
#define PATH_US  (100 * LIVETCP_USEC_MSEC)
#define FIRST_US (100 * LIVETCP_USEC_MSEC) /* playout delay until the path is known */
#define MIN_US   (20 * LIVETCP_USEC_MSEC)

typedef struct waiting {
    tv_picture picture;
    watched watched;
    int64_t due_us;
} waiting;

struct watching {
    livetcp_session *session;
    watching_output output;
    livetcp_playout *pictures, *sounds;
    assembly assembly;
    decoder *decoder;
    OpusDecoder *opus;
    lipsync lipsync;
    uint32_t picture_ssrc, sound_ssrc;

    waiting queue[QUEUE]; /* ring buffer */
    unsigned first, count;
    bool started;        /* something was decoded */
    uint32_t play;       /* play of the newest decoded picture, */
    uint32_t sound_play; /* and of the newest sound */
    int64_t waits_since_us, wanted_us, path_us;
    bool broken;
    watching_stats stats;
};

/* ---- made and freed ---- */

static bool is_sound(const livetcp_packet *packet, void *user)
{
    (void)user;
    return packet->size > 1 && (packet->data[1] & 0x7f) == TV_SOUND_PAYLOAD;
}

/* The assembly orders pictures, so their playout gives times only. */
static bool create_playouts(watching *w, int64_t max_us, livetcp_error *error)
{
    const livetcp_playout_attachment attachment = {.struct_size = sizeof attachment,
                                                   .wants = is_sound};
    livetcp_playout_config config;

    livetcp_playout_config_init(&config);
    config.mode = LIVETCP_PLAYOUT_POLICY_AWARE;
    config.latency_us = max_us < FIRST_US ? max_us : FIRST_US;
    config.min_latency_us = max_us < MIN_US ? max_us : MIN_US;
    config.max_latency_us = max_us;
    config.clock_rate = TV_SOUND_CLOCK;
    config.release = LIVETCP_PLAYOUT_IN_ORDER;
    if (livetcp_playout_create(&config, &w->sounds, error) != LIVETCP_OK ||
        livetcp_playout_attach(w->sounds, w->session, &attachment) != LIVETCP_OK)
        return false;
    config.clock_rate = TV_VIDEO_CLOCK;
    config.media = LIVETCP_PLAYOUT_VIDEO;
    config.release = LIVETCP_PLAYOUT_TIMES_ONLY;
    return livetcp_playout_create(&config, &w->pictures, error) == LIVETCP_OK;
}

watching *watching_create(livetcp_session *session, const watching_output *output, int64_t max_us,
                          char *message, size_t size)
{
    watching *w = calloc(1, sizeof *w);
    livetcp_error error = {.message = "out of memory"};
    int code = 0;

    if (!w) {
        snprintf(message, size, "no memory for the picture");
        return NULL;
    }
    w->session = session;
    w->output = *output;
    lipsync_init(&w->lipsync, TV_VIDEO_CLOCK, TV_SOUND_CLOCK);
    livetcp_session_set_clock_rate(session, TV_VIDEO_PAYLOAD, TV_VIDEO_CLOCK);
    livetcp_session_set_clock_rate(session, TV_SOUND_PAYLOAD, TV_SOUND_CLOCK);
    w->opus = opus_decoder_create(TV_SOUND_CLOCK, 1, &code);
    if (!w->opus || !assembly_init(&w->assembly) || !create_playouts(w, max_us, &error))
        snprintf(message, size, "%s", w->opus ? error.message : opus_strerror(code));
    else if ((w->decoder = decoder_open(message, size)))
        return w;
    watching_destroy(&w);
    return NULL;
}

void watching_destroy(watching **wp)
{
    watching *w = *wp;

    *wp = NULL;
    if (!w)
        return;
    if (w->sounds)
        livetcp_playout_detach(w->sounds, w->session);
    livetcp_playout_destroy(&w->sounds);
    livetcp_playout_destroy(&w->pictures);
    for (unsigned i = 0; i < QUEUE; i++)
        tv_picture_destroy(&w->queue[i].picture);
    assembly_free(&w->assembly);
    decoder_close(&w->decoder);
    if (w->opus)
        opus_decoder_destroy(w->opus);
    free(w);
}

/* ---- pictures ---- */

static bool copy_picture(const tv_picture *from, tv_picture *to)
{
    if (to->width != from->width || to->height != from->height) {
        tv_picture_destroy(to);
        if (!tv_picture_create(to, from->width, from->height))
            return false;
    }
    for (int i = 0; i < 3; i++) {
        const int width = i ? to->width / 2 : to->width, height = i ? to->height / 2 : to->height;
        for (int y = 0; y < height; y++)
            memcpy(to->planes[i] + (size_t)y * (size_t)to->strides[i],
                   from->planes[i] + (ptrdiff_t)y * from->strides[i], (size_t)width);
    }
    return true;
}

static void show_first(watching *w, int64_t now)
{
    waiting *one = &w->queue[w->first];

    w->first = (w->first + 1) % QUEUE;
    w->count--;
    w->stats.shown++;
    one->watched.picture = &one->picture;
    one->watched.late_us = now - one->due_us;
    w->output.on_picture(&one->watched, w->output.user);
}

/* The first picture of a play is shown at once, and older ones are dropped. A play that continues
 * where the previous one stopped does not begin with a key frame. */
static void enqueue(watching *w, const assembled *a, const tv_picture *picture, int64_t now)
{
    const bool first = !w->started || a->play != w->play;

    if (first && a->key)
        w->count = 0;
    if (w->count == QUEUE)
        show_first(w, now);
    waiting *one = &w->queue[(w->first + w->count) % QUEUE];
    if (!copy_picture(picture, &one->picture))
        return;
    one->watched = (watched){.first = first, .play = a->play};
    one->watched.has_number = tv_picture_get_number(&one->picture, &one->watched.number);
    one->watched.has_capture =
        lipsync_capture(&w->lipsync, LIPSYNC_PICTURE, a->timestamp, &one->watched.capture_us);
    one->due_us = lipsync_play(&w->lipsync, LIPSYNC_PICTURE, a->timestamp, a->play_us, 0);
    if (first && a->key)
        one->due_us = now;
    w->count++;
    w->started = true;
    w->play = a->play;
}

static void decode_pictures(watching *w, int64_t now)
{
    assembled a;
    tv_picture picture;

    while (assembly_get(&w->assembly, &a)) {
        if (decoder_decode(w->decoder, a.bytes, a.size, &picture)) {
            enqueue(w, &a, &picture, now);
        } else {
            w->stats.undecodable++;
            w->broken = true;
        }
    }
}

static void show_due(watching *w, int64_t now)
{
    while (w->count > 0 && w->queue[w->first].due_us <= now)
        show_first(w, now);
}

/* ---- sound ---- */

/* The play and payload of a packet; NULL without payload. */
static const uint8_t *payload_of(const livetcp_playout_item *item, size_t *size, uint32_t *play)
{
    livetcp_rtp_header header;

    if (item->kind != LIVETCP_PLAYOUT_PACKET ||
        livetcp_rtp_header_read(&header, item->data, item->size, NULL) != LIVETCP_OK)
        return NULL;
    *play = header.csrc_count > 0 ? header.csrcs[0] : 0;
    *size = item->size - header.header_size;
    return item->data + header.header_size;
}

static void play_item(watching *w, const livetcp_playout_item *item)
{
    livetcp_playout_stats stats = {.struct_size = sizeof stats};
    int16_t samples[LONGEST];
    size_t size = 0;
    uint32_t play = w->sound_play;
    const uint8_t *payload = payload_of(item, &size, &play);

    if (play < w->sound_play || (payload && item->ssrc != w->sound_ssrc))
        return; /* of what was watched before */
    w->sound_play = play;
    const int count = payload && size > 0
                          ? opus_decode(w->opus, payload, (opus_int32)size, samples, LONGEST, 0)
                          : opus_decode(w->opus, NULL, 0, samples, FRAME, 0);
    w->stats.concealed += !payload;
    w->stats.sounds += payload && count > 0;
    if (count <= 0 || !w->output.sound_delay)
        return;
    const int64_t at = lipsync_play(&w->lipsync, LIPSYNC_SOUND, item->timestamp, item->play_us,
                                    w->output.sound_delay(w->output.user));
    livetcp_playout_get_stats(w->sounds, &stats);
    const screen_sound sound = {samples, count, at, stats.skew_ppm};
    w->output.on_sound(&sound, w->output.user);
}

static void play_sounds(watching *w, int64_t now)
{
    livetcp_playout_item item = {.struct_size = sizeof item};

    while (livetcp_playout_pull(w->sounds, now, &item) == LIVETCP_OK &&
           item.kind != LIVETCP_PLAYOUT_NOTHING)
        play_item(w, &item);
}

/* ---- packets ---- */

/* Another server, or the same one in another session: numbers, requests and times begin anew. */
static void start_pictures_anew(watching *w)
{
    assembly_restart(&w->assembly);
    lipsync_init(&w->lipsync, TV_VIDEO_CLOCK, TV_SOUND_CLOCK);
    w->count = 0;
    w->started = false;
    w->play = 0;
    w->stats.restarts++;
}

static bool take_picture(watching *w, const livetcp_packet *packet,
                         const livetcp_rtp_header *header)
{
    const livetcp_playout_packet in = {.struct_size = sizeof in,
                                       .data = packet->data,
                                       .size = packet->size,
                                       .arrival_us = packet->arrival_us};
    livetcp_playout_slot slot = {.struct_size = sizeof slot};

    if (w->picture_ssrc && w->picture_ssrc != header->ssrc)
        start_pictures_anew(w);
    w->picture_ssrc = header->ssrc;
    livetcp_playout_put(w->pictures, &in, &slot);
    if (slot.result == LIVETCP_PLAYOUT_DUPLICATE)
        return true;
    return assembly_put(&w->assembly, header, packet->data, packet->size, slot.play_us);
}

static bool take_rtp(watching *w, const livetcp_packet *packet, int64_t now)
{
    livetcp_rtp_header header;

    if (livetcp_rtp_header_read(&header, packet->data, packet->size, NULL) != LIVETCP_OK)
        return false;
    if (header.payload_type == TV_SOUND_PAYLOAD) { /* the session has put it into its playout */
        if (w->sound_ssrc != header.ssrc)
            w->sound_play = 0;
        w->sound_ssrc = header.ssrc;
        play_sounds(w, now);
        return true;
    }
    if (header.payload_type != TV_VIDEO_PAYLOAD || !take_picture(w, packet, &header))
        return false;
    decode_pictures(w, now);
    show_due(w, now);
    return true;
}

bool watching_take(watching *w, const livetcp_packet *packet, int64_t now)
{
    tv_report report;

    if (!packet->rtcp) {
        const bool known = take_rtp(w, packet, now);
        w->stats.garbage += !known;
        return known;
    }
    if (tv_read_report(packet->data, packet->size, &report)) {
        if (report.ssrc == w->picture_ssrc)
            lipsync_report(&w->lipsync, LIPSYNC_PICTURE, report.wall_us, report.timestamp);
        else if (report.ssrc == w->sound_ssrc)
            lipsync_report(&w->lipsync, LIPSYNC_SOUND, report.wall_us, report.timestamp);
    }
    return true;
}

/* ---- time ---- */

static void tell_path(watching *w, int64_t now)
{
    livetcp_playout_path path = {.struct_size = sizeof path};

    if (now - w->path_us < PATH_US)
        return;
    w->path_us = now;
    if (livetcp_session_get_playout_path(w->session, &path) == LIVETCP_OK)
        livetcp_playout_set_path(w->pictures, &path);
}

/* TCP repairs losses, but packets that the server has dropped never arrive. */
static bool wants_key(watching *w, int64_t now)
{
    if (!assembly_waits(&w->assembly))
        w->waits_since_us = now;
    if ((!w->broken && now - w->waits_since_us < PATIENCE) || now - w->wanted_us < PATIENCE)
        return false;
    w->wanted_us = now;
    w->broken = false;
    return true;
}

bool watching_run(watching *w, int64_t now)
{
    tell_path(w, now);
    play_sounds(w, now);
    show_due(w, now);
    return wants_key(w, now);
}

uint32_t watching_ssrc(const watching *w)
{
    return w->picture_ssrc;
}

void watching_get_stats(const watching *w, watching_stats *stats)
{
    livetcp_playout_latency latency = {.struct_size = sizeof latency};

    *stats = w->stats;
    stats->skipped_packets = w->assembly.skipped;
    if (livetcp_playout_get_latency(w->pictures, &latency) == LIVETCP_OK)
        stats->delay_us = latency.delay_us;
}
