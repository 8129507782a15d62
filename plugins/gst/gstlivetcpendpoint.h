/* SPDX-License-Identifier: MIT */
/*
 * The common part of livetcpsink and livetcpsrc: settings, one context with its own thread, and the
 * peers: the one that a caller calls, or those that a listener accepted. Each element embeds one
 * GstLiveTcpEndpoint.
 *
 * gstlivetcppeers has the list of peers and the events of their sessions, gstlivetcpcallers who is
 * let in, gstlivetcpendpoint calling, listening and ending, gstlivetcpwait what the streaming
 * thread waits for; each calls those before it.
 *
 * Threads. `lock` guards everything below it in the struct. A streaming thread holds it while it
 * sends, which never blocks. It is never held while calling into the library in a way that may wait
 * for the loop's thread (connect, close, destroy), nor while posting messages, emitting signals or
 * notifying. A peer belongs to the list: the code that takes it out of the list frees it.
 */
#ifndef GST_LIVETCP_ENDPOINT_H
#define GST_LIVETCP_ENDPOINT_H

#include <gio/gio.h>
#include <gst/gst.h>
#include <livetcp/livetcp.h>

#include "gstlivetcpclockrates.h"
#include "gstlivetcpquestion.h"
#include "gstlivetcpstrangers.h"
#include "gstlivetcpticker.h"

G_BEGIN_DECLS

typedef struct _GstLiveTcpEndpoint GstLiveTcpEndpoint;

/* A session and the element's own data about it. */
typedef struct _GstLiveTcpPeer {
    GstLiveTcpEndpoint *endpoint;
    livetcp_session *session; /* NULL until livetcp_session_connect() returned */
    guint id;                 /* 0 for a caller, 1.. for those that called us */
    gchar *remote;            /* "address:port" */
    GSocketAddress *address;  /* the same; NULL for a caller */
    gboolean ready;           /* was open once: packets may be sent to it */
    gboolean joins;           /* ready, but not yet sent the packets for a new peer */
    gboolean open;
    gboolean ended;         /* no more callbacks will come */
    guint asked;            /* the wait that on_sent() will answer; 0 = none */
    guint sent;             /* the last wait that it answered */
    livetcp_result warned;  /* posted already; LIVETCP_OK after a connection has lasted */
    gint64 connected_us;    /* opening of the last connection; 0 = obsolete */
    gint64 opened_us;       /* g_get_monotonic_time() */
    guint64 drops_reported; /* packets dropped when the stream was last repaired */
    gboolean stranger;      /* it called us, ended, and never sent a packet */
    gboolean undecided;     /* it called us, and waits for the application's answer */
    guint holders;          /* threads that answer it: the last of them frees it, */
    gboolean orphaned;      /*   if this is set */
} GstLiveTcpPeer;

/* Hooks in which the elements differ; any may be NULL. All but `stats` run on the loop's thread. */
typedef struct _GstLiveTcpHooks {
    void (*packet)(GstLiveTcpEndpoint *endpoint, const livetcp_packet *packet);
    /* The session opened, for the first time or again. A new caller of a listener is sent nothing
     * else before this returns. */
    void (*opened)(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer, livetcp_session *session);
    /* The session ended although we did not ask for it. */
    void (*ended)(GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer,
                  const livetcp_error *error);
    /* The send queue ran empty again. */
    void (*drained)(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer, livetcp_session *session);
    /* Pictures of this stream that others refer to were dropped: its encoder should send a key
     * frame. */
    void (*keyframe_wanted)(GstLiveTcpEndpoint *endpoint, guint32 ssrc);
    /* A peer's estimated bit rate changed, or the peer came or went. */
    void (*bitrate)(GstLiveTcpEndpoint *endpoint);
    /* Adds the element's own counters to the statistics. */
    void (*stats)(GstLiveTcpEndpoint *endpoint, GstStructure *structure);
} GstLiveTcpHooks;

struct _GstLiveTcpEndpoint {
    GstElement *element;
    const GstLiveTcpHooks *hooks;
    const gchar *const *uri_keys; /* the element's own properties that URIs may name */

