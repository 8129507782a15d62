/* SPDX-License-Identifier: MIT */
/* Enumerates the chain: marks and numbers the reachable states, and records their transitions. */
#include "lab/model/delay/chain.h"

#include "base/error.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Measured, including solve.c's vectors (docs/research/model.md). */
enum { BYTES_A_STATE = 300 };

static size_t place(const lt_chain *c, unsigned w, unsigned b)
{
    return (size_t)w * (c->params->max_backlog + 1u) + b;
}

static size_t places(const lt_chain *c)
{
    return place(c, c->params->max_window, c->params->max_backlog) + 1;
}

/* The integers below and above a backlog, and the share of the upper one. */
static unsigned neighbours(const lt_chain *c, double b, double *share)
{
    const double rounding = 1e-9;
    double edge = c->params->max_backlog;
    double below = floor(b + rounding);

    if (below >= edge) {
        *share = 0;
        return c->params->max_backlog;
    }
    *share = b - below > rounding ? b - below : 0;
    return (unsigned)below;
}

static int row_of(const lt_chain *c, unsigned w, unsigned b)
{
    return lt_application_limited(c->params, w, b) ? c->n + (int)w : c->number[place(c, w, b)];
}

int lt_chain_targets(const lt_chain *c, const lt_move *move, lt_target targets[2])
{
    double upper;
    unsigned b = neighbours(c, move->b, &upper);

    targets[0] = (lt_target){row_of(c, move->w, b), 1 - upper};
    if (upper <= 0)
        return 1;
    targets[1] = (lt_target){row_of(c, move->w, b + 1), upper};
    return 2;
}

void lt_chain_start(const lt_chain *c, int start, lt_moves *moves)
{
    unsigned free_window = (unsigned)ceil(c->params->free_window - 1e-9);
    lt_loss_outcome certain = c->packet_losses[free_window];

    certain.none = 0;
    certain.recovery = start == LT_START_RECOVERY;
    certain.timeout = start == LT_START_TIMEOUT;

    lt_packet_moves(c->params, c->params->max_window, &certain, moves);
}

/* The unused part of the window matters only where few segments are sent: there it allows enough of
 * them after a loss. */
static void moves_of(const lt_chain *c, unsigned w, unsigned b, lt_moves *moves)
{
    const unsigned few = 8;
    unsigned sent = lt_segments_sent(c->params, w, b);
    lt_loss_outcome losses =
        sent < w && sent <= few ? lt_window_losses(c->params, w, sent) : c->window_losses[sent];

    lt_round_moves(c->params, w, b, &losses, moves);
}

void lt_chain_moves(const lt_chain *c, int i, lt_moves *moves)
{
    moves_of(c, c->w[i], c->b[i], moves);
}

/* States to visit. */
typedef struct stack {
    size_t *place;
    size_t count, capacity;
} stack;

static livetcp_result push(lt_chain *c, stack *s, unsigned w, unsigned b, livetcp_error *error)
{
    size_t here = place(c, w, b);

    if (lt_application_limited(c->params, w, b) || c->number[here] >= 0)
        return LIVETCP_OK;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        size_t *bigger = realloc(s->place, capacity * sizeof *bigger);
        if (!bigger)
            return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the chain");
        s->place = bigger;
        s->capacity = capacity;
    }
    c->number[here] = 0;
    s->place[s->count++] = here;
    return LIVETCP_OK;
}

static livetcp_result push_targets(lt_chain *c, stack *s, const lt_moves *moves,
                                   livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    for (unsigned i = 0; result == LIVETCP_OK && i < moves->count; i++) {
        double upper;
        const lt_move *move = &moves->move[i];
        unsigned b = neighbours(c, move->b, &upper);
        if (move->probability <= 0)
            continue;
        result = push(c, s, move->w, b, error);
        if (result == LIVETCP_OK && upper > 0)
            result = push(c, s, move->w, b + 1, error);
    }
    return result;
}

/* Marks every reachable state with 0 in `number`. */
static livetcp_result explore(lt_chain *c, size_t max_states, livetcp_error *error)
{
    stack s = {0};
    lt_moves moves;
    size_t found = 0;
    livetcp_result result = LIVETCP_OK;

    for (int start = 0; result == LIVETCP_OK && start < LT_STARTS; start++) {
        lt_chain_start(c, start, &moves);
        result = push_targets(c, &s, &moves, error);
    }
    while (result == LIVETCP_OK && s.count) {
        size_t here = s.place[--s.count];
        unsigned w = (unsigned)(here / (c->params->max_backlog + 1u));
        unsigned b = (unsigned)(here % (c->params->max_backlog + 1u));
        if (++found > max_states)
            result =
                lt_fail(error, LIVETCP_ERR_NO_MEMORY,
                        "the chain has more than %zu states, some %.0f MB: raise max_states, or "
                        "lower window_states or backlog_states",
                        max_states, (double)max_states * BYTES_A_STATE / 1e6);
        moves_of(c, w, b, &moves);
        if (result == LIVETCP_OK)
            result = push_targets(c, &s, &moves, error);
    }
    free(s.place);
    c->n = (int)found;
    return result;
}

