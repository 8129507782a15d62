/* SPDX-License-Identifier: MIT */
/* What comes into a player: packets, redundant ones taken apart, and events. */
#include "gstlivetcpplayer.h"

#include "gstlivetcpreport.h"

#include <gst/rtp/rtp.h>

#define GST_CAT_DEFAULT gst_livetcp_debug

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

/* Hands it on as it came, but not twice. Takes ownership. */
static void pass_through(GstLiveTcpPlayer *player, GstBuffer *buffer, gint64 arrival_us,
                         livetcp_playout_verdict verdict)
{
    if (verdict == LIVETCP_PLAYOUT_DUPLICATE) {
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
static void put_token(GstLiveTcpPlayer *player, GstLiveTcpToken *token, const GstMapInfo *map,
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
    if (result == LIVETCP_OK && slot.verdict <= LIVETCP_PLAYOUT_LATE) {
        note_margin(player, slot.play_us - arrival_us);
    }
    if (result == LIVETCP_ERR_NOT_RTP) {
        player->not_rtp++;
        GST_WARNING_OBJECT(player->element, "dropped %" G_GSIZE_FORMAT " bytes that are no RTP",
                           map->size);
    } else if (result == LIVETCP_OK && !holds) {
        pass_through(player, gst_buffer_ref(token->buffer), arrival_us, slot.verdict);
    } else if (result == LIVETCP_OK && slot.verdict != LIVETCP_PLAYOUT_LATE &&
               slot.verdict != LIVETCP_PLAYOUT_DUPLICATE) {
        return;
    }
    gst_livetcp_player_move_events(&token->events,
                                   &player->events); /* they wait for the next buffer */
    gst_livetcp_player_drop_token(token, player);
}

static gboolean is_rtcp(const GstMapInfo *map)
{
    return map->size >= 2 && map->data[1] >= 192 && map->data[1] <= 223; /* RFC 5761 */
}

/* A packet that is none of many. */
static GstFlowReturn put_packet(GstLiveTcpPlayer *player, GstBuffer *buffer, const GstMapInfo *map,
                                gint64 arrival_us)
{
    GstFlowReturn result = gst_livetcp_player_start(player, map->data);

    if (result == GST_FLOW_OK) {
        GstLiveTcpToken *token = g_new0(GstLiveTcpToken, 1);
        token->buffer = gst_buffer_ref(buffer);
        gst_livetcp_player_move_events(&player->events, &token->events);
        player->latest_us = MAX(player->latest_us, arrival_us);
        put_token(player, token, map, arrival_us);
    }
    return result;
}

/* One of the frames of `whole`, as a packet of its own. */
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
    gsize count = gst_livetcp_player_take_apart(player, map, frames);
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
