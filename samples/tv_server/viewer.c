/* SPDX-License-Identifier: MIT */
#include "viewer.h"

#include "sound.h"

#include "../tv_common/rtcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define REPORT_US      LIVETCP_USEC_SEC
#define NORMAL         100 /* percent */
#define MAX_SPEED      400
#define MAX_BACK_MS    3600000
#define DEFAULT_RTT_US (100 * LIVETCP_USEC_MSEC) /* until it is known */
/* Automatic quality: the low one when the path carries no more than so much of the high one, the
 * high one again when it carries so much more. */
#define ENOUGH 1.1
#define PLENTY 1.5

/* RTP state of one stream of this viewer. */
typedef struct stream {
    uint32_t ssrc;
    uint16_t sequence;
    uint32_t packets, bytes;
} stream;

struct viewer {
    viewer_channels channels;
    channel *channel;
    livetcp_session *session;
    char remote[64];
    stream picture, sound;
    struct {
        const uint8_t *packet; /* NULL = none; within a unit, only during viewer_send() */
        size_t size;
        livetcp_packet_info info;
    } held;
    int64_t reported_us;

    tv_mode mode;
    tv_quality quality; /* requested */
    int track;          /* being sent */
    uint64_t next_picture, next_sound;
    bool need_key; /* pictures are skipped until a key frame, */
    bool broken;   /* which waits for an empty send queue */
    /* Time-shifted: the picture of base_pts is sent at base_us, the others relative to it at
     * `speed`. */
    int64_t base_us, base_pts;
    int speed; /* percent */
    int64_t paused_pts;

    uint32_t play; /* number of the request that began this play */
    tv_answer answer;
    bool changed; /* without a request: the viewer is to be told */
    viewer_stats stats;
};

/* ---- where it is ---- */

static int64_t newest(const viewer *v)
{
    const uint64_t end = channel_end(v->channel, TRACK_HIGH);

    return end > channel_first(v->channel, TRACK_HIGH)
               ? channel_unit(v->channel, TRACK_HIGH, end - 1)->pts_us
               : 0;
}

/* Pictures with times up to this are sent. */
static int64_t limit(const viewer *v, int64_t now)
{
    switch (v->mode) {
    case TV_IS_LIVE:
        return INT64_MAX;
    case TV_IS_PAUSED:
        return INT64_MIN;
    default:
        return v->base_pts + (now - v->base_us) * v->speed / NORMAL;
    }
}

static int64_t position(const viewer *v, int64_t now)
{
    if (v->mode == TV_IS_LIVE)
        return newest(v);
    return v->mode == TV_IS_PAUSED ? v->paused_pts : limit(v, now);
}

static int64_t time_to_see(const viewer *v, int64_t pts)
{
    return v->mode == TV_IS_LIVE ? pts : v->base_us + (pts - v->base_pts) * NORMAL / v->speed;
}

/* ---- sending ---- */

/* All due packets form one burst: each is sent when it is known whether another follows. */
static void send_held(viewer *v, bool more)
{
    v->held.info.more = more;
    if (v->held.packet) /* the session's end is handled in on_state() */
        livetcp_session_send_with(v->session, v->held.packet, v->held.size, &v->held.info);
    v->held.packet = NULL;
}

static void send_unit(viewer *v, unit *u, stream *s, uint32_t timestamp,
                      livetcp_importance importance)
{
    for (size_t i = 0; i < u->count; i++) {
        const unit_header header = {
            .sequence = s->sequence++, .timestamp = timestamp, .ssrc = s->ssrc, .play = v->play};
        send_held(v, true);
        v->held.info =
            (livetcp_packet_info){.struct_size = sizeof v->held.info, .importance = importance};
        v->held.packet = unit_packet(u, i, &header, &v->held.size);
        s->packets++;
        s->bytes += (uint32_t)(v->held.size - UNIT_HEADER);
    }
}

static uint32_t video_time(int64_t us)
{
    return (uint32_t)((uint64_t)us * (TV_VIDEO_CLOCK / 10000) / 100);
}

static uint32_t sound_time(int64_t us)
{
    return (uint32_t)((uint64_t)us * (TV_SOUND_CLOCK / 8000) / 125);
}

