/* SPDX-License-Identifier: MIT */
/*
 * The engine behind a session, for programs that bring their own transport or event loop (ICE-TCP,
 * a TLS stack, a WebSocket, poll(), a browser): all connections of one session without a clock, a
 * socket or a thread. Bytes, path information and time go in; bytes to write, packets, events and
 * one deadline come out. livetcp/session.h is the same engine with libuv and TCP sockets.
 *
 * The owner runs this loop after every call that changed something:
 *
 *     while (livetcp_engine_next_connect(...))    start a TCP connection for that slot
 *     while (livetcp_engine_next_outage_probe(...))  start one beside the slots (optional)
 *     wanted = livetcp_engine_wants_path_info(...)  query the platform about those connections
 *     while (livetcp_engine_next_write(...))      write; report wrote, blocked or lost
 *     while (livetcp_engine_next_close(...))      close that slot's socket
 *     while (livetcp_engine_next_event(...))      report it to the application
 *     arm one timer for livetcp_engine_deadline(), which calls livetcp_engine_expire()
 *
 * samples/own_transport.c is a complete owner over poll().
 *
 * Time. Every `now` is a time on one monotonic clock, in microseconds; it must not decrease from
 * one call to the next.
 *
 * Threads. An engine has no lock: its owner makes sure that calls do not overlap. Different engines
 * share nothing. Callbacks run within the call that causes them and must not call the engine.
 *
 * Slots. A connection is identified by its index, 0..livetcp_engine_connections() - 1: a slot in
 * which one TCP connection replaces another. Calls with an index out of this range have no effect.
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
    LIVETCP_CONNECTION_IDLE = 0,   /* not connected; the next attempt is scheduled */
    LIVETCP_CONNECTION_CONNECTING, /* TCP handshake in progress */
    LIVETCP_CONNECTION_JOINING,    /* connected; not accepted into the session yet */
    LIVETCP_CONNECTION_OPEN,       /* carries media */
    LIVETCP_CONNECTION_CLOSED      /* permanently */
} livetcp_connection_state;

/*
 * One-way delay by component, from send() to the listener's ear, as decomposed by Brosh et al.,
 * section 4, and Goel et al., section 4.3. EWMA over about 16 packets, of each packet the copy that
 * arrived first; -1 = unknown. This struct does not grow.
 */
typedef struct livetcp_delays {
    livetcp_usec send_queue_us;   /* in the send queue, where a packet can still be dropped */
    livetcp_usec send_buffer_us;  /* in the kernel, not sent yet */
    livetcp_usec network_us;      /* half of the minimum round trip, plus all queueing above it */
    livetcp_usec head_of_line_us; /* received, waiting for lost or earlier packets */
    livetcp_usec playout_us;      /* delivered, waiting for its play time */
} livetcp_delays;

/* Bits of livetcp_peer_stats.protection: protection of the recent packet whose loss would be
 * repaired last. */
enum {
    LIVETCP_PROTECTION_COPIES = 1 << 0, /* several copies at once */
    LIVETCP_PROTECTION_HEDGE = 1 << 1,  /* a copy when the acknowledgement is overdue */
    LIVETCP_PROTECTION_PARITY = 1 << 2  /* in a parity group */
};

/* Bits of livetcp_session_stats.timestamped: delays measured with kernel timestamps in the last ten
 * seconds; the others are inferred. */
enum {
    LIVETCP_TIMESTAMPED_SENT = 1 << 0,    /* sent.delays: send buffer, network, head of line */
    LIVETCP_TIMESTAMPED_RECEIVED = 1 << 1 /* received.delays: head of line */
};

/* How the session shares the path; see docs/guide/tuning.md. */
typedef enum livetcp_congestion {
    LIVETCP_CONGESTION_NONE = 0,  /* no queue was seen recently; no limit */
    LIVETCP_CONGESTION_ALONE,     /* the queue is the session's own, and is kept short */
    LIVETCP_CONGESTION_COMPETING, /* others fill the queue in any case: the share of one flow */
    LIVETCP_CONGESTION_BACKLOG /* the platform does not report the bytes in flight: the send queue
                                  alone shows congestion */
} livetcp_congestion;

/* Value of an unknown margin. */
#define LIVETCP_NO_MARGIN INT64_MIN

/*
 * The groups of livetcp_session_stats, by direction. A group never changes its size: a new field
 * takes one of the `reserved` ones, which are zero, and a group without any gets a second one at
 * the end of livetcp_session_stats. Therefore groups have no struct_size.
 */

