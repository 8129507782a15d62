/* SPDX-License-Identifier: MIT */
/* The table of settings. A new setting is a field at the end of livetcp_config and a line here:
 * the C API, URIs, GStreamer properties and the command line follow from it. */
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
           "whether to connect or to wait for callers"),
    HOST("host", host, "host names or addresses, at most 255 bytes",
         "whom to call, several hosts of one peer separated by commas; on a listener the address "
         "to bind, empty for every address"),
    NUMBER("port", port, 0, 65535, "", "0",
           "TCP port to call or to listen on; 0 on a listener is any free port"),
    HOST("localaddress", local_address, "addresses of this host, at most 63 bytes",
         "address that a caller binds before connecting, or several separated by commas, over "
         "which connections are dealt; empty leaves it to the system"),
    CHOICE("wire", wire, wires, "session, plain or auto", "session",
           "several connections with control messages, or plain RFC 4571 on one; a listener with "
           "auto takes either"),
    NUMBER("connections", connections, 1, LIVETCP_MAX_CONNECTIONS, "", "8",
           "TCP connections of the session"),
    TEXT("policy", policy, "the name of a registered policy", "auto",
         "how packets are spread over the connections"),
    NUMBER("split", split, 1, 16, "", "1", "writes per frame"),
    TEXT("congestion-control", congestion_control,
         "auto, an algorithm of the system's, or nothing", "",
         "TCP congestion control, for example cubic; auto is the best there is (bbr, cubic, "
         "reno), empty the system's default"),
    CHOICE("order", order, orders, "arrival or sequence", "arrival",
           "in which order received packets are delivered"),
    MSEC("order-wait", order_wait_us, 0, 60000, "1000",
         "with order=sequence, how long a gap may hold later packets back"),
    NUMBER("max-packet", max_packet, 12, 65535, " bytes", "8190", "largest packet to send"),
    NUMBER("max-receive", max_receive, 12, 65535, " bytes", "65535", "largest frame to accept"),
    NUMBER("queue-packets", queue_packets, 1, 1000000, "", "1024",
           "packets that the send queue holds; the least important are dropped beyond"),
    NUMBER("queue-bytes", queue_bytes, 65535, 1073741824, " bytes", "2097152",
           "bytes that the send queue holds; the least important packets are dropped beyond"),
    MSEC("connect-timeout", connect_timeout_us, 100, 600000, "10000",
         "how long a TCP connection may take to be made"),
    MSEC("handshake-timeout", handshake_timeout_us, 100, 60000, "5000",
         "how long a connection may take to join its session"),
    MSEC("keepalive", keepalive_interval_us, 100, 60000, "1000",
         "a connection that sent nothing for so long sends a ping"),
    MSEC("peer-timeout", peer_timeout_us, 1000, 3600000, "10000",
         "a connection from which nothing came for so long is lost"),
    MSEC("reconnect-min", reconnect_min_us, 10, 60000, "100",
         "shortest wait before a lost connection is replaced"),
    MSEC("reconnect-max", reconnect_max_us, 10, 600000, "5000",
         "longest wait before a lost connection is replaced"),
    MSEC("linger", linger_us, 0, 600000, "15000",
         "how long a listener keeps a session that has no connection"),
    NUMBER("max-sessions", max_sessions, 1, 10000, "", "256",
           "sessions that a listener serves at a time"),
    BOOL("auto-reconnect", auto_reconnect, "true",
         "replaces lost connections; otherwise the session ends with its last"),
    NUMBER("copies", copies, 2, 8, "", "2", "copies of every packet, with policy=duplicate"),
    RATIO("redundancy-budget", redundancy_budget, 0, 7, "auto",
          "bytes beyond one copy of each packet that may be sent per byte of media"),
    MSEC("hedge-delay", hedge_delay_us, 0, 10000, "0",
         "how long after a round trip an unacknowledged packet is copied; 0 follows the path"),
    NUMBER("parity-group", parity_group, 2, 16, "", "4", "packets per parity packet"),
    MSEC("max-send-delay", max_send_delay_us, 0, 600000, "0",
         "a packet that would be delivered later than this is dropped; 0 never"),
    NUMBER("send-buffer-windows", send_buffer_windows, 0, 16, "", "1",
           "the kernel holds at most A congestion windows and B segments; 0 is no limit"),
    NUMBER("send-buffer-segments", send_buffer_segments, 0, 1000, "", "1",
           "segments that the kernel may hold beyond send-buffer-windows congestion windows"),
    MSEC("send-buffer-delay", send_buffer_delay_us, 0, 10000, "0",
         "chooses send-buffer-segments by the delay that the kernel's backlog may add; 0 does not"),
    NUMBER("mss-align", mss_align, 0, 65535, " bytes", "0",
           "size of a packet of which a segment shall hold a whole number; 0 for any"),
    NUMBER("idle-packets", idle_packets, 0, 20, "", "0",
           "small packets per round trip while the application sends nothing"),
    MSEC("idle-time", idle_time_us, 0, 3600000, "10000", "for how long idle-packets are sent"),
    BOOL("tail-probes", tail_probes, "true",
         "lets small packets follow a lone packet, so that its loss is found early"),
    NUMBER("min-bitrate", min_bitrate, 0, 4000000000, " bit/s", "10000",
           "lower bound of the estimated bit rate; 0 for none"),
    NUMBER("max-bitrate", max_bitrate, 0, 4000000000, " bit/s", "0",
           "upper bound of the estimated bit rate; 0 for none"),
    CHOICE("rtcp", rtcp, rtcp, "auto, on or off", "auto",
           "sender and receiver reports; auto leaves them to an application that sends some"),
    MSEC("feedback", feedback_us, 0, 10000, "200",
         "how often the two ends tell each other about delays while media flows; 0 never"),
    CHOICE("timestamps", timestamps, timestamps, "auto, on or off", "auto",
           "whether the kernel is asked when packets passed through it: some, every one or none"),
    OPTIONAL("qos-dscp", qos_dscp, 63, "-1",
             "Differentiated Services code point of what is sent, for example 46 (expedited "
             "forwarding); -1 leaves the system's"),
    NUMBER("localport", local_port, 0, 65535, "", "0",
           "TCP port that a caller's first connection binds, the others bind those that follow; 0 "
           "leaves them to the system"),
    AUTO_MSEC("copy-spacing", copy_spacing_us, 0, 1000, "auto",
              "how far apart copies of a packet and the packets of a parity group are sent; auto "
              "follows the length of bursts of losses"),
    TEXT("interface", interfaces, "names of network interfaces, at most 127 bytes", "",
         "network interface of a caller's connections, or several separated by commas, over which "
         "connections are dealt; empty leaves it to the system"),
    TEXT("link-weight", link_weights, "numbers from 1 to 100", "",
         "cost of a byte on each network, separated by commas; a dearer one is used where it "
         "delivers so much earlier"),
    NUMBER("max-joining", max_joining, 1, 100000, "", "1024",
           "connections that a listener holds which have not joined a session; the oldest makes "
           "room"),
    NUMBER("max-joining-address", max_joining_address, 1, 100000, "", "256",
           "how many of max-joining may be of one address"),
    NUMBER("joins-per-second", joins_per_second, 1, 100000, "", "500",
           "rate at which a listener agrees on keys with new sessions and makes TLS handshakes; others "
           "wait"),
    BOOL("peer-sends", peer_sends, "false",
         "a listener's plain peers must send media, or are turned away"),
    CHOICE("tls", tls, tls, "off, on or auto", "off",
           "encrypts and authenticates every connection (TLS 1.3 or 1.2); a listener with auto "
           "takes connections with and without"),
    LINE("tls-ca", tls_ca, "the name of a file, at most 255 bytes",
         "certificates (PEM) of those who may have signed the peer's; empty trusts the system's, "
         "and on a listener lets every caller in"),
    LINE("tls-cert", tls_cert, "the name of a file, at most 255 bytes",
         "own certificate and its chain (PEM); a listener needs it, unless it has a passphrase"),
    LINE("tls-key", tls_key, "the name of a file, at most 255 bytes",
         "private key (PEM) of tls-cert; empty looks for it in that file"),
    LINE("tls-fingerprint", tls_fingerprint, "sha-256 AB:CD:..., 32 bytes",
         "fingerprint (RFC 8122) of the only certificate that the peer may have, whoever signed "
         "it"),
    TEXT("tls-name", tls_name, "a host name or address, at most 255 bytes", "",
         "name that the listener's certificate must be for; empty is the host that is called"),
    BOOL("tls-insecure", tls_insecure, "false",
         "takes every certificate of a listener: anybody on the way can read and change all"),
    SECRET("passphrase", passphrase, "10 to 255 bytes, or file:NAME or env:NAME",
           "secret that both ends have: encrypts and authenticates every connection without "
           "certificates (TLS 1.3 with a pre-shared key)"),
    LINE("fallback", fallback, "HOST:PORT, at most 255 bytes",
         "server to which a listener passes connections that are no media, for example a web "
         "server that shares port 443"),
    URL("proxy", proxy,
        "env, http://, https:// or socks5://USER:PASSWORD@HOST:PORT, or file:NAME or env:NAME",
        "proxy through which a caller makes every connection; env reads HTTPS_PROXY, ALL_PROXY and "
        "NO_PROXY, empty is none"),
    LINE("proxy-ca", proxy_ca, "the name of a file, at most 255 bytes",
         "certificates (PEM) of those who may have signed the certificate of an https:// proxy; "
         "empty trusts the system's"),
    BOOL("proxy-protocol", proxy_protocol, "false",
         "the senders in proxy-protocol-from begin each connection to a listener with a PROXY "
         "header (version 1 or 2), which says whose it is"),
    TEXT("proxy-protocol-from", proxy_protocol_from, "addresses or networks, at most 255 bytes",
         "", "proxies in front of a listener that send PROXY headers, separated by commas, for "
         "example 10.0.0.0/8,::1"),
    CHOICE("role", role, roles, "both, publish or subscribe", "both",
           "what a caller means to do, as the listener's application is told"),
    MSEC("admission-timeout", admission_timeout_us, 100, 600000, "30000",
         "how long a listener's application may take to decide about a caller"),
    NAME("stream-id", stream_id, "UTF-8, at most 512 bytes",
         "which stream of the listener's a caller means; the path of a URI"),
    SECRET("token", token, "at most 2048 bytes, or file:NAME or env:NAME",
           "shows to the listener's application what a caller may do; needs TLS or a passphrase"),
    CHOICE("websocket", websocket, websocket, "off, on or auto", "off",
           "carries every connection in a WebSocket (RFC 6455); a listener with auto takes "
           "connections with and without"),
    TEXT("websocket-path", websocket_path, "a path like /live, at most 255 bytes", "",
         "what a caller asks the web server for, and the only path that a listener takes; empty is "
         "/, and every path"),
    TEXT("websocket-origin", websocket_origin,
         "origins like https://example.org, separated by commas, at most 255 bytes, or *", "",
         "whose web pages may connect to a listener by WebSocket; empty is none, * all"),
    TEXT("websocket-forwarded-from", websocket_forwarded_from,
         "addresses or networks, at most 255 bytes", "",
         "servers in front of a listener whose X-Forwarded-For says whose a WebSocket is, separated "
         "by commas, for example 10.0.0.0/8,::1"),
    SECRET("websocket-headers", websocket_headers,
           "a line Name: value, at most 1024 bytes, or file:NAME or env:NAME",
           "fields that a caller adds to its requests for WebSockets, for a server in front that "
           "asks for them, a line each; needs TLS"),
};
/* clang-format on */

#define SETTING_COUNT (sizeof settings / sizeof *settings)

/* Other names that settings are found by: those before version 0.2, those of the elements'
 * properties where GStreamer has a max-bitrate of its own, and TLS's word for a shared key. */
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

/* Names to suggest have at most this edit distance from the name given. */
#define TYPO_MAX 3

#define NAME_MAX_SIZE 32

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;

    return least < c ? least : c;
}

/* Insertions, deletions and replacements from one to the other (Levenshtein). */
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
