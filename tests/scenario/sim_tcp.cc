/* SPDX-License-Identifier: MIT */
#include "sim_tcp.h"

#include <algorithm>
#include <utility>

namespace scenario
{

SimTcp::SimTcp(World &world, SimLink &data, SimLink &acks, size_t send_buffer,
               const std::string &congestion_control, const SimFilter &filter)
    : world_(world), data_(data), acks_(acks), send_buffer_(send_buffer), filter_(filter),
      window_(make_window(congestion_control))
{
}

SimTcp::~SimTcp()
{
    *alive_ = false; /* packets still under way find nobody */
    world_.cancel(timer_);
    world_.cancel(pacer_);
}

size_t SimTcp::write(const uint8_t *data, size_t size, bool stamp)
{
    size_t space = send_buffer_ - std::min(send_buffer_, queued_);
    size_t taken = filter_.overhead(size) && space ? size : std::min(size, space);
    size_t overhead = taken ? filter_.overhead(taken) : 0;
    look_whether_limited();
    if (overhead) { /* its bytes do not matter, but for a length */
        unsent_.insert(unsent_.end(),
                       {static_cast<uint8_t>(taken >> 8), static_cast<uint8_t>(taken)});
        unsent_.insert(unsent_.end(), overhead - 2, 0);
    }
    unsent_.insert(unsent_.end(), data, data + taken);
    queued_ += overhead + taken;
    writer_waits_ = taken < size;
    if (stamp && taken)
        to_stamp_.insert(written() - 1);
    transmit_allowed();
    return taken;
}

/* Linux's tcp_rate_check_app_limited(): what is under way when the application writes the next
 * bytes to an idle socket, and those bytes, show no rate of the path. */
void SimTcp::look_whether_limited()
{
    bool all_sent = unsent_.size() < mss;
    for (const auto &[sequence, segment] : outstanding_)
        all_sent = all_sent && !segment.lost;
    if (all_sent && in_flight() < static_cast<size_t>(window_->segments()))
        limited_ = std::max<uint64_t>(delivered_ + in_flight(), 1);
}

size_t SimTcp::in_flight() const
{
    return std::count_if(outstanding_.begin(), outstanding_.end(), [](const auto &entry) {
        return !entry.second.sacked && !entry.second.lost;
    });
}

/* Within the window, and not before the pacer's time. */
bool SimTcp::may_transmit()
{
    if (in_flight() >= static_cast<size_t>(window_->segments()))
        return false;
    if (window_->pace() <= 0 || world_.now() >= paced_us_)
        return true;
    if (!pacer_)
        pacer_ = world_.at(paced_us_, [this] {
            pacer_ = 0;
            transmit_allowed();
        });
    return false;
}

void SimTcp::transmit_allowed()
{
    for (auto &[sequence, segment] : outstanding_) {
        if (!segment.lost || segment.sacked)
            continue;
        if (!may_transmit())
            break;
        segment.lost = false;
        segment.retransmitted = true;
        retransmits_++;
        note_sent(sequence, segment.bytes.size(), false);
        note_resent();
        transmit(sequence, segment);
    }
    while (!unsent_.empty() && may_transmit()) {
        size_t size = std::min(mss, unsent_.size());
        Segment &segment = outstanding_[next_];
        segment.bytes.assign(unsent_.begin(), unsent_.begin() + static_cast<ptrdiff_t>(size));
        unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<ptrdiff_t>(size));
        note_sent(next_, size, true);
        transmit(next_, segment);
        next_ += size;
    }
    arm_timer();
}

/* ---- timestamps ---- */

void SimTcp::tell(livetcp_tx_timestamp_kind kind, uint64_t byte)
{
    livetcp_tx_timestamp stamp = {kind, static_cast<uint32_t>(byte), world_.now()};
    world_.at(world_.now(), [this, alive = alive_, stamp] {
        if (*alive && on_stamp)
            on_stamp(stamp);
    });
}

/* A segment has room for one position: the last that was asked about. */
void SimTcp::note_sent(uint64_t sequence, size_t size, bool first)
{
    auto begin = to_stamp_.lower_bound(sequence), end = to_stamp_.lower_bound(sequence + size);
    if (begin == end)
        return;
    uint64_t byte = *std::prev(end);
    to_stamp_.erase(begin, std::prev(end));
    if (first)
        tell(LIVETCP_TX_SCHEDULED, byte);
    tell(LIVETCP_TX_SENT, byte);
}

