/* SPDX-License-Identifier: MIT */
/* URIs of a relay's ends: udp://, rtp://, livetcp://, srt:// and file://con, with their
 * parameters. */
#ifndef LT_RELAY_LOCATION_H
#define LT_RELAY_LOCATION_H

#include <livetcp/config.h>

#include <stdio.h>

typedef enum lt_relay_scheme {
    LT_RELAY_UDP,
    LT_RELAY_RTP,
    LT_RELAY_LIVETCP,
    LT_RELAY_CONSOLE, /* file://con: standard input or output */
    LT_RELAY_SRT,
} lt_relay_scheme;

/* Content of a program's datagrams. */
typedef enum lt_relay_encap {
    LT_RELAY_ENCAP_RTP, /* RTP and RTCP, relayed unchanged */
    LT_RELAY_ENCAP_TS,  /* MPEG-TS packets, in RTP as in RFC 2250 */
    LT_RELAY_ENCAP_RAW, /* any other content */
} lt_relay_encap;

/* The port of RTCP. */
typedef enum lt_relay_rtcp {
    LT_RELAY_RTCP_NEXT, /* the port after RTP's */
    LT_RELAY_RTCP_MUX,  /* the same port (RFC 5761) */
    LT_RELAY_RTCP_OFF,
} lt_relay_rtcp;

typedef enum lt_relay_pace {
    LT_RELAY_PACE_NONE, /* at once on arrival */
    LT_RELAY_PACE_FIXED,
    LT_RELAY_PACE_STATIC,
    LT_RELAY_PACE_ADAPTIVE,
    LT_RELAY_PACE_POLICY_AWARE,
} lt_relay_pace;

/* Side of the route. A host without "@" is bound at IN, and a destination at OUT. */
typedef enum lt_relay_side { LT_RELAY_IN, LT_RELAY_OUT } lt_relay_side;

typedef struct lt_relay_location {
    lt_relay_scheme scheme;
    char text[400]; /* URI for messages, without secrets */

    /* udp, rtp and file */
    bool bound; /* receives on host:port; else sends there */
    char host[256];
    uint16_t port;
    lt_relay_encap encap;
    unsigned payload_type; /* of raw datagrams, in RTP */
    lt_relay_rtcp rtcp;
    bool latch;         /* the destination follows the program's source address */
    bool reuse;         /* allows other programs to bind the port */
    unsigned rcvbuf;    /* bytes */
    unsigned ttl;       /* 0 = the system's default */
    int iptos;          /* -1 = the system's default */
    char adapter[64];   /* for multicast: an address; IPv6: an interface name */
    char source[64];    /* of source-specific multicast; "" = any */
    uint16_t localport; /* source port of an end that sends; 0 = any */
    lt_relay_pace pace;
    livetcp_usec pace_delay_us; /* of PACE_FIXED */
    uint32_t clock_rate;        /* of RTP timestamps */

    livetcp_config session; /* livetcp; mode is set */
    char stream_id[LIVETCP_STREAM_ID_MAX +
                   1]; /* stream id of a listener's callers, "" = all; srt: also that of a caller */

    /* srt; a listener if `bound` */
    livetcp_usec latency_us;
    char passphrase[80]; /* "" = none */
    unsigned key_length; /* bytes; 0 = the peer's, or 16 */
} lt_relay_location;

/* Reads a URI; *location is undefined on failure. Errors: LIVETCP_ERR_BAD_URI,
 * LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_UNKNOWN_SETTING and those of livetcp_config_check().
 * Messages name the parameter and its valid values, and show no value of a livetcp URI. */
livetcp_result lt_relay_location_read(lt_relay_location *location, lt_relay_side side,
                                      const char *uri, livetcp_error *error);

/* Lists the schemes and keys. */
void lt_relay_location_help(FILE *out);

#endif
