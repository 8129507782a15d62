/* SPDX-License-Identifier: MIT */
/* What a session counts. */
#ifndef LIVETCP_STATS_H
#define LIVETCP_STATS_H

#include <livetcp/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum livetcp_connection_state {
    LIVETCP_CONNECTION_IDLE = 0,   /* not connected; will be, when its time comes */
    LIVETCP_CONNECTION_CONNECTING, /* TCP handshake under way */
    LIVETCP_CONNECTION_JOINING,    /* connected; not yet accepted into the session */
    LIVETCP_CONNECTION_OPEN,       /* carries media */
    LIVETCP_CONNECTION_CLOSED      /* for good */
} livetcp_connection_state;

/*
 * Where one-way delay arises, from send() to the listener's ear: the papers' decomposition (Brosh
 * et al., section 4; Goel et al., section 4.3). Smoothed over some 16 packets, of each packet the
 * copy that came first; -1 = not known. This struct does not grow.
 */
typedef struct livetcp_delays {
    livetcp_usec send_queue_us;   /* in our send queue, where a packet can still be dropped */
    livetcp_usec send_buffer_us;  /* in the kernel, not sent yet */
    livetcp_usec network_us;      /* half of the least round trip, and all of what it is above */
    livetcp_usec head_of_line_us; /* arrived, and waiting for what was lost or comes before it */
    livetcp_usec playout_us;      /* delivered, and waiting for its turn to play */
} livetcp_delays;

/* Bits of livetcp_peer_stats.protection: what was done for the packet of late whose loss
 * would be repaired latest. */
enum {
    LIVETCP_PROTECTION_COPIES = 1 << 0, /* several copies at once */
    LIVETCP_PROTECTION_HEDGE = 1 << 1,  /* a copy when the acknowledgement is overdue */
    LIVETCP_PROTECTION_PARITY = 1 << 2  /* it is in a group of parity */
};

/* Bits of livetcp_session_stats.stamped: delays that are measured with kernel timestamps, in the
 * last ten seconds. The others are inferred. */
enum {
    LIVETCP_STAMPED_SENT = 1 << 0,    /* sent.delays: send buffer, network, head of line */
    LIVETCP_STAMPED_RECEIVED = 1 << 1 /* received.delays: head of line */
};

/* A margin that nobody has told. */
#define LIVETCP_NO_MARGIN INT64_MIN

/*
 * The groups of livetcp_session_stats, by direction. A group never changes its size: a field that
 * is added takes one of its `reserved` ones, which are zero, and a group that has none left gets a
 * second one at the end of livetcp_session_stats. So groups have no struct_size of their own.
 */

/* What this side sends. "Media" is RTP and RTCP packets of the application. */
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
    uint64_t fillers;          /* chasers and idle packets */
    uint64_t policy_errors;    /* decisions of the policy that made no sense, see on_warning */
    uint64_t keyframes_wanted; /* calls of on_keyframe_wanted */

    size_t queue_packets; /* in the send queue now */
    size_t queue_bytes;
    livetcp_usec queue_delay_us;     /* age of the oldest packet in the send queue */
    livetcp_usec max_queue_delay_us; /* longest that any sent packet waited there */
    livetcp_usec inferred_delay_us;  /* from send() now to delivery, as far as the connections'
                                        state tells; -1 while there is no connection */
    livetcp_usec delay_limit_us;     /* max-send-delay, or one round trip if that is longer; 0 =
                                        nothing is dropped for time */
    uint32_t estimated_bitrate;      /* bit/s of media that the connections carry without delay,
                                        see on_bitrate; 0 = not known yet */

    livetcp_delays delays; /* see livetcp_config.feedback_us; the last two as the peer tells */
    uint64_t stamped;      /* packets whose acknowledgement the kernel timestamped */
    livetcp_usec interface_queue_us; /* of delays.send_buffer_us, what was waited after TCP had
                                        sent, for the network interface; -1 = not known */
    uint64_t reserved[8];
} livetcp_sent_stats;

/* Packets of the application that were dropped before they were sent. Classes are those of
 * livetcp_importance; RTCP counts as audio, what is unknown as delta. */
typedef struct livetcp_dropped_stats {
    uint64_t connection; /* cut short by a lost connection and not sent again */
    uint64_t queue_full; /* because the send queue was full, and of which class */
    uint64_t full_droppable, full_delta, full_audio, full_key;
    uint64_t late; /* because they would have been delivered later than max-send-delay */
    uint64_t late_droppable, late_delta, late_audio, late_key;
    uint64_t reserved[8];
} livetcp_dropped_stats;

