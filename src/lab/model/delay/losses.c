/* SPDX-License-Identifier: MIT */
/*
 * Brosh et al., Table 6, A.1 and A.2. Random losses are Wierman, Osogami and Olsen's for SACK: with
 * w - 3 losses at most, three duplicate acknowledgements come, and if no retransmission is lost
 * either, there is no timeout. Correlated losses are Padhye et al.'s ("Modeling TCP Throughput",
 * 1998), equations 22 to 24.
 *
 * With RACK (RFC 8985) one later arrival is enough, and a lost retransmission is found again: a
 * timeout remains only where nothing of the window arrives.
 */
#include "lab/model/delay/losses.h"

#include "lab/model/delay/linux_losses.h"

#include <math.h>

static double binomial(unsigned n, unsigned k)
{
    double result = 1;

    for (unsigned i = 1; i <= k; i++)
        result = result * (n - k + i) / i;
    return result;
}

/* P_w(i), or with `first_lost` p P_{w-1}(i-1): i of w are lost, including the first. Here i is at
 * least w - 3, so that k = w - i is small. */
static double lost_of(double p, unsigned w, unsigned arrived, bool first_lost)
{
    unsigned others = first_lost ? w - 1 : w;

    return binomial(others, arrived) * pow(p, w - arrived) * pow(1 - p, arrived);
}

/* The sum over i = 1 .. w-3 in Table 6: C(w,i) p^i (1-p)^w, or C(w-1,i-1) p^i (1-p)^w. Its factor
 * (1-p)^i is the probability that all retransmissions arrive. */
static double three_arrive(double p, unsigned w, bool first_lost)
{
    unsigned n = first_lost ? w - 1 : w;
    double all, q = pow(1 - p, w);

    if (w <= 3)
        return 0;
    /* By the binomial theorem the complete sum is q (1+p)^n; the omitted terms are subtracted. */
    all = q * pow(1 + p, n) * (first_lost ? p : 1);
    if (!first_lost)
        all -= q; /* i = 0 */
    for (unsigned arrived = 0; arrived < 3 && (!first_lost || arrived < w); arrived++)
        all -= q * binomial(n, arrived) * pow(p, w - arrived);
    return fmax(all, 0);
}

/* Equation (6): with limited transmit one duplicate acknowledgement releases two more segments, two
 * release two of which one has to arrive. */
static double limited_transmit(double p, unsigned w, bool first_lost)
{
    double q = 1 - p, sum = 0;

    if (w > 1)
        sum += lost_of(p, w, 1, first_lost) * pow(q, w - 1) * q * q;
    if (w > 2)
        sum += lost_of(p, w, 2, first_lost) * pow(q, w - 2) * (1 - p * p);
    return sum;
}

static double random_recovery(const lt_delay_params *params, double p, unsigned w, bool first_lost)
{
    double lost = first_lost ? p : 1 - pow(1 - p, w);

    if (params->rack)
        return fmax(0, lost - pow(p, w));
    double recovery = three_arrive(p, w, first_lost);
    if (params->limited_transmit)
        recovery += limited_transmit(p, w, first_lost);
    return fmin(recovery, lost);
}

/* Padhye, equation 22 of [29]: A(w,k), k segments arrive before the first loss of a window with a
 * loss; `first_lost` replaces it by A(w-1,k-1), as in A.1. */
static double got_through(double p, unsigned w, unsigned k, bool first_lost)
{
    if (first_lost) {
        if (!k || w < 2)
            return 0;
        return got_through(p, w - 1, k - 1, false);
    }
    return k < w ? pow(1 - p, k) * p / (1 - pow(1 - p, w)) : 0;
}

/* Share of windows with a loss that end in a timeout (Padhye, equation 23). The k segments that
 * arrived release k more; three of those have to arrive. With limited transmit, fewer than three
 * arrivals release more (A.2; docs/research/model.md interprets equation (7)). */
static double correlated_timeout(const lt_delay_params *params, double p, unsigned w,
                                 bool first_lost)
{
    double q = 1 - p, share = 0, few = 0;

    if (w < 2 || (!params->limited_transmit && w <= 3))
        return 1;
    for (unsigned k = 0; k < 3; k++) {
        double a = got_through(p, w, k, first_lost);
        double late = params->limited_transmit ? 1 - pow(q, k) : 1;
        share += a * (k ? late : 1);
        few += a;
    }
    return fmin(1, share + fmax(0, 1 - few) * (1 - q * q * q));
}

static lt_loss_outcome outcome(const lt_delay_params *params, double p, unsigned w, bool first_lost)
{
    lt_loss_outcome result = {.none = first_lost ? 1 - p : pow(1 - p, w), .rounds = {1}};
    double lost = 1 - result.none;

    if (p > 0 && params->correlated)
        result.recovery = lost * (1 - correlated_timeout(params, p, w, first_lost));
    else if (p > 0)
        result.recovery = random_recovery(params, p, w, first_lost);
    result.timeout = fmax(0, lost - result.recovery);
    return result;
}

/* For correlated losses the paper's probabilities apply to Linux as well. */
static bool as_linux(const lt_delay_params *params)
{
    return params->recovery == LIVETCP_LOSS_RECOVERY_LINUX && !params->correlated;
}

lt_loss_outcome lt_window_losses(const lt_delay_params *params, unsigned w, unsigned sent)
{
    if (as_linux(params))
        return lt_linux_window_losses(params, w, sent);
    return outcome(params, params->p_full, w, false);
}

lt_loss_outcome lt_packet_losses(const lt_delay_params *params, unsigned w)
{
    if (as_linux(params))
        return lt_linux_packet_losses(params, w);
    return outcome(params, params->p_small, w, true);
}
