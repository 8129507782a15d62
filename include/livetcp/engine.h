/* SPDX-License-Identifier: MIT */
/*
 * The engine behind a session, for programs that bring their own transport or event loop (ICE-TCP,
 * a TLS stack, a WebSocket, poll(), a browser): all connections of one session without a clock, a
 * socket or a thread. Bytes, path information and the time come in; bytes to write, packets, events
 * and one deadline go out. livetcp/session.h is the same engine with libuv and TCP sockets.
 *
 * The owner does this after every call that changed something:
 *
 *     while (livetcp_engine_next_connect(...))    start a TCP connection for that slot
 *     while (livetcp_engine_next_outage_probe(...))  the same, for none yet (may be left out)
 *     wanted = livetcp_engine_wants_path_info(...)  ask the platform about those connections
 *     while (livetcp_engine_next_write(...))      write; report wrote, blocked or lost
 *     while (livetcp_engine_next_close(...))      close that slot's socket
 *     while (livetcp_engine_next_event(...))      report it to the application
 *     arm one timer for livetcp_engine_deadline(), which calls livetcp_engine_expire()
 *
 * samples/own_transport.c is a whole owner over poll().
 *
 * Time. Every `now` is a point in time of one monotonic clock, in microseconds; it must not go
 * backwards from one call to the next.
 *
 * Threads. An engine has no lock: its owner makes sure that calls do not overlap. Different engines
 * share nothing. Callbacks run inside the call that causes them and must not call the engine.
 *
 * Slots. A connection is named by its index, 0..livetcp_engine_connections() - 1: a slot in which
 * one TCP connection replaces another. Calls with an index out of that range have no effect.
 */
#ifndef LIVETCP_ENGINE_H
#define LIVETCP_ENGINE_H

#include <livetcp/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statistics ---- */

/* State of one connection of a session. */
typedef enum livetcp_connection_state {
    LIVETCP_CONNECTION_IDLE = 0,   /* not connected; will be, when its time comes */
    LIVETCP_CONNECTION_CONNECTING, /* TCP handshake under way */
    LIVETCP_CONNECTION_JOINING,    /* connected; not yet accepted into the session */
    LIVETCP_CONNECTION_OPEN,       /* carries media */
    LIVETCP_CONNECTION_CLOSED      /* for good */
} livetcp_connection_state;

/*
 * Where one-way delay arises, from send() to the listener's ear: the papers' decomposition (Brosh
 * et al., section 4; Goel et al., section 4.3). EWMA over some 16 packets, of each packet the copy
 * that came first; -1 = not known. This struct does not grow.
 */
typedef struct livetcp_delays {
    livetcp_usec send_queue_us;   /* in our send queue, where a packet can still be dropped */
    livetcp_usec send_buffer_us;  /* in the kernel, not sent yet */
    livetcp_usec network_us;      /* half of the minimum round trip, plus all queueing above it */
    livetcp_usec head_of_line_us; /* arrived, and waiting for lost or earlier packets */
    livetcp_usec playout_us;      /* delivered, and waiting for its time to play */
} livetcp_delays;

/* Bits of livetcp_peer_stats.protection: protection of the recent packet whose loss would be
 * repaired latest. */
enum {
    LIVETCP_PROTECTION_COPIES = 1 << 0, /* several copies at once */
    LIVETCP_PROTECTION_HEDGE = 1 << 1,  /* a copy when the acknowledgement is overdue */
    LIVETCP_PROTECTION_PARITY = 1 << 2  /* it is in a group of parity */
};

/* Bits of livetcp_session_stats.timestamped: delays that are measured with kernel timestamps, in
 * the last ten seconds. The others are inferred. */
enum {
    LIVETCP_TIMESTAMPED_SENT = 1 << 0,    /* sent.delays: send buffer, network, head of line */
    LIVETCP_TIMESTAMPED_RECEIVED = 1 << 1 /* received.delays: head of line */
};

/* The session's sharing of the path, see docs/guide/tuning.md. */
typedef enum livetcp_congestion {
    LIVETCP_CONGESTION_NONE = 0,  /* no queue has been seen of late, and nothing is limited */
    LIVETCP_CONGESTION_ALONE,     /* the queue is ours, and is kept short */
    LIVETCP_CONGESTION_COMPETING, /* others fill the queue whatever we do: a share of one flow */
    LIVETCP_CONGESTION_BACKLOG    /* the platform does not report the bytes in flight: the send
                                     queue alone shows what is too much */
} livetcp_congestion;

/* An unknown margin. */
#define LIVETCP_NO_MARGIN INT64_MIN

/*
 * The groups of livetcp_session_stats, by direction. A group never changes its size: a field that
 * is added takes one of its `reserved` ones, which are zero, and a group that has none left gets a
 * second one at the end of livetcp_session_stats. So groups have no struct_size of their own.
 */

