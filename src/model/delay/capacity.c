/* SPDX-License-Identifier: MIT */
/* The chain with a backlog that never ends: its states are the windows alone. */
#include "model/delay/capacity.h"

#include "base/error.h"
#include "model/delay/moves.h"

#include <limits.h>
#include <math.h>
#include <slu_ddefs.h>
#include <stdlib.h>

/* More would be packets that nobody sends: a window of that many RTTs' worth is never halved
 * below what a source can need. */
enum { MOST_WINDOWS = 20000 };

typedef struct windows {
    lt_delay_params params; /* with a backlog without an edge */
    int n;                  /* windows 1 .. n; n + 1, which growth leads to, is the reference */
    int *first, *row, *column_order, *row_order;
    double *value, *share; /* share: of each window, relative to the reference */
} windows;

static void round_of(const windows *s, unsigned w, lt_moves *moves)
{
    lt_loss_outcome losses = lt_window_losses(&s->params, w);

    lt_round_moves(&s->params, w, UINT_MAX / 2, &losses, moves);
}

/* I - P' without the row and the column of the reference, whose column is the right-hand side. */
static int column(const windows *s, unsigned w, int at)
{
    lt_moves moves;
    const int diagonal = at, reference = s->n + 1;

    if ((int)w != reference) {
        s->row[at] = (int)w - 1;
        s->value[at++] = 1;
    }
    round_of(s, w, &moves);
    for (unsigned i = 0; i < moves.count; i++) {
        const lt_move *move = &moves.move[i];
        if ((int)move->w == reference)
            continue;
        if ((int)w == reference) {
            s->share[move->w - 1] += move->probability;
        } else if (move->w == w) {
            s->value[diagonal] -= move->probability;
        } else {
            s->row[at] = (int)move->w - 1;
            s->value[at++] = -move->probability;
        }
    }
    return at;
}

static livetcp_result solve(windows *s, livetcp_error *error)
{
    superlu_options_t options;
    SuperLUStat_t statistics;
    SuperMatrix all, right, lower = {0}, upper = {0};
    int info = 0, at = 0;

    column(s, (unsigned)s->n + 1, 0);
    for (int j = 0; j < s->n; j++) {
        s->first[j] = at;
        at = column(s, (unsigned)j + 1, at);
    }
    s->first[s->n] = at;
    set_default_options(&options);
    StatInit(&statistics);
    dCreate_CompCol_Matrix(&all, s->n, s->n, at, s->value, s->row, s->first, SLU_NC, SLU_D, SLU_GE);
    dCreate_Dense_Matrix(&right, s->n, 1, s->share, s->n, SLU_DN, SLU_D, SLU_GE);
    dgssv(&options, &all, s->column_order, s->row_order, &lower, &upper, &right, &statistics,
          &info);
    Destroy_SuperMatrix_Store(&all);
    Destroy_SuperMatrix_Store(&right);
    if (lower.Store)
        Destroy_SuperNode_Matrix(&lower);
    if (upper.Store)
        Destroy_CompCol_Matrix(&upper);
    StatFree(&statistics);
    return info ? lt_fail(error, info > s->n ? LIVETCP_ERR_NO_MEMORY : LIVETCP_ERR_BAD_STATE,
                          "SuperLU cannot solve for the windows: %d", info)
                : LIVETCP_OK;
}

static double rate(const windows *s)
{
    double packets = 0, seconds = 0;

    for (int w = 1; w <= s->n + 1; w++) {
        lt_moves moves;
        double share = w > s->n ? 1 : s->share[w - 1];
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
    s.params.most_backlog = UINT_MAX;
    s.params.most_window = params->most_window < MOST_WINDOWS ? params->most_window : MOST_WINDOWS;
    s.n = (int)s.params.most_window - 1;
    n = (size_t)s.n + 1;
    s.first = calloc(n, sizeof *s.first);
    s.row = calloc(n * (LT_MAX_MOVES + 1), sizeof *s.row);
    s.value = calloc(n * (LT_MAX_MOVES + 1), sizeof *s.value);
    s.share = calloc(n, sizeof *s.share);
    s.column_order = calloc(n, sizeof *s.column_order);
    s.row_order = calloc(n, sizeof *s.row_order);
    if (s.first && s.row && s.value && s.share && s.column_order && s.row_order)
        result = solve(&s, error);
    else
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the windows");
    if (result == LIVETCP_OK)
        *packets_per_s = rate(&s);
    free(s.first);
    free(s.row);
    free(s.value);
    free(s.share);
    free(s.column_order);
    free(s.row_order);
    return result;
}
