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
    LIVETCP_TCP_UNKNOWN = 0, /* the platform does not provide it */
    LIVETCP_TCP_OPEN,        /* no loss, no reordering */
    LIVETCP_TCP_DISORDER,    /* duplicate or selective acknowledgements; no loss concluded yet */
    LIVETCP_TCP_RECOVERY,    /* a loss was found and is being repaired, or the window reduced */
    LIVETCP_TCP_TIMEOUT      /* the retransmission timer fired: everything there waits */
} livetcp_tcp_state;

/* Bits of livetcp_path.known: unknown is not zero. */
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
    LIVETCP_PATH_GROUP = 1 << 12,       /* the engine's own: group and what is known of it */
    LIVETCP_PATH_MARKS = 1 << 13,       /* ECN (RFC 3168) is in use */
    LIVETCP_PATH_LINK_FREE = 1 << 14,   /* the engine's own */
    LIVETCP_PATH_OLDEST_WRITE = 1 << 15 /* the engine's own */
};

/*
 * Path information of one connection, in bytes and microseconds on every platform. Byte counts
 * include the bytes written since the platform was last asked, so they are never too small. A field
 * that is added later has a bit in `known`, and is valid only if that is set.
 */
typedef struct livetcp_path {
    uint32_t known;                  /* LIVETCP_PATH_* of the valid fields */
    unsigned connection;             /* index within the session */
    bool usable;                     /* connected, and joined to the session */
    bool blocked;                    /* the kernel took no more bytes at the last write */
    livetcp_tcp_state tcp_state;     /*                                      TCP_STATE */
    uint32_t queued_bytes;           /* send buffer: unsent and unacknowledged  QUEUED */
    uint32_t unsent_bytes;           /* of these, not yet sent at all (backlog) UNSENT */
    uint32_t cwnd_bytes;             /* congestion window                         CWND */
    uint32_t mss_bytes;              /* maximum segment size                       MSS */
    livetcp_usec rtt_us;             /* round-trip time (EWMA)                     RTT */
    livetcp_usec rtt_variation_us;   /*                                            RTT */
    livetcp_usec min_rtt_us;         /*                                        MIN_RTT */
    livetcp_usec rto_us;             /* retransmission timeout                     RTO */
    uint64_t retransmitted_segments; /* since the connection exists         RETRANSMITS */
    uint64_t delivery_rate;          /* bytes per second                DELIVERY_RATE */
    livetcp_usec last_write_us;      /* when we last wrote; INT64_MIN = never */
    uint32_t sacked_bytes;           /* of queued_bytes, known to have arrived  SACKED */
    bool app_limited;                /* delivery_rate was limited by the sender, not by the path */
    bool ready;                      /* usable, not blocked, below its send limit: takes a packet */
    uint32_t send_limit_bytes;       /* ready while queued_bytes is below; UINT32_MAX = no limit */
    livetcp_usec oldest_unacked_us;  /* when the oldest packet that is not acknowledged was written;
                                        LIVETCP_NEVER = there is none, or it is not known */
    livetcp_usec state_since_us;     /* when tcp_state was first seen as it is */
    uint8_t link;                    /* connections with the same number go over the same networks;
                                        0 with one network only                   LINK */
    uint8_t link_weight;             /* cost of a byte there, see "link-weight"   LINK */
    bool link_room;                  /* it takes copies and parity beside the media LINK */
    bool link_stalled;               /* nothing gets through there, and elsewhere something does:
                                        none of its connections is ready          LINK */
    unsigned group;              /* connections with the same number share a route, as far as their
                                    round trips show: the lowest of their indices     GROUP */
    livetcp_usec group_rtt_us;   /* its round trip for a small packet without queues: the least of
                                    the last 4 to 8 s                                 GROUP */
    livetcp_usec group_queue_us; /* queue that its packets meet now; 0 = none stands  GROUP */
    double group_loss;           /* share of its segments that were sent again in the last 10 s or
                                    so, 0 to 1                                        GROUP */
    uint64_t group_rate; /* bytes per second of its thinnest link, from the time that larger packets
                            take longer: an upper bound of what it carries; 0 = not known   GROUP */
    uint64_t delivered_segments; /* since the connection exists                  MARKS */
    uint64_t marked_segments;    /* of these, marked by a queue on their way (CE)  MARKS */
    livetcp_usec link_free_us; /* when the thinnest part of the link will have sent what the session
                                  has written to all its connections there: a packet written now
                                  waits until then, at least. In the past: it waits for none of
                                  ours                                      LINK_FREE */
    livetcp_usec oldest_write_us; /* when the oldest bytes that are not acknowledged were written:
                                     of packets, and of messages of the engine's own
                                                                              OLDEST_WRITE */
} livetcp_path;

/* Forecast of the delay from now to the delivery of a packet of `size` bytes that is written to
 * this connection now: one-way delay of the path, bytes that wait before it, and a repair that is
 * under way or overdue. Unknown fields count as zero. Any thread. */
LIVETCP_API livetcp_usec livetcp_path_forecast(const livetcp_path *path, size_t size,
                                               livetcp_usec now_us);

/* The packet of a decision. */
typedef struct livetcp_packet_view {
    size_t size;              /* bytes of the RTP or RTCP packet, without framing */
    livetcp_usec enqueued_us; /* when the application handed it over */
    uint32_t ssrc;
    uint16_t sequence; /* 0 for RTCP */
    bool rtcp;
    bool parity;                   /* made by LiveTCP from the packets of a group */
    livetcp_importance importance; /* from the application or the payload */
    uint32_t carried_by;           /* bit i: a copy is on connection i, not yet acknowledged */
    uint32_t avoid;                /* parity: bit i: connection i carries one of the group */
    unsigned copies;               /* placed so far, the first one included */
    livetcp_usec first_sent_us;    /* when the first copy was placed; copies > 0 only */
    livetcp_usec last_sent_us;     /* and the last */
} livetcp_packet_view;

