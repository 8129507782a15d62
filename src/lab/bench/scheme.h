/* SPDX-License-Identifier: MIT */
/* A scheme: one way to carry the media, compared with the others of a run. */
#ifndef LT_LAB_BENCH_SCHEME_H
#define LT_LAB_BENCH_SCHEME_H

#include <livetcp/livetcp.h>

#include <stdbool.h>

typedef enum lt_transport_kind {
    LT_TRANSPORT_LIVETCP, /* a LiveTCP session, or LiveTCP's plain wire */
    LT_TRANSPORT_SOCKET,  /* an application without LiveTCP: writes to one TCP socket */
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
    unsigned redundancy;             /* previous frames that a packet repeats (RFC 2198), 0..3 */
    unsigned link;                   /* 1 = the first; 0 = all */
    double start_rate;               /* initial rate of its encoder in bit/s; 0 = the run's */
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
    size_t max_packet;                /* packet size of the run, without framing */
    const lt_bench_program *programs; /* must outlive the schemes */
    unsigned program_count;
} lt_scheme_defaults;

/* Parses NAME=COMMAND. */
livetcp_result lt_bench_program_parse(lt_bench_program *program, const char *text,
                                      livetcp_error *error);

/* Parses NAME[:KEY=VALUE]..., where NAME is a registered policy, "plain" (LiveTCP's plain wire on
 * one connection), "socket" or a program. KEY is a setting of livetcp_config, "nagle" (0 or 1) of a
 * socket, "redundancy" (0 to 3), or "start-rate" of the encoder. On failure *scheme is undefined
 * and the error names the valid values. */
livetcp_result lt_scheme_parse(lt_scheme *scheme, const char *spec,
                               const lt_scheme_defaults *defaults, livetcp_error *error);

/* True if the scheme estimates a bit rate for an encoder. */
bool lt_scheme_estimates(const lt_scheme *scheme);

/* The name of its transport: "session", "plain", "socket" or "program". */
const char *lt_scheme_transport(const lt_scheme *scheme);

#endif
