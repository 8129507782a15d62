/* SPDX-License-Identifier: MIT */
/*
 * Run by hand: what TLS and WebSockets add to delays under loss, in virtual time. The kinds have
 * the same draws, seed by seed; where their bytes make a policy decide otherwise, all draws behind
 * that are of other packets, so that two runs differ by chance, too. So a row has many seeds, and
 * each difference the interval that holds it in 95 % of 1,000 bootstrap samples of them.
 *
 * usage: records-table [--seeds N] [--seconds S] [--path SPEC] [POLICY...]
 */
#include "sim_flows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000;
constexpr unsigned samples = 1000;
constexpr double late_ms = 10; /* later than the median by more */

struct Options {
    unsigned seeds = 100;
    livetcp_usec length = 40 * second;
    std::string path = "delay=20ms,loss=1%";
    std::vector<std::string> policies;
};

struct Kind {
    const char *name;
    SimFilter filter;
};

const Kind kinds[] = {{"plain", {}},
                      {"TLS", {true, false}},
                      {"WebSocket", {false, true}},
                      {"WebSocket over TLS", {true, true}}};

/* Delays in steps of 0.1 ms. */
class Histogram
{
  public:
    void add(livetcp_usec delay)
    {
        size_t step = delay == LIVETCP_NEVER
                          ? steps - 1
                          : std::min<size_t>(static_cast<size_t>(delay) / 100, steps - 1);
        if (counts_.size() <= step)
            counts_.resize(step + 1);
        counts_[step]++;
        total_++;
    }

    void add(const Histogram &other)
    {
        counts_.resize(std::max(counts_.size(), other.counts_.size()));
        for (size_t i = 0; i < other.counts_.size(); i++)
            counts_[i] += other.counts_[i];
        total_ += other.total_;
    }

    double quantile_ms(double p) const
    {
        double seen = 0;
        for (size_t i = 0; i < counts_.size(); i++)
            if ((seen += counts_[i]) >= p * total_)
                return static_cast<double>(i) / 10;
        return 0;
    }

    double share_beyond(double ms) const
    {
        double beyond = 0;
        for (size_t i = static_cast<size_t>(ms * 10); i < counts_.size(); i++)
            beyond += counts_[i];
        return beyond / total_;
    }

  private:
    static constexpr size_t steps = 20000;
    std::vector<double> counts_;
    double total_ = 0;
};

Histogram run(const Options &options, const std::string &policy, const SimFilter &filter,
              uint64_t seed)
{
    constexpr livetcp_usec interval = 20000;
    auto road = std::make_shared<SimRoad>(options.path.c_str(), seed);
    lt_link_params back = road->path.backward.params();
    Histogram delays;
    back.loss = 0;
    back.gilbert = {};
    road->path.backward.set(back);
    road->path.congestion_control = "bbr";
    road->path.filter = filter;
    SimFlows flows(road, make_config(policy.c_str(), 4), 1, seed);
    road->world.run_for(2 * second);
    livetcp_usec begin = road->world.now() + 3 * second;
    flows.stream(186, interval, 3 * second + options.length);
    livetcp_usec end = road->world.now();
    road->world.run_for(5 * second);
    for (livetcp_usec delay : flows.delays(begin, end, interval))
        delays.add(delay);
    return delays;
}

using Seeds = std::vector<Histogram>;

/* p50, p95, p99 and the share of late packets in percent, of the seeds of a sample. */
std::array<double, 4> figures(const Seeds &seeds, const std::vector<size_t> &sample)
{
    Histogram all;
    for (size_t i : sample)
        all.add(seeds[i]);
    double median = all.quantile_ms(.5);
    return {median, all.quantile_ms(.95), all.quantile_ms(.99),
            100 * all.share_beyond(median + late_ms)};
}

void compare(const char *name, const Seeds &plain, const Seeds &other)
{
    std::vector<size_t> all(plain.size());
    std::array<std::vector<double>, 4> drawn;
    for (size_t i = 0; i < all.size(); i++)
        all[i] = i;
    auto base = figures(plain, all), others = figures(other, all);
    lt_rng rng;
    lt_rng_seed(&rng, 1);
    for (unsigned s = 0; s < samples; s++) {
        std::vector<size_t> sample(all.size());
        for (size_t &seed : sample)
            seed = lt_rng_next(&rng) % all.size();
        auto a = figures(plain, sample), b = figures(other, sample);
        for (size_t k = 0; k < drawn.size(); k++)
            drawn[k].push_back(b[k] - a[k]);
    }
    printf("    %-20s", name);
    for (size_t k = 0; k < drawn.size(); k++) {
        std::sort(drawn[k].begin(), drawn[k].end());
        printf("  %+6.2f (%+6.2f .. %+6.2f)", others[k] - base[k], drawn[k][samples / 40],
               drawn[k][samples - samples / 40 - 1]);
    }
    printf("\n");
    fflush(stdout);
}

void run_policy(const Options &options, const std::string &policy)
{
    Seeds of_kind[4];
    for (size_t k = 0; k < 4; k++)
        for (unsigned seed = 1; seed <= options.seeds; seed++)
            of_kind[k].push_back(run(options, policy, kinds[k].filter, seed));
    std::vector<size_t> all(options.seeds);
    for (size_t i = 0; i < all.size(); i++)
        all[i] = i;
    auto plain = figures(of_kind[0], all);
    printf("  %-20s p50 %.1f p95 %.1f p99 %.1f ms, late %.3f %%\n", policy.c_str(), plain[0],
           plain[1], plain[2], plain[3]);
    for (size_t k = 1; k < 4; k++)
        compare(kinds[k].name, of_kind[0], of_kind[k]);
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; i++) {
        bool valued = i + 1 < argc;
        if (!strcmp(argv[i], "--seeds") && valued)
            options.seeds = static_cast<unsigned>(atoi(argv[++i]));
        else if (!strcmp(argv[i], "--seconds") && valued)
            options.length = atoi(argv[++i]) * second;
        else if (!strcmp(argv[i], "--path") && valued)
            options.path = argv[++i];
        else
            options.policies.emplace_back(argv[i]);
    }
    if (options.policies.empty())
        options.policies = {"single", "shortest-queue", "duplicate", "hedge", "parity", "auto"};
    printf(
        "%s, %u seeds of %lld s: p50, p95, p99 in ms and the packets more than %.0f ms later than "
        "the median in %%, each less plain's (95 %% of the samples)\n",
        options.path.c_str(), options.seeds, static_cast<long long>(options.length / second),
        late_ms);
    for (const std::string &policy : options.policies)
        run_policy(options, policy);
    return 0;
}
