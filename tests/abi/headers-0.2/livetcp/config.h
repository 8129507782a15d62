/* SPDX-License-Identifier: MIT */
/* Settings of a session: one table of names for the C API, URIs, GStreamer properties and the
 * command line. */
#ifndef LIVETCP_CONFIG_H
#define LIVETCP_CONFIG_H

#include <livetcp/export.h>
#include <livetcp/result.h>
#include <livetcp/time.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A session has 1 to this many connections. */
#define LIVETCP_MAX_CONNECTIONS 32

typedef enum livetcp_mode {
    LIVETCP_MODE_CALLER = 0, /* connects */
    LIVETCP_MODE_LISTENER    /* waits for callers */
} livetcp_mode;

typedef enum livetcp_wire {
    /* RFC 4571 with our control messages in RTCP APP packets: several connections, keepalive. */
    LIVETCP_WIRE_SESSION = 0,
    /* RFC 4571 and nothing else, on exactly one connection: talks to any RFC 4571 peer. */
    LIVETCP_WIRE_PLAIN
} livetcp_wire;

typedef enum livetcp_order {
    LIVETCP_ORDER_ARRIVAL = 0, /* as soon as a packet is whole, duplicates removed */
    LIVETCP_ORDER_SEQUENCE     /* by RTP sequence number; a gap is waited for, see order_wait_us */
} livetcp_order;

typedef enum livetcp_rtcp {
    /* Reports of our own (RFC 3550 sender and receiver reports), but none with wire = plain, and
     * none any more once the application has sent a report itself. */
    LIVETCP_RTCP_AUTO = 0,
    LIVETCP_RTCP_ON, /* whatever the application sends, and with wire = plain, too */
    LIVETCP_RTCP_OFF /* none, and those of the peer are not looked at */
} livetcp_rtcp;

typedef enum livetcp_timestamps {
    LIVETCP_TIMESTAMPS_AUTO =
        0,                 /* of some packets, where the kernel tells: costs next to nothing */
    LIVETCP_TIMESTAMPS_ON, /* of every packet; a kernel that does not tell is an error */
    LIVETCP_TIMESTAMPS_OFF /* none */
} livetcp_timestamps;

/* livetcp_config.redundancy_budget: what the policy is worth; see docs/guide/tuning.md. */
#define LIVETCP_REDUNDANCY_AUTO (-1.0)

/*
 * Every field has a default that a user who reads nothing should have; livetcp_config_init() sets
 * them. The comment gives setting name (for livetcp_config_set() and URIs), unit, range, default.
 * The struct owns no memory: copy and discard it freely. It may be smaller or larger than the
 * library's (livetcp/export.h) in every function here: a setting that an older program's struct has
 * no room for cannot be set, and has its default.
 */
