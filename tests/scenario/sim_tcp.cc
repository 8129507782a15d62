/* SPDX-License-Identifier: MIT */
#include "sim_tcp.h"

#include <algorithm>
#include <utility>

namespace scenario
{

/* TCP_TIMEOUT_MIN: what the kernel adds to short timers, two ticks of 4 ms. */
static const livetcp_usec ticks_us = 8000;

SimTcp::SimTcp(World &world, SimLink &data, SimLink &acks, size_t send_buffer,
               const std::string &congestion_control, const SimFilter &filter, bool ecn)
    : world_(world), data_(data), acks_(acks), send_buffer_(send_buffer), filter_(filter),
      window_(make_window(congestion_control)), data_flow_(data.new_flow()),
      acks_flow_(acks.new_flow()), ecn_(ecn)
{
}

SimTcp::~SimTcp()
{
    abandon();
}

void SimTcp::abandon()
{
    *alive_ = false; /* packets still under way find nobody */
    world_.cancel(timer_);
    world_.cancel(pacer_);
    timer_ = pacer_ = 0;
}

size_t SimTcp::write(const uint8_t *data, size_t size, bool stamp, bool more)
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
    held_ = more;
    if (!more)
        transmit_allowed();
    return taken;
}

void SimTcp::flush()
{
    if (std::exchange(held_, false))
        transmit_allowed();
}

/* Linux's tcp_rate_check_app_limited(): what is under way when the application writes the next
 * bytes to an idle socket, and those bytes, show no rate of the path. */
void SimTcp::look_whether_limited()
{
    bool all_sent = unsent_.size() < mss;
    for (const auto &[sequence, segment] : outstanding_)
        all_sent = all_sent && !segment.lost;
    if (all_sent && in_flight() < static_cast<size_t>(window_->segments()))
        limit_rate();
}

void SimTcp::limit_rate()
{
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
    if (!std::exchange(sends_new_, false) || unsent_.empty())
        retransmit_allowed();
    bool waits = !unsent_.empty(), some = false;
    while (!unsent_.empty() && may_transmit()) {
        send_next();
        some = true;
    }
    if (waits && (some || in_flight() >= static_cast<size_t>(window_->segments())))
        tell_window(some, true);
    arm_timer();
}

void SimTcp::retransmit_allowed()
{
    for (auto &[sequence, segment] : outstanding_) {
        if (!segment.lost || segment.sacked)
            continue;
        if (!may_transmit())
            break;
        send_again(sequence, segment);
        if (sequence == unacknowledged_)
            timer_from_us_ = world_.now();
    }
}

void SimTcp::send_again(uint64_t sequence, Segment &segment)
{
    segment.lost = false;
    note_resent();
    transmit_again(sequence, segment);
    tell_window(true, false);
}

void SimTcp::transmit_again(uint64_t sequence, Segment &segment)
{
    segment.retransmitted = true;
    retransmits_++;
    note_sent(sequence, segment.bytes.size(), false);
    transmit(sequence, segment);
}

void SimTcp::send_next()
{
    size_t size = std::min(mss, unsent_.size());
    if (outstanding_.empty()) {
        livetcp_usec timeout = retransmission_timeout();
        if (srtt_ && newest_us_ && world_.now() - newest_us_ > timeout)
            window_->idled(static_cast<unsigned>((world_.now() - newest_us_) / timeout));
        if (limited_)
            window_->restarts();
        timer_from_us_ = world_.now();
    }
    Segment &segment = outstanding_[next_];
    segment.bytes.assign(unsent_.begin(), unsent_.begin() + static_cast<ptrdiff_t>(size));
    unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<ptrdiff_t>(size));
    note_sent(next_, size, true);
    transmit(next_, segment);
    next_ += size;
    newest_us_ = probe_from_us_ = world_.now();
}

