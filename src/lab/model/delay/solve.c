/* SPDX-License-Identifier: MIT */
/*
 * The chain regenerates: every loss in an application-limited state starts an excursion, in one of
 * two ways that do not depend on that state, and every excursion ends application-limited. So the
 * unknown is the number of visits of an excursion to each network-limited state,
 *
 *     x = s + F x + N x        s: where it starts, F: rounds without a loss, N: with one
 *       = sum over k of (M^-1 N)^k M^-1 s, M = I - F,
 *
 * whose k-th term are the visits of excursions between their k-th loss and the next. All terms are
 * positive, the rest after k terms is the part that has not come back yet, and M is triangular
 * (triangle.h). Two numbers then remain: how often excursions start in each way.
 */
#include "lab/model/delay/solve.h"

#include "base/error.h"
#include "lab/model/delay/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 2000 };
static const double LEFT_OUT = 1e-11; /* remaining share of an excursion */
/* Terms count as proportional if they differ by less than the first; after many terms, by less than
 * the second. */
static const double LIKE_BEFORE = 1e-5, ROUGHLY = 1e-2;

/* One vector per way to start: n states, then the windows of application-limited ones. */
typedef struct work {
    const lt_chain *chain;
    size_t size;      /* n + absorbing */
    double *term;     /* LT_STARTS vectors of n: M^-1 of the states after the last loss */
    double *next;     /* LT_STARTS vectors of `size` */
    double *before;   /* the previous term */
    double *visits;   /* LT_STARTS vectors of n */
    double *arrivals; /* LT_STARTS vectors of `absorbing` */
} work;

static void spread(const lt_columns *columns, int n, const double *from, double *to)
{
    for (int j = 0; j < n; j++)
        if (from[j] > 0)
            for (int k = columns->first[j]; k < columns->first[j + 1]; k++)
                to[columns->row[k]] += columns->value[k] * from[j];
}

static void set_start(const work *w, int start)
{
    lt_moves moves;
    double *to = w->next + (size_t)start * w->size;

    lt_chain_start(w->chain, start, &moves);
    for (unsigned i = 0; i < moves.count; i++) {
        lt_target targets[2];
        const lt_move *move = &moves.move[i];
        if (!move->loss || move->probability <= 0)
            continue;
        int count = lt_chain_targets(w->chain, move, targets);
        for (int t = 0; t < count; t++)
            to[targets[t].row] += targets[t].share * move->probability;
    }
}

/* Splits `next`: the part that has ended is counted, the rest continues. Returns the size of the
 * rest. */
static double take_apart(const work *w)
{
    double going_on = 0;
    size_t n = (size_t)w->chain->n, absorbing = (size_t)w->chain->absorbing;

    for (size_t s = 0; s < LT_STARTS; s++) {
        const double *next = w->next + s * w->size;
        double rest = 0;
        for (size_t i = 0; i < absorbing; i++)
            w->arrivals[s * absorbing + i] += next[n + i];
        for (size_t i = 0; i < n; i++)
            rest += next[i];
        memcpy(w->term + s * n, next, n * sizeof *next);
        going_on = fmax(going_on, rest);
    }
    return going_on;
}

static void advance(const work *w)
{
    size_t n = (size_t)w->chain->n;

    memset(w->next, 0, LT_STARTS * w->size * sizeof *w->next);
    for (size_t s = 0; s < LT_STARTS; s++) {
        const double *term = w->term + s * n;
        double *next = w->next + s * w->size;
        for (size_t i = 0; i < n; i++)
            w->visits[s * n + i] += term[i];
        spread(&w->chain->lossy, w->chain->n, term, next);
        /* Rounds without loss end excursions as well; those between states are in `term`
         * already. */
        for (int j = 0; j < w->chain->n; j++)
            for (int k = w->chain->free.first[j]; k < w->chain->free.first[j + 1]; k++)
                if (w->chain->free.row[k] >= w->chain->n)
                    next[w->chain->free.row[k]] += w->chain->free.value[k] * term[j];
    }
}

/* Small packets need no large window: with high loss a connection may almost never be
 * application-limited although its backlog is small. Its exact share does not matter then. */
static const double HARDLY_EVER = 1e-3, NEVER = 1e-12;

/* After many losses each term is the previous one times a factor; the rest is then a geometric
 * series. That ends the sum when the rate is just below TCP's capacity, and the factor just below
 * 1. Returns the factor, or 0. */
static double common_factor(const work *w, size_t start, double tolerance)
{
    size_t n = (size_t)w->chain->n;
    const double *term = w->term + start * n, *before = w->before + start * n;
    double sum = 0, sum_before = 0, difference = 0;

    for (size_t i = 0; i < n; i++) {
        sum += term[i];
        sum_before += before[i];
    }
    double factor = sum_before > 0 ? sum / sum_before : 0;
    for (size_t i = 0; i < n; i++)
        difference += fabs(term[i] - factor * before[i]);
    if (difference > tolerance * fmax(1 - factor, HARDLY_EVER) * sum)
        return 0;
    return fmin(factor, 1 - NEVER);
}

