/* SPDX-License-Identifier: MIT */
#include "sim_window.h"

#include "world.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace scenario
{

namespace
{

const double initial = 10;

class Reno : public SimWindow
{
  public:
    double segments() const override
    {
        return cwnd_;
    }

    /* Only a window that is used grows (tcp_cwnd_validate()). Whether it was full is remembered for
     * a round trip. */
    void sent(const SimSent &sent) override
    {
        bool full = sent.in_flight >= segments();
        if (reducing_)
            reduction_sent_ += sent.segments;
        if (!sent.fresh)
            return;
        if (sent.acknowledged >= looked_ || full || (!full_ && sent.outstanding > most_out_)) {
            full_ = full;
            most_out_ = sent.outstanding;
            looked_ = sent.next;
        }
    }

    void acknowledged(const SimAck &ack) override
    {
        if (ack.delivered <= 0)
            return;
        if (reducing_)
            reduce(ack);
        else if (is_limited())
            grow(ack);
    }

    void lost() override
    {
        if (reducing_) /* for a mark */
            return;
        lower_threshold();
        reducing_ = true;
        reduction_delivered_ = reduction_sent_ = 0;
    }

    void marked() override
    {
        lost();
    }

    void noticed(const SimAck &ack) override
    {
        reduce(ack);
    }

    void timed_out(bool again, double in_flight) override
    {
        if (!again)
            lower_threshold();
        reducing_ = false;
        cwnd_ = in_flight + 1;
    }

    void recovered() override
    {
        if (std::exchange(reducing_, false))
            cwnd_ = ssthresh_;
    }

    void undo() override
    {
        reducing_ = false;
        cwnd_ = std::max(cwnd_, before_cwnd_);
        ssthresh_ = std::max(ssthresh_, before_ssthresh_);
    }

    /* tcp_cwnd_restart() */
    void idled(unsigned timeouts) override
    {
        double least = std::min(initial, cwnd_);
        ssthresh_ = std::max(ssthresh_, cwnd_ * 3 / 4);
        for (; timeouts && cwnd_ > least; timeouts--)
            cwnd_ = std::floor(cwnd_ / 2);
        cwnd_ = std::max(cwnd_, least);
    }

  protected:
    virtual double reduced()
    {
        return cwnd_ / 2;
    }

    /* Acknowledgements for one more segment, beyond slow start. */
    virtual double every(const SimAck &)
    {
        return cwnd_;
    }

    double cwnd_ = initial, ssthresh_ = 1e9;

  private:
    /* tcp_is_cwnd_limited(): slow start makes the window twice what is used. */
    bool is_limited() const
    {
        return full_ || (cwnd_ < ssthresh_ && cwnd_ < 2 * most_out_);
    }

    void grow(const SimAck &ack)
    {
        for (double left = ack.delivered; left > 0; left--)
            if (cwnd_ < ssthresh_)
                cwnd_++;
            else
                count_one(every(ack));
    }

    /* tcp_cong_avoid_ai() */
    void count_one(double every)
    {
        if (counted_ >= every) {
            counted_ = 0;
            cwnd_++;
        }
        if (++counted_ >= every) {
            counted_ -= every;
            cwnd_++;
        }
    }

    void lower_threshold()
    {
        before_cwnd_ = cwnd_;
        before_ssthresh_ = ssthresh_;
        counted_ = 0;
        ssthresh_ = std::max(std::floor(reduced()), 2.0);
    }

    /* Proportional Rate Reduction (RFC 6937, as in tcp_cwnd_reduction()): what may be sent follows
     * what is delivered, and there is no room for more. */
    void reduce(const SimAck &ack)
    {
        double more, missing = ssthresh_ - ack.in_flight;
        reduction_delivered_ += ack.delivered;
        if (missing < 0) {
            more = std::ceil(ssthresh_ * reduction_delivered_ / before_cwnd_) - reduction_sent_;
        } else {
            more = std::max(reduction_delivered_ - reduction_sent_, ack.delivered);
            more = std::min(missing, more + (ack.advanced && ack.lost <= 0));
        }
        cwnd_ = ack.in_flight + std::max(more, reduction_sent_ > 0 ? 0.0 : 1.0);
    }

    double counted_ = 0;
    double before_cwnd_ = 0, before_ssthresh_ = 0;
    bool reducing_ = false;
    double reduction_delivered_ = 0, reduction_sent_ = 0;
    bool full_ = false;
    double most_out_ = 0;
    uint64_t looked_ = 0;
};

class Cubic : public Reno
{
  public:
    void acknowledged(const SimAck &ack) override
    {
        if (ack.rtt && cwnd_ >= start_.smallest && cwnd_ < ssthresh_ && start_.ends(ack))
            ssthresh_ = cwnd_;
        Reno::acknowledged(ack);
    }

    /* bictcp_reset() */
    void timed_out(bool again, double in_flight) override
    {
        Reno::timed_out(again, in_flight);
        most_ = 0;
        epoch_ = 0;
    }

  protected:
    /* bictcp_update() */
    double every(const SimAck &ack) override
    {
        if (!epoch_) {
            epoch_ = ack.now;
            friendly_ = cwnd_;
            origin_ = std::max(most_, cwnd_);
            k_ = std::cbrt((origin_ - cwnd_) / growth);
        }
        double t = static_cast<double>(ack.now - epoch_ + ack.min_rtt) / 1e6 - k_;
        double target = growth * t * t * t + origin_;
        double count = target > cwnd_ ? cwnd_ / (target - cwnd_) : 100 * cwnd_;
        if (!most_)
            count = std::min(count, 20.0);
        friendly_ += 3 * (1 - beta) / (1 + beta) / cwnd_;
        if (std::floor(friendly_) > cwnd_)
            count = std::min(count, cwnd_ / (std::floor(friendly_) - cwnd_));
        return std::max(count, 2.0);
    }

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
    double most_ = 0, origin_ = 0, k_ = 0, friendly_ = 0;
};

class Bbr : public SimWindow
{
  public:
    double segments() const override
    {
        return std::floor(mode_ == Mode::probe_rtt ? std::min(cwnd_, least) : cwnd_);
    }

    double pace() const override
    {
        double first =
            mode_ == Mode::startup && min_rtt_ ? initial * 1e6 / static_cast<double>(min_rtt_) : 0;
        return 0.99 * gain() * std::max(rate_, first);
    }

    bool hides_rate() const override
    {
        return mode_ == Mode::probe_rtt;
    }

    void sent(const SimSent &) override
    {
    }

    /* The next round trip is as good as one of PROBE_RTT. */
    void restarts() override
    {
        restarts_ = true;
    }

    void acknowledged(const SimAck &ack) override
    {
        if (ack.round) {
            round_++;
            conserving_ = false;
        }
        note_rate(ack);
        if (ack.rtt && (!min_rtt_ || ack.rtt <= min_rtt_ || ack.now > min_at_ + 10000000)) {
            expired_ = min_rtt_ && ack.rtt > min_rtt_;
            min_rtt_ = ack.rtt;
            min_at_ = ack.now;
        }
        advance(ack);
        expired_ = false;
        if (ack.delivered > 0) {
            restarts_ = false;
            set_window(ack);
        }
    }

    /* The first round trip of a recovery sends no more than is delivered. */
    void lost() override
    {
        save();
        repairing_ = conserving_ = begins_ = true;
    }

    /* It answers to no marks. */
    void marked() override
    {
    }

    void noticed(const SimAck &) override
    {
    }

    void timed_out(bool, double in_flight) override
    {
        save();
        repairing_ = true;
        conserving_ = begins_ = false;
        full_ = 0;
        cwnd_ = in_flight + 1;
    }

    void recovered() override
    {
        restores_ = std::exchange(repairing_, false);
        conserving_ = begins_ = false;
    }

    void undo() override
    {
        full_ = 0;
        stale_ = 0;
        recovered();
    }

    void idled(unsigned) override
    {
    }

  private:
    enum class Mode { startup, drain, cycle, probe_rtt };

    static constexpr double least = 4;

    void save()
    {
        before_cwnd_ =
            repairing_ || mode_ == Mode::probe_rtt ? std::max(before_cwnd_, cwnd_) : cwnd_;
    }

    /* bbr_set_cwnd(): towards twice the bandwidth-delay product, by no more than was delivered. */
    void set_window(const SimAck &ack)
    {
        cwnd_ = std::max(cwnd_ - ack.lost, 1.0);
        if (std::exchange(begins_, false))
            cwnd_ = ack.in_flight + ack.delivered;
        if (std::exchange(restores_, false))
            cwnd_ = std::max(cwnd_, before_cwnd_);
        if (conserving_) {
            cwnd_ = std::max(cwnd_, ack.in_flight + ack.delivered);
            return;
        }
        double target = cwnd_gain() * product() + 3;
        if (mode_ == Mode::startup) {
            delivered_ += ack.delivered;
            if (cwnd_ < target || delivered_ < initial)
                cwnd_ += ack.delivered;
        } else {
            cwnd_ = std::min(cwnd_ + ack.delivered, target);
        }
        cwnd_ = std::max(cwnd_, least);
    }

    /* Linux's BBR begins with the pace of an initial window in a round trip, which a rate measured
     * while the application sends little does not lower before the pipe has been full. */
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
        if (mode_ != Mode::probe_rtt && expired_ && !restarts_) {
            before_ = mode_;
            mode_ = Mode::probe_rtt;
            probe_until_ = LIVETCP_NEVER;
        } else if (mode_ == Mode::probe_rtt) {
            probe_rtt(ack);
        }
    }

    /* For 200 ms and a round trip once no more than the least window is under way. */
    void probe_rtt(const SimAck &ack)
    {
        if (probe_until_ == LIVETCP_NEVER) {
            if (ack.in_flight > least)
                return;
            probe_until_ = ack.now + 200000;
            probe_round_ = round_;
        } else if (round_ > probe_round_ && ack.now > probe_until_) {
            mode_ = before_ == Mode::startup ? Mode::startup : Mode::cycle;
            phase_at_ = ack.now;
            min_at_ = ack.now;
        }
    }

    Mode mode_ = Mode::startup, before_ = Mode::startup;
    std::deque<std::pair<unsigned, double>> rates_;
    double rate_ = 0, full_ = 0;
    livetcp_usec min_rtt_ = 0, min_at_ = 0, phase_at_ = 0, probe_until_ = 0;
    unsigned round_ = 0, probe_round_ = 0, stale_ = 0, phase_ = 0;
    bool expired_ = false, restarts_ = false;
    double cwnd_ = initial, before_cwnd_ = 0, delivered_ = 0;
    bool repairing_ = false, conserving_ = false, begins_ = false, restores_ = false;
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