static size_t queued(const viewer *v)
{
    livetcp_session_stats stats = {.struct_size = sizeof stats};

    livetcp_session_get_stats(v->session, &stats);
    return stats.sent.queue_packets;
}

static int64_t round_trip(const viewer *v)
{
    livetcp_session_stats stats = {.struct_size = sizeof stats};

    livetcp_session_get_stats(v->session, &stats);
    return stats.rtt_us > 0 ? stats.rtt_us : DEFAULT_RTT_US;
}

/* The quality can change at a key frame. */
static void choose_track(viewer *v)
{
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    const int before = v->track;
    channel_stats rates;

    if (v->quality != TV_AUTO) {
        v->track = v->quality == TV_HIGH ? TRACK_HIGH : TRACK_LOW;
        return;
    }
    livetcp_session_get_stats(v->session, &stats);
    channel_get_stats(v->channel, &rates);
    const double carried = stats.sent.estimated_bitrate;
    const double high = (rates.kbits[TRACK_HIGH] + SOUND_KBITS) * 1000.0;
    if (carried > 0 && carried < ENOUGH * high && v->broken)
        v->track = TRACK_LOW;
    else if (carried <= 0 || carried > PLENTY * high)
        v->track = TRACK_HIGH;
    v->changed = v->changed || v->track != before;
}

static void send_picture(viewer *v, unit *u)
{
    if (u->key && (!v->broken || queued(v) == 0)) {
        choose_track(v);
        u = channel_unit(v->channel, v->track, v->next_picture);
        v->need_key = v->broken = false;
    }
    if (v->need_key) {
        v->stats.skipped++;
        return;
    }
    v->stats.pictures++;
    send_unit(v, u, &v->picture, video_time(time_to_see(v, u->pts_us)),
              u->key ? LIVETCP_IMPORTANCE_KEY : LIVETCP_IMPORTANCE_DELTA);
}

static void send_pictures(viewer *v, int64_t until)
{
    if (v->next_picture < channel_first(v->channel, TRACK_HIGH)) { /* discarded meanwhile */
        v->next_picture = channel_first(v->channel, TRACK_HIGH);
        v->need_key = true;
    }
    for (; v->next_picture < channel_end(v->channel, TRACK_HIGH); v->next_picture++) {
        unit *u = channel_unit(v->channel, v->track, v->next_picture);
        if (u->pts_us > until)
            return;
        send_picture(v, u);
    }
}

static void send_sounds(viewer *v, int64_t until)
{
    if (v->next_sound < channel_first(v->channel, TRACK_SOUND))
        v->next_sound = channel_first(v->channel, TRACK_SOUND);
    for (; v->next_sound < channel_end(v->channel, TRACK_SOUND); v->next_sound++) {
        unit *u = channel_unit(v->channel, TRACK_SOUND, v->next_sound);
        if (u->pts_us > until)
            return;
        send_unit(v, u, &v->sound, sound_time(time_to_see(v, u->pts_us)), LIVETCP_IMPORTANCE_AUDIO);
    }
}

static void send_report(viewer *v, const stream *s, uint32_t timestamp, int64_t wall_us)
{
    const tv_report report = {.ssrc = s->ssrc,
                              .wall_us = wall_us,
                              .timestamp = timestamp,
                              .packets = s->packets,
                              .bytes = s->bytes};
    uint8_t packet[TV_REPORT_SIZE];

    livetcp_session_send(v->session, packet, tv_write_report(packet, &report));
}

/* Sender reports relate the timestamps of picture and sound. */
static void send_reports(viewer *v, int64_t now)
{
    uv_timeval64_t wall;

    if (now - v->reported_us < REPORT_US || uv_gettimeofday(&wall) != 0)
        return;
    v->reported_us = now;
    const int64_t wall_us = wall.tv_sec * LIVETCP_USEC_SEC + wall.tv_usec;
    send_report(v, &v->picture, video_time(now), wall_us);
    send_report(v, &v->sound, sound_time(now), wall_us);
}

static void go_live(viewer *v)
{
    v->mode = TV_IS_LIVE;
    v->next_sound = channel_end(v->channel, TRACK_SOUND);
    v->changed = true;
}

