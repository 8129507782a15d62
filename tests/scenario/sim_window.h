/* SPDX-License-Identifier: MIT */
/*
 * Congestion controls of Linux's TCP in virtual time, as far as neighbours can tell: NewReno (RFC
 * 6582), CUBIC (RFC 9438, with its Reno-friendly region and HyStart), and BBR version 1
 * (draft-cardwell-iccrg-bbr-congestion-control-00: start-up, drain, the gain cycle, PROBE_RTT).
 */
#ifndef LT_SCENARIO_SIM_WINDOW_H
#define LT_SCENARIO_SIM_WINDOW_H

#include <livetcp/base.h>

#include <memory>
#include <string>

namespace scenario
{

/* One segment that has arrived. */
struct SimAck {
    livetcp_usec now, rtt, min_rtt; /* rtt: 0 = retransmitted, no sample */
    double rate;                    /* segments per second delivered while it was under way */
    bool application_limited;       /* when it was sent */
    bool limited;                   /* the window was full */
    bool progress, recovering;
    double in_flight; /* segments */
    bool round;       /* it was sent after the last round ended */
};

class SimWindow
{
  public:
    virtual ~SimWindow() = default;
    virtual double segments() const = 0;
    virtual void acknowledged(const SimAck &ack) = 0;
    virtual void lost() = 0;
    virtual void timed_out(bool again) = 0; /* again: before a loss was repaired */
    /* Nothing was lost: as before the last lost() or timed_out(false). */
    virtual void undo() = 0;

    /* Segments per second; 0 = not paced. */
    virtual double pace() const
    {
        return 0;
    }
};

/* "reno", "cubic" or "bbr". */
std::unique_ptr<SimWindow> make_window(const std::string &name);

} // namespace scenario

#endif
