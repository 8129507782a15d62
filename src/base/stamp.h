/* SPDX-License-Identifier: MIT */
/* What a kernel says about when bytes of a TCP connection passed through it. */
#ifndef LT_BASE_STAMP_H
#define LT_BASE_STAMP_H

#include <livetcp/time.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum lt_stamp_kind {
    LT_STAMP_SCHEDULED,    /* left TCP for the queue of the network interface */
    LT_STAMP_SENT,         /* left that queue for the interface; again if it is sent again */
    LT_STAMP_ACKNOWLEDGED, /* the peer's TCP has it, and all before it */
    LT_STAMP_OTHER         /* something else; the rest means nothing */
} lt_stamp_kind;

/* One byte that was written, and what became of it. */
typedef struct lt_stamp {
    lt_stamp_kind kind;
    uint32_t byte; /* its position in the stream, modulo 2^32 */
    livetcp_usec at_us;
} lt_stamp;

/* What was read in one go, and when the newest segment of that came to this host. */
typedef struct lt_read_stamp {
    bool known;
    bool repaired; /* segments had to wait there for one that was late */
    livetcp_usec at_us;
} lt_read_stamp;

#endif
