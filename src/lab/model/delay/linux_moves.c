/* SPDX-License-Identifier: MIT */
/*
 * The chain of Brosh et al. with the rules of Linux 6, where measurements show a difference
 * (docs/research/model.md):
 *
 * - the window is halved from its size, not from w + 3, and never below two segments;
 * - while the source does not use it, it grows to the segments in flight plus one;
 * - losses can occur in the round trip of a recovery as in any other;
 * - a recovery with more to repair takes several round trips (linux_losses.h), and packets that
 *   arrive meanwhile wait for the last one;
 * - a round's packets are those that leave in it, waiting between the backlog at its start and the
 *   one at its end, not only those present at its start.
 */
#include "lab/model/delay/linux_moves.h"

#include "lab/model/delay/linux_losses.h"

#include <math.h>

static unsigned within_chain(const lt_delay_params *p, double w)
{
    return (unsigned)fmin(w, p->max_window);
}

static unsigned halve(const lt_delay_params *p, double w)
{
    return within_chain(p, fmax(2, floor(w / 2)));
}

static unsigned grow(const lt_delay_params *p, unsigned w, unsigned b)
{
    if (w >= p->free_window && b == 0)
        return w;
    /* Slow start ends at half of the source's need. */
    return within_chain(p, w > p->r / 2 ? w + 1.0 : fmin(2.0 * w, floor(p->r / 2) + 1));
}

/* Number of packets that leave in a round trip. */
static double leaving(const lt_delay_params *p, unsigned w, double b)
{
    return fmin(b + p->r, w * p->per_mss);
}

/* Adds packets whose waiting time falls or rises evenly between two values. */
static void send_evenly(lt_move *move, double packets, double from, double to)
{
    double step = packets > 0 ? fabs(from - to) / packets : 0;

    lt_move_send(move, (lt_burst){.packets = packets,
                                  .delay = fmax(from, to) - step / 2,
                                  .step = step,
                                  .min = fmin(from, to),
                                  .cause = LT_CAUSE_BACKLOG});
}

/* Small packets wait only for the window: with w segments of one packet each in flight, packets
 * that arrive before the first acknowledgement wait, and leave in one segment. */
static bool waits_for_window_only(const lt_delay_params *p, unsigned w, double b)
{
    return p->per_mss >= 2 && w < p->r && b + p->r <= w * p->per_mss;
}

static void send_round(const lt_delay_params *p, lt_move *move, unsigned w, double b)
{
    double packets = leaving(p, w, b), window_packets = w * p->per_mss;

    move->b = b + p->r - packets;
    move->seconds += p->rtt;
    if (waits_for_window_only(p, w, b)) {
        double waiting = b + floor(p->r - w + 0.5);
        lt_move_send(move, (lt_burst){.packets = waiting,
                                      .delay = waiting / p->f,
                                      .step = 1 / p->f,
                                      .cause = LT_CAUSE_BACKLOG});
        lt_move_send(move, (lt_burst){.packets = w, .cause = LT_CAUSE_NONE});
    } else if (window_packets > b + p->r) { /* the backlog ends before the round */
        double drained = fmin(packets, window_packets * b / (window_packets - p->r));
        send_evenly(move, drained, b / p->f, 0);
        lt_move_send(move, (lt_burst){.packets = packets - drained, .cause = LT_CAUSE_NONE});
    } else {
        send_evenly(move, packets, b / p->f, move->b / p->f);
    }
}

/* Time between repairs. With SACK a retransmission is lost again, which is detected like any loss,
 * when a later segment arrives. */
static double repair_time(const lt_delay_params *p)
{
    return p->rack ? p->detect + 1 / p->f : p->rtt;
}

/* Rounds after the first: their packets wait for the last one. */
static void hold_rounds(const lt_delay_params *p, lt_move *move, unsigned rounds)
{
    for (unsigned more = rounds - 1; more > 0; more--) {
        double packets = leaving(p, move->w, move->b);
        lt_move_send(move,
                     (lt_burst){.packets = packets,
                                .delay = move->b / p->f + p->rtt + (more - 1) * repair_time(p),
                                .cause = LT_CAUSE_RECOVERY});
        move->b += p->r - packets;
        move->seconds += repair_time(p);
    }
}

/* Packets held until the losses before them are repaired: all at once with SACK, one after another
 * without. */
static void send_held(const lt_delay_params *p, lt_move *move, double packets, double waited,
                      double detection, unsigned rounds)
{
    unsigned parts = p->rack ? 1 : rounds;

    for (unsigned i = 0; i < parts; i++) {
        double later = (p->rack ? rounds - 1 : i) * repair_time(p);
        double first = packets * i / parts;
        lt_move_send(move, (lt_burst){.packets = packets / parts,
                                      .delay = waited + detection + later - first / p->f,
                                      .step = 1 / p->f,
                                      .min = waited,
                                      .cause = LT_CAUSE_RECOVERY});
    }
}

/* A loss found after `detection`, and the packets that have waited and still wait for it. */
typedef struct found_loss {
    double packets, waited, detection, seconds;
    unsigned w; /* after halving */
    double b;   /* at detection */
} found_loss;

static void recover(const lt_delay_params *p, lt_moves *moves, double probability,
                    const lt_loss_outcome *losses, const found_loss *loss)
{
    for (unsigned rounds = 1; rounds <= LT_MAX_ROUNDS; rounds++) {
        double share = probability * losses->rounds[rounds - 1];
        if (share <= 0)
            continue;
        lt_move *move = lt_moves_add(moves, share);
        move->loss = true;
        move->w = loss->w;
        move->b = loss->b;
        move->seconds = loss->seconds;
        send_held(p, move, loss->packets, loss->waited, loss->detection, rounds);
        hold_rounds(p, move, rounds);
    }
    if (losses->repeated > 0) {
        lt_move late = {.w = within_chain(p, 2), .seconds = loss->seconds};
        lt_move_send(&late, (lt_burst){.packets = loss->packets,
                                       .delay = loss->waited + loss->detection + p->rto,
                                       .step = 1 / p->f,
                                       .min = loss->waited + p->rto,
                                       .cause = LT_CAUSE_TIMEOUT});
        lt_moves_time_out(p, moves, probability * losses->repeated, loss->b, &late);
    }
}

void lt_linux_loss_moves(const lt_delay_params *p, const lt_loss_outcome *losses, lt_moves *moves)
{
    const lt_move slow_start = {.w = within_chain(p, 2)};
    double detection = lt_linux_detection(p);

    if (losses->recovery > 0)
        recover(p, moves, losses->recovery, losses,
                &(found_loss){.packets = lt_linux_held(p),
                              .detection = detection,
                              .seconds = detection,
                              .w = halve(p, p->free_window)});
    lt_moves_time_out(p, moves, losses->timeout, 0, &slow_start);
}

void lt_linux_round_moves(const lt_delay_params *p, unsigned w, unsigned b,
                          const lt_loss_outcome *losses, lt_moves *moves)
{
    const lt_move slow_start = {.w = within_chain(p, 2)};
    lt_move *move;

    moves->count = 0;
    move = lt_moves_add(moves, losses->none);
    move->w = grow(p, w, b);
    send_round(p, move, w, b);
    if (losses->recovery > 0) {
        double packets = leaving(p, w, b);
        recover(p, moves, losses->recovery, losses,
                &(found_loss){.packets = packets,
                              .waited = b / p->f,
                              .detection = p->detect,
                              .seconds = p->rtt,
                              .w = halve(p, w),
                              .b = b + p->r - packets});
    }
    lt_moves_time_out(p, moves, losses->timeout, b, &slow_start);
}