void viewer_send(viewer *v, int64_t now)
{
    const int64_t until = limit(v, now);

    send_reports(v, now);
    send_pictures(v, until);
    if (v->mode != TV_IS_FORWARD) /* no sound until it has caught up */
        send_sounds(v, until);
    else if (v->next_picture == channel_end(v->channel, TRACK_HIGH))
        go_live(v);
    send_held(v, false);
    if (v->changed)
        viewer_tell(v, now);
}

/* ---- channels ---- */

/* Those that still run; the names of all others are of no use. */
void viewer_channels_explain(const viewer_channels *all, const channel *ended, char *text,
                             size_t size)
{
    const char *joint = "; there are: ";
    size_t used =
        (size_t)snprintf(text, size, ended ? "channel %s has ended" : "there is no such channel%s",
                         ended ? channel_name(ended) : "");

    for (unsigned i = 0; i < all->count && used < size; i++) {
        if (channel_trouble(all->list[i]))
            continue;
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", joint, channel_name(all->list[i]));
        joint = ", ";
    }
}

/* ---- what it asks for ---- */

static void want_key(viewer *v, int64_t now)
{
    if (v->mode == TV_IS_LIVE)
        channel_want_key(v->channel, now, round_trip(v));
    v->stats.keys_wanted++;
}

/* Starts with a key frame of the last round trip, else with the next one. */
static void start_live(viewer *v, int64_t now)
{
    const channel *c = v->channel;
    uint64_t key;

    v->mode = TV_IS_LIVE;
    v->need_key = true;
    v->next_picture = channel_end(c, TRACK_HIGH);
    v->next_sound = channel_end(c, TRACK_SOUND);
    if (channel_find_key(c, INT64_MAX, &key) &&
        now - channel_unit(c, TRACK_HIGH, key)->pts_us <= round_trip(v)) {
        v->next_picture = key;
        v->next_sound = channel_find(c, TRACK_SOUND, channel_unit(c, TRACK_HIGH, key)->pts_us);
    } else {
        want_key(v, now);
    }
}

/* Starts with a key frame in memory, at or before this time. */
static bool start_shifted(viewer *v, int64_t pts, int64_t now)
{
    uint64_t key = channel_first(v->channel, TRACK_HIGH);

    if (!channel_find_key(v->channel, pts, &key)) /* the oldest one in memory */
        while (key < channel_end(v->channel, TRACK_HIGH) &&
               !channel_unit(v->channel, TRACK_HIGH, key)->key)
            key++;
    if (key == channel_end(v->channel, TRACK_HIGH))
        return false;
    v->mode = TV_IS_SHIFTED;
    v->speed = NORMAL;
    v->need_key = true;
    v->next_picture = key;
    v->base_us = now;
    v->base_pts = channel_unit(v->channel, TRACK_HIGH, key)->pts_us;
    v->next_sound = channel_find(v->channel, TRACK_SOUND, v->base_pts);
    return true;
}

/* Continues with the next picture, without a key frame: the decoder has its references. */
static void go_on(viewer *v, tv_mode mode, int speed, int64_t now)
{
    v->mode = mode;
    v->speed = speed;
    v->base_us = now;
    v->base_pts = newest(v);
    if (v->next_picture < channel_first(v->channel, TRACK_HIGH))
        v->next_picture = channel_first(v->channel, TRACK_HIGH), v->need_key = true;
    if (v->next_picture < channel_end(v->channel, TRACK_HIGH))
        v->base_pts = channel_unit(v->channel, TRACK_HIGH, v->next_picture)->pts_us;
    v->next_sound = channel_find(v->channel, TRACK_SOUND, v->base_pts);
}

static void refuse(viewer *v, unsigned code, const char *format, const char *what)
{
    v->answer.code = code;
    snprintf(v->answer.text, sizeof v->answer.text, format, what);
}

static channel *find_channel(const viewer *v, const tv_request *r)
{
    const long count = (long)v->channels.count, step = r->value < 0 ? -1 : 1;

    for (unsigned i = 0; r->text[0] && i < v->channels.count; i++)
        if (strcmp(channel_name(v->channels.list[i]), r->text) == 0)
            return v->channels.list[i];
    if (r->text[0])
        return NULL;
    long at = (long)channel_index(v->channel) + r->value % count + count;
    for (long i = 1; i < count && channel_trouble(v->channels.list[at % count]); i++)
        at += step + count; /* one that has ended is passed over */
    return v->channels.list[at % count];
}

