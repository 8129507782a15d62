/* SPDX-License-Identifier: MIT */
/* Properties of whoever plays out: livetcpplayout, and livetcpsrc when it is asked to. */
#ifndef GST_LIVETCP_PLAYER_SETTINGS_H
#define GST_LIVETCP_PLAYER_SETTINGS_H

#include <gst/gst.h>
#include <livetcp/playout.h>

G_BEGIN_DECLS

/* Times in ms, as the properties have them. */
typedef struct _GstLiveTcpPlayerSettings {
    livetcp_playout_mode mode;
    guint latency;
    guint min_latency;
    guint max_latency;
    gdouble alpha;
    gdouble beta;
    gboolean do_lost;
    guint rtt;          /* 0 = not known */
    gint redundancy_pt; /* payload type of redundant audio; -1 = none is undone */
} GstLiveTcpPlayerSettings;

#define GST_LIVETCP_PLAYER_PROPERTIES 9

void gst_livetcp_player_settings_init(GstLiveTcpPlayerSettings *settings,
                                      livetcp_playout_mode mode);

/* Installs GST_LIVETCP_PLAYER_PROPERTIES properties, numbered from `first`; that of the mode is
 * called `mode_name` and has the default `mode`. */
void gst_livetcp_player_settings_install(GObjectClass *klass, guint first, const gchar *mode_name,
                                         livetcp_playout_mode mode);

/* Sets or gets the property number `index`, counted from `first`. The caller holds a lock. */
void gst_livetcp_player_settings_set(GstLiveTcpPlayerSettings *settings, guint index,
                                     const GValue *value);
void gst_livetcp_player_settings_get(const GstLiveTcpPlayerSettings *settings, guint index,
                                     GValue *value);

/* NULL, or what contradicts itself, as a sentence. */
const gchar *gst_livetcp_player_settings_check(const GstLiveTcpPlayerSettings *settings);

/* The playout's config, where the latency is brought within the bounds; with mode fixed they do not
 * count. */
void gst_livetcp_player_settings_apply(const GstLiveTcpPlayerSettings *settings,
                                       livetcp_playout_config *config);

/* A structure "livetcp-playout-stats" with every field of `stats`, which the caller owns. */
GstStructure *gst_livetcp_player_stats_structure(const livetcp_playout_stats *stats);

G_END_DECLS

#endif
