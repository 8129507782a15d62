/* SPDX-License-Identifier: MIT */
/* A random driver of the public API, as msquic's spinquic: contexts, listeners, callers and raw
 * sockets, in any order and from inside callbacks, with settings and sizes that a program may give
 * by mistake. It knows no right answer but these: nothing crashes, leaks or hangs, statistics add
 * up, and a context ends. The same seed gives the same calls; what the network does in between
 * differs. */
#include "io/sockets.h"

#include <algorithm>
#include <cstdlib>

using namespace world;

namespace
{

class Driver
{
  public:
    Driver(uint32_t seed, bool own_thread) : context_(own_thread), random_(seed)
    {
        own_thread_ = own_thread;
    }
    ~Driver()
    {
        /* Sometimes the context takes everything along. */
        if (chance(2)) {
            for (auto &listener : listeners_)
                livetcp_listener_destroy(&listener);
            for (Session *session : sessions())
                destroy(*session);
        }
        context_.end();
    }

    void step()
    {
        switch (below(12)) {
        case 0:
            listen();
            break;
        case 1:
        case 2:
            call();
            break;
        case 3:
            stranger();
            break;
        case 4:
            strangers_.clear();
            break;
        case 5:
            end_one();
            break;
        case 6:
            set_something();
            break;
        case 7:
            ask_something();
            break;
        default:
            send_some();
            break;
        }
        for (unsigned i = below(4); i; i--)
            context_.turn();
    }

  private:
    struct Session {
        Driver *driver;
        livetcp_session *session = nullptr;
        bool ours = false; /* to be destroyed by us */
    };

    unsigned below(unsigned bound)
    {
        std::lock_guard<std::mutex> guard(lock_);
        return bound ? (unsigned)(random_() % bound) : 0;
    }
    bool chance(unsigned in)
    {
        return below(in) == 0;
    }

    std::vector<Session *> sessions()
    {
        std::lock_guard<std::mutex> guard(lock_);
        std::vector<Session *> alive;
        for (auto &session : all_)
            if (session->ours)
                alive.push_back(session.get());
        return alive;
    }
    Session *any_session()
    {
        std::vector<Session *> alive = sessions();
        return alive.empty() ? nullptr : alive[below((unsigned)alive.size())];
    }
    Session &add(livetcp_session *session)
    {
        std::lock_guard<std::mutex> guard(lock_);
        all_.push_back(std::make_unique<Session>());
        all_.back()->driver = this;
        all_.back()->session = session;
        all_.back()->ours = true;
        return *all_.back();
    }

    static const livetcp_session_callbacks *callbacks()
    {
        /* Asked for by several threads: complete before the first of them sees it. */
        static const livetcp_session_callbacks table = [] {
            livetcp_session_callbacks t = {};
            t.struct_size = sizeof t;
            t.on_packet = [](livetcp_session *, const livetcp_packet *packet, void *user) {
                static_cast<Session *>(user)->driver->seen(packet);
            };
            t.on_state = [](livetcp_session *session, livetcp_session_state, const livetcp_error *,
                            void *user) {
                static_cast<Session *>(user)->driver->in_callback(session);
            };
            t.on_connection = [](livetcp_session *session, unsigned, livetcp_connection_state,
                                 const livetcp_error *, void *user) {
                static_cast<Session *>(user)->driver->in_callback(session);
            };
            return t;
        }();
        return &table;
    }

    void seen(const livetcp_packet *packet)
    {
        volatile uint8_t sum = 0;
        for (size_t i = 0; i < packet->size; i++)
            sum = (uint8_t)(sum + packet->data[i]);
    }

    void in_callback(livetcp_session *session)
    {
        Bytes packet = rtp((uint16_t)below(65536), 12 + below(1400));
        if (chance(4))
            (void)livetcp_session_send(session, packet.data(), packet.size());
        if (chance(20))
            livetcp_session_close(session, below(2) ? 0 : 20 * (livetcp_usec)LIVETCP_USEC_MSEC);
    }

    livetcp_config any_config()
    {
        static const char *const values[] = {
            "0",      "1",         "2",        "8",     "32",   "100", "300",  "1000",
            "65535",  "auto",      "sequence", "plain", "on",   "off", "true", "false",
            "parity", "duplicate", "",         "-1",    "reno", "x"};
        livetcp_config config = config_with({{"host", "127.0.0.1"}});
        for (unsigned i = below(6); i; i--) {
            unsigned count = 0;
            while (livetcp_config_setting(count))
                count++;
            const char *name = livetcp_config_setting(below(count))->name;
            if (strcmp(name, "host") && strcmp(name, "port") && strcmp(name, "localaddress") &&
                strcmp(name, "localport"))
                (void)livetcp_config_set(&config, name,
                                         values[below(sizeof values / sizeof *values)], nullptr);
        }
        config.handshake_timeout_us = 300 * LIVETCP_USEC_MSEC;
        return config;
    }

    void listen()
    {
        static livetcp_listener_callbacks table = {};
        table.struct_size = sizeof table;
        table.on_session = [](livetcp_listener *, livetcp_session *session, const char *,
                              void *user) {
            auto *driver = static_cast<Driver *>(user);
            if (driver->chance(5))
                return false;
            (void)livetcp_session_set_callbacks(session, callbacks(), &driver->add(session));
            return true;
        };
        livetcp_config config = any_config();
        livetcp_listener *listener = nullptr;
        config.port = 0;
        if (listeners_.size() < 4 &&
            livetcp_listener_create(context_.context, &config, &table, this, &listener, nullptr) ==
                LIVETCP_OK)
            listeners_.push_back(listener);
    }