/* What this side receives. */
typedef struct livetcp_received_stats {
    uint64_t packets;         /* delivered to the application */
    uint64_t bytes;           /* media bytes delivered */
    uint64_t bytes_read;      /* from the kernel: framing, control, copies too */
    uint64_t duplicates;      /* copies discarded */
    uint64_t late_discarded;  /* order = sequence: came after the gap was given up */
    uint64_t sequence_gaps;   /* packets given up waiting for (sequence), else 0 */
    int64_t missing;          /* numbers that have not come (RFC 3550 A.3); 0 with rtcp = off */
    uint64_t null_frames;     /* RFC 4571 LENGTH 0, ignored */
    uint64_t protocol_errors; /* connections closed because of what the peer sent */
    uint64_t parity;          /* parity packets of the peer; they are not media */
    uint64_t parity_rebuilt;  /* packets made from parity and from the rest of their group */
    uint64_t parity_useful;   /* of these, delivered, since the original had not come */
    uint64_t parity_invalid;  /* parity packets of no use: malformed, or giving no RTP packet */
    livetcp_usec jitter_us;   /* interarrival jitter (RFC 3550 A.8) of the worst source; -1 while
                                 its clock rate is not known, and with rtcp = off */

    livetcp_delays delays;   /* the first four as the peer tells */
    uint64_t stamped_reads;  /* received together, and the kernel told when the newest came */
    livetcp_usec reading_us; /* from arrival at this host to our reading it, with nothing missing
                                before it: how late our thread is; -1 = not known */
    uint64_t reserved[8];
} livetcp_received_stats;

/* Messages about the media, both ways. Times are -1 while they are not known. */
typedef struct livetcp_control_stats {
    uint64_t reports_sent;      /* RTCP compounds of ours, see livetcp_config.rtcp */
    uint64_t reports_received;  /* sender and receiver reports, the application's included */
    uint64_t reports_invalid;   /* malformed, or with times that cannot be */
    livetcp_usec report_rtt_us; /* from the peer's reports (LSR, DLSR) */
    uint64_t feedback_sent;     /* see livetcp_config.feedback_us */
    uint64_t feedback_received;
    uint64_t feedback_invalid;    /* ignored: it said what cannot be */
    livetcp_usec feedback_rtt_us; /* from our message to the peer's that answers it, less the time
                                     that the peer kept it: send buffers and repairs included */
    uint64_t stamps_invalid;      /* kernel timestamps ignored: they said what cannot be */
    uint64_t reserved[8];
} livetcp_control_stats;

/* What the peer told. Times are -1 while they are not known. */
typedef struct livetcp_peer_stats {
    livetcp_usec rtt_us;     /* as a sender, of its connections: mean, */
    livetcp_usec min_rtt_us; /*   least, */
    livetcp_usec rtt_variation_us;
    unsigned connections;        /*   how many are up; 0 = nothing was told yet */
    unsigned protection;         /*   LIVETCP_PROTECTION_* */
    unsigned copies;             /*   of that packet, at once */
    unsigned parity_group;       /*   packets for each of parity; 0 = none */
    livetcp_usec hedge_delay_us; /* beyond a round trip, until the overdue is copied */
    uint64_t packets;            /* as a receiver: packets delivered there, */
    uint64_t missing;            /*   that have not come, */
    uint64_t late_order;         /*   that came after their turn (order = sequence), */
    uint64_t late_playout;       /*   and after their time to play */
    livetcp_usec margin_us; /* the least by which one was in time to play, of late; negative = late;
                               LIVETCP_NO_MARGIN = it has not said */
    int64_t reported_missing; /* in its receiver reports: packets of ours, */
    double reported_fraction; /*   0..1: share missing of the worst source since the report before,
                               */
    livetcp_usec reported_jitter_us; /*   and their jitter */
    uint64_t reserved[8];
} livetcp_peer_stats;

/* Totals since the session exists. */
typedef struct livetcp_session_stats {
    size_t struct_size; /* set it to sizeof(livetcp_session_stats) before the call */

    unsigned connections;      /* slots of the session */
    unsigned open_connections; /* of these, open now */
    uint64_t reconnects;       /* connections replaced */
    livetcp_usec rtt_us;       /* of the connections that are up: mean of the smoothed ones */
    livetcp_usec min_rtt_us;   /* and the least; -1 = not known */
    unsigned stamped;          /* LIVETCP_STAMPED_*; see livetcp_config.timestamps */

    livetcp_sent_stats sent;
    livetcp_dropped_stats dropped;
    livetcp_received_stats received;
    livetcp_control_stats control;
    livetcp_peer_stats peer;
} livetcp_session_stats;

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
        livetcp_path path;      /* facts; those of the present connection */
        uint64_t path_room[32]; /* for livetcp_path to grow */
    };
    char local[64]; /* "address:port", "[v6]:port", or "" while not connected */
    char remote[64];
    livetcp_usec forecast_us; /* livetcp_path_forecast() now; -1 while it carries nothing */
} livetcp_connection_stats;

#ifdef __cplusplus
}
#endif

#endif
