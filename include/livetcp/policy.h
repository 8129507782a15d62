/* SPDX-License-Identifier: MIT */
/* What a transport policy is: it decides which connection carries which packet, and when. */
#ifndef LIVETCP_POLICY_H
#define LIVETCP_POLICY_H

#include <livetcp/config.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What TCP is doing on a connection. */
typedef enum livetcp_tcp_state {
    LIVETCP_TCP_UNKNOWN = 0, /* the platform does not say */
    LIVETCP_TCP_OPEN,        /* nothing suspicious */
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
    LIVETCP_PATH_DELIVERY_RATE = 1 << 9
};

/*
 * Facts about one connection, in bytes and microseconds on every platform. Byte counts include
 * what was written since the platform was last asked, so they are never too small.
 */
typedef struct livetcp_path {
    uint32_t known;                  /* LIVETCP_PATH_* of the fields that hold something */
    unsigned connection;             /* index within the session */
    bool usable;                     /* connected, and joined to the session */
    bool blocked;                    /* the kernel took no more bytes at the last write */
    livetcp_tcp_state tcp_state;     /*                                      TCP_STATE */
    uint32_t queued_bytes;           /* send buffer: unsent and unacknowledged  QUEUED */
    uint32_t unsent_bytes;           /* of these, not yet sent at all (backlog) UNSENT */
    uint32_t cwnd_bytes;             /* congestion window                         CWND */
    uint32_t mss_bytes;              /* maximum segment size                       MSS */
    livetcp_usec rtt_us;             /* smoothed round-trip time                   RTT */
    livetcp_usec rtt_variation_us;   /*                                            RTT */
    livetcp_usec min_rtt_us;         /*                                        MIN_RTT */
    livetcp_usec rto_us;             /* retransmission timeout                     RTO */
    uint64_t retransmitted_segments; /* since the connection exists         RETRANSMITS */
    uint64_t delivery_rate;          /* bytes per second                DELIVERY_RATE */
    livetcp_usec last_write_us;      /* when we last wrote; INT64_MIN = never */
} livetcp_path;

/* The packet a decision is about. */
typedef struct livetcp_packet_view {
    size_t size;              /* bytes of the RTP or RTCP packet, without framing */
    livetcp_usec enqueued_us; /* when the application handed it over */
    uint32_t ssrc;
    uint16_t sequence; /* 0 for RTCP */
    bool rtcp;
} livetcp_packet_view;

/* Everything a policy may look at. Valid during the call only. */
typedef struct livetcp_policy_view {
    livetcp_usec now_us;
    const livetcp_path *paths; /* one per connection of the session, usable or not */
    unsigned path_count;       /* 1..LIVETCP_MAX_CONNECTIONS */
    size_t queue_packets;      /* send queue, the packet in question included */
    size_t queue_bytes;
} livetcp_policy_view;

/* "No connection now": the packet stays in the send queue, and the policy is asked again when a
 * connection becomes writable, is joined, or a few milliseconds later. */
#define LIVETCP_POLICY_WAIT UINT32_MAX

/*
 * A policy: a constant table of functions and the size of the state they share. It owns nothing
 * but that state, calls nothing that blocks, and runs with the session locked, so it must not
 * call the session.
 */
typedef struct livetcp_policy {
    size_t struct_size;       /* sizeof(livetcp_policy) */
    const char *name;         /* kebab-case, unique, shorter than livetcp_config.policy */
    const char *summary;      /* one line */
    unsigned max_connections; /* connections it can use; 0 = as many as there are */
    bool needs_paths;         /* false: only usable and blocked are kept up to date */
    size_t state_size;        /* bytes of state; zeroed before init() */

    /* Prepares the state; may be NULL when zeroes will do. */
    void (*init)(void *state, const livetcp_config *config);

    /* Returns the index of a connection that is usable and not blocked, or LIVETCP_POLICY_WAIT. */
    uint32_t (*choose)(void *state, const livetcp_policy_view *view,
                       const livetcp_packet_view *packet);
} livetcp_policy;

/* The policy of that name, or NULL. Thread-safe; the table lives as long as the program. */
LIVETCP_API const livetcp_policy *livetcp_policy_find(const char *name);

/* The registered policies in order, the built-in ones first, or NULL past the last. */
LIVETCP_API const livetcp_policy *livetcp_policy_at(size_t position);

#ifdef __cplusplus
}
#endif

#endif