typedef struct livetcp_config {
    size_t struct_size; /* set by livetcp_config_init() */

    livetcp_mode mode;      /* "mode": caller (default) or listener */
    char host[256];         /* "host": name or address to call; on a listener: address to bind,
                               default "" = every address, IPv6 and IPv4 */
    uint16_t port;          /* "port": 1..65535 for a caller; 0 on a listener = any free port */
    char local_address[64]; /* "localaddress": address a caller binds before connecting */

    livetcp_wire wire;           /* "wire": session (default) or plain */
    unsigned connections;        /* "connections": 1..32, default 8; plain uses one */
    char policy[32];             /* "policy": a registered name, default "auto" */
    unsigned split;              /* "split": writes per frame, 1..16, default 1 */
    char congestion_control[16]; /* "congestion-control": name, or "auto" = the first of bbr, cubic
                                    and reno that this host lets us set, for each connection by
                                    itself; default "" = the system's. See docs/guide/tuning.md */

    livetcp_order order;        /* "order": arrival (default) or sequence */
    livetcp_usec order_wait_us; /* "order-wait" in ms: how long a gap may hold later packets back,
                                   0..60000 ms, default 1000 ms; only with order = sequence */

    size_t max_packet;    /* "max-packet": largest packet to send, 12..65535 bytes, default 8190:
                             receivers with 8 KiB buffers exist */
    size_t max_receive;   /* "max-receive": largest frame to accept, 12..65535, default 65535 */
    size_t queue_packets; /* "queue-packets": bound of the send queue, 1..1000000, default 1024 */
    size_t queue_bytes;   /* "queue-bytes": the same in bytes, 65535..2^30, default 2 MiB. Over
                             either bound the least important packets are dropped,
                             whole, of these the oldest first */

    livetcp_usec connect_timeout_us;    /* "connect-timeout" in ms, 100..600000, default 10000 */
    livetcp_usec handshake_timeout_us;  /* "handshake-timeout" in ms, 100..60000, default 5000 */
    livetcp_usec keepalive_interval_us; /* "keepalive" in ms, 100..60000, default 1000: a session
                                           connection that sent nothing for so long sends a ping */
    livetcp_usec peer_timeout_us;       /* "peer-timeout" in ms, 1000..3600000, default 10000:
                                           a session connection from which nothing came for so
                                           long is lost; also the kernel's TCP user timeout */
    livetcp_usec reconnect_min_us;      /* "reconnect-min" in ms, 10..60000, default 100 */
    livetcp_usec reconnect_max_us;      /* "reconnect-max" in ms, 10..600000, default 5000: a lost
                                           connection is retried between these, backing off */
    livetcp_usec linger_us;             /* "linger" in ms, 0..600000, default 15000: a listener
                                           keeps a session without connections for so long */
    unsigned max_sessions;              /* "max-sessions": sessions a listener serves at a time,
                                           1..10000, default 256 */
    bool reconnect;                     /* "reconnect": 1 (default) replaces lost connections, 0
                                           ends the session when its last connection is lost */

    unsigned copies;             /* "copies": of every packet with policy = duplicate, 2..8,
                                    default 2 */
    double redundancy_budget;    /* "redundancy-budget": bytes that may be sent beyond one copy of
                                    each packet, per byte of media, in any second: 0..7, or
                                    LIVETCP_REDUNDANCY_AUTO ("auto", default). One packet a second
                                    may be copied whatever the ratio, unless it is 0 */
    livetcp_usec hedge_delay_us; /* "hedge-delay" in ms, 0..10000: how long after one smoothed
                                    round trip an unacknowledged packet is copied; 0 (default)
                                    follows the variation of the round trip */
    unsigned parity_group;       /* "parity-group": packets per parity packet, 2..16, default 4 */
    livetcp_usec max_send_delay_us; /* "max-send-delay" in ms, 0..600000: a packet that would be
                                     delivered later than this after send() is dropped before it
                                     costs bandwidth, the least important ones first; 0 (default)
                                     never drops for time. Less than one round trip cannot be kept:
                                     when the round trip is known, on_warning says so and one round
                                     trip is used while that holds */
    unsigned min_buf_a;             /* "min-buf-a": 0..16, default 1, and */
    unsigned min_buf_b;             /* "min-buf-b": 0..1000, default 1: the kernel's send buffer
                                       holds at most A * cwnd + min(B, cwnd) segments, the rest waits
                                       where it can still be dropped or take another connection. A = 0:
                                       no limit but the kernel's own */
    livetcp_usec min_buf_delay_us;  /* "min-buf-delay" in ms, 0..10000: tunes A and B to the delay
                                      that the unsent part of the send buffer may add; 0 (default)
                                      takes A and B as they are */
    unsigned mss_align;        /* "mss-align": bytes of a packet, 0..65535: segments hold a whole
                                  number of frames of that size; 0 (default) leaves the maximum
                                  segment size alone */
    unsigned idle_packets;     /* "idle-packets": small packets per round trip and connection
                                  while the application sends nothing, 0..20, default 0 */
    livetcp_usec idle_time_us; /* "idle-time" in ms, 0..3600000, default 10000: for how long */
    bool chasers;              /* "chasers": 1 (default) lets small packets follow a packet that
                                  nothing else follows, so that its loss is found early, with
                                  the policies that ask for it; 0 does not */
    uint32_t min_bitrate;      /* "min-bitrate" and */
    uint32_t max_bitrate;      /* "max-bitrate" in bit/s, 0..4000000000: bounds of the estimated
                                  bit rate; 0 (default) = none */
    livetcp_rtcp rtcp;         /* "rtcp": auto (default), on or off: sender and receiver reports
                                  to the peer. Those it sends reach on_packet, as all RTCP does */
    livetcp_usec feedback_us;  /* "feedback" in ms, 0..10000, default 200: while media flows its
                                  receiver tells about it so often, and its sender a fifth as often
                                  (session wire); 0 = never.
                                  See livetcp_sent_stats.delays */
    livetcp_timestamps timestamps; /* "timestamps": auto (default), on or off: whether the kernel
                                      is asked when packets were sent, acknowledged and received,
                                      see livetcp_session_stats.stamped and docs/guide/tuning.md */
} livetcp_config;

