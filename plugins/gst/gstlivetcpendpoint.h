/* SPDX-License-Identifier: MIT */
/*
 * The common part of livetcpsink and livetcpsrc: settings, a context with its own thread, and the
 * peers: a caller's peer, or those that a listener has accepted. Each element embeds a
 * GstLiveTcpEndpoint.
 *
 * gstlivetcppeers has the list of peers and the events of their sessions, gstlivetcpcallers the
 * admission, gstlivetcpendpoint connecting, listening and ending, gstlivetcpwait the waiting of the
 * streaming thread; each calls only those before it.
 *
 * Threads. `lock` guards everything below it in the struct. A streaming thread holds it while it
 * sends, which never blocks. It is never held during library calls that may wait for the loop's
 * thread (connect, close, destroy), nor while posting messages, emitting signals or notifying. A
 * peer belongs to the list; the code that removes it frees it.
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
    guint id;                 /* 0 for a caller; 1 and up for accepted peers */
    gchar *remote;            /* "address:port" */
    GSocketAddress *address;  /* parsed from `remote`; NULL for a caller */
    gboolean ready;           /* has been open: packets are sent to it */
    gboolean joins;           /* ready, and the packets for a new peer are still to be sent */
    gboolean open;
    gboolean ended;         /* no more callbacks */
    guint asked;            /* number of the wait that on_sent() will answer; 0 = none */
    guint sent;             /* number of the last answered wait */
    livetcp_result warned;  /* already reported; LIVETCP_OK after a connection has lasted */
    gint64 connected_us;    /* time of the last connection's opening; 0 = obsolete */
    gint64 opened_us;       /* g_get_monotonic_time() */
    guint64 drops_reported; /* value at the last repair of the stream */
    gboolean stranger;      /* it called, ended, and never sent a packet */
    gboolean undecided;     /* it called, and waits for the application's answer */
    guint holders;          /* threads that are answering it: the last one frees it */
    gboolean orphaned;      /* if this is set */
} GstLiveTcpPeer;

/* Hooks for the differences between the elements; may be NULL. All but `stats` run on the loop's
 * thread. */
typedef struct _GstLiveTcpHooks {
    void (*packet)(GstLiveTcpEndpoint *endpoint, const livetcp_packet *packet);
    /* The session has opened, or reopened. A new peer of a listener gets no packets before this
     * returns. */
    void (*opened)(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer, livetcp_session *session);
    /* The session has ended, and not by us. */
    void (*ended)(GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer,
                  const livetcp_error *error);
    /* The send queue is empty again. */
    void (*drained)(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer, livetcp_session *session);
    /* Packets of this stream were dropped that other pictures refer to: request a key frame. */
    void (*keyframe_wanted)(GstLiveTcpEndpoint *endpoint, guint32 ssrc);
    /* A peer's estimated bit rate has changed, or a peer was added or removed. */
    void (*bitrate)(GstLiveTcpEndpoint *endpoint);
    /* Adds the element's own counters to the statistics. */
    void (*stats)(GstLiveTcpEndpoint *endpoint, GstStructure *structure);
} GstLiveTcpHooks;

struct _GstLiveTcpEndpoint {
    GstElement *element;
    const GstLiveTcpHooks *hooks;
    const gchar *const *uri_keys; /* names of the element's own properties that URIs may set */

    GMutex lock;
    GCond cond; /* a peer has opened, ended or emptied its queue, or `flushing` has changed */
    livetcp_config config;    /* as set */
    livetcp_config active;    /* as opened: constant while open, except for settings of
                                 gst_livetcp_running_has() */
    gboolean running_changed; /* `active` differs from the listener's settings at creation */
    livetcp_order order;      /* of sessions from now on, overrides `active` */
    gboolean lossless;        /* max-send-delay of all sessions is 0, overrides `active` */
    GHashTable *rejected;     /* property name -> why its value was rejected */
    guint stats_interval;     /* ms; 0 = never */
    gboolean opened;          /* gst_livetcp_endpoint_open() succeeded */
    gboolean closing;         /* sessions end because of us: report nothing */
    gboolean flushing;        /* unlock() was called: waiting ends */
    gboolean over;            /* an ERROR was posted, or the source is at EOS */
    gint64 call_again_us;     /* when a caller reconnects after the end of its session; 0 = never */
    gint64 call_again_wait;   /* pause before that */
    livetcp_context *context;
    livetcp_listener *listener;
    GPtrArray *peers;              /* of GstLiveTcpPeer; owned, but freed only after the session */
    guint next_id;                 /* never reused, so that a late answer reaches no other caller */
    guint drain;                   /* number of calls of gst_livetcp_wait_drained(), plus 1 */
    GstLiveTcpStrangers strangers; /* loop's thread */
    const gchar *refusal;          /* loop's thread: reason set by on_session() for on_rejected() */
    GstLiveTcpQuestion question;   /* about the caller that is connecting */
    guint answering;               /* threads that are answering a waiting caller */
    livetcp_error last_error;
    livetcp_session_stats ended_totals; /* counters of ended sessions */
    guint64 never_sent;                 /* unsent packets of a caller's ended sessions */
    guint sessions_total;
    GstLiveTcpTicker ticker; /* for the statistics */
    GstLiveTcpClockRates clock_rates;
};

