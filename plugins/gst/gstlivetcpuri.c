/* SPDX-License-Identifier: MIT */
/* Reading and writing livetcp:// URIs. */
#include "gstlivetcpuri.h"

#include "gstlivetcpdebug.h"
#include "gstlivetcpreport.h"
#include "gstlivetcpsettings.h"

#define GST_CAT_DEFAULT gst_livetcp_session_debug

/* Fits all settings at their maximum length, percent-encoded. */
#define URI_SIZE 16384

const gchar *const *gst_livetcp_uri_protocols(GType type)
{
    static const gchar *const protocols[] = {"livetcp", "livetcps", "livetcp+ws", "livetcp+wss",
                                             NULL};
    (void)type;
    return protocols;
}

/* A property to set after the whole URI was validated. */
typedef struct {
    const gchar *name;
    GValue value;
} Change;

static void clear_change(gpointer change)
{
    g_value_unset(&((Change *)change)->value);
}

static GParamSpec *find_property(GstLiveTcpEndpoint *endpoint, const gchar *name)
{
    return g_object_class_find_property(G_OBJECT_GET_CLASS(endpoint->element), name);
}

static gboolean parse_change(GstLiveTcpEndpoint *endpoint, const gchar *key, const gchar *text,
                             GArray *changes, GError **error)
{
    GParamSpec *pspec = find_property(endpoint, key);
    Change change = {pspec->name, G_VALUE_INIT};
    gchar *plain = text != NULL ? g_uri_unescape_string(text, NULL) : NULL;

    g_value_init(&change.value, pspec->value_type);
    /* g_param_value_validate() returns TRUE if it had to change the value. */
    gboolean good = plain != NULL &&
                    gst_value_deserialize_with_pspec(&change.value, plain, pspec) &&
                    !g_param_value_validate(pspec, &change.value);
    if (good) {
        g_array_append_val(changes, change);
    } else {
        g_value_unset(&change.value);
        /* Caps may contain a key. */
        gboolean secret = plain == NULL || pspec->value_type == GST_TYPE_CAPS;
        g_set_error(error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
                    "%s cannot be '%s': see gst-inspect-1.0 %s for what it accepts", key,
                    secret ? "..." : plain,
                    GST_OBJECT_NAME(gst_element_get_factory(endpoint->element)));
    }
    g_free(plain);
    return good;
}

/* Splits `uri` into changes of the element's own properties, and a URI for the library; NULL on
 * failure. */
static gchar *take_own_keys(GstLiveTcpEndpoint *endpoint, const gchar *uri, GArray *changes,
                            GError **error)
{
    const gchar *query = strchr(uri, '?');
    if (query == NULL) {
        return g_strdup(uri);
    }
    GString *rest = g_string_new_len(uri, query - uri);
    gchar **pairs = g_strsplit(query + 1, "&", -1);
    gchar joint = '?';
    gboolean good = TRUE;
    for (gchar **pair = pairs; *pair != NULL && good; pair++) {
        gchar **halves = g_strsplit(*pair, "=", 2);
        if (halves[0] != NULL && g_strv_contains(endpoint->uri_keys, halves[0])) {
            good = parse_change(endpoint, halves[0], halves[1], changes, error);
        } else {
            g_string_append_c(rest, joint);
            g_string_append(rest, *pair);
            joint = '&';
        }
        g_strfreev(halves);
    }
    g_strfreev(pairs);
    return g_string_free(rest, !good);
}

/* A URI may be used at both ends, so a key for the other end is not an error. */
static void report_unused_keys(GstLiveTcpEndpoint *endpoint, const livetcp_config *former,
                               const livetcp_config *config)
{
    const livetcp_setting *setting;
    char before[256], now[256];

    for (guint i = 0; (setting = livetcp_config_setting(i)) != NULL; i++) {
        if (find_property(endpoint, gst_livetcp_setting_property(setting->name)) == NULL &&
            livetcp_config_get(former, setting->name, before, sizeof(before), NULL) == LIVETCP_OK &&
            livetcp_config_get(config, setting->name, now, sizeof(now), NULL) == LIVETCP_OK &&
            strcmp(before, now) != 0) {
            GST_WARNING_OBJECT(endpoint->element,
                               "%s=%s of the URI has no effect: it is the other end's",
                               setting->name, now);
        }
    }
}

