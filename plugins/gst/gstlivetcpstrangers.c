/* SPDX-License-Identifier: MIT */
#include "gstlivetcpstrangers.h"

/* Minimum interval between reports of the same stranger; maximum number of remembered addresses. */
#define REPORT_PAUSE_US (10 * G_TIME_SPAN_SECOND)
#define STRANGERS_MAX   64

void gst_livetcp_strangers_init(GstLiveTcpStrangers *strangers)
{
    strangers->reported = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

void gst_livetcp_strangers_clear(GstLiveTcpStrangers *strangers)
{
    g_hash_table_unref(strangers->reported);
}

gboolean gst_livetcp_strangers_is_news(GstLiveTcpStrangers *strangers, GSocketAddress *from,
                                       livetcp_result reason)
{
    GInetAddress *host = g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(from));
    gchar *address = g_inet_address_to_string(host);
    gchar *key = g_strdup_printf("%s %d", address, (gint)reason);
    gint64 now = g_get_monotonic_time();
    const gint64 *reported = g_hash_table_lookup(strangers->reported, key);

    g_free(address);
    if (reported != NULL && now - *reported < REPORT_PAUSE_US) {
        g_free(key);
        return FALSE;
    }
    if (g_hash_table_size(strangers->reported) >= STRANGERS_MAX) {
        g_hash_table_remove_all(strangers->reported);
    }
    g_hash_table_replace(strangers->reported, key, g_memdup2(&now, sizeof(now)));
    return TRUE;
}

gboolean gst_livetcp_is_wrong_end(livetcp_result result)
{
    return result == LIVETCP_ERR_GARBAGE || result == LIVETCP_ERR_PROTOCOL ||
           result == LIVETCP_ERR_FRAME_TOO_LARGE || result == LIVETCP_ERR_VERSION;
}