static bool change_channel(viewer *v, const tv_request *r, int64_t now)
{
    channel *wanted = find_channel(v, r);

    if (!wanted || channel_trouble(wanted)) {
        v->answer.code = wanted ? TV_GONE : TV_NOT_FOUND;
        viewer_channels_explain(&v->channels, wanted, v->answer.text, sizeof v->answer.text);
        return false;
    }
    v->channel = wanted;
    start_live(v, now);
    return true;
}

static bool pause_it(viewer *v, int64_t now)
{
    if (v->mode != TV_IS_PAUSED)
        v->paused_pts = position(v, now);
    v->mode = TV_IS_PAUSED;
    return false; /* packets under way belong to the previous play */
}

static bool resume(viewer *v, int64_t now)
{
    if (v->mode != TV_IS_PAUSED)
        return false;
    go_on(v, TV_IS_SHIFTED, NORMAL, now);
    return true;
}

static bool go_back(viewer *v, const tv_request *r, int64_t now)
{
    if (r->value < 0 || r->value > MAX_BACK_MS) {
        refuse(v, TV_MALFORMED, "back is 0 to %s ms", "3600000");
        return false;
    }
    if (start_shifted(v, position(v, now) - (int64_t)r->value * LIVETCP_USEC_MSEC, now))
        return true;
    refuse(v, TV_NOT_NOW, "channel %s has nothing in memory yet; try again in a moment",
           channel_name(v->channel));
    return false;
}

static bool go_forward(viewer *v, const tv_request *r, int64_t now)
{
    if (r->value <= NORMAL || r->value > MAX_SPEED) {
        refuse(v, TV_MALFORMED, "forward is %s percent of the usual speed", "101 to 400");
        return false;
    }
    if (v->mode == TV_IS_LIVE) {
        refuse(v, TV_NOT_NOW, "channel %s is live: there is nothing to go forward to",
               channel_name(v->channel));
        return false;
    }
    go_on(v, TV_IS_FORWARD, r->value, now);
    return true;
}

/* Takes effect with the next key frame. */
static bool change_quality(viewer *v, const tv_request *r, int64_t now)
{
    if (r->value < TV_AUTO || r->value > TV_LOW) {
        refuse(v, TV_MALFORMED, "quality is %s", "0 (automatic), 1 (high) or 2 (low)");
        return false;
    }
    v->quality = (tv_quality)r->value;
    if (v->quality == TV_AUTO)
        v->track = TRACK_HIGH;
    if (v->mode == TV_IS_LIVE)
        start_live(v, now);
    else if (v->mode != TV_IS_PAUSED)
        return start_shifted(v, position(v, now), now);
    return v->mode == TV_IS_LIVE;
}

/* Carries out a request. True: a new play begins. */
static bool obey(viewer *v, const tv_request *r, int64_t now)
{
    switch (r->command) {
    case TV_CHANNEL:
        return change_channel(v, r, now);
    case TV_PAUSE:
        return pause_it(v, now);
    case TV_RESUME:
        return resume(v, now);
    case TV_BACK:
        return go_back(v, r, now);
    case TV_LIVE:
        start_live(v, now);
        return true;
    case TV_FORWARD:
        return go_forward(v, r, now);
    case TV_QUALITY:
        return change_quality(v, r, now);
    default:
        refuse(v, TV_MALFORMED, "no such command; there are: %s",
               "1 channel, 2 pause, 3 resume, 4 back, 5 live, 6 forward, 7 quality");
        return false;
    }
}

static void send_answer(viewer *v, const tv_answer *answer)
{
    uint8_t packet[TV_CONTROL_MAX];

    livetcp_session_send(v->session, packet, tv_write_answer(packet, v->picture.ssrc, answer));
}

static int64_t behind(const viewer *v, int64_t now)
{
    const int64_t us = v->mode == TV_IS_LIVE ? 0 : newest(v) - position(v, now);

    return us > 0 ? us : 0;
}

