/* SPDX-License-Identifier: MIT */
/* The table of settings. A new setting is a field at the end of livetcp_config and a line here; the
 * C API, URIs, GStreamer properties and the command line read this table. */
#include "settings/settings.h"

#include "base/error.h"

#include <string.h>

#define FIELD(field)     offsetof(livetcp_config, field), sizeof(((livetcp_config *)0)->field)
#define STRING(x)        STRING_(x)
#define STRING_(x)       #x
#define RANGE(low, high) STRING(low) ".." STRING(high)

#define CHOICE(name, field, choices, accepts, initial, summary)                                    \
    {                                                                                              \
        {name, accepts, summary}, LT_SETTING_CHOICE, FIELD(field), 0, 0, choices, initial          \
    }
#define NUMBER(name, field, low, high, unit, initial, summary)                                     \
    {                                                                                              \
        {name, RANGE(low, high) unit, summary}, LT_SETTING_NUMBER, FIELD(field), low, high, NULL,  \
            initial                                                                                \
    }
#define OPTIONAL(name, field, high, initial, summary)                                              \
    {                                                                                              \
        {name, RANGE(-1, high), summary}, LT_SETTING_OPTIONAL, FIELD(field), 0, high, NULL,        \
            initial                                                                                \
    }
#define BOOL(name, field, initial, summary)                                                        \
    {                                                                                              \
        {name, "true or false", summary}, LT_SETTING_BOOL, FIELD(field), 0, 1, NULL, initial       \
    }
#define MSEC(name, field, low, high, initial, summary)                                             \
    {                                                                                              \
        {name, RANGE(low, high) " ms", summary}, LT_SETTING_MSEC, FIELD(field), low, high, NULL,   \
            initial                                                                                \
    }
#define AUTO_MSEC(name, field, low, high, initial, summary)                                        \
    {                                                                                              \
        {name, "auto or " RANGE(low, high) " ms", summary}, LT_SETTING_AUTO_MSEC, FIELD(field),    \
            low, high, NULL, initial                                                               \
    }
#define TEXT(name, field, accepts, initial, summary)                                               \
    {                                                                                              \
        {name, accepts, summary}, LT_SETTING_TEXT, FIELD(field), 0, 0, NULL, initial               \
    }
#define HOST(name, field, accepts, summary)                                                        \
    {                                                                                              \
        {name, accepts, summary}, LT_SETTING_HOST, FIELD(field), 0, 0, NULL, ""                    \
    }

#define LINE(name, field, accepts, summary)                                                        \
    {                                                                                              \
        {name, accepts, summary}, LT_SETTING_LINE, FIELD(field), 0, 0, NULL, ""                    \
    }
#define NAME(name, field, accepts, summary)                                                        \
    {                                                                                              \
        {name, accepts, summary}, LT_SETTING_NAME, FIELD(field), 0, 0, NULL, ""                    \
    }
#define SECRET(name, field, accepts, summary)                                                      \
    {                                                                                              \
        {name, accepts, summary}, LT_SETTING_SECRET, FIELD(field), 0, 0, NULL, ""                  \
    }

#define URL(name, field, accepts, summary)                                                         \
    {                                                                                              \
        {name, accepts, summary}, LT_SETTING_URL, FIELD(field), 0, 0, NULL, ""                     \
    }

#define RATIO(name, field, low, high, initial, summary)                                            \
    {                                                                                              \
        {name, "auto or " RANGE(low, high), summary}, LT_SETTING_RATIO, FIELD(field), low, high,   \
            NULL, initial                                                                          \
    }

static const char *const modes[] = {"caller", "listener", NULL};
static const char *const wires[] = {"session", "plain", "auto", NULL};
static const char *const orders[] = {"arrival", "sequence", NULL};
static const char *const timestamps[] = {"auto", "on", "off", NULL};
static const char *const tls[] = {"off", "on", "auto", NULL};
static const char *const websocket[] = {"off", "on", "auto", NULL};
static const char *const roles[] = {"both", "publish", "subscribe", NULL};
static const char *const rtcp[] = {"auto", "on", "off", NULL};

