/* SPDX-License-Identifier: MIT */
/* The library's settings as GObject properties, and other properties common to both elements. */
#include "gstlivetcpproperties.h"

#include "gstlivetcpdebug.h"
#include "gstlivetcpreport.h"
#include "gstlivetcprunning.h"
#include "gstlivetcpsettings.h"
#include "gstlivetcpstats.h"
#include "gstlivetcpuri.h"

#include <inttypes.h>
#include <stdio.h>

#define GST_CAT_DEFAULT gst_livetcp_session_debug

enum {
    PROP_URI = 1,
    PROP_STATE,
    PROP_LAST_ERROR,
    PROP_BOUND_PORT,
    PROP_STATS,
    PROP_STATS_UPDATE_INTERVAL,
    PROP_CONNECTING_CALLER,
    PROP_RECONNECT = 63, /* deprecated name */
    PROP_SETTING         /* the first setting, in the library's order */
};

#define READY                                                                                      \
    (G_PARAM_READWRITE | G_PARAM_STATIC_NAME | G_PARAM_STATIC_NICK | GST_PARAM_MUTABLE_READY)
#define PLAYING                                                                                    \
    (G_PARAM_READWRITE | G_PARAM_STATIC_NAME | G_PARAM_STATIC_NICK | GST_PARAM_MUTABLE_PLAYING)

/* ---- enumerations ---- */

static const GEnumValue modes[] = {
    {LIVETCP_MODE_CALLER, "connects to the peer at host and port", "caller"},
    {LIVETCP_MODE_LISTENER, "waits for peers to call at port", "listener"},
    {0, NULL, NULL}};
static const GEnumValue wires[] = {
    {LIVETCP_WIRE_SESSION, "RFC 4571 with sessions: several connections, keepalive", "session"},
    {LIVETCP_WIRE_PLAIN, "RFC 4571 only, on one connection: for other peers", "plain"},
    {LIVETCP_WIRE_AUTO, "a listener accepts both, and detects them by the first bytes", "auto"},
    {0, NULL, NULL}};
static const GEnumValue rtcp[] = {
    {LIVETCP_RTCP_AUTO, "reports, unless the application sends its own", "auto"},
    {LIVETCP_RTCP_ON, "reports in any case", "on"},
    {LIVETCP_RTCP_OFF, "no reports and no RTCP output", "off"},
    {0, NULL, NULL}};
static const GEnumValue timestamps[] = {
    {LIVETCP_TIMESTAMPS_AUTO, "of some packets, if the kernel supports them", "auto"},
    {LIVETCP_TIMESTAMPS_ON, "of every packet; an error if the kernel does not support them", "on"},
    {LIVETCP_TIMESTAMPS_OFF, "none", "off"},
    {0, NULL, NULL}};

static const GEnumValue tls[] = {
    {LIVETCP_TLS_OFF, "unencrypted", "off"},
    {LIVETCP_TLS_ON, "TLS 1.3 or 1.2", "on"},
    {LIVETCP_TLS_AUTO, "a listener accepts both, and detects them by the first bytes", "auto"},
    {0, NULL, NULL}};
static const GEnumValue websocket[] = {
    {LIVETCP_WEBSOCKET_OFF, "frames directly on TCP or TLS", "off"},
    {LIVETCP_WEBSOCKET_ON, "RFC 6455, after an HTTP upgrade", "on"},
    {LIVETCP_WEBSOCKET_AUTO, "a listener accepts both, and detects them by the first bytes",
     "auto"},
    {0, NULL, NULL}};

