/* SPDX-License-Identifier: MIT */
/* The playout's config as properties, and its statistics as a structure. */
#include "gstlivetcpplayersettings.h"

#include "gstlivetcpredundancy.h"

#define HOUR_MS 3600000

/* Property numbers, counted from the first. */
enum {
    PROP_MODE,
    PROP_LATENCY,
    PROP_MIN_LATENCY,
    PROP_MAX_LATENCY,
    PROP_ALPHA,
    PROP_BETA,
    PROP_DO_LOST,
    PROP_RTT,
    PROP_REDUNDANCY_PT,
    PROP_FORMER_MODE,
    PROP_TARGET_LATE
};

static const GEnumValue modes[] = {
    {LIVETCP_PLAYOUT_NONE, "on arrival: for an rtpjitterbuffer downstream, or without playout",
     "none"},
    {LIVETCP_PLAYOUT_FIXED, "after \"latency\"", "fixed"},
    {LIVETCP_PLAYOUT_STATIC, "after RTT + 3 packets, what TCP takes to repair a loss", "static"},
    {LIVETCP_PLAYOUT_ADAPTIVE, "as the delays measured ask for", "adaptive"},
    {LIVETCP_PLAYOUT_POLICY_AWARE, "as the sender's policy needs", "policy-aware"},
    {0, NULL, NULL}};

static GType mode_type(void)
{
    static gsize type;

    if (g_once_init_enter(&type)) {
        g_once_init_leave(&type, g_enum_register_static("GstLiveTcpPlayoutMode", modes));
    }
    return type;
}

void gst_livetcp_player_settings_init(GstLiveTcpPlayerSettings *settings, livetcp_playout_mode mode)
{
    livetcp_playout_config config;

    livetcp_playout_config_init(&config);
    settings->mode = mode;
    settings->latency = (guint)(config.latency_us / LIVETCP_USEC_MSEC);
    settings->min_latency = (guint)(config.min_latency_us / LIVETCP_USEC_MSEC);
    settings->max_latency = (guint)(config.max_latency_us / LIVETCP_USEC_MSEC);
    settings->alpha = config.alpha;
    settings->beta = config.beta;
    settings->target_late = config.target_late;
    settings->do_lost = TRUE;
    settings->rtt = 0;
    settings->redundancy_pt = GST_LIVETCP_REDUNDANCY_PT;
    settings->latency_given = FALSE;
}

static void install_times(GObjectClass *klass, guint first, const GstLiveTcpPlayerSettings *s,
                          GParamFlags flags)
{
    g_object_class_install_property(
        klass, first + PROP_LATENCY,
        g_param_spec_uint("latency", "Latency",
                          "Playout delay of mode fixed, and of the others until they know better; "
                          "counted from the earliest arrival (ms)",
                          0, HOUR_MS, s->latency, flags));
    g_object_class_install_property(
        klass, first + PROP_MIN_LATENCY,
        g_param_spec_uint("min-latency", "Minimum latency",
                          "The playout delay is never less, but with modes none and fixed (ms)", 0,
                          HOUR_MS, s->min_latency, flags));
    g_object_class_install_property(
        klass, first + PROP_MAX_LATENCY,
        g_param_spec_uint("max-latency", "Maximum latency",
                          "The playout delay is never more, but with mode fixed (ms)", 1, HOUR_MS,
                          s->max_latency, flags));
    g_object_class_install_property(
        klass, first + PROP_RTT,
        g_param_spec_uint("rtt", "Round-trip time",
                          "Of the path, for modes static and policy-aware, unless livetcpsrc "
                          "measures it; 0 = not given (ms)",
                          0, 60000, s->rtt, flags));
}