/* clang-format off */
static const lt_setting settings[] = {
    CHOICE("mode", mode, modes, "caller or listener", "caller",
           "connect as a caller, or wait for callers as a listener"),
    HOST("host", host, "host names or addresses, at most 255 bytes",
         "host to call, several hosts of one peer separated by commas; on a listener the address "
         "to bind, empty for every address"),
    NUMBER("port", port, 0, 65535, "", "0",
           "TCP port to call or to listen on; 0 on a listener chooses a free port"),
    HOST("localaddress", local_address, "addresses of this host, at most 63 bytes",
         "local address of a caller's connections, or several separated by commas, which the "
         "connections use in turn; empty leaves the choice to the system"),
    CHOICE("wire", wire, wires, "session, plain or auto", "session",
           "session: several connections with control messages; plain: RFC 4571 on one "
           "connection; auto: a listener accepts both"),
    NUMBER("connections", connections, 1, LIVETCP_MAX_CONNECTIONS, "", "8",
           "TCP connections of the session"),
    TEXT("policy", policy, "the name of a registered policy", "auto",
         "transport policy, which distributes packets over the connections"),
    NUMBER("split", split, 1, 16, "", "1", "writes per frame"),
    TEXT("congestion-control", congestion_control,
         "auto, an algorithm of the system, or nothing", "",
         "TCP congestion control, for example cubic; auto is the first of bbr, cubic and reno "
         "that the host permits, empty the system's default"),
    CHOICE("order", order, orders, "arrival or sequence", "arrival",
           "order in which received packets are delivered"),
    MSEC("order-wait", order_wait_us, 0, 60000, "1000",
         "with order=sequence, how long later packets wait for a missing one"),
    NUMBER("max-packet", max_packet, 12, 65535, " bytes", "8190", "largest packet to send"),
    NUMBER("max-receive", max_receive, 12, 65535, " bytes", "65535", "largest frame to accept"),
    NUMBER("queue-packets", queue_packets, 1, 1000000, "", "1024",
           "capacity of the send queue in packets; beyond it the least important packets are "
           "dropped"),
    NUMBER("queue-bytes", queue_bytes, 65535, 1073741824, " bytes", "2097152",
           "capacity of the send queue in bytes; beyond it the least important packets are "
           "dropped"),
    MSEC("connect-timeout", connect_timeout_us, 100, 600000, "10000",
         "time limit for connecting over TCP"),
    MSEC("handshake-timeout", handshake_timeout_us, 100, 60000, "5000",
         "time limit for a connection to join its session"),
    MSEC("keepalive", keepalive_interval_us, 100, 60000, "1000",
         "a connection that has sent nothing for this time sends a ping; beside thin media up to "
         "three times that"),
    MSEC("peer-timeout", peer_timeout_us, 1000, 3600000, "10000",
         "a connection that has received nothing for this time is lost"),
    MSEC("reconnect-min", reconnect_min_us, 10, 60000, "100",
         "minimum wait before a lost connection is replaced"),
    MSEC("reconnect-max", reconnect_max_us, 10, 600000, "5000",
         "maximum wait before a lost connection is replaced"),
    MSEC("linger", linger_us, 0, 600000, "15000",
         "how long a listener keeps a session without connections"),
    NUMBER("max-sessions", max_sessions, 1, 10000, "", "256",
           "maximum number of sessions that a listener serves at a time"),
    BOOL("auto-reconnect", auto_reconnect, "true",
         "replace lost connections; otherwise the session ends with its last connection"),
    NUMBER("copies", copies, 2, 8, "", "2",
           "copies of every packet, with policy=duplicate"),
    RATIO("redundancy-budget", redundancy_budget, 0, 7, "auto",
          "bytes beyond one copy of each packet that may be sent per byte of media"),
    MSEC("hedge-delay", hedge_delay_us, 0, 10000, "0",
         "time beyond a round trip after which an unacknowledged packet is copied; 0 adapts to "
         "the path"),
    NUMBER("parity-group", parity_group, 2, 16, "", "4", "packets per parity packet"),
    MSEC("max-send-delay", max_send_delay_us, 0, 600000, "0",
         "packets that would be delivered later than this are dropped; 0 drops none"),
    NUMBER("send-buffer-windows", send_buffer_windows, 0, 16, "", "1",
           "limit of the kernel's send buffer in congestion windows, plus send-buffer-segments; "
           "0 for no limit"),
    NUMBER("send-buffer-segments", send_buffer_segments, 0, 1000, "", "1",
           "segments that the kernel may hold beyond send-buffer-windows congestion windows"),
    MSEC("send-buffer-delay", send_buffer_delay_us, 0, 10000, "0",
         "sets send-buffer-segments to what the congestion window sends in this time; 0 keeps "
         "the number"),
    NUMBER("mss-align", mss_align, 0, 65535, " bytes", "0",
           "packet size of which a TCP segment holds a whole number; 0 for any"),
    NUMBER("idle-packets", idle_packets, 0, 20, "", "0",
           "small packets per round trip while the application sends nothing"),
    MSEC("idle-time", idle_time_us, 0, 3600000, "10000",
         "how long idle-packets are sent"),
    BOOL("tail-probes", tail_probes, "true",
         "send a small packet behind a single packet, so that TCP detects its loss early"),
    NUMBER("min-bitrate", min_bitrate, 0, 4000000000, " bit/s", "10000",
           "lower bound of the estimated bit rate; 0 for none"),
    NUMBER("max-bitrate", max_bitrate, 0, 4000000000, " bit/s", "0",
           "upper bound of the estimated bit rate; 0 for none"),
    CHOICE("rtcp", rtcp, rtcp, "auto, on or off", "auto",
           "sender and receiver reports; auto stops when the application sends its own"),
    MSEC("feedback", feedback_us, 0, 10000, "200",
         "interval of feedback about delays between the two ends while media flows, of thin media "
         "up to five times that; 0 for none"),
    CHOICE("timestamps", timestamps, timestamps, "auto, on or off", "auto",
           "kernel timestamps of packets: auto requests them for some packets, on for all, off "
           "for none"),
    OPTIONAL("qos-dscp", qos_dscp, 63, "-1",
             "Differentiated Services code point of sent packets, for example 46 (expedited "
             "forwarding); -1 keeps the system's"),
    NUMBER("localport", local_port, 0, 65535, "", "0",
           "local TCP port of a caller's first connection, the others use the following ports; 0 "
           "leaves the choice to the system"),
    AUTO_MSEC("copy-spacing", copy_spacing_us, 0, 1000, "auto",
              "time between the copies of a packet and between the packets of a parity group; "
              "auto adapts to the length of loss bursts"),
    TEXT("interface", interfaces, "names of network interfaces, at most 127 bytes", "",
         "network interface of a caller's connections, or several separated by commas, which the "
         "connections use in turn; empty leaves the choice to the system"),
    TEXT("link-weight", link_weights, "numbers from 1 to 100", "",
         "cost of a byte on each network, separated by commas; a more expensive network is used "
         "where it delivers correspondingly earlier"),
    NUMBER("max-joining", max_joining, 1, 100000, "", "1024",
           "maximum number of a listener's connections without a session; beyond it the oldest "
           "is closed"),
    NUMBER("max-joining-address", max_joining_address, 1, 100000, "", "256",
           "maximum number of connections without a session from one address"),
    NUMBER("joins-per-second", joins_per_second, 1, 100000, "", "500",
           "rate limit of a listener's key agreements and TLS handshakes; further ones wait"),
    BOOL("peer-sends", peer_sends, "false",
         "a listener's plain peers must send media, or are rejected"),
    CHOICE("tls", tls, tls, "off, on or auto", "off",
           "encrypt and authenticate every connection (TLS 1.3 or 1.2); a listener with auto "
           "accepts connections with and without TLS"),
    LINE("tls-ca", tls_ca, "the name of a file, at most 255 bytes",
         "CA certificates (PEM) that the peer's certificate is verified against; empty uses the "
         "system's, and a listener then requires no certificate"),
    LINE("tls-cert", tls_cert, "the name of a file, at most 255 bytes",
         "own certificate and its chain (PEM); required on a listener without a passphrase"),
    LINE("tls-key", tls_key, "the name of a file, at most 255 bytes",
         "private key (PEM) of tls-cert; empty if tls-cert contains it"),
    LINE("tls-fingerprint", tls_fingerprint, "sha-256 AB:CD:..., 32 bytes",
         "fingerprint (RFC 8122) of the only certificate accepted from the peer, whatever its "
         "issuer"),
    TEXT("tls-name", tls_name, "a host name or address, at most 255 bytes", "",
         "name that the listener's certificate must have; empty is the host that is called"),
    BOOL("tls-insecure", tls_insecure, "false",
         "accept every certificate of a listener: anyone on the path can read and change "
         "everything"),
    SECRET("passphrase", passphrase, "a text of 10 to 255 bytes, or file:NAME or env:NAME",
           "shared secret of both ends: encrypts and authenticates every connection without "
           "certificates (TLS 1.3 with a pre-shared key)"),
    LINE("fallback", fallback, "HOST:PORT, at most 255 bytes",
         "server to which a listener passes connections that are not LiveTCP, for example a web "
         "server that shares port 443"),
    URL("proxy", proxy,
        "env, http://, https:// or socks5://USER:PASSWORD@HOST:PORT, or file:NAME or env:NAME",
        "proxy for every connection of a caller; env reads HTTPS_PROXY, ALL_PROXY and NO_PROXY, "
        "empty uses none"),
    LINE("proxy-ca", proxy_ca, "the name of a file, at most 255 bytes",
         "CA certificates (PEM) for the certificate of an https:// proxy; empty uses the system's"),
    BOOL("proxy-protocol", proxy_protocol, "false",
         "the senders in proxy-protocol-from begin each connection to a listener with a PROXY "
         "header (version 1 or 2), which has the caller's address"),
    TEXT("proxy-protocol-from", proxy_protocol_from, "addresses or networks, at most 255 bytes",
         "",
         "proxies in front of a listener that send PROXY headers, separated by commas, for "
         "example 10.0.0.0/8,::1"),
    CHOICE("role", role, roles, "both, publish or subscribe", "both",
           "role of a caller, reported to the listener's application"),
    MSEC("admission-timeout", admission_timeout_us, 100, 600000, "30000",
         "time limit for a listener's application to admit or reject a caller"),
    NAME("stream-id", stream_id, "UTF-8, at most 512 bytes",
         "stream that a caller requests from the listener; the path of a URI"),
    SECRET("token", token, "at most 2048 bytes, or file:NAME or env:NAME",
           "token that authorizes a caller to the listener's application; requires TLS or a "
           "passphrase"),
    CHOICE("websocket", websocket, websocket, "off, on or auto", "off",
           "carry every connection in a WebSocket (RFC 6455); a listener with auto accepts "
           "connections with and without"),
    TEXT("websocket-path", websocket_path, "a path like /live, at most 255 bytes", "",
         "path that a caller requests, and the only path that a listener accepts; empty is / for "
         "a caller, every path for a listener"),
    TEXT("websocket-origin", websocket_origin,
         "origins like https://example.org, separated by commas, at most 255 bytes, or *", "",
         "origins whose web pages may connect to a listener by WebSocket; empty permits none, * "
         "all"),
    TEXT("websocket-forwarded-from", websocket_forwarded_from,
         "addresses or networks, at most 255 bytes", "",
         "servers in front of a listener whose X-Forwarded-For is trusted for the caller's "
         "address, separated by commas, for example 10.0.0.0/8,::1"),
    SECRET("websocket-headers", websocket_headers,
           "a line Name: value, at most 1024 bytes, or file:NAME or env:NAME",
           "header fields that a caller adds to its WebSocket requests, a line each, for a "
           "server in front that requires them; needs TLS"),
};
/* clang-format on */