/* The sending direction. "Media" is RTP and RTCP packets of the application. */
typedef struct livetcp_sent_stats {
    uint64_t accepted;         /* packets taken by livetcp_session_send() */
    uint64_t accepted_bytes;   /* media bytes, framing excluded */
    uint64_t refused;          /* packets refused to the caller: too large, or not RTP */
    uint64_t packets;          /* handed whole to the kernel */
    uint64_t bytes;            /* handed to the kernel: framing, control, copies too */
    uint64_t resent;           /* packets taken back from a lost connection that had not delivered
                                  them */
    uint64_t copies;           /* beyond the first of each packet */
    uint64_t copies_useful;    /* packets whose copy arrived well before the first, or instead */
    uint64_t extra_bytes;      /* media bytes of copies, and parity */
    uint64_t parity;           /* parity packets */
    uint64_t parity_dropped;   /* made, and not sent: no connection in time, or the budget spent */
    uint64_t padding;          /* tail probes and idle packets */
    uint64_t policy_errors;    /* invalid decisions of the policy, see on_warning */
    uint64_t keyframes_wanted; /* calls of on_keyframe_wanted */

    size_t queue_packets; /* in the send queue now */
    size_t queue_bytes;
    livetcp_usec queue_delay_us;     /* age of the oldest packet in the send queue */
    livetcp_usec max_queue_delay_us; /* longest that any sent packet waited there */
    livetcp_usec inferred_delay_us;  /* from send() now to delivery, inferred from the state of
                                        the connections; -1 while there is none */
    livetcp_usec delay_limit_us;     /* max-send-delay, or one round trip if that is longer; 0 =
                                        nothing is dropped for time */
    uint32_t estimated_bitrate;      /* bit/s of media that the connections carry without delay,
                                        see on_bitrate; 0 = not known yet */
    livetcp_congestion congestion;   /* what limits the bytes in flight now, */
    uint64_t window_bytes;           /*   to so many on all connections together; 0 = no limit */

    livetcp_delays delays; /* see livetcp_config.feedback_us; the last two from feedback */
    uint64_t timestamped;  /* packets whose acknowledgement the kernel timestamped */
    livetcp_usec interface_queue_us; /* part of delays.send_buffer_us: wait for the network
                                        interface after TCP has sent; -1 = not known */
    uint64_t acknowledged_lost;   /* packets that TCP acknowledged, and that the peer did not get:
                                     what ends TCP on the way had them when a connection broke, */
    uint64_t acknowledged_resent; /*   and of these, sent again; the others are lost for good */
    uint64_t unconfirmed; /* when the session ended, packets handed to the kernel and not confirmed
                             by the peer: perhaps lost, in what ends TCP on the way or with the
                             connections. Of a session that ends in order these are the packets of
                             the last feedback_us and round trip, which come all the same; 0 with
                             wire = plain */
    uint64_t reserved[5];
} livetcp_sent_stats;

/* Packets of the application that were dropped before they were sent. Classes are those of
 * livetcp_importance; RTCP counts as audio, unknown importance as delta. */
typedef struct livetcp_dropped_stats {
    uint64_t connection; /* cut short by a lost connection and not sent again */
    uint64_t queue_full; /* because the send queue was full, and of which class */
    uint64_t full_droppable, full_delta, full_audio, full_key;
    uint64_t late; /* because they would have been delivered later than max-send-delay */
    uint64_t late_droppable, late_delta, late_audio, late_key;
    uint64_t reserved[8];
} livetcp_dropped_stats;

/* The receiving direction. */
typedef struct livetcp_received_stats {
    uint64_t packets;         /* delivered to the application */
    uint64_t bytes;           /* media bytes delivered */
    uint64_t bytes_read;      /* from the kernel: framing, control, copies too */
    uint64_t duplicates;      /* copies discarded */
    uint64_t late_discarded;  /* order = sequence: came after the gap was given up */
    uint64_t sequence_gaps;   /* packets given up waiting for (sequence), else 0 */
    int64_t missing;          /* numbers that have not come (RFC 3550 A.3); 0 with rtcp = off */
    uint64_t null_frames;     /* RFC 4571 LENGTH 0, ignored */
    uint64_t protocol_errors; /* connections closed because the peer violated the protocol */
    uint64_t parity;          /* parity packets of the peer; they are not media */
    uint64_t parity_rebuilt;  /* packets made from parity and from the rest of their group */
    uint64_t parity_useful;   /* of these, delivered, since the original had not come */
    uint64_t parity_invalid;  /* parity packets of no use: malformed, or giving no RTP packet */
    livetcp_usec jitter_us;   /* interarrival jitter (RFC 3550 A.8) of the worst source; -1 while
                                 its clock rate is not known, and with rtcp = off */

    livetcp_delays delays;      /* the first four from the peer's feedback */
    uint64_t timestamped_reads; /* received together, with a kernel timestamp of the newest */
    livetcp_usec reading_us;    /* from arrival at this host to our reading it, with nothing missing
                                   before it: how late our thread is; -1 = not known */
    uint64_t acknowledged_lost; /* as the peer has answered: its packets that TCP acknowledged and
                                   that did not come when a connection ended, */
    uint64_t acknowledged_resent; /*   and of these, packets that it sends again */
    uint64_t reserved[6];
} livetcp_received_stats;

/* Messages about the media, both ways. Times are -1 while they are not known. */
typedef struct livetcp_control_stats {
    uint64_t reports_sent;      /* RTCP compounds of ours, see livetcp_config.rtcp */
    uint64_t reports_received;  /* sender and receiver reports, the application's included */
    uint64_t reports_invalid;   /* malformed, or with times that cannot be */
    livetcp_usec report_rtt_us; /* from the peer's reports (LSR, DLSR) */
    uint64_t feedback_sent;     /* see livetcp_config.feedback_us */
    uint64_t feedback_received;
    uint64_t feedback_invalid;    /* ignored: impossible values */
    livetcp_usec feedback_rtt_us; /* from our message to the peer's answer, less the time that the
                                     peer kept it: send buffers and repairs included */
    uint64_t timestamps_invalid;  /* kernel timestamps ignored: impossible values */
    uint64_t outages;             /* caller: times that nothing got through on any connection, so
                                     that it looked for the path with new ones, */
    uint64_t outage_probes;       /*   attempts to connect then, */
    uint64_t outages_ended;       /*   and times that one of these was the first to get through */
    uint64_t reserved[5];
} livetcp_control_stats;