/* Sending direction. "Media" is the application's RTP and RTCP packets. */
typedef struct livetcp_sent_stats {
    uint64_t accepted;       /* packets accepted by livetcp_session_send() */
    uint64_t accepted_bytes; /* media bytes, framing excluded */
    uint64_t refused;        /* packets rejected: too large, or not RTP */
    uint64_t packets;        /* written to the kernel completely */
    uint64_t bytes;          /* written to the kernel, with framing, control messages and copies */
    uint64_t resent; /* packets taken back from a lost connection that had not delivered them */
    uint64_t copies; /* beyond the first of each packet */
    uint64_t copies_useful;  /* packets of which a copy arrived well before the first one, or in its
                                place */
    uint64_t extra_bytes;    /* bytes of copies and parity */
    uint64_t parity;         /* parity packets */
    uint64_t parity_dropped; /* made but not sent: no connection in time, or the budget was spent */
    uint64_t padding;        /* tail probes and idle packets */
    uint64_t policy_errors;  /* invalid decisions of the policy; see on_warning */
    uint64_t keyframes_wanted; /* calls of on_keyframe_wanted */

    size_t queue_packets; /* currently in the send queue */
    size_t queue_bytes;
    livetcp_usec queue_delay_us;     /* age of the oldest packet in the send queue */
    livetcp_usec max_queue_delay_us; /* maximum time that a sent packet waited there */
    livetcp_usec inferred_delay_us;  /* expected time from send() now to delivery, inferred from the
                                        connections' state; -1 while there is none */
    livetcp_usec delay_limit_us; /* max-send-delay, or one round trip if that is longer; 0 = packets
                                    are not dropped by time */
    uint32_t estimated_bitrate;  /* bit/s of media that the connections carry without delay; see
                                    on_bitrate; 0 = unknown */
    livetcp_congestion congestion; /* current limit of the bytes in flight, */
    uint64_t window_bytes;         /* in bytes over all connections; 0 = no limit */

    livetcp_delays delays; /* see livetcp_config.feedback_us; the last two are from feedback */
    uint64_t timestamped;  /* packets whose acknowledgement has a kernel timestamp */
    livetcp_usec interface_queue_us; /* part of delays.send_buffer_us: wait for the network
                                        interface after TCP has sent; -1 = unknown */
    /* packets that TCP acknowledged and the peer did not receive: a device that terminates TCP on
     * the path had them when a connection broke, */
    uint64_t acknowledged_lost;
    uint64_t acknowledged_resent; /* and of these, sent again; the others are lost for good */
    uint64_t unconfirmed; /* at the end of the session, packets written to the kernel and not
                             confirmed by the peer: possibly lost, in a device that terminates TCP
                             on the path, or with the connections. After a regular end these are the
                             packets of the last feedback_us and round trip, which arrive
                             nevertheless; 0 with wire = plain */
    uint64_t reserved[5];
} livetcp_sent_stats;

/* Application packets dropped before they were sent. Classes are those of livetcp_importance; RTCP
 * counts as audio, unknown importance as delta. */
typedef struct livetcp_dropped_stats {
    uint64_t connection; /* partly written to a lost connection and not sent again */
    uint64_t queue_full; /* because the send queue was full; by class: */
    uint64_t full_droppable, full_delta, full_audio, full_key;
    uint64_t late; /* because delivery would have exceeded max-send-delay; by class: */
    uint64_t late_droppable, late_delta, late_audio, late_key;
    uint64_t reserved[8];
} livetcp_dropped_stats;

/* Receiving direction. */
typedef struct livetcp_received_stats {
    uint64_t packets;         /* delivered to the application */
    uint64_t bytes;           /* media bytes delivered */
    uint64_t bytes_read;      /* read from the kernel, with framing, control messages and copies */
    uint64_t duplicates;      /* copies discarded */
    uint64_t late_discarded;  /* order = sequence: arrived after its gap was abandoned */
    uint64_t sequence_gaps;   /* order = sequence: packets that were no longer waited for */
    int64_t missing;          /* sequence numbers not received (RFC 3550, A.3); 0 with rtcp = off */
    uint64_t null_frames;     /* RFC 4571 LENGTH 0, ignored */
    uint64_t protocol_errors; /* connections closed because of a protocol violation of the peer */
    uint64_t parity;          /* parity packets of the peer, which are not media */
    uint64_t parity_rebuilt;  /* packets rebuilt from parity and the rest of their group */
    uint64_t parity_useful;   /* of these, delivered, since the original had not arrived */
    uint64_t parity_invalid;  /* useless parity packets: malformed, or not yielding an RTP packet */
    livetcp_usec jitter_us; /* interarrival jitter (RFC 3550, A.8) of the worst source; -1 while its
                               clock rate is unknown, and with rtcp = off */

    livetcp_delays delays;      /* the first four are from the peer's feedback */
    uint64_t timestamped_reads; /* reads of packets with a kernel timestamp of the newest one */
    livetcp_usec reading_us;    /* from arrival at the host to our read, with nothing missing ahead:
                                   the lateness of our thread; -1 = unknown */
    uint64_t acknowledged_lost; /* according to the peer: its packets that TCP acknowledged and that
                                   were not received when a connection ended, */
    uint64_t acknowledged_resent; /* and of these, packets that it sends again */
    uint64_t reserved[6];
} livetcp_received_stats;

/* Messages about the media, in both directions. Times are -1 while unknown. */
typedef struct livetcp_control_stats {
    uint64_t reports_sent;      /* our RTCP compounds; see livetcp_config.rtcp */
    uint64_t reports_received;  /* sender and receiver reports, including the application's */
    uint64_t reports_invalid;   /* malformed, or with impossible times */
    livetcp_usec report_rtt_us; /* from the peer's reports (LSR, DLSR) */
    uint64_t feedback_sent;     /* see livetcp_config.feedback_us */
    uint64_t feedback_received;
    uint64_t feedback_invalid;    /* ignored because of impossible values */
    livetcp_usec feedback_rtt_us; /* from our message to the peer's answer, minus the peer's holding
                                     time; includes send buffers and repairs */
    uint64_t timestamps_invalid;  /* ignored because of impossible values */
    uint64_t outages;       /* caller: outages of all connections, in which new ones are tried, */
    uint64_t outage_probes; /* connection attempts during outages, */
    uint64_t outages_ended; /* and outages in which one of these was the first to succeed */
    uint64_t reserved[5];
} livetcp_control_stats;

