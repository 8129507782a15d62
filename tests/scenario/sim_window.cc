/* SPDX-License-Identifier: MIT */
#include "sim_window.h"

#include "world.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace scenario
{

namespace
{

class Reno : public SimWindow
{
  public:
    double segments() const override
    {
        return cwnd_;
    }

    void acknowledged(const SimAck &ack) override
    {
        if (ack.progress && ack.limited && !ack.recovering)
            cwnd_ += cwnd_ < ssthresh_ ? 1 : 1 / cwnd_;
    }

    void lost() override
    {
        reduce();
        cwnd_ = ssthresh_;
    }

    void timed_out(bool again) override
    {
        if (!again)
            reduce();
        cwnd_ = 1;
    }

    void undo() override
    {
        cwnd_ = std::max(cwnd_, before_cwnd_);
        ssthresh_ = std::max(ssthresh_, before_ssthresh_);
    }

  protected:
    virtual double reduced()
    {
        return cwnd_ / 2;
    }

    double cwnd_ = 10, ssthresh_ = 1e9;

  private:
    void reduce()
    {
        before_cwnd_ = cwnd_;
        before_ssthresh_ = ssthresh_;
        ssthresh_ = std::max(reduced(), 2.0);
    }

    double before_cwnd_ = 0, before_ssthresh_ = 0;
};

class Cubic : public Reno
{
  public:
    void acknowledged(const SimAck &ack) override
    {
        if (ack.rtt && cwnd_ >= start_.smallest && cwnd_ < ssthresh_ && start_.ends(ack))
            ssthresh_ = cwnd_;
        if (!ack.progress || !ack.limited || ack.recovering)
            return;
        if (cwnd_ < ssthresh_) {
            cwnd_ += 1;
            return;
        }
        if (!epoch_) {
            epoch_ = ack.now;
            friendly_ = cwnd_;
            most_ = std::max(most_, cwnd_);
            k_ = std::cbrt((most_ - cwnd_) / growth);
        }
        double t = static_cast<double>(ack.now - epoch_ + ack.min_rtt) / 1e6 - k_;
        double target = std::min(growth * t * t * t + most_, 1.5 * cwnd_);
        friendly_ += 3 * (1 - beta) / (1 + beta) / cwnd_;
        cwnd_ += target > cwnd_ ? (target - cwnd_) / cwnd_ : 0.01 / cwnd_;
        cwnd_ = std::max(cwnd_, friendly_);
    }

  protected:
    double reduced() override
    {
        most_ = cwnd_ < most_ ? cwnd_ * (1 + beta) / 2 : cwnd_; /* fast convergence */
        epoch_ = 0;
        return cwnd_ * beta;
    }

  private:
    static constexpr double beta = 0.7, growth = 0.4;

    /* HyStart (Ha and Rhee, 2008): slow start ends before the buffer overflows, when round trips
     * grow, or acknowledgements have come one after the other for half of a round trip. */
    struct Start {
        static constexpr double smallest = 16;

        bool ends(const SimAck &ack)
        {
            if (ack.round) {
                begun_us = last_us = ack.now;
                least_us = LIVETCP_NEVER;
                samples = 0;
            }
            least_us = std::min(least_us, ack.rtt);
            if (ack.now - last_us <= 2000)
                last_us = ack.now;
            livetcp_usec more = std::clamp<livetcp_usec>(ack.min_rtt / 8, 4000, 16000);
            return last_us - begun_us > ack.min_rtt / 2 ||
                   (samples++ >= 8 && least_us > ack.min_rtt + more);
        }

        livetcp_usec begun_us = 0, last_us = 0, least_us = LIVETCP_NEVER;
        unsigned samples = 0;
    } start_;

    livetcp_usec epoch_ = 0;
    double most_ = 0, k_ = 0, friendly_ = 0;
};

class Bbr : public SimWindow
{
  public:
    double segments() const override
    {
        if (mode_ == Mode::probe_rtt || timeout_)
            return 4;
        double window = std::max(4.0, cwnd_gain() * product() + 3);
        return mode_ == Mode::startup ? std::max(initial, window) : window;
    }

    double pace() const override
    {
        double first =
            mode_ == Mode::startup && min_rtt_ ? initial * 1e6 / static_cast<double>(min_rtt_) : 0;
        return 0.99 * gain() * std::max(rate_, first);
    }

    void acknowledged(const SimAck &ack) override
    {
        timeout_ = false;
        if (ack.round)
            round_++;
        note_rate(ack);
        if (ack.rtt && (!min_rtt_ || ack.rtt <= min_rtt_ || ack.now > min_at_ + 10000000)) {
            expired_ = min_rtt_ && ack.rtt > min_rtt_;
            min_rtt_ = ack.rtt;
            min_at_ = ack.now;
        }
        advance(ack);
        expired_ = false;
    }

    void lost() override
    {
    }

    void timed_out(bool) override
    {
        timeout_ = true;
    }

    void undo() override
    {
        timeout_ = false;
    }

  private:
    enum class Mode { startup, drain, cycle, probe_rtt };

    /* Linux's BBR begins with the pace of an initial window in a round trip, which a rate measured
     * while the application sends little does not lower before the pipe has been full. */
    static constexpr double initial = 10;

    double product() const
    {
        return rate_ * static_cast<double>(min_rtt_) / 1e6;
    }

    double gain() const
    {
        static const double gains[8] = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
        return mode_ == Mode::startup ? 2.885
               : mode_ == Mode::drain ? 1 / 2.885
               : mode_ == Mode::cycle ? gains[phase_]
                                      : 1;
    }

    double cwnd_gain() const
    {
        return mode_ == Mode::startup || mode_ == Mode::drain ? 2.885 : 2;
    }

    void note_rate(const SimAck &ack)
    {
        if (ack.rate > 0 && (!ack.application_limited || ack.rate > rate_))
            rates_.push_back({round_, ack.rate});
        while (rates_.size() > 1 && rates_.front().first + 10 < round_)
            rates_.pop_front();
        rate_ = 0;
        for (const auto &entry : rates_)
            rate_ = std::max(rate_, entry.second);
    }

    void advance(const SimAck &ack)
    {
        if (mode_ == Mode::startup && ack.round && !ack.application_limited) {
            stale_ = rate_ < 1.25 * full_ ? stale_ + 1 : 0;
            full_ = stale_ ? full_ : rate_;
            if (stale_ >= 3)
                mode_ = Mode::drain;
        }
        if (mode_ == Mode::drain && ack.in_flight <= product()) {
            mode_ = Mode::cycle;
            phase_ = 2;
            phase_at_ = ack.now;
        }
        if (mode_ == Mode::cycle) {
            bool over = ack.now > phase_at_ + min_rtt_;
            if (phase_ == 0)
                over = over && ack.in_flight >= 1.25 * product() * 0.95;
            if (phase_ == 1)
                over = over || ack.in_flight <= product();
            if (phase_ == 0 && ack.now > phase_at_ + 3 * min_rtt_)
                over = true;
            if (over) {
                phase_ = (phase_ + 1) % 8;
                phase_at_ = ack.now;
            }
        }
        if (mode_ != Mode::probe_rtt && expired_) {
            before_ = mode_;
            mode_ = Mode::probe_rtt;
            probe_until_ = ack.now + 200000 + min_rtt_;
        } else if (mode_ == Mode::probe_rtt && ack.now > probe_until_) {
            mode_ = before_ == Mode::startup ? Mode::startup : Mode::cycle;
            phase_at_ = ack.now;
            min_at_ = ack.now;
        }
    }

    Mode mode_ = Mode::startup, before_ = Mode::startup;
    std::deque<std::pair<unsigned, double>> rates_;
    double rate_ = 0, full_ = 0;
    livetcp_usec min_rtt_ = 0, min_at_ = 0, phase_at_ = 0, probe_until_ = 0;
    unsigned round_ = 0, stale_ = 0, phase_ = 0;
    bool expired_ = false, timeout_ = false;
};

} // namespace

std::unique_ptr<SimWindow> make_window(const std::string &name)
{
    if (name == "cubic")
        return std::make_unique<Cubic>();
    if (name == "bbr")
        return std::make_unique<Bbr>();
    require(name == "reno", "no congestion control " + name);
    return std::make_unique<Reno>();
}

} // namespace scenario
