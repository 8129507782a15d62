/* SPDX-License-Identifier: MIT */
/*
 * A TCP byte stream in virtual time, one direction, after Linux 6.18 as far as policies can tell:
 * the window of NewReno, CUBIC or BBR, SACK, loss found by time (RACK), tail loss probe,
 * retransmission timer and F-RTO, reductions that are undone where nothing was lost, ECN marks
 * (RFC 3168), ACK for every segment, Nagle off, in-order delivery. No flow control: receivers read
 * at once, unless told to stop. test_sim_tcp.cc holds it to what was measured over sockets.
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
           const std::string &congestion_control = "reno", const SimFilter &filter = {},
           bool ecn = false);
    ~SimTcp();

    /* In-order bytes at the receiver. */
    std::function<void(const Bytes &)> on_data;
    /* The send buffer has room again, after write() took less than all. */
    std::function<void()> on_writable;

    /* When a byte passed that was written with `stamp`: as Linux tells, in a task of its own. */
    std::function<void(const livetcp_tx_timestamp &)> on_stamp;

    /* Returns the bytes taken: 0 when the send buffer is full. `stamp`: when the last of them
     * passes is told. `more`: sent together with what follows, or by flush(). With a filter, every
     * write is a record of its own, which is taken whole. */
    size_t write(const uint8_t *data, size_t size, bool stamp = false, bool more = false);
    void flush();

    /* The kernel forgets the stream: nothing is sent any more, and what arrives is ignored. */
    void abandon();

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
    void retransmit_allowed();
    void send_again(uint64_t sequence, Segment &segment);
    void transmit_again(uint64_t sequence, Segment &segment);
    void send_next();
    void tell_window(bool sent, bool fresh);
    void transmit(uint64_t sequence, Segment &segment);
    void note_sent(uint64_t sequence, size_t size, bool first);
    void note_acknowledged();
    void tell(livetcp_tx_timestamp_kind kind, uint64_t byte);
    /* Contents of an acknowledgement. */
    using Blocks = std::vector<std::pair<uint64_t, uint64_t>>;
    struct Told {
        uint64_t cumulative;  /* all before this, */
        Blocks blocks;        /*   and these */
        bool again;           /* what arrived had arrived before (D-SACK) */
        bool marked;          /* a mark has come, and no answer to it yet (ECE) */
        livetcp_usec echo_us; /* the timestamp that it echoes */
    };
    void acknowledged(const Told &told);
    static bool tells_of(const Told &told, uint64_t sequence);
    void measure(const Told &told);
    SimAck take(const Told &told);
    void note_delivered(uint64_t sequence, const Segment &segment);
    bool is_spurious(const Told &told, bool progress) const;
    void undo();
    void add_rtt(livetcp_usec rtt);
    bool may_transmit();
    livetcp_usec reorder_window() const;
    bool is_overtaken(uint64_t sequence, const Segment &segment) const;
    unsigned find_losses();
    void begin_repair(livetcp_tcp_state state);
    void enter_recovery();
    void heed_mark();
    void end_reduction();
    void note_resent();
    void arm_timer();
    void timer_fired();
    livetcp_usec probe_due() const;
    void probe();
    void end_probe(const Told &told);
    void time_out();
    void send_new_for_frto();
    size_t in_flight() const;
    size_t sacked() const;
    void look_whether_limited();
    void limit_rate(); /* of all under way */
    livetcp_usec retransmission_timeout() const;

    /* Receiver. */
    void segment_arrived(uint64_t sequence, const Bytes &bytes, livetcp_usec sent_us);
    Blocks blocks(uint64_t sequence);
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
    bool writer_waits_ = false, held_ = false;
    std::unique_ptr<SimWindow> window_;
    uint32_t data_flow_, acks_flow_;         /* for fair queueing */
    livetcp_usec resent_us_ = LIVETCP_NEVER; /* first retransmission of this recovery */
    unsigned to_undo_ = 0;                   /* retransmissions in it, less those told of twice */
    livetcp_usec paced_us_ = 0;              /* nothing is sent before */
    World::Ticket pacer_ = 0;
    uint64_t delivered_ = 0, round_end_ = 0; /* segments */
    uint64_t limited_ = 0; /* until so many are delivered, the application is the limit; 0 = not */
    livetcp_usec delivered_us_ = 0;
    livetcp_tcp_state state_ = LIVETCP_TCP_OPEN;
    livetcp_usec srtt_ = 0, rttvar_ = 0, min_rtt_ = 0;
    using Sent = std::pair<livetcp_usec, uint64_t>; /* when, and what */
    Sent newest_delivered_ = {INT64_MIN, 0};
    livetcp_usec rack_rtt_ = 0;  /* round trip of that */
    bool reorders_ = false;      /* the path was seen to */
    bool frto_ = false;          /* the timeout may have been none */
    bool sends_new_ = false;     /*   which new data is to show now, before anything is repaired */
    bool original_ = false;      /* this acknowledgement is of what was sent once, before it */
    livetcp_usec newest_us_ = 0; /* when the newest segment was sent */
    livetcp_usec timer_from_us_ = 0; /* what the timers count from */
    livetcp_usec probe_from_us_ = 0;
    bool probes_ = false;      /* the timer is that of a tail loss probe, */
    bool probe_again_ = false; /*   which sent what had been sent before; */
    uint64_t probe_end_ = 0;   /*   until all before this is acknowledged, no other; 0: may */
    livetcp_usec mistake_us_ = 0;
    unsigned backoff_ = 0;
    World::Ticket timer_ = 0;
    uint64_t retransmits_ = 0;
    const bool ecn_;
    bool reduces_ = false; /* a mark is answered, until more than recovery_end_ has arrived; */
    bool answers_ = false; /*   the next new segment tells so (CWR) */
    uint64_t marked_ = 0;  /* segments, as Linux's delivered_ce */
    std::set<uint64_t> to_stamp_; /* positions */

    struct Arrived {
        Bytes bytes;
        livetcp_usec at;
    };
    std::map<uint64_t, Arrived> out_of_order_;
    Bytes record_;                       /* begun */
    std::deque<uint64_t> recent_blocks_; /* a position in each */
    bool waited_ = false;                /* some had to, since the last that was read late */
    livetcp_rx_timestamp read_stamp_ = {};
    uint64_t expected_ = 0;
    bool echoes_ = false;        /* a mark, until it is answered */
    livetcp_usec recent_us_ = 0; /* timestamp of the last segment without a gap before it */
    bool reading_ = true;
};

} // namespace scenario

#endif