/* Reports of the peer. Times are -1 while unknown. */
typedef struct livetcp_peer_stats {
    livetcp_usec rtt_us;     /* as a sender: mean over its connections, */
    livetcp_usec min_rtt_us; /* minimum, */
    livetcp_usec rtt_variation_us;
    unsigned connections;        /* number of open ones; 0 = no report yet */
    unsigned protection;         /*   LIVETCP_PROTECTION_* */
    unsigned copies;             /* of that packet, sent at once */
    unsigned parity_group;       /* packets per parity packet; 0 = none */
    livetcp_usec hedge_delay_us; /* beyond a round trip, until an overdue packet is copied */
    uint64_t packets;            /* as a receiver: packets delivered, */
    uint64_t missing;            /* not received, */
    uint64_t late_order;         /* received after their turn (order = sequence), */
    uint64_t late_playout;       /* and after their play time */
    livetcp_usec margin_us;      /* minimum time left to play at arrival, recently; negative = late;
                                    LIVETCP_NO_MARGIN = not reported */
    int64_t reported_missing;    /* by its receiver reports: our packets not received, */
    double reported_fraction; /* 0..1: share lost of the worst source since the previous report, */
    livetcp_usec reported_jitter_us; /*   and their jitter */
    double protection_shares[4];  /* as a sender: shares of its recent packets without protection,
                                     hedged, with copies, with parity; all 0 = unknown */
    livetcp_usec copy_spacing_us; /* and spacing of copies */
    uint64_t reserved[3];
} livetcp_peer_stats;

/* Fate of packets and copies by TCP's acknowledgements: lost means that TCP had to retransmit.
 * Requires a platform that reports retransmissions. Ratios and times are over about the last
 * minute. */
typedef struct livetcp_loss_stats {
    uint64_t known;         /* packets and copies written, with known fate */
    uint64_t lost;          /* of these, lost */
    uint64_t arrived_twice; /* packets with several copies of known fate: two or more arrived, */
    uint64_t arrived_once;  /*   one, */
    uint64_t arrived_never; /*   or all were lost */
    double ratio;           /* 0..1: loss rate */
    double joint_ratio; /* 0..1: loss rate of packets written at the same moment as a lost one, on
                           any connection; equals `ratio` for independent losses */
    livetcp_usec burst_us;        /* mean length of a loss burst; 0 = losses are independent */
    livetcp_usec copy_spacing_us; /* in force, see livetcp_config.copy_spacing_us */
    uint64_t copies_dropped; /* delayed copies that were not sent: acknowledged before, too late, or
                                beyond the budget */
    uint64_t reserved[8];
} livetcp_loss_stats;

/* Statistics of a session; counts are totals since its creation. */
typedef struct livetcp_session_stats {
    size_t struct_size; /* set it to sizeof(livetcp_session_stats) before the call */

    unsigned connections;      /* slots of the session */
    unsigned open_connections; /* of these, currently open */
    uint64_t reconnects;       /* connections replaced */
    livetcp_usec rtt_us;       /* mean of the EWMAs of the open connections */
    livetcp_usec min_rtt_us;   /* and their minimum; -1 = unknown */
    unsigned timestamped;      /* LIVETCP_TIMESTAMPED_*; see livetcp_config.timestamps */

    livetcp_sent_stats sent;
    livetcp_dropped_stats dropped;
    livetcp_received_stats received;
    livetcp_control_stats control;
    livetcp_peer_stats peer;
    livetcp_loss_stats losses;
    unsigned links;    /* number of links of its connections; see livetcp_link_stats */
    uint64_t rerouted; /* of `reconnects`: by this end, to leave a route longer than others have */
} livetcp_session_stats;

/* Statistics of one link of a session: the connections from one network of this host to one host of
 * the peer. On a listener the networks are the caller's, identified by their addresses. */
typedef struct livetcp_link_stats {
    size_t struct_size; /* set it to sizeof(livetcp_link_stats) before the call */

    unsigned index;
    unsigned weight;           /* see "link-weight" */
    unsigned connections;      /* slots on this link */
    unsigned open_connections; /* of these, currently open */
    bool stalled;              /* nothing gets through, while another link works */
    uint64_t stalls;           /* number of stalls */
    uint64_t rate;             /* bytes per second written recently */
    uint64_t bytes_sent;       /* with framing, control messages and copies */
    uint64_t bytes_read;
    double share;                  /* 0..1: share of the bytes written recently to all links */
    double loss;                   /* 0..1: recent retransmissions per segment */
    livetcp_usec rtt_us;           /* mean of the EWMAs of its open connections, */
    livetcp_usec min_rtt_us;       /* and their minimum; -1 = unknown */
    livetcp_congestion congestion; /* current limit of the bytes in flight, */
    uint64_t window_bytes;         /* in bytes; 0 = no limit */
    uint32_t estimated_bitrate;    /* bit/s of media that it carries without delay; 0 = unknown */
    char network[96];              /* "wlan0", "192.0.2.7" or "wlan0 (192.0.2.7)"; "" = any */
    char host[96];                 /* of the peer, truncated if it is longer */
} livetcp_link_stats;