    GMutex lock;
    GCond cond;               /* a peer opened, ended or emptied its queue, or `flushing` changed */
    livetcp_config config;    /* as set */
    livetcp_config active;    /* as opened: constant while open, but for what
                                 gst_livetcp_running_has() */
    gboolean running_changed; /* `active` differs from the listener's settings at creation */
    livetcp_order order;      /* of sessions from now on, regardless of `active` */
    gboolean lossless;        /* max-send-delay of all sessions is 0, regardless of `active` */
    GHashTable *rejected;     /* property name -> why its value was refused */
    guint stats_interval;     /* ms; 0 = never */
    gboolean opened;          /* gst_livetcp_endpoint_open() succeeded */
    gboolean closing;         /* the endings are ours: report nothing */
    gboolean flushing;        /* waiting is over: unlock() */
    gboolean over;            /* an ERROR was posted, or the source is at EOS */
    gint64 call_again_us;     /* a caller whose session ended calls again then; 0 = never */
    gint64 call_again_wait;   /* pause before that */
    livetcp_context *context;
    livetcp_listener *listener;
    GPtrArray *peers; /* of GstLiveTcpPeer; owned, but freed only after the session */
    guint next_id;    /* never used again: an answer that comes too late is nobody else's */
    guint drain;      /* 1 more than the calls of gst_livetcp_wait_drained() */
    GstLiveTcpStrangers strangers; /* loop's thread */
    const gchar *refusal; /* loop's thread: the reason of on_session(), until on_rejected() */
    GstLiveTcpQuestion question; /* about the caller that connects */
    guint answering;             /* threads that answer a caller that waits */
    livetcp_error last_error;
    livetcp_session_stats ended_totals; /* counters of sessions that are gone */
    guint64 never_sent; /* packets of a caller's sessions that ended before they were sent */
    guint sessions_total;
    GstLiveTcpTicker ticker; /* of the statistics */
    GstLiveTcpClockRates clock_rates;
};

/* `defaults` are the element's; `uri_keys` ends with NULL; both tables are static. */
void gst_livetcp_endpoint_init(GstLiveTcpEndpoint *endpoint, GstElement *element,
                               const GstLiveTcpHooks *hooks, const livetcp_config *defaults,
                               const gchar *const *uri_keys);
void gst_livetcp_endpoint_clear(GstLiveTcpEndpoint *endpoint);

/* Starts calling or listening, which goes on in the background. On failure an ERROR is posted. */
gboolean gst_livetcp_endpoint_open(GstLiveTcpEndpoint *endpoint);

/* The port that a listener listens on, 0 while it does not. Any thread. */
guint gst_livetcp_endpoint_bound_port(GstLiveTcpEndpoint *endpoint);

/* Notifies the peers and ends everything; no callback runs after this returns. */
void gst_livetcp_endpoint_close(GstLiveTcpEndpoint *endpoint);

/* Makes waiting functions return at once until it is called with FALSE. */
void gst_livetcp_endpoint_set_flushing(GstLiveTcpEndpoint *endpoint, gboolean flushing);

/* Lets a caller whose session was ended by the peer call again, after a pause that doubles from
 * reconnect-min to reconnect-max while sessions keep ending early. The streaming thread does the
 * calling: it must call gst_livetcp_endpoint_call_again() from time to time. */
void gst_livetcp_endpoint_schedule_call(GstLiveTcpEndpoint *endpoint);
void gst_livetcp_endpoint_call_again(GstLiveTcpEndpoint *endpoint);

/* The time of the next call as above, as g_get_monotonic_time(); -1 = not scheduled. */
gint64 gst_livetcp_endpoint_next_call(GstLiveTcpEndpoint *endpoint);

/* Changes the order of current and future sessions. */
void gst_livetcp_endpoint_set_order(GstLiveTcpEndpoint *endpoint, livetcp_order order);

/* Disables dropping for delay (max-send-delay) until the endpoint is opened again. */
void gst_livetcp_endpoint_set_lossless(GstLiveTcpEndpoint *endpoint, gboolean lossless);

/* The counters of all sessions since the endpoint was opened, and packets in send queues now. */
void gst_livetcp_endpoint_totals(GstLiveTcpEndpoint *endpoint, livetcp_session_stats *totals);

/* The stream ended in order: no new peer is accepted. */
void gst_livetcp_endpoint_finish(GstLiveTcpEndpoint *endpoint);

/* Remembers and posts an ERROR; the stream is over. */
void gst_livetcp_endpoint_fail(GstLiveTcpEndpoint *endpoint, const livetcp_error *error,
                               const gchar *what, const gchar *remote);

/* The bit rate for all peers, in bit/s: gst_livetcp_rate_for_all(). 0 = unknown, or no peer. */
guint gst_livetcp_endpoint_bitrate(GstLiveTcpEndpoint *endpoint, gdouble quantile);

/* "closed", "listening", "connecting" or "open". */
const gchar *gst_livetcp_endpoint_state(GstLiveTcpEndpoint *endpoint);

/* Takes "clock-rate" and, if present, "payload" of the caps, for current and future sessions. Caps
 * without a clock rate, and NULL, change nothing. */
void gst_livetcp_endpoint_set_caps(GstLiveTcpEndpoint *endpoint, const GstCaps *caps);

G_END_DECLS

#endif
