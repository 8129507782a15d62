/* SPDX-License-Identifier: MIT */
/* Changes of a path at planned times: a text file with lines such as
 *
 *   # after the handshake
 *   10s  forward  loss=5%
 *   20s  both     delay=80ms,loss=0
 */
#ifndef LT_LAB_EMULATE_SCHEDULE_H
#define LT_LAB_EMULATE_SCHEDULE_H

#include "lab/emulate/path.h"

typedef struct lt_change {
    livetcp_usec at;     /* from the start of the near command */
    unsigned directions; /* see lt_directions_parse() */
    char *spec;
} lt_change;

typedef struct lt_schedule {
    lt_change *changes; /* sorted by time */
    size_t count;
    size_t next; /* index of the next change */
} lt_schedule;

/* Reads a file and applies every change in order to a copy of the parameters `start` (by
 * lt_direction) of `links` links: finds errors now and not in the middle of a run. On success the
 * caller calls lt_schedule_clear(). */
livetcp_result lt_schedule_load(lt_schedule *schedule, const char *file,
                                const lt_link_params *start, unsigned links, livetcp_error *error);
void lt_schedule_clear(lt_schedule *schedule);

#endif