/* Statistics of one connection (slot) of a session. */
typedef struct livetcp_connection_stats {
    size_t struct_size; /* set it to sizeof(livetcp_connection_stats) before the call */

    unsigned index;
    livetcp_connection_state state;
    livetcp_result last_error; /* of the last loss; LIVETCP_OK = none */
    uint64_t reconnects;
    uint64_t packets_sent; /* with copies and parity; these counters survive reconnects */
    uint64_t bytes_sent;
    uint64_t packets_received; /* media frames, duplicates included */
    uint64_t bytes_read;
    union {
        livetcp_path path;      /* of the current connection */
        uint64_t path_room[32]; /* space for livetcp_path to grow */
    };
    char local[64]; /* "address:port", "[v6]:port", or "" while not connected */
    char remote[64];
    livetcp_usec forecast_us; /* livetcp_path_forecast() now; -1 while it carries no media */
} livetcp_connection_stats;

/* ---- the engine ---- */

/* All connections of one session. */
typedef struct livetcp_engine livetcp_engine;

/* An accepted connection without a session; see below. */
typedef struct livetcp_pending livetcp_pending;

/* State of a session. */
typedef enum livetcp_session_state {
    LIVETCP_SESSION_CONNECTING = 0, /* no connection is open yet, or any more */
    LIVETCP_SESSION_OPEN,           /* at least one connection carries media */
    LIVETCP_SESSION_CLOSED          /* ended; nothing more is sent or received */
} livetcp_session_state;

/* A packet from the peer; valid during the callback. */
typedef struct livetcp_packet {
    const uint8_t *data; /* the RTP or RTCP packet, without framing */
    size_t size;
    livetcp_usec arrival_us; /* time of the read from the socket, on the owner's clock (of a
                                session: CLOCK_MONOTONIC, uv_hrtime()) */
    unsigned connection;     /* index of its connection */
    bool rtcp;
    bool discontinuity; /* order = sequence: packets before this one are missing */
    bool report; /* RTCP from the peer's LiveTCP, see livetcp_config.rtcp: for an RTP stack; other
                    programs ignore it */
} livetcp_packet;

/* Fills `bytes`, at most 256, with unpredictable bytes. A result other than LIVETCP_OK is returned
 * by the calling function. */
typedef livetcp_result (*livetcp_random_fn)(void *user, uint8_t *bytes, size_t size);

/* ---- creation ---- */

/* Arguments of livetcp_engine_create(). */
typedef struct livetcp_engine_setup {
    size_t struct_size;             /* sizeof(livetcp_engine_setup) */
    const livetcp_config *config;   /* copied */
    const livetcp_policy *policy;   /* must outlive the engine; NULL = the one named in config */
    bool caller;                    /* opens connections; false: connections are adopted */
    const livetcp_pending *pending; /* listener, session wire: the connection that requested this
                                       session and was accepted; copied. NULL otherwise */
    livetcp_random_fn random;       /* for nonces, keys and SSRCs; must be unpredictable */
    void *random_user;

    /* A packet was received. Called from livetcp_engine_receive() and livetcp_engine_expire().
     * `data` within the input of receive() stays valid as long as that input. May be NULL. */
    void (*on_packet)(void *user, const livetcp_packet *packet);
    void *user;
    const char *cname; /* of RTCP reports, at most 63 bytes; the same for all sessions of an
                          endpoint; NULL = a random one. Copied */
} livetcp_engine_setup;

/* On success the caller owns *engine, on failure it is NULL. Errors: those of
 * livetcp_config_check() (except for host and port: the owner connects),
 * LIVETCP_ERR_UNKNOWN_POLICY, LIVETCP_ERR_NO_MEMORY, and those of `random`. */
LIVETCP_API livetcp_result livetcp_engine_create(const livetcp_engine_setup *setup,
                                                 livetcp_engine **engine, livetcp_error *error);

/* Frees the engine without a message to the peer, and clears *engine, which may be NULL. */
LIVETCP_API void livetcp_engine_destroy(livetcp_engine **engine);

/* ---- connections ---- */

/* Next slot that wants a TCP connection now; its state is CONNECTING until connected() or lost().
 * False if there is none. Callers only. After a refusal one slot tries for all. The owner limits
 * the duration of an attempt (connect-timeout) and then reports lost(). */
LIVETCP_API bool livetcp_engine_next_connect(livetcp_engine *engine, livetcp_usec now,
                                             unsigned *connection);

/* Assigns the slot's connection to a link, 0..LIVETCP_MAX_LINKS - 1. Connections of one link share
 * networks; those of different links do not (two interfaces of this host, two hosts of the peer).
 * `weight` (0..255) is the cost of a byte there, see "link-weight". Each link has its own
 * congestion control, and copies of a packet prefer another link. Call it before connected() or
 * adopt(), and whenever a slot's next connection takes another link; by default all slots are on
 * link 0. Errors: LIVETCP_ERR_INDEX_RANGE, LIVETCP_ERR_NO_MEMORY. */
LIVETCP_API livetcp_result livetcp_engine_set_link(livetcp_engine *engine, unsigned connection,
                                                   unsigned link, unsigned weight);

/* Makes the next attempts of these slots (bit i = slot i) due now, and resets their backoff: a
 * network has come back. */
LIVETCP_API void livetcp_engine_retry(livetcp_engine *engine, uint32_t connections,
                                      livetcp_usec now);

