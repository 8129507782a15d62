/* SPDX-License-Identifier: MIT */
/* Something on the way that ends TCP, over real sockets: it takes what the caller writes, and dies
 * with it. */
#include "io/sockets.h"

#include <atomic>
#include <netinet/tcp.h>
#include <poll.h>
#include <set>
#include <thread>

using namespace world;

namespace
{

/* A relay on a thread of its own. Stalled, it reads from the callers and hands nothing on. */
class Middlebox
{
  public:
    explicit Middlebox(uint16_t to) : to_(to)
    {
        sockaddr_in address = local(0);
        socklen_t size = sizeof address;
        listener_ = socket(AF_INET, SOCK_STREAM, 0);
        REQUIRE(bind(listener_, (sockaddr *)&address, sizeof address) == 0);
        REQUIRE(listen(listener_, 16) == 0);
        REQUIRE(getsockname(listener_, (sockaddr *)&address, &size) == 0);
        port = ntohs(address.sin_port);
        thread_ = std::thread([this] { run(); });
    }
    ~Middlebox()
    {
        stopped_ = true;
        thread_.join();
        for (Pair &pair : pairs_)
            end(pair);
        close(listener_);
    }

    /* Its connections break, both ways, with what it has. */
    void die()
    {
        die_ = true;
        while (die_)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    uint16_t port = 0;
    std::atomic<bool> stalled{false};
    std::atomic<size_t> held{0}; /* bytes that it has acknowledged and not handed on */

  private:
    struct Pair {
        int caller, listener;
        std::vector<uint8_t> held;
    };

    static sockaddr_in local(uint16_t port)
    {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        return address;
    }

    static void write_all(int fd, const uint8_t *data, size_t size)
    {
        while (size) {
            ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
            if (n <= 0)
                return;
            data += n;
            size -= (size_t)n;
        }
    }

    /* With RST: what was not read is gone. */
    static void end(Pair &pair)
    {
        linger at_once = {1, 0};
        for (int *fd : {&pair.caller, &pair.listener}) {
            if (*fd < 0)
                continue;
            setsockopt(*fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
            close(*fd);
            *fd = -1;
        }
    }

    void accept_one()
    {
        sockaddr_in address = local(to_);
        int one = 1;
        Pair pair = {accept(listener_, nullptr, nullptr), socket(AF_INET, SOCK_STREAM, 0), {}};
        if (pair.caller < 0 || connect(pair.listener, (sockaddr *)&address, sizeof address)) {
            end(pair);
            return;
        }
        for (int fd : {pair.caller, pair.listener})
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        pairs_.push_back(pair);
    }

    void pass(Pair &pair)
    {
        uint8_t bytes[65536];
        ssize_t n = recv(pair.caller, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n == 0) {
            end(pair);
            return;
        }
        if (n > 0) {
            pair.held.insert(pair.held.end(), bytes, bytes + n);
            held += (size_t)n;
        }
        if (!stalled && !pair.held.empty()) {
            write_all(pair.listener, pair.held.data(), pair.held.size());
            held -= pair.held.size();
            pair.held.clear();
        }
        n = recv(pair.listener, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n == 0)
            end(pair);
        else if (n > 0)
            write_all(pair.caller, bytes, (size_t)n);
    }

    void run()
    {
        while (!stopped_) {
            pollfd ready = {listener_, POLLIN, 0};
            if (poll(&ready, 1, 1) > 0)
                accept_one();
            bool dies = die_;
            for (Pair &pair : pairs_) {
                if (dies) {
                    held -= pair.held.size();
                    pair.held.clear();
                    end(pair);
                }
                if (pair.caller >= 0)
                    pass(pair);
            }
            if (dies)
                die_ = false;
        }
    }

    uint16_t to_;
    int listener_ = -1;
    std::vector<Pair> pairs_;
    std::atomic<bool> stopped_{false}, die_{false};
    std::thread thread_;
};

} // namespace

TEST_CASE("what a relay that is killed had acknowledged comes again", "[middlebox]")
{
    bool tls = GENERATE(false, true);
    unsigned connections = GENERATE(1, 3);
    CAPTURE(tls, connections);
    Settings secret = {{"reconnect-min", "10"}, {"reconnect-max", "50"}, {"max-send-delay", "0"}};
    if (tls)
        secret.push_back({"passphrase", "correct horse battery"});
    Context context;
    Server server(context, secret);
    Middlebox middlebox(server.port);
    secret.push_back({"connections", std::to_string(connections)});
    Caller caller(context, middlebox.port, secret);
    REQUIRE(until(context, [&] { return open_connections(caller.session) == connections; }));

    uint16_t sequence = 0;
    for (int i = 0; i < 50; i++)
        REQUIRE(caller.send(rtp(sequence++, 1000)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() >= 50; }));
    middlebox.stalled = true;
    size_t before = server.record().packets();
    for (int i = 0; i < 50; i++) {
        REQUIRE(caller.send(rtp(sequence++, 1000)) == LIVETCP_OK);
        REQUIRE(until(context, [&] { return middlebox.held >= (size_t)(i + 1) * 1000; }));
    }
    /* All of it is acknowledged, which the engine learns when it asks. */
    REQUIRE(until(context, [&] {
        for (unsigned i = 0; i < connections; i++)
            if (connection_stats(caller.session, i).path.queued_bytes)
                return false;
        return true;
    }));
    CHECK(server.record().packets() == before);
    middlebox.die();
    middlebox.stalled = false;
    CHECK(until(
        context, [&] { return server.record().packets() >= 100; }, 20000));
    CHECK(no_duplicates(server.record().all_packets()));
    std::set<uint16_t> sequences;
    for (const Bytes &packet : server.record().all_packets())
        sequences.insert(sequence_of(packet));
    CHECK(sequences.size() == 100);
    /* Both count what the receipt of the new connection said, after the packets were sent again. */
    CHECK(until(context, [&] {
        return stats_of(caller.session).sent.acknowledged_lost == 50 &&
               stats_of(server.session()).received.acknowledged_lost == 50;
    }));
    livetcp_session_stats stats = stats_of(caller.session);
    CHECK(stats.sent.acknowledged_resent == 50);
    CHECK(stats.dropped.late + stats.dropped.connection == 0);
}
