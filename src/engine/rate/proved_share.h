/* SPDX-License-Identifier: MIT */
/*
 * The share of extra bytes that a link has carried for so long that no buffer or token bucket hides
 * more. If the link is then found full, something else may have come: an outage, another's transfer
 * or losses. It is asked again as soon as nothing waits, instead of half a minute later, but to
 * take hardly more than what it carried.
 */
#ifndef LT_ENGINE_RATE_PROVED_SHARE_H
#define LT_ENGINE_RATE_PROVED_SHARE_H

#include <stdbool.h>

typedef struct lt_proved_share {
    double mean;    /* extra bytes for a byte of media of late, */
    unsigned ticks; /*   and for how many ticks, */
    double bytes;   /*   with so many bytes since the link was last found full */
    double needed;  /* so many are a proof */
    double next;    /* the share to take when nothing waits; 0 = the link is not in doubt */
    unsigned calm;  /* ticks without a wait, in succession */
} lt_proved_share;

void lt_proved_share_init(lt_proved_share *proved);

/* In the last tick the session has sent `bytes` beside its media, and lately this share. */
void lt_proved_share_on_tick(lt_proved_share *proved, double share, double bytes);

/* 0 = none. `wide`: the link carries far more than the media, as its packets show. */
double lt_proved_share_get(const lt_proved_share *proved, bool wide);

/* The link was found full, although it had carried that share; 0 = it had not. The proof is void.
 */
void lt_proved_share_on_full(lt_proved_share *proved, double share);

static inline bool lt_proved_share_is_in_doubt(const lt_proved_share *proved)
{
    return proved->next > 0;
}

/* While the link is in doubt, at each tick. The share that it takes from now on, when nothing has
 * waited for a while; else 0. */
double lt_proved_share_ask(lt_proved_share *proved, bool waits);

#endif