static GType enum_type(const gchar *setting)
{
    static GType types[6];
    static gsize once;

    if (g_once_init_enter(&once)) {
        types[0] = g_enum_register_static("GstLiveTcpMode", modes);
        types[1] = g_enum_register_static("GstLiveTcpWire", wires);
        types[2] = g_enum_register_static("GstLiveTcpRtcp", rtcp);
        types[3] = g_enum_register_static("GstLiveTcpTimestamps", timestamps);
        types[4] = g_enum_register_static("GstLiveTcpTls", tls);
        types[5] = g_enum_register_static("GstLiveTcpWebSocket", websocket);
        g_once_init_leave(&once, 1);
    }
    static const gchar *const names[] = {"mode", "wire", "rtcp", "timestamps", "tls", "websocket"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        if (g_str_equal(setting, names[i])) {
            return types[i];
        }
    }
    return G_TYPE_INVALID;
}

/* ---- settings ---- */

/* livetcpsrc installs this property itself, with more values. */
static gboolean is_installed_by_source(const gchar *setting)
{
    return g_str_equal(setting, "order");
}

/* Property description: the library's summary, the unit, and the available policies. */
static gchar *setting_blurb(const livetcp_setting *setting, gboolean receiving)
{
    const gchar *summary = setting->summary;
    const gchar *unit = strchr(setting->accepts, ' ');

    if (receiving && g_str_equal(setting->name, "queue-packets")) {
        summary = "packets that may wait for the pipeline; beyond it the oldest are dropped";
    } else if (receiving && g_str_equal(setting->name, "queue-bytes")) {
        summary = "bytes that may wait for the pipeline; beyond it the oldest packets are dropped";
    }
    GString *blurb = g_string_new(summary);
    blurb->str[0] = g_ascii_toupper(blurb->str[0]);
    if (g_ascii_isdigit(setting->accepts[0]) && unit != NULL) {
        g_string_append_printf(blurb, " (%s)", unit + 1);
    } else if (g_str_equal(setting->name, "policy")) {
        const livetcp_policy *policy;
        for (guint i = 0; (policy = livetcp_policy_at(i)) != NULL; i++) {
            g_string_append_printf(blurb, "%s%s", i == 0 ? ": " : ", ", policy->name);
        }
    }
    return g_string_free(blurb, FALSE);
}

static GParamSpec *setting_pspec(const livetcp_setting *setting, const gchar *value,
                                 const gchar *blurb, GParamFlags flags)
{
    const gchar *name = gst_livetcp_setting_property(setting->name);
    GType type = enum_type(setting->name);
    gint64 minimum, maximum;
    gint64 number = g_ascii_strtoll(value, NULL, 10);

    if (type != G_TYPE_INVALID) {
        GEnumClass *klass = g_type_class_ref(type);
        gint chosen = g_enum_get_value_by_nick(klass, value)->value;
        g_type_class_unref(klass);
        return g_param_spec_enum(name, name, blurb, type, chosen, flags);
    }
    if (g_str_equal(setting->accepts, "true or false")) {
        return g_param_spec_boolean(name, name, blurb, g_str_equal(value, "true"), flags);
    }
    if (sscanf(setting->accepts, "%" SCNi64 "..%" SCNi64, &minimum, &maximum) != 2) {
        return g_param_spec_string(name, name, blurb, value, flags);
    }
    if (minimum < 0) {
        return g_param_spec_int(name, name, blurb, (gint)minimum, (gint)maximum, (gint)number,
                                flags);
    }
    return g_param_spec_uint(name, name, blurb, (guint)minimum, (guint)maximum, (guint)number,
                             flags);
}

static void install_settings(GObjectClass *klass, const livetcp_config *defaults,
                             gboolean receiving)
{
    const livetcp_setting *setting;
    char value[256];

    for (guint i = 0; (setting = livetcp_config_setting(i)) != NULL; i++) {
        if (!gst_livetcp_setting_is_used(setting->name, receiving) ||
            is_installed_by_source(setting->name) ||
            livetcp_config_get(defaults, setting->name, value, sizeof(value), NULL) != LIVETCP_OK) {
            continue;
        }
        gchar *blurb = setting_blurb(setting, receiving);
        g_object_class_install_property(
            klass, PROP_SETTING + i,
            setting_pspec(setting, value, blurb,
                          gst_livetcp_running_has(setting->name) ? PLAYING : READY));
        g_free(blurb);
    }
    g_object_class_install_property(
        klass, PROP_RECONNECT,
        g_param_spec_boolean("reconnect", "reconnect", "Former name of auto-reconnect",
                             defaults->auto_reconnect, READY | G_PARAM_DEPRECATED));
}

