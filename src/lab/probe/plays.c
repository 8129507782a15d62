/* SPDX-License-Identifier: MIT */
#include "lab/probe/plays.h"

#include "base/error.h"
#include "lab/model/service_curve/quantile.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static livetcp_result no_memory(size_t frames, livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the delays of %zu frames", frames);
}

livetcp_result lt_plays_begin(lt_plays *plays, size_t frames, livetcp_error *error)
{
    livetcp_usec *delays = NULL;

    plays->frames = frames;
    if (plays->capacity <= SIZE_MAX / sizeof *delays - frames)
        delays = realloc(plays->delays, (plays->capacity + frames) * sizeof *delays);
    if (!delays)
        return no_memory(frames, error);
    plays->delays = delays;
    plays->capacity += frames;
    return LIVETCP_OK;
}

void lt_plays_add(lt_plays *plays, livetcp_usec delay)
{
    if (plays->count < plays->capacity)
        plays->delays[plays->count++] = delay;
}

void lt_plays_clear(lt_plays *plays)
{
    free(plays->delays);
    *plays = (lt_plays){0};
}

/* One frame over all plays; `delays` holds one value per play. */
static void compare_frame(const lt_plays *plays, size_t frame, livetcp_usec bound, double share,
                          double *delays, lt_plays_summary *s)
{
    size_t later = 0;

    for (size_t i = 0; i < s->complete; i++) {
        livetcp_usec delay = plays->delays[i * plays->frames + frame];
        later += delay > bound;
        delays[i] = (double)delay;
    }
    lt_sort_delays(delays, s->complete);
    double quantile = lt_quantile_of(delays, s->complete, share).value;
    s->quantile = fmax(s->quantile, quantile);
    s->above += quantile > (double)bound;
    s->max_violated = fmax(s->max_violated, (double)later / (double)s->complete);
    s->later += later;
}

livetcp_result lt_plays_compare(const lt_plays *plays, const livetcp_usec *bounds, double share,
                                lt_plays_summary *summary, livetcp_error *error)
{
    lt_plays_summary *s = summary;
    size_t complete = plays->frames ? plays->count / plays->frames : 0;
    size_t count = complete * plays->frames;

    *s = (lt_plays_summary){.complete = complete, .quantile = NAN, .looseness = NAN};
    if (!complete)
        return LIVETCP_OK;
    double *values = malloc(count * sizeof *values);
    if (!values)
        return no_memory(count, error);
    for (size_t frame = 0; frame < plays->frames; frame++)
        compare_frame(plays, frame, bounds[frame], share, values, s);
    for (size_t i = 0; i < count; i++)
        values[i] = (double)bounds[i % plays->frames] / fmax(1, (double)plays->delays[i]);
    lt_sort_delays(values, count);
    s->looseness = values[count / 2];
    free(values);
    return LIVETCP_OK;
}
