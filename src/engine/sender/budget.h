/* SPDX-License-Identifier: MIT */
/* Limit of the bytes sent beyond one copy of each packet: extra bytes per byte of media, over the
 * last second. So the ratio holds in any second, and a burst of losses cannot spend the savings of
 * quiet minutes. */
#ifndef LT_ENGINE_SENDER_BUDGET_H
#define LT_ENGINE_SENDER_BUDGET_H

#include <livetcp/config.h>

#include <stddef.h>

/* The account's grain is a hundredth of a second, and it covers one second and a grain: any second
 * lies within it whole. */
#define LT_BUDGET_SLOTS 101

typedef struct lt_budget {
    double ratio; /* LIVETCP_REDUNDANCY_AUTO resolved */
    int64_t slot; /* number of the present hundredth of a second */
    uint32_t media[LT_BUDGET_SLOTS], extra[LT_BUDGET_SLOTS];
    uint64_t media_sum, extra_sum;
    size_t last_size;      /* of the last media packet */
    livetcp_usec first_us; /* first media packet; LIVETCP_NEVER = none yet */
} lt_budget;

void lt_budget_init(lt_budget *budget, double ratio);

void lt_budget_media(lt_budget *budget, size_t size, livetcp_usec now);
void lt_budget_extra(lt_budget *budget, size_t size, livetcp_usec now);

/* Bytes that may be sent extra now. One packet a second is free, whatever the ratio, unless that
 * is zero: so a small ratio of a slow stream buys something, too. */
size_t lt_budget_left(lt_budget *budget, livetcp_usec now);

/* Media bytes per second over the last second. */
uint64_t lt_budget_media_rate(lt_budget *budget, livetcp_usec now);

/* The configured ratio. "auto" is the policy's cost, or for one that decides packet by packet (cost
 * 0) a ratio that depends on `media_rate`, in bytes per second. */
double lt_budget_ratio(double configured, double cost, uint64_t media_rate);

#endif