/* A policy's view of the session. Valid during the call only. */
typedef struct livetcp_policy_view {
    livetcp_usec now_us;
    const livetcp_path *paths; /* one per connection of the session, usable or not; see
                                  livetcp_view_path() */
    unsigned path_count;       /* 1..LIVETCP_MAX_CONNECTIONS */
    size_t queue_packets;      /* send queue, the packet in question included */
    size_t queue_bytes;
    size_t budget_bytes; /* bytes that may be sent now beyond one copy of each packet; see
                            livetcp_config.redundancy_budget */
    double budget_ratio; /* the ratio in force: configured, or chosen by "auto" */
    uint64_t media_rate; /* bytes per second that the application has sent recently */
    size_t path_size;    /* bytes from one path to the next: the library's may be larger than
                            sizeof(livetcp_path), so take paths by livetcp_view_path() */
    double joint_loss;   /* share of the copies that are lost after the copy before, which left
                            "copy-spacing" earlier, was: higher than the share of all packets where
                            bursts of losses last longer; 0 = no bursts are known */
} livetcp_policy_view;

/* The path of that connection, 0..path_count - 1. */
static inline const livetcp_path *livetcp_view_path(const livetcp_policy_view *view,
                                                    unsigned connection)
{
    return (const livetcp_path *)(const void *)((const char *)view->paths +
                                                connection * view->path_size);
}

/* A policy's decision about a packet. Before the call it is zeroed, with review_us = LIVETCP_NEVER:
 * unchanged it means "wait". */
typedef struct livetcp_decision {
    uint32_t connections;   /* bit i: one copy goes on connection i, which must be ready */
    livetcp_usec review_us; /* with connections: review() is asked about the packet then, unless it
                               has been acknowledged. Without: place() is asked again then, at the
                               latest. LIVETCP_NEVER: not on account of time */
    bool protect;           /* place(): the packet belongs to a parity group */
} livetcp_decision;

/* Bits of livetcp_policy.wants. */
enum {
    LIVETCP_WANTS_PATHS = 1 << 0,       /* path information; else only usable, blocked, ready */
    LIVETCP_WANTS_TAIL_PROBES = 1 << 1, /* small followers, so that TCP finds a loss early */
    LIVETCP_WANTS_PARITY = 1 << 2,      /* decisions may ask for protection */
    LIVETCP_WANTS_HEADROOM = 1 << 3     /* budget_bytes is what the path is found to carry, too */
};

/*
 * A policy: a constant table of functions and the size of the state they share. It owns nothing
 * but that state, calls nothing that blocks, and runs with the session locked, so it must not
 * call the session. A decision that names a connection which cannot take the packet, or costs more
 * than the budget, is reduced to the possible part; docs/guide/policy.md has the rules.
 */
typedef struct livetcp_policy {
    size_t struct_size;       /* sizeof(livetcp_policy); functions that this library does not know
                                 must be NULL: they would not be called */
    const char *name;         /* kebab-case, unique, fits livetcp_config.policy (31 bytes) */
    const char *summary;      /* one line */
    unsigned min_connections; /* fewer are refused by livetcp_config_check(); 0 = 1 */
    unsigned max_connections; /* connections it can use; 0 = as many as there are */
    uint32_t wants;           /* LIVETCP_WANTS_* */
    size_t state_size;        /* bytes of state, at most 1 MiB; zeroed before init() */

    /* Refuses settings that contradict the policy, with a message that names them; may be NULL.
     * Called by livetcp_config_check(). */
    livetcp_result (*check)(const livetcp_config *config, livetcp_error *error);

    /* Bytes that it always sends beyond each byte of media; NULL: none. */
    double (*cost)(const livetcp_config *config);

    /* Prepares the state; may be NULL when zeroes will do. */
    void (*init)(void *state, const livetcp_config *config);

    /* The oldest packet of the send queue, or a parity packet: where to, or wait. Asked again when
     * a connection becomes ready, and every few milliseconds. */
    void (*place)(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision);

    /* A packet that was placed and is acknowledged on none of its connections: its review_us has
     * come, or a connection that carries it went into recovery or timeout. The connections of the
     * decision get further copies, within the budget. NULL: no further copies. Needs
     * LIVETCP_WANTS_PATHS, the only source of acknowledgements. */
    void (*review)(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                   livetcp_decision *decision);

    /* sizeof(livetcp_path) where the policy takes view->paths[i] by index, which has that stride
     * then; 0 where it takes paths by livetcp_view_path() only. A table that ends before this field
     * is of 0.1 and gets the paths of 0.1. */
    size_t path_size;
} livetcp_policy;

/* Makes a policy known by its name, to every session created from then on; there is no way back.
 * The table, its strings included, must live and stay as it is as long as the program: it is not
 * copied. Up to 64 policies; any thread. Errors: LIVETCP_ERR_INVALID_ARGUMENT, with a message that
 * names the invalid field or reports that the name is taken. */
LIVETCP_API livetcp_result livetcp_policy_register(const livetcp_policy *policy,
                                                   livetcp_error *error);

/* The policy of that name, or NULL. Any thread; the table lives as long as the program. */
LIVETCP_API const livetcp_policy *livetcp_policy_find(const char *name);

/* The registered policies in order, the built-in ones first, or NULL past the last. Any thread. */
LIVETCP_API const livetcp_policy *livetcp_policy_at(size_t position);

#ifdef __cplusplus
}
#endif

#endif
