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

/* Maximum number of connections of a session; the minimum is 1. */
#define LIVETCP_MAX_CONNECTIONS 32

/* Maximum number of links over which they are distributed: networks of this host, times hosts of
 * the peer. */
#define LIVETCP_MAX_LINKS 8

/* Which end opens the connections. Either end may send media. */
typedef enum livetcp_mode {
    LIVETCP_MODE_CALLER = 0, /* connects */
    LIVETCP_MODE_LISTENER    /* waits for callers */
} livetcp_mode;

/* Format of the byte stream: docs/reference/wire-format.md. */
typedef enum livetcp_wire {
    /* RFC 4571 with control messages in RTCP APP packets: several connections, keepalive. */
    LIVETCP_WIRE_SESSION = 0,
    /* RFC 4571 alone, on one connection: interoperates with any RFC 4571 peer. */
    LIVETCP_WIRE_PLAIN,
    /* Listeners: either of them, by the first bytes of each connection. A peer that sends nothing
     * within handshake_timeout_us is a plain one that only receives. */
    LIVETCP_WIRE_AUTO
} livetcp_wire;

/* Order in which received packets are delivered. */
typedef enum livetcp_order {
    LIVETCP_ORDER_ARRIVAL = 0, /* as soon as a packet is complete, without duplicates */
    LIVETCP_ORDER_SEQUENCE     /* by RTP sequence number; waits for gaps, see order_wait_us */
} livetcp_order;

/* RTCP sender and receiver reports of LiveTCP (RFC 3550). */
typedef enum livetcp_rtcp {
    /* Reports, except with wire = plain, until the application sends a report of its own. */
    LIVETCP_RTCP_AUTO = 0,
    LIVETCP_RTCP_ON, /* always, also beside reports of the application and with wire = plain */
    LIVETCP_RTCP_OFF /* none; the peer's reports are ignored */
} livetcp_rtcp;

/* Use of kernel timestamps: docs/guide/tuning.md. */
typedef enum livetcp_timestamps {
    LIVETCP_TIMESTAMPS_AUTO = 0, /* of some packets, if the kernel supports it: costs little */
    LIVETCP_TIMESTAMPS_ON,       /* of every packet; an error without support in the kernel */
    LIVETCP_TIMESTAMPS_OFF       /* none */
} livetcp_timestamps;

/* Value of livetcp_config.copy_spacing_us: adapts to losses; see docs/guide/tuning.md. */
#define LIVETCP_COPY_SPACING_AUTO ((livetcp_usec)-1)

/* Value of livetcp_config.redundancy_budget: depends on the policy; see docs/guide/tuning.md. */
#define LIVETCP_REDUNDANCY_AUTO (-1.0)

/* A caller's intention: "both", "publish" or "subscribe". */
typedef enum livetcp_role {
    LIVETCP_ROLE_BOTH = 0,
    LIVETCP_ROLE_PUBLISH,  /* sends media */
    LIVETCP_ROLE_SUBSCRIBE /* receives media */
} livetcp_role;

/* Maximum length of a stream id, in bytes. */
#define LIVETCP_STREAM_ID_MAX 512

/* Maximum length of a token, in bytes. */
#define LIVETCP_TOKEN_MAX 2048

/* Encryption of connections: "off", "on" or "auto". */
typedef enum livetcp_tls {
    LIVETCP_TLS_OFF = 0,
    LIVETCP_TLS_ON,
    LIVETCP_TLS_AUTO /* listeners: either, by the peer's first bytes */
} livetcp_tls;

/* WebSockets around connections: "off", "on" or "auto". */
typedef enum livetcp_websocket {
    LIVETCP_WEBSOCKET_OFF = 0,
    LIVETCP_WEBSOCKET_ON,
    LIVETCP_WEBSOCKET_AUTO /* listeners: either, by the peer's first bytes */
} livetcp_websocket;

/*
 * livetcp_config_init() sets every field to a default that suits most users. Each comment has the
 * setting's name (for livetcp_config_set() and URIs), unit, range, and default. As text a bool is
 * true or false, 1 or 0, yes or no, on or off. The struct owns no memory: it may be copied and
 * discarded. In every function here it may be smaller or larger than the library's
 * (livetcp/base.h): a setting for which an older program's struct has no field cannot be set, and
 * has its default.
 */