/* Reports of the peer. Times are -1 while they are not known. */
typedef struct livetcp_peer_stats {
    livetcp_usec rtt_us;     /* as a sender, of its connections: mean, */
    livetcp_usec min_rtt_us; /*   minimum, */
    livetcp_usec rtt_variation_us;
    unsigned connections;        /*   how many are up; 0 = no report yet */
    unsigned protection;         /*   LIVETCP_PROTECTION_* */
    unsigned copies;             /*   of that packet, at once */
    unsigned parity_group;       /*   packets for each of parity; 0 = none */
    livetcp_usec hedge_delay_us; /* beyond a round trip, until the overdue is copied */
    uint64_t packets;            /* as a receiver: packets delivered there, */
    uint64_t missing;            /*   that have not come, */
    uint64_t late_order;         /*   that came after their turn (order = sequence), */
    uint64_t late_playout;       /*   and after their time to play */
    livetcp_usec margin_us;      /* minimum time left when a packet came, recently; negative = late;
                                    LIVETCP_NO_MARGIN = not reported */
    int64_t reported_missing;    /* in its receiver reports: packets of ours, */
    double reported_fraction; /*   0..1: share missing of the worst source since the report before,
                               */
    livetcp_usec reported_jitter_us; /*   and their jitter */
    double protection_shares[4];  /* as a sender: shares of its recent packets without protection,
                                     hedged, with copies and with parity; all 0 = not known */
    livetcp_usec copy_spacing_us; /*   and how far apart copies are */
    uint64_t reserved[3];
} livetcp_peer_stats;

/* Packets and copies on their way, as the acknowledgements of TCP tell: lost means that TCP had to
 * send it again. Needs a platform that reports retransmissions. Ratios and times are of the last
 * minute or so. */
typedef struct livetcp_loss_stats {
    uint64_t known;         /* packets and copies that were written, with known fate */
    uint64_t lost;          /* of these, lost */
    uint64_t arrived_twice; /* packets with several copies of known fate: two or more arrived, */
    uint64_t arrived_once;  /*   one, */
    uint64_t arrived_never; /*   or all were lost */
    double ratio;           /* 0..1: share of losses */
    double joint_ratio;     /* 0..1: share of losses among packets written at the same moment as a
                               lost one, on any connection; `ratio` when losses come one by one */
    livetcp_usec burst_us;  /* mean length of a burst of losses; 0 = they come one by one */
    livetcp_usec copy_spacing_us; /* in force, see livetcp_config.copy_spacing_us */
    uint64_t copies_dropped; /* that waited for copy_spacing_us and were not sent: acknowledged in
                                the meantime, too late, or beyond the budget */
    uint64_t reserved[8];
} livetcp_loss_stats;

/* Statistics of a session: totals since it exists. */
typedef struct livetcp_session_stats {
    size_t struct_size; /* set it to sizeof(livetcp_session_stats) before the call */

    unsigned connections;      /* slots of the session */
    unsigned open_connections; /* of these, open now */
    uint64_t reconnects;       /* connections replaced */
    livetcp_usec rtt_us;       /* of the connections that are up: mean of their EWMAs */
    livetcp_usec min_rtt_us;   /* and the minimum; -1 = not known */
    unsigned timestamped;      /* LIVETCP_TIMESTAMPED_*; see livetcp_config.timestamps */

    livetcp_sent_stats sent;
    livetcp_dropped_stats dropped;
    livetcp_received_stats received;
    livetcp_control_stats control;
    livetcp_peer_stats peer;
    livetcp_loss_stats losses;
    unsigned links; /* of its connections; see livetcp_link_stats */
} livetcp_session_stats;

/* Statistics of one link of a session: the connections that go over one network of this host to one
 * host of the peer. On a listener the networks are the caller's, known by their addresses. */
typedef struct livetcp_link_stats {
    size_t struct_size; /* set it to sizeof(livetcp_link_stats) before the call */

    unsigned index;
    unsigned weight;           /* see "link-weight" */
    unsigned connections;      /* slots on this link */
    unsigned open_connections; /* of these, open now */
    bool stalled;              /* nothing gets through, and elsewhere something does */
    uint64_t stalls;           /* times that it became so */
    uint64_t rate;             /* bytes per second that were lately written to it */
    uint64_t bytes_sent;       /* framing, control and copies too */
    uint64_t bytes_read;
    double share;                  /* 0..1: of the bytes lately written to all links */
    double loss;                   /* 0..1: lately, retransmitted segments per segment */
    livetcp_usec rtt_us;           /* of its connections that are up: mean of their EWMAs, */
    livetcp_usec min_rtt_us;       /*   and the minimum; -1 = not known */
    livetcp_congestion congestion; /* what limits the bytes in flight there, */
    uint64_t window_bytes;         /*   to so many; 0 = no limit */
    uint32_t estimated_bitrate;    /* bit/s of media that it carries without delay; 0 = not known */
    char network[96];              /* "wlan0", "192.0.2.7" or "wlan0 (192.0.2.7)"; "" = any */
    char host[96];                 /* of the peer, cut off if it is longer */
} livetcp_link_stats;

/* Statistics of one connection (slot) of a session. */
typedef struct livetcp_connection_stats {
    size_t struct_size; /* set it to sizeof(livetcp_connection_stats) before the call */

    unsigned index;
    livetcp_connection_state state;
    livetcp_result last_error; /* why it was last lost; LIVETCP_OK = never */
    uint64_t reconnects;
    uint64_t packets_sent; /* copies and parity too; these counters survive reconnects */
    uint64_t bytes_sent;
    uint64_t packets_received; /* frames with media, duplicates included */
    uint64_t bytes_read;
    union {
        livetcp_path path;      /* path information of the present connection */
        uint64_t path_room[32]; /* for livetcp_path to grow */
    };
    char local[64]; /* "address:port", "[v6]:port", or "" while not connected */
    char remote[64];
    livetcp_usec forecast_us; /* livetcp_path_forecast() now; -1 while it carries nothing */
} livetcp_connection_stats;

