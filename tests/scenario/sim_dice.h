/* SPDX-License-Identifier: MIT */
/* Draws paths and sessions at random; the same for the same seed. */
#ifndef LT_SCENARIO_SIM_DICE_H
#define LT_SCENARIO_SIM_DICE_H

extern "C" {
#include "base/rng.h"
}

#include <cmath>

namespace scenario
{

class Dice
{
  public:
    explicit Dice(uint64_t seed)
    {
        lt_rng_seed(&rng_, seed);
    }

    double between(double low, double high)
    {
        return low + (high - low) * part();
    }

    /* Evenly over the logarithm. */
    double between_times(double low, double high)
    {
        return low * std::pow(high / low, part());
    }

    /* 0..count - 1. */
    unsigned below(unsigned count)
    {
        return static_cast<unsigned>(lt_rng_next(&rng_) % count);
    }

  private:
    double part()
    {
        return static_cast<double>(below(10000)) / 10000;
    }

    lt_rng rng_;
};

} // namespace scenario

#endif
