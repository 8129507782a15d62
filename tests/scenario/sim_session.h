/* SPDX-License-Identifier: MIT */
/* The engine's owner in virtual time: what src/io does with libuv and sockets, done with World and
 * SimTcp. */
#ifndef LT_SCENARIO_SIM_SESSION_H
#define LT_SCENARIO_SIM_SESSION_H

#include "sim_tcp.h"

extern "C" {
#include "base/rng.h"
#include "wire/handshake.h"

#include <livetcp/engine.h>
}

#include <array>
#include <map>
#include <string>

namespace scenario
{

/* Seeded "secrets". */
struct SimRandom {
    lt_rng rng;
    static livetcp_result fill(void *user, uint8_t *bytes, size_t size);
};

/* A TCP connection: a stream each way and who listens at either end. */
struct SimConnection : std::enable_shared_from_this<SimConnection> {
    SimConnection(World &world, SimPath &path, size_t send_buffer);

    struct End {
        std::function<void(const SimTcp::Bytes &)> on_data;
        std::function<void()> on_closed, on_writable;
        bool open = true;
    };

    SimTcp &out(bool caller_side)
    {
        return caller_side ? up : down;
    }

    SimTcp &in(bool caller_side)
    {
        return caller_side ? down : up;
    }

    /* One end closes; the other hears of it when all data before has arrived. */
    void close(bool caller_side);
    /* One end forgets it, and what it had in flight, and tells the other one by a reset. */
    void abort(bool caller_side);
    /* Both ends lose it at once; with a middlebox, also what that has. */
    void reset();
    /* One end loses it, and the other does not notice. */
    void lose(bool caller_side);
    /* Something on the way ends TCP, and hands on what it has acknowledged so much later. */
    livetcp_usec middlebox_us = 0;

    World &world;
    SimPath &path;
    SimTcp up, down;
    End caller, listener;

  private:
    void send_reset(bool caller_side, unsigned attempt);
    void announce_close(bool caller_side, livetcp_usec give_up_at);
    void pass(bool to_caller, const SimTcp::Bytes &bytes);
};

struct Received {
    uint32_t ssrc;
    uint16_t sequence;
    unsigned connection;
    livetcp_usec at, delay; /* delay: since the sender's timestamp in the payload */
    bool rtcp, discontinuity;
};

class SimSession
{
  public:
    /* Without a policy the one that the config names. */
    SimSession(World &world, const livetcp_config &config, bool caller, uint64_t seed,
               const livetcp_policy *policy = nullptr, const livetcp_pending *pending = nullptr);
    ~SimSession();
    SimSession(const SimSession &) = delete;
    SimSession &operator=(const SimSession &) = delete;

    /* Starts a TCP connection for a slot; the owner of a caller sets it. */
    std::function<void(unsigned slot)> on_connect;

    /* The engine gives up a slot; a TCP handshake may be under way. */
    std::function<void(unsigned slot)> on_cancel;

    /* Starts a TCP connection over that link to see whether the path is back. */
    std::function<void(unsigned probe, unsigned link)> on_outage_probe;

    /* Bytes that a connection took. */
    std::function<void(unsigned slot, const uint8_t *data, size_t size)> on_written;

    /* LIVETCP_PATH_...: what the platform tells at most. */
    uint32_t platform_knows = UINT32_MAX;

    /* The clock of this host, as far as it is ahead of the world's. */
    livetcp_usec clock_ahead = 0;
    livetcp_usec now() const
    {
        return world_.now() + clock_ahead;
    }

    /* What the application is given, and told, at that moment. */
    std::function<void(const livetcp_packet &)> on_arrival;
    std::function<void(const livetcp_engine_event &)> on_event;

    /* An RTP packet whose payload carries the time. */
    livetcp_result send(uint32_t ssrc, uint16_t sequence, size_t size);
    /* An RTCP sender report. */
    livetcp_result send_report(uint32_t ssrc);
    /* One with what the application knows about it. */
    livetcp_result send_as(uint32_t ssrc, uint16_t sequence, uint32_t timestamp, size_t size,
                           livetcp_importance importance, bool marker = false);
    /* One that carries the frames of so many packets before it, too. */
    livetcp_result send_repeating(uint32_t ssrc, uint16_t sequence, size_t size, unsigned repeats);
    void close(livetcp_usec drain_us);

