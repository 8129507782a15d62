/* SPDX-License-Identifier: MIT */
/* Brosh et al., Table 6 and equations (1), (2), (4) and (5), whose cases the comments name. */
#include "lab/model/delay/moves.h"

#include "lab/model/delay/linux_moves.h"

#include <math.h>

static double at_least_0(double x)
{
    return x > 0 ? x : 0;
}

bool lt_application_limited(const lt_delay_params *p, unsigned w, unsigned b)
{
    return b == 0 && w + 1e-9 >= p->free_window;
}

unsigned lt_segments_sent(const lt_delay_params *p, unsigned w, unsigned b)
{
    if (p->recovery != LIVETCP_LOSS_RECOVERY_LINUX)
        return w;
    return (unsigned)fmin(w, fmax(1, floor(b + p->r + 0.5)));
}

/* Packets that have waited in the send buffer for all packets before them: b / (f a). */
static lt_burst backlogged(const lt_delay_params *p, double b, double window_packets,
                           lt_cause cause)
{
    return (lt_burst){
        .packets = fmin(b, window_packets), .delay = b / p->f, .min = b / p->f, .cause = cause};
}

/* {w+1|2w}: slow start up to half of the source's need, then congestion avoidance. */
static unsigned grow(const lt_delay_params *p, unsigned w)
{
    unsigned next = w > p->r / 2 ? w + 1 : 2 * w;

    return next < p->max_window ? next : p->max_window;
}

static unsigned halve(const lt_delay_params *p, double flight)
{
    return (unsigned)fmin(fmax(floor(flight / 2), 1), p->max_window);
}

/* State (w, b, 1), fast recovery: ends after one round trip in any case. */
static void recover(const lt_delay_params *p, lt_move *move, unsigned w, double b)
{
    double window_packets = w * p->per_mss;

    lt_move_send(move, backlogged(p, b, window_packets, LT_CAUSE_BACKLOG));
    move->w = w;
    move->b = at_least_0(b + p->r - window_packets);
    move->seconds += p->rtt;
}

/* The states (0, b, l). */
static void time_out(const lt_delay_params *p, lt_moves *moves, double probability, double b)
{
    const lt_move slow_start = {.w = 1};

    lt_moves_time_out(p, moves, probability, b, &slow_start);
}

/* Fast recovery of an unimpeded stream: packets sent since the loss wait for the retransmission,
 * the first one longest. */
static void packet_recovery(const lt_delay_params *p, lt_moves *moves, double probability)
{
    lt_move *move = lt_moves_add(moves, probability);
    double held = floor(p->detect * p->f + 1e-9); /* r + 3 */

    move->loss = true;
    move->seconds = p->detect;
    lt_move_send(move, (lt_burst){.packets = held,
                                  .delay = p->detect,
                                  .step = 1 / p->f,
                                  .cause = LT_CAUSE_RECOVERY});
    recover(p, move, halve(p, held), at_least_0(held - p->r));
}

void lt_packet_moves(const lt_delay_params *p, unsigned w, const lt_loss_outcome *losses,
                     lt_moves *moves)
{
    lt_move *stay;

    moves->count = 0;
    stay = lt_moves_add(moves, losses->none);
    stay->w = w;
    stay->seconds = 1 / p->f;
    lt_move_send(stay, (lt_burst){.packets = 1, .cause = LT_CAUSE_NONE});
    if (p->recovery == LIVETCP_LOSS_RECOVERY_LINUX) {
        lt_linux_loss_moves(p, losses, moves);
        return;
    }
    if (losses->recovery > 0)
        packet_recovery(p, moves, losses->recovery);
    time_out(p, moves, losses->timeout, 0);
}

/* Three more segments leave on the duplicate acknowledgements: window inflation. */
static void round_recovery(const lt_delay_params *p, lt_moves *moves, double probability,
                           unsigned w, double b)
{
    lt_move *move = lt_moves_add(moves, probability);
    double window_packets = (w + 3) * p->per_mss;
    double waited = b / p->f;

    move->loss = true;
    move->seconds = p->rtt;
    lt_move_send(move, (lt_burst){.packets = fmin(b, window_packets),
                                  .delay = waited + p->detect,
                                  .step = 1 / p->f,
                                  .min = waited,
                                  .cause = LT_CAUSE_RECOVERY});
    recover(p, move, halve(p, w + 3), at_least_0(b + p->r - window_packets));
}

void lt_round_moves(const lt_delay_params *p, unsigned w, unsigned b, const lt_loss_outcome *losses,
                    lt_moves *moves)
{
    double window_packets = w * p->per_mss;
    lt_move *move;

    if (p->recovery == LIVETCP_LOSS_RECOVERY_LINUX) {
        lt_linux_round_moves(p, w, b, losses, moves);
        return;
    }
    moves->count = 0;
    move = lt_moves_add(moves, losses->none);
    move->w = grow(p, w);
    move->b = at_least_0(b + p->r - window_packets);
    move->seconds = p->rtt;
    lt_move_send(move, backlogged(p, b, window_packets, LT_CAUSE_BACKLOG));
    if (losses->recovery > 0)
        round_recovery(p, moves, losses->recovery, w, b);
    time_out(p, moves, losses->timeout, b);
}
