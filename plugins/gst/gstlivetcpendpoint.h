/* SPDX-License-Identifier: MIT */
/*
 * What livetcpsink and livetcpsrc share: settings, one context with its own thread, and the peers:
 * the one that a caller calls, or those that a listener accepted. Each element embeds one
 * GstLiveTcpEndpoint.
 *
 * Threads. `lock` guards everything below it in the struct. A streaming thread holds it while it
 * sends, which never blocks. It is never held while calling into the library in a way that may
 * wait for the loop's thread (connect, close, destroy), nor while posting messages, emitting
 * signals or notifying. A peer belongs to the list: whoever takes it out of the list frees it.
 */
#ifndef GST_LIVETCP_ENDPOINT_H
#define GST_LIVETCP_ENDPOINT_H

#include <gio/gio.h>
#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

typedef struct _GstLiveTcpEndpoint GstLiveTcpEndpoint;

/* RTP payload types. */
#define GST_LIVETCP_PAYLOADS 128

/* A session and what the element remembers about it. */
typedef struct _GstLiveTcpPeer {
    GstLiveTcpEndpoint *endpoint;
    livetcp_session *session; /* NULL until livetcp_session_connect() returned */
    guint id;                 /* 0 for a caller, 1.. for those that called us */
    gchar *remote;            /* "address:port" */
    GSocketAddress *address;  /* the same; NULL for a caller */
    gboolean ready;           /* was open once: packets may be sent to it */
    gboolean open;
    gboolean ended;         /* no callback will come any more */
    guint asked;            /* the wait that on_sent() will answer; 0 = none */
    guint sent;             /* the last wait that it answered */
    livetcp_result warned;  /* posted already; LIVETCP_OK after a connection opened */
    gint64 opened_us;       /* g_get_monotonic_time() */
    guint64 drops_reported; /* packets dropped when the stream was last repaired */
} GstLiveTcpPeer;

/* What the elements do differently; any may be NULL. All but `stats` on the loop's thread. */
typedef struct _GstLiveTcpHooks {
    void (*packet)(GstLiveTcpEndpoint *endpoint, const livetcp_packet *packet);
    /* The session opened, for the first time or again. A caller that is new to a listener is sent
     * nothing else before this returns. */
    void (*opened)(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer, livetcp_session *session);
    /* The session ended although we did not ask for it. */
    void (*ended)(GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer,
                  const livetcp_error *error);
    /* The send queue ran empty again. */
    void (*drained)(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer, livetcp_session *session);
    /* Pictures of this stream that others refer to were dropped: its encoder should start afresh.
     */
    void (*keyframe_wanted)(GstLiveTcpEndpoint *endpoint, guint32 ssrc);
    /* A peer's estimated bit rate changed, or it came or went. */
    void (*bitrate)(GstLiveTcpEndpoint *endpoint);
    /* Adds the element's own counters to the statistics. */
    void (*stats)(GstLiveTcpEndpoint *endpoint, GstStructure *structure);
} GstLiveTcpHooks;

struct _GstLiveTcpEndpoint {
    GstElement *element;
    const GstLiveTcpHooks *hooks;
    const gchar *const *uri_keys; /* the element's own properties that URIs may name */

    GMutex lock;
    GCond cond;             /* a peer opened, ended or sent all it had, or `flushing` changed */
    livetcp_config config;  /* as set */
    livetcp_config active;  /* as opened: constant while open */
    GHashTable *rejected;   /* property name -> why its value was refused */
    guint stats_interval;   /* ms; 0 = never */
    gboolean opened;        /* gst_livetcp_endpoint_open() succeeded */
    gboolean closing;       /* endings are ours: report nothing */
    gboolean flushing;      /* waiting is over: unlock() */
    gboolean over;          /* an ERROR was posted, or the source is at EOS */
    gint64 call_again_us;   /* a caller whose session ended calls again then; 0 = never */
    gint64 call_again_wait; /* pause before that */
    livetcp_context *context;
    livetcp_listener *listener;
    GPtrArray *peers; /* of GstLiveTcpPeer; owned, but freed only after the session */
    guint next_id;
    guint drain; /* counts the calls of gst_livetcp_endpoint_wait_drained() */
    livetcp_error last_error;
    livetcp_session_stats ended_totals; /* counters of sessions that are gone */
    guint sessions_total;
    GstClockID stats_timer;
    guint32 clock_rates[GST_LIVETCP_PAYLOADS + 1]; /* first of any payload type, then of each; 0 =
                                                      not known */
};

/* `defaults` are the element's; `uri_keys` ends with NULL; both tables are static. */
void gst_livetcp_endpoint_init(GstLiveTcpEndpoint *endpoint, GstElement *element,
                               const GstLiveTcpHooks *hooks, const livetcp_config *defaults,
                               const gchar *const *uri_keys);
void gst_livetcp_endpoint_clear(GstLiveTcpEndpoint *endpoint);

/* Starts calling or listening, which goes on in the background. On failure an ERROR is posted. */
gboolean gst_livetcp_endpoint_open(GstLiveTcpEndpoint *endpoint);

/* Tells the peers goodbye and ends everything; nothing is called back after this returns. */
void gst_livetcp_endpoint_close(GstLiveTcpEndpoint *endpoint);

/* Makes waiting functions return at once until it is called with FALSE. */
void gst_livetcp_endpoint_set_flushing(GstLiveTcpEndpoint *endpoint, gboolean flushing);

/* Lets a caller whose session was ended by the peer call again, after a pause that doubles from
 * reconnect-min to reconnect-max while sessions keep ending early. The streaming thread does the
 * calling: it must call gst_livetcp_endpoint_call_again() from time to time. */
void gst_livetcp_endpoint_schedule_call(GstLiveTcpEndpoint *endpoint);
void gst_livetcp_endpoint_call_again(GstLiveTcpEndpoint *endpoint);

/* When it is time for the above, as g_get_monotonic_time(); -1 = not scheduled. */
gint64 gst_livetcp_endpoint_next_call(GstLiveTcpEndpoint *endpoint);

/* Waits until a session is open; FALSE when interrupted by flushing or a failure. */
gboolean gst_livetcp_endpoint_wait_open(GstLiveTcpEndpoint *endpoint);

/* Waits until every peer has been sent all that it should be or has ended, at most so long; returns
 * early when flushing. */
void gst_livetcp_endpoint_wait_drained(GstLiveTcpEndpoint *endpoint, guint timeout_ms);

/* The stream ended in order: nobody is let in any more. */
void gst_livetcp_endpoint_finish(GstLiveTcpEndpoint *endpoint);

/* Remembers and posts an ERROR; the stream is over. */
void gst_livetcp_endpoint_fail(GstLiveTcpEndpoint *endpoint, const livetcp_error *error,
                               const gchar *what, const gchar *remote);

/* What the slowest of the peers carries without delay, in bit/s; 0 = not known, or nobody is
 * there. */
guint gst_livetcp_endpoint_bitrate(GstLiveTcpEndpoint *endpoint);

/* "closed", "listening", "connecting" or "open". */
const gchar *gst_livetcp_endpoint_state(GstLiveTcpEndpoint *endpoint);

/* Takes "clock-rate" and, if there is one, "payload" of the caps, for the sessions of now and those
 * to come. Caps without a clock rate, and NULL, change nothing. */
void gst_livetcp_endpoint_set_caps(GstLiveTcpEndpoint *endpoint, const GstCaps *caps);

/* With the lock held: adds the counters of a session to `totals`. */
void gst_livetcp_endpoint_add_totals(livetcp_session_stats *totals,
                                     const livetcp_session_stats *stats);

G_END_DECLS

#endif
