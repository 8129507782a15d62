/* SPDX-License-Identifier: MIT */
/* Host information for livetcp doctor. gather.h fills it in; the checks (checks.h) read nothing
 * else, so that each can be tested with made-up values. */
#ifndef LT_LAB_DOCTOR_FACTS_H
#define LT_LAB_DOCTOR_FACTS_H

#include <net/if.h>
#include <stdbool.h>

typedef enum lt_knowledge {
    LT_KNOWN,
    LT_ABSENT, /* absent on this host; `error` may give details */
    LT_FAILED, /* query failed: `error` is the errno, or 0 if it was not tried */
} lt_knowledge;

/* A file below /proc/sys/net. */
typedef enum lt_sysctl {
    LT_SYSCTL_ALLOWED_CC,
    LT_SYSCTL_AUTOCORKING,
    LT_SYSCTL_AVAILABLE_CC,
    LT_SYSCTL_CC,
    LT_SYSCTL_COMP_SACK_DELAY,
    LT_SYSCTL_DEFAULT_QDISC,
    LT_SYSCTL_DSACK,
    LT_SYSCTL_EARLY_RETRANS,
    LT_SYSCTL_ECN,
    LT_SYSCTL_MODERATE_RCVBUF,
    LT_SYSCTL_MTU_PROBING,
    LT_SYSCTL_NO_METRICS,
    LT_SYSCTL_NO_SSTHRESH,
    LT_SYSCTL_NOTSENT_LOWAT,
    LT_SYSCTL_RECOVERY,
    LT_SYSCTL_REORDERING,
    LT_SYSCTL_RETRIES2,
    LT_SYSCTL_RMEM,
    LT_SYSCTL_RMEM_MAX,
    LT_SYSCTL_RTO_MIN,
    LT_SYSCTL_SACK,
    LT_SYSCTL_SLOW_START_AFTER_IDLE,
    LT_SYSCTL_SYN_LINEAR,
    LT_SYSCTL_SYN_RETRIES,
    LT_SYSCTL_THIN_LINEAR,
    LT_SYSCTL_TIMESTAMPS,
    LT_SYSCTL_WINDOW_SCALING,
    LT_SYSCTL_WMEM,
    LT_SYSCTL_WMEM_MAX,
    LT_SYSCTL_COUNT,
} lt_sysctl;

typedef struct lt_sysctl_fact {
    lt_knowledge how;
    int error;
    char text[128]; /* one line, with tabs as spaces */
} lt_sysctl_fact;

/* The route to the peer and its TCP metrics; 0 = not set in the route. */
typedef struct lt_route_fact {
    lt_knowledge how;
    int error;
    char to[64];      /* "default" or the peer's address */
    char gateway[64]; /* "" = none, the peer is on the link */
    char device[IF_NAMESIZE];
    unsigned initcwnd, initrwnd; /* segments */
    unsigned rto_min_ms;
    unsigned quickack;
    unsigned features; /* RTAX_FEATURE_* */
    char congestion_control[32];
} lt_route_fact;

typedef enum lt_offload {
    LT_OFFLOAD_TSO,
    LT_OFFLOAD_GSO,
    LT_OFFLOAD_GRO,
    LT_OFFLOAD_LRO,
    LT_OFFLOAD_COUNT
} lt_offload;

typedef struct lt_interface_fact {
    char name[IF_NAMESIZE];      /* "" = none */
    unsigned mtu, queue_packets; /* 0 = unknown */
    bool offload_known[LT_OFFLOAD_COUNT], offload[LT_OFFLOAD_COUNT];
    bool coalescing_known;
    unsigned coalesce_us; /* maximum delay of the receive interrupt */
    lt_knowledge qdisc_how;
    int qdisc_error;
    char qdisc[32],
        inner_qdisc[32]; /* kind of the root qdisc, and of the children of a multi-queue root */
} lt_interface_fact;

/* Capabilities of a TCP socket of this program. */
typedef struct lt_socket_fact {
    lt_knowledge how; /* whether a socket could be created */
    int error;
    char congestion_control[32];
    char selectable[128]; /* algorithms that the socket could select, by name */
    bool rto_min, delack_max, notsent_lowat, thin_linear;
    lt_knowledge timestamps_how; /* of a loopback connection with timestamps */
    int timestamps_error;
    bool timestamp_sent, timestamp_acknowledged, timestamp_received;
} lt_socket_fact;

typedef struct lt_tun_fact {
    lt_knowledge how;
    char why[256]; /* if not LT_KNOWN: the error that livetcp emulate would report */
} lt_tun_fact;

typedef struct lt_facts {
    char kernel[96];
    unsigned kernel_major, kernel_minor; /* 0.0 = unknown */
    char machine_date[32];
    lt_sysctl_fact sysctl[LT_SYSCTL_COUNT];
    lt_route_fact route;
    lt_interface_fact interface;
    lt_socket_fact socket;
    lt_tun_fact tun;
} lt_facts;

#endif