typedef struct livetcp_config {
    /* set by livetcp_config_init() */
    size_t struct_size;

    /* "mode": caller (default) or listener */
    livetcp_mode mode;
    /* "host": name or address to call, or several of one peer, separated by commas; on a listener:
     * address to bind, default "" = every address, IPv6 and IPv4. As text an IPv6 address may be in
     * brackets, which are not stored */
    char host[256];
    /* "port": 1..65535 for a caller; 0 on a listener = any free port */
    uint16_t port;
    /* "localaddress": address that a caller binds before connecting, or several, separated by
     * commas, over which the connections are distributed. Longer lists do not fit: see `interfaces`
     */
    char local_address[64];

    /* "wire": session (default) or plain; on a listener also auto */
    livetcp_wire wire;
    /* "connections": 1..32, default 8; plain uses one */
    unsigned connections;
    /* "policy": a registered name, default "auto" */
    char policy[32];
    /* "split": writes per frame, 1..16, default 1 */
    unsigned split;
    /* "congestion-control": name, or "auto" = the first of bbr, cubic and reno that this host
     * permits, per connection; default "" = the system's. See docs/guide/tuning.md */
    char congestion_control[16];

    /* "order": arrival (default) or sequence */
    livetcp_order order;
    /* "order-wait" in ms: maximum time that a gap holds back later packets, 0..60000 ms, default
     * 1000 ms; only with order = sequence */
    livetcp_usec order_wait_us;

    /* "max-packet": maximum size of a packet to send, 12..65535 bytes, default 8190, since some
     * receivers have 8 KiB buffers */
    size_t max_packet;
    /* "max-receive": maximum size of a frame to accept, 12..65535, default 65535 */
    size_t max_receive;
    /* "queue-packets": maximum size of the send queue, 1..1000000, default 1024 */
    size_t queue_packets;
    /* "queue-bytes": the same in bytes, 65535..2^30, default 2 MiB. Beyond either, the least
     * important packets are dropped, the oldest of them first */
    size_t queue_bytes;

    /* "connect-timeout" in ms, 100..600000, default 10000 */
    livetcp_usec connect_timeout_us;
    /* "handshake-timeout" in ms, 100..60000, default 5000 */
    livetcp_usec handshake_timeout_us;
    /* "keepalive" in ms, 100..60000, default 1000: a session connection that sent nothing for this
     * time sends a PING; at a listener, an eighth later, so that only one side asks. Beside thin
     * media, such as speech, up to three times that, and a quarter of peer-timeout, so that all
     * connections together add about 3 % */
    livetcp_usec keepalive_interval_us;
    /* "peer-timeout" in ms, 1000..3600000, default 10000: a session connection without input for
     * this time is lost, unless the peer's TCP acknowledges and others bring input; by as much
     * later as keepalive is longer. Also the kernel's TCP user timeout */
    livetcp_usec peer_timeout_us;
    /* "reconnect-min" in ms, 10..60000, default 100 */
    livetcp_usec reconnect_min_us;
    /* "reconnect-max" in ms, 10..600000, default 5000: a lost connection is retried with a backoff
     * between these */
    livetcp_usec reconnect_max_us;
    /* "linger" in ms, 0..600000, default 15000: time for which a listener keeps a session without
     * connections */
    livetcp_usec linger_us;
    /* "max-sessions": maximum number of a listener's sessions, 1..10000, default 256 */
    unsigned max_sessions;
    /* "auto-reconnect": true (default) replaces lost connections, false ends the session when its
     * last connection is lost */
    bool auto_reconnect;

    /* "copies": number of copies of every packet with policy = duplicate, 2..8, default 2 */
    unsigned copies;
    /* "redundancy-budget": bytes that may be sent beyond the first copy of each packet, per byte of
     * media, in any second: 0..7, or LIVETCP_REDUNDANCY_AUTO ("auto", default). It holds for audio
     * and for other media each. Unless it is 0, one packet a second of either may be copied
     * whatever the ratio */
    double redundancy_budget;
    /* "hedge-delay" in ms, 0..10000: time beyond one average round trip (EWMA) after which an
     * unacknowledged packet is copied; 0 (default) = by the variation of the round trip */
    livetcp_usec hedge_delay_us;
    /* "parity-group": packets per parity packet, 2..16, default 4 */
    unsigned parity_group;
    /* "max-send-delay" in ms, 0..600000: a packet that would be delivered later than this after
     * send() is dropped before it costs bandwidth, the least important ones first; 0 (default) = no
     * limit. Less than one round trip is impossible: once the round trip is known, on_warning
     * reports it, and one round trip applies meanwhile */
    livetcp_usec max_send_delay_us;
    /* "send-buffer-windows": 0..16, default 1: A of the limit below; 0 = no limit but the kernel's
     */
    unsigned send_buffer_windows;
    /* "send-buffer-segments": 0..1000, default 1: B. The kernel's send buffer holds at most
     * A * cwnd + min(B, cwnd) segments; other packets wait where they can still be dropped, or take
     * another connection */
    unsigned send_buffer_segments;
    /* "send-buffer-delay" in ms, 0..10000: adapts A and B to this maximum delay of the unsent part
     * of the send buffer; 0 (default) = A and B as they are */
    livetcp_usec send_buffer_delay_us;
    /* "mss-align": packet size in bytes, 0..65535: segments hold an integer number of frames of
     * that size; 0 (default) leaves the maximum segment size unchanged */
    unsigned mss_align;
    /* "idle-packets": small packets per round trip and connection while the application sends
     * nothing, 0..20, default 0 */
    unsigned idle_packets;
    /* "idle-time" in ms, 0..3600000, default 10000: maximum duration of that */
    livetcp_usec idle_time_us;
    /* "tail-probes": true (default) sends small packets behind a packet that nothing else follows,
     * so that its loss is detected early, with policies that request it; false does not */
    bool tail_probes;
    /* "min-bitrate" in bit/s, 0..4000000000: lower bound of the estimated bit rate; 0 = none,
     * default 10000, the minimum of a speech encoder */
    uint32_t min_bitrate;
    /* "max-bitrate" in bit/s, 0..4000000000: its upper bound; 0 (default) = none */
    uint32_t max_bitrate;
    /* "rtcp": auto (default), on or off: sender and receiver reports to the peer. The peer's
     * reports are passed to on_packet, as all RTCP */
    livetcp_rtcp rtcp;
    /* "feedback" in ms, 0..10000, default 200: while media flows, its receiver sends feedback at
     * this interval, and its sender at five times the interval (session wire); 0 = none. Of thin
     * media, such as speech, its receiver tells up to five times less often, so that feedback is
     * about a fortieth of it. See livetcp_sent_stats.delays */
    livetcp_usec feedback_us;
    /* "timestamps": auto (default), on or off: kernel timestamps of sending, acknowledgement and
     * receipt of packets; see livetcp_session_stats.timestamped and docs/guide/tuning.md */
    livetcp_timestamps timestamps;
    /* padding in programs of version 0.1 */
    uint32_t unused;
    /* "qos-dscp": Differentiated Services code point (RFC 2474) of every packet that TCP sends,
     * 0..63; -1 (default) = the system's */
    int qos_dscp;
    /* "localport": a caller's connection i binds port local_port + i before connecting, 1..65535; 0
     * (default) = chosen by the system. The system may refuse a port for a minute after its last
     * use */
    unsigned local_port;
    /* "copy-spacing" in ms, 0..1000: time between copies of a packet that a policy places together,
     * and between the packets of a parity group; or LIVETCP_COPY_SPACING_AUTO ("auto", default):
     * the duration of loss bursts, see livetcp_loss_stats */
    livetcp_usec copy_spacing_us;
    /* "interface": network interface of a caller's connections, or several, separated by commas,
     * over which the connections are distributed. Default "" = by the system's routes. With as many
     * local addresses, each interface has its own. On Linux before 5.7 it requires the capability
     * CAP_NET_RAW */
    char interfaces[128];
    /* "link-weight": cost of a byte on each network (on each host, if there is only one network),
     * 1..100, separated by commas; default "" = 1 for each. A network is used where it delivers 10
     * ms earlier per unit of additional cost */
    char link_weights[64];
    /* "max-joining": maximum number of a listener's connections that have not proved to belong to a
     * session, 1..100000, default 1024; beyond it, the oldest one of the address with the most is
     * closed */
    unsigned max_joining;
    /* "max-joining-address": maximum number of these per IPv4 address or IPv6 /64, 1..100000,
     * default 256 */
    unsigned max_joining_address;
    /* "joins-per-second": key agreements of a listener with unauthenticated peers, one per new
     * session, and with TLS one per connection, 1..100000, default 1000; others wait their turn, by
     * address */
    unsigned joins_per_second;
    /* "peer-sends": a listener's plain peers send media: one that sends none within
     * handshake-timeout is rejected, and not a session before that; one that is silent for longer
     * than peer-timeout may be replaced by another. Default false: they may only receive */
    bool peer_sends;
    /* "tls": off (default), on, or on a listener auto: TLS 1.3 or 1.2 on every connection. The URI
     * livetcps://host implies on, and port 443 */
    livetcp_tls tls;
    /* "tls-ca": PEM file of the certificates that may have signed the peer's; default "" = the
     * system's for a caller, none for a listener. A listener with this setting requires a
     * certificate */
    char tls_ca[256];
    /* "tls-cert": PEM file of the own certificate and its chain. Required by a listener, which
     * reads it again when it changes */
    char tls_cert[256];
    /* "tls-key": PEM file of its private key; default "" = in tls_cert */
    char tls_key[256];
    /* "tls-fingerprint": "sha-256 AB:CD:..." (RFC 8122) of the only certificate accepted from the
     * peer, regardless of its issuer */
    char tls_fingerprint[128];
    /* "tls-name": name or address that the listener's certificate must have; default "" = host */
    char tls_name[256];
    /* "tls-insecure": true accepts every certificate of a listener, for tests; default false.
     * on_warning reports it */
    bool tls_insecure;
    /* "passphrase": at least 10 bytes that both ends have, in place of certificates; turns TLS 1.3
     * on. "file:NAME" and "env:NAME" refer to it. livetcp_config_get() and _to_uri() return no
     * other passphrase */
    char passphrase[256];
    /* "fallback": HOST:PORT to which a listener passes connections that are neither LiveTCP, RTP
     * nor TLS for "livetcp"; default "" = they are rejected */
    char fallback[256];
    /* "proxy": caller: http://USER:PASSWORD@HOST:PORT, https:// or socks5:// for every connection,
     * or "env" for the variables HTTPS_PROXY, ALL_PROXY and NO_PROXY; default "" = none.
     * "file:NAME" and "env:NAME" refer to it. livetcp_config_get() and _to_uri() return none with a
     * user */
    char proxy[256];
    /* "proxy-ca": PEM file of the certificates that may have signed an https:// proxy's; default ""
     * = the system's */
    char proxy_ca[256];
    /* "proxy-protocol": listener: the servers in proxy-protocol-from begin each connection with a
     * PROXY header, version 1 or 2, which has the caller's address; default false */
    bool proxy_protocol;
    /* "proxy-protocol-from": their addresses or networks, separated by commas */
    char proxy_protocol_from[256];
    /* "admission-timeout" in ms, 100..600000, default 30 s: time for the decision of a listener's
     * application about a caller, see livetcp_session_admit_later() */
    livetcp_usec admission_timeout_us;
    /* "role": a caller's intention, as reported to the listener's application: both (default),
     * publish or subscribe */
    livetcp_role role;
    /* "stream-id": the listener's stream that a caller requests, UTF-8 without control characters;
     * the path of a URI: livetcp://host/NAME. Default "" = none */
    char stream_id[LIVETCP_STREAM_ID_MAX + 1];
    /* "token": a caller's permissions, for the listener's application; requires TLS or a
     * passphrase, since anyone who reads it can use it. "file:NAME" and "env:NAME" refer to it;
     * livetcp_config_get() and _to_uri() return no other token. Default "" = none */
    char token[LIVETCP_TOKEN_MAX + 1];
    /* "websocket": off (default), on or auto (listeners): carries every connection in a WebSocket
     * (RFC 6455), for networks that pass HTTP only. The URIs livetcp+ws://host and
     * livetcp+wss://host imply on */
    livetcp_websocket websocket;
    /* "websocket-path": path that a caller requests from the web server, such as /live, and the
     * only one that a listener accepts; the path of a URI livetcp+ws://host/live. Default "" = /,
     * and every path */
    char websocket_path[256];
    /* "websocket-origin": listener: web pages that may connect by WebSocket, as origins such as
     * https://example.org, separated by commas, or *; default "" = none */
    char websocket_origin[256];
    /* "websocket-forwarded-from": listener: addresses or networks of servers in front whose
     * X-Forwarded-For has the address of a WebSocket's caller, separated by commas; default "" =
     * none */
    char websocket_forwarded_from[256];
    /* "websocket-headers": caller: a line "Name: value" added to its requests, for a server in
     * front that requires it; requires TLS. "file:NAME" and "env:NAME" refer to it, and may have
     * several lines; livetcp_config_get() and _to_uri() return no other. Default "" = none */
    char websocket_headers[1025];
} livetcp_config;

