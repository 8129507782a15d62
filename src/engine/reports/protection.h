/* SPDX-License-Identifier: MIT */
/* What was done for packets in case they are lost: of one of them, and of the one that has to wait
 * longest for its repair. */
#ifndef LT_ENGINE_REPORTS_PROTECTION_H
#define LT_ENGINE_REPORTS_PROTECTION_H

#include <stdbool.h>
#include <stdint.h>

/* Zero is none. */
typedef struct lt_protection {
    uint8_t copies; /* sent at once */
    bool hedged;    /* to be copied when overdue */
    bool parity;    /* in a group */
} lt_protection;

/* The least protected packet since it was told; before the first of a new interval, of the last. */
typedef struct lt_least_protection {
    lt_protection least;
    bool begun; /* there was one in this interval */
} lt_least_protection;

void lt_least_protection_take(lt_least_protection *least, lt_protection packet);

/* What to tell, and begins anew. */
lt_protection lt_least_protection_tell(lt_least_protection *least);

/* LIVETCP_PROTECTION_* */
uint8_t lt_protection_bits(const lt_protection *protection);

#endif