/* Size of the keying material for livetcp_engine_bind(), in bytes. */
#define LIVETCP_BINDING_SIZE 32

/* Call before connected() if the slot's connection is TLS. `binding` is its keying material with
 * the label EXPORTER-Channel-Binding (RFC 9266). The peer's engine or pending connection must get
 * the same, or authentication fails. */
LIVETCP_API void livetcp_engine_bind(livetcp_engine *engine, unsigned connection,
                                     const uint8_t binding[LIVETCP_BINDING_SIZE]);

/* The slot's TCP connection is established (caller). */
LIVETCP_API void livetcp_engine_connected(livetcp_engine *engine, unsigned connection,
                                          livetcp_usec now);

/* Adds a listener's connection: the setup's `pending`, one that has authenticated itself as part of
 * the session, or one of a plain wire (index 0). Errors, on which the caller keeps the connection:
 * LIVETCP_ERR_INDEX_RANGE, LIVETCP_ERR_INDEX_IN_USE, LIVETCP_ERR_CLOSED. */
LIVETCP_API livetcp_result livetcp_engine_adopt(livetcp_engine *engine, unsigned connection,
                                                livetcp_usec now);

/* The slot's socket failed or ended, or could not be connected, for `reason`. Its undelivered
 * packets return to the send queue. */
LIVETCP_API void livetcp_engine_lost(livetcp_engine *engine, unsigned connection,
                                     livetcp_result reason, livetcp_usec now);

/* ---- outages ---- */

/* Maximum number of probes at a time. */
#define LIVETCP_MAX_OUTAGE_PROBES 6

/* A caller's connections are silent: nothing is acknowledged, and TCP's retransmission timeouts
 * grow. Start a new TCP connection over *link as for next_connect(), but beside those of all slots;
 * its handshake shows when the path is back. It replaces an earlier *probe with the same number,
 * 0..LIVETCP_MAX_OUTAGE_PROBES - 1, that is still in progress. False if none is due. Not with a
 * plain wire, a session of 32 connections, or a listener without support for it. */
LIVETCP_API bool livetcp_engine_next_outage_probe(livetcp_engine *engine, livetcp_usec now,
                                                  unsigned *probe, unsigned *link);

/* Probes (bit i = probe i) that are still useful. The owner ends the others without reporting that.
 */
LIVETCP_API uint32_t livetcp_engine_outage_probes(const livetcp_engine *engine);

/* The probe failed. */
LIVETCP_API void livetcp_engine_outage_probe_lost(livetcp_engine *engine, unsigned probe);

/* The probe's TCP connection is established. True if the outage has ended and this is the
 * connection of slot *connection, which is CONNECTING: continue as after next_connect(), with
 * connected() or lost(). The slot is an additional one, until the others have recovered. False:
 * close the connection. */
LIVETCP_API bool livetcp_engine_outage_probe_connected(livetcp_engine *engine, unsigned probe,
                                                       unsigned *connection, livetcp_usec now);

/* Code and text with which the peer's application last rejected this session; 0 and "" if there
 * were none. See livetcp_session_reject(). After a code of 1 to 499 a caller does not try again:
 * the session ends with LIVETCP_ERR_CANCELLED. */
LIVETCP_API unsigned livetcp_engine_rejection(const livetcp_engine *engine, const char **text);

/* Next slot whose socket must be closed, because the engine has ended the connection; do not report
 * it with lost(). *reason is LIVETCP_OK for an attempt aborted without an error of its own: the
 * peer has refused the session on another slot. False if there is none. The slot may still be
 * connecting, or have no socket. With LIVETCP_ERR_CONNECTION_LOST nothing gets through on it while
 * other connections work, and its packets are sent there: reset it (SO_LINGER with 0 s), so that
 * the kernel does not repeat them. Otherwise written bytes, a BYE or REJECT last, may still be in
 * flight: shut down the sending direction and read until the peer closes, since an earlier close()
 * may reset the connection and destroy them. */
LIVETCP_API bool livetcp_engine_next_close(livetcp_engine *engine, unsigned *connection,
                                           livetcp_result *reason);

/* Ends the session: queued packets are sent until now + drain_us, then BYE, then every slot is
 * closed. The event with state CLOSED has `reason`. */
LIVETCP_API void livetcp_engine_close(livetcp_engine *engine, livetcp_result reason,
                                      livetcp_usec drain_us, livetcp_usec now);

/* ---- data ---- */

/* Takes an RTP or RTCP packet from the application, as livetcp_session_send_with(); `info` may be
 * NULL. It waits in the send queue until next_write(); call that at once for minimum delay. Errors,
 * on which the packet is not taken: LIVETCP_ERR_PACKET_TOO_LARGE, LIVETCP_ERR_NOT_RTP,
 * LIVETCP_ERR_CLOSED, LIVETCP_ERR_NO_MEMORY, LIVETCP_ERR_INVALID_ARGUMENT for an `info` without
 * struct_size. */
LIVETCP_API livetcp_result livetcp_engine_send(livetcp_engine *engine, const void *packet,
                                               size_t size, const livetcp_packet_info *info,
                                               livetcp_usec now);

/* Receive timestamp of the kernel (SO_TIMESTAMPING). */
typedef struct livetcp_rx_timestamp {
    bool known;
    bool repaired; /* segments waited for a missing one */
    livetcp_usec at_us;
} livetcp_rx_timestamp;

