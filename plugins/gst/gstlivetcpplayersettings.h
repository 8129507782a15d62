/* SPDX-License-Identifier: MIT */
/* Properties of playout: those of livetcpplayout, and of livetcpsrc when playout is on. */
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
    gdouble target_late;
    gboolean do_lost;
    guint rtt;              /* 0 = not known */
    gint redundancy_pt;     /* payload type of redundant audio; -1 = none is decoded */
    gboolean latency_given; /* one of the three was set, if only to its default */
} GstLiveTcpPlayerSettings;

#define GST_LIVETCP_PLAYER_PROPERTIES 11

void gst_livetcp_player_settings_init(GstLiveTcpPlayerSettings *settings,
                                      livetcp_playout_mode mode);

/* Installs GST_LIVETCP_PLAYER_PROPERTIES properties, numbered from `first`; playout-mode has the
 * default `mode`, and is there under the name it had before version 0.2, too. */
void gst_livetcp_player_settings_install(GObjectClass *klass, guint first,
                                         const gchar *former_mode_name, livetcp_playout_mode mode);

/* Sets or gets the property number `index`, counted from `first`. The caller holds a lock. */
void gst_livetcp_player_settings_set(GstLiveTcpPlayerSettings *settings, guint index,
                                     const GValue *value);
void gst_livetcp_player_settings_get(const GstLiveTcpPlayerSettings *settings, guint index,
                                     GValue *value);

/* Returns NULL, or a sentence about the contradiction. */
const gchar *gst_livetcp_player_settings_check(const GstLiveTcpPlayerSettings *settings);

/* True if a latency was set in a mode that has none. */
gboolean gst_livetcp_player_settings_latency_is_idle(const GstLiveTcpPlayerSettings *settings);

/* The playout's config, with the latency brought within the bounds; in mode fixed the bounds do not
 * count. */
void gst_livetcp_player_settings_apply(const GstLiveTcpPlayerSettings *settings,
                                       livetcp_playout_config *config);

/* A structure "livetcp-playout-stats" with every field of `stats`, which the caller owns. */
GstStructure *gst_livetcp_player_stats_structure(const livetcp_playout_stats *stats);

G_END_DECLS

#endif