static gboolean apply(GstLiveTcpEndpoint *endpoint, const gchar *uri, GError **error)
{
    livetcp_error why = {0};
    gboolean good = FALSE;

    g_mutex_lock(&endpoint->lock);
    const livetcp_config former = endpoint->config;
    if (endpoint->opened) {
        g_set_error_literal(error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
                            "The URI cannot change while the element is open: set it to READY or "
                            "NULL first");
    } else if (livetcp_config_apply_uri(&endpoint->config, uri, &why) != LIVETCP_OK) {
        g_set_error_literal(error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI, why.message);
    } else {
        g_hash_table_remove(endpoint->rejected, "uri");
        good = TRUE;
    }
    const livetcp_config config = endpoint->config;
    g_mutex_unlock(&endpoint->lock);
    report_unused_keys(endpoint, &former, &config);
    return good;
}

gboolean gst_livetcp_uri_set(GstLiveTcpEndpoint *endpoint, const gchar *uri, GError **error)
{
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(Change));
    g_array_set_clear_func(changes, clear_change);

    gchar *rest = take_own_keys(endpoint, uri, changes, error);
    gboolean good = rest != NULL && apply(endpoint, rest, error);
    for (guint i = 0; good && i < changes->len; i++) {
        Change *change = &g_array_index(changes, Change, i);
        g_object_set_property(G_OBJECT(endpoint->element), change->name, &change->value);
    }
    g_free(rest);
    g_array_unref(changes);
    return good;
}

static void append_own_keys(GstLiveTcpEndpoint *endpoint, GString *uri)
{
    for (const gchar *const *key = endpoint->uri_keys; *key != NULL; key++) {
        GParamSpec *pspec = find_property(endpoint, *key);
        GValue value = G_VALUE_INIT;
        g_value_init(&value, pspec->value_type);
        g_object_get_property(G_OBJECT(endpoint->element), *key, &value);
        gboolean former_name = (pspec->flags & G_PARAM_DEPRECATED) != 0;
        gchar *text = former_name || g_param_value_defaults(pspec, &value)
                          ? NULL
                          : gst_value_serialize(&value);
        if (text != NULL) {
            gchar *escaped = g_uri_escape_string(text, NULL, FALSE);
            g_string_append_printf(uri, "%c%s=%s", strchr(uri->str, '?') != NULL ? '&' : '?', *key,
                                   escaped);
            g_free(escaped);
            g_free(text);
        }
        g_value_unset(&value);
    }
}

gchar *gst_livetcp_uri_get(GstLiveTcpEndpoint *endpoint)
{
    livetcp_config config, standard;
    livetcp_error why = {0};
    char text[URI_SIZE];

    g_mutex_lock(&endpoint->lock);
    config = endpoint->config;
    g_mutex_unlock(&endpoint->lock);
    guint bound_port = gst_livetcp_endpoint_bound_port(endpoint);
    if (bound_port != 0) {
        config.port = (uint16_t)bound_port;
    }

    /* An element's default may differ from the library's, and is then written as a key. */
    livetcp_config_init(&standard);
    if (g_strv_contains(endpoint->uri_keys, "max-send-delay")) {
        config.max_send_delay_us = standard.max_send_delay_us;
    }
    if (g_strv_contains(endpoint->uri_keys, "max-sessions")) {
        config.max_sessions = standard.max_sessions;
    }
    if (g_strv_contains(endpoint->uri_keys, "peer-sends")) {
        config.peer_sends = standard.peer_sends;
    }
    if (livetcp_config_to_uri(&config, text, sizeof(text), &why) != LIVETCP_OK) {
        GST_WARNING_OBJECT(endpoint->element, "no URI: %s", why.message);
        return NULL;
    }
    GString *uri = g_string_new(text);
    append_own_keys(endpoint, uri);
    return g_string_free(uri, FALSE);
}
