/* SPDX-License-Identifier: MIT */
/* The background traffic of a run. */
#ifndef LT_LAB_BENCH_LOAD_H
#define LT_LAB_BENCH_LOAD_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stdint.h>

enum { LT_BENCH_MAX_BACKGROUND = 400 };

/* Times from the start of the run, warm-up included. */
typedef struct lt_window {
    livetcp_usec from;
    livetcp_usec to; /* LIVETCP_NEVER = to the end */
} lt_window;

typedef struct lt_load {
    unsigned ftp; /* greedy TCP flows, in the direction of the media */
    unsigned web;
    unsigned mice;    /* TCP connections of 20 kB, one after the other, forward */
    uint64_t cbr;     /* bit/s of UDP, IP header included, forward; 0 = none */
    uint64_t poisson; /* as `cbr`, at random intervals */
    bool peer;        /* one more greedy flow, counted separately */
    lt_window ftp_time, mice_time, cbr_time, poisson_time;
    char congestion_control[16]; /* of all of these; "" = the system's */
} lt_load;

/* Parses "FROM-TO" in seconds, or "FROM-", which has no end; false if it is neither. */
bool lt_window_parse(const char *text, lt_window *window);

static inline bool lt_load_any(const lt_load *load)
{
    return load->ftp || load->web || load->mice || load->cbr || load->poisson || load->peer;
}

/* Parse "COUNT" or "COUNT@FROM-TO" in seconds, for example "15@5-60", or a rate such as "3mbit" in
 * place of the count. `option` is for the error. NULL = none. */
livetcp_result lt_load_parse_count(const char *option, const char *text, unsigned *count,
                                   lt_window *window, livetcp_error *error);
livetcp_result lt_load_parse_rate(const char *option, const char *text, uint64_t *rate,
                                  lt_window *window, livetcp_error *error);

#endif
