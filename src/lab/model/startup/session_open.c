/* SPDX-License-Identifier: MIT */
#include "lab/model/startup/session_open.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const double NEGLIGIBLE = 1e-12;

/* Times of a distribution with a non-zero probability: few of the steps. */
typedef struct atoms {
    const lt_times *times;
    size_t *at; /* steps, in order */
    size_t count;
} atoms;

/* Distributions within one session. */
typedef struct session {
    const double *connected; /* by step: share connected by then */
    atoms accepted, joined;
    size_t round_trip; /* in steps */
    unsigned others;
} session;

double lt_session_open_base(double rtt, unsigned connections)
{
    return rtt * (connections == 1 ? 2 : 4);
}

/* Share of sessions that are open by then. The other connections all wait for the ACCEPT and are
 * otherwise independent: a JOIN leaves once ACCEPT has arrived and its connection is open, for
 * which that had one round trip more. */
static double open_by(const session *s, size_t now)
{
    const atoms *accepted = &s->accepted, *joined = &s->joined;
    const size_t last = accepted->times->count - 1;
    double all = 0, one = 0;
    size_t j = 0, a = accepted->count;

    while (a && accepted->at[a - 1] > now)
        a--;
    for (; a; a--) { /* from the latest ACCEPT on: more and more exchanges fit after it */
        size_t left = now - accepted->at[a - 1];
        for (; j < joined->count && joined->at[j] <= left; j++) {
            size_t connected = now - joined->at[j] + s->round_trip;
            one += joined->times->probability[joined->at[j]] *
                   s->connected[connected < last ? connected : last];
        }
        all += accepted->times->probability[accepted->at[a - 1]] * pow(fmin(one, 1), s->others);
    }
    return fmin(all, 1);
}

static livetcp_result find_atoms(atoms *found, const lt_times *times, livetcp_error *error)
{
    *found = (atoms){.times = times, .at = calloc(times->count, sizeof *found->at)};
    if (!found->at)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for a distribution");
    for (size_t i = 0; i < times->count; i++)
        if (times->probability[i] > NEGLIGIBLE)
            found->at[found->count++] = i;
    return LIVETCP_OK;
}

static void cumulate(lt_times *to, const lt_times *from)
{
    double sum = 0;

    for (size_t i = 0; i < from->count; i++)
        to->probability[i] = sum += from->probability[i];
}

static void solve_others(lt_times *open, const session *s)
{
    double before = 0;

    for (size_t i = 0; i < open->count; i++) {
        double now = fmax(before, open_by(s, i));
        open->probability[i] = now - before;
        open->mean += (1 - now) * open->step;
        before = now;
    }
}

/* `work` has three initialised distributions. */
static livetcp_result solve_several(lt_times *open, const lt_times *connected,
                                    const lt_times *exchange, double rtt, unsigned others,
                                    lt_times work[3], livetcp_error *error)
{
    session s = {.connected = work[0].probability,
                 .round_trip = (size_t)floor(rtt / open->step + 0.5),
                 .others = others};

    cumulate(&work[0], connected);
    lt_times_convolve(&work[1], connected, exchange);
    lt_times_convolve(&work[2], exchange, exchange);
    livetcp_result result = find_atoms(&s.accepted, &work[1], error);
    if (result == LIVETCP_OK)
        result = find_atoms(&s.joined, &work[2], error);
    if (result == LIVETCP_OK)
        solve_others(open, &s);
    free(s.accepted.at);
    free(s.joined.at);
    return result;
}

livetcp_result lt_session_open_solve(lt_times *open, const lt_times *connected,
                                     const lt_times *exchange, double rtt, unsigned connections,
                                     livetcp_error *error)
{
    lt_times work[3] = {{0}};
    livetcp_result result = LIVETCP_OK;

    if (connections == 1) {
        lt_times_convolve(open, connected, exchange);
        return LIVETCP_OK;
    }
    for (int i = 0; i < 3 && result == LIVETCP_OK; i++)
        result = lt_times_init(&work[i], open->step, open->count, error);
    if (result == LIVETCP_OK)
        result = solve_several(open, connected, exchange, rtt, connections - 1, work, error);
    for (int i = 0; i < 3; i++)
        lt_times_clear(&work[i]);
    return result;
}
