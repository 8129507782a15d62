/* SPDX-License-Identifier: MIT */
/* A player's life, what comes out of it, and its reports. */
#include "gstlivetcpplayer.h"

#include "gstlivetcpreport.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

/* Farther than any time to play. */
#define END_OF_TIME (G_MAXINT64 / 16)

/* More missing packets than this are told of with one event. */
#define LOST_EVENTS 64

/* Sessions report no longer times. */
#define LONGEST_US (60 * (gint64)LIVETCP_USEC_SEC)

#define RESTARTS                                                                                   \
    (LIVETCP_PLAYOUT_SSRC_CHANGED | LIVETCP_PLAYOUT_SEQUENCE_RESET |                               \
     LIVETCP_PLAYOUT_TIMESTAMP_RESET)

void gst_livetcp_player_move_events(GQueue *from, GQueue *to)
{
    while (!g_queue_is_empty(from)) {
        g_queue_push_tail(to, g_queue_pop_head(from));
    }
}

void gst_livetcp_player_drop_token(void *data, void *user)
{
    GstLiveTcpPlayer *player = user;
    GstLiveTcpToken *token = data;

    player->held--;
    gst_livetcp_player_move_events(&token->events, &player->out);
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
    gst_livetcp_player_move_events(&player->events, &player->out);
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

/* ---- out ---- */

/* Running time is not negative, and sound does not go back. A lead that had to be shorter for that
 * is made up for where something begins. */
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
    GstLiveTcpToken *token = item->token;
    gboolean begins = (item->events & (LIVETCP_PLAYOUT_TALKSPURT | RESTARTS)) != 0;
    GstBuffer *buffer = gst_buffer_make_writable(token->buffer);

    player->held--;
    gst_livetcp_player_move_events(&token->events, &player->out);
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

/* As rtpjitterbuffer sends it. */
static GstEvent *lost_event(guint16 sequence, GstClockTime timestamp, GstClockTime duration)
{
    return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                gst_structure_new("GstRTPPacketLost", "seqnum", G_TYPE_UINT,
                                                  (guint)sequence, "timestamp", G_TYPE_UINT64,
                                                  timestamp, "duration", G_TYPE_UINT64, duration,
                                                  "retry", G_TYPE_UINT, 0, NULL));
}

/* Of several packets of video nobody knows more than that they are from here to the next. */
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
        gst_livetcp_player_move_events(&player->events, &player->out);
    }
    return g_queue_pop_head(&player->out);
}

void gst_livetcp_player_drain(GstLiveTcpPlayer *player)
{
    run(player, END_OF_TIME);
    if (player->playout != NULL) {
        livetcp_playout_flush(player->playout); /* what nothing confirmed */
    }
    gst_livetcp_player_move_events(&player->events, &player->out);
}

gint64 gst_livetcp_player_deadline(const GstLiveTcpPlayer *player)
{
    return player->playout != NULL ? livetcp_playout_next_deadline(player->playout) : LIVETCP_NEVER;
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
        ("The stream's clock rate is not known, so nothing says when its packets are to be played. "
         "Give its caps, for example application/x-rtp,media=audio,clock-rate=48000,"
         "encoding-name=OPUS: the caps property of livetcpsrc, or a capsfilter before %s.",
         GST_OBJECT_NAME(element)),
        ("no clock-rate in the caps, and a dynamic payload type"));
}
