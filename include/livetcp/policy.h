/* SPDX-License-Identifier: MIT */
/* Transport policies: a policy decides which connection carries a packet, and when. */
#ifndef LIVETCP_POLICY_H
#define LIVETCP_POLICY_H

#include <livetcp/config.h>
#include <livetcp/rtp.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* State of TCP on a connection. */
typedef enum livetcp_tcp_state {
    LIVETCP_TCP_UNKNOWN = 0, /* not reported by the platform */
    LIVETCP_TCP_OPEN,        /* no loss, no reordering; the window may be reduced (ECN) */
    LIVETCP_TCP_DISORDER,    /* duplicate or selective acknowledgements; no loss detected yet */
    LIVETCP_TCP_RECOVERY,    /* a loss is being repaired */
    LIVETCP_TCP_TIMEOUT      /* the retransmission timer fired; all data waits for it */
} livetcp_tcp_state;

/* Bits of livetcp_path.known. An unknown value is not zero. */
enum {
    LIVETCP_PATH_QUEUED = 1 << 0,
    LIVETCP_PATH_UNSENT = 1 << 1,
    LIVETCP_PATH_TCP_STATE = 1 << 2,
    LIVETCP_PATH_CWND = 1 << 3,
    LIVETCP_PATH_RTT = 1 << 4,
    LIVETCP_PATH_MIN_RTT = 1 << 5,
    LIVETCP_PATH_RTO = 1 << 6,
    LIVETCP_PATH_MSS = 1 << 7,
    LIVETCP_PATH_RETRANSMITS = 1 << 8,
    LIVETCP_PATH_DELIVERY_RATE = 1 << 9,
    LIVETCP_PATH_SACKED = 1 << 10,
    LIVETCP_PATH_LINK = 1 << 11,
    LIVETCP_PATH_GROUP = 1 << 12,        /* set by the engine: the group fields */
    LIVETCP_PATH_MARKS = 1 << 13,        /* ECN (RFC 3168) is in use */
    LIVETCP_PATH_LINK_FREE = 1 << 14,    /* set by the engine */
    LIVETCP_PATH_OLDEST_WRITE = 1 << 15, /* set by the engine */
    LIVETCP_PATH_OVERRUN = 1 << 16       /* set by the engine */
};

/*
 * Path information of one connection, in bytes and microseconds on every platform. Byte counts
 * include the bytes written since the platform was last asked, so they are never too small. A
 * comment that begins with the name of a bit, such as RTT, belongs to a field that is valid only if
 * that bit is set in `known`, here LIVETCP_PATH_RTT; fields of later versions have such a bit.
 */
typedef struct livetcp_path {
    uint32_t known;                  /* LIVETCP_PATH_* of the valid fields */
    unsigned connection;             /* index within the session */
    bool usable;                     /* connected, and part of the session */
    bool blocked;                    /* the kernel took no more bytes at the last write */
    livetcp_tcp_state tcp_state;     /* TCP_STATE */
    uint32_t queued_bytes;           /* QUEUED: send buffer, unsent and unacknowledged */
    uint32_t unsent_bytes;           /* UNSENT: of these, not sent yet (backlog) */
    uint32_t cwnd_bytes;             /* CWND: congestion window */
    uint32_t mss_bytes;              /* MSS: maximum segment size */
    livetcp_usec rtt_us;             /* RTT: round-trip time (EWMA), */
    livetcp_usec rtt_variation_us;   /*   and its mean deviation */
    livetcp_usec min_rtt_us;         /* MIN_RTT */
    livetcp_usec rto_us;             /* RTO: retransmission timeout */
    uint64_t retransmitted_segments; /* RETRANSMITS: total of this connection */
    uint64_t delivery_rate;          /* DELIVERY_RATE: bytes per second */
    livetcp_usec last_write_us;      /* time of the last write; INT64_MIN = none */
    uint32_t sacked_bytes;           /* SACKED: of queued_bytes, known to be received */
    bool app_limited;                /* DELIVERY_RATE: limited by the sender, not by the path */
    bool ready;                      /* usable, not blocked, below the send limit: takes a packet */
    bool link_overrun;               /* OVERRUN: other senders make the link lose many packets,
                                        whatever this session sends */
    uint32_t send_limit_bytes;       /* ready while queued_bytes is below; UINT32_MAX = no limit */
    livetcp_usec oldest_unacked_us;  /* write time of the oldest unacknowledged packet;
                                        LIVETCP_NEVER = none, or unknown */
    livetcp_usec state_since_us;     /* time at which the current tcp_state was first seen */
    uint8_t link;                 /* LINK: connections with the same number use the same networks;
                                     0 with a single network */
    uint8_t link_weight;          /* LINK: cost of a byte, see "link-weight" */
    bool link_room;               /* LINK: copies and parity are allowed beside the media, and there
                                     is measured capacity for some */
    bool link_stalled;            /* LINK: nothing gets through, while another link works; none of
                                     its connections is ready */
    unsigned group;               /* GROUP: connections with the same number share a route, as far
                                     as their round trips show; the lowest of their indices */
    livetcp_usec group_rtt_us;    /* GROUP: round trip of a small packet without queues, minimum
                                     of the last 4 to 8 s */
    livetcp_usec group_queue_us;  /* GROUP: current queueing delay; 0 = no standing queue */
    double group_loss;            /* GROUP: share of retransmitted segments in about the last
                                     10 s, 0..1 */
    uint64_t group_rate;          /* GROUP: bytes per second of the bottleneck, derived from the
                                     longer round trips of larger packets: an upper bound of its
                                     capacity; 0 = unknown */
    uint64_t delivered_segments;  /* MARKS: total of this connection, */
    uint64_t marked_segments;     /*   and of these, marked by a queue (ECN CE) */
    livetcp_usec link_free_us;    /* LINK_FREE: time at which the link's bottleneck has sent all
                                     data of the session. A packet written now waits until then,
                                     or not if that is in the past */
    livetcp_usec oldest_write_us; /* OLDEST_WRITE: time at which the oldest unacknowledged bytes
                                     were written, packets and messages of the engine alike */
} livetcp_path;

