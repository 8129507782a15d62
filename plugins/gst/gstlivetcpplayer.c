/* SPDX-License-Identifier: MIT */
/* A playout behind a pad: takes packets and events, and returns them in order at their times to
 * play. Reports the latency to the pipeline. */
#include "gstlivetcpplayer.h"

#include "gstlivetcpdebug.h"

#include <gst/rtp/rtp.h>

#define GST_CAT_DEFAULT gst_livetcp_playout_debug

/* Later than any time to play. */
#define END_OF_TIME (G_MAXINT64 / 16)

/* With more missing packets than this, one event reports all. */
#define LOST_EVENTS 64

/* Maximum time in a session's report. */
#define LONGEST_US (60 * (gint64)LIVETCP_USEC_SEC)

#define RESTARTS                                                                                   \
    (LIVETCP_PLAYOUT_SSRC_CHANGED | LIVETCP_PLAYOUT_SEQUENCE_RESET |                               \
     LIVETCP_PLAYOUT_TIMESTAMP_RESET)

/* Maximum number of packets of a fast stream that wait for a missing one. */
#define CAPACITY 16384

/* Announced latency: step upwards, minimum decrease, and time before a decrease. */
#define STEP_US  (10 * LIVETCP_USEC_MSEC)
#define WORTH_US (20 * LIVETCP_USEC_MSEC)
#define WHILE_US (10 * LIVETCP_USEC_SEC)

/* A buffer in the playout, and the events directly before it. */
typedef struct {
    GstBuffer *buffer;
    GQueue events;
} Token;

/* Moves events to another queue, in order. */
static void move_events(GQueue *from, GQueue *to)
{
    while (!g_queue_is_empty(from)) {
        g_queue_push_tail(to, g_queue_pop_head(from));
    }
}

/* livetcp_playout_config.drop_token; events of a dropped buffer are kept. */
static void drop_token(void *data, void *user)
{
    GstLiveTcpPlayer *player = user;
    Token *token = data;

    player->held--;
    move_events(&token->events, &player->out);
    gst_buffer_unref(token->buffer);
    g_free(token);
}

/* ---- life ---- */

gboolean gst_livetcp_player_settings_changed(GstLiveTcpPlayer *player)
{
    livetcp_playout_config config;

    if (player->playout != NULL) {
        return FALSE;
    }
    player->active = player->settings;
    livetcp_playout_config_init(&config);
    gst_livetcp_player_settings_apply(&player->active, &config);
    player->announced_us = player->answered_us = config.latency_us;
    player->counted_us = player->lead_us = config.latency_us;
    player->played_us = player->lower_us = player->lower_since_us = 0;
    return TRUE;
}

void gst_livetcp_player_init(GstLiveTcpPlayer *player, GstElement *element,
                             livetcp_playout_mode mode)
{
    memset(player, 0, sizeof(*player));
    player->caps_payload = -1;
    player->element = element;
    player->path.struct_size = sizeof(player->path);
    gst_livetcp_player_settings_init(&player->settings, mode);
    gst_livetcp_player_settings_changed(player);
}

void gst_livetcp_player_reset(GstLiveTcpPlayer *player)
{
    livetcp_playout_destroy(&player->playout);
    g_queue_clear_full(&player->events, (GDestroyNotify)gst_mini_object_unref);
    g_queue_clear_full(&player->out, (GDestroyNotify)gst_mini_object_unref);
    player->clock_rate = player->caps_rate = 0;
    player->path = (livetcp_playout_path){.struct_size = sizeof(player->path)};
    player->latest_us = 0;
    player->begun = FALSE;
    player->caps_payload = -1;
    livetcp_redundancy_decoder_destroy(&player->decoder);
    player->not_rtp = 0;
    player->arrivals = 0;
    player->waits_us = 0;
    gst_livetcp_player_settings_changed(player);
}

void gst_livetcp_player_clear(GstLiveTcpPlayer *player)
{
    gst_livetcp_player_reset(player);
}

