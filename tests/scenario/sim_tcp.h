/* SPDX-License-Identifier: MIT */
/*
 * A TCP byte stream in virtual time, one direction, after today's Linux as far as policies can
 * tell: the window of NewReno, CUBIC or BBR, SACK, loss found by time (RACK), tail loss probe,
 * retransmission timer, ACK for every segment, Nagle off, in-order delivery. No flow control:
 * receivers read at once, unless told to stop.
 */
#ifndef LT_SCENARIO_SIM_TCP_H
#define LT_SCENARIO_SIM_TCP_H

#include "sim_path.h"
#include "sim_window.h"

#include <livetcp/engine.h>
#include <livetcp/policy.h>

#include <deque>
#include <map>
#include <set>
#include <vector>

namespace scenario
{

class SimTcp
{
  public:
    using Bytes = std::vector<uint8_t>;

    static constexpr size_t mss = 1448;
    static constexpr size_t headers = 52; /* IP, TCP with timestamps */

    /* `filter`: of what is written here, and read at the other end. */
    SimTcp(World &world, SimLink &data, SimLink &acks, size_t send_buffer,
           const std::string &congestion_control = "reno", const SimFilter &filter = {});
    ~SimTcp();

    /* In-order bytes at the receiver. */
    std::function<void(const Bytes &)> on_data;
    /* The send buffer has room again, after write() took less than all. */
    std::function<void()> on_writable;

    /* When a byte passed that was written with `stamp`: as Linux tells, in a task of its own. */
    std::function<void(const livetcp_tx_timestamp &)> on_stamp;

    /* Returns the bytes taken: 0 when the send buffer is full. `stamp`: when the last of them
     * passes is told. With a filter, every write is a record of its own, which is taken whole. */
    size_t write(const uint8_t *data, size_t size, bool stamp = false);

    /* Bytes taken so far. */
    uint64_t written() const
    {
        return next_ + unsent_.size();
    }

    /* While on_data runs: when that came, as Linux tells, which forgets all but the newest of what
     * had to wait. */
    livetcp_rx_timestamp read_stamp() const
    {
        return read_stamp_;
    }

    /* Receiver stops reading and acknowledging what it has no room for (the window closes). */
    void stop_reading();

    livetcp_path facts() const;

    /* As in Linux the handshake gave the first sample; with a lost SYN-ACK, timeout included. */
    void shook_hands(livetcp_usec rtt);

    /* The next acknowledgement is taken for that of a packet of so long ago: as in Linux, where the
     * peer's packet is the first after an outage, and acknowledges what had come before. */
    void mistake(livetcp_usec rtt)
    {
        mistake_us_ = rtt;
    }

  private:
    struct Segment {
        Bytes bytes;
        livetcp_usec sent_us = 0, delivered_us = 0; /* when the last one was delivered, then, */
        uint64_t delivered = 0;                     /*   and so many were */
        bool application_limited = false;
        bool retransmitted = false, sacked = false, lost = false;
    };

    /* Sender. */
    void transmit_allowed();
    void transmit(uint64_t sequence, Segment &segment);
    void note_sent(uint64_t sequence, size_t size, bool first);
    void note_acknowledged();
    void tell(livetcp_tx_timestamp_kind kind, uint64_t byte);
    /* Contents of an acknowledgement. */
    struct Told {
        uint64_t cumulative, arrived; /* all before this, and the segment that begins there */
        bool again;                   /* which had arrived before (D-SACK) */
        livetcp_usec echo_us;         /* the timestamp that it echoes */
    };
    void acknowledged(const Told &told);
    void measure(const Told &told);
    bool is_spurious(const Told &told, bool progress) const;
    void undo();
    void add_rtt(livetcp_usec rtt);
    SimAck ack_of(const Segment &segment);
    bool may_transmit();
    void find_losses();
    void begin_repair(livetcp_tcp_state state);
    void enter_recovery();
    void note_resent();
    void arm_timer();
    void timer_fired();
    size_t in_flight() const;
    void look_whether_limited();
    livetcp_usec retransmission_timeout() const;

    /* Receiver. */
    void segment_arrived(uint64_t sequence, const Bytes &bytes, livetcp_usec sent_us);
    Bytes open_records(const Bytes &bytes);

    World &world_;
    SimLink &data_, &acks_;
    const size_t send_buffer_;
    const SimFilter filter_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

    std::deque<uint8_t> unsent_;
    std::map<uint64_t, Segment> outstanding_; /* by first byte */
    uint64_t next_ = 0, unacknowledged_ = 0, recovery_end_ = 0;
    size_t queued_ = 0;
    bool writer_waits_ = false;
    std::unique_ptr<SimWindow> window_;
    livetcp_usec resent_us_ = LIVETCP_NEVER; /* first retransmission of this recovery */
    unsigned to_undo_ = 0;                   /* retransmissions in it, less those told of twice */
    livetcp_usec paced_us_ = 0;              /* nothing is sent before */
    World::Ticket pacer_ = 0;
    uint64_t delivered_ = 0, round_end_ = 0; /* segments */
    uint64_t limited_ = 0; /* until so many are delivered, the application is the limit; 0 = not */
    livetcp_usec delivered_us_ = 0;
    livetcp_tcp_state state_ = LIVETCP_TCP_OPEN;
    livetcp_usec srtt_ = 0, rttvar_ = 0, min_rtt_ = 0, newest_delivered_ = INT64_MIN;
    livetcp_usec mistake_us_ = 0;
    unsigned backoff_ = 0;
    bool probed_ = false;
    World::Ticket timer_ = 0;
    uint64_t retransmits_ = 0;
    std::set<uint64_t> to_stamp_; /* positions */

    struct Arrived {
        Bytes bytes;
        livetcp_usec at;
    };
    std::map<uint64_t, Arrived> out_of_order_;
    Bytes record_;        /* begun */
    bool waited_ = false; /* some had to, since the last that was read late */
    livetcp_rx_timestamp read_stamp_ = {};
    uint64_t expected_ = 0;
    livetcp_usec recent_us_ = 0; /* timestamp of the last segment without a gap before it */
    bool reading_ = true;
};

} // namespace scenario

#endif
