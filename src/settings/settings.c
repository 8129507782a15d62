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
#define MSEC(name, field, low, high, initial, summary)                                             \
    {                                                                                              \
        {name, RANGE(low, high) " ms", summary}, LT_SETTING_MSEC, FIELD(field), low, high, NULL,   \
            initial                                                                                \
    }
#define TEXT(name, field, accepts, initial, summary)                                               \
    {                                                                                              \
        {name, accepts, summary}, LT_SETTING_TEXT, FIELD(field), 0, 0, NULL, initial               \
    }

#define RATIO(name, field, low, high, initial, summary)                                            \
    {                                                                                              \
        {name, "auto or " RANGE(low, high), summary}, LT_SETTING_RATIO, FIELD(field), low, high,   \
            NULL, initial                                                                          \
    }

static const char *const modes[] = {"caller", "listener", NULL};
static const char *const wires[] = {"session", "plain", NULL};
static const char *const orders[] = {"arrival", "sequence", NULL};
static const char *const timestamps[] = {"auto", "on", "off", NULL};
static const char *const rtcp[] = {"auto", "on", "off", NULL};

/* clang-format off */
static const lt_setting settings[] = {
    CHOICE("mode", mode, modes, "caller or listener", "caller",
           "whether to connect or to wait for callers"),
    TEXT("host", host, "a host name or address, at most 255 bytes", "",
         "whom to call; on a listener the address to bind, empty for every address"),
    NUMBER("port", port, 0, 65535, "", "0",
           "TCP port to call or to listen on; 0 on a listener is any free port"),
    TEXT("localaddress", local_address, "an address of this host, at most 63 bytes", "",
         "address that a caller binds before connecting; empty leaves it to the system"),
    CHOICE("wire", wire, wires, "session or plain", "session",
           "several connections with control messages, or plain RFC 4571 on one"),
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
    NUMBER("reconnect", reconnect, 0, 1, "", "1",
           "1 replaces lost connections, 0 ends the session with its last"),
    NUMBER("copies", copies, 2, 8, "", "2", "copies of every packet, with policy=duplicate"),
    RATIO("redundancy-budget", redundancy_budget, 0, 7, "auto",
          "bytes beyond one copy of each packet that may be sent per byte of media"),
    MSEC("hedge-delay", hedge_delay_us, 0, 10000, "0",
         "how long after a round trip an unacknowledged packet is copied; 0 follows the path"),
    NUMBER("parity-group", parity_group, 2, 16, "", "4", "packets per parity packet"),
    MSEC("max-send-delay", max_send_delay_us, 0, 600000, "0",
         "a packet that would be delivered later than this is dropped; 0 never"),
    NUMBER("min-buf-a", min_buf_a, 0, 16, "", "1",
           "the kernel holds at most A congestion windows and B segments; 0 is no limit"),
    NUMBER("min-buf-b", min_buf_b, 0, 1000, "", "1",
           "segments that the kernel may hold beyond min-buf-a congestion windows"),
    MSEC("min-buf-delay", min_buf_delay_us, 0, 10000, "0",
         "tunes min-buf-a and -b to the delay the kernel's backlog may add; 0 does not"),
    NUMBER("mss-align", mss_align, 0, 65535, " bytes", "0",
           "size of a packet of which a segment shall hold a whole number; 0 for any"),
    NUMBER("idle-packets", idle_packets, 0, 20, "", "0",
           "small packets per round trip while the application sends nothing"),
    MSEC("idle-time", idle_time_us, 0, 3600000, "10000", "for how long idle-packets are sent"),
    NUMBER("chasers", chasers, 0, 1, "", "1",
           "1 lets small packets follow a lone packet, so that its loss is found early"),
    NUMBER("min-bitrate", min_bitrate, 0, 4000000000, " bit/s", "0",
           "lower bound of the estimated bit rate; 0 for none"),
    NUMBER("max-bitrate", max_bitrate, 0, 4000000000, " bit/s", "0",
           "upper bound of the estimated bit rate; 0 for none"),
    CHOICE("rtcp", rtcp, rtcp, "auto, on or off", "auto",
           "sender and receiver reports; auto leaves them to an application that sends some"),
    MSEC("feedback", feedback_us, 0, 10000, "200",
         "how often the two ends tell each other about delays while media flows; 0 never"),
    CHOICE("timestamps", timestamps, timestamps, "auto, on or off", "auto",
           "whether the kernel is asked when packets passed through it: some, every one or none"),
};
/* clang-format on */

#define SETTING_COUNT (sizeof settings / sizeof *settings)

const lt_setting *lt_setting_at(size_t position)
{
    return position < SETTING_COUNT ? &settings[position] : NULL;
}

/* ---- looking up ---- */

/* Names to suggest are at most this far from what was typed. */
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

const lt_setting *lt_setting_find(const char *name, livetcp_error *error)
{
    const char *closest;

    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (!strcmp(settings[i].listed.name, name))
            return &settings[i];

    closest = closest_name(name);
    if (closest)
        lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                "there is no setting '%.40s'; did you mean '%s'?", name, closest);
    else
        lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                "there is no setting '%.40s'; livetcp/config.h lists them all", name);
    return NULL;
}