/* Fills in struct_size and every default. The function of that name is for programs built with
 * version 0.1, and clears the size of its livetcp_config; the macro passes the caller's size. */
LIVETCP_API void livetcp_config_init(livetcp_config *config);
LIVETCP_API void livetcp_config_init_sized(livetcp_config *config, size_t size);
#define livetcp_config_init(config) livetcp_config_init_sized((config), sizeof *(config))

/* Sets a setting by name from text, as a URI query does. Unknown names, and malformed or
 * out-of-range values, fail with LIVETCP_ERR_UNKNOWN_SETTING or LIVETCP_ERR_INVALID_ARGUMENT and a
 * message with the setting and its accepted values; nothing is changed then. */
LIVETCP_API livetcp_result livetcp_config_set(livetcp_config *config, const char *name,
                                              const char *value, livetcp_error *error);

/* Writes the value of a setting to `text`, NUL-terminated, as livetcp_config_set() accepts it.
 * Fails with LIVETCP_ERR_INVALID_ARGUMENT if it does not fit `size` bytes. */
LIVETCP_API livetcp_result livetcp_config_get(const livetcp_config *config, const char *name,
                                              char *text, size_t size, livetcp_error *error);

/* A setting, for programs that list all of them. All strings are static. */
typedef struct livetcp_setting {
    const char *name;    /* "connections" */
    const char *accepts; /* "1..32" or "caller or listener" */
    const char *summary; /* "TCP connections of the session" */
} livetcp_setting;