void SimTcp::tell_window(bool sent, bool fresh)
{
    window_->sent({unacknowledged_, next_, sent ? 1.0 : 0.0,
                   static_cast<double>(outstanding_.size()), static_cast<double>(in_flight()),
                   fresh});
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
    bool fresh = !segment.retransmitted;
    bool answers = fresh && std::exchange(answers_, false);
    size_t size = segment.bytes.size() + headers;
    auto arrive = [this, alive = alive_, sequence, bytes = segment.bytes, sent_us = segment.sent_us,
                   answers](bool marked) {
        if (!*alive)
            return;
        echoes_ = marked || (echoes_ && !answers);
        segment_arrived(sequence, bytes, sent_us);
    };
    if (ecn_ && fresh) /* RFC 3168, section 6.1.5 */
        data_.send_markable(size, std::move(arrive), data_flow_);
    else
        data_.send(
            size, [arrive] { arrive(false); }, data_flow_);
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
    acks_.send(
        headers,
        [this, alive = alive_,
         told = Told{expected_, blocks(sequence), again, echoes_, recent_us_}] {
            if (*alive)
                acknowledged(told);
        },
        acks_flow_);
    if (!ready.empty() && world_.now() - read_stamp_.at_us > 1000) {
        read_stamp_.repaired = waited_;
        waited_ = false;
    }
    if (filter_.overhead(0))
        ready = open_records(ready);
    if (!ready.empty() && on_data)
        on_data(ready);
}