void gst_livetcp_player_settings_install(GObjectClass *klass, guint first,
                                         const gchar *former_mode_name, livetcp_playout_mode mode)
{
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
    GstLiveTcpPlayerSettings s;

    gst_livetcp_player_settings_init(&s, mode);
    g_object_class_install_property(klass, first + PROP_MODE,
                                    g_param_spec_enum("playout-mode", "Playout mode",
                                                      "What decides when packets are played",
                                                      mode_type(), (gint)mode, flags));
    g_object_class_install_property(klass, first + PROP_FORMER_MODE,
                                    g_param_spec_enum(former_mode_name, former_mode_name,
                                                      "Former name of playout-mode", mode_type(),
                                                      (gint)mode, flags | G_PARAM_DEPRECATED));
    install_times(klass, first, &s, flags);
    g_object_class_install_property(
        klass, first + PROP_ALPHA,
        g_param_spec_double("alpha", "Alpha",
                            "Mode adaptive: weight of the past, between 0 and 1 (advanced)", 1e-6,
                            1 - 1e-6, s.alpha, flags));
    g_object_class_install_property(
        klass, first + PROP_BETA,
        g_param_spec_double("beta", "Beta",
                            "Mode adaptive: safety margin in mean deviations (advanced)", 0, 100,
                            s.beta, flags));
    g_object_class_install_property(
        klass, first + PROP_TARGET_LATE,
        g_param_spec_double("target-late", "Target late",
                            "Mode policy-aware: share of the packets that may come too late", 0,
                            0.5, s.target_late, flags));
    g_object_class_install_property(
        klass, first + PROP_DO_LOST,
        g_param_spec_boolean("do-lost", "Do lost",
                             "Send GstRTPPacketLost events, so that decoders conceal what is "
                             "missing",
                             s.do_lost, flags));
    g_object_class_install_property(
        klass, first + PROP_REDUNDANCY_PT,
        g_param_spec_int("redundancy-pt", "Redundancy payload type",
                         "RTP payload type of audio packets that repeat others (RFC 2198), which "
                         "are taken apart; not where the caps have it as their payload and another "
                         "encoding-name than RED (-1 = never)",
                         -1, 127, s.redundancy_pt, flags));
}

void gst_livetcp_player_settings_set(GstLiveTcpPlayerSettings *settings, guint index,
                                     const GValue *value)
{
    switch (index) {
    case PROP_MODE:
    case PROP_FORMER_MODE:
        settings->mode = (livetcp_playout_mode)g_value_get_enum(value);
        break;
    case PROP_LATENCY:
        settings->latency = g_value_get_uint(value);
        settings->latency_given = TRUE;
        break;
    case PROP_MIN_LATENCY:
        settings->min_latency = g_value_get_uint(value);
        settings->latency_given = TRUE;
        break;
    case PROP_MAX_LATENCY:
        settings->max_latency = g_value_get_uint(value);
        settings->latency_given = TRUE;
        break;
    case PROP_ALPHA:
        settings->alpha = g_value_get_double(value);
        break;
    case PROP_BETA:
        settings->beta = g_value_get_double(value);
        break;
    case PROP_TARGET_LATE:
        settings->target_late = g_value_get_double(value);
        break;
    case PROP_DO_LOST:
        settings->do_lost = g_value_get_boolean(value);
        break;
    case PROP_RTT:
        settings->rtt = g_value_get_uint(value);
        break;
    default:
        settings->redundancy_pt = g_value_get_int(value);
    }
}

void gst_livetcp_player_settings_get(const GstLiveTcpPlayerSettings *settings, guint index,
                                     GValue *value)
{
    switch (index) {
    case PROP_MODE:
    case PROP_FORMER_MODE:
        g_value_set_enum(value, (gint)settings->mode);
        break;
    case PROP_LATENCY:
        g_value_set_uint(value, settings->latency);
        break;
    case PROP_MIN_LATENCY:
        g_value_set_uint(value, settings->min_latency);
        break;
    case PROP_MAX_LATENCY:
        g_value_set_uint(value, settings->max_latency);
        break;
    case PROP_ALPHA:
        g_value_set_double(value, settings->alpha);
        break;
    case PROP_BETA:
        g_value_set_double(value, settings->beta);
        break;
    case PROP_TARGET_LATE:
        g_value_set_double(value, settings->target_late);
        break;
    case PROP_DO_LOST:
        g_value_set_boolean(value, settings->do_lost);
        break;
    case PROP_RTT:
        g_value_set_uint(value, settings->rtt);
        break;
    default:
        g_value_set_int(value, settings->redundancy_pt);
    }
}

const gchar *gst_livetcp_player_settings_check(const GstLiveTcpPlayerSettings *settings)
{
    gboolean bounded =
        settings->mode != LIVETCP_PLAYOUT_NONE && settings->mode != LIVETCP_PLAYOUT_FIXED;

    if (settings->redundancy_pt >= 64 && settings->redundancy_pt <= 95) {
        return "redundancy-pt is 64 to 95, which RFC 5761 leaves to RTCP";
    }
    return bounded && settings->min_latency > settings->max_latency
               ? "min-latency is more than max-latency"
               : NULL;
}

gboolean gst_livetcp_player_settings_latency_is_idle(const GstLiveTcpPlayerSettings *settings)
{
    return settings->mode == LIVETCP_PLAYOUT_NONE && settings->latency_given;
}