    void attach(unsigned slot, std::shared_ptr<SimConnection> connection);

    /* The slot's TCP connection is up, and the kernel tells timestamps if `has_stamps`. */
    void start_stamps(unsigned slot);
    bool has_stamps = false;

    /* May change one that the kernel tells; false if it does not tell it. */
    std::function<bool(livetcp_tx_timestamp &)> on_stamp;
    void receive(unsigned slot, const uint8_t *data, size_t size);
    void lost(unsigned slot, livetcp_result reason);

    /* Everything the engine has to say after something changed; see livetcp/engine.h. */
    void service();

    livetcp_session_stats stats() const;
    livetcp_connection_stats connection_stats(unsigned slot) const;
    std::shared_ptr<SimConnection> connection(unsigned slot) const
    {
        return sockets_[slot];
    }
    livetcp_session_state state() const
    {
        return livetcp_engine_state(engine);
    }

    livetcp_engine *engine = nullptr;
    std::vector<Received> received;
    std::vector<std::vector<uint8_t>> reports; /* LiveTCP's own */
    std::vector<livetcp_engine_event> events;
    bool caller;

  private:
    static void deliver(void *user, const livetcp_packet *arrival);
    void forget(SimConnection &connection);
    void write_all();
    bool may_follow() const;
    void close_given_up();
    void arm();

    World &world_;
    SimRandom random_;
    std::array<std::shared_ptr<SimConnection>, LIVETCP_MAX_CONNECTIONS> sockets_;
    unsigned split_;
    World::Ticket timer_ = 0;
    bool in_service_ = false, again_ = false;
};

/* A listening port: sessions made by CREATE, connections added by JOIN; on a plain wire, a session
 * for each connection. */
class SimListener
{
  public:
    SimListener(World &world, const livetcp_config &config, uint64_t seed);
    ~SimListener();

    void accept(std::shared_ptr<SimConnection> connection);

    /* Forgets every session without telling anybody, as a crash does. */
    void crash();

    /* A new session, before it has written anything. */
    std::function<void(SimSession &)> on_session;

    /* Whether a caller that has proved itself may come in: 0, or a code, and its words. */
    std::function<unsigned(const livetcp_pending &, std::string &)> admit;

    /* The link of a path, as the addresses of a connection tell. */
    std::function<unsigned(const SimPath &)> link_of;

    /* Bytes that a connection took from the listener itself, before a session had it. */
    std::function<void(const uint8_t *data, size_t size)> on_reply;

    std::vector<std::unique_ptr<SimSession>> sessions;
    std::vector<livetcp_result> rejections;
    bool refusing = false;
    bool slamming = false;                    /* accepts, and closes at once */
    livetcp_result turning_away = LIVETCP_OK; /* who wants a new session, for this reason */
    unsigned accepted = 0;                    /* TCP connections */
    unsigned replaced = 0;                    /* by others of their callers */
    bool has_stamps = false;                  /* its sessions', from now on */

  private:
    struct Pending;
    void accept_plain(std::shared_ptr<SimConnection> connection);
    SimSession &add_session(const livetcp_pending *pending = nullptr);
    void pending_data(std::shared_ptr<Pending> pending, const SimTcp::Bytes &bytes);
    void expire(std::shared_ptr<Pending> pending);
    SimSession *find(const uint8_t *session_id);
    livetcp_result create(Pending &pending, livetcp_reply &reply);
    livetcp_result join(std::shared_ptr<Pending> pending, livetcp_reply &reply);
    bool answer(Pending &pending, livetcp_result result, livetcp_reply &reply);
    bool adopt(std::shared_ptr<Pending> pending, livetcp_reply &joined, const uint8_t *data,
               size_t size);
    void resume_joins();
    void reject(Pending &pending, livetcp_result reason);

    World &world_;
    livetcp_config config_;
    SimRandom random_;
    uint64_t seed_;
    std::vector<std::weak_ptr<SimConnection>> connections_;
    std::vector<std::weak_ptr<Pending>> unproved_;
    std::vector<std::shared_ptr<Pending>> waiting_; /* JOINs */
};

/* A world with one path, which calls may share, or with several, over which the connections of a
 * call are dealt: links that the session knows, or routes of one link, as a load balancer chooses
 * them by port. */
struct SimRoad {
    /* `below`: congestion control of the connections. */
    SimRoad(const char *path_spec, uint64_t seed, const char *below = "reno")
        : path(world, path_spec, seed)
    {
        path.congestion_control = below;
    }

