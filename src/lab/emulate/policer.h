/* SPDX-License-Identifier: MIT */
/* A policer: a token bucket without a queue, which drops what exceeds a rate. Access networks limit
 * a customer's rate in this way; the RTT then tells nothing about the limit. */
#ifndef LT_LAB_EMULATE_POLICER_H
#define LT_LAB_EMULATE_POLICER_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_policer_params {
    uint64_t rate;  /* bit/s of tokens; 0: no policer */
    uint64_t burst; /* bytes that the bucket holds */
} lt_policer_params;

typedef struct lt_policer {
    double tokens;     /* bytes */
    livetcp_usec seen; /* until when they were counted */
} lt_policer;

/* The bucket is full at the beginning. */
void lt_policer_init(lt_policer *policer, const lt_policer_params *params, livetcp_usec now);

/* Takes the packet's bytes out of the bucket; false when they are not there, and then none are. */
bool lt_policer_pass(lt_policer *policer, const lt_policer_params *params, livetcp_usec now,
                     size_t size);

#endif