    uint16_t any_port()
    {
        return listeners_.empty()
                   ? 9
                   : livetcp_listener_port(listeners_[below((unsigned)listeners_.size())]);
    }

    void call()
    {
        livetcp_config config = any_config();
        livetcp_error error = {};
        config.mode = LIVETCP_MODE_CALLER;
        config.port = any_port();
        if (sessions().size() >= 12)
            return;
        Session &made = add(nullptr);
        if (livetcp_session_connect(context_.context, &config, callbacks(), &made, &made.session,
                                    &error) != LIVETCP_OK) {
            CHECK(error.message[0]);
            CHECK(made.session == nullptr);
            made.ours = false;
        }
    }

    void stranger()
    {
        if (listeners_.empty() || strangers_.size() > 8)
            return;
        strangers_.push_back(std::make_unique<Raw>(any_port()));
        Raw &raw = *strangers_.back();
        Bytes bytes;
        if (chance(2)) {
            Impostor impostor;
            bytes = impostor.start(below(4), 4);
        }
        for (unsigned i = below(200); i; i--)
            bytes.push_back((uint8_t)below(256));
        if (!bytes.empty())
            (void)::send(raw.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }

    void destroy(Session &session)
    {
        {
            std::lock_guard<std::mutex> guard(lock_);
            session.ours = false;
        }
        livetcp_session_destroy(&session.session);
        CHECK(session.session == nullptr);
    }

    void end_one()
    {
        if (chance(3) && !listeners_.empty()) {
            unsigned at = below((unsigned)listeners_.size());
            livetcp_listener_destroy(&listeners_[at]);
            listeners_.erase(listeners_.begin() + at);
        } else if (Session *session = any_session()) {
            if (chance(2))
                livetcp_session_close(session->session, below(3) * LIVETCP_USEC_MSEC);
            else
                destroy(*session);
        }
    }

    void set_something()
    {
        Session *session = any_session();
        if (!session)
            return;
        const livetcp_policy *policy = livetcp_policy_at(below(9));
        (void)livetcp_session_set_policy(session->session, policy ? policy->name : "none", nullptr);
        (void)livetcp_session_set_redundancy_budget(session->session, below(9) - 1.0, nullptr);
        (void)livetcp_session_set_bitrate_bounds(session->session, below(3000000), below(3000000),
                                                 nullptr);
        (void)livetcp_session_set_max_send_delay(session->session, below(3) * 100000, nullptr);
        (void)livetcp_session_set_order(
            session->session, below(2) ? LIVETCP_ORDER_SEQUENCE : LIVETCP_ORDER_ARRIVAL, nullptr);
        (void)livetcp_session_set_clock_rate(session->session, (int)below(130) - 1, below(90001));
    }

    void ask_something()
    {
        Session *session = any_session();
        if (!session)
            return;
        livetcp_session_stats stats = stats_of(session->session);
        CHECK(stats.open_connections <= stats.connections);
        CHECK(stats.sent.packets + stats.sent.queue_packets + stats.dropped.queue_full +
                  stats.dropped.late <=
              stats.sent.accepted + stats.sent.resent);
        std::vector<char> text(below(2) ? 8 : 65536);
        (void)livetcp_session_stats_json(session->session, text.data(), text.size());
        livetcp_playout_path path = {};
        path.struct_size = sizeof path;
        (void)livetcp_session_get_playout_path(session->session, &path);
        livetcp_session_notify_when_sent(session->session);
    }

    void send_some()
    {
        Session *session = any_session();
        for (unsigned i = below(30); session && i; i--) {
            Bytes packet = rtp((uint16_t)sequence_++, 12 + below(1400), below(3));
            if (chance(50))
                packet.resize(below(30));
            livetcp_packet_info info = {};
            info.struct_size = sizeof info;
            info.importance = (livetcp_importance)below(6);
            (void)livetcp_session_send_with(session->session, packet.data(), packet.size(), &info);
        }
    }

    Context context_;
    bool own_thread_;
    std::mutex lock_;
    std::mt19937 random_;
    uint32_t sequence_ = 0;
    std::vector<std::unique_ptr<Session>> all_;
    std::vector<livetcp_listener *> listeners_;
    std::vector<std::unique_ptr<Raw>> strangers_;
};

} // namespace

TEST_CASE("the public API in random order", "[api-driver]")
{
    /* More, elsewhere: LIVETCP_DRIVER_SEEDS=1000 LIVETCP_DRIVER_FIRST=77 io-api-driver */
    const char *seeds = getenv("LIVETCP_DRIVER_SEEDS"), *first = getenv("LIVETCP_DRIVER_FIRST");
    unsigned from = first ? (unsigned)atoi(first) : 1, count = seeds ? (unsigned)atoi(seeds) : 12;
    for (unsigned seed = from; seed < from + count; seed++) {
        INFO("seed " << seed);
        Driver driver(seed, seed % 2);
        for (int i = 0; i < 150; i++)
            driver.step();
    }
}
