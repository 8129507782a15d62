/* SPDX-License-Identifier: MIT */
/* Limit of the bytes sent beyond the first copy of each packet, as a ratio to the media bytes of
 * the last second. The ratio holds in any second: a burst of losses cannot spend what minutes
 * without loss have saved. */
#ifndef LT_ENGINE_SENDER_BUDGET_H
#define LT_ENGINE_SENDER_BUDGET_H

#include <livetcp/config.h>

#include <stddef.h>

/* Slots of 10 ms. They cover one second and one slot, so that any second lies within them. */
#define LT_BUDGET_SLOTS 101

typedef struct lt_budget {
    double ratio; /* extra bytes per byte of media; LIVETCP_REDUNDANCY_AUTO is resolved */
    int64_t slot; /* number of the current slot */
    uint32_t media[LT_BUDGET_SLOTS], extra[LT_BUDGET_SLOTS];
    uint64_t media_sum, extra_sum;
    size_t last_size;      /* of the last media packet */
    livetcp_usec first_us; /* time of the first media packet; LIVETCP_NEVER = none yet */
} lt_budget;

void lt_budget_init(lt_budget *budget, double ratio);

void lt_budget_media(lt_budget *budget, size_t size, livetcp_usec now);
void lt_budget_extra(lt_budget *budget, size_t size, livetcp_usec now);

/* Bytes that may be sent extra now. Unless the ratio is zero, one packet a second is free, so that
 * a small ratio has an effect on slow streams. */
size_t lt_budget_left(lt_budget *budget, livetcp_usec now);

/* Media bytes per second over the last second. */
uint64_t lt_budget_media_rate(lt_budget *budget, livetcp_usec now);

/* Resolves the configured ratio. "auto" is the policy's cost; for a policy that decides packet by
 * packet (cost 0) it depends on the rates of the media it is for, and of all media of the session,
 * in bytes per second, and on whether an encoder that follows fills a path without losses. */
double lt_budget_ratio(double configured, double cost, uint64_t rate, uint64_t session_rate,
                       bool filled);

#endif