static gboolean outlives_flush(GstMiniObject *object)
{
    if (!GST_IS_EVENT(object)) {
        return FALSE;
    }
    GstEventType type = GST_EVENT_TYPE(object);
    return GST_EVENT_IS_STICKY(object) && type != GST_EVENT_SEGMENT && type != GST_EVENT_EOS;
}

void gst_livetcp_player_flush(GstLiveTcpPlayer *player)
{
    GQueue kept = G_QUEUE_INIT;

    if (player->playout != NULL) {
        livetcp_playout_flush(player->playout);
    }
    move_events(&player->events, &player->out);
    while (!g_queue_is_empty(&player->out)) {
        GstMiniObject *object = g_queue_pop_head(&player->out);
        if (outlives_flush(object)) {
            g_queue_push_tail(&kept, object);
        } else {
            gst_mini_object_unref(object);
        }
    }
    player->out = kept;
    player->latest_us = 0;
    player->begun = FALSE;
    player->lead_us = player->counted_us;
    player->played_us = 0;
}

/* ---- the path, as an event ---- */

#define PATH_EVENT "livetcp-path"

static const gchar *const repairs[] = {"tcp", "hedge", "duplicate", "parity"};

GstEvent *gst_livetcp_player_path_event_new(const livetcp_playout_path *path)
{
    GstStructure *structure =
        gst_structure_new(PATH_EVENT, "repair", G_TYPE_STRING, repairs[path->repair], NULL);

    if (path->rtt_us > 0) {
        gst_structure_set(structure, "rtt-us", G_TYPE_INT64, path->rtt_us, NULL);
    }
    if (path->hedge_delay_us > 0) {
        gst_structure_set(structure, "hedge-delay-us", G_TYPE_INT64, path->hedge_delay_us, NULL);
    }
    if (path->copies > 0) {
        gst_structure_set(structure, "copies", G_TYPE_UINT, path->copies, NULL);
    }
    if (path->parity_group > 0) {
        gst_structure_set(structure, "parity-group", G_TYPE_UINT, path->parity_group, NULL);
    }
    return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, structure);
}

gboolean gst_livetcp_player_path_event_parse(GstEvent *event, livetcp_playout_path *path)
{
    const GstStructure *structure = gst_event_get_structure(event);

    if (structure == NULL || !gst_structure_has_name(structure, PATH_EVENT)) {
        return FALSE;
    }
    const gchar *repair = gst_structure_get_string(structure, "repair");
    *path = (livetcp_playout_path){.struct_size = sizeof(*path)};
    gst_structure_get_int64(structure, "rtt-us", &path->rtt_us);
    gst_structure_get_int64(structure, "hedge-delay-us", &path->hedge_delay_us);
    gst_structure_get_uint(structure, "copies", &path->copies);
    gst_structure_get_uint(structure, "parity-group", &path->parity_group);
    for (guint i = 0; i < G_N_ELEMENTS(repairs); i++) {
        if (g_strcmp0(repair, repairs[i]) == 0) {
            path->repair = (livetcp_playout_repair)i;
        }
    }
    return TRUE;
}

/* ---- the playout: begun once the clock rate is known, and anew when it changes ---- */

void gst_livetcp_player_set_path(GstLiveTcpPlayer *player, const livetcp_playout_path *path)
{
    player->path = *path;
    if (player->active.rtt > 0) {
        player->path.rtt_us = player->active.rtt * LIVETCP_USEC_MSEC;
    }
    if (player->playout != NULL) {
        livetcp_playout_set_path(player->playout, &player->path);
    }
}

static gboolean start_playout(GstLiveTcpPlayer *player, guint rate, livetcp_playout_media media)
{
    livetcp_playout_config config;
    livetcp_error error;

    livetcp_playout_config_init(&config);
    gst_livetcp_player_settings_apply(&player->active, &config);
    config.release = player->active.mode == LIVETCP_PLAYOUT_NONE ? LIVETCP_PLAYOUT_TIMES_ONLY
                                                                 : LIVETCP_PLAYOUT_IN_ORDER;
    config.clock_rate = rate;
    config.media = media;
    config.capacity_packets = CAPACITY;
    config.drop_token = drop_token;
    config.user = player;
    if (livetcp_playout_create(&config, &player->playout, &error) != LIVETCP_OK) {
        GST_ERROR_OBJECT(player->element, "%s", error.message);
        return FALSE;
    }
    player->clock_rate = rate;
    livetcp_playout_path path = player->path;
    gst_livetcp_player_set_path(player, &path);
    return TRUE;
}