/* Fills in struct_size and every default. The function of that name is for programs built with
 * version 0.1, whose livetcp_config had the size that it clears; the macro passes the caller's. */
LIVETCP_API void livetcp_config_init(livetcp_config *config);
LIVETCP_API void livetcp_config_init_sized(livetcp_config *config, size_t size);
#define livetcp_config_init(config) livetcp_config_init_sized((config), sizeof *(config))

/* Sets one setting by name from text, as a URI query does. Unknown names, malformed and
 * out-of-range values fail with LIVETCP_ERR_UNKNOWN_SETTING or LIVETCP_ERR_INVALID_ARGUMENT, name
 * the setting and what it accepts, and change nothing. */
LIVETCP_API livetcp_result livetcp_config_set(livetcp_config *config, const char *name,
                                              const char *value, livetcp_error *error);

/* Writes the value of a setting as livetcp_config_set() accepts it, NUL-terminated, to `text`.
 * Fails with LIVETCP_ERR_INVALID_ARGUMENT if it does not fit `size` bytes. */
LIVETCP_API livetcp_result livetcp_config_get(const livetcp_config *config, const char *name,
                                              char *text, size_t size, livetcp_error *error);

/* One setting, for programs that list them all. All strings are static. */
typedef struct livetcp_setting {
    const char *name;    /* "connections" */
    const char *accepts; /* "1..32" or "caller or listener" */
    const char *summary; /* "TCP connections of the session" */
} livetcp_setting;

/* The settings in order, or NULL past the last. */
LIVETCP_API const livetcp_setting *livetcp_config_setting(size_t position);

/* Applies livetcp://host:port?name=value&name=value, IPv6 addresses in brackets, names and values
 * percent-encoded. An empty host is legal and means "every address" for a listener; without :port
 * the port stays what it was. Fails with LIVETCP_ERR_BAD_URI and the errors of
 * livetcp_config_set(); the config is unchanged then. */
LIVETCP_API livetcp_result livetcp_config_apply_uri(livetcp_config *config, const char *uri,
                                                    livetcp_error *error);

/* Writes a URI that livetcp_config_apply_uri() turns into the same config: host, port and the
 * settings that differ from their defaults. Fails with LIVETCP_ERR_INVALID_ARGUMENT if it does not
 * fit `size` bytes, or if a field holds what no text stands for; `uri` is undefined then. */
LIVETCP_API livetcp_result livetcp_config_to_uri(const livetcp_config *config, char *uri,
                                                 size_t size, livetcp_error *error);

/* Checks every field's range, for those who set fields themselves, and what single settings
 * cannot: a caller needs host and port, the policy must be registered and have the connections it
 * needs, the redundancy budget must pay for what the policy always sends, reconnect-min must not
 * exceed reconnect-max, min-bitrate not max-bitrate, keepalive must be shorter than peer-timeout.
 * Fails with LIVETCP_ERR_INVALID_ARGUMENT or LIVETCP_ERR_UNKNOWN_POLICY. Sessions and listeners
 * call it themselves. */
LIVETCP_API livetcp_result livetcp_config_check(const livetcp_config *config, livetcp_error *error);

#ifdef __cplusplus
}
#endif

#endif
