/* SPDX-License-Identifier: MIT */
/* Settings of a session: one table of names for the C API, URIs, GStreamer properties and the
 * command line. */
#ifndef LIVETCP_CONFIG_H
#define LIVETCP_CONFIG_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A session has 1 to this many connections. */
#define LIVETCP_MAX_CONNECTIONS 32

/* They are spread over this many links at most: networks of this host, times hosts of the peer. */
#define LIVETCP_MAX_LINKS 8

/* Which end makes the connections. Either end may send media. */
typedef enum livetcp_mode {
    LIVETCP_MODE_CALLER = 0, /* connects */
    LIVETCP_MODE_LISTENER    /* waits for callers */
} livetcp_mode;

/* Format of the byte stream: docs/reference/wire-format.md. */
typedef enum livetcp_wire {
    /* RFC 4571 with our control messages in RTCP APP packets: several connections, keepalive. */
    LIVETCP_WIRE_SESSION = 0,
    /* RFC 4571 and nothing else, on exactly one connection: talks to any RFC 4571 peer. */
    LIVETCP_WIRE_PLAIN,
    /* A listener's: either of them, as the first bytes of each connection tell. A peer that sends
     * nothing within handshake_timeout_us is a plain one that only receives. */
    LIVETCP_WIRE_AUTO
} livetcp_wire;

/* Order in which received packets are delivered. */
typedef enum livetcp_order {
    LIVETCP_ORDER_ARRIVAL = 0, /* as soon as a packet is whole, duplicates removed */
    LIVETCP_ORDER_SEQUENCE     /* by RTP sequence number; a gap is waited for, see order_wait_us */
} livetcp_order;

/* RTCP sender and receiver reports that LiveTCP makes (RFC 3550). */
typedef enum livetcp_rtcp {
    /* Reports, except with wire = plain, until the application sends a report itself. */
    LIVETCP_RTCP_AUTO = 0,
    LIVETCP_RTCP_ON, /* always, also beside reports of the application and with wire = plain */
    LIVETCP_RTCP_OFF /* none; reports of the peer are not evaluated */
} livetcp_rtcp;

/* Use of kernel timestamps: docs/guide/tuning.md. */
typedef enum livetcp_timestamps {
    LIVETCP_TIMESTAMPS_AUTO = 0, /* of some packets, where the kernel supports it: costs little */
    LIVETCP_TIMESTAMPS_ON,       /* of every packet; an error without the kernel's support */
    LIVETCP_TIMESTAMPS_OFF       /* none */
} livetcp_timestamps;

/* livetcp_config.copy_spacing_us: learnt from losses; see docs/guide/tuning.md. */
#define LIVETCP_COPY_SPACING_AUTO ((livetcp_usec)-1)

/* livetcp_config.redundancy_budget: chosen for the policy; see docs/guide/tuning.md. */
#define LIVETCP_REDUNDANCY_AUTO (-1.0)

/* The purpose of a caller: "both", "publish" or "subscribe". */
typedef enum livetcp_role {
    LIVETCP_ROLE_BOTH = 0,
    LIVETCP_ROLE_PUBLISH,  /* sends media */
    LIVETCP_ROLE_SUBSCRIBE /* receives media */
} livetcp_role;

/* The longest stream id, in bytes. */
#define LIVETCP_STREAM_ID_MAX 512

/* The longest token, in bytes. */
#define LIVETCP_TOKEN_MAX 2048

/* Encryption of connections: "off", "on" or "auto". */
typedef enum livetcp_tls {
    LIVETCP_TLS_OFF = 0,
    LIVETCP_TLS_ON,
    LIVETCP_TLS_AUTO /* a listener takes either, as the peer begins */
} livetcp_tls;

/* WebSockets around connections: "off", "on" or "auto". */
typedef enum livetcp_websocket {
    LIVETCP_WEBSOCKET_OFF = 0,
    LIVETCP_WEBSOCKET_ON,
    LIVETCP_WEBSOCKET_AUTO /* a listener takes either, as the peer begins */
} livetcp_websocket;

/*
 * livetcp_config_init() sets every field to a default that suits most users. The comment gives
 * setting name (for livetcp_config_set() and URIs), unit, range, default. As text a bool is true or
 * false, and also 1 or 0, yes or no, on or off. The struct owns no memory: copy and discard it
 * freely. It may be smaller or larger than the library's (livetcp/base.h) in every function here: a
 * setting for which an older program's struct has no field cannot be set, and has its default.
 */