/* From the caps, else from the static payload types of RFC 3551. */
static gboolean find_rate(const GstLiveTcpPlayer *player, const guint8 *packet, guint *rate,
                          livetcp_playout_media *media)
{
    const GstRTPPayloadInfo *info = gst_rtp_payload_info_for_pt(packet[1] & 0x7f);

    *rate = player->caps_rate;
    *media = player->caps_media;
    if (*rate == 0 && info != NULL) {
        *rate = info->clock_rate;
        *media =
            g_strcmp0(info->media, "video") == 0 ? LIVETCP_PLAYOUT_VIDEO : LIVETCP_PLAYOUT_AUDIO;
    }
    return *rate > 0;
}

/* Ensures a playout for the stream of this packet. Fails as put() does. */
static GstFlowReturn ensure_playout(GstLiveTcpPlayer *player, const guint8 *packet)
{
    livetcp_playout_media media;
    guint rate;

    if (player->playout != NULL) {
        return GST_FLOW_OK;
    }
    if (!find_rate(player, packet, &rate, &media)) {
        return GST_FLOW_NOT_NEGOTIATED;
    }
    return start_playout(player, rate, media) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* ---- redundant audio ---- */

/* The caps take precedence: they may assign the payload type to another encoding. */
static gboolean may_be_redundant(const GstLiveTcpPlayer *player)
{
    gboolean audio = player->caps_rate == 0 || player->caps_media == LIVETCP_PLAYOUT_AUDIO;

    return audio && player->active.redundancy_pt >= 0 &&
           player->caps_payload != player->active.redundancy_pt;
}

static livetcp_redundancy_decoder *decoder_of(GstLiveTcpPlayer *player)
{
    livetcp_redundancy_config config;
    livetcp_error error;

    if (player->decoder == NULL) {
        livetcp_redundancy_config_init(&config);
        config.payload_type = (unsigned)player->active.redundancy_pt;
        config.max_packet = 65535;
        if (livetcp_redundancy_decoder_create(&config, &player->decoder, &error) != LIVETCP_OK) {
            GST_WARNING_OBJECT(player->element, "redundant audio is not undone: %s", error.message);
        }
    }
    return player->decoder;
}

/* Splits redundant audio: returns the frames of the packet and their number; they are valid until
 * the next call. For any other packet 1, and the packet itself; 0 if it cannot be parsed. */
static gsize take_apart(GstLiveTcpPlayer *player, const GstMapInfo *packet,
                        livetcp_redundancy_frame *frames)
{
    livetcp_redundancy_decoder *decoder = may_be_redundant(player) ? decoder_of(player) : NULL;
    gboolean redundant = (packet->data[1] & 0x7f) == player->active.redundancy_pt;
    livetcp_error error;
    size_t count = 0;

    if (decoder != NULL && livetcp_redundancy_decode(decoder, packet->data, packet->size, frames,
                                                     &count, &error) == LIVETCP_OK) {
        return count;
    }
    if (decoder != NULL && redundant) {
        GST_WARNING_OBJECT(player->element, "dropped a redundant packet: %s", error.message);
        return 0;
    }
    /* Data other than RTP is refused later. */
    frames[0] = (livetcp_redundancy_frame){.packet = packet->data, .size = packet->size};
    return 1;
}

/* ---- packets and events in ---- */

static unsigned flags_of(const GstLiveTcpPlayer *player, GstBuffer *buffer, const GstMapInfo *map)
{
    unsigned flags = 0;

    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_RTP_BUFFER_FLAG_REDUNDANT) ||
        GST_BUFFER_FLAG_IS_SET(buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION)) {
        flags |= LIVETCP_PLAYOUT_REDUNDANT;
    }
    if (player->codec != LIVETCP_CODEC_AUDIO && player->codec != LIVETCP_CODEC_UNKNOWN &&
        livetcp_importance_of(player->codec, map->data, map->size) == LIVETCP_IMPORTANCE_KEY) {
        flags |= LIVETCP_PLAYOUT_KEY_FRAME;
    }
    return flags;
}

