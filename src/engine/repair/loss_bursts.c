/* SPDX-License-Identifier: MIT */
#include "engine/repair/loss_bursts.h"

#include <math.h>

/* Logarithms of likelihood ratios: bursts are detected above the first, and remain so above the
 * second. Independent losses reach the first in one of some thousand records. */
#define FOUND_AT 8.0
#define KEPT_AT  3.0

/* Minimum number of losses that followed another one: a single coincidence proves nothing. */
#define FOLLOWERS_MIN 2.5

/* Values of T and c that are tried. */
#define SHORTEST_US 500.0
#define LONGEST_US  400e3
#define STEP        1.25
#define JOINT_STEPS 20

/* A copy is far enough from the first if its loss, given that of the first, is hardly more likely
 * than that of any packet; or if the probability of losing both is too low to affect p99.9. */
#define NEARLY   1.05
#define BOTH_MAX 0.0005

static double likelihood(const lt_loss_record *record, double loss, double joint, double burst_us)
{
    double sum = 0;

    for (unsigned i = 0; i < LT_LOSS_BINS; i++) {
        const lt_loss_bin *bin = &record->bins[i];
        if (!(bin->followers > 0))
            continue;
        double share = loss + (joint - loss) * exp(-bin->lag_us / bin->followers / burst_us);
        sum += bin->lost * log(share) + (bin->followers - bin->lost) * log(1 - share);
    }
    return sum;
}

static double lost_followers(const lt_loss_record *record)
{
    double sum = 0;

    for (unsigned i = 0; i < LT_LOSS_BINS; i++)
        sum += record->bins[i].lost;
    return sum;
}

static void set_none(lt_loss_bursts *bursts)
{
    bursts->found = false;
    bursts->joint = bursts->loss;
    bursts->burst_us = 0;
}

/* Returns the logarithm of the maximum likelihood. */
static double fit(lt_loss_bursts *bursts, const lt_loss_record *record)
{
    double best = -INFINITY;

    for (double burst_us = SHORTEST_US; burst_us <= LONGEST_US; burst_us *= STEP) {
        for (unsigned i = 1; i < JOINT_STEPS; i++) {
            double joint = (double)i / JOINT_STEPS;
            double of_these =
                joint > bursts->loss ? likelihood(record, bursts->loss, joint, burst_us) : best;
            if (of_these > best) {
                best = of_these;
                bursts->joint = joint;
                bursts->burst_us = burst_us;
            }
        }
    }
    return best;
}

void lt_loss_bursts_update(lt_loss_bursts *bursts, const lt_loss_record *record)
{
    double none, some;

    bursts->loss = record->recent > 0 ? record->recent_lost / record->recent : 0;
    if (!(bursts->loss > 0 && bursts->loss < 1) || lost_followers(record) < FOLLOWERS_MIN) {
        set_none(bursts);
        return;
    }
    none = likelihood(record, bursts->loss, bursts->loss, 1);
    some = fit(bursts, record);
    bursts->found = some - none >= (bursts->found ? KEPT_AT : FOUND_AT);
    if (!bursts->found)
        set_none(bursts);
}

livetcp_usec lt_loss_bursts_spacing(const lt_loss_bursts *bursts, livetcp_usec most_us)
{
    double enough, spacing_us;

    if (!bursts->found)
        return 0;
    enough = fmax(NEARLY * bursts->loss, BOTH_MAX / bursts->loss);
    if (bursts->joint <= enough)
        return 0;
    spacing_us = bursts->burst_us * log((bursts->joint - bursts->loss) / (enough - bursts->loss));
    return spacing_us < (double)most_us ? (livetcp_usec)spacing_us : most_us;
}

double lt_loss_bursts_joint(const lt_loss_bursts *bursts, livetcp_usec spacing_us)
{
    if (!bursts->found)
        return 0;
    return bursts->loss +
           (bursts->joint - bursts->loss) * exp(-(double)spacing_us / bursts->burst_us);
}