typedef struct livetcp_config {
    size_t struct_size; /* set by livetcp_config_init() */

    livetcp_mode mode;      /* "mode": caller (default) or listener */
    char host[256];         /* "host": name or address to call, or several of one peer, separated
                               by commas; on a listener: address to bind, default "" = every
                               address, IPv6 and IPv4. As text an IPv6 address may be in brackets,
                               which are not stored */
    uint16_t port;          /* "port": 1..65535 for a caller; 0 on a listener = any free port */
    char local_address[64]; /* "localaddress": address a caller binds before connecting, or several,
                               separated by commas: connections are dealt over them. More than fits
                               here: see `interfaces` */

    livetcp_wire wire;           /* "wire": session (default) or plain; on a listener also auto */
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
    bool auto_reconnect;                /* "auto-reconnect": true (default) replaces lost
                                           connections, false ends the session when its last
                                           connection is lost */

    unsigned copies;             /* "copies": of every packet with policy = duplicate, 2..8,
                                    default 2 */
    double redundancy_budget;    /* "redundancy-budget": bytes that may be sent beyond one copy of
                                    each packet, per byte of media, in any second: 0..7, or
                                    LIVETCP_REDUNDANCY_AUTO ("auto", default). One packet a second
                                    may be copied whatever the ratio, unless it is 0 */
    livetcp_usec hedge_delay_us; /* "hedge-delay" in ms, 0..10000: how long after one average round
                                    trip (EWMA) an unacknowledged packet is copied; 0 (default)
                                    follows the variation of the round trip */
    unsigned parity_group;       /* "parity-group": packets per parity packet, 2..16, default 4 */
    livetcp_usec max_send_delay_us; /* "max-send-delay" in ms, 0..600000: a packet that would be
                                     delivered later than this after send() is dropped before it
                                     costs bandwidth, the least important ones first; 0 (default)
                                     never drops for time. Less than one round trip cannot be kept:
                                     when the round trip is known, on_warning says so and one round
                                     trip is used while that holds */
    unsigned send_buffer_windows;   /* "send-buffer-windows": 0..16, default 1, and */
    unsigned send_buffer_segments;  /* "send-buffer-segments": 0..1000, default 1: the kernel's send
                            buffer  holds at most A * cwnd + min(B, cwnd) segments, the rest waits
                            where it can still be dropped or take another connection. A = 0:
                            no limit but the kernel's own */
    livetcp_usec send_buffer_delay_us; /* "send-buffer-delay" in ms, 0..10000: tunes A and B to the
                                     delay that the unsent part of the send buffer may add; 0
                                     (default) takes A and B as they are */
    unsigned mss_align;        /* "mss-align": bytes of a packet, 0..65535: segments hold a whole
                                  number of frames of that size; 0 (default) leaves the maximum
                                  segment size alone */
    unsigned idle_packets;     /* "idle-packets": small packets per round trip and connection
                                  while the application sends nothing, 0..20, default 0 */
    livetcp_usec idle_time_us; /* "idle-time" in ms, 0..3600000, default 10000: for how long */
    bool tail_probes;          /* "tail-probes": true (default) lets small packets follow a packet
                                  that nothing else follows, so that its loss is found early, with
                                  the policies that ask for it; false does not */
    uint32_t min_bitrate;      /* "min-bitrate" and */
    uint32_t max_bitrate;      /* "max-bitrate" in bit/s, 0..4000000000: bounds of the estimated
                                  bit rate, 0 = none; defaults 10000, which the least encoder of
                                  speech needs, and 0 */
    livetcp_rtcp rtcp;         /* "rtcp": auto (default), on or off: sender and receiver reports
                                  to the peer. Those it sends reach on_packet, as all RTCP does */
    livetcp_usec feedback_us;  /* "feedback" in ms, 0..10000, default 200: while media flows its
                                  receiver sends feedback at this interval, and its sender at five
                                  times the interval (session wire); 0 = never.
                                  See livetcp_sent_stats.delays */
    livetcp_timestamps
        timestamps;  /* "timestamps": auto (default), on or off: whether the kernel
                        is asked when packets were sent, acknowledged and received,
                        see livetcp_session_stats.timestamped and docs/guide/tuning.md */
    uint32_t unused; /* programs of version 0.1 have padding here */
    int qos_dscp;    /* "qos-dscp": Differentiated Services code point (RFC 2474) of every packet
                        that TCP sends, 0..63; -1 (default) leaves it as the system has it */
    unsigned local_port; /* "localport": a caller's connection i binds port local_port + i before
                            connecting, 1..65535; 0 (default) leaves ports to the system. A port
                            that was closed lately may be refused by the system for a minute */
    livetcp_usec copy_spacing_us; /* "copy-spacing" in ms, 0..1000: how far apart the copies of a
                                     packet are sent that a policy places together, and the packets
                                     of a parity group; or LIVETCP_COPY_SPACING_AUTO ("auto",
                                     default): as far as bursts of losses last, see
                                     livetcp_loss_stats */
    char interfaces[128];  /* "interface": network interface of a caller's connections, or several,
                              separated by commas: connections are dealt over them. Default "" =
                              those that the system's routes choose. With as many local addresses,
                              each interface has its own. On Linux before 5.7 it takes the capability
                              CAP_NET_RAW */
    char link_weights[64]; /* "link-weight": cost of a byte on each network (or on each host, if
                              there is only one network), 1..100, separated by commas; default ""
                              = 1 for each. A network is used where it delivers 10 ms earlier for
                              each 1 that it costs more */
    unsigned max_joining;  /* "max-joining": connections that a listener holds which have not
                              proved to belong to a session, 1..100000, default 1024; one
                              more closes the oldest, of the address that has the most */
    unsigned max_joining_address; /* "max-joining-address": how many of these may be of one IPv4
                                     address or one IPv6 /64, 1..100000, default 256 */
    unsigned joins_per_second;    /* "joins-per-second": key agreements that a listener makes for
                                     strangers, one for each new session and with TLS one for each
                                     connection, 1..100000, default 1000; the others wait for their
                                     turn, by addresses */
    bool peer_sends;    /* "peer-sends": a listener's plain peers send media: one that has sent none
                           within handshake-timeout is turned away, and was no session before; and one
                           that fell silent for longer than peer-timeout makes room for another.
                           Default false: they may only receive */
    livetcp_tls tls;    /* "tls": off (default), on, or on a listener auto: TLS 1.3 or 1.2 on
                           every connection. The URI livetcps://host means on, and port 443 */
    char tls_ca[256];   /* "tls-ca": file (PEM) with the certificates of those who may have
                           signed the peer's; default "" = the system's for a caller, none
                           for a listener. A listener that has it demands a certificate */
    char tls_cert[256]; /* "tls-cert": file (PEM) with the own certificate and its chain. A
                           listener needs it and reads it again when it has changed */
    char tls_key[256];  /* "tls-key": file (PEM) with its private key; default "" = in
                           tls_cert */
    char tls_fingerprint[128]; /* "tls-fingerprint": "sha-256 AB:CD:..." (RFC 8122) of the only
                                  certificate that the peer may have, whoever signed it */
    char tls_name[256];   /* "tls-name": name or address that the listener's certificate must be
                             for; default "" = host */
    bool tls_insecure;    /* "tls-insecure": true takes every certificate of a listener, for
                             tests; default false. on_warning says so */
    char passphrase[256]; /* "passphrase": at least 10 bytes that both ends have, instead of
                             certificates; turns TLS 1.3 on. "file:NAME" and "env:NAME" say where
                             it is. livetcp_config_get() and _to_uri() give no other passphrase */
    char fallback[256];   /* "fallback": HOST:PORT to which a listener passes connections that
                             are neither LiveTCP, RTP nor TLS for "livetcp"; default "" = they
                             are turned away */
    char proxy[256];      /* "proxy": caller: http://USER:PASSWORD@HOST:PORT, https:// or socks5://
                             through which every connection goes, or "env" for the variables
                             HTTPS_PROXY, ALL_PROXY and NO_PROXY; default "" = none. "file:NAME" and
                             "env:NAME" say where it is. livetcp_config_get() and _to_uri() give
                             none with a user */
    char proxy_ca[256];   /* "proxy-ca": file with certificates (PEM) of those who may have signed
                             an https:// proxy's; default "" = the system's */
    bool proxy_protocol;  /* "proxy-protocol": listener: senders in proxy-protocol-from begin each
                             connection with a PROXY header, version 1 or 2, which says whose it is;
                             default false */
    char proxy_protocol_from[256]; /* "proxy-protocol-from": their addresses or networks, separated
                                      by commas */
    livetcp_usec admission_timeout_us; /* "admission-timeout" in ms, 100..600000, default 30 s: how
                             long a listener's application may take to decide about a caller, see
                             livetcp_session_admit_later() */
    livetcp_role role; /* "role": what a caller means to do, as the listener's application is
                          told: both (default), publish or subscribe */
    char stream_id[LIVETCP_STREAM_ID_MAX + 1]; /* "stream-id": which stream of the listener's a
                             caller means, UTF-8 without control characters; the path of a URI:
                             livetcp://host/NAME. Default "" = none */
    char token[LIVETCP_TOKEN_MAX + 1]; /* "token": shows to the listener's application what a
                             caller may do; needs TLS or a passphrase, since who reads it has it.
                             "file:NAME" and "env:NAME" say where it is; livetcp_config_get() and
                             _to_uri() give no other token. Default "" = none */
    livetcp_websocket
        websocket;              /* "websocket": off (default), on or auto (listeners): carries every
                            connection in a WebSocket (RFC 6455), for networks that let nothing but
                            HTTP pass. The URIs livetcp+ws://host and livetcp+wss://host mean on */
    char websocket_path[256];   /* "websocket-path": what a caller asks the web server for, like
                            /live, and the only path that a listener takes; the path of a URI
                            livetcp+ws://host/live. Default "" = /, and every path */
    char websocket_origin[256]; /* "websocket-origin": listener: whose web pages may connect by
                            WebSocket: origins like https://example.org, separated by commas, or *;
                            default "" = none */
    char websocket_forwarded_from[256]; /* "websocket-forwarded-from": listener: addresses or
                            networks of servers in front whose X-Forwarded-For says whose a
                            WebSocket is, separated by commas; default "" = none */
    char websocket_headers[1025]; /* "websocket-headers": caller: a line "Name: value" that its
                            requests have besides, for a server in front that asks for one; needs
                            TLS. "file:NAME" and "env:NAME" say where it is, and may have several
                            lines; livetcp_config_get() and _to_uri() give no other. Default "" =
                            none */
} livetcp_config;