static gchar *text_of(const GValue *value)
{
    gchar *text = G_VALUE_HOLDS_STRING(value)
                      ? g_value_dup_string(value)
                      : gst_value_serialize(value); /* a number, or the nick of an enumeration */
    return text != NULL ? text : g_strdup("");
}

static void set_setting(GstLiveTcpEndpoint *endpoint, const gchar *property, const GValue *value)
{
    const gchar *setting = gst_livetcp_property_setting(property);
    gchar *text = text_of(value);
    livetcp_error error = {0};

    g_mutex_lock(&endpoint->lock);
    livetcp_result result = livetcp_config_set(&endpoint->config, setting, text, &error);
    gboolean opened = endpoint->opened;
    if (result == LIVETCP_OK) {
        g_hash_table_remove(endpoint->rejected, setting);
    } else {
        g_hash_table_insert(endpoint->rejected, g_strdup(setting), g_strdup(error.message));
    }
    g_mutex_unlock(&endpoint->lock);
    if (result != LIVETCP_OK) {
        GST_ERROR_OBJECT(endpoint->element, "%s", error.message);
    }
    if (opened && !gst_livetcp_running_has(setting)) {
        GST_WARNING_OBJECT(endpoint->element, "%s will change when the element starts again",
                           property);
    } else if (opened && result == LIVETCP_OK) {
        gst_livetcp_running_change(endpoint, setting);
    } else if (opened) {
        gst_livetcp_post_warning(endpoint->element, &error, "Cannot change that now", NULL);
    }
    g_free(text);
}

static void get_setting(GstLiveTcpEndpoint *endpoint, const gchar *name, GValue *value)
{
    char text[LIVETCP_TOKEN_MAX + 1] = "";

    g_mutex_lock(&endpoint->lock);
    livetcp_config_get(&endpoint->config, name, text, sizeof(text), NULL);
    g_mutex_unlock(&endpoint->lock);
    if (G_VALUE_HOLDS_STRING(value)) {
        g_value_set_string(value, text);
    } else if (G_VALUE_HOLDS_BOOLEAN(value)) {
        g_value_set_boolean(value, g_str_equal(text, "true"));
    } else {
        gst_value_deserialize(value, text);
    }
}

/* ---- all of them ---- */

void gst_livetcp_properties_install(GObjectClass *klass, const livetcp_config *defaults,
                                    gboolean receiving)
{
    const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

    g_object_class_install_property(
        klass, PROP_URI,
        g_param_spec_string(
            "uri", "URI",
            "livetcp://host:port/stream-id?property=value&...; sets the properties it "
            "names. "
            "While a listener listens, port is the bound one",
            NULL, READY));
    install_settings(klass, defaults, receiving);
    g_object_class_install_property(
        klass, PROP_STATE,
        g_param_spec_string("state", "State",
                            "closed, listening (no caller yet), connecting or open", "closed",
                            readable));
    g_object_class_install_property(
        klass, PROP_LAST_ERROR,
        g_param_spec_string("last-error", "Last error",
                            "The last error or warning since the element started, as "
                            "\"reason: sentence\"; empty if there was none",
                            "", readable));
    g_object_class_install_property(
        klass, PROP_BOUND_PORT,
        g_param_spec_uint("bound-port", "Bound port",
                          "The port that a listener listens on, also with port=0; 0 while it "
                          "does not listen. Notifies",
                          0, G_MAXUINT16, 0, readable));
    g_object_class_install_property(
        klass, PROP_STATS,
        g_param_spec_boxed("stats", "Statistics",
                           "Counters and states: totals, and one structure per connection under "
                           "\"connections\"",
                           GST_TYPE_STRUCTURE, readable));
    g_object_class_install_property(
        klass, PROP_STATS_UPDATE_INTERVAL,
        g_param_spec_uint("stats-update-interval", "Statistics update interval",
                          "Interval of notifications of \"stats\"; 0 = none (ms)", 0, 3600000, 0,
                          READY));
    g_object_class_install_property(
        klass, PROP_CONNECTING_CALLER,
        g_param_spec_boxed("connecting-caller", "Connecting caller",
                           "Within handlers of caller-connecting, the caller: address, stream-id, "
                           "role, token, and its identity by TLS; NULL elsewhere",
                           GST_TYPE_STRUCTURE, readable));
}