/* ---- the engine ---- */

/* All connections of one session. */
typedef struct livetcp_engine livetcp_engine;

/* An accepted connection that does not belong to a session yet; see below. */
typedef struct livetcp_pending livetcp_pending;

/* State of a session. */
typedef enum livetcp_session_state {
    LIVETCP_SESSION_CONNECTING = 0, /* no connection is open yet, or none is any more */
    LIVETCP_SESSION_OPEN,           /* at least one connection carries media */
    LIVETCP_SESSION_CLOSED          /* ended; nothing will be sent or received any more */
} livetcp_session_state;

/* A packet from the peer. Valid during the callback only. */
typedef struct livetcp_packet {
    const uint8_t *data; /* the RTP or RTCP packet, without framing */
    size_t size;
    livetcp_usec arrival_us; /* when it was read from the socket, on the owner's clock (a session's:
                                CLOCK_MONOTONIC, uv_hrtime()) */
    unsigned connection;     /* index of the connection it came on */
    bool rtcp;
    bool discontinuity; /* order = sequence: packets before this one are missing */
    bool report;        /* RTCP that LiveTCP made at the other end, see livetcp_config.rtcp: input
                           for an RTP stack; programs without one ignore it */
} livetcp_packet;

/* Fills `bytes`, at most 256, with unpredictable bytes. Anything but LIVETCP_OK is passed on by the
 * function that asked. */
typedef livetcp_result (*livetcp_random_fn)(void *user, uint8_t *bytes, size_t size);

/* ---- made and freed ---- */

/* Arguments of livetcp_engine_create(). */
typedef struct livetcp_engine_setup {
    size_t struct_size;             /* sizeof(livetcp_engine_setup) */
    const livetcp_config *config;   /* copied */
    const livetcp_policy *policy;   /* must outlive the engine; NULL = the one that config names */
    bool caller;                    /* connects; false: connections are adopted */
    const livetcp_pending *pending; /* listener, session wire: the connection that asked for this
                                       session and was accepted; copied. NULL otherwise */
    livetcp_random_fn random;       /* nonces, keys and SSRCs: must be unpredictable */
    void *random_user;

    /* A packet has come. Called from livetcp_engine_receive() and livetcp_engine_expire(). `data`
     * that lies within the input of receive() stays valid as long as that input. May be NULL. */
    void (*on_packet)(void *user, const livetcp_packet *packet);
    void *user;
    const char *cname; /* of RTCP reports, at most 63 bytes: sessions of one endpoint have the same;
                          NULL = one of its own. Copied */
} livetcp_engine_setup;

/* On success the caller owns *engine, on failure it is NULL. Errors: those of
 * livetcp_config_check() (except for host and port: the owner connects),
 * LIVETCP_ERR_UNKNOWN_POLICY, LIVETCP_ERR_NO_MEMORY, and those of `random`. */
LIVETCP_API livetcp_result livetcp_engine_create(const livetcp_engine_setup *setup,
                                                 livetcp_engine **engine, livetcp_error *error);

/* Frees it without a message to the peer; clears *engine, which may be NULL already. */
LIVETCP_API void livetcp_engine_destroy(livetcp_engine **engine);

/* ---- connections ---- */

/* A slot that wants a TCP connection now; it is CONNECTING from here on, until connected() or
 * lost(). Returns false if none does. Callers only. After a refusal one slot tries for all of them.
 * The owner limits the duration of an attempt (connect-timeout) and reports one that takes longer
 * as lost(). */
LIVETCP_API bool livetcp_engine_next_connect(livetcp_engine *engine, livetcp_usec now,
                                             unsigned *connection);

/* The slot's connection goes over that link, 0..LIVETCP_MAX_LINKS - 1: connections of the same link
 * share networks, those of different ones do not (two interfaces of this host, two hosts of the
 * peer). `weight` (0..255) is the cost of a byte there, see "link-weight". Each link has a
 * congestion control of its own, and a packet's copies prefer another link. Call it before
 * connected() or adopt(), and whenever a slot's next connection goes elsewhere; without it all
 * slots are on link 0. Errors: LIVETCP_ERR_INDEX_RANGE, LIVETCP_ERR_NO_MEMORY. */
LIVETCP_API livetcp_result livetcp_engine_set_link(livetcp_engine *engine, unsigned connection,
                                                   unsigned link, unsigned weight);

/* Slots (bit i = slot i) that wait to be connected again are due now, and the wait after a failure
 * is the shortest again: a network has come back. */
LIVETCP_API void livetcp_engine_retry(livetcp_engine *engine, uint32_t connections,
                                      livetcp_usec now);

/* Bytes of a TLS connection's keying material, for livetcp_engine_bind(). */
#define LIVETCP_BINDING_SIZE 32

/* Before connected(): the slot's connection is TLS, and `binding` is its keying material with the
 * label EXPORTER-Channel-Binding (RFC 9266). The peer's engine or pending connection must get the
 * same, or authentication fails. */
LIVETCP_API void livetcp_engine_bind(livetcp_engine *engine, unsigned connection,
                                     const uint8_t binding[LIVETCP_BINDING_SIZE]);

/* The TCP connection of that slot is up (caller). */
LIVETCP_API void livetcp_engine_connected(livetcp_engine *engine, unsigned connection,
                                          livetcp_usec now);

/* Adds a connection of a listener: the one of the setup's `pending`, one that has authenticated
 * itself as part of the session, or one of a plain wire (index 0). Errors:
 * LIVETCP_ERR_INDEX_RANGE, LIVETCP_ERR_INDEX_IN_USE, LIVETCP_ERR_CLOSED; the connection stays the
 * caller's. */
