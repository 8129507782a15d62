/* SPDX-License-Identifier: MIT */
/* A course: a path, what is done to it while packets are sent, and the delays that a policy has
 * there. For tests and tables that hold `auto` against policies that know less. */
#ifndef LT_SCENARIO_SIM_COURSE_H
#define LT_SCENARIO_SIM_COURSE_H

#include "sim_session.h"

#include <string>
#include <vector>

namespace scenario
{

struct Course {
    /* 1434 bytes every 20 ms, a frame and headers of TCP and IP: 602 kbit/s. */
    static constexpr size_t packet = 1434;
    static constexpr livetcp_usec interval = 20000;
    static constexpr double media = (packet + 2 + 68) * 8 * 50; /* bit/s */

    /* The same with speech: 102 kbit/s. */
    static constexpr size_t speech = 174;
    static constexpr double speech_rate = (speech + 12 + 2 + 68) * 8 * 50;

    explicit Course(std::string spec = "", std::string other = "", double percent = 0)
        : path(std::move(spec)), other_route(std::move(other)), loss(percent)
    {
    }

    std::string describe() const;

    std::string path, other_route;  /* every second connection takes the other one */
    std::string other_link;         /* every second connection is on it; only one of the two */
    double loss;                    /* percent, of packets on their way there, */
    double bursts = 1;              /*   so many in a row, on average */
    uint64_t police = 0;            /* bit/s; 0 = no policer */
    size_t burst = 10000;           /* bytes of its bucket */
    livetcp_usec change_us = 0;     /* after the first packet; 0 = none */
    std::string change;             /* of the path, then */
    livetcp_usec outage_us = 0;     /* when nothing passes on the path, after the first packet, */
    livetcp_usec outage_length = 0; /*   and for how long; 0 = none */
    size_t size = packet;           /* of the packets of media */
    unsigned connections = 8;       /* of the policies that use several */
    std::string below = "reno";     /* TCP's congestion control */
    livetcp_usec warmup = 5 * 1000000, length = 30 * 1000000;
};

struct Delays {
    std::vector<double> sorted; /* ms; HUGE_VAL = never came */
    double cost = 0;            /* bytes for a byte of media */

    double quantile(double p) const;
    void add(const Delays &more); /* of another seed */
};

/* `by_second`: filled with the largest delay of the packets of each second, the warm-up's first. */
Delays drive(const Course &course, const livetcp_config &config, uint64_t seed,
             std::vector<double> *by_second = nullptr);

/* `budget`: LIVETCP_REDUNDANCY_AUTO is the default. */
livetcp_config course_config(const char *policy, unsigned connections, double budget);

/* True if a delay of `own` at p is above what is allowed by the better of the others, and not by
 * chance: two standard deviations of the rank, where each is a sample. Where about 1 % is lost, p99
 * is a delay without a repair or with one, as it happens. */
bool is_worse(const Delays &own, const Delays &a, const Delays &b, double p);

/* What `auto` may have where these policies have a and b: 5 % and 1 ms more than the better. */
double allowed_delay(double a, double b);

/* A path at random: everything that a session may meet, each on a scale on which it matters. */
Course draw_course(uint64_t seed);

/* The same, with a policer, bursts of losses, a route that changes, an outage or a second link. */
Course draw_hard_course(uint64_t seed);

/* A route that becomes 5 to 60 ms longer while up to 5 % of the packets are lost, on a path with
 * room; for one connection and for eight. */
Course draw_longer_route(uint64_t seed);

} // namespace scenario

#endif
