/* SPDX-License-Identifier: MIT */
/* Where one end of a relay is: udp://, rtp://, livetcp://, srt:// and file://con, with their keys.
 */
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

/* What the datagrams of a program are. */
typedef enum lt_relay_encap {
    LT_RELAY_ENCAP_RTP, /* RTP and RTCP, relayed as they are */
    LT_RELAY_ENCAP_TS,  /* MPEG-TS packets, RFC 2250 between the relays */
    LT_RELAY_ENCAP_RAW, /* anything */
} lt_relay_encap;

/* Where RTCP comes from and goes to. */
typedef enum lt_relay_rtcp {
    LT_RELAY_RTCP_NEXT, /* the port after RTP's */
    LT_RELAY_RTCP_MUX,  /* the same port (RFC 5761) */
    LT_RELAY_RTCP_OFF,
} lt_relay_rtcp;

typedef enum lt_relay_pace {
    LT_RELAY_PACE_NONE, /* as packets come */
    LT_RELAY_PACE_FIXED,
    LT_RELAY_PACE_STATIC,
    LT_RELAY_PACE_ADAPTIVE,
    LT_RELAY_PACE_POLICY_AWARE,
} lt_relay_pace;

/* Which side of the route an end is. A host without "@" is bound at IN and sent to at OUT. */
typedef enum lt_relay_side { LT_RELAY_IN, LT_RELAY_OUT } lt_relay_side;

typedef struct lt_relay_location {
    lt_relay_scheme scheme;
    char text[400]; /* the URI for people: without secrets */

    /* udp, rtp and file */
    bool bound; /* waits on host:port for the program; else sends there */
    char host[256];
    uint16_t port;
    lt_relay_encap encap;
    unsigned payload_type; /* of raw datagrams between the relays */
    lt_relay_rtcp rtcp;
    bool latch;         /* answers go where the program sends from */
    bool reuse;         /* another program may be bound to the port, too */
    unsigned rcvbuf;    /* bytes */
    unsigned ttl;       /* 0 = the system's */
    int iptos;          /* -1 = the system's */
    char adapter[64];   /* of multicast: an address, or an interface's name for IPv6 */
    char source[64];    /* of source-specific multicast; "" = any */
    uint16_t localport; /* of an end that sends; 0 = any */
    lt_relay_pace pace;
    livetcp_usec pace_delay_us; /* FIXED */
    uint32_t clock_rate;        /* of RTP timestamps */

    livetcp_config session;                    /* livetcp; mode is set */
    char stream_id[LIVETCP_STREAM_ID_MAX + 1]; /* of the callers that a listener serves; "" = all;
                                                  srt: what a caller says, too */

    /* srt; `bound`: a listener */
    livetcp_usec latency_us;
    char passphrase[80]; /* "" = none */
    unsigned key_length; /* bytes; 0 = the other end's, or 16 */
} lt_relay_location;

/* Reads a URI; *location is undefined on failure. Errors: LIVETCP_ERR_BAD_URI,
 * LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_UNKNOWN_SETTING and those of livetcp_config_check();
 * messages name the key and its values, and show no value of a livetcp URI. */
livetcp_result lt_relay_location_read(lt_relay_location *location, lt_relay_side side,
                                      const char *uri, livetcp_error *error);

/* Lists the schemes and keys. */
void lt_relay_location_help(FILE *out);

#endif
