/* SPDX-License-Identifier: MIT */
/* Sessions and listeners on loopback for tests: what they said is recorded, and tests run the loop,
 * or wait for the library's thread, until something has come about. */
#ifndef LT_TESTS_IO_WORLD_H
#define LT_TESTS_IO_WORLD_H

#include "catch.h"

#include <livetcp/livetcp.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>
#include <vector>

namespace world
{

/* Of a session whose config says nothing about it. */
inline const unsigned default_connections = [] {
    livetcp_config config;
    livetcp_config_init(&config);
    return config.connections;
}();

/* Generous: reached only when a test fails. */
const int PATIENCE_MS = 200000;

/* Settings as text: {"connections", "1", "split", "2"}. */
using Settings = std::vector<std::pair<const char *, std::string>>;

inline Settings with(Settings settings, const Settings &more)
{
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

/* Of every session that does not say otherwise: the test's process may be kept waiting for longer
 * than one is patient by default, with an end that is not to be lost. */
const Settings PATIENT = {
    {"connect-timeout", "600000"}, {"handshake-timeout", "60000"}, {"peer-timeout", "3600000"}};

using Bytes = std::vector<uint8_t>;

/* An RTP packet of `size` bytes; the payload depends on the sequence number. */
inline Bytes rtp(uint16_t sequence, size_t size = 200, uint32_t ssrc = 0x1234)
{
    Bytes packet(size < 12 ? 12 : size);
    packet[0] = 0x80;
    packet[1] = 96;
    packet[2] = (uint8_t)(sequence >> 8);
    packet[3] = (uint8_t)sequence;
    for (int i = 0; i < 4; i++)
        packet[8 + i] = (uint8_t)(ssrc >> (24 - 8 * i));
    for (size_t i = 12; i < packet.size(); i++)
        packet[i] = (uint8_t)(sequence * 7 + i);
    return packet;
}

inline uint16_t sequence_of(const Bytes &packet)
{
    return (uint16_t)(packet[2] << 8 | packet[3]);
}

/* Containers often come without. */
inline bool has_ipv6()
{
    sockaddr_in6 address = {};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    bool bound = fd >= 0 && bind(fd, (sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return bound;
}

/* One context, with the test's loop or a thread of its own. */
class Context
{
  public:
    explicit Context(bool own_thread = false) : own_thread_(own_thread)
    {
        livetcp_error error = {};
        if (!own_thread_) {
            REQUIRE(uv_loop_init(&loop_) == 0);
            REQUIRE(uv_timer_init(&loop_, &tick_) == 0);
            /* uv_run(ONCE) comes back at least this often; nothing depends on when. */
            uv_timer_start(
                &tick_, [](uv_timer_t *) {}, 5, 5);
        }
        REQUIRE(livetcp_context_create(own_thread_ ? nullptr : &loop_, &context, &error) ==
                LIVETCP_OK);
    }
    ~Context()
    {
        end();
    }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    /* Destroys the context and whatever is left on it. */
    void end()
    {
        livetcp_context_destroy(&context);
        if (!own_thread_ && !loop_closed_) {
            uv_close((uv_handle_t *)&tick_, nullptr);
            uv_run(&loop_, UV_RUN_DEFAULT);
            loop_closed_ = true;
            if (uv_loop_close(&loop_) != 0)
                FAIL("handles are left on the loop");
        }
    }

    void turn()
    {
        if (own_thread_)
            uv_sleep(1);
        else
            uv_run(&loop_, UV_RUN_ONCE);
    }

    livetcp_context *context = nullptr;

  private:
    bool own_thread_;
    bool loop_closed_ = false;
    uv_loop_t loop_;
    uv_timer_t tick_;
};

/* Turns the loops until the condition holds; false when patience is over. */
inline bool until(std::initializer_list<Context *> contexts, const std::function<bool()> &condition,
                  int patience_ms = PATIENCE_MS)
{
    uint64_t end = uv_hrtime() + (uint64_t)patience_ms * 1000000;
    while (!condition()) {
        if (uv_hrtime() > end)
            return false;
        for (Context *context : contexts)
            context->turn();
    }
    return true;
}

inline bool until(Context &context, const std::function<bool()> &condition,
                  int patience_ms = PATIENCE_MS)
{
    return until({&context}, condition, patience_ms);
}

/* What happened to a session. Any thread may look. */
class Record
{
  public:
    struct State {
        livetcp_session_state state;
        livetcp_error error; /* code 0 when there was none */
    };
    struct Connection {
        unsigned index;
        livetcp_connection_state state;
        livetcp_error error;
    };

    static const livetcp_session_callbacks *callbacks()
    {
        static const livetcp_session_callbacks table = {sizeof table,  on_packet,  on_state,
                                                        on_connection, on_drained, NULL,
                                                        NULL,          NULL,       on_sent};
        return &table;
    }

    size_t packets() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return packets_.size();
    }
    std::vector<Bytes> all_packets() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return packets_;
    }
    std::vector<State> states() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return states_;
    }
    std::vector<Connection> connections() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return connections_;
    }
    size_t drained() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return drained_;
    }
    size_t sent() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return sent_;
    }
    bool closed() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return !states_.empty() && states_.back().state == LIVETCP_SESSION_CLOSED;
    }
    livetcp_error last_error() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return states_.empty() ? livetcp_error{} : states_.back().error;
    }
    /* Whether some connection was lost for this reason; *message gets its text. */
    bool lost_with(livetcp_result code, std::string *message = nullptr) const
    {
        std::lock_guard<std::mutex> guard(lock_);
        for (const Connection &connection : connections_) {
            if (connection.error.code != code)
                continue;
            if (message)
                *message = connection.error.message;
            return true;
        }
        return false;
    }

    /* Called within the callbacks; set before the session starts. Each call runs on a copy, which
     * may outlive this record when it destroys the context. */
    std::function<void(livetcp_session *, const livetcp_packet *)> when_packet;
    std::function<void(livetcp_session *, livetcp_session_state)> when_state;
    std::function<void(livetcp_session *, unsigned, livetcp_connection_state)> when_connection;
    std::function<void(livetcp_session *)> when_drained;
    std::function<void(livetcp_session *)> when_sent;

  private:
    static livetcp_error copy(const livetcp_error *error)
    {
        return error ? *error : livetcp_error{};
    }
    static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
    {
        Record *self = (Record *)user;
        if (packet->report) /* not what the peer's application sent */
            return;
        {
            std::lock_guard<std::mutex> guard(self->lock_);
            self->packets_.emplace_back(packet->data, packet->data + packet->size);
        }
        auto then = self->when_packet;
        if (then)
            then(session, packet);
    }
    static void on_state(livetcp_session *session, livetcp_session_state state,
                         const livetcp_error *error, void *user)
    {
        Record *self = (Record *)user;
        {
            std::lock_guard<std::mutex> guard(self->lock_);
            self->states_.push_back({state, copy(error)});
        }
        auto then = self->when_state;
        if (then)
            then(session, state);
    }
    static void on_connection(livetcp_session *session, unsigned index,
                              livetcp_connection_state state, const livetcp_error *error,
                              void *user)
    {
        Record *self = (Record *)user;
        {
            std::lock_guard<std::mutex> guard(self->lock_);
            self->connections_.push_back({index, state, copy(error)});
        }
        auto then = self->when_connection;
        if (then)
            then(session, index, state);
    }
    static void on_drained(livetcp_session *session, void *user)
    {
        Record *self = (Record *)user;
        {
            std::lock_guard<std::mutex> guard(self->lock_);
            self->drained_++;
        }
        auto then = self->when_drained;
        if (then)
            then(session);
    }

    static void on_sent(livetcp_session *session, void *user)
    {
        Record *self = (Record *)user;
        auto then = self->when_sent;
        if (then)
            then(session);
        std::lock_guard<std::mutex> guard(self->lock_);
        self->sent_++; /* who waits for it sees what the callback has done */
    }

    mutable std::mutex lock_;
    std::vector<Bytes> packets_;
    std::vector<State> states_;
    std::vector<Connection> connections_;
    size_t drained_ = 0;
    size_t sent_ = 0;
};

