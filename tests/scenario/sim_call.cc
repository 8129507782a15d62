/* SPDX-License-Identifier: MIT */
/* Connections, a listener, and a whole call put together from them. */
#include "sim_session.h"

extern "C" {
#include "engine/pending.h"
}

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
    : world(w), path(p),
      up(w, p.forward, p.backward, send_buffer, p.congestion_control, p.filter, p.ecn),
      down(w, p.backward, p.forward, send_buffer, p.congestion_control, p.filter.downwards(), p.ecn)
{
    /* A callback may replace itself while it runs, so a copy runs. */
    up.on_data = [this](const SimTcp::Bytes &bytes) { pass(false, bytes); };
    down.on_data = [this](const SimTcp::Bytes &bytes) { pass(true, bytes); };
    up.on_writable = [this] { call(caller.on_writable); };
    down.on_writable = [this] { call(listener.on_writable); };
}

void SimConnection::pass(bool to_caller, const SimTcp::Bytes &bytes)
{
    std::weak_ptr<SimConnection> weak = weak_from_this();
    if (!middlebox_us) {
        call((to_caller ? caller : listener).on_data, bytes);
        return;
    }
    world.at(world.now() + middlebox_us, [weak, to_caller, bytes] {
        auto self = weak.lock();
        if (!self)
            return;
        auto on_data = (to_caller ? self->caller : self->listener).on_data;
        call(on_data, bytes);
    });
}