LIVETCP_API livetcp_result livetcp_engine_adopt(livetcp_engine *engine, unsigned connection,
                                                livetcp_usec now);

/* The socket of that slot failed or ended, or could not be connected, for `reason`. Its undelivered
 * packets return to the send queue. */
LIVETCP_API void livetcp_engine_lost(livetcp_engine *engine, unsigned connection,
                                     livetcp_result reason, livetcp_usec now);

/* ---- outages of the path ---- */

/* Probes that may be under way at once. */
#define LIVETCP_MAX_OUTAGE_PROBES 6

/* A caller's connections are silent: their bytes are not acknowledged any more, and TCP waits
 * longer and longer before it sends them again. A new TCP connection is to be started over *link,
 * as for next_connect(), but beside those of all slots: its handshake shows when the path is back.
 * It takes the place of an earlier *probe of that number, 0..LIVETCP_MAX_OUTAGE_PROBES - 1, that is
 * still under way. Returns false if none is due. Never with a plain wire, with a session of 32
 * connections, or with a listener that does not know of it. */
LIVETCP_API bool livetcp_engine_next_outage_probe(livetcp_engine *engine, livetcp_usec now,
                                                  unsigned *probe, unsigned *link);

/* Probes (bit i = probe i) that are of use: the owner ends the others, without telling. */
LIVETCP_API uint32_t livetcp_engine_outage_probes(const livetcp_engine *engine);

/* The probe failed. */
LIVETCP_API void livetcp_engine_outage_probe_lost(livetcp_engine *engine, unsigned probe);

/* The probe's TCP connection is up. True if the path is back, and this becomes the connection of
 * slot *connection, which is CONNECTING: go on as after next_connect(), with connected() or lost().
 * It is one slot more than the session has otherwise, until the others have recovered. False: close
 * it. */
LIVETCP_API bool livetcp_engine_outage_probe_connected(livetcp_engine *engine, unsigned probe,
                                                       unsigned *connection, livetcp_usec now);

/* The code and words with which the peer's application last turned this session away, 0 and "" if
 * it gave none: see livetcp_session_reject(). A caller that is given a code of 1 to 499 does not
 * call again: the session ends, with LIVETCP_ERR_CANCELLED. */
LIVETCP_API unsigned livetcp_engine_rejection(const livetcp_engine *engine, const char **text);

/* A slot with a socket to close now, because the engine has ended the connection; it is not
 * reported with lost() again. *reason is LIVETCP_OK for an attempt that is aborted without a fault
 * of its own: the peer has refused the session on another slot. False if there is none. The slot
 * may still be connecting, or have no socket. Written bytes may still be in flight, a BYE or REJECT
 * last: shut down the sending direction and read until the peer closes, because an earlier close()
 * may reset the connection and destroy them. */
LIVETCP_API bool livetcp_engine_next_close(livetcp_engine *engine, unsigned *connection,
                                           livetcp_result *reason);

/* Ends the session: queued packets are sent until now + drain_us, then BYE, then every slot is
 * closed. The event of state CLOSED carries `reason`. */
LIVETCP_API void livetcp_engine_close(livetcp_engine *engine, livetcp_result reason,
                                      livetcp_usec drain_us, livetcp_usec now);

/* ---- data ---- */

/* Takes one RTP or RTCP packet from the application, as livetcp_session_send_with(); `info` may be
 * NULL. It waits in the send queue until next_write(): call that at once for the minimum delay.
 * Errors: LIVETCP_ERR_PACKET_TOO_LARGE, LIVETCP_ERR_NOT_RTP, LIVETCP_ERR_CLOSED,
 * LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_INVALID_ARGUMENT for an `info` without its struct_size; the
 * packet was not taken then. */
LIVETCP_API livetcp_result livetcp_engine_send(livetcp_engine *engine, const void *packet,
                                               size_t size, const livetcp_packet_info *info,
                                               livetcp_usec now);

/* The kernel's receive timestamp of bytes (SO_TIMESTAMPING). */
typedef struct livetcp_rx_timestamp {
    bool known;
    bool repaired; /* segments had to wait for a late one */
    livetcp_usec at_us;
} livetcp_rx_timestamp;

/* Takes bytes that a slot's socket delivered; `timestamp` may be NULL. On an error the engine has
 * ended the connection: it comes out of next_close(), with a REJECT to write before if the peer
 * can read one. Errors: LIVETCP_ERR_GARBAGE, LIVETCP_ERR_PROTOCOL, LIVETCP_ERR_FRAME_TOO_LARGE,
 * LIVETCP_ERR_VERSION, LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_NO_MEMORY, the peer's reason. */
LIVETCP_API livetcp_result livetcp_engine_receive(livetcp_engine *engine, unsigned connection,
                                                  const uint8_t *data, size_t size,
                                                  const livetcp_rx_timestamp *timestamp,
                                                  livetcp_usec now);

/* One write call: exactly these bytes in one go, since a policy may have cut the frame on purpose
 * (split). Never spans two frames. */
typedef struct livetcp_engine_write {
    unsigned connection;
    const uint8_t *data; /* valid until the next call */
    size_t size;
    bool timestamp; /* request timestamps for the last byte that the kernel takes; see
                       livetcp_engine_has_timestamps() */
} livetcp_engine_write;

/* The next thing to write; asks the policy when it must. False if nothing can be written now.
 * wants_path_info() is to be asked before every call, not once for several. */
LIVETCP_API bool livetcp_engine_next_write(livetcp_engine *engine, livetcp_usec now,
                                           livetcp_engine_write *write);