/* Forecast of the time from now to the delivery of a packet of `size` bytes that is written to this
 * connection now: one-way delay of the path, bytes ahead of it, and a repair that is in progress or
 * overdue. Unknown fields count as zero. Any thread. */
LIVETCP_API livetcp_usec livetcp_path_forecast(const livetcp_path *path, size_t size,
                                               livetcp_usec now_us);

/* The packet about which a decision is made. */
typedef struct livetcp_packet_view {
    size_t size;              /* size of the RTP or RTCP packet, without framing */
    livetcp_usec enqueued_us; /* time at which the application handed it over */
    uint32_t ssrc;
    uint16_t sequence; /* 0 for RTCP */
    bool rtcp;
    bool parity;                   /* made by LiveTCP from the packets of a group */
    livetcp_importance importance; /* from the application or the payload; that of parity is the
                                      last packet's of its group */
    uint32_t carried_by;           /* bit i: a copy on connection i is unacknowledged */
    uint32_t avoid;                /* parity: bit i: connection i carries a packet of the group */
    unsigned copies;               /* placed so far, the first one included */
    livetcp_usec first_sent_us;    /* time of placing the first copy, if copies > 0 */
    livetcp_usec last_sent_us;     /* and the last one */
    bool overtaken;                /* review(): packets that left after its last copy, on other
                                      connections of the route, are acknowledged: it is lost, since a
                                      queue would have delayed these, too */
} livetcp_packet_view;

/* A policy's view of the session; valid during the call. */
typedef struct livetcp_policy_view {
    livetcp_usec now_us;
    const livetcp_path *paths; /* one per connection, usable or not; see livetcp_view_path() */
    unsigned path_count;       /* 1..LIVETCP_MAX_CONNECTIONS */
    size_t queue_packets;      /* send queue, including the current packet */
    size_t queue_bytes;
    size_t budget_bytes; /* bytes that may be sent now beyond the first copy of each packet, for
                            audio (and RTCP) or for other media, as the packet in question is; see
                            livetcp_config.redundancy_budget */
    double budget_ratio; /* ratio in force: configured, or chosen by "auto" */
    uint64_t media_rate; /* recent bytes per second of the application */
    size_t path_size;    /* stride of `paths`: may be larger than sizeof(livetcp_path), so use
                            livetcp_view_path() */
    double joint_loss;   /* probability that a copy is lost if the previous one, sent "copy-spacing"
                            earlier, was: above the loss rate where bursts of losses last longer; 0 =
                            no bursts are known */
    livetcp_usec burst_us; /* mean length of a burst of losses; 0 = no bursts are known */
    size_t largest_packet; /* bytes: largest of the application's last thousands of media packets; 0
                              = none yet */
} livetcp_policy_view;