void SimTcp::note_acknowledged()
{
    while (!to_stamp_.empty() && *to_stamp_.begin() < unacknowledged_) {
        tell(LIVETCP_TX_ACKNOWLEDGED, *to_stamp_.begin());
        to_stamp_.erase(to_stamp_.begin());
    }
}

/* ---- on the wire ---- */

void SimTcp::transmit(uint64_t sequence, Segment &segment)
{
    if (!in_flight())
        delivered_us_ = world_.now();
    segment.sent_us = world_.now();
    segment.delivered = delivered_;
    segment.delivered_us = delivered_us_;
    segment.application_limited = limited_ > 0;
    if (window_->pace() > 0)
        paced_us_ = std::max(paced_us_, world_.now()) +
                    static_cast<livetcp_usec>(1e6 / window_->pace() *
                                              static_cast<double>(segment.bytes.size()) / mss);
    data_.send(segment.bytes.size() + headers,
               [this, alive = alive_, sequence, bytes = segment.bytes, sent_us = segment.sent_us] {
                   if (*alive)
                       segment_arrived(sequence, bytes, sent_us);
               });
}

void SimTcp::segment_arrived(uint64_t sequence, const Bytes &bytes, livetcp_usec sent_us)
{
    bool again = sequence < expected_ || out_of_order_.count(sequence);
    if (!reading_)
        return;
    if (sequence <= expected_)
        recent_us_ = sent_us;
    if (sequence >= expected_)
        out_of_order_.insert({sequence, {bytes, world_.now()}}); /* a copy brings nothing */
    waited_ = waited_ || sequence > expected_;
    Bytes ready;
    for (auto next = out_of_order_.find(expected_); next != out_of_order_.end();
         next = out_of_order_.find(expected_)) {
        expected_ += next->second.bytes.size();
        ready.insert(ready.end(), next->second.bytes.begin(), next->second.bytes.end());
        read_stamp_ = {true, false, next->second.at};
        out_of_order_.erase(next);
    }
    acks_.send(headers,
               [this, alive = alive_, told = Told{expected_, sequence, again, recent_us_}] {
                   if (*alive)
                       acknowledged(told);
               });
    if (!ready.empty() && world_.now() - read_stamp_.at_us > 1000) {
        read_stamp_.repaired = waited_;
        waited_ = false;
    }
    if (filter_.overhead(0))
        ready = open_records(ready);
    if (!ready.empty() && on_data)
        on_data(ready);
}

/* Nothing of a record can be read before all of it has come. */
SimTcp::Bytes SimTcp::open_records(const Bytes &bytes)
{
    Bytes plain;
    record_.insert(record_.end(), bytes.begin(), bytes.end());
    while (record_.size() >= 2) {
        size_t size = static_cast<size_t>(record_[0]) << 8 | record_[1];
        size_t overhead = filter_.overhead(size);
        if (record_.size() < overhead + size)
            break;
        auto begin = record_.begin() + static_cast<ptrdiff_t>(overhead);
        auto end = begin + static_cast<ptrdiff_t>(size);
        plain.insert(plain.end(), begin, end);
        record_.erase(record_.begin(), end);
    }
    return plain;
}

void SimTcp::stop_reading()
{
    reading_ = false;
}

/* Linux takes the round trip of the first segment that is newly acknowledged, and none if one of
 * them was sent again; else that of the one that is newly SACKed, else by the echoed timestamp
 * (tcp_clean_rtx_queue(), tcp_ack_update_rtt()). So where an acknowledgement was lost, the next one
 * seems to be of a path that is longer by the time between the two. */
void SimTcp::measure(const Told &told)
{
    const Segment *first = nullptr;
    bool again = false;

    for (auto at = outstanding_.begin(); at != outstanding_.end() && at->first < told.cumulative;
         at++) {
        again |= at->second.retransmitted;
        if (!first && !at->second.retransmitted && !at->second.sacked)
            first = &at->second;
    }
    first = again ? nullptr : first;
    auto found = outstanding_.find(told.arrived);
    if (!first && told.arrived >= told.cumulative && found != outstanding_.end() &&
        !found->second.sacked && !found->second.retransmitted)
        first = &found->second;
    if (first)
        add_rtt(world_.now() - first->sent_us);
    else if (told.cumulative > unacknowledged_)
        add_rtt((world_.now() - told.echo_us) / 1000 * 1000);
}