inline unsigned open_connections(livetcp_session *session)
{
    livetcp_session_stats stats = {};
    stats.struct_size = sizeof stats;
    REQUIRE(livetcp_session_get_stats(session, &stats) == LIVETCP_OK);
    return stats.open_connections;
}

inline livetcp_session_stats stats_of(livetcp_session *session)
{
    livetcp_session_stats stats = {};
    stats.struct_size = sizeof stats;
    REQUIRE(livetcp_session_get_stats(session, &stats) == LIVETCP_OK);
    return stats;
}

inline livetcp_connection_stats connection_stats(livetcp_session *session, unsigned index)
{
    livetcp_connection_stats stats = {};
    stats.struct_size = sizeof stats;
    REQUIRE(livetcp_session_get_connection_stats(session, index, &stats) == LIVETCP_OK);
    return stats;
}

inline livetcp_config config_with(Settings settings)
{
    livetcp_config config;
    livetcp_error error = {};
    livetcp_config_init(&config);
    settings.insert(settings.begin(), PATIENT.begin(), PATIENT.end());
    for (const auto &setting : settings) {
        INFO(setting.first << "=" << setting.second);
        REQUIRE(livetcp_config_set(&config, setting.first, setting.second.c_str(), &error) ==
                LIVETCP_OK);
    }
    return config;
}

/* A listener that takes every session and records it. */
class Server
{
  public:
    struct Accepted {
        livetcp_session *session;
        std::unique_ptr<Record> record;
        std::string remote;
    };
    struct Rejected {
        std::string remote;
        livetcp_error error;
    };