/* `defaults` are the element's; `uri_keys` ends with NULL; both are static. */
void gst_livetcp_endpoint_init(GstLiveTcpEndpoint *endpoint, GstElement *element,
                               const GstLiveTcpHooks *hooks, const livetcp_config *defaults,
                               const gchar *const *uri_keys);
void gst_livetcp_endpoint_clear(GstLiveTcpEndpoint *endpoint);

/* Starts connecting or listening, which continues in the background. On failure an ERROR is
 * posted. */
gboolean gst_livetcp_endpoint_open(GstLiveTcpEndpoint *endpoint);

/* The port of a listener, 0 while it is not listening. Any thread. */
guint gst_livetcp_endpoint_bound_port(GstLiveTcpEndpoint *endpoint);

/* Notifies the peers and ends all sessions; no callback runs after this returns. */
void gst_livetcp_endpoint_close(GstLiveTcpEndpoint *endpoint);

/* TRUE: waiting functions return at once, until FALSE is set. */
void gst_livetcp_endpoint_set_flushing(GstLiveTcpEndpoint *endpoint, gboolean flushing);

/* Schedules a reconnection for a caller whose session the peer has ended, after a pause that
 * doubles from reconnect-min to reconnect-max while sessions keep ending early. The streaming
 * thread carries it out: it must call gst_livetcp_endpoint_call_again() regularly. */
void gst_livetcp_endpoint_schedule_call(GstLiveTcpEndpoint *endpoint);
void gst_livetcp_endpoint_call_again(GstLiveTcpEndpoint *endpoint);

/* The scheduled time, as g_get_monotonic_time(); -1 = none. */
gint64 gst_livetcp_endpoint_next_call(GstLiveTcpEndpoint *endpoint);

/* Changes the order of current and future sessions. */
void gst_livetcp_endpoint_set_order(GstLiveTcpEndpoint *endpoint, livetcp_order order);

/* Disables dropping for delay (max-send-delay) until the endpoint is opened again. */
void gst_livetcp_endpoint_set_lossless(GstLiveTcpEndpoint *endpoint, gboolean lossless);

/* The counters of all sessions since the endpoint was opened, and the current number of queued
 * packets. */
void gst_livetcp_endpoint_totals(GstLiveTcpEndpoint *endpoint, livetcp_session_stats *totals);

/* End of the stream: no new peer is accepted. */
void gst_livetcp_endpoint_finish(GstLiveTcpEndpoint *endpoint);

/* Stores and posts an ERROR; the stream is over. */
void gst_livetcp_endpoint_fail(GstLiveTcpEndpoint *endpoint, const livetcp_error *error,
                               const gchar *what, const gchar *remote);

/* The bit rate for all peers, in bit/s: gst_livetcp_rate_for_all(). 0 = unknown, or no peer. */
guint gst_livetcp_endpoint_bitrate(GstLiveTcpEndpoint *endpoint, gdouble quantile);

/* "closed", "listening", "connecting" or "open". */
const gchar *gst_livetcp_endpoint_state(GstLiveTcpEndpoint *endpoint);

/* Stores "clock-rate" and, if present, "payload" of the caps, for current and future sessions. Caps
 * without a clock rate, and NULL, change nothing. */
void gst_livetcp_endpoint_set_caps(GstLiveTcpEndpoint *endpoint, const GstCaps *caps);

G_END_DECLS

#endif