/* Passes a buffer on unchanged, unless it is a duplicate. Takes ownership. */
static void pass_through(GstLiveTcpPlayer *player, GstBuffer *buffer, gint64 arrival_us,
                         livetcp_playout_result result)
{
    if (result == LIVETCP_PLAYOUT_DUPLICATE) {
        gst_buffer_unref(buffer);
        return;
    }
    buffer = gst_buffer_make_writable(buffer);
    GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = (GstClockTime)arrival_us * GST_USECOND;
    g_queue_push_tail(&player->out, buffer);
}

static void note_margin(GstLiveTcpPlayer *player, gint64 margin_us)
{
    player->margin_us = player->arrivals > 0 ? MIN(player->margin_us, margin_us) : margin_us;
    player->waits_us += MAX(margin_us, 0);
    player->arrivals++;
}

/* Takes ownership of the token. */
static void put_token(GstLiveTcpPlayer *player, Token *token, const GstMapInfo *map,
                      gint64 arrival_us)
{
    gboolean holds = player->active.mode != LIVETCP_PLAYOUT_NONE;
    livetcp_playout_slot slot = {.struct_size = sizeof(slot)};
    livetcp_playout_packet packet = {.struct_size = sizeof(packet),
                                     .data = map->data,
                                     .size = map->size,
                                     .arrival_us = arrival_us,
                                     .flags = flags_of(player, token->buffer, map),
                                     .token = holds ? token : NULL};

    player->held++;
    livetcp_result result = livetcp_playout_put(player->playout, &packet, &slot);
    if (result == LIVETCP_OK && slot.result <= LIVETCP_PLAYOUT_LATE) {
        note_margin(player, slot.play_us - arrival_us);
    }
    if (result == LIVETCP_ERR_NOT_RTP) {
        player->not_rtp++;
        GST_WARNING_OBJECT(player->element, "dropped %" G_GSIZE_FORMAT " bytes that are no RTP",
                           map->size);
    } else if (result == LIVETCP_OK && !holds) {
        pass_through(player, gst_buffer_ref(token->buffer), arrival_us, slot.result);
    } else if (result == LIVETCP_OK && slot.result != LIVETCP_PLAYOUT_LATE &&
               slot.result != LIVETCP_PLAYOUT_DUPLICATE) {
        return;
    }
    move_events(&token->events, &player->events); /* they wait for the next buffer */
    drop_token(token, player);
}

static gboolean is_rtcp(const GstMapInfo *map)
{
    return map->size >= 2 && map->data[1] >= 192 && map->data[1] <= 223; /* RTCP (RFC 5761) */
}

/* Puts a packet that was not split. */
static GstFlowReturn put_packet(GstLiveTcpPlayer *player, GstBuffer *buffer, const GstMapInfo *map,
                                gint64 arrival_us)
{
    GstFlowReturn result = ensure_playout(player, map->data);

    if (result == GST_FLOW_OK) {
        Token *token = g_new0(Token, 1);
        token->buffer = gst_buffer_ref(buffer);
        move_events(&player->events, &token->events);
        player->latest_us = MAX(player->latest_us, arrival_us);
        put_token(player, token, map, arrival_us);
    }
    return result;
}

/* Puts one of the frames of `whole` as a packet of its own. */
static GstFlowReturn put_frame(GstLiveTcpPlayer *player, GstBuffer *whole,
                               const livetcp_redundancy_frame *frame, gint64 arrival_us)
{
    GstBuffer *buffer = gst_buffer_new_memdup(frame->packet, frame->size);
    GstFlowReturn result = GST_FLOW_ERROR;
    GstMapInfo map;

    if (frame->redundant) {
        GST_BUFFER_FLAG_SET(buffer, GST_RTP_BUFFER_FLAG_REDUNDANT);
    } else {
        gst_buffer_copy_into(
            buffer, whole,
            GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
    }
    if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        result = put_packet(player, buffer, &map, arrival_us);
        gst_buffer_unmap(buffer, &map);
    }
    gst_buffer_unref(buffer);
    return result;
}