static livetcp_result number_states(lt_chain *c, livetcp_error *error)
{
    int next = 0;

    c->w = calloc((size_t)c->n + 1, sizeof *c->w);
    c->b = calloc((size_t)c->n + 1, sizeof *c->b);
    if (!c->w || !c->b)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the chain");
    for (unsigned w = 1; w <= c->params->max_window; w++)
        for (unsigned b = c->params->max_backlog + 1; b-- > 0;) {
            int *number = &c->number[place(c, w, b)];
            if (*number < 0)
                continue;
            c->w[next] = w;
            c->b[next] = b;
            *number = next++;
        }
    return LIVETCP_OK;
}

/* Appends to a column the moves with a loss, or those without. */
static int append(const lt_chain *c, lt_columns *columns, int at, const lt_moves *moves, bool loss)
{
    for (unsigned i = 0; i < moves->count; i++) {
        lt_target targets[2];
        const lt_move *move = &moves->move[i];
        if (move->loss != loss || move->probability <= 0)
            continue;
        int count = lt_chain_targets(c, move, targets);
        for (int t = 0; t < count; t++, at++) {
            if (!columns->row)
                continue; /* count only */
            columns->row[at] = targets[t].row;
            columns->value[at] = targets[t].share * move->probability;
        }
    }
    return at;
}

/* Fills the columns, or counts the entries while they have no rows. */
static void fill(const lt_chain *c, lt_columns *free_part, lt_columns *lossy)
{
    lt_moves moves;

    free_part->first[0] = lossy->first[0] = 0;
    for (int i = 0; i < c->n; i++) {
        lt_chain_moves(c, i, &moves);
        free_part->first[i + 1] = append(c, free_part, free_part->first[i], &moves, false);
        lossy->first[i + 1] = append(c, lossy, lossy->first[i], &moves, true);
    }
}

static bool make_space(lt_columns *columns, int entries)
{
    columns->row = calloc((size_t)entries + 1, sizeof *columns->row);
    columns->value = calloc((size_t)entries + 1, sizeof *columns->value);
    return columns->row && columns->value;
}

static livetcp_result connect_states(lt_chain *c, livetcp_error *error)
{
    c->free.first = calloc((size_t)c->n + 1, sizeof *c->free.first);
    c->lossy.first = calloc((size_t)c->n + 1, sizeof *c->lossy.first);
    if (!c->free.first || !c->lossy.first)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the chain");
    fill(c, &c->free, &c->lossy);
    if (!make_space(&c->free, c->free.first[c->n]) || !make_space(&c->lossy, c->lossy.first[c->n]))
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the chain");
    fill(c, &c->free, &c->lossy);
    return LIVETCP_OK;
}

static livetcp_result prepare(lt_chain *c, size_t max_states, livetcp_error *error)
{
    unsigned max_window = c->params->max_window;
    /* lt_delay_params_make() bounds both numbers, not their product; entries are counted in an
     * int. */
    if ((double)(max_window + 1.0) * (c->params->max_backlog + 1.0) > INT_MAX / (2 * LT_MAX_MOVES))
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY,
                       "windows up to %u and backlogs up to %u are too many states: lower "
                       "window_states or backlog_states",
                       max_window, c->params->max_backlog);
    c->absorbing = (int)max_window + 1;
    c->number = malloc(places(c) * sizeof *c->number);
    c->window_losses = calloc(max_window + 1u, sizeof *c->window_losses);
    c->packet_losses = calloc(max_window + 1u, sizeof *c->packet_losses);
    if (!c->number || !c->window_losses || !c->packet_losses)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the chain");
    for (size_t i = 0; i < places(c); i++)
        c->number[i] = -1;
    for (unsigned w = 1; w <= max_window; w++) {
        c->window_losses[w] = lt_window_losses(c->params, w, w);
        c->packet_losses[w] = lt_packet_losses(c->params, w);
    }
    return explore(c, max_states, error);
}

livetcp_result lt_chain_make(lt_chain *c, const lt_delay_params *params, size_t max_states,
                             livetcp_error *error)
{
    *c = (lt_chain){.params = params};
    livetcp_result result = prepare(c, max_states, error);
    if (result == LIVETCP_OK)
        result = number_states(c, error);
    if (result == LIVETCP_OK)
        result = connect_states(c, error);
    if (result != LIVETCP_OK)
        lt_chain_clear(c);
    return result;
}

static void clear_columns(lt_columns *columns)
{
    free(columns->first);
    free(columns->row);
    free(columns->value);
}

void lt_chain_clear(lt_chain *c)
{
    free(c->number);
    free(c->w);
    free(c->b);
    free(c->window_losses);
    free(c->packet_losses);
    clear_columns(&c->free);
    clear_columns(&c->lossy);
    *c = (lt_chain){0};
}
