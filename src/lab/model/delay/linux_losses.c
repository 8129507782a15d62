/* SPDX-License-Identifier: MIT */
/*
 * Loss recovery of Linux 6. With SACK one later arrival suffices (RACK, RFC 8985), everything is
 * retransmitted within a round trip, and a lost retransmission is detected as well. Without SACK a
 * loss is detected after several duplicate acknowledgements, each of which releases another
 * segment; each loss takes a round trip (NewReno, RFC 6582), and a lost retransmission takes a
 * timeout.
 */
#include "lab/model/delay/linux_losses.h"

#include <math.h>

/* Probability of `k` losses before the m-th arrival. */
static double losses_before(double p, unsigned k, unsigned m)
{
    double result = pow(1 - p, m);

    for (unsigned i = 1; i <= k; i++)
        result *= p * (m - 1 + i) / i;
    return result;
}

/* Probability of `needed` more duplicate acknowledgements when `allowed` segments may still be
 * sent, and one more per arrival. Without limited transmit none is sent. */
static double found_by_dupacks(const lt_delay_params *params, double p, unsigned allowed,
                               unsigned needed)
{
    double found = 0;

    if (!needed)
        return 1;
    if (!params->limited_transmit && allowed < needed)
        return 0;
    unsigned max = params->limited_transmit ? allowed : allowed - needed + 1;
    for (unsigned lost = 0; lost < max; lost++)
        found += losses_before(p, lost, needed);
    return fmin(found, 1);
}

/* Adds losses of that probability to the number of round trips that their repair takes. */
static void repair(const lt_delay_params *params, lt_loss_outcome *outcome, double probability,
                   unsigned losses)
{
    double arrive = pow(1 - params->p_full, losses), before = 0;

    outcome->recovery += probability;
    if (!params->rack) {
        unsigned rounds = losses < LT_MAX_ROUNDS ? losses : LT_MAX_ROUNDS;
        outcome->rounds[rounds - 1] += probability * arrive;
        outcome->repeated += probability * (1 - arrive);
        return;
    }
    for (unsigned i = 0; i < LT_MAX_ROUNDS; i++) { /* until the last of them has arrived */
        double within = i + 1 < LT_MAX_ROUNDS ? pow(1 - pow(params->p_full, i + 1), losses) : 1;
        outcome->rounds[i] += probability * (within - before);
        before = within;
    }
}

/* Converts probabilities to shares of all recoveries. */
static void normalize(lt_loss_outcome *outcome)
{
    if (outcome->recovery <= 0)
        return;
    for (unsigned i = 0; i < LT_MAX_ROUNDS; i++)
        outcome->rounds[i] /= outcome->recovery;
    outcome->repeated /= outcome->recovery;
}

static double found(const lt_delay_params *params, double p, unsigned w, unsigned sent,
                    unsigned lost)
{
    unsigned arrived = sent - lost;

    if (params->rack)
        return arrived > 0;
    return found_by_dupacks(params, p, arrived + (w - sent),
                            params->dupacks > arrived ? params->dupacks - arrived : 0);
}

lt_loss_outcome lt_linux_window_losses(const lt_delay_params *params, unsigned w, unsigned sent)
{
    const double negligible = 1e-12;
    double p = params->p_full;
    lt_loss_outcome outcome = {.none = pow(1 - p, sent)};
    double probability = outcome.none, left = 1 - outcome.none;

    for (unsigned lost = 1; p > 0 && lost <= sent && left > negligible; lost++) {
        probability *= p / (1 - p) * (sent - lost + 1) / lost;
        left -= probability;
        double share = probability * found(params, p, w, sent, lost);
        if (share > 0)
            repair(params, &outcome, share, lost);
    }
    normalize(&outcome);
    outcome.timeout = fmax(0, 1 - outcome.none - outcome.recovery);
    return outcome;
}

lt_loss_outcome lt_linux_packet_losses(const lt_delay_params *params, unsigned w)
{
    double p = params->p_small;
    unsigned held = (unsigned)lt_linux_held(params);
    lt_loss_outcome outcome = {.none = 1 - p};
    double share = params->rack ? 1 - pow(p, w > 1 ? w - 1 : 0)
                                : found_by_dupacks(params, p, w > 1 ? w - 1 : 0, params->dupacks);

    /* The first is lost, and any of the others in flight when that is detected. */
    double others = pow(1 - p, held - 1);
    for (unsigned i = 0; p > 0 && i < held && share * others > 0; i++) {
        repair(params, &outcome, p * share * others, i + 1);
        others *= p / (1 - p) * (held - 1 - i) / (i + 1);
    }
    normalize(&outcome);
    outcome.timeout = fmax(0, p - outcome.recovery);
    return outcome;
}

double lt_linux_detection(const lt_delay_params *params)
{
    double p = params->p_small, arrivals = params->rack ? 1 : params->dupacks;

    return params->detect + arrivals * p / (1 - p) / params->f;
}

double lt_linux_held(const lt_delay_params *params)
{
    return fmax(1, floor(lt_linux_detection(params) * params->f + 1e-9));
}