static GstFlowReturn put_rtp(GstLiveTcpPlayer *player, GstBuffer *buffer, const GstMapInfo *map,
                             gint64 arrival_us)
{
    livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
    gsize count = take_apart(player, map, frames);
    GstFlowReturn result = GST_FLOW_OK;

    if (count == 0) {
        player->not_rtp++;
    } else if (frames[0].packet == map->data) {
        return put_packet(player, buffer, map, arrival_us);
    }
    for (gsize i = 0; i < count && result == GST_FLOW_OK; i++) {
        if (!frames[i].seen) {
            result = put_frame(player, buffer, &frames[i], arrival_us);
        }
    }
    return result;
}

GstFlowReturn gst_livetcp_player_put(GstLiveTcpPlayer *player, GstBuffer *buffer, gint64 arrival_us)
{
    GstFlowReturn result = GST_FLOW_OK;
    GstMapInfo map;

    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        gst_buffer_unref(buffer);
        return GST_FLOW_ERROR;
    }
    gst_livetcp_debug_packet(GST_CAT_DEFAULT, player->element, "taking", map.data, map.size);
    if (is_rtcp(&map)) {
        g_queue_push_tail(&player->out, gst_buffer_ref(buffer));
    } else if (map.size < 2) {
        player->not_rtp++;
    } else {
        result = put_rtp(player, buffer, &map, arrival_us);
    }
    gst_buffer_unmap(buffer, &map);
    gst_buffer_unref(buffer);
    return result;
}

void gst_livetcp_player_put_event(GstLiveTcpPlayer *player, GstEvent *event)
{
    g_queue_push_tail(player->held > 0 ? &player->events : &player->out, event);
}

/* ---- out ---- */

/* Running time must not be negative, and sound must not overlap. That may shorten the lead; the
 * next talkspurt restores it. */
static GstClockTime stamp(GstLiveTcpPlayer *player, gint64 play_us, gboolean begins)
{
    if (begins) {
        player->lead_us = MIN(player->counted_us, MAX(play_us - player->played_us, 0));
    }
    player->lead_us = MIN(player->lead_us, MAX(play_us, 0));
    return (GstClockTime)(play_us - player->lead_us) * GST_USECOND;
}

static void give_buffer(GstLiveTcpPlayer *player, const livetcp_playout_item *item)
{
    Token *token = item->token;
    gboolean begins = (item->events & (LIVETCP_PLAYOUT_TALKSPURT | RESTARTS)) != 0;
    GstBuffer *buffer = gst_buffer_make_writable(token->buffer);

    player->held--;
    move_events(&token->events, &player->out);
    g_free(token);
    GST_BUFFER_PTS(buffer) = stamp(player, item->play_us, begins);
    GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
    player->played_us = item->play_us - player->lead_us + item->duration_us;
    if (item->discontinuity || !player->begun) {
        GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    } else {
        GST_BUFFER_FLAG_UNSET(buffer, GST_BUFFER_FLAG_DISCONT);
    }
    player->begun = TRUE;
    g_queue_push_tail(&player->out, buffer);
}

/* In the format of rtpjitterbuffer. */
static GstEvent *lost_event(guint16 sequence, GstClockTime timestamp, GstClockTime duration)
{
    return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                gst_structure_new("GstRTPPacketLost", "seqnum", G_TYPE_UINT,
                                                  (guint)sequence, "timestamp", G_TYPE_UINT64,
                                                  timestamp, "duration", G_TYPE_UINT64, duration,
                                                  "retry", G_TYPE_UINT, 0, NULL));
}

