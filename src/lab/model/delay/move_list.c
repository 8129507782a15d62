/* SPDX-License-Identifier: MIT */
#include "lab/model/delay/move_list.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MAX_BACKOFF = 6, MAX_TIMEOUTS = 20 };
static const double NEGLIGIBLE = 1e-15; /* smaller probabilities are not followed */

/* Copies only the bursts in use: most of the time would be spent on the others. */
static void copy(lt_move *to, const lt_move *from)
{
    memcpy(to, from, offsetof(lt_move, burst) + from->bursts * sizeof from->burst[0]);
}

lt_move *lt_moves_add(lt_moves *moves, double probability)
{
    static const lt_move nothing;
    lt_move *move = &moves->move[moves->count++];

    copy(move, &nothing);
    move->probability = probability;
    return move;
}

void lt_move_send(lt_move *move, lt_burst burst)
{
    if (burst.packets > 0 && move->bursts < LT_MOVE_BURSTS)
        move->burst[move->bursts++] = burst;
}

void lt_moves_time_out(const lt_delay_params *p, lt_moves *moves, double probability, double b,
                       const lt_move *prototype)
{
    double wait = p->rto, seconds = 0;

    for (unsigned l = 1; probability > 0; l++) {
        b += wait * p->f;
        seconds += wait;
        bool last = b >= p->max_backlog || l == MAX_TIMEOUTS || probability < NEGLIGIBLE;
        double sent = fmin(b, p->per_mss);
        lt_move *move = lt_moves_add(moves, 0);
        copy(move, prototype);
        move->probability = last ? probability : probability * (1 - p->p_full);
        move->b = fmax(0, b + p->r - p->per_mss);
        move->seconds += seconds + p->rtt;
        move->timeouts = l;
        move->loss = true;
        lt_move_send(move,
                     (lt_burst){.packets = sent, .delay = b / p->f, .cause = LT_CAUSE_TIMEOUT});
        if (last)
            return;
        probability *= p->p_full;
        if (l < MAX_BACKOFF)
            wait *= 2;
    }
}
