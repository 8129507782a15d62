/* SPDX-License-Identifier: MIT */
/* Properties of a playout: of livetcpplayout, and of livetcpsrc with playout on. */
#ifndef GST_LIVETCP_PLAYER_SETTINGS_H
#define GST_LIVETCP_PLAYER_SETTINGS_H

#include <gst/gst.h>
#include <livetcp/playout.h>

G_BEGIN_DECLS

/* Times in ms, like the properties. */
typedef struct _GstLiveTcpPlayerSettings {
    livetcp_playout_mode mode;
    guint latency;
    guint min_latency;
    guint max_latency;
    gdouble alpha;
    gdouble beta;
    gdouble target_late;
    gboolean do_lost;
    guint rtt;              /* 0 = unknown */
    gint redundancy_pt;     /* payload type of redundant audio; -1 = not decoded */
    gboolean latency_given; /* one of the three was set, perhaps to its default */
} GstLiveTcpPlayerSettings;

#define GST_LIVETCP_PLAYER_PROPERTIES 11

void gst_livetcp_player_settings_init(GstLiveTcpPlayerSettings *settings,
                                      livetcp_playout_mode mode);

/* Installs GST_LIVETCP_PLAYER_PROPERTIES properties, numbered from `first`. The default of
 * playout-mode is `mode`; its name before version 0.2 is installed as well. */
void gst_livetcp_player_settings_install(GObjectClass *klass, guint first,
                                         const gchar *former_mode_name, livetcp_playout_mode mode);

/* Sets or gets the property number `index`, counted from `first`. The caller holds a lock. */
void gst_livetcp_player_settings_set(GstLiveTcpPlayerSettings *settings, guint index,
                                     const GValue *value);
void gst_livetcp_player_settings_get(const GstLiveTcpPlayerSettings *settings, guint index,
                                     GValue *value);

/* NULL, or one sentence about the contradiction. */
const gchar *gst_livetcp_player_settings_check(const GstLiveTcpPlayerSettings *settings);

/* True if a latency was set in a mode that has none. */
gboolean gst_livetcp_player_settings_latency_is_idle(const GstLiveTcpPlayerSettings *settings);

/* Writes the playout's config, with the latency limited to the bounds; in mode fixed the bounds do
 * not apply. */
void gst_livetcp_player_settings_apply(const GstLiveTcpPlayerSettings *settings,
                                       livetcp_playout_config *config);

/* A structure "livetcp-playout-stats" with each field of `stats`, which the caller owns. */
GstStructure *gst_livetcp_player_stats_structure(const livetcp_playout_stats *stats);

G_END_DECLS

#endif