/* Of what came behind a gap: where `sequence` is, and two that were told of before (RFC 2018). */
SimTcp::Blocks SimTcp::blocks(uint64_t sequence)
{
    Blocks blocks;
    if (sequence > expected_)
        recent_blocks_.push_front(sequence);
    for (auto at = recent_blocks_.begin(); at != recent_blocks_.end() && blocks.size() < 3;) {
        auto middle = out_of_order_.find(*at);
        bool told = false;
        for (const auto &[begin, end] : blocks)
            told = told || (*at >= begin && *at < end);
        if (told || middle == out_of_order_.end()) {
            at = recent_blocks_.erase(at);
            continue;
        }
        uint64_t begin = *at, end = begin;
        for (auto next = middle; next != out_of_order_.end() && next->first == end; next++)
            end += next->second.bytes.size();
        for (auto prior = middle; prior != out_of_order_.begin();) {
            prior--;
            if (prior->first + prior->second.bytes.size() != begin)
                break;
            begin = prior->first;
        }
        blocks.push_back({begin, end});
        at++;
    }
    recent_blocks_.resize(std::min(recent_blocks_.size(), blocks.size()));
    return blocks;
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

bool SimTcp::tells_of(const Told &told, uint64_t sequence)
{
    if (sequence < told.cumulative)
        return true;
    for (const auto &[begin, end] : told.blocks)
        if (sequence >= begin && sequence < end)
            return true;
    return false;
}

/* Linux takes the round trip of the first segment that is newly acknowledged, and none if one of
 * them was sent again; else that of the one that is newly SACKed, else by the echoed timestamp
 * (tcp_clean_rtx_queue(), tcp_ack_update_rtt()). So where an acknowledgement was lost, the next one
 * seems to be of a path that is longer by the time between the two. */
void SimTcp::measure(const Told &told)
{
    const Segment *first = nullptr, *sacked = nullptr;
    bool again = false;

    for (const auto &[sequence, segment] : outstanding_) {
        if (segment.sacked || !tells_of(told, sequence)) {
            again |= sequence < told.cumulative && segment.retransmitted;
            continue;
        }
        if (sequence < told.cumulative) {
            again |= segment.retransmitted;
            if (!first && !segment.retransmitted)
                first = &segment;
        } else if (!sacked && !segment.retransmitted) {
            sacked = &segment;
        }
    }
    first = again ? nullptr : first;
    first = first ? first : sacked;
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
SimAck SimTcp::take(const Told &told)
{
    SimAck ack = {};
    const Segment *newest = nullptr;
    for (auto &[sequence, segment] : outstanding_) {
        if (segment.sacked || !tells_of(told, sequence))
            continue;
        segment.sacked = true;
        delivered_++;
        ack.delivered++;
        if (!segment.retransmitted) {
            ack.rtt = world_.now() - segment.sent_us;
            original_ = original_ || sequence < recovery_end_;
            reorders_ = reorders_ || Sent{segment.sent_us, sequence} < newest_delivered_;
        }
        note_delivered(sequence, segment);
        if (!newest || segment.delivered >= newest->delivered)
            newest = &segment;
    }
    if (!newest)
        return ack;
    livetcp_usec since = std::max(world_.now() - newest->delivered_us, min_rtt_);
    delivered_us_ = world_.now();
    if (delivered_ > limited_)
        limited_ = 0;
    ack.rate = since > 0 ? static_cast<double>(delivered_ - newest->delivered) * 1e6 /
                               static_cast<double>(since)
                         : 0;
    ack.application_limited = newest->application_limited;
    ack.round = newest->delivered >= round_end_;
    if (ack.round)
        round_end_ = delivered_;
    return ack;
}

/* tcp_rack_advance(). That of a segment sent again so lately may be of the first. */
void SimTcp::note_delivered(uint64_t sequence, const Segment &segment)
{
    livetcp_usec rtt = world_.now() - segment.sent_us;
    if (segment.retransmitted && rtt < min_rtt_)
        return;
    rack_rtt_ = rtt;
    newest_delivered_ = std::max(newest_delivered_, Sent{segment.sent_us, sequence});
}

/* Nothing was lost: the acknowledgement is of a segment that was sent before all that were sent
 * again (RFC 3522), or all of these have arrived twice (RFC 3708, as Linux's tcp_may_undo()). */
bool SimTcp::is_spurious(const Told &told, bool progress) const
{
    if (state_ == LIVETCP_TCP_TIMEOUT && frto_ && original_)
        return true;
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
    frto_ = false;
}

void SimTcp::acknowledged(const Told &told)
{
    bool progress = told.cumulative > unacknowledged_;
    measure(told);
    if (told.again && to_undo_)
        to_undo_--;
    original_ = false;
    SimAck ack = take(told);
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
        timer_from_us_ = probe_from_us_ = world_.now();
        end_probe(told);
    }
    if (is_spurious(told, progress))
        undo();
    else if (state_ == LIVETCP_TCP_TIMEOUT && progress && frto_)
        send_new_for_frto();
    if (told.marked)
        marked_ += static_cast<uint64_t>(ack.delivered);
    ack.lost = find_losses();
    if (told.marked)
        heed_mark();
    end_reduction();
    if (state_ >= LIVETCP_TCP_RECOVERY && unacknowledged_ >= recovery_end_) {
        state_ = LIVETCP_TCP_OPEN;
        window_->recovered();
    }
    if (state_ <= LIVETCP_TCP_DISORDER)
        state_ = sacked() ? LIVETCP_TCP_DISORDER : LIVETCP_TCP_OPEN;
    ack.now = world_.now();
    ack.min_rtt = min_rtt_;
    ack.advanced = progress;
    ack.in_flight = static_cast<double>(in_flight());
    window_->acknowledged(ack);
    if (window_->hides_rate())
        limit_rate();
    transmit_allowed();
    if (writer_waits_ && queued_ < send_buffer_ / 3 * 2) {
        writer_waits_ = false;
        if (on_writable)
            on_writable();
    }
}

/* F-RTO's second step (RFC 5682, section 3.1): the first progress after a timeout sends new data.
 */
void SimTcp::send_new_for_frto()
{
    frto_ = false;
    if (unsent_.empty() || unacknowledged_ >= recovery_end_)
        return;
    sends_new_ = true;
    recovery_end_ = next_;
}

/* What the tail loss probe repaired was a loss, too (tcp_process_tlp_ack()). */
void SimTcp::end_probe(const Told &told)
{
    if (!probe_end_ || told.cumulative < probe_end_)
        return;
    if (probe_again_ && !told.again && told.cumulative > probe_end_ &&
        state_ <= LIVETCP_TCP_DISORDER) {
        window_->lost();
        window_->recovered();
    }
    probe_end_ = 0;
}

size_t SimTcp::sacked() const
{
    return std::count_if(outstanding_.begin(), outstanding_.end(),
                         [](const auto &entry) { return entry.second.sacked; });
}

/* tcp_rack_reo_wnd() */
livetcp_usec SimTcp::reorder_window() const
{
    if (!reorders_ && (state_ >= LIVETCP_TCP_RECOVERY || sacked() >= 3))
        return 0;
    return std::min(min_rtt_ / 4, srtt_);
}

/* Something that was sent later has arrived. */
bool SimTcp::is_overtaken(uint64_t sequence, const Segment &segment) const
{
    return !segment.sacked && !segment.lost && Sent{segment.sent_us, sequence} < newest_delivered_;
}

/* RACK (RFC 8985): lost is what was sent before something that has arrived, and has had the time of
 * that and some more to arrive itself. Returns how many are. */
unsigned SimTcp::find_losses()
{
    unsigned lost = 0;
    livetcp_usec window = reorder_window();
    for (auto &[sequence, segment] : outstanding_) {
        if (is_overtaken(sequence, segment) &&
            world_.now() >= segment.sent_us + rack_rtt_ + window) {
            segment.lost = true;
            lost++;
        }
    }
    if (lost)
        enter_recovery();
    return lost;
}

void SimTcp::begin_repair(livetcp_tcp_state state)
{
    if (state_ < LIVETCP_TCP_RECOVERY) {
        resent_us_ = LIVETCP_NEVER;
        to_undo_ = 0;
    }
    state_ = state;
    reduces_ = false;
    recovery_end_ = next_;
    probe_end_ = 0;
}

/* tcp_enter_cwr(): once in a round trip, and not while a loss is repaired. */
void SimTcp::heed_mark()
{
    if (state_ >= LIVETCP_TCP_RECOVERY || reduces_)
        return;
    reduces_ = answers_ = true;
    recovery_end_ = next_;
    window_->marked();
}

/* Once the answer has arrived. */
void SimTcp::end_reduction()
{
    if (!reduces_ || unacknowledged_ <= recovery_end_)
        return;
    reduces_ = false;
    window_->recovered();
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

/* tcp_schedule_loss_probe() */
livetcp_usec SimTcp::probe_due() const
{
    livetcp_usec oldest = outstanding_.begin()->second.sent_us;
    livetcp_usec due = probe_from_us_ + 2 * srtt_ + (outstanding_.size() == 1 ? 200000 : ticks_us);
    return std::min(due, std::max(world_.now(), oldest + retransmission_timeout()));
}

void SimTcp::arm_timer()
{
    world_.cancel(timer_);
    timer_ = 0;
    if (outstanding_.empty())
        return;
    livetcp_usec due = timer_from_us_ + retransmission_timeout(), newest = 0;
    probes_ = srtt_ && !probe_end_ && state_ == LIVETCP_TCP_OPEN;
    if (probes_)
        due = probe_due();
    for (const auto &[sequence, segment] : outstanding_)
        if (is_overtaken(sequence, segment))
            newest = std::max(newest, segment.sent_us);
    if (newest)
        due =
            std::min(due, std::max(newest + rack_rtt_ + reorder_window(), world_.now()) + ticks_us);
    timer_ = world_.at(due, [this] { timer_fired(); });
}

void SimTcp::timer_fired()
{
    timer_ = 0;
    bool repairs = state_ >= LIVETCP_TCP_RECOVERY;
    if (unsigned lost = find_losses()) {
        if (!repairs) { /* tcp_rack_reo_timeout() counts what came before as if it came now */
            SimAck ack = {};
            ack.now = world_.now();
            ack.min_rtt = min_rtt_;
            ack.delivered = 1;
            ack.lost = lost;
            ack.in_flight = static_cast<double>(in_flight());
            window_->noticed(ack);
        }
        transmit_allowed();
        return;
    }
    if (probes_ && world_.now() >= probe_due())
        probe();
    else if (!probes_ && world_.now() >= timer_from_us_ + retransmission_timeout())
        time_out();
    transmit_allowed();
}

/* The next segment, or the last once more. */
void SimTcp::probe()
{
    probe_again_ = unsent_.empty();
    if (probe_again_) {
        auto last = std::prev(outstanding_.end());
        transmit_again(last->first, last->second);
    } else {
        send_next();
    }
    probe_end_ = next_;
    timer_from_us_ = world_.now();
}

/* tcp_enter_loss(): what was sent lately may still arrive. */
void SimTcp::time_out()
{
    bool again = state_ >= LIVETCP_TCP_RECOVERY, lowered = again || reduces_;
    frto_ = !again || backoff_;
    begin_repair(LIVETCP_TCP_TIMEOUT);
    for (auto &[sequence, segment] : outstanding_)
        if (!segment.sacked &&
            (sequence == unacknowledged_ || world_.now() >= segment.sent_us + rack_rtt_))
            segment.lost = true;
    window_->timed_out(lowered, static_cast<double>(in_flight()));
    backoff_++;
    timer_from_us_ = world_.now();
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
    if (ecn_) {
        path.known |= LIVETCP_PATH_MARKS;
        path.delivered_segments = delivered_;
        path.marked_segments = marked_;
    }
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