/* Takes bytes read from a slot's socket; `timestamp` may be NULL. After an error the engine has
 * ended the connection: next_close() returns it, with a REJECT to write before if the peer can read
 * one. Errors: LIVETCP_ERR_GARBAGE, LIVETCP_ERR_PROTOCOL, LIVETCP_ERR_FRAME_TOO_LARGE,
 * LIVETCP_ERR_VERSION, LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_NO_MEMORY, the peer's reason. */
LIVETCP_API livetcp_result livetcp_engine_receive(livetcp_engine *engine, unsigned connection,
                                                  const uint8_t *data, size_t size,
                                                  const livetcp_rx_timestamp *timestamp,
                                                  livetcp_usec now);

/* One write call of exactly these bytes, since a policy may have split the frame on purpose
 * (split). Never spans two frames. */
typedef struct livetcp_engine_write {
    unsigned connection;
    const uint8_t *data; /* valid until the next call of the engine */
    size_t size;
    bool timestamp; /* request timestamps of the last byte that the kernel takes; see
                       livetcp_engine_has_timestamps() */
} livetcp_engine_write;

/* The next bytes to write; asks the policy if necessary. False if nothing can be written now. Call
 * wants_path_info() before every call, not once for several. */
LIVETCP_API bool livetcp_engine_next_write(livetcp_engine *engine, livetcp_usec now,
                                           livetcp_engine_write *write);

/* Number of packets in the send queue. While it is not 0, next_write() may have more for a
 * connection: an owner may copy the bytes, call wrote() at once, and write several results in one
 * call. */
LIVETCP_API size_t livetcp_engine_queued(const livetcp_engine *engine);

/* The kernel took `size` of the bytes from next_write(). */
LIVETCP_API void livetcp_engine_wrote(livetcp_engine *engine, unsigned connection, size_t size,
                                      livetcp_usec now);

/* wrote() for bytes that are transformed before TCP gets them, as with TLS: `size` of the bytes
 * from next_write() were taken, and are `wire_size` bytes in the send buffer. Path information and
 * timestamps count the latter. */
LIVETCP_API void livetcp_engine_wrote_as(livetcp_engine *engine, unsigned connection, size_t size,
                                         size_t wire_size, livetcp_usec now);

/* The slot's send buffer is full (EAGAIN); call writable() when it is not. */
LIVETCP_API void livetcp_engine_blocked(livetcp_engine *engine, unsigned connection);

/* The send buffer has space again, or some of its bytes were sent. Invalidates older path
 * information. */
LIVETCP_API void livetcp_engine_writable(livetcp_engine *engine, unsigned connection);

/* Slots (bit i = slot i) that wait until less than unsent_limit() is unsent, because of the send
 * limit and not because the send buffer is full. deadline() covers them; an owner that is notified
 * earlier (TCP_NOTSENT_LOWAT) calls writable(). */
LIVETCP_API uint32_t livetcp_engine_wants_writable(const livetcp_engine *engine);

/* Maximum number of unsent bytes in the slot's send buffer, by send-buffer-windows,
 * send-buffer-segments and the path information; at least 1, UINT32_MAX = no limit. */
LIVETCP_API uint32_t livetcp_engine_unsent_limit(const livetcp_engine *engine, unsigned connection);

/* Slots (bit i = slot i) whose path information is too old for the decisions of next_write(); 0 if
 * none. Answer with path_info() before next_write(). */
LIVETCP_API uint32_t livetcp_engine_wants_path_info(livetcp_engine *engine, livetcp_usec now);

/* Path information from the platform: `known`, byte counts, tcp_state, cwnd, times. The fields
 * connection, usable, blocked and last_write_us belong to the engine and are ignored. Unknown
 * fields keep their values. An owner without path information passes known = 0. */
LIVETCP_API void livetcp_engine_path_info(livetcp_engine *engine, unsigned connection,
                                          const livetcp_path *info, livetcp_usec now);

/* ---- kernel timestamps ---- */

/* Event of a transmit timestamp. */
typedef enum livetcp_tx_timestamp_kind {
    LIVETCP_TX_SCHEDULED = 0, /* passed by TCP to the queue of the network interface */
    LIVETCP_TX_SENT,          /* passed by that queue to the interface; once per transmission */
    LIVETCP_TX_ACKNOWLEDGED,  /* acknowledged by the peer, with all bytes before it */
    LIVETCP_TX_OTHER          /* another event; the other fields are undefined */
} livetcp_tx_timestamp_kind;

/* Transmit timestamp of one written byte. */
typedef struct livetcp_tx_timestamp {
    livetcp_tx_timestamp_kind kind;
    uint32_t byte; /* offset in the stream modulo 2^32; 0 is the engine's first byte */
    livetcp_usec at_us;
} livetcp_tx_timestamp;

/* The slot's socket provides transmit timestamps, so next_write() may request some. Call it before
 * the engine's first byte is written. Otherwise none are requested, and delays are inferred. */
LIVETCP_API void livetcp_engine_has_timestamps(livetcp_engine *engine, unsigned connection);

/* Passes a transmit timestamp on the clock of `now`. */
LIVETCP_API void livetcp_engine_tx_timestamp(livetcp_engine *engine, unsigned connection,
                                             const livetcp_tx_timestamp *timestamp,
                                             livetcp_usec now);

/* ---- time ---- */

