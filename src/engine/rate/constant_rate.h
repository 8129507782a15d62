/* SPDX-License-Identifier: MIT */
/*
 * A path that delivers the same rate all the time, and as much as it has ever delivered. Another
 * flow in the bottleneck takes more now and less then; so this one has probably gone.
 */
#ifndef LT_ENGINE_RATE_CONSTANT_RATE_H
#define LT_ENGINE_RATE_CONSTANT_RATE_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_constant_rate {
    livetcp_usec looked_us; /* when the rate was last looked at */
    double highest;         /* bytes per second, maximum */
    unsigned count;         /* successive looks at nearly that rate */
} lt_constant_rate;

/* `carried`: the maximum so far, bytes per second. */
void lt_constant_rate_begin(lt_constant_rate *constant, double carried, livetcp_usec now);

/* `rate`: bytes per second delivered of late. Not to be called while less is sent on purpose, nor
 * until this has left `rate`. */
void lt_constant_rate_update(lt_constant_rate *constant, double rate, livetcp_usec now);

bool lt_constant_rate_is(const lt_constant_rate *constant);

#endif