/* Adds the remaining terms if they are a geometric series for both ways to start. */
static bool sum_up(const work *w, double tolerance)
{
    size_t n = (size_t)w->chain->n, absorbing = (size_t)w->chain->absorbing;
    double factor[LT_STARTS];

    for (size_t s = 0; s < LT_STARTS; s++)
        if ((factor[s] = common_factor(w, s, tolerance)) == 0)
            return false;
    for (size_t s = 0; s < LT_STARTS; s++) {
        double rest = factor[s] / (1 - factor[s]);
        for (size_t i = 0; i < n; i++)
            w->visits[s * n + i] += rest * w->term[s * n + i];
        for (size_t i = 0; i < absorbing; i++) /* of the last term, and of the rest */
            w->arrivals[s * absorbing + i] += (1 + rest) * w->next[s * w->size + n + i];
    }
    return true;
}

static livetcp_result iterate(const work *w, unsigned *iterations, livetcp_error *error)
{
    lt_triangle *triangle = lt_triangle_make(w->chain, error);
    livetcp_result result = triangle ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;

    for (int start = 0; start < LT_STARTS; start++)
        set_start(w, start);
    for (*iterations = 0; result == LIVETCP_OK && take_apart(w) > LEFT_OUT; ++*iterations) {
        if (*iterations == MAX_ITERATIONS)
            result =
                lt_fail(error, LIVETCP_ERR_BAD_STATE,
                        "the backlog does not drain: the rate is too close to what TCP carries");
        if (result != LIVETCP_OK)
            break;
        lt_triangle_solve(triangle, w->term, LT_STARTS);
        advance(w);
        if (*iterations % 8 == 7 && sum_up(w, LIKE_BEFORE))
            break;
        if (*iterations + 1 == MAX_ITERATIONS && sum_up(w, ROUGHLY))
            break;
        memcpy(w->before, w->term, LT_STARTS * (size_t)w->chain->n * sizeof *w->term);
    }
    lt_triangle_destroy(&triangle);
    return result;
}

/* Probability that the next excursion begins with fast recovery, after one that began in that
 * way. */
static double recovery_next(const work *w, int start)
{
    const double *arrivals = w->arrivals + (size_t)start * (size_t)w->chain->absorbing;
    double recovery = 0, all = 0;

    for (int i = 0; i < w->chain->absorbing; i++) {
        const lt_loss_outcome *losses = &w->chain->packet_losses[i];
        if (arrivals[i] <= 0)
            continue;
        recovery += arrivals[i] * losses->recovery / (losses->recovery + losses->timeout);
        all += arrivals[i];
    }
    return all > 0 ? recovery / all : 0;
}

static void mix(const work *w, lt_visits *visits)
{
    size_t n = (size_t)w->chain->n, absorbing = (size_t)w->chain->absorbing;
    double stay = recovery_next(w, LT_START_RECOVERY);
    double back = recovery_next(w, LT_START_TIMEOUT);
    double total = 0;

    visits->start[LT_START_RECOVERY] = back + (1 - stay) > 0 ? back / (back + 1 - stay) : 1;
    visits->start[LT_START_TIMEOUT] = 1 - visits->start[LT_START_RECOVERY];
    for (size_t s = 0; s < LT_STARTS; s++) {
        for (size_t i = 0; i < n; i++)
            visits->state[i] += visits->start[s] * w->visits[s * n + i];
        for (size_t i = 0; i < absorbing; i++)
            visits->arrivals[i] += visits->start[s] * w->arrivals[s * absorbing + i];
    }
    for (size_t i = 0; i < absorbing; i++)
        total += visits->arrivals[i];
    for (size_t i = 0; i < absorbing; i++)
        visits->arrivals[i] /= total;
}

livetcp_result lt_visits_solve(lt_visits *visits, const lt_chain *chain, livetcp_error *error)
{
    size_t n = (size_t)chain->n + 1, absorbing = (size_t)chain->absorbing;
    work w = {.chain = chain, .size = (size_t)chain->n + absorbing};
    livetcp_result result;

    *visits = (lt_visits){.state = calloc(n, sizeof(double)),
                          .arrivals = calloc(absorbing, sizeof(double))};
    w.term = calloc(LT_STARTS * n, sizeof *w.term);
    w.before = calloc(LT_STARTS * n, sizeof *w.before);
    w.next = calloc(LT_STARTS * w.size, sizeof *w.next);
    w.visits = calloc(LT_STARTS * n, sizeof *w.visits);
    w.arrivals = calloc(LT_STARTS * absorbing, sizeof *w.arrivals);
    if (visits->state && visits->arrivals && w.term && w.before && w.next && w.visits && w.arrivals)
        result = iterate(&w, &visits->iterations, error);
    else
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for solving the chain");
    if (result == LIVETCP_OK)
        mix(&w, visits);
    else
        lt_visits_clear(visits);
    free(w.term);
    free(w.before);
    free(w.next);
    free(w.visits);
    free(w.arrivals);
    return result;
}

void lt_visits_clear(lt_visits *visits)
{
    free(visits->state);
    free(visits->arrivals);
    *visits = (lt_visits){0};
}