/* Sets the wall-clock time minus `now`, in µs, for the NTP times of reports; initially 0. Call it
 * before expire(). */
LIVETCP_API void livetcp_engine_set_wall_clock(livetcp_engine *engine, livetcp_usec ahead_us);

/* Time of the next expire(); LIVETCP_NEVER if nothing is pending. */
LIVETCP_API livetcp_usec livetcp_engine_deadline(const livetcp_engine *engine);

/* Does the work that is due at `now`. */
LIVETCP_API void livetcp_engine_expire(livetcp_engine *engine, livetcp_usec now);

/* ---- events, settings and statistics ---- */

/* Kind of an event, and the fields of livetcp_engine_event that belong to it. */
typedef enum livetcp_engine_event_type {
    LIVETCP_ENGINE_SESSION_STATE = 0, /* state.session, reason */
    LIVETCP_ENGINE_CONNECTION_STATE,  /* connection, state.connection, reason */
    LIVETCP_ENGINE_DRAINED,           /* the send queue is empty after it was full or blocked */
    LIVETCP_ENGINE_WARNING,           /* reason, and its fields; the session continues */
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
    livetcp_result reason; /* LIVETCP_OK unless a connection or the session was lost */
    uint32_t ssrc;
    uint32_t bitrate;      /* bit/s; WARNING, LIVETCP_ERR_TOO_SLOW: capacity of the path */
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

/* Session id that joining connections name: LIVETCP_SESSION_ID_SIZE bytes, all zero on a plain
 * wire. A caller draws a new one when the listener does not know the session any more. */
LIVETCP_API const uint8_t *livetcp_engine_session_id(const livetcp_engine *engine);

/* Slots of the session, open or not. */
LIVETCP_API unsigned livetcp_engine_connections(const livetcp_engine *engine);

/* A playout's report about the packets it received from on_packet. */
typedef struct livetcp_playout_report {
    size_t struct_size;     /* sizeof(livetcp_playout_report) */
    livetcp_usec delay_us;  /* from delivery to playing, recent mean; 0..60 s */
    livetcp_usec margin_us; /* minimum time left to play at arrival, since the last report; negative
                               = late. -60 s..60 s, or LIVETCP_NO_MARGIN without packets */
    uint64_t late;          /* packets too late to play, since the session's creation */
} livetcp_playout_report;

/* See livetcp_session_report_playout(). */
LIVETCP_API livetcp_result livetcp_engine_report_playout(livetcp_engine *engine,
                                                         const livetcp_playout_report *report);

/* All payload types whose clock rate is defined neither by the application nor by RFC 3551. */
#define LIVETCP_ANY_PAYLOAD (-1)

/* See livetcp_session_set_clock_rate(). */
LIVETCP_API livetcp_result livetcp_engine_set_clock_rate(livetcp_engine *engine, int payload_type,
                                                         uint32_t hz);

/* Fill in at most `stats->struct_size` bytes. The addresses of a connection stay empty, since they
 * are the owner's. Errors: LIVETCP_ERR_INVALID_ARGUMENT for a connection out of range, or a struct
 * without its size. */
LIVETCP_API livetcp_result livetcp_engine_get_stats(const livetcp_engine *engine, livetcp_usec now,
                                                    livetcp_session_stats *stats);
LIVETCP_API livetcp_result livetcp_engine_get_connection_stats(const livetcp_engine *engine,
                                                               unsigned connection,
                                                               livetcp_usec now,
                                                               livetcp_connection_stats *stats);

/* `link` is 0..links-1, otherwise LIVETCP_ERR_INVALID_ARGUMENT. The texts stay empty, since they
 * are the owner's. */
LIVETCP_API livetcp_result livetcp_engine_get_link_stats(const livetcp_engine *engine,
                                                         unsigned link, livetcp_usec now,
                                                         livetcp_link_stats *stats);

/* ---- listeners: pending connections ---- */

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
    LIVETCP_PENDING_CREATE,   /* a new session is requested: livetcp_pending_accept() */
    LIVETCP_PENDING_JOIN,     /* to the session with that id: livetcp_pending_challenge() */
    LIVETCP_PENDING_PROVED,   /* authenticated for its session, which is created now after CREATE:
                                 livetcp_engine_adopt_pending(), the reply, livetcp_pending_held() */
    LIVETCP_PENDING_FAILED    /* write the reply, if any, and close; *error is the reason */
} livetcp_pending_step;

/* Creates a pending connection, whose handshake must be complete within `timeout_us` of `now`.
 * Holds at most 4 KiB, and 256 KiB of media after CREATE. NULL without memory. */
LIVETCP_API livetcp_pending *livetcp_pending_create(livetcp_usec now, livetcp_usec timeout_us);

/* Frees it and wipes its secrets; clears *pending, which may be NULL. */
LIVETCP_API void livetcp_pending_destroy(livetcp_pending **pending);

/* Call before the first input if the connection is TLS; see livetcp_engine_bind(). */
LIVETCP_API void livetcp_pending_bind(livetcp_pending *pending,
                                      const uint8_t binding[LIVETCP_BINDING_SIZE]);

/* Timeout of the handshake: reject the connection then with LIVETCP_ERR_HANDSHAKE_TIMEOUT. */
LIVETCP_API livetcp_usec livetcp_pending_deadline(const livetcp_pending *pending);