/* The settings in order; NULL past the last. */
LIVETCP_API const livetcp_setting *livetcp_config_setting(size_t position);

/* Applies livetcp://host:port/NAME?name=value&name=value (NAME is the stream id); livetcps:// for
 * tls=on and, unless the URI has another, port 443; livetcp+ws://host:port/PATH for websocket=on
 * and port 80 (PATH is the websocket-path); or livetcp+wss:// for both, with port 443. IPv6
 * addresses are in brackets, names and values percent-encoded. Several hosts of one peer are
 * separated by commas: livetcp://a,b:port. An empty host means "every address" for a listener;
 * without :port the port is unchanged. Fails with LIVETCP_ERR_BAD_URI and the errors of
 * livetcp_config_set(); the config is unchanged then. */
LIVETCP_API livetcp_result livetcp_config_apply_uri(livetcp_config *config, const char *uri,
                                                    livetcp_error *error);

/* Writes a URI that livetcp_config_apply_uri() turns into the same config: host, port, and the
 * settings that differ from their defaults, without secrets. Fails with
 * LIVETCP_ERR_INVALID_ARGUMENT if it does not fit `size` bytes, or if a field's value has no text;
 * `uri` is undefined then. */
LIVETCP_API livetcp_result livetcp_config_to_uri(const livetcp_config *config, char *uri,
                                                 size_t size, livetcp_error *error);

/* Checks the range of every field, for programs that set fields directly, and the combination of
 * settings: a caller needs host, port and a definite wire; the policy must be registered and have
 * the connections it needs; the redundancy budget must cover the policy's permanent cost;
 * reconnect-min must not exceed reconnect-max, nor min-bitrate max-bitrate; the TLS settings must
 * be consistent; keepalive must be shorter than peer-timeout; localport must leave a port for each
 * connection and is not for listeners; each link (network and host) must have a connection and one
 * address family. Fails with LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_ADDRESS_INVALID or
 * LIVETCP_ERR_UNKNOWN_POLICY. Sessions and listeners call it themselves. */
LIVETCP_API livetcp_result livetcp_config_check(const livetcp_config *config, livetcp_error *error);

#ifdef __cplusplus
}
#endif

#endif
