/* SPDX-License-Identifier: MIT */
#include "gstlivetcprunning.h"

#include "gstlivetcpdebug.h"
#include "gstlivetcpreport.h"

#include <string.h>

static void copy_policy(livetcp_config *to, const livetcp_config *from)
{
    memcpy(to->policy, from->policy, sizeof(to->policy));
}

static livetcp_result apply_policy(livetcp_session *session, const livetcp_config *config,
                                   livetcp_error *error)
{
    return livetcp_session_set_policy(session, config->policy, error);
}

static void copy_budget(livetcp_config *to, const livetcp_config *from)
{
    to->redundancy_budget = from->redundancy_budget;
}

static livetcp_result apply_budget(livetcp_session *session, const livetcp_config *config,
                                   livetcp_error *error)
{
    return livetcp_session_set_redundancy_budget(session, config->redundancy_budget, error);
}

/* Both are copied together: a new value of one may contradict the old value of the other. */
static void copy_bitrates(livetcp_config *to, const livetcp_config *from)
{
    to->min_bitrate = from->min_bitrate;
    to->max_bitrate = from->max_bitrate;
}

static livetcp_result apply_bitrates(livetcp_session *session, const livetcp_config *config,
                                     livetcp_error *error)
{
    return livetcp_session_set_bitrate_bounds(session, config->min_bitrate, config->max_bitrate,
                                              error);
}

static void copy_delay(livetcp_config *to, const livetcp_config *from)
{
    to->max_send_delay_us = from->max_send_delay_us;
}

static livetcp_result apply_delay(livetcp_session *session, const livetcp_config *config,
                                  livetcp_error *error)
{
    return livetcp_session_set_max_send_delay(session, config->max_send_delay_us, error);
}

typedef struct {
    const gchar *settings[3]; /* NULL-terminated */
    void (*copy)(livetcp_config *to, const livetcp_config *from);
    livetcp_result (*apply)(livetcp_session *session, const livetcp_config *config,
                            livetcp_error *error);
} Change;

static const Change changes[] = {
    {{"policy", NULL}, copy_policy, apply_policy},
    {{"redundancy-budget", NULL}, copy_budget, apply_budget},
    {{"min-bitrate", "max-bitrate", NULL}, copy_bitrates, apply_bitrates},
    {{"max-send-delay", NULL}, copy_delay, apply_delay},
};

static const Change *find(const gchar *setting)
{
    for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
        if (g_strv_contains(changes[i].settings, setting)) {
            return &changes[i];
        }
    }
    return NULL;
}

gboolean gst_livetcp_running_has(const gchar *setting)
{
    return find(setting) != NULL;
}

/* With the lock held. Returns the first refusal. */
static livetcp_result apply_to_all(GstLiveTcpEndpoint *endpoint, const Change *change,
                                   livetcp_error *error)
{
    livetcp_config changed = endpoint->active;
    change->copy(&changed, &endpoint->config);
    livetcp_result result = livetcp_config_check(&changed, error);

    if (result != LIVETCP_OK) {
        return result;
    }
    change->copy(&endpoint->active, &changed);
    endpoint->running_changed = TRUE;
    if (endpoint->lossless) {
        changed.max_send_delay_us = 0;
    }
    for (guint i = 0; i < endpoint->peers->len && result == LIVETCP_OK; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (!peer->ended) {
            result = change->apply(peer->session, &changed, error);
        }
    }
    /* a session that has just ended needs no settings */
    return result == LIVETCP_ERR_CLOSED ? LIVETCP_OK : result;
}

void gst_livetcp_running_change(GstLiveTcpEndpoint *endpoint, const gchar *setting)
{
    livetcp_error error = {0};

    g_mutex_lock(&endpoint->lock);
    livetcp_result result = apply_to_all(endpoint, find(setting), &error);
    g_mutex_unlock(&endpoint->lock);
    if (result != LIVETCP_OK) {
        gst_livetcp_post_warning(endpoint->element, &error, "Cannot change that now", NULL);
    }
}

void gst_livetcp_running_apply(GstLiveTcpEndpoint *endpoint, livetcp_session *session)
{
    for (gsize i = 0; i < G_N_ELEMENTS(changes) && endpoint->running_changed; i++) {
        livetcp_error error = {0};
        if (changes[i].apply(session, &endpoint->active, &error) != LIVETCP_OK) {
            GST_CAT_WARNING_OBJECT(gst_livetcp_session_debug, endpoint->element,
                                   "a new session keeps its settings: %s", error.message);
        }
    }
}