/* For several missing video packets only the total duration is known: up to the next packet. */
static void give_lost(GstLiveTcpPlayer *player, const livetcp_playout_item *item)
{
    guint events = item->missing > LOST_EVENTS ? 1 : item->missing;
    GstClockTime timestamp = stamp(player, item->play_us, FALSE);
    GstClockTime duration =
        item->duration_us > 0 ? (GstClockTime)item->duration_us * GST_USECOND : GST_CLOCK_TIME_NONE;

    if (!player->active.do_lost) {
        return;
    }
    for (guint i = 0; i < events; i++) {
        g_queue_push_tail(&player->out,
                          lost_event((guint16)(item->sequence + i), timestamp, duration));
    }
}

static void run(GstLiveTcpPlayer *player, gint64 now_us)
{
    livetcp_playout_item item = {.struct_size = sizeof(item)};

    if (player->playout == NULL || player->active.mode == LIVETCP_PLAYOUT_NONE) {
        return;
    }
    now_us = MAX(now_us, player->latest_us);
    while (livetcp_playout_pull(player->playout, now_us, &item) == LIVETCP_OK &&
           item.kind != LIVETCP_PLAYOUT_NOTHING) {
        if (item.kind == LIVETCP_PLAYOUT_PACKET) {
            give_buffer(player, &item);
        } else {
            give_lost(player, &item);
        }
    }
}

GstMiniObject *gst_livetcp_player_next(GstLiveTcpPlayer *player, gint64 now_us)
{
    if (g_queue_is_empty(&player->out)) {
        run(player, now_us);
    }
    if (player->held == 0) {
        move_events(&player->events, &player->out);
    }
    return g_queue_pop_head(&player->out);
}

void gst_livetcp_player_drain(GstLiveTcpPlayer *player)
{
    run(player, END_OF_TIME);
    if (player->playout != NULL) {
        livetcp_playout_flush(player->playout); /* its packets were never confirmed */
    }
    move_events(&player->events, &player->out);
}

gint64 gst_livetcp_player_deadline(const GstLiveTcpPlayer *player)
{
    return player->playout != NULL ? livetcp_playout_next_deadline(player->playout) : LIVETCP_NEVER;
}

void gst_livetcp_player_set_caps(GstLiveTcpPlayer *player, const GstCaps *caps)
{
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    const gchar *media = gst_structure_get_string(structure, "media");
    const gchar *name = gst_structure_get_string(structure, "encoding-name");
    gboolean red = name != NULL && g_ascii_strcasecmp(name, "RED") == 0;
    gint rate = 0;

    gst_structure_get_int(structure, "clock-rate", &rate);
    player->caps_payload = -1;
    if (!red) {
        gst_structure_get_int(structure, "payload", &player->caps_payload);
    }
    player->caps_rate = (guint)MAX(rate, 0);
    gboolean video = media != NULL ? g_str_equal(media, "video") : rate == 90000;
    livetcp_playout_media kind = video ? LIVETCP_PLAYOUT_VIDEO : LIVETCP_PLAYOUT_AUDIO;
    gboolean same = player->clock_rate == player->caps_rate && player->caps_media == kind;
    player->caps_media = kind;
    player->codec = livetcp_codec_from_name(name);
    if (player->playout != NULL && !same) {
        gst_livetcp_player_drain(player);
        livetcp_playout_destroy(&player->playout);
        player->clock_rate = 0;
    }
}

/* ---- latency ---- */

/* At least the playout delay. A change of the latency is audible at audio sinks, so it rises in
 * steps, and falls only after less has been enough for a while. Play times do not depend on it. */

static gint64 round_up(gint64 delay_us, gint64 max_us)
{
    return MIN((delay_us + STEP_US - 1) / STEP_US * STEP_US, MAX(max_us, delay_us));
}

static gboolean announce(GstLiveTcpPlayer *player, gint64 latency_us)
{
    gboolean news = latency_us != player->announced_us;

    player->announced_us = latency_us;
    player->lower_us = 0;
    player->lower_since_us = player->latest_us;
    return news;
}

