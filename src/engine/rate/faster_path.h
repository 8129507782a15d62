/* SPDX-License-Identifier: MIT */
/*
 * Signs that the path is faster than the rate at which a queue last stood. Packet trains and bursts
 * beside another session show the rate of the link, of which it has a part: an encoder that is told
 * all of it makes packets wait, and the next sign comes at once. So what is told upon a sign is a
 * test. If a queue stands again at about the same rate, signs are heeded less often, and only for a
 * step.
 *
 * Source of the step, which is the same for all sessions on a link: Chiu and Jain, "Analysis of the
 * increase and decrease algorithms for congestion avoidance in computer networks", 1989. Equal
 * steps upwards, and falls in proportion, come to equal shares.
 */
#ifndef LT_ENGINE_RATE_FASTER_PATH_H
#define LT_ENGINE_RATE_FASTER_PATH_H

#include <livetcp/base.h>

#include <stdbool.h>

/* So many times the rate at which a queue stood is a faster path. */
#define LT_FASTER 1.15

typedef struct lt_faster_path { /* begins zeroed */
    double from;                /* bytes per second at which a queue stood before the test; 0 =
                                   none is under way */
    livetcp_usec since_us;      /* the test began */
    livetcp_usec next_us;       /* no sign is heeded before */
    unsigned vain;              /* signs that were wrong, of late */
} lt_faster_path;

/* True if a sign is heeded now. `lossless`: nothing was lost of late. Elsewhere flows fill the path
 * that take what this session leaves, and every sign is heeded. */
static inline bool lt_faster_path_heeds(const lt_faster_path *path, bool lossless, livetcp_usec now)
{
    return !lossless || now >= path->next_us;
}

/* A sign is heeded where a queue stood at `ceiling` bytes per second. */
void lt_faster_path_begin(lt_faster_path *path, double ceiling, livetcp_usec now);

/* After that, for a sign that shows `rate`: the rate that the encoder may return to; 0 = nothing
 * but the sign limits it. */
double lt_faster_path_step(lt_faster_path *path, double rate, bool lossless, livetcp_usec now);

/* A queue stands at `limit` bytes per second. */
void lt_faster_path_on_queue(lt_faster_path *path, double limit, livetcp_usec now);

/* No queue stands. */
void lt_faster_path_on_no_queue(lt_faster_path *path, livetcp_usec base_us, livetcp_usec now);

#endif