/* Fills in struct_size and every default. The function of that name is for programs built with
 * version 0.1, whose livetcp_config had the size that it clears; the macro passes the caller's. */
LIVETCP_API void livetcp_config_init(livetcp_config *config);
LIVETCP_API void livetcp_config_init_sized(livetcp_config *config, size_t size);
#define livetcp_config_init(config) livetcp_config_init_sized((config), sizeof *(config))

/* Sets one setting by name from text, as a URI query does. Unknown names, malformed and
 * out-of-range values fail with LIVETCP_ERR_UNKNOWN_SETTING or LIVETCP_ERR_INVALID_ARGUMENT, name
 * the setting and the values that it accepts, and change nothing. */
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

/* Applies livetcp://host:port/NAME?name=value&name=value (NAME is the stream id), or livetcps://
 * for tls=on and port 443 unless the URI has another, or livetcp+ws://host:port/PATH for
 * websocket=on and port 80 (PATH is the websocket-path), or livetcp+wss:// for that with tls=on and
 * port 443, IPv6 addresses in brackets, names and values percent-encoded. Several hosts of one peer
 * are separated by commas: livetcp://a,b:port. An empty host is legal and means "every address" for
 * a listener; without :port the port is unchanged. Fails with LIVETCP_ERR_BAD_URI and the errors of
 * livetcp_config_set(); the config is unchanged then. */