    Server(Context &context, Settings settings = {}) : Server(context, settings, nullptr)
    {
    }
    Server(Context &context, Settings settings, std::function<bool(Server &, Accepted &)> accept)
        : when_session(accept), context_(context)
    {
        livetcp_error error = {};
        settings.insert(settings.begin(), {"host", "127.0.0.1"});
        livetcp_config config = config_with(settings);
        static const livetcp_listener_callbacks table = {sizeof table, on_session, on_rejected};
        INFO(error.message);
        livetcp_result result =
            livetcp_listener_create(context.context, &config, &table, this, &listener, &error);
        INFO(error.message);
        REQUIRE(result == LIVETCP_OK);
        port = livetcp_listener_port(listener);
    }

    /* Whatever the test has not destroyed, or the context not taken along. Tests that destroy
     * something clear the pointer here. */
    ~Server()
    {
        if (!context_.context)
            return;
        livetcp_listener_destroy(&listener);
        for (size_t i = 0; i < sessions(); i++)
            livetcp_session_destroy(&at(i).session);
    }
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;

    size_t sessions() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return accepted_.size();
    }
    Accepted &at(size_t i)
    {
        std::lock_guard<std::mutex> guard(lock_);
        return *accepted_.at(i);
    }
    livetcp_session *session(size_t i = 0)
    {
        return at(i).session;
    }
    Record &record(size_t i = 0)
    {
        return *at(i).record;
    }
    size_t rejections() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return rejected_.size();
    }
    Rejected rejection(size_t i = 0) const
    {
        std::lock_guard<std::mutex> guard(lock_);
        return rejected_.at(i);
    }
    /* Whether somebody was turned away for this reason; *message gets the first one's text. */
    bool rejected_with(livetcp_result code, std::string *message = nullptr) const
    {
        std::lock_guard<std::mutex> guard(lock_);
        for (const Rejected &rejected : rejected_) {
            if (rejected.error.code != code)
                continue;
            if (message)
                *message = rejected.error.message;
            return true;
        }
        return false;
    }

    livetcp_listener *listener = nullptr;
    uint16_t port = 0;
    std::function<bool(Server &, Accepted &)> when_session;
    std::function<void(Server &)> when_rejected;

  private:
    static bool on_session(livetcp_listener *, livetcp_session *session, const char *remote,
                           void *user)
    {
        Server *self = (Server *)user;
        Accepted *accepted = new Accepted{session, std::make_unique<Record>(), remote};
        livetcp_session_set_callbacks(session, Record::callbacks(), accepted->record.get());
        {
            std::lock_guard<std::mutex> guard(self->lock_);
            self->accepted_.emplace_back(accepted);
        }
        auto ask = self->when_session;
        return !ask || ask(*self, *accepted);
    }
    static void on_rejected(livetcp_listener *, const char *remote, const livetcp_error *error,
                            void *user)
    {
        Server *self = (Server *)user;
        {
            std::lock_guard<std::mutex> guard(self->lock_);
            self->rejected_.push_back({remote, *error});
        }
        auto then = self->when_rejected;
        if (then)
            then(*self);
    }

    Context &context_;
    mutable std::mutex lock_;
    std::vector<std::unique_ptr<Accepted>> accepted_;
    std::vector<Rejected> rejected_;
};

/* A session that calls. */
class Caller
{
  public:
    Caller(Context &context, uint16_t port, Settings settings = {},
           const std::function<void(Record &)> &prepare = nullptr)
        : context_(context)
    {
        livetcp_error error = {};
        settings.insert(settings.begin(), {{"host", "127.0.0.1"}, {"port", std::to_string(port)}});
        livetcp_config config = config_with(settings);
        if (prepare)
            prepare(record);
        livetcp_result result = livetcp_session_connect(
            context.context, &config, Record::callbacks(), &record, &session, &error);
        INFO(error.message);
        REQUIRE(result == LIVETCP_OK);
    }

    ~Caller()
    {
        if (context_.context)
            livetcp_session_destroy(&session);
    }
    Caller(const Caller &) = delete;
    Caller &operator=(const Caller &) = delete;

    livetcp_result send(const Bytes &packet)
    {
        return livetcp_session_send(session, packet.data(), packet.size());
    }

    Record record;
    livetcp_session *session = nullptr;

  private:
    Context &context_;
};

inline livetcp_result send(livetcp_session *session, const Bytes &packet)
{
    return livetcp_session_send(session, packet.data(), packet.size());
}

/* Each packet at most once, and equal to what rtp() made of its number. */
inline bool no_duplicates(const std::vector<Bytes> &packets)
{
    std::vector<bool> seen(65536);
    for (const Bytes &packet : packets) {
        uint16_t sequence = sequence_of(packet);
        if (seen[sequence])
            return false;
        seen[sequence] = true;
    }
    return true;
}

/* Both ends have so many open connections. */
inline void all_open(Context &context, Caller &caller, Server &server, unsigned count)
{
    REQUIRE(until(context, [&] {
        return open_connections(caller.session) == count && server.sessions() == 1 &&
               open_connections(server.session()) == count;
    }));
}

/* Packets of the caller's that all arrive. */
inline void send_and_wait(Context &context, Caller &caller, Server &server, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == count; }));
}

} // namespace world

#endif
