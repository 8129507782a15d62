/* SPDX-License-Identifier: MIT */
/* A scheme is one way of carrying the media that a run compares with others. */
#ifndef LT_LAB_BENCH_SCHEME_H
#define LT_LAB_BENCH_SCHEME_H

#include <livetcp/livetcp.h>

#include <stdbool.h>

typedef enum lt_transport_kind {
    LT_TRANSPORT_LIVETCP, /* a LiveTCP session, wire session or plain */
    LT_TRANSPORT_SOCKET,  /* what an application without LiveTCP does: write to one TCP socket */
} lt_transport_kind;

enum { LT_BENCH_MAX_SCHEMES = 8 };

typedef struct lt_scheme {
    char spec[128];  /* as given: "shortest-queue:connections=5" */
    char label[160]; /* for a table: "shortest-queue x5" */
    lt_transport_kind kind;
    bool nagle;            /* SOCKET: leave Nagle's algorithm on */
    unsigned redundancy;   /* frames before it that a packet repeats (RFC 2198), 0..3 */
    livetcp_config config; /* LIVETCP: all of it; SOCKET: congestion_control only */
} lt_scheme;

/* What schemes have unless their specs say otherwise. */
typedef struct lt_scheme_defaults {
    unsigned connections;
    unsigned split;
    const char *congestion_control; /* NULL or "" = the system's */
    bool nagle;
    size_t max_packet; /* the packets to come, without framing */
} lt_scheme_defaults;

/* Parses NAME[:KEY=VALUE]..., where NAME is a registered policy, "plain" (LiveTCP's plain wire on
 * one connection) or "socket". KEY is a setting of livetcp_config, "nagle" (0 or 1) of a socket, or
 * "redundancy" (0 to 3) of any. On failure *scheme is undefined and the error names what would have
 * been right. */
livetcp_result lt_scheme_parse(lt_scheme *scheme, const char *spec,
                               const lt_scheme_defaults *defaults, livetcp_error *error);

/* The name of its transport: "session", "plain" or "socket". */
const char *lt_scheme_transport(const lt_scheme *scheme);

#endif
