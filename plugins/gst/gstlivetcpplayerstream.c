/* SPDX-License-Identifier: MIT */
/* The playout of a player: begun once the stream's clock rate is known, and anew when it changes.
 */
#include "gstlivetcpplayer.h"

#include "gstlivetcpreport.h"

#include <gst/rtp/rtp.h>

#define GST_CAT_DEFAULT gst_livetcp_debug

/* Reordered packets of a fast stream that wait for one that is missing. */
#define CAPACITY 16384

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
    config.drop_token = gst_livetcp_player_drop_token;
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

/* From the caps, or else from the payload types that RFC 3551 gave away. */
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

GstFlowReturn gst_livetcp_player_start(GstLiveTcpPlayer *player, const guint8 *packet)
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

/* ---- redundant audio ---- */

/* The caps win: they may give away the payload type for something else. */
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

gsize gst_livetcp_player_take_apart(GstLiveTcpPlayer *player, const GstMapInfo *packet,
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
    /* What is no RTP has its own way of being refused. */
    frames[0] = (livetcp_redundancy_frame){.packet = packet->data, .size = packet->size};
    return 1;
}