    /* Links. */
    SimRoad(const std::vector<std::string> &path_specs, uint64_t seed)
        : path(world, path_specs[0].c_str(), seed)
    {
        for (size_t i = 1; i < path_specs.size(); i++)
            add_route(path_specs[i].c_str(), seed + 1000 * i);
        links_ = static_cast<unsigned>(path_specs.size());
    }

    /* Before the calls. */
    SimPath &add_route(const char *path_spec, uint64_t seed)
    {
        others.push_back(std::make_unique<SimPath>(world, path_spec, seed));
        return *others.back();
    }

    unsigned links() const
    {
        return links_;
    }

    SimPath &link(unsigned number)
    {
        return number ? *others[number - 1] : path;
    }

    /* The path of a call's connection. */
    SimPath &route(unsigned slot)
    {
        return link(slot % static_cast<unsigned>(others.size() + 1));
    }

    /* And of one that takes the place of another: it has new ports, by which a load balancer
     * chooses the route anew. */
    SimPath &next_route(unsigned slot, lt_rng *ports)
    {
        if (links_ > 1)
            return route(slot);
        return link(static_cast<unsigned>(lt_rng_next(ports) % (others.size() + 1)));
    }

    ~SimRoad()
    {
        world.clear();
    }

    World world;
    SimPath path;
    std::vector<std::unique_ptr<SimPath>> others;

  private:
    unsigned links_ = 1;
};

/* A caller, a listener and the path between them. */
class SimCall
{
  public:
    /* On a path that others use, too. They end together: calls before their road. */
    SimCall(std::shared_ptr<SimRoad> road, const livetcp_config &config, uint64_t seed,
            const std::vector<unsigned> &weights = {});
    SimCall(const char *path_spec, const livetcp_config &config, uint64_t seed,
            size_t send_buffer = 1 << 20, const livetcp_policy *policy = nullptr);
    ~SimCall()
    {
        world.clear();
    }

    /* Sends a packet of `size` bytes every `interval` for `duration`, from the caller. */
    void stream(size_t size, livetcp_usec interval, livetcp_usec duration, uint32_t ssrc = 0x1234);

    SimPath &link(unsigned number) const
    {
        return road_->link(number);
    }

    /* The link of a slot's connections. */
    unsigned link_of(unsigned slot) const
    {
        return slot % road_->links();
    }

    /* Before the connections are up: what the caller's TCP takes for the round trip of their
     * handshakes, by slot. */
    std::map<unsigned, livetcp_usec> handshake_rtt;

    /* Before the first connection is up: both kernels tell timestamps. */
    void tell_stamps()
    {
        caller.has_stamps = listener.has_stamps = true;
    }

    /* Of the connections that begin from now on; see SimConnection. */
    livetcp_usec middlebox_us = 0;

    SimSession *remote() const
    {
        return listener.sessions.empty() ? nullptr : listener.sessions.back().get();
    }

  private:
    std::shared_ptr<SimRoad> road_;

  public:
    World &world;
    SimPath &path;
    SimListener listener;
    SimSession caller;

  private:
    void connect(unsigned slot, size_t send_buffer);
    void shake_hands(unsigned slot, SimPath &route, size_t send_buffer);
    void connected(unsigned slot, std::shared_ptr<SimConnection> connection);
    void probe(unsigned number, unsigned link, size_t send_buffer);
    uint16_t next_sequence_ = 65000; /* wraps soon */
    std::array<unsigned, LIVETCP_MAX_CONNECTIONS> attempts_ = {};
    uint32_t connected_ = 0; /* bit i: slot i has had a connection */
    lt_rng ports_;
    std::array<unsigned, LIVETCP_MAX_OUTAGE_PROBES> probes_ = {};
};

/* Defaults, with a policy, connections and wire. */
livetcp_config make_config(const char *policy, unsigned connections);

/* The p-th quantile (0..1) of the delays, in ms; packets that never came count as infinite. */
double delay_quantile_ms(const std::vector<Received> &received, size_t sent, double p);

} // namespace scenario

#endif
