/* SPDX-License-Identifier: MIT */
/*
 * The delays of a recorded stream that was sent several times, and their comparison with the
 * bounds.
 *
 * The bound of a frame means P[its delay > bound] <= epsilon, whenever the stream is sent. So it is
 * compared with the (1 - epsilon)-quantile of the delay of that frame over all plays, as in Lübben
 * and Fidler, Figure 6, not a quantile over the frames of one play, of which most are small.
 */
#ifndef LT_LAB_PROBE_PLAYS_H
#define LT_LAB_PROBE_PLAYS_H

#include <livetcp/base.h>

#include <stddef.h>

typedef struct lt_plays {
    size_t frames;          /* of the stream */
    livetcp_usec *delays;   /* of one play after the other */
    size_t count, capacity; /* frames that came, in all plays */
} lt_plays;

typedef struct lt_plays_summary {
    size_t complete;     /* plays of which every frame came; the fields below are about these */
    double quantile;     /* the largest of all frames' (1 - epsilon)-quantiles, µs; NAN: no play */
    size_t above;        /* frames whose quantile is above their bound */
    double max_violated; /* the largest share of plays in which one frame was above its bound */
    size_t later;        /* delays of all plays that are above the bound of their frame */
    double looseness;    /* bound / delay, the median of all delays; NAN: no play */
} lt_plays_summary;

/* Space for one more play of a stream with this number of frames. LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_plays_begin(lt_plays *plays, size_t frames, livetcp_error *error);

/* The next frame's delay. More than a play has are ignored. */
void lt_plays_add(lt_plays *plays, livetcp_usec delay);

void lt_plays_clear(lt_plays *plays);

/* `bounds` are those of the frames, `share` is 1 - epsilon. LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_plays_compare(const lt_plays *plays, const livetcp_usec *bounds, double share,
                                lt_plays_summary *summary, livetcp_error *error);

#endif