/* Consumes input up to the end of the frame that leads to the next step. The remaining input
 * belongs to the session once the connection is adopted, and to the next call after a challenge.
 * Write the reply first, if any. Errors: LIVETCP_ERR_GARBAGE for a frame that is neither RTP nor
 * RTCP, LIVETCP_ERR_FRAME_TOO_LARGE for a frame too long for a handshake, LIVETCP_ERR_PROTOCOL for
 * media, foreign RTCP, an unexpected message or too many bytes, LIVETCP_ERR_TLS for a token without
 * TLS, LIVETCP_ERR_VERSION, LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_NO_MEMORY, and the reason of a peer
 * that left. */
LIVETCP_API livetcp_pending_step livetcp_pending_receive(livetcp_pending *pending,
                                                         const uint8_t **data, size_t *size,
                                                         livetcp_reply *reply,
                                                         livetcp_result *error);

/* Session id (LIVETCP_SESSION_ID_SIZE bytes) and connection index that the peer named; valid after
 * CREATE or JOIN. */
LIVETCP_API const uint8_t *livetcp_pending_session_id(const livetcp_pending *pending);
LIVETCP_API unsigned livetcp_pending_index(const livetcp_pending *pending);

/* True if the peer requested a new session by CREATE; false if it joins one. Valid as the id is. */
LIVETCP_API bool livetcp_pending_is_create(const livetcp_pending *pending);

/* The caller's introduction: its stream id, token and role. "" and LIVETCP_ROLE_BOTH if it sent
 * none, or is older than version 0.2. Valid after CREATE, and unauthenticated until PROVED; the
 * texts live as long as `pending`. A token is sent only on a connection with
 * livetcp_pending_bind(). */
LIVETCP_API const char *livetcp_pending_stream_id(const livetcp_pending *pending);
LIVETCP_API const char *livetcp_pending_token(const livetcp_pending *pending);
LIVETCP_API livetcp_role livetcp_pending_role(const livetcp_pending *pending);

/* After CREATE: agrees on the session's key; `reply` is ACCEPT. Write it at once and continue with
 * livetcp_pending_receive(). Create the session after PROVED, with `pending` in its setup: before
 * that, any unauthenticated peer would get one. (A session that is created at once, and adopts the
 * connection before ACCEPT is written, checks the PROOF itself.) Errors, on which the connection
 * must be rejected: LIVETCP_ERR_BAD_PROOF for a public key of low order, LIVETCP_ERR_BAD_STATE,
 * LIVETCP_ERR_SYSTEM, those of `random`. */
LIVETCP_API livetcp_result livetcp_pending_accept(livetcp_pending *pending,
                                                  livetcp_random_fn random, void *random_user,
                                                  livetcp_reply *reply);

/* After PROVED: media and messages received between CREATE and PROOF, as a part of the byte stream.
 * Pass it to the connection's first livetcp_engine_receive(). *size = 0 if there are none. Valid
 * until `pending` is destroyed. */
LIVETCP_API const uint8_t *livetcp_pending_held(const livetcp_pending *pending, size_t *size);

/* After JOIN: `reply` is the CHALLENGE of the session with that id; write it at once. The session
 * may end meanwhile. Errors, on which the connection must be rejected: LIVETCP_ERR_UNKNOWN_SESSION
 * if it has no key any more, LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM, those of `random`. */
LIVETCP_API livetcp_result livetcp_pending_challenge(livetcp_pending *pending,
                                                     const livetcp_engine *engine,
                                                     livetcp_random_fn random, void *random_user,
                                                     livetcp_reply *reply);

/* After PROVED of a CREATE, while the application decides about the session: `reply` restarts the
 * caller's handshake-timeout; it is none if the caller does not support that. */
LIVETCP_API void livetcp_pending_wait(const livetcp_pending *pending, livetcp_reply *reply);

/* After PROVED: livetcp_engine_adopt() with livetcp_pending_index(). In addition the two engines
 * exchange receipts for the packets received on this connection, so that packets which a device on
 * the path acknowledges and then loses are sent again. */
LIVETCP_API livetcp_result livetcp_engine_adopt_pending(livetcp_engine *engine,
                                                        const livetcp_pending *pending,
                                                        livetcp_usec now);

/* Rejects the connection in any state; `reply` is REJECT. */
LIVETCP_API void livetcp_pending_reject(livetcp_pending *pending, livetcp_result reason,
                                        livetcp_reply *reply);

/* Maximum length of a rejection's text, in bytes. */
#define LIVETCP_REJECTION_MAX 120

/* livetcp_pending_reject() with a code and a text of the application; see livetcp_session_reject().
 */
LIVETCP_API void livetcp_pending_reject_with(livetcp_pending *pending, livetcp_result reason,
                                             unsigned code, const char *text, livetcp_reply *reply);

/* ---- settings of a running engine ---- */

/* Requests one event LIVETCP_ENGINE_SENT for the time when the send queue and the outboxes of all
 * connections are empty, which may be now. A closed engine emits none. */
LIVETCP_API void livetcp_engine_notify_when_sent(livetcp_engine *engine);

/* Settings of a running session, checked together with the others. On failure nothing is changed,
 * and *error (may be NULL) has the reason. See livetcp_session_set_policy() and the functions after
 * it. The policy must outlive the engine, and starts with fresh state. Run the owner's loop
 * afterwards. Errors: LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_CLOSED, and LIVETCP_ERR_NO_MEMORY
 * for a policy. */
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
