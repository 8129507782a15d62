/* SPDX-License-Identifier: MIT */
/* Connections, a listener, and a whole call put together from them. */
#include "sim_session.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace scenario
{

template <typename Function, typename... Args> static void call(Function function, Args &&...args)
{
    if (function)
        function(args...);
}

SimConnection::SimConnection(World &w, SimPath &p, size_t send_buffer)
    : world(w), path(p), up(w, p.forward, p.backward, send_buffer),
      down(w, p.backward, p.forward, send_buffer)
{
    /* A callback may replace itself while it runs, so a copy runs. */
    up.on_data = [this](const SimTcp::Bytes &bytes) { call(listener.on_data, bytes); };
    down.on_data = [this](const SimTcp::Bytes &bytes) { call(caller.on_data, bytes); };
    up.on_writable = [this] { call(caller.on_writable); };
    down.on_writable = [this] { call(listener.on_writable); };
}

void SimConnection::announce_close(bool caller_side, livetcp_usec give_up_at)
{
    End &other = caller_side ? listener : caller;
    if (out(caller_side).facts().queued_bytes && world.now() < give_up_at) {
        world.at(world.now() + 10000, [self = shared_from_this(), caller_side, give_up_at] {
            self->announce_close(caller_side, give_up_at);
        });
        return;
    }
    auto on_closed = std::move(other.on_closed);
    other = {};
    if (on_closed)
        on_closed();
}

void SimConnection::close(bool caller_side)
{
    (caller_side ? caller : listener) = {};
    announce_close(caller_side, world.now() + 2000000);
}

void SimConnection::reset()
{
    for (End *end : {&caller, &listener}) {
        auto on_closed = std::move(end->on_closed);
        *end = {};
        if (on_closed)
            on_closed();
    }
}

struct SimListener::Pending {
    std::shared_ptr<SimConnection> connection;
    livetcp_pending *inbound;
    SimSession *session = nullptr;
    World::Ticket timer = 0;

    ~Pending()
    {
        livetcp_pending_destroy(&inbound);
    }
};

SimListener::SimListener(World &world, const livetcp_config &config, uint64_t seed)
    : world_(world), config_(config), seed_(seed)
{
    lt_rng_seed(&random_.rng, seed);
}

SimListener::~SimListener()
{
    for (auto &weak : connections_)
        if (auto connection = weak.lock())
            connection->caller = connection->listener = {};
}

void SimListener::crash()
{
    for (auto &weak : connections_)
        if (auto connection = weak.lock())
            connection->listener = {};
    sessions.clear();
    for (auto &weak : connections_)
        if (auto connection = weak.lock())
            connection->reset();
}

/* Nobody says anything first, the connection is the session. */
void SimListener::accept_plain(std::shared_ptr<SimConnection> connection)
{
    connections_.push_back(connection);
    SimSession &session = add_session();
    require(livetcp_engine_adopt(session.engine, 0, world_.now()) == LIVETCP_OK, "no adoption");
    session.attach(0, connection);
    session.start_stamps(0);
    session.service();
}

void SimListener::accept(std::shared_ptr<SimConnection> connection)
{
    if (config_.wire == LIVETCP_WIRE_PLAIN) {
        accept_plain(connection);
        return;
    }
    auto pending = std::make_shared<Pending>();
    pending->connection = connection;
    pending->inbound = livetcp_pending_create(world_.now(), config_.handshake_timeout_us);
    if (!pending->inbound) { /* memory is out */
        connection->close(false);
        return;
    }
    connections_.push_back(connection);
    connection->listener.on_data = [this, pending](const SimTcp::Bytes &bytes) {
        pending_data(pending, bytes);
    };
    pending->timer =
        world_.at(livetcp_pending_deadline(pending->inbound), [this, pending] { expire(pending); });
}

void SimListener::expire(std::shared_ptr<Pending> pending)
{
    rejections.push_back(LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    pending->connection->close(false);
}

void SimListener::reject(Pending &pending, livetcp_result reason)
{
    rejections.push_back(reason);
    world_.cancel(pending.timer);
    pending.connection->close(false);
}

SimSession *SimListener::find(const uint8_t *session_id)
{
    for (auto &session : sessions)
        if (session->state() != LIVETCP_SESSION_CLOSED &&
            !memcmp(livetcp_engine_session_id(session->engine), session_id, LT_SESSION_ID_SIZE))
            return session.get();
    return nullptr;
}

SimSession &SimListener::add_session(const livetcp_pending *pending)
{
    sessions.push_back(
        std::make_unique<SimSession>(world_, config_, false, ++seed_, nullptr, pending));
    sessions.back()->has_stamps = has_stamps;
    if (on_session)
        on_session(*sessions.back());
    return *sessions.back();
}

SimSession *SimListener::create(Pending &pending, livetcp_reply &reply)
{
    if (livetcp_pending_accept(pending.inbound, SimRandom::fill, &random_, &reply) != LIVETCP_OK)
        return nullptr;
    return &add_session(pending.inbound);
}

void SimListener::pending_data(std::shared_ptr<Pending> pending, const SimTcp::Bytes &bytes)
{
    const uint8_t *data = bytes.data();
    size_t size = bytes.size();
    livetcp_pending_step step;
    do {
        livetcp_reply reply = {};
        livetcp_result error = LIVETCP_OK;
        step = livetcp_pending_receive(pending->inbound, &data, &size, &reply, &error);
        if (step == LIVETCP_PENDING_CREATE)
            pending->session = create(*pending, reply);
        if (step == LIVETCP_PENDING_JOIN) {
            pending->session = find(livetcp_pending_session_id(pending->inbound));
            if (pending->session)
                livetcp_pending_challenge(pending->inbound, pending->session->engine,
                                          SimRandom::fill, &random_, &reply);
            else
                livetcp_pending_reject(pending->inbound, error = LIVETCP_ERR_UNKNOWN_SESSION,
                                       &reply);
        }
        unsigned slot = 0;
        bool belongs = step == LIVETCP_PENDING_CREATE || step == LIVETCP_PENDING_PROVED;
        if (belongs) {
            slot = livetcp_pending_index(pending->inbound);
            error = pending->session
                        ? livetcp_engine_adopt(pending->session->engine, slot, world_.now())
                        : LIVETCP_ERR_PROTOCOL;
            if (error != LIVETCP_OK)
                livetcp_pending_reject(pending->inbound, error, &reply);
        }
        size_t taken = pending->connection->down.write(reply.frame, reply.size);
        if (taken && on_reply)
            on_reply(reply.frame, taken);
        if (error != LIVETCP_OK) {
            if (pending->session)
                pending->session->service();
            reject(*pending, error);
            return;
        }
        if (belongs) {
            auto keep = pending; /* attach() replaces the callback that holds it */
            world_.cancel(pending->timer);
            keep->session->attach(slot, keep->connection);
            keep->session->start_stamps(slot);
            keep->session->receive(slot, data, size);
            return;
        }
    } while (step != LIVETCP_PENDING_MORE);
}

SimCall::SimCall(const char *path_spec, const livetcp_config &config, uint64_t seed,
                 size_t send_buffer, const livetcp_policy *policy)
    : path(world, path_spec, seed), listener(world, config, seed + 100),
      caller(world, config, true, seed + 200, policy)
{
    caller.on_connect = [this, send_buffer](unsigned slot) { connect(slot, send_buffer); };
    caller.service();
}

/* The TCP handshake is a small packet each way, lost like any other; a lost one is a second late,
 * as the retransmission timer has it. */
void SimCall::connect(unsigned slot, size_t send_buffer)
{
    auto answered = std::make_shared<bool>(false);
    auto connection = std::make_shared<SimConnection>(world, path, send_buffer);
    path.forward.send(40, [this, slot, connection, answered] {
        path.backward.send(40, [this, slot, connection, answered] {
            if (*answered)
                return;
            *answered = true;
            if (listener.refusing) {
                caller.lost(slot, LIVETCP_ERR_REFUSED);
                return;
            }
            caller.attach(slot, connection);
            listener.accept(connection);
            livetcp_engine_connected(caller.engine, slot, world.now());
            caller.start_stamps(slot);
            caller.service();
        });
    });
    world.at(world.now() + 1000000, [this, slot, answered, send_buffer] {
        if (*answered)
            return;
        *answered = true;
        connect(slot, send_buffer);
    });
}

void SimCall::stream(size_t size, livetcp_usec interval, livetcp_usec duration, uint32_t ssrc)
{
    livetcp_usec end = world.now() + duration;
    while (world.now() < end) {
        caller.send(ssrc, next_sequence_++, size);
        world.run_for(interval);
    }
}

livetcp_config make_config(const char *policy, unsigned connections)
{
    livetcp_config config;
    livetcp_config_init(&config);
    snprintf(config.policy, sizeof config.policy, "%s", policy);
    snprintf(config.host, sizeof config.host, "peer");
    config.port = 1;
    config.connections = connections;
    return config;
}

double delay_quantile_ms(const std::vector<Received> &received, size_t sent, double p)
{
    std::vector<double> delays;
    for (const Received &packet : received)
        if (!packet.rtcp)
            delays.push_back(static_cast<double>(packet.delay) / 1000);
    delays.resize(std::max(sent, delays.size()), INFINITY);
    std::sort(delays.begin(), delays.end());
    size_t rank = static_cast<size_t>(std::ceil(p * static_cast<double>(delays.size())));
    return delays[std::min(rank ? rank - 1 : 0, delays.size() - 1)];
}

} // namespace scenario
