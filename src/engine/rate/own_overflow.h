/* SPDX-License-Identifier: MIT */
/*
 * Losses of a session that fills the path with its only connection. Beside another flow it would
 * get a part of what the path has carried; while it gets all of that, what it loses has overflowed
 * a buffer that it fills itself. If it goes on losing, its queue stands, although no round trip
 * shows it: a connection that repairs has none.
 */
#ifndef LT_ENGINE_RATE_OWN_OVERFLOW_H
#define LT_ENGINE_RATE_OWN_OVERFLOW_H

#include "engine/rate/loss_count.h"

typedef struct lt_own_overflow {
    double rate;            /* bytes per second delivered, if it is the whole path; 0 = it is not */
    uint64_t retransmitted; /* segments, at the last sample */
    livetcp_usec lost_us;   /* when something was last lost */
    livetcp_usec since_us;  /* the losses have followed each other closely since, */
    lt_loss_count period;   /*   with those counted from then on */
} lt_own_overflow;

void lt_own_overflow_init(lt_own_overflow *overflow);

void lt_own_overflow_update(lt_own_overflow *overflow, const lt_delay_history *history,
                            const lt_congestion_sample *sample);

/* True if what is lost now overflows a buffer that the session fills itself. */
bool lt_own_overflow_is_likely(const lt_own_overflow *overflow);

/* Bytes per second that the path carries, if the session's own queue stands by its losses; 0 = they
 * do not show that. */
double lt_own_overflow_rate(const lt_own_overflow *overflow, const lt_congestion_sample *sample);

#endif