static void describe(const viewer *v, int64_t now, tv_answer *answer)
{
    answer->mode = v->mode;
    answer->quality = v->quality != TV_AUTO ? v->quality : v->track == TRACK_LOW ? TV_LOW : TV_HIGH;
    answer->behind_ms = (uint32_t)(behind(v, now) / LIVETCP_USEC_MSEC);
    answer->channel = (uint16_t)channel_index(v->channel);
    answer->channels = (uint16_t)v->channels.count;
    if (answer->code == TV_OK)
        snprintf(answer->text, sizeof answer->text, "%s", channel_name(v->channel));
}

void viewer_tell(viewer *v, int64_t now)
{
    tv_answer news = {.code = channel_trouble(v->channel) ? TV_GONE : TV_OK};

    v->changed = false;
    if (news.code == TV_GONE)
        viewer_channels_explain(&v->channels, v->channel, news.text, sizeof news.text);
    describe(v, now, &news);
    send_answer(v, &news);
}

/* The answer goes ahead of what it announces. */
static void take_request(viewer *v, const tv_request *r, int64_t now)
{
    v->stats.requests++;
    if (r->number < v->answer.number)
        return; /* delayed repetition, already answered */
    if (r->number > v->answer.number) {
        v->answer = (tv_answer){.number = r->number, .code = TV_OK};
        if (obey(v, r, now))
            v->play = r->number;
        describe(v, now, &v->answer);
    }
    send_answer(v, &v->answer);
    viewer_send(v, now);
}

bool viewer_take(viewer *v, const livetcp_packet *packet, int64_t now)
{
    tv_request request;
    tv_answer answer;

    if (packet->rtcp && tv_is_keyframe_wanted(packet->data, packet->size)) {
        v->need_key = true;
        want_key(v, now);
        return true;
    }
    switch (packet->rtcp ? tv_read_control(packet->data, packet->size, &request, &answer)
                         : TV_GARBAGE) {
    case TV_REQUEST:
        take_request(v, &request, now);
        return true;
    case TV_NO_CONTROL:
        return true;
    default:
        v->stats.garbage++;
        return false;
    }
}

void viewer_broke(viewer *v)
{
    v->need_key = v->broken = true;
}

void viewer_drained(viewer *v, int64_t now)
{
    if (v->need_key)
        want_key(v, now);
}

/* ---- the viewer ---- */

viewer *viewer_create(const viewer_channels *channels, channel *first, livetcp_session *session,
                      const char *remote)
{
    viewer *v = calloc(1, sizeof *v);
    uint32_t random[4];

    if (!v || uv_random(NULL, NULL, random, sizeof random, 0, NULL) != 0) {
        free(v);
        return NULL;
    }
    v->channels = *channels;
    v->channel = first;
    v->session = session;
    v->speed = NORMAL;
    v->reported_us = INT64_MIN / 2;
    snprintf(v->remote, sizeof v->remote, "%s", remote);
    v->picture = (stream){.ssrc = random[0], .sequence = (uint16_t)random[1]};
    v->sound = (stream){.ssrc = random[2], .sequence = (uint16_t)random[3]};
    livetcp_session_set_clock_rate(session, TV_VIDEO_PAYLOAD, TV_VIDEO_CLOCK);
    livetcp_session_set_clock_rate(session, TV_SOUND_PAYLOAD, TV_SOUND_CLOCK);
    start_live(v, (int64_t)(uv_hrtime() / 1000));
    return v;
}

void viewer_destroy(viewer **v)
{
    free(*v);
    *v = NULL;
}

channel *viewer_channel(const viewer *v)
{
    return v->channel;
}

const char *viewer_remote(const viewer *v)
{
    return v->remote;
}

livetcp_session *viewer_session(const viewer *v)
{
    return v->session;
}

bool viewer_is_shifted(const viewer *v)
{
    return v->mode == TV_IS_SHIFTED || v->mode == TV_IS_FORWARD;
}

void viewer_get_stats(const viewer *v, int64_t now, viewer_stats *stats)
{
    *stats = v->stats;
    stats->mode = v->mode;
    stats->track = v->track;
    stats->behind_us = behind(v, now);
}
