/* SPDX-License-Identifier: MIT */
/* A policer: a token bucket without a queue that drops packets above a rate. Access networks limit
 * rates this way; the RTT then does not show the limit. */
#ifndef LT_LAB_EMULATE_POLICER_H
#define LT_LAB_EMULATE_POLICER_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_policer_params {
    uint64_t rate;  /* bit/s of tokens; 0: no policer */
    uint64_t burst; /* size of the bucket in bytes */
} lt_policer_params;

typedef struct lt_policer {
    double tokens;     /* bytes */
    livetcp_usec seen; /* when they were last updated */
} lt_policer;

/* The bucket is full initially. */
void lt_policer_init(lt_policer *policer, const lt_policer_params *params, livetcp_usec now);

/* Takes the packet's bytes from the bucket; false, with no change, if there are too few. */
bool lt_policer_pass(lt_policer *policer, const lt_policer_params *params, livetcp_usec now,
                     size_t size);

#endif
