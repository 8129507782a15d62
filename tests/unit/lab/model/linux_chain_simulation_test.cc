/* SPDX-License-Identifier: MIT */
/*
 * The chain with Linux's rules (linux_moves.c) played with dice: losses, duplicate acknowledgements
 * and repeated segments one by one, where the solver has sums.
 */
#include "delay_model_fixture.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace
{

const double F = 50; /* packets per second */

struct LinuxChain {
    bool sack;
    double p, rtt, per_mss, rto, r, detect, free_window;
    int dupacks;
    double w, b = 0;
    int hold = 0; /* further rounds of recovery */
    std::mt19937_64 dice{20261122};
    std::vector<double> delays; /* over the one-way delay, seconds */

    LinuxChain(unsigned bytes, double rtt_s, double loss, bool with_sack)
        : sack(with_sack), p(loss), rtt(rtt_s), per_mss(1448.0 / bytes), rto(rtt_s + 0.2),
          r(rtt_s * F), free_window(std::floor(r + 1e-9) + 2),
          dupacks(r + 4 <= per_mss ? std::max(2, (int)(r + 1e-9) + 1) : 3), w(free_window)
    {
        detect = rtt + (sack ? std::min(3 / F, std::max(1 / F, rtt / 4 + 0.006)) : dupacks / F);
    }

    double uniform()
    {
        return std::uniform_real_distribution<double>()(dice);
    }
    bool lost()
    {
        return uniform() < p;
    }
    int losses(int segments)
    {
        int count = 0;
        for (int i = 0; i < segments; i++)
            count += lost();
        return count;
    }
    void set_backlog(double packets)
    {
        double whole = std::floor(std::max(0.0, packets) + 1e-9);
        b = whole + (uniform() < packets - whole ? 1 : 0);
    }
    void send(double packets, double delay)
    {
        for (; packets > 0.5; packets--)
            delays.push_back(delay);
    }
    static double halved(double window)
    {
        return std::max(2.0, std::floor(window / 2));
    }

    /* Round trips until so many losses are repaired; 0: a repeated segment is lost, and that takes
     * a timeout. */
    int rounds(int count)
    {
        int longest = sack ? 1 : count;
        for (int i = 0; i < count; i++) {
            int tries = 1;
            while (lost())
                tries++;
            if (!sack && tries > 1)
                return 0;
            longest = std::max(longest, sack ? tries : count);
        }
        return longest;
    }

    /* Whether enough duplicates come, where each that comes lets another segment out. */
    bool enough(int allowed, int arrived)
    {
        while (allowed > 0 && arrived < dupacks) {
            if (lost())
                allowed--;
            else
                arrived++;
        }
        return arrived >= dupacks;
    }

    void time_out()
    {
        double wait = rto;
        for (int expired = 1;; expired++) {
            b += wait * F;
            if (!lost())
                break;
            if (expired < 6)
                wait *= 2;
        }
        double sent = std::min(b, per_mss);
        send(sent, b / F);
        set_backlog(b + r - sent);
        w = 2;
        hold = 0;
    }

    void hold_packets(double packets, double waited, double after, int trips)
    {
        double again = sack ? detect + 1 / F : rtt;
        for (int i = 0; i < (int)packets; i++) {
            int later = sack ? trips - 1 : std::min(trips - 1, (int)(i * trips / packets));
            delays.push_back(waited + std::max(0.0, after + later * again - i / F));
        }
    }

    void application_limited()
    {
        if (!lost()) {
            delays.push_back(0);
            return;
        }
        int more = 0; /* lost right after it */
        if (sack)
            while (more < (int)w - 1 && lost())
                more++;
        else
            for (int arrived = 0; arrived < dupacks && more < (int)w - 1;)
                lost() ? more++ : arrived++;
        if (more >= (int)w - 1) {
            b = 0;
            time_out();
            return;
        }
        double after = detect + more / F;
        int held = (int)(after * F + 1e-9);
        int known = more + 1 + (sack ? 1 : dupacks);
        int trips = rounds(1 + more + losses(std::max(0, held - known)));
        b = 0;
        if (!trips) {
            hold_packets(held, 0, after + rto, 1);
            time_out();
            return;
        }
        hold_packets(held, 0, after, trips);
        w = halved(free_window);
        hold = trips - 1;
    }

    void hold_round()
    {
        double again = sack ? detect + 1 / F : rtt;
        double sent = std::min(b + r, w * per_mss);
        send(sent, b / F + again * (hold - 1) + rtt);
        set_backlog(b + r - sent);
        hold--;
    }

    void lossless_round()
    {
        double room = w * per_mss, sent = std::min(b + r, room), left = b + r - sent;
        if (per_mss >= 2 && w < r && b + r <= room) {
            int waiting = (int)(b + r - w + 0.5);
            for (int i = 1; i <= waiting; i++)
                delays.push_back(i / F);
            send(w, 0);
            set_backlog(0);
        } else {
            double drained = room > b + r ? std::min(sent, room * b / (room - r)) : sent;
            for (int i = 0; i < (int)(sent + uniform()); i++) {
                double x = (i + 0.5) / std::max(1.0, drained);
                delays.push_back(std::max(0.0, x < 1 ? b + (left - b) * x : left) / F);
            }
            set_backlog(left);
        }
    }

    void network_limited()
    {
        double before = b, room = w * per_mss, sent = std::min(b + r, room);
        int segments = (int)std::min(w, b + r + 0.5), count = losses(segments);
        if (!count) {
            lossless_round();
            if (w < free_window || before > 0)
                w = w > r / 2 ? w + 1 : std::min(2 * w, std::floor(r / 2) + 1);
            return;
        }
        int arrived = segments - count;
        if (sack ? !arrived : !enough(arrived + (int)w - segments, arrived)) {
            time_out();
            return;
        }
        int trips = rounds(count);
        set_backlog(b + r - sent);
        if (!trips) {
            for (int i = 0; i < (int)sent; i++)
                delays.push_back(before / F + rto + std::max(0.0, detect - i / F));
            time_out();
            return;
        }
        hold_packets(sent, before / F, detect, trips);
        w = halved(w);
        hold = trips - 1;
    }

    void step()
    {
        if (hold > 0)
            hold_round();
        else if (b == 0 && w >= free_window)
            application_limited();
        else
            network_limited();
    }
};

struct Path {
    unsigned bytes;
    double rtt, loss, margin;
};

} // namespace

TEST_CASE("the chain with Linux's rules, solved and played with dice, agree")
{
    bool sack = GENERATE(false, true);
    auto path = GENERATE(Path{VOICE, 0.02, 0.02, 0.02}, Path{VOICE, 0.1, 0.02, 0.02},
                         Path{VOICE, 0.3, 0.01, 0.02}, Path{VIDEO, 0.02, 0.01, 0.02},
                         Path{VIDEO, 0.1, 0.01, 0.03}, Path{724, 0.1, 0.02, 0.03});
    LinuxChain chain(path.bytes, path.rtt, path.loss, sack);
    while (chain.delays.size() < 1000000)
        chain.step();

    auto config = stream_of(path.bytes, path.rtt * 1000, path.loss,
                            sack ? LIVETCP_TCP_CONSTANTS_LINUX : LIVETCP_TCP_CONSTANTS_NEWRENO);
    Solved s(config);
    REQUIRE(s.result == LIVETCP_OK);
    INFO(path.bytes << " bytes, RTT " << path.rtt << ", loss " << path.loss << ", SACK " << sack);
    check_against_dice(s, 500 * path.rtt, chain.delays, path.margin);
}
