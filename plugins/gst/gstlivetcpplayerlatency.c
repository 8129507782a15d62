/* SPDX-License-Identifier: MIT */
/*
 * The latency a playout announces: at least the playout delay. A change of it is heard wherever a
 * sink plays sound, so it goes up in steps and comes down only when less has been enough for a
 * while. Play times do not depend on it.
 */
#include "gstlivetcpplayer.h"

#define STEP_US  (10 * LIVETCP_USEC_MSEC)
#define WORTH_US (20 * LIVETCP_USEC_MSEC)
#define WHILE_US (10 * LIVETCP_USEC_SEC)

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
    GstClockTime least;

    gst_query_parse_latency(query, NULL, &least, NULL);
    player->answered_us = player->announced_us;
    gst_query_set_latency(query, TRUE, least + (GstClockTime)player->answered_us * GST_USECOND,
                          GST_CLOCK_TIME_NONE);
}

void gst_livetcp_player_configured(GstLiveTcpPlayer *player)
{
    player->played_us -= player->answered_us - player->lead_us;
    player->counted_us = player->lead_us = player->answered_us;
}