/* Packets in the send queue. While there are some, next_write() may have more for a connection: an
 * owner can gather what it names, and write it in one call, if it copies it and calls wrote() at
 * once. */
LIVETCP_API size_t livetcp_engine_queued(const livetcp_engine *engine);

/* The kernel took `size` of the bytes that next_write() named. */
LIVETCP_API void livetcp_engine_wrote(livetcp_engine *engine, unsigned connection, size_t size,
                                      livetcp_usec now);

/* The same where the bytes become others before TCP gets them, as with TLS: `size` of those that
 * next_write() named were taken and are `wire_size` bytes in the send buffer. Path information and
 * timestamps count in these. */
LIVETCP_API void livetcp_engine_wrote_as(livetcp_engine *engine, unsigned connection, size_t size,
                                         size_t wire_size, livetcp_usec now);

/* The kernel takes no more on this slot (EAGAIN); call writable() when it does again. */
LIVETCP_API void livetcp_engine_blocked(livetcp_engine *engine, unsigned connection);

/* The kernel takes more, or has sent some of the bytes it held. Discards older path information. */
LIVETCP_API void livetcp_engine_writable(livetcp_engine *engine, unsigned connection);

/* Slots (bit i = slot i) that wait until less than unsent_limit() is unsent, because of the send
 * limit and not because the kernel takes no more. deadline() covers them; an owner that is notified
 * earlier (TCP_NOTSENT_LOWAT) calls writable(). */
LIVETCP_API uint32_t livetcp_engine_wants_writable(const livetcp_engine *engine);

/* Bytes that may be in a slot's kernel send buffer without having been sent, by
 * send-buffer-windows, send-buffer-segments and the path information; at least 1, UINT32_MAX = any
 * number. */
LIVETCP_API uint32_t livetcp_engine_unsent_limit(const livetcp_engine *engine, unsigned connection);

/* Slots (bit i = slot i) whose path information is too old for the decision that next_write() has
 * to make; 0 if none is due. Answer with path_info() before next_write(). */
LIVETCP_API uint32_t livetcp_engine_wants_path_info(livetcp_engine *engine, livetcp_usec now);

/* Path information from the platform: `known`, the byte counts, tcp_state, cwnd, times. The fields
 * connection, usable, blocked and last_write_us are the engine's own and ignored. Unknown fields
 * keep their values. An owner without path information passes known = 0. */
LIVETCP_API void livetcp_engine_path_info(livetcp_engine *engine, unsigned connection,
                                          const livetcp_path *info, livetcp_usec now);

/* ---- kernel timestamps ---- */

/* Event of a transmit timestamp. */
typedef enum livetcp_tx_timestamp_kind {
    LIVETCP_TX_SCHEDULED = 0, /* left TCP for the queue of the network interface */
    LIVETCP_TX_SENT,          /* left that queue for the interface; again if it is sent again */
    LIVETCP_TX_ACKNOWLEDGED,  /* the peer's TCP has it, and all before it */
    LIVETCP_TX_OTHER          /* another event; the other fields mean nothing */
} livetcp_tx_timestamp_kind;

/* Transmit timestamp of one written byte. */
typedef struct livetcp_tx_timestamp {
    livetcp_tx_timestamp_kind kind;
    uint32_t byte; /* its position in the stream modulo 2^32, from 0 for the engine's first */
    livetcp_usec at_us;
} livetcp_tx_timestamp;

/* The slot's socket provides transmit timestamps: next_write() then requests some. Call it before
 * the engine's first byte is written. Without it the engine requests none, and infers delays. */
LIVETCP_API void livetcp_engine_has_timestamps(livetcp_engine *engine, unsigned connection);

/* Passes a transmit timestamp, on the clock of `now`. */
LIVETCP_API void livetcp_engine_tx_timestamp(livetcp_engine *engine, unsigned connection,
                                             const livetcp_tx_timestamp *timestamp,
                                             livetcp_usec now);

/* ---- time ---- */

/* Sets wall-clock time less `now`, both in µs, for the NTP times of reports; 0 until then. Call it
 * before expire(). */
LIVETCP_API void livetcp_engine_set_wall_clock(livetcp_engine *engine, livetcp_usec ahead_us);

/* When expire() has something to do; LIVETCP_NEVER if nothing is pending. */
LIVETCP_API livetcp_usec livetcp_engine_deadline(const livetcp_engine *engine);

/* Does the work that is due at `now`. */
LIVETCP_API void livetcp_engine_expire(livetcp_engine *engine, livetcp_usec now);

/* ---- events, settings and statistics ---- */

/* Kind of an event, and the fields of livetcp_engine_event that belong to it. */
typedef enum livetcp_engine_event_type {
    LIVETCP_ENGINE_SESSION_STATE = 0, /* state.session, reason */
    LIVETCP_ENGINE_CONNECTION_STATE,  /* connection, state.connection, reason */
    LIVETCP_ENGINE_DRAINED,           /* the send queue, full or blocked before, is empty again */
    LIVETCP_ENGINE_WARNING,           /* reason, and its fields: the session continues */
    LIVETCP_ENGINE_KEYFRAME_WANTED,   /* ssrc */
    LIVETCP_ENGINE_BITRATE,           /* bitrate: the estimate has changed */
    LIVETCP_ENGINE_SENT               /* see livetcp_engine_notify_when_sent() */
} livetcp_engine_event_type;

/* An event for the application. */
typedef struct livetcp_engine_event {
    livetcp_engine_event_type type;
    unsigned connection;
    union {
        livetcp_session_state session;
        livetcp_connection_state connection;
    } state;
    livetcp_result reason; /* LIVETCP_OK unless something was lost */
    uint32_t ssrc;
    uint32_t bitrate;      /* bit/s; WARNING, LIVETCP_ERR_TOO_SLOW: what gets through */
    livetcp_usec asked_us; /* WARNING, LIVETCP_ERR_INVALID_ARGUMENT: max-send-delay, */
    livetcp_usec used_us;  /*   and the limit in force instead */
    uint32_t min_bitrate;  /* WARNING, LIVETCP_ERR_TOO_SLOW: min-bitrate, bit/s */
} livetcp_engine_event;

