/* SPDX-License-Identifier: MIT */
/*
 * Congestion controls of Linux's TCP in virtual time, as far as neighbours can tell: NewReno (RFC
 * 6582) and CUBIC (RFC 9438, with its Reno-friendly region and HyStart), whose windows grow only if
 * they are used (RFC 7661 is a relative) and shrink by PRR (RFC 6937), and BBR version 1
 * (draft-cardwell-iccrg-bbr-congestion-control-00: start-up, drain, the gain cycle, PROBE_RTT,
 * recovery).
 */
#ifndef LT_SCENARIO_SIM_WINDOW_H
#define LT_SCENARIO_SIM_WINDOW_H

#include <livetcp/base.h>

#include <memory>
#include <string>

namespace scenario
{

/* News of an acknowledgement. */
struct SimAck {
    livetcp_usec now, rtt, min_rtt; /* rtt: 0 = no sample */
    double delivered, lost;         /* segments that it tells of, or shows to be lost */
    double rate;              /* segments per second delivered while the newest was under way */
    bool application_limited; /* when that was sent */
    bool round;               /* that was sent after the last round ended */
    bool advanced;            /* nothing was missing before it */
    double in_flight;         /* segments, after it */
};

/* A transmission that the present window allowed. */
struct SimSent {
    uint64_t acknowledged, next; /* positions in the stream */
    double segments, outstanding, in_flight;
    bool fresh; /* for the first time */
};

class SimWindow
{
  public:
    virtual ~SimWindow() = default;
    virtual double segments() const = 0;
    virtual void sent(const SimSent &sent) = 0;
    virtual void acknowledged(const SimAck &ack) = 0;
    /* A loss is repaired, until recovered(): a recovery, in which acknowledged() decides what may
     * be sent, or after a timeout. */
    virtual void lost() = 0;
    /* A queue has marked a segment; until recovered(). */
    virtual void marked() = 0;
    /* A loss was found by a timer, after the acknowledgement that showed it. */
    virtual void noticed(const SimAck &ack) = 0;
    /* `again`: before a loss was repaired, or a mark answered. */
    virtual void timed_out(bool again, double in_flight) = 0;
    virtual void recovered() = 0;
    /* Nothing was lost: as before the last lost() or timed_out(false). */
    virtual void undo() = 0;
    /* Nothing was under way for so many retransmission timeouts. */
    virtual void idled(unsigned timeouts) = 0;

    /* Nothing is under way, as the application had nothing to send. */
    virtual void restarts()
    {
    }

    /* The window is kept so small that the segments under way show no rate of the path. */
    virtual bool hides_rate() const
    {
        return false;
    }

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