void gst_livetcp_player_settings_apply(const GstLiveTcpPlayerSettings *settings,
                                       livetcp_playout_config *config)
{
    guint latency = settings->latency, low = settings->min_latency, high = settings->max_latency;

    if (settings->mode == LIVETCP_PLAYOUT_FIXED) {
        low = latency;
        high = MAX(latency, 1);
    } else if (settings->mode == LIVETCP_PLAYOUT_NONE) {
        latency = low = 0;
    }
    config->mode = settings->mode;
    config->latency_us = CLAMP(latency, low, high) * LIVETCP_USEC_MSEC;
    config->min_latency_us = low * LIVETCP_USEC_MSEC;
    config->max_latency_us = high * LIVETCP_USEC_MSEC;
    config->alpha = settings->alpha;
    config->beta = settings->beta;
    config->target_late = settings->target_late;
}

/* ---- statistics ---- */

typedef enum { COUNT, TIME, NUMBER, RATE, SIZE } Kind;

#define FIELD(name, kind, member)                                                                  \
    {                                                                                              \
        name, kind, G_STRUCT_OFFSET(livetcp_playout_stats, member)                                 \
    }

static const struct {
    const gchar *name;
    Kind kind;
    gsize offset;
} fields[] = {
    FIELD("received", COUNT, received),
    FIELD("played", COUNT, played),
    FIELD("played-secondary", COUNT, played_secondary),
    FIELD("played-late", COUNT, played_late),
    FIELD("late", COUNT, late),
    FIELD("lost", COUNT, lost),
    FIELD("overflowed", COUNT, overflowed),
    FIELD("duplicates", COUNT, duplicates),
    FIELD("concealed", COUNT, concealed),
    FIELD("played-ratio", NUMBER, played_ratio),
    FIELD("played-primary-ratio", NUMBER, played_primary_ratio),
    FIELD("played-secondary-ratio", NUMBER, played_secondary_ratio),
    FIELD("saved-ratio", NUMBER, saved_ratio),
    FIELD("loss-ratio", NUMBER, loss_ratio),
    FIELD("burst-ratio", NUMBER, burst_ratio),
    FIELD("delay-us", TIME, delay_us),
    FIELD("mean-delay-us", TIME, mean_delay_us),
    FIELD("stddev-delay-us", TIME, stddev_delay_us),
    FIELD("talkspurts", COUNT, talkspurts),
    FIELD("mouth-to-ear-us", TIME, mouth_to_ear_us),
    FIELD("freezes", COUNT, freezes),
    FIELD("longest-freeze-us", TIME, longest_freeze_us),
    FIELD("total-freeze-us", TIME, total_freeze_us),
    FIELD("queueing-us", TIME, queueing_us),
    FIELD("jitter-us", TIME, jitter_us),
    FIELD("standing-queue-us", TIME, standing_queue_us),
    FIELD("max-standing-queue-us", TIME, max_standing_queue_us),
    FIELD("skew-ppm", NUMBER, skew_ppm),
    FIELD("packet-rate", NUMBER, packet_rate),
    FIELD("packet-duration-us", TIME, packet_duration_us),
    FIELD("measured-clock-rate", RATE, measured_clock_rate),
    FIELD("ssrc-changes", COUNT, ssrc_changes),
    FIELD("foreign", COUNT, foreign),
    FIELD("sequence-resets", COUNT, sequence_resets),
    FIELD("timestamp-resets", COUNT, timestamp_resets),
    FIELD("stray", COUNT, stray),
    FIELD("base-moves", COUNT, base_moves),
    FIELD("resyncs", COUNT, resyncs),
    FIELD("delay-changes", COUNT, delay_changes),
    FIELD("path-ignored", COUNT, path_ignored),
    FIELD("held-packets", SIZE, held_packets),
    FIELD("held-bytes", SIZE, held_bytes),
    FIELD("ssrc", RATE, ssrc),
};

GstStructure *gst_livetcp_player_stats_structure(const livetcp_playout_stats *stats)
{
    GstStructure *structure = gst_structure_new_empty("livetcp-playout-stats");

    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
        const void *field = G_STRUCT_MEMBER_P(stats, fields[i].offset);
        const gchar *name = fields[i].name;

        switch (fields[i].kind) {
        case COUNT:
            gst_structure_set(structure, name, G_TYPE_UINT64, *(const guint64 *)field, NULL);
            break;
        case TIME:
            gst_structure_set(structure, name, G_TYPE_INT64, *(const gint64 *)field, NULL);
            break;
        case NUMBER:
            gst_structure_set(structure, name, G_TYPE_DOUBLE, *(const gdouble *)field, NULL);
            break;
        case RATE:
            gst_structure_set(structure, name, G_TYPE_UINT, *(const guint32 *)field, NULL);
            break;
        case SIZE:
            gst_structure_set(structure, name, G_TYPE_UINT64, (guint64) * (const size_t *)field,
                              NULL);
        }
    }
    return structure;
}
