/* SPDX-License-Identifier: MIT */
/* Solved models that clean up after themselves, and the paper's streams. */
#ifndef DELAY_MODEL_FIXTURE_H
#define DELAY_MODEL_FIXTURE_H

#include "catch.h"

#include <livetcp/model.h>

#include <algorithm>
#include <string>
#include <vector>

const unsigned VOICE = 174, VIDEO = 1448; /* bytes every 20 ms */

inline livetcp_delay_model_config
stream_of(unsigned bytes, double rtt_ms, double loss,
          livetcp_tcp_constants constants = LIVETCP_TCP_CONSTANTS_BROSH)
{
    livetcp_delay_model_config config;
    livetcp_delay_model_config_init(&config, constants);
    config.packet_bytes = bytes;
    config.rtt_us = (livetcp_usec)(rtt_ms * 1000);
    config.loss = loss;
    return config;
}

struct Solved {
    livetcp_delay_model *model = nullptr;
    livetcp_delay_summary summary = {};
    livetcp_error error = {};
    livetcp_result result;

    explicit Solved(const livetcp_delay_model_config &config)
    {
        result = livetcp_delay_model_solve(&config, &model, &error);
        INFO(error.message);
        if (result != LIVETCP_OK)
            return;
        summary.struct_size = sizeof summary;
        livetcp_delay_model_summary(model, &summary);
    }
    ~Solved()
    {
        livetcp_delay_model_destroy(&model);
    }
    Solved(const Solved &) = delete;
    Solved &operator=(const Solved &) = delete;

    double mean_ms() const
    {
        return summary.mean_us / 1e3;
    }
    double quantile_ms(double quantile) const
    {
        return livetcp_delay_model_quantile(model, quantile) / 1e3;
    }
};

/* Against delays that were played, in seconds over the one-way delay: the mean to within `margin`,
 * and quantiles. */
inline void check_against_dice(const Solved &s, double one_way_ms, std::vector<double> delays,
                               double margin)
{
    double mean = 0;
    for (double delay : delays)
        mean += delay / (double)delays.size();
    std::sort(delays.begin(), delays.end());
    CHECK(s.mean_ms() == Approx(one_way_ms + 1e3 * mean).epsilon(margin));
    for (double q : {0.9, 0.95, 0.99})
        CHECK(s.quantile_ms(q) ==
              Approx(one_way_ms + 1e3 * delays[(size_t)(q * (double)delays.size())])
                  .epsilon(0.1)
                  .margin(20.5)); /* the distribution has steps of a packet */
}

#endif