/* The path of a connection, 0..path_count - 1. */
static inline const livetcp_path *livetcp_view_path(const livetcp_policy_view *view,
                                                    unsigned connection)
{
    return (const livetcp_path *)(const void *)((const char *)view->paths +
                                                connection * view->path_size);
}

/* A policy's decision about a packet. It is zeroed before the call, with review_us = LIVETCP_NEVER;
 * unchanged it means "wait". */
typedef struct livetcp_decision {
    uint32_t connections; /* bit i: place a copy on connection i, which must be ready */
    /* with connections: time of review() for the packet, unless it is acknowledged before. Without:
     * latest time of the next place(). LIVETCP_NEVER: no time */
    livetcp_usec review_us;
    bool protect;      /* place(): add the packet to a parity group */
    bool without_room; /* review(): one copy, within the budget, although the link has no room for
                          extra bytes, for a packet that is lost */
} livetcp_decision;

/* Bits of livetcp_policy.wants. */
enum {
    LIVETCP_WANTS_PATHS = 1 << 0, /* path information; otherwise only usable, blocked, ready */
    LIVETCP_WANTS_TAIL_PROBES = 1 << 1, /* probes behind a packet, to detect its loss early */
    LIVETCP_WANTS_PARITY = 1 << 2,      /* decisions may set `protect` */
    LIVETCP_WANTS_HEADROOM = 1 << 3     /* budget_bytes within the measured capacity, too */
};

/*
 * A policy: a constant table of functions, and the size of the state that they share. It owns
 * nothing but that state, does not block, and runs with the session locked, so it must not call the
 * session. A decision that names a connection which cannot take the packet, or exceeds the budget,
 * is reduced to the possible part; docs/guide/policy.md has the rules.
 */
typedef struct livetcp_policy {
    size_t struct_size;  /* sizeof(livetcp_policy); functions unknown to this library must be NULL,
                            since they would not be called */
    const char *name;    /* kebab-case, unique, at most 31 bytes (livetcp_config.policy) */
    const char *summary; /* one line */
    unsigned min_connections; /* minimum checked by livetcp_config_check(); 0 = 1 */
    unsigned max_connections; /* maximum that it can use; 0 = no limit */
    uint32_t wants;           /* LIVETCP_WANTS_* */
    size_t state_size;        /* bytes of state, at most 1 MiB; zeroed before init() */

    /* Rejects settings that contradict the policy, with a message that names them; may be NULL.
     * Called by livetcp_config_check(). */
    livetcp_result (*check)(const livetcp_config *config, livetcp_error *error);

    /* Bytes that it always sends beyond each byte of media; NULL = none. */
    double (*cost)(const livetcp_config *config);

    /* Initializes the state; may be NULL if zeros suffice. */
    void (*init)(void *state, const livetcp_config *config);

    /* Places the oldest packet of the send queue, or a parity packet, or waits. Called again when a
     * connection becomes ready, and every few milliseconds. */
    void (*place)(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision);

    /* Reviews a placed packet that is not acknowledged on any connection: at its review_us, or when
     * a connection that carries it enters recovery or timeout. The connections in the decision get
     * further copies, within the budget. NULL = no further copies. Requires LIVETCP_WANTS_PATHS,
     * the only source of acknowledgements. */
    void (*review)(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                   livetcp_decision *decision);

    /* sizeof(livetcp_path) if the policy indexes view->paths[i], which then has this stride; 0 if
     * it uses livetcp_view_path() only. A table that ends before this field is from 0.1 and gets
     * paths of 0.1. */
    size_t path_size;
} livetcp_policy;

/* Registers a policy by its name, for every session created from then on; there is no way to
 * unregister it. The table and its strings are not copied: they must live unchanged as long as the
 * program. Up to 64 policies; any thread. Errors: LIVETCP_ERR_INVALID_ARGUMENT, with a message that
 * names the invalid field, or says that the name is in use. */
LIVETCP_API livetcp_result livetcp_policy_register(const livetcp_policy *policy,
                                                   livetcp_error *error);

/* The policy with this name, or NULL. Any thread; the table lives as long as the program. */
LIVETCP_API const livetcp_policy *livetcp_policy_find(const char *name);

/* The registered policies in order, built-in ones first; NULL past the last. Any thread. */
LIVETCP_API const livetcp_policy *livetcp_policy_at(size_t position);

#ifdef __cplusplus
}
#endif

#endif
