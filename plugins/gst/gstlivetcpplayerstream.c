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
    gint rate = 0;

    gst_structure_get_int(structure, "clock-rate", &rate);
    player->caps_rate = (guint)MAX(rate, 0);
    gboolean video = media != NULL ? g_str_equal(media, "video") : rate == 90000;
    livetcp_playout_media kind = video ? LIVETCP_PLAYOUT_VIDEO : LIVETCP_PLAYOUT_AUDIO;
    gboolean same = player->clock_rate == player->caps_rate && player->caps_media == kind;
    player->caps_media = kind;
    player->codec = livetcp_codec_from_name(gst_structure_get_string(structure, "encoding-name"));
    if (player->playout != NULL && !same) {
        gst_livetcp_player_drain(player);
        livetcp_playout_destroy(&player->playout);
        player->clock_rate = 0;
    }
}
