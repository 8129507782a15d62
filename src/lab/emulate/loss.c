/* SPDX-License-Identifier: MIT */
/* The Gilbert-Elliott chain; see loss.h for its definition. */
#include "lab/emulate/loss.h"

bool lt_gilbert_from_means(double mean_loss, double mean_burst, lt_gilbert *out)
{
    if (mean_loss < 0 || mean_loss >= 1 || mean_burst < 1)
        return false;
    /* Stationary share of the bad state p / (p + r) = mean_loss, with r = 1 / mean_burst. */
    double r = 1 / mean_burst;
    double p = r * mean_loss / (1 - mean_loss);
    if (p > 1)
        return false;
    *out = (lt_gilbert){.p = p, .r = r, .loss_bad = 1, .loss_good = 0};
    return true;
}

void lt_gilbert_init(lt_gilbert_state *state, uint64_t seed)
{
    lt_rng_seed(&state->rng, seed);
    state->bad = false;
}

bool lt_gilbert_step(lt_gilbert_state *state, const lt_gilbert *gilbert)
{
    double move = lt_rng_uniform(&state->rng);
    double loss = lt_rng_uniform(&state->rng);

    if (move < (state->bad ? gilbert->r : gilbert->p))
        state->bad = !state->bad;
    return loss < (state->bad ? gilbert->loss_bad : gilbert->loss_good);
}
