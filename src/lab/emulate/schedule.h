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
    livetcp_usec at;     /* after the start of the near command */
    unsigned directions; /* see lt_directions_parse() */
    char *spec;
} lt_change;

typedef struct lt_schedule {
    lt_change *changes; /* by time */
    size_t count;
    size_t next; /* not yet made */
} lt_schedule;

/* Reads a file and tries every change, in order, on a copy of the parameters `start` of so many
 * links (by lt_direction): a mistake is found now and not in the middle of a run. On success the
 * caller calls lt_schedule_clear(). */
livetcp_result lt_schedule_load(lt_schedule *schedule, const char *file,
                                const lt_link_params *start, unsigned links, livetcp_error *error);
void lt_schedule_clear(lt_schedule *schedule);

#endif
