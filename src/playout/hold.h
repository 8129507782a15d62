/* SPDX-License-Identifier: MIT */
/* The most that was needed of late: the delay is not to come and go with a need. */
#ifndef LT_PLAYOUT_HOLD_H
#define LT_PLAYOUT_HOLD_H

#include <livetcp/time.h>

#include <stdbool.h>

/* The sender tells once a second what its packets need that wait longest for their repair; it is
 * still needed when their copies come. */
#define LT_HOLD_US (5 * (livetcp_usec)LIVETCP_USEC_SEC)

enum { LT_HOLD_PARTS = 5 };

/* Zero is empty. */
typedef struct lt_hold {
    livetcp_usec most[LT_HOLD_PARTS]; /* needed in each part of the window */
    unsigned present;                 /* the part that began at `begin_us` */
    livetcp_usec begin_us;
    bool started;
} lt_hold;

/* Takes what is needed now, at least 0; time does not go back. Returns the most that was needed in
 * the last four to five seconds. */
livetcp_usec lt_hold_need(lt_hold *hold, livetcp_usec need_us, livetcp_usec now);

#endif