/* Takes the oldest event; false if there is none. */
LIVETCP_API bool livetcp_engine_next_event(livetcp_engine *engine, livetcp_engine_event *event);

/* State of the session. */
LIVETCP_API livetcp_session_state livetcp_engine_state(const livetcp_engine *engine);

/* Bytes of a session id. */
#define LIVETCP_SESSION_ID_SIZE 16

/* Session id, named by joining connections: LIVETCP_SESSION_ID_SIZE bytes, all zero on a plain
 * wire. A caller draws a new one when the listener no longer knows the session. */
LIVETCP_API const uint8_t *livetcp_engine_session_id(const livetcp_engine *engine);

/* Slots of the session, open or not. */
LIVETCP_API unsigned livetcp_engine_connections(const livetcp_engine *engine);

/* Report of a playout about the packets it received from on_packet. */
typedef struct livetcp_playout_report {
    size_t struct_size;     /* sizeof(livetcp_playout_report) */
    livetcp_usec delay_us;  /* from delivery to playing, recent mean; 0..60 s */
    livetcp_usec margin_us; /* minimum time left until playing when a packet came, since the last
                               report; negative: it was late. -60 s..60 s, or LIVETCP_NO_MARGIN
                               if none came */
    uint64_t late;          /* packets that came too late to play, since the session exists */
} livetcp_playout_report;

/* See livetcp_session_report_playout(). */
LIVETCP_API livetcp_result livetcp_engine_report_playout(livetcp_engine *engine,
                                                         const livetcp_playout_report *report);

/* All payload types whose clock rate neither the application nor RFC 3551 defines. */
#define LIVETCP_ANY_PAYLOAD (-1)

/* See livetcp_session_set_clock_rate(). */
LIVETCP_API livetcp_result livetcp_engine_set_clock_rate(livetcp_engine *engine, int payload_type,
                                                         uint32_t hz);

/* Fill at most `stats->struct_size` bytes. The second one's addresses stay empty: they are the
 * owner's. Errors: LIVETCP_ERR_INVALID_ARGUMENT, for a connection out of range or a struct without
 * its size. */
LIVETCP_API livetcp_result livetcp_engine_get_stats(const livetcp_engine *engine, livetcp_usec now,
                                                    livetcp_session_stats *stats);
LIVETCP_API livetcp_result livetcp_engine_get_connection_stats(const livetcp_engine *engine,
                                                               unsigned connection,
                                                               livetcp_usec now,
                                                               livetcp_connection_stats *stats);

/* `link` is 0..links-1, else LIVETCP_ERR_INVALID_ARGUMENT. The texts are the owner's. */
LIVETCP_API livetcp_result livetcp_engine_get_link_stats(const livetcp_engine *engine,
                                                         unsigned link, livetcp_usec now,
                                                         livetcp_link_stats *stats);

/* ---- a listener's side of joining ---- */

/* Maximum size of a reply, in bytes. */
#define LIVETCP_REPLY_MAX 160

/* A frame to write on its pending connection; size 0 = none. */
typedef struct livetcp_reply {
    uint8_t frame[LIVETCP_REPLY_MAX];
    size_t size;
} livetcp_reply;

/* Next step of a pending connection's handshake. */
typedef enum livetcp_pending_step {
    LIVETCP_PENDING_MORE = 0, /* all input is consumed; wait for more, or for the deadline */
    LIVETCP_PENDING_CREATE,   /* a new session is asked for: livetcp_pending_accept() */
    LIVETCP_PENDING_JOIN,     /* the session of that id: livetcp_pending_challenge() */
    LIVETCP_PENDING_PROVED,   /* authenticated for that session, after CREATE one that is made now:
                                 livetcp_engine_adopt_pending(), the reply,
                                 livetcp_pending_held() */
    LIVETCP_PENDING_FAILED    /* write the reply, if any, and close; *error says why */
} livetcp_pending_step;

/* Creates a pending connection, whose handshake must end within `timeout_us` from now. Holds at
 * most 4 KiB, and 256 KiB of media that follows CREATE. NULL without memory. */
LIVETCP_API livetcp_pending *livetcp_pending_create(livetcp_usec now, livetcp_usec timeout_us);

/* Frees it and wipes its secrets; clears *pending, which may be NULL already. */
LIVETCP_API void livetcp_pending_destroy(livetcp_pending **pending);

/* Before anything is received: the connection is TLS; see livetcp_engine_bind(). */
LIVETCP_API void livetcp_pending_bind(livetcp_pending *pending,
                                      const uint8_t binding[LIVETCP_BINDING_SIZE]);

/* End of the time for the handshake: reject it then with LIVETCP_ERR_HANDSHAKE_TIMEOUT. */
LIVETCP_API livetcp_usec livetcp_pending_deadline(const livetcp_pending *pending);

/* Consumes input up to the end of the frame that leads to the next step. The remaining input
 * belongs to the session once the connection is adopted, and to the next call after a challenge.
 * Write the reply, if any, first. Errors: LIVETCP_ERR_GARBAGE for a frame that is not RTP or RTCP,
 * LIVETCP_ERR_FRAME_TOO_LARGE for a frame too long for a handshake, LIVETCP_ERR_PROTOCOL for media,
 * other RTCP, a message out of place or too many bytes, LIVETCP_ERR_TLS for a token without TLS,
 * LIVETCP_ERR_VERSION, LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_NO_MEMORY, and the peer's reason if it
 * left. */
