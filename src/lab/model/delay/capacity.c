/* SPDX-License-Identifier: MIT */
/* The chain with an infinite backlog: its states are the windows alone. */
#include "lab/model/delay/capacity.h"

#include "base/error.h"
#include "lab/model/delay/moves.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <suitesparse/cs.h>

/* Larger windows are never needed: a window of this many RTTs' worth of packets is not halved below
 * the source's need. */
enum { MAX_WINDOWS = 20000 };

typedef struct windows {
    lt_delay_params params; /* with an unlimited backlog */
    int n;                  /* windows 1 .. n */
    int *first, *row;
    double *value, *share; /* share of each window; they add up to 1 */
} windows;

static void round_of(const windows *s, unsigned w, lt_moves *moves)
{
    lt_loss_outcome losses = lt_window_losses(&s->params, w, w);

    lt_round_moves(&s->params, w, UINT_MAX / 2, &losses, moves);
}

/* A column of I - P'. Its equations are dependent: the first is replaced by the sum of all shares
 * being 1. (Leaving out one window instead, and computing the others relative to it, fails if that
 * window is almost never visited.) */
static int column(const windows *s, unsigned w, int at)
{
    lt_moves moves;
    const int diagonal = at;

    round_of(s, w, &moves);
    if (w > 1) {
        s->row[at] = (int)w - 1;
        s->value[at++] = 1;
    }
    for (unsigned i = 0; i < moves.count; i++) {
        const lt_move *move = &moves.move[i];
        if (move->w == 1)
            continue;
        if (move->w == w) {
            s->value[diagonal] -= move->probability;
        } else {
            s->row[at] = (int)move->w - 1;
            s->value[at++] = -move->probability;
        }
    }
    s->row[at] = 0;
    s->value[at++] = 1;
    return at;
}

/* Moves to the same window are added up, since a factorization would use only the last. The matrix
 * is never singular: only an allocation can fail. */
static livetcp_result solve(windows *s, livetcp_error *error)
{
    enum { SYMMETRIC_PATTERN = 1 };
    const double prefer_diagonal = 1e-3; /* the diagonal is a good pivot and avoids fill-in */
    cs_di matrix = {.m = s->n, .n = s->n, .p = s->first, .i = s->row, .x = s->value, .nz = -1};
    int at = 0, merged;

    for (int j = 0; j < s->n; j++) {
        s->first[j] = at;
        at = column(s, (unsigned)j + 1, at);
    }
    s->first[s->n] = matrix.nzmax = at;
    s->share[0] = 1;
    merged = cs_di_dupl(&matrix);
    s->row = matrix.i; /* reallocated */
    s->value = matrix.x;
    if (!merged || !cs_di_lusol(SYMMETRIC_PATTERN, &matrix, s->share, prefer_diagonal))
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for %d windows", s->n);
    return LIVETCP_OK;
}

static double rate(const windows *s)
{
    double packets = 0, seconds = 0;

    for (int w = 1; w <= s->n; w++) {
        lt_moves moves;
        double share = s->share[w - 1];
        round_of(s, (unsigned)w, &moves);
        for (unsigned i = 0; i < moves.count; i++) {
            const lt_move *move = &moves.move[i];
            seconds += share * move->probability * move->seconds;
            for (unsigned k = 0; k < move->bursts; k++)
                packets += share * move->probability * move->burst[k].packets;
        }
    }
    return packets / seconds;
}

livetcp_result lt_delay_capacity(const lt_delay_params *params, double *packets_per_s,
                                 livetcp_error *error)
{
    windows s = {.params = *params};
    livetcp_result result;
    size_t n;

    *packets_per_s = INFINITY;
    if (params->p_full <= 0)
        return LIVETCP_OK;
    s.params.max_backlog = UINT_MAX;
    s.params.max_window = params->max_window < MAX_WINDOWS ? params->max_window : MAX_WINDOWS;
    s.n = (int)s.params.max_window;
    n = (size_t)s.n + 1;
    s.first = calloc(n, sizeof *s.first);
    s.row = calloc(n * (LT_MAX_MOVES + 1), sizeof *s.row);
    s.value = calloc(n * (LT_MAX_MOVES + 1), sizeof *s.value);
    s.share = calloc(n, sizeof *s.share);
    if (s.first && s.row && s.value && s.share)
        result = solve(&s, error);
    else
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the windows");
    if (result == LIVETCP_OK)
        *packets_per_s = rate(&s);
    free(s.first);
    free(s.row);
    free(s.value);
    free(s.share);
    return result;
}