#define SETTING_COUNT (sizeof settings / sizeof *settings)

/* Other accepted names: those from before version 0.2, and those of element properties where
 * GStreamer has its own max-bitrate, and TLS's term for a shared key. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"min-buf-a", "send-buffer-windows"},     {"min-buf-b", "send-buffer-segments"},
    {"min-buf-delay", "send-buffer-delay"},   {"chasers", "tail-probes"},
    {"reconnect", "auto-reconnect"},          {"estimated-bitrate-min", "min-bitrate"},
    {"estimated-bitrate-max", "max-bitrate"}, {"tls-psk", "passphrase"},
};

#define ALIAS_COUNT (sizeof aliases / sizeof *aliases)

const lt_setting *lt_setting_at(size_t position)
{
    return position < SETTING_COUNT ? &settings[position] : NULL;
}

/* ---- looking up ---- */

/* Maximum edit distance of a suggested name. */
#define TYPO_MAX 3

#define NAME_MAX_SIZE 32

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;

    return least < c ? least : c;
}

/* Levenshtein distance: insertions, deletions and replacements. */
static unsigned distance(const char *typed, const char *name)
{
    unsigned row[NAME_MAX_SIZE];
    size_t width = strlen(name);

    for (size_t j = 0; j <= width; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; typed[i]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t j = 1; j <= width; j++) {
            unsigned above = row[j];
            row[j] =
                smallest(above + 1, row[j - 1] + 1, diagonal + (typed[i] != name[j - 1] ? 1 : 0));
            diagonal = above;
        }
    }
    return row[width];
}

static const char *closest_name(const char *typed)
{
    const char *closest = NULL;
    unsigned least = TYPO_MAX + 1;

    if (strlen(typed) >= NAME_MAX_SIZE)
        return NULL;
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        unsigned d = distance(typed, settings[i].listed.name);
        if (d < least) {
            least = d;
            closest = settings[i].listed.name;
        }
    }
    return closest;
}

static const lt_setting *find(const char *name)
{
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (!strcmp(settings[i].listed.name, name))
            return &settings[i];
    return NULL;
}

const lt_setting *lt_setting_find(const char *name, livetcp_error *error)
{
    const lt_setting *setting = find(name);
    const char *closest;

    for (size_t i = 0; !setting && i < ALIAS_COUNT; i++)
        if (!strcmp(aliases[i].alias, name))
            setting = find(aliases[i].name);
    if (setting)
        return setting;

    closest = closest_name(name);
    if (closest)
        lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                "there is no setting '%.40s'; did you mean '%s'?", name, closest);
    else
        lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                "there is no setting '%.40s'; livetcp/config.h lists them all", name);
    return NULL;
}