void SimTcp::shook_hands(livetcp_usec rtt)
{
    add_rtt(rtt);
}

/* RFC 6298. */
void SimTcp::add_rtt(livetcp_usec rtt)
{
    if (!min_rtt_ || rtt < min_rtt_)
        min_rtt_ = rtt;
    if (!srtt_) {
        srtt_ = rtt;
        rttvar_ = rtt / 2;
        return;
    }
    rttvar_ += (std::abs(rtt - srtt_) - rttvar_) / 4;
    srtt_ += (rtt - srtt_) / 8;
}

/* Delivery rate samples as in draft-cheng-iccrg-delivery-rate-estimation. */
SimAck SimTcp::ack_of(const Segment &segment)
{
    SimAck ack = {};
    livetcp_usec since = std::max(world_.now() - segment.delivered_us, min_rtt_);
    delivered_++;
    delivered_us_ = world_.now();
    if (delivered_ > limited_)
        limited_ = 0;
    ack.rtt = segment.retransmitted ? 0 : world_.now() - segment.sent_us;
    ack.rate = since > 0 ? static_cast<double>(delivered_ - segment.delivered) * 1e6 /
                               static_cast<double>(since)
                         : 0;
    ack.application_limited = segment.application_limited;
    ack.round = segment.delivered >= round_end_;
    if (ack.round)
        round_end_ = delivered_;
    return ack;
}

/* Nothing was lost: the acknowledgement is of a segment that was sent before all that were sent
 * again (RFC 3522), or all of these have arrived twice (RFC 3708, as Linux's tcp_may_undo()). */
bool SimTcp::is_spurious(const Told &told, bool progress) const
{
    return state_ >= LIVETCP_TCP_RECOVERY && resent_us_ != LIVETCP_NEVER &&
           ((progress && told.echo_us < resent_us_) || (told.again && !to_undo_));
}

void SimTcp::undo()
{
    for (auto &entry : outstanding_)
        entry.second.lost = false;
    window_->undo();
    state_ = LIVETCP_TCP_OPEN;
    resent_us_ = LIVETCP_NEVER;
}

void SimTcp::acknowledged(const Told &told)
{
    SimAck ack = {};
    bool limited = in_flight() + 1 >= static_cast<size_t>(window_->segments());
    measure(told);
    if (told.again && to_undo_)
        to_undo_--;
    auto found = outstanding_.find(told.arrived);
    if (found != outstanding_.end() && !found->second.sacked) {
        ack = ack_of(found->second);
        found->second.sacked = true;
        newest_delivered_ = std::max(newest_delivered_, found->second.sent_us);
    }
    bool progress = told.cumulative > unacknowledged_;
    if (is_spurious(told, progress))
        undo();
    if (progress && mistake_us_)
        add_rtt(std::exchange(mistake_us_, 0));
    while (!outstanding_.empty() && outstanding_.begin()->first < told.cumulative) {
        queued_ -= outstanding_.begin()->second.bytes.size();
        outstanding_.erase(outstanding_.begin());
    }
    unacknowledged_ = std::max(unacknowledged_, told.cumulative);
    note_acknowledged();
    if (progress) {
        backoff_ = 0;
        probed_ = false;
    }
    if (state_ >= LIVETCP_TCP_RECOVERY && unacknowledged_ >= recovery_end_)
        state_ = LIVETCP_TCP_OPEN;
    ack.now = world_.now();
    ack.min_rtt = min_rtt_;
    ack.limited = limited;
    ack.progress = progress;
    ack.recovering = state_ == LIVETCP_TCP_RECOVERY;
    ack.in_flight = static_cast<double>(in_flight());
    window_->acknowledged(ack);
    find_losses();
    transmit_allowed();
    if (writer_waits_ && queued_ < send_buffer_ / 3 * 2) {
        writer_waits_ = false;
        if (on_writable)
            on_writable();
    }
}

/* RACK (RFC 8985): lost is what was sent before something that has arrived, and has had a quarter
 * of a round trip more than that to arrive itself. */
void SimTcp::find_losses()
{
    bool lost_some = false;
    for (auto &entry : outstanding_) {
        Segment &segment = entry.second;
        if (segment.sacked || segment.lost || segment.sent_us >= newest_delivered_)
            continue;
        if (world_.now() >= segment.sent_us + srtt_ + srtt_ / 4)
            segment.lost = lost_some = true;
        else if (state_ == LIVETCP_TCP_OPEN)
            state_ = LIVETCP_TCP_DISORDER;
    }
    if (lost_some)
        enter_recovery();
}