gboolean gst_livetcp_player_review(GstLiveTcpPlayer *player)
{
    livetcp_playout_latency latency = {.struct_size = sizeof(latency)};

    if (player->playout == NULL ||
        livetcp_playout_get_latency(player->playout, &latency) != LIVETCP_OK) {
        return FALSE;
    }
    if (latency.min_us == latency.max_us) {
        return announce(player, latency.max_us);
    }
    gint64 delay_us = MAX(latency.delay_us, latency.target_us);
    if (delay_us > player->announced_us) {
        return announce(player, round_up(delay_us, latency.max_us));
    }
    if (delay_us + MAX(WORTH_US, player->announced_us / 4) > player->announced_us) {
        announce(player, player->announced_us);
        return FALSE;
    }
    player->lower_us = MAX(player->lower_us, delay_us);
    return player->latest_us - player->lower_since_us > WHILE_US &&
           announce(player, round_up(player->lower_us, latency.max_us));
}

void gst_livetcp_player_answer(GstLiveTcpPlayer *player, GstQuery *query)
{
    GstClockTime minimum;

    gst_query_parse_latency(query, NULL, &minimum, NULL);
    player->answered_us = player->announced_us;
    gst_query_set_latency(query, TRUE, minimum + (GstClockTime)player->answered_us * GST_USECOND,
                          GST_CLOCK_TIME_NONE);
}

void gst_livetcp_player_configured(GstLiveTcpPlayer *player)
{
    player->played_us -= player->answered_us - player->lead_us;
    player->counted_us = player->lead_us = player->answered_us;
}

/* ---- reports ---- */

GstStructure *gst_livetcp_player_stats(const GstLiveTcpPlayer *player)
{
    livetcp_playout_stats stats = {.struct_size = sizeof(stats)};
    livetcp_redundancy_decoder_stats red = {.struct_size = sizeof(red)};

    if (player->playout != NULL) {
        livetcp_playout_get_stats(player->playout, &stats);
    }
    if (player->decoder != NULL) {
        livetcp_redundancy_decoder_get_stats(player->decoder, &red);
    }
    GstStructure *structure = gst_livetcp_player_stats_structure(&stats);
    gst_structure_set(structure, "latency-us", G_TYPE_INT64, player->announced_us, "not-rtp",
                      G_TYPE_UINT64, player->not_rtp, "redundant-frames", G_TYPE_UINT64,
                      red.redundant, "redundant-frames-seen", G_TYPE_UINT64, red.seen,
                      "redundant-frames-unplaced", G_TYPE_UINT64, red.unplaced, NULL);
    return structure;
}

gboolean gst_livetcp_player_report(GstLiveTcpPlayer *player, livetcp_playout_report *report)
{
    livetcp_playout_stats stats = {.struct_size = sizeof(stats)};

    if (player->arrivals == 0) {
        return FALSE;
    }
    livetcp_playout_get_stats(player->playout, &stats);
    *report = (livetcp_playout_report){
        .struct_size = sizeof(*report),
        .delay_us = MIN(player->waits_us / player->arrivals, LONGEST_US),
        .margin_us = CLAMP(player->margin_us, -LONGEST_US, LONGEST_US),
        .late = stats.late,
    };
    player->arrivals = 0;
    player->waits_us = 0;
    return TRUE;
}

void gst_livetcp_player_post_no_rate(GstElement *element)
{
    GST_ELEMENT_ERROR(
        element, STREAM, FORMAT,
        ("The stream's clock rate is not known, so its packets have no time to play. "
         "Give its caps, for example application/x-rtp,media=audio,clock-rate=48000,"
         "encoding-name=OPUS: the caps property of livetcpsrc, or a capsfilter before %s.",
         GST_OBJECT_NAME(element)),
        ("no clock-rate in the caps, and a dynamic payload type"));
}

void gst_livetcp_player_post_idle_latency(GstElement *element, const gchar *instead)
{
    GST_ELEMENT_WARNING(element, LIBRARY, SETTINGS,
                        ("latency, min-latency and max-latency have no effect with "
                         "playout-mode=none: set playout-mode=adaptive, for example%s.",
                         instead),
                        (NULL));
}
