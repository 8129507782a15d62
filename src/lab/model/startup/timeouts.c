/* SPDX-License-Identifier: MIT */
#include "lab/model/startup/timeouts.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Possible timeouts between segments: the first or normal value, doubled up to the maximum, and a
 * probe before the first. 2^40 ms exceeds any time. */
enum { DOUBLINGS = 40, VALUES = 1 + 2 * DOUBLINGS };

livetcp_result lt_times_init(lt_times *times, double step, size_t count, livetcp_error *error)
{
    *times = (lt_times){.step = step, .count = count};
    times->probability = calloc(count, sizeof *times->probability);
    return times->probability
               ? LIVETCP_OK
               : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for a distribution");
}

void lt_times_clear(lt_times *times)
{
    free(times->probability);
    *times = (lt_times){0};
}

void lt_times_convolve(lt_times *to, const lt_times *a, const lt_times *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->probability[i] > 0)
            for (size_t k = 0; i + k < to->count; k++)
                to->probability[i + k] += a->probability[i] * b->probability[k];
    to->mean = a->mean + b->mean;
}

/* A value of the timeout at the first transmission of a segment. */
typedef struct value {
    double seconds;
    int doubled;   /* index of the doubled value; its own at the maximum */
    double share;  /* probability of being in force before this segment */
    double *times; /* joint with the time spent so far; NULL: not yet possible */
} value;

typedef struct chain {
    const lt_timeout_rules *rules;
    value values[VALUES];
    int first, normal;
    double mean;
} chain;

static int make_values(chain *c, int at, double from)
{
    int next = at;

    for (double seconds = from;; seconds *= 2) {
        bool last = seconds >= c->rules->max || next + 1 == at + DOUBLINGS;
        c->values[next] = (value){.seconds = last ? fmin(seconds, c->rules->max) : seconds,
                                  .doubled = last ? next : next + 1};
        next++;
        if (last)
            return next;
    }
}

static void make_chain(chain *c, const lt_timeout_rules *rules)
{
    *c = (chain){.rules = rules};
    c->first = rules->probe > 0 ? 0 : 1;
    c->values[0] = (value){.seconds = rules->probe, .doubled = 1};
    c->normal = make_values(c, 1, rules->first);
    make_values(c, c->normal, rules->normal);
    c->values[c->first].share = 1;
}

/* Contribution of a segment that starts with value `from`: the expected wait, and the probabilities
 * of the values for the next segment. The length of a run of timeouts is geometric; at the maximum
 * the value no longer changes, and the rest of the run is summed up. */
static void deliver(const chain *c, int from, double share, double *next, double *mean)
{
    double p = c->rules->loss, alive = share;
    int now = from;
    unsigned linear = c->rules->linear;

    next[c->normal] += alive * (1 - p);
    alive *= p;
    while (alive > 0) {
        bool last = !linear && c->values[now].doubled == now;
        *mean += alive * c->values[now].seconds / (last ? 1 - p : 1);
        if (linear)
            linear--;
        else
            now = c->values[now].doubled;
        next[c->rules->keep ? now : c->normal] += last ? alive : alive * (1 - p);
        alive *= p;
        if (last)
            return;
    }
}

static double mean_of(chain *c, unsigned segments)
{
    double mean = 0;

    for (unsigned i = 0; i < segments; i++) {
        double next[VALUES] = {0};
        for (int v = 0; v < VALUES; v++)
            if (c->values[v].share > 0)
                deliver(c, v, c->values[v].share, next, &mean);
        for (int v = 0; v < VALUES; v++)
            c->values[v].share = next[v];
    }
    return mean;
}

static void add_shifted(double *to, const double *from, size_t count, size_t shift, double factor)
{
    for (size_t i = shift; i < count; i++)
        to[i] += factor * from[i - shift];
}

/* The same with the joint distribution of value and time. */
static void deliver_times(const chain *c, int from, double **next, const lt_times *times)
{
    const double negligible = 1e-13;
    double p = c->rules->loss, alive = p, spent = 0;
    int now = from;
    unsigned linear = c->rules->linear;
    const double *before = c->values[from].times;

    add_shifted(next[c->normal], before, times->count, 0, 1 - p);
    while (alive > negligible) {
        spent += c->values[now].seconds;
        size_t shift = (size_t)fmin(floor(spent / times->step + 0.5), (double)times->count);
        if (shift >= times->count)
            return;
        if (linear)
            linear--;
        else
            now = c->values[now].doubled;
        add_shifted(next[c->rules->keep ? now : c->normal], before, times->count, shift,
                    alive * (1 - p));
        alive *= p;
    }
}

static livetcp_result distribute(chain *c, lt_times *times, unsigned segments, livetcp_error *error)
{
    double *memory = calloc(2 * (size_t)VALUES * times->count, sizeof *memory);
    double *next[VALUES];
    const size_t size = times->count * sizeof *memory;

    if (!memory)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for a distribution");
    for (int v = 0; v < VALUES; v++) {
        c->values[v].times = memory + (size_t)v * times->count;
        next[v] = memory + (size_t)(VALUES + v) * times->count;
        c->values[v].share = 0;
    }
    c->values[c->first].times[0] = c->values[c->first].share = 1;
    for (unsigned i = 0; i < segments; i++) {
        for (int v = 0; v < VALUES; v++)
            if (c->values[v].share > 0)
                deliver_times(c, v, next, times);
        for (int v = 0; v < VALUES; v++) {
            c->values[v].share = 0;
            for (size_t k = 0; k < times->count; k++)
                c->values[v].share += next[v][k];
            memcpy(c->values[v].times, next[v], size);
            memset(next[v], 0, size);
        }
    }
    for (int v = 0; v < VALUES; v++)
        add_shifted(times->probability, c->values[v].times, times->count, 0, 1);
    free(memory);
    return LIVETCP_OK;
}

livetcp_result lt_timeouts_solve(lt_times *times, const lt_timeout_rules *rules, unsigned segments,
                                 livetcp_error *error)
{
    chain c;

    make_chain(&c, rules);
    times->mean = mean_of(&c, segments);
    return distribute(&c, times, segments, error);
}
