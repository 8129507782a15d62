/* SPDX-License-Identifier: MIT */
/* A scheme is one way of carrying the media that a run compares with others. */
#ifndef LT_LAB_BENCH_SCHEME_H
#define LT_LAB_BENCH_SCHEME_H

#include <livetcp/livetcp.h>

#include <stdbool.h>

typedef enum lt_transport_kind {
    LT_TRANSPORT_LIVETCP, /* a LiveTCP session, wire session or plain */
    LT_TRANSPORT_SOCKET,  /* as an application without LiveTCP: writes to one TCP socket */
    LT_TRANSPORT_PROGRAM, /* another protocol, by a program: see transport_program.c */
} lt_transport_kind;

enum { LT_BENCH_MAX_SCHEMES = 14 };

/* A transport by a program: see transport_program.c. */
typedef struct lt_bench_program {
    char name[32];
    char command[512]; /* for the shell */
} lt_bench_program;

typedef struct lt_scheme {
    char spec[128];  /* as given: "shortest-queue:connections=5" */
    char label[160]; /* for a table: "shortest-queue x5" */
    lt_transport_kind kind;
    bool nagle;                      /* SOCKET: leave Nagle's algorithm on */
    unsigned redundancy;             /* frames before it that a packet repeats (RFC 2198), 0..3 */
    unsigned link;                   /* of several: 0 = all, else from 1 */
    double start_rate;               /* bit/s, of its encoder in place of the run's; 0 = that */
    livetcp_config config;           /* LIVETCP: all of it; SOCKET: congestion_control only */
    const lt_bench_program *program; /* PROGRAM */
} lt_scheme;

/* Defaults of schemes. */
typedef struct lt_scheme_defaults {
    unsigned connections;
    unsigned split;
    const char *congestion_control; /* NULL or "" = the system's */
    bool nagle;
    unsigned links;                   /* of the path */
    size_t max_packet;                /* the packets to come, without framing */
    const lt_bench_program *programs; /* must outlive the schemes */
    unsigned program_count;
} lt_scheme_defaults;

/* Parses NAME=COMMAND. */
livetcp_result lt_bench_program_parse(lt_bench_program *program, const char *text,
                                      livetcp_error *error);

/* Parses NAME[:KEY=VALUE]..., where NAME is a registered policy, "plain" (LiveTCP's plain wire on
 * one connection), "socket" or a program. KEY is a setting of livetcp_config, "nagle" (0 or 1) of a
 * socket, "redundancy" (0 to 3), or "start-rate" of the encoder, of any. On failure *scheme is
 * undefined and the error names the valid values. */
livetcp_result lt_scheme_parse(lt_scheme *scheme, const char *spec,
                               const lt_scheme_defaults *defaults, livetcp_error *error);

/* True if it estimates a bit rate that an encoder can follow. */
bool lt_scheme_estimates(const lt_scheme *scheme);

/* The name of its transport: "session", "plain", "socket" or "program". */
const char *lt_scheme_transport(const lt_scheme *scheme);

#endif