LIVETCP_API livetcp_pending_step livetcp_pending_receive(livetcp_pending *pending,
                                                         const uint8_t **data, size_t *size,
                                                         livetcp_reply *reply,
                                                         livetcp_result *error);

/* Session id and connection index that the peer asked for; valid after CREATE or JOIN. The id has
 * LIVETCP_SESSION_ID_SIZE bytes. */
LIVETCP_API const uint8_t *livetcp_pending_session_id(const livetcp_pending *pending);
LIVETCP_API unsigned livetcp_pending_index(const livetcp_pending *pending);

/* True if it asked for a new session, by CREATE; false if it joins one. Valid as the id is. */
LIVETCP_API bool livetcp_pending_is_create(const livetcp_pending *pending);

/* How the caller has introduced itself: the stream that it means, its token, and what it means to
 * do. "" and LIVETCP_ROLE_BOTH if it said nothing, or is older than version 0.2. Valid after CREATE
 * and a stranger's words until PROVED; the texts live as long as the pending. A token comes over a
 * connection with livetcp_pending_bind() only. */
LIVETCP_API const char *livetcp_pending_stream_id(const livetcp_pending *pending);
LIVETCP_API const char *livetcp_pending_token(const livetcp_pending *pending);
LIVETCP_API livetcp_role livetcp_pending_role(const livetcp_pending *pending);

/* After CREATE: agrees on the session's key; `reply` is the ACCEPT. Write it at once and go on with
 * livetcp_pending_receive(): after PROVED make the session, with this in its setup. Whoever made a
 * session before that would make one for every stranger. (A session that is made at once, and
 * adopts the connection before the ACCEPT is written, checks the PROOF itself.) Errors:
 * LIVETCP_ERR_BAD_PROOF for a public key of low order, LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM,
 * those of `random`: reject it then. */
LIVETCP_API livetcp_result livetcp_pending_accept(livetcp_pending *pending,
                                                  livetcp_random_fn random, void *random_user,
                                                  livetcp_reply *reply);

/* After PROVED: media and messages that followed CREATE before PROOF came, as a piece of the byte
 * stream: what the connection's first livetcp_engine_receive() gets. *size is 0 if nothing did.
 * Valid until the pending is destroyed. */
LIVETCP_API const uint8_t *livetcp_pending_held(const livetcp_pending *pending, size_t *size);

/* After JOIN: `reply` is the CHALLENGE of the session with that id, to be written at once. The
 * session may end meanwhile. Errors: LIVETCP_ERR_UNKNOWN_SESSION if it has no key any more,
 * LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM, those of `random`: reject it then. */
LIVETCP_API livetcp_result livetcp_pending_challenge(livetcp_pending *pending,
                                                     const livetcp_engine *engine,
                                                     livetcp_random_fn random, void *random_user,
                                                     livetcp_reply *reply);

/* After PROVED of a CREATE, while the application decides about the session: `reply` makes the
 * caller wait for another of its handshake-timeout, and is none if the caller is too old for it. */
LIVETCP_API void livetcp_pending_wait(const livetcp_pending *pending, livetcp_reply *reply);

/* After PROVED: as livetcp_engine_adopt() with livetcp_pending_index(). The engine then also tells
 * the peer which packets have come on this connection, and learns that of its own, so that packets
 * are not lost that something on the way acknowledges and loses. */
LIVETCP_API livetcp_result livetcp_engine_adopt_pending(livetcp_engine *engine,
                                                        const livetcp_pending *pending,
                                                        livetcp_usec now);

/* Turns the connection away, whatever its state; `reply` is a REJECT. */
LIVETCP_API void livetcp_pending_reject(livetcp_pending *pending, livetcp_result reason,
                                        livetcp_reply *reply);

/* Longest words of a rejection, in bytes. */
#define LIVETCP_REJECTION_MAX 120

/* The same with a code and words of the application, see livetcp_session_reject(). */
LIVETCP_API void livetcp_pending_reject_with(livetcp_pending *pending, livetcp_result reason,
                                             unsigned code, const char *text, livetcp_reply *reply);

/* ---- settings of an engine that runs ---- */

/* Requests one event LIVETCP_ENGINE_SENT for when the send queue and the outboxes of all
 * connections are empty; that may be now. A closed engine has no such event. */
LIVETCP_API void livetcp_engine_notify_when_sent(livetcp_engine *engine);

/* Settings of a session that runs, checked together with its others; on failure *error (may be
 * NULL) gives the reason and nothing is changed. See livetcp_session_set_policy() and those after
 * it. The policy must outlive the engine; it starts with fresh state. Run the owner's loop
 * afterwards. Errors: LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_CLOSED, and LIVETCP_ERR_NO_MEMORY
 * for a policy.
 */
LIVETCP_API livetcp_result livetcp_engine_set_policy(livetcp_engine *engine,
                                                     const livetcp_policy *policy,
                                                     livetcp_error *error);
LIVETCP_API livetcp_result livetcp_engine_set_redundancy_budget(livetcp_engine *engine,
                                                                double budget,
                                                                livetcp_error *error);
LIVETCP_API livetcp_result livetcp_engine_set_bitrate_bounds(livetcp_engine *engine, uint32_t min,
                                                             uint32_t max, livetcp_error *error);
LIVETCP_API livetcp_result livetcp_engine_set_max_send_delay(livetcp_engine *engine,
                                                             livetcp_usec delay_us,
                                                             livetcp_error *error);
LIVETCP_API livetcp_result livetcp_engine_set_order(livetcp_engine *engine, livetcp_order order,
                                                    livetcp_error *error);

#ifdef __cplusplus
}
#endif

#endif