void SimConnection::lose(bool caller_side)
{
    End &end = caller_side ? caller : listener;
    auto on_closed = std::move(end.on_closed);
    end = {};
    if (on_closed)
        on_closed();
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

/* A lost one is followed by others, each an answer to a retransmission of the other end. */
void SimConnection::send_reset(bool caller_side, unsigned attempt)
{
    const unsigned attempts = 6;
    const livetcp_usec again = 400000;
    auto self = shared_from_this();
    auto heard = std::make_shared<bool>(false);
    (caller_side ? path.forward : path.backward).send(40, [self, caller_side, heard] {
        *heard = true;
        self->in(caller_side).abandon();
        self->lose(!caller_side);
    });
    world.at(world.now() + (again << attempt), [self, caller_side, heard, attempt] {
        if (!*heard && attempt < attempts)
            self->send_reset(caller_side, attempt + 1);
    });
}

void SimConnection::abort(bool caller_side)
{
    (caller_side ? caller : listener) = {};
    out(caller_side).abandon();
    send_reset(caller_side, 0);
}

void SimConnection::reset()
{
    for (bool caller_side : {true, false})
        lose(caller_side);
}

struct SimListener::Pending {
    std::shared_ptr<SimConnection> connection;
    livetcp_pending *inbound;
    SimSession *session = nullptr;
    bool unproved = false; /* it was sent ACCEPT, and its PROOF has not come */
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
    accepted++;
    if (slamming) {
        connections_.push_back(connection);
        world_.at(world_.now() + 1000, [connection] { connection->close(false); });
        return;
    }
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
    reject(*pending, LIVETCP_ERR_HANDSHAKE_TIMEOUT);
}

void SimListener::reject(Pending &pending, livetcp_result reason)
{
    rejections.push_back(reason);
    world_.cancel(pending.timer);
    pending.connection->close(false);
    if (pending.unproved) {
        pending.unproved = false;
        resume_joins();
    }
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

/* The answer to CREATE. Connections that join before its PROOF has come wait for it. */
livetcp_result SimListener::create(Pending &pending, livetcp_reply &reply)
{
    if (turning_away != LIVETCP_OK)
        return turning_away;
    return livetcp_pending_accept(pending.inbound, SimRandom::fill, &random_, &reply);
}

/* The answer to JOIN. One that comes before the PROOF of its session waits for it. */
livetcp_result SimListener::join(std::shared_ptr<Pending> pending, livetcp_reply &reply)
{
    const uint8_t *id = livetcp_pending_session_id(pending->inbound);
    auto is_creator = [id](const std::weak_ptr<Pending> &weak) {
        auto other = weak.lock();
        return other && other->unproved &&
               !memcmp(livetcp_pending_session_id(other->inbound), id, LT_SESSION_ID_SIZE);
    };
    pending->session = find(id);
    if (pending->session)
        return livetcp_pending_challenge(pending->inbound, pending->session->engine,
                                         SimRandom::fill, &random_, &reply);
    if (std::none_of(unproved_.begin(), unproved_.end(), is_creator))
        return LIVETCP_ERR_UNKNOWN_SESSION;
    waiting_.push_back(pending);
    return LIVETCP_OK;
}

void SimListener::resume_joins()
{
    std::vector<std::shared_ptr<Pending>> resumed;

    resumed.swap(waiting_);
    for (auto &pending : resumed) {
        livetcp_reply reply = {};
        livetcp_result result = join(pending, reply);
        answer(*pending, result, reply);
    }
}

/* False if the connection was turned away. */
bool SimListener::answer(Pending &pending, livetcp_result result, livetcp_reply &reply)
{
    if (result != LIVETCP_OK && !reply.size)
        livetcp_pending_reject(pending.inbound, result, &reply);
    size_t taken = pending.connection->down.write(reply.frame, reply.size);
    if (taken && on_reply)
        on_reply(reply.frame, taken);
    if (result == LIVETCP_OK)
        return true;
    if (pending.session)
        pending.session->service();
    reject(pending, result);
    return false;
}

/* It has proved itself: its session is made, if it asked for one, and takes it. */
bool SimListener::adopt(std::shared_ptr<Pending> pending, livetcp_reply &joined,
                        const uint8_t *data, size_t size)
{
    unsigned slot = livetcp_pending_index(pending->inbound);
    bool creating = pending->unproved;
    std::string words;

    pending->unproved = false;
    if (unsigned code = creating && admit ? admit(*pending->inbound, words) : 0) {
        livetcp_pending_reject_with(pending->inbound, LIVETCP_ERR_CANCELLED, code, words.c_str(),
                                    &joined);
        answer(*pending, LIVETCP_ERR_CANCELLED, joined);
        resume_joins();
        return false;
    }
    if (creating)
        pending->session = &add_session(pending->inbound);
    if (lt_engine_is_replaced_by(pending->session->engine, pending->inbound)) {
        replaced++;
        pending->session->lost(slot, LIVETCP_OK);
    }
    if (link_of)
        livetcp_engine_set_link(pending->session->engine, slot, link_of(pending->connection->path),
                                1);
    livetcp_result result =
        livetcp_engine_adopt_pending(pending->session->engine, pending->inbound, world_.now());
    if (result != LIVETCP_OK)
        livetcp_pending_reject(pending->inbound, result, &joined);
    if (!answer(*pending, result, joined))
        return false;
    world_.cancel(pending->timer);
    pending->session->attach(slot, pending->connection);
    pending->session->start_stamps(slot);
    size_t held_size;
    const uint8_t *held = livetcp_pending_held(pending->inbound, &held_size);
    if (held_size)
        pending->session->receive(slot, held, held_size);
    pending->session->receive(slot, data, size);
    if (creating)
        resume_joins();
    return true;
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
        if (step == LIVETCP_PENDING_CREATE) {
            error = create(*pending, reply);
            pending->unproved = error == LIVETCP_OK;
            if (pending->unproved)
                unproved_.push_back(pending);
        }
        if (step == LIVETCP_PENDING_JOIN)
            error = join(pending, reply);
        if (step == LIVETCP_PENDING_PROVED) {
            auto keep = pending; /* attach() replaces the callback that holds it */
            adopt(keep, reply, data, size);
            return;
        }
        if (!answer(*pending, error, reply))
            return;
    } while (step != LIVETCP_PENDING_MORE);
}

SimCall::SimCall(const char *path_spec, const livetcp_config &config, uint64_t seed,
                 size_t send_buffer, const livetcp_policy *policy)
    : road_(std::make_shared<SimRoad>(path_spec, seed)), world(road_->world), path(road_->path),
      listener(world, config, seed + 100), caller(world, config, true, seed + 200, policy)
{
    lt_rng_seed(&ports_, seed + 300);
    caller.on_connect = [this, send_buffer](unsigned slot) { connect(slot, send_buffer); };
    caller.on_cancel = [this](unsigned slot) { attempts_[slot]++; };
    caller.on_outage_probe = [this, send_buffer](unsigned number, unsigned link) {
        probe(number, link, send_buffer);
    };
    caller.service();
}

SimCall::SimCall(std::shared_ptr<SimRoad> road, const livetcp_config &config, uint64_t seed,
                 const std::vector<unsigned> &weights)
    : road_(std::move(road)), world(road_->world), path(road_->path),
      listener(world, config, seed + 100), caller(world, config, true, seed + 200, nullptr)
{
    lt_rng_seed(&ports_, seed + 300);
    caller.on_connect = [this](unsigned slot) { connect(slot, 1 << 20); };
    caller.on_cancel = [this](unsigned slot) { attempts_[slot]++; };
    caller.on_outage_probe = [this](unsigned number, unsigned link) {
        probe(number, link, 1 << 20);
    };
    listener.link_of = [this](const SimPath &taken) {
        unsigned number = 0;
        while (number + 1 < road_->links() && &road_->link(number) != &taken)
            number++;
        return number;
    };
    for (unsigned slot = 0; road_->links() > 1 && slot < config.connections; slot++)
        require(livetcp_engine_set_link(caller.engine, slot, link_of(slot),
                                        weights.empty() ? 1 : weights[link_of(slot)]) == LIVETCP_OK,
                "no such link");
    caller.service();
}

void SimCall::connected(unsigned slot, std::shared_ptr<SimConnection> connection)
{
    if (listener.refusing) {
        caller.lost(slot, LIVETCP_ERR_REFUSED);
        return;
    }
    caller.attach(slot, connection);
    listener.accept(connection);
    livetcp_engine_connected(caller.engine, slot, caller.now());
    caller.start_stamps(slot);
    caller.service();
}

/* One SYN: the next probe comes sooner than TCP's second. */
void SimCall::probe(unsigned number, unsigned link, size_t send_buffer)
{
    unsigned attempt = ++probes_[number];
    SimPath &route = road_->links() > 1 ? road_->link(link)
                                        : road_->route(livetcp_engine_connections(caller.engine));
    auto connection = std::make_shared<SimConnection>(world, route, send_buffer);
    connection->middlebox_us = middlebox_us;
    route.forward.send(40, [this, number, connection, attempt, &route] {
        route.backward.send(40, [this, number, connection, attempt] {
            unsigned slot;
            if (attempt == probes_[number] &&
                livetcp_engine_outage_probe_connected(caller.engine, number, &slot, caller.now()))
                connected(slot, connection);
        });
    });
}

void SimCall::connect(unsigned slot, size_t send_buffer)
{
    bool again = connected_ >> slot & 1;

    connected_ |= UINT32_C(1) << slot;
    shake_hands(slot, again ? road_->next_route(slot, &ports_) : road_->route(slot), send_buffer);
}

/* The TCP handshake is a small packet each way, lost like any other; a lost one is a second late,
 * as the retransmission timer has it. */
void SimCall::shake_hands(unsigned slot, SimPath &route, size_t send_buffer)
{
    auto answered = std::make_shared<bool>(false);
    unsigned attempt = ++attempts_[slot];
    auto connection = std::make_shared<SimConnection>(world, route, send_buffer);
    connection->middlebox_us = middlebox_us;
    route.forward.send(40, [this, slot, connection, answered, attempt, &route] {
        route.backward.send(40, [this, slot, connection, answered, attempt] {
            if (*answered || attempt != attempts_[slot])
                return;
            *answered = true;
            if (handshake_rtt.count(slot))
                connection->up.shook_hands(handshake_rtt[slot]);
            connected(slot, connection);
        });
    });
    world.at(world.now() + 1000000, [this, slot, answered, send_buffer, attempt, &route] {
        if (*answered || attempt != attempts_[slot])
            return;
        *answered = true;
        shake_hands(slot, route, send_buffer);
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