void SimTcp::begin_repair(livetcp_tcp_state state)
{
    if (state_ < LIVETCP_TCP_RECOVERY) {
        resent_us_ = LIVETCP_NEVER;
        to_undo_ = 0;
    }
    state_ = state;
    recovery_end_ = next_;
}

void SimTcp::enter_recovery()
{
    if (state_ >= LIVETCP_TCP_RECOVERY)
        return;
    begin_repair(LIVETCP_TCP_RECOVERY);
    window_->lost();
}

void SimTcp::note_resent()
{
    resent_us_ = std::min(resent_us_, world_.now());
    to_undo_++;
}

livetcp_usec SimTcp::retransmission_timeout() const
{
    livetcp_usec base = srtt_ ? srtt_ + std::max<livetcp_usec>(200000, 4 * rttvar_) : 1000000;
    return base << std::min(backoff_, 8u);
}

void SimTcp::arm_timer()
{
    world_.cancel(timer_);
    timer_ = 0;
    livetcp_usec oldest = LIVETCP_NEVER, newest = INT64_MIN, reorder = LIVETCP_NEVER;
    for (const auto &entry : outstanding_) {
        const Segment &segment = entry.second;
        if (segment.sacked)
            continue;
        oldest = std::min(oldest, segment.sent_us);
        newest = std::max(newest, segment.sent_us);
        if (!segment.lost && segment.sent_us < newest_delivered_)
            reorder = std::min(reorder, segment.sent_us + srtt_ + srtt_ / 4);
    }
    if (oldest == LIVETCP_NEVER)
        return;
    livetcp_usec due = oldest + retransmission_timeout();
    if (srtt_ && !probed_ && state_ <= LIVETCP_TCP_DISORDER)
        due = std::min(due, newest + 2 * srtt_ + (in_flight() == 1 ? 40000 : 2000));
    timer_ = world_.at(std::min(due, reorder), [this] { timer_fired(); });
}

void SimTcp::timer_fired()
{
    timer_ = 0;
    size_t flying = in_flight();
    find_losses();
    if (in_flight() < flying) {
        transmit_allowed();
        return;
    }
    livetcp_usec oldest = LIVETCP_NEVER;
    for (const auto &entry : outstanding_)
        if (!entry.second.sacked)
            oldest = std::min(oldest, entry.second.sent_us);
    if (oldest != LIVETCP_NEVER && world_.now() >= oldest + retransmission_timeout()) {
        window_->timed_out(state_ >= LIVETCP_TCP_RECOVERY);
        begin_repair(LIVETCP_TCP_TIMEOUT);
        backoff_++;
        for (auto &entry : outstanding_)
            entry.second.lost = !entry.second.sacked;
    } else if (!probed_ && !outstanding_.empty()) {
        probed_ = true; /* tail loss probe: the last segment once more */
        auto last = std::prev(outstanding_.end());
        last->second.retransmitted = true;
        retransmits_++;
        note_sent(last->first, last->second.bytes.size(), false);
        transmit(last->first, last->second);
    }
    transmit_allowed();
}

livetcp_path SimTcp::facts() const
{
    livetcp_path path = {};
    path.known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_TCP_STATE |
                 LIVETCP_PATH_CWND | LIVETCP_PATH_MSS | LIVETCP_PATH_RETRANSMITS |
                 LIVETCP_PATH_SACKED;
    path.queued_bytes = static_cast<uint32_t>(queued_);
    path.unsent_bytes = static_cast<uint32_t>(unsent_.size());
    path.tcp_state = state_;
    path.cwnd_bytes = static_cast<uint32_t>(window_->segments() * mss);
    path.mss_bytes = mss;
    for (const auto &entry : outstanding_)
        if (entry.second.sacked)
            path.sacked_bytes += static_cast<uint32_t>(entry.second.bytes.size());
    path.retransmitted_segments = retransmits_;
    if (srtt_) {
        path.known |= LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT | LIVETCP_PATH_RTO;
        path.min_rtt_us = min_rtt_;
        path.rtt_us = srtt_;
        path.rtt_variation_us = rttvar_;
        path.rto_us = retransmission_timeout();
    }
    return path;
}

} // namespace scenario