LIVETCP_API livetcp_result livetcp_config_apply_uri(livetcp_config *config, const char *uri,
                                                    livetcp_error *error);

/* Writes a URI that livetcp_config_apply_uri() turns into the same config: host, port and the
 * settings that differ from their defaults, but for secrets. Fails with
 * LIVETCP_ERR_INVALID_ARGUMENT if it does not fit `size` bytes, or if a field has a value without a
 * text; `uri` is undefined then. */
LIVETCP_API livetcp_result livetcp_config_to_uri(const livetcp_config *config, char *uri,
                                                 size_t size, livetcp_error *error);

/* Checks the range of every field, for programs that set fields themselves, and the combination of
 * settings: a caller needs host and port, and one wire; the policy must be registered and have the
 * connections it needs, the redundancy budget must cover the policy's permanent cost, reconnect-min
 * must not exceed reconnect-max, min-bitrate not max-bitrate, the settings of TLS must fit each
 * other, keepalive must be shorter than peer-timeout, localport must leave a port for each
 * connection and is not for listeners, and each link (network and host) must have a connection and
 * be of one address family. Fails with LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_ADDRESS_INVALID or
 * LIVETCP_ERR_UNKNOWN_POLICY. Sessions and listeners call it themselves. */
LIVETCP_API livetcp_result livetcp_config_check(const livetcp_config *config, livetcp_error *error);

#ifdef __cplusplus
}
#endif

#endif
