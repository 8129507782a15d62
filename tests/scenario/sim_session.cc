/* SPDX-License-Identifier: MIT */
#include "sim_session.h"

extern "C" {
#include "base/bytes.h"
}

#include <algorithm>

namespace scenario
{

livetcp_result SimRandom::fill(void *user, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = static_cast<uint8_t>(lt_rng_next(&static_cast<SimRandom *>(user)->rng));
    return LIVETCP_OK;
}

SimSession::SimSession(World &world, const livetcp_config &config, bool is_caller, uint64_t seed,
                       const livetcp_policy *policy, const livetcp_pending *pending)
    : caller(is_caller), world_(world), split_(config.split)
{
    lt_rng_seed(&random_.rng, seed);
    livetcp_error error = {};
    livetcp_engine_setup setup = {};
    setup.struct_size = sizeof setup;
    setup.config = &config;
    setup.policy = policy;
    setup.pending = pending;
    setup.caller = is_caller;
    setup.random = SimRandom::fill;
    setup.random_user = &random_;
    setup.on_packet = deliver;
    setup.user = this;
    livetcp_result result = livetcp_engine_create(&setup, &engine, &error);
    require(result == LIVETCP_OK, std::string("no session: ") + error.message);
}

SimSession::~SimSession()
{
    world_.cancel(timer_);
    for (auto &socket : sockets_)
        if (socket)
            forget(*socket);
    livetcp_engine_destroy(&engine);
}

void SimSession::deliver(void *user, const livetcp_packet *arrival)
{
    auto *self = static_cast<SimSession *>(user);
    if (self->on_arrival)
        self->on_arrival(*arrival);
    if (arrival->report) {
        self->reports.emplace_back(arrival->data, arrival->data + arrival->size);
        return;
    }
    Received packet = {};
    packet.at = arrival->arrival_us;
    packet.connection = arrival->connection;
    packet.rtcp = arrival->rtcp;
    packet.discontinuity = arrival->discontinuity;
    if (!arrival->rtcp) {
        packet.sequence = lt_read_be16(arrival->data + 2);
        packet.ssrc = lt_read_be32(arrival->data + 8);
        if (arrival->size >= 20)
            packet.delay =
                self->world_.now() - static_cast<livetcp_usec>(lt_read_be64(arrival->data + 12));
    }
    self->received.push_back(packet);
}

livetcp_result SimSession::send(uint32_t ssrc, uint16_t sequence, size_t size)
{
    return send_as(ssrc, sequence, sequence, size, LIVETCP_IMPORTANCE_UNKNOWN);
}

static std::vector<uint8_t> make_rtp(uint32_t ssrc, uint16_t sequence, uint32_t timestamp,
                                     size_t size, livetcp_usec now, bool marker = false)
{
    std::vector<uint8_t> packet(size);
    packet[0] = 0x80;
    packet[1] = marker ? 0x80 | 96 : 96;
    lt_write_be16(&packet[2], sequence);
    lt_write_be32(&packet[4], timestamp);
    lt_write_be32(&packet[8], ssrc);
    if (size >= 20)
        lt_write_be64(&packet[12], static_cast<uint64_t>(now));
    return packet;
}

livetcp_result SimSession::send_repeating(uint32_t ssrc, uint16_t sequence, size_t size,
                                          unsigned repeats)
{
    auto packet = make_rtp(ssrc, sequence, sequence, size, world_.now());
    livetcp_packet_info info = {};
    info.struct_size = sizeof info;
    info.importance = LIVETCP_IMPORTANCE_AUDIO;
    info.repeats = repeats;
    livetcp_result result = livetcp_engine_send(engine, packet.data(), size, &info, now());
    service();
    return result;
}

livetcp_result SimSession::send_as(uint32_t ssrc, uint16_t sequence, uint32_t timestamp,
                                   size_t size, livetcp_importance importance, bool marker)
{
    auto packet = make_rtp(ssrc, sequence, timestamp, size, world_.now(), marker);
    livetcp_packet_info info = {};
    info.struct_size = sizeof info;
    info.importance = importance;
    livetcp_result result = livetcp_engine_send(engine, packet.data(), size, &info, now());
    service();
    return result;
}

livetcp_result SimSession::send_report(uint32_t ssrc)
{
    std::vector<uint8_t> packet(28);
    packet[0] = 0x80;
    packet[1] = 200;
    packet[3] = 6; /* length in words, less one */
    lt_write_be32(&packet[4], ssrc);
    livetcp_result result =
        livetcp_engine_send(engine, packet.data(), packet.size(), nullptr, now());
    service();
    return result;
}

void SimSession::close(livetcp_usec drain_us)
{
    livetcp_engine_close(engine, LIVETCP_ERR_CANCELLED, drain_us, now());
    service();
}

void SimSession::attach(unsigned slot, std::shared_ptr<SimConnection> connection)
{
    sockets_[slot] = connection;
    SimConnection::End &end = caller ? connection->caller : connection->listener;
    end.on_data = [this, slot](const SimTcp::Bytes &bytes) {
        receive(slot, bytes.data(), bytes.size());
    };
    end.on_closed = [this, slot] { lost(slot, LIVETCP_ERR_CONNECTION_LOST); };
    end.on_writable = [this, slot] {
        livetcp_engine_writable(engine, slot);
        service();
    };
}

/* Bytes that others wrote before are not the engine's. */
void SimSession::start_stamps(unsigned slot)
{
    if (!has_stamps || !sockets_[slot]) /* it may be gone again already */
        return;
    SimTcp &out = sockets_[slot]->out(caller);
    livetcp_engine_has_timestamps(engine, slot);
    out.on_stamp = [this, slot, first = out.written()](livetcp_tx_timestamp stamp) {
        stamp.byte -= static_cast<uint32_t>(first);
        if (!on_stamp || on_stamp(stamp))
            livetcp_engine_tx_timestamp(engine, slot, &stamp, now());
    };
}

void SimSession::receive(unsigned slot, const uint8_t *data, size_t size)
{
    livetcp_rx_timestamp stamp = {};
    if (has_stamps && sockets_[slot])
        stamp = sockets_[slot]->in(caller).read_stamp();
    livetcp_engine_receive(engine, slot, data, size, &stamp, now());
    service();
}

void SimSession::forget(SimConnection &connection)
{
    (caller ? connection.caller : connection.listener) = {};
    connection.out(caller).on_stamp = nullptr;
}

void SimSession::lost(unsigned slot, livetcp_result reason)
{
    if (sockets_[slot])
        forget(*sockets_[slot]);
    sockets_[slot] = nullptr;
    livetcp_engine_lost(engine, slot, reason, now());
    service();
}

void SimSession::write_all()
{
    uint32_t wanted = livetcp_engine_wants_path_info(engine, now());
    for (unsigned slot = 0; slot < LIVETCP_MAX_CONNECTIONS; slot++)
        if (wanted >> slot & 1 && sockets_[slot]) {
            livetcp_path facts = sockets_[slot]->out(caller).facts();
            facts.known &= platform_knows;
            livetcp_engine_path_info(engine, slot, &facts, now());
        }
    livetcp_engine_write write;
    while (livetcp_engine_next_write(engine, now(), &write)) {
        require(sockets_[write.connection] != nullptr, "a write to a slot without a connection");
        SimTcp &out = sockets_[write.connection]->out(caller);
        uint64_t before = out.written();
        size_t taken = out.write(write.data, write.size, write.timestamp, may_follow());
        if (taken && on_written)
            on_written(write.connection, write.data, taken);
        if (taken)
            livetcp_engine_wrote_as(engine, write.connection, taken,
                                    static_cast<size_t>(out.written() - before), now());
        if (taken < write.size)
            livetcp_engine_blocked(engine, write.connection);
    }
    for (const auto &socket : sockets_)
        if (socket)
            socket->out(caller).flush();
}

/* As src/io/session_flush.c: what a burst of packets brings to a connection is one write. */
bool SimSession::may_follow() const
{
    return split_ <= 1 && livetcp_engine_queued(engine) > 0;
}

void SimSession::close_given_up()
{
    unsigned slot;
    livetcp_result reason;
    while (livetcp_engine_next_close(engine, &slot, &reason)) {
        auto socket = std::move(sockets_[slot]);
        sockets_[slot] = nullptr;
        if (socket) {
            forget(*socket);
            if (reason == LIVETCP_ERR_CONNECTION_LOST)
                socket->abort(caller);
            else
                socket->close(caller);
        }
        if (on_cancel)
            on_cancel(slot);
    }
}

void SimSession::service()
{
    again_ = true;
    if (in_service_)
        return;
    in_service_ = true;
    while (again_) {
        again_ = false;
        unsigned slot;
        while (livetcp_engine_next_connect(engine, now(), &slot))
            on_connect(slot);
        unsigned probe, link;
        while (on_outage_probe && livetcp_engine_next_outage_probe(engine, now(), &probe, &link))
            on_outage_probe(probe, link);
        write_all();
        close_given_up();
        livetcp_engine_event event;
        while (livetcp_engine_next_event(engine, &event)) {
            events.push_back(event);
            if (on_event)
                on_event(event);
        }
    }
    in_service_ = false;
    arm();
}

void SimSession::arm()
{
    livetcp_usec due = livetcp_engine_deadline(engine);
    world_.cancel(timer_);
    timer_ = 0;
    if (due == LIVETCP_NEVER)
        return;
    timer_ = world_.at(std::max(due, now()) - clock_ahead, [this] {
        timer_ = 0;
        livetcp_engine_expire(engine, now());
        service();
    });
}

livetcp_session_stats SimSession::stats() const
{
    livetcp_session_stats stats = {};
    stats.struct_size = sizeof stats;
    livetcp_engine_get_stats(engine, now(), &stats);
    return stats;
}

livetcp_connection_stats SimSession::connection_stats(unsigned slot) const
{
    livetcp_connection_stats stats = {};
    stats.struct_size = sizeof stats;
    livetcp_engine_get_connection_stats(engine, slot, now(), &stats);
    return stats;
}

} // namespace scenario
