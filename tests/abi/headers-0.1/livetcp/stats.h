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

/* Bits of livetcp_session_stats.peer_protection: what was done for the packet of late whose loss
 * would be repaired latest. */
enum {
    LIVETCP_PROTECTION_COPIES = 1 << 0, /* several copies at once */
    LIVETCP_PROTECTION_HEDGE = 1 << 1,  /* a copy when the acknowledgement is overdue */
    LIVETCP_PROTECTION_PARITY = 1 << 2  /* it is in a group of parity */
};

/* Bits of livetcp_session_stats.stamped: delays that are measured with kernel timestamps, in the
 * last ten seconds. The others are inferred. */
enum {
    LIVETCP_STAMPED_SENT = 1 << 0,    /* sent_delays: send buffer, network, head of line */
    LIVETCP_STAMPED_RECEIVED = 1 << 1 /* received_delays: head of line */
};

/* A margin that nobody has told. */
#define LIVETCP_NO_MARGIN INT64_MIN

/* Totals since the session exists. "Media" is RTP and RTCP packets of the application. */
typedef struct livetcp_session_stats {
    size_t struct_size; /* set it to sizeof(livetcp_session_stats) before the call */

    unsigned connections;      /* slots of the session */
    unsigned open_connections; /* of these, open now */
    uint64_t reconnects;       /* connections replaced */

    uint64_t packets_accepted;   /* taken by livetcp_session_send() */
    uint64_t bytes_accepted;     /* media bytes, framing excluded */
    uint64_t packets_sent;       /* handed whole to the kernel */
    uint64_t bytes_sent;         /* bytes handed to the kernel: framing, control, copies too */
    uint64_t dropped_queue_full; /* oldest dropped because the send queue was full */
    uint64_t dropped_connection; /* cut short by a lost connection and not sent again */
    uint64_t refused_packets;    /* refused to the caller: too large, or not RTP */
    size_t queue_packets;        /* in the send queue now */
    size_t queue_bytes;
    livetcp_usec queue_delay_us;     /* age of the oldest packet in the send queue */
    livetcp_usec max_queue_delay_us; /* longest that any sent packet waited there */

    uint64_t packets_received; /* delivered to the application */
    uint64_t bytes_received;   /* media bytes delivered */
    uint64_t bytes_read;       /* from the kernel: framing, control, copies too */
    uint64_t duplicates;       /* copies discarded */
    uint64_t late_discarded;   /* order = sequence: came after the gap was given up */
    uint64_t sequence_gaps;    /* packets given up waiting for (sequence), else 0 */
    uint64_t null_frames;      /* RFC 4571 LENGTH 0, ignored */
    uint64_t protocol_errors;  /* connections closed because of what the peer sent */

    uint64_t packets_resent; /* taken back from a lost connection that had not delivered them */
    uint64_t copies_sent;    /* beyond the first of each packet */
    uint64_t copies_useful;  /* packets whose copy arrived well before the first, or instead */
    uint64_t extra_bytes;    /* media bytes of copies, and parity */
    uint64_t parity_sent;    /* parity packets */
    uint64_t parity_dropped; /* made, and not sent: no connection in time, or the budget spent */
    uint64_t fillers_sent;   /* chasers and idle packets */
    uint64_t policy_errors;  /* decisions of the policy that made no sense, see on_warning */

    uint64_t parity_received; /* parity packets of the peer; they are not media */
    uint64_t parity_rebuilt;  /* packets made from parity and from the rest of their group */
    uint64_t parity_useful;   /* of these, delivered, since the original had not come */
    uint64_t parity_invalid;  /* parity packets of no use: malformed, or giving no RTP packet */

    uint32_t estimated_bitrate; /* bit/s of media that the connections carry without delay, see
                                   on_bitrate; 0 = not known yet */

    /* Packets dropped because they would have been delivered later than max-send-delay, and of
     * which class: see livetcp_importance. RTCP counts as audio, what is unknown as delta. */
    uint64_t dropped_late;
    uint64_t dropped_late_droppable, dropped_late_delta, dropped_late_audio, dropped_late_key;
    /* The same of dropped_queue_full. */
    uint64_t dropped_full_droppable, dropped_full_delta, dropped_full_audio, dropped_full_key;
    uint64_t keyframes_wanted;        /* calls of on_keyframe_wanted */
    livetcp_usec inferred_delay_us;   /* from send() now to delivery, as far as the connections'
                                         state tells; -1 while there is no connection */
    livetcp_usec send_delay_limit_us; /* max-send-delay, or one round trip if that is longer; 0 =
                                         nothing is dropped for time */

    /* RTCP, see livetcp_config.rtcp. All zero, and times -1, with rtcp = off. */
    uint64_t reports_sent;      /* compounds of ours */
    uint64_t reports_received;  /* sender and receiver reports, the application's included */
    uint64_t reports_invalid;   /* malformed, or with times that cannot be */
    int64_t packets_missing;    /* of what is received: numbers that have not come (RFC 3550 A.3) */
    livetcp_usec jitter_us;     /* of what is received: interarrival jitter (A.8) of the worst
                                   source; -1 while its clock rate is not known */
    livetcp_usec report_rtt_us; /* from the peer's reports (LSR, DLSR); -1 = not known */
    int64_t reported_missing;   /* of what is sent, as the peer last reported */
    double reported_fraction;   /* 0..1: share missing of the worst source since the report
                                   before */
    livetcp_usec reported_jitter_us; /* -1 = not known */

    /* Feedback, see livetcp_config.feedback_us. Times are -1 while they are not known. */
    livetcp_delays sent_delays;     /* of what this side sends; the last two as the peer tells */
    livetcp_delays received_delays; /* of what it receives; the first four as the peer tells */
    livetcp_usec rtt_us;            /* of the connections that are up: mean of the smoothed ones */
    livetcp_usec min_rtt_us;        /* and the least */
    uint64_t feedback_sent;
    uint64_t feedback_received;
    uint64_t feedback_invalid;    /* ignored: it said what cannot be */
    livetcp_usec feedback_rtt_us; /* from our message to the peer's that answers it, less the time
                                     that the peer kept it: send buffers and repairs included */
    livetcp_usec peer_rtt_us;     /* what the sender told of its connections: mean, */
    livetcp_usec peer_min_rtt_us; /*   least, */
    livetcp_usec peer_rtt_variation_us;
    unsigned peer_connections;        /*   how many are up; 0 = nothing was told yet */
    unsigned peer_protection;         /*   LIVETCP_PROTECTION_* */
    unsigned peer_copies;             /*   of that packet, at once */
    unsigned peer_parity_group;       /*   packets for each of parity; 0 = none */
    livetcp_usec peer_hedge_delay_us; /* beyond a round trip, until the overdue is copied */
    uint64_t peer_packets;            /* what the receiver told: packets delivered there, */
    uint64_t peer_missing;            /*   that have not come, */
    uint64_t peer_late_order;         /*   that came after their turn (order = sequence), */
    uint64_t peer_late_playout;       /*   and after their time to play */
    livetcp_usec peer_margin_us; /* the least by which one was in time to play, of late; negative
                                    = late; LIVETCP_NO_MARGIN = it has not said */

    /* Kernel timestamps, see livetcp_config.timestamps. Times are -1 while they are not known. */
    unsigned stamped;                /* LIVETCP_STAMPED_* */
    uint64_t packets_stamped;        /* sent, and the kernel told when they were acknowledged */
    uint64_t reads_stamped;          /* received together, and it told when the newest came */
    uint64_t stamps_invalid;         /* ignored: they said what cannot be */
    livetcp_usec interface_queue_us; /* of sent_delays.send_buffer_us, what was waited after TCP had
                                        sent, for the network interface */
    livetcp_usec reading_us; /* from arrival at this host to our reading it, with nothing missing
                                before it: how late our thread is */
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
    livetcp_path path; /* facts; those of the present connection */
    char local[64];    /* "address:port", "[v6]:port", or "" while not connected */
    char remote[64];
    livetcp_usec forecast_us; /* livetcp_path_forecast() now; -1 while it carries nothing */
} livetcp_connection_stats;

#ifdef __cplusplus
}
#endif

#endif