static void set_uri(GstLiveTcpEndpoint *endpoint, const gchar *uri)
{
    GError *error = NULL;

    gboolean good = uri == NULL || gst_livetcp_uri_set(endpoint, uri, &error);
    g_mutex_lock(&endpoint->lock);
    if (good) {
        g_hash_table_remove(endpoint->rejected, "uri");
    } else {
        GST_ERROR_OBJECT(endpoint->element, "%s", error->message);
        if (!g_error_matches(error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE)) {
            g_hash_table_insert(endpoint->rejected, g_strdup("uri"), g_strdup(error->message));
        }
    }
    g_mutex_unlock(&endpoint->lock);
    g_clear_error(&error);
}

gboolean gst_livetcp_properties_set(GstLiveTcpEndpoint *endpoint, guint id, const GValue *value,
                                    GParamSpec *pspec)
{
    if (id >= PROP_RECONNECT) {
        set_setting(endpoint, pspec->name, value);
    } else if (id == PROP_URI) {
        set_uri(endpoint, g_value_get_string(value));
    } else if (id == PROP_STATS_UPDATE_INTERVAL) {
        g_mutex_lock(&endpoint->lock);
        endpoint->stats_interval = g_value_get_uint(value);
        g_mutex_unlock(&endpoint->lock);
    } else {
        return FALSE;
    }
    return TRUE;
}

static gchar *last_error(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    livetcp_error error = endpoint->last_error;
    g_mutex_unlock(&endpoint->lock);
    return error.code == LIVETCP_OK
               ? g_strdup("")
               : g_strdup_printf("%s: %s", livetcp_result_name(error.code), error.message);
}

gboolean gst_livetcp_properties_get(GstLiveTcpEndpoint *endpoint, guint id, GValue *value,
                                    GParamSpec *pspec)
{
    if (id >= PROP_RECONNECT) {
        get_setting(endpoint, pspec->name, value);
        return TRUE;
    }
    switch (id) {
    case PROP_URI:
        g_value_take_string(value, gst_livetcp_uri_get(endpoint));
        return TRUE;
    case PROP_STATE:
        g_value_set_static_string(value, gst_livetcp_endpoint_state(endpoint));
        return TRUE;
    case PROP_LAST_ERROR:
        g_value_take_string(value, last_error(endpoint));
        return TRUE;
    case PROP_BOUND_PORT:
        g_value_set_uint(value, gst_livetcp_endpoint_bound_port(endpoint));
        return TRUE;
    case PROP_STATS:
        g_value_take_boxed(value, gst_livetcp_stats_new(endpoint));
        return TRUE;
    case PROP_STATS_UPDATE_INTERVAL:
        g_value_set_uint(value, endpoint->stats_interval);
        return TRUE;
    case PROP_CONNECTING_CALLER:
        g_mutex_lock(&endpoint->lock);
        g_value_set_boxed(value, endpoint->question.caller);
        g_mutex_unlock(&endpoint->lock);
        return TRUE;
    default:
        return FALSE;
    }
}
