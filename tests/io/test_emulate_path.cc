/* SPDX-License-Identifier: MIT */
/* An emulated path with real sockets at its ends. Needs TUN and network namespaces; without them
 * each test prints "SKIPPED:" and the reason, which ctest reports. Delays are only compared with
 * their lower bound: nothing here depends on the speed of the machine. */
#include "path.h"

extern "C" {
#include "base/error.h"
#include "lab/emulate/netns.h"
#include "lab/emulate/tun.h"
}

#include <arpa/inet.h>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <netinet/tcp.h>
#include <set>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

static livetcp_usec now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<livetcp_usec>(t.tv_sec) * 1000000 + t.tv_nsec / 1000;
}

/* One that a test changes and counts. */
class Emulated : public Path
{
  public:
    using Path::Path;

    void change(lt_direction direction, const std::string &spec)
    {
        lt_link_params params;
        lt_path_get(path, direction, &params);
        REQUIRE(!lt_link_params_parse(&params, spec.c_str(), nullptr));
        REQUIRE(!lt_path_set(path, direction, &params, nullptr));
    }

    lt_path_counters counters(lt_direction direction)
    {
        lt_path_counters out;
        lt_path_get_counters(path, direction, &out);
        return out;
    }
};

/* A socket at one end, bound to a port of the kernel's choice. */
class Socket
{
  public:
    Socket(const Path &path, lt_end end, int family = AF_INET, int type = SOCK_DGRAM)
    {
        wanted_family = family;
        wanted_type = type;
        livetcp_error error = {};
        if (lt_path_call(path.path, end, make, this, &error))
            FAIL(error.message);
        const char *text = family == AF_INET
                               ? (end == LT_NEAR ? LT_PATH_NEAR_IPV4 : LT_PATH_FAR_IPV4)
                               : (end == LT_NEAR ? LT_PATH_NEAR_IPV6 : LT_PATH_FAR_IPV6);
        address.ss_family = static_cast<sa_family_t>(family);
        void *where =
            family == AF_INET
                ? static_cast<void *>(&reinterpret_cast<sockaddr_in *>(&address)->sin_addr)
                : &reinterpret_cast<sockaddr_in6 *>(&address)->sin6_addr;
        REQUIRE(inet_pton(family, text, where) == 1);
        REQUIRE(bind(fd, name(), size()) == 0);
        socklen_t length = sizeof address;
        REQUIRE(getsockname(fd, name(), &length) == 0);
        timeout(10000);
    }
    ~Socket()
    {
        close(fd);
    }
    Socket(const Socket &) = delete;
    Socket &operator=(const Socket &) = delete;

    sockaddr *name()
    {
        return reinterpret_cast<sockaddr *>(&address);
    }
    socklen_t size() const
    {
        return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    }
    void timeout(int ms)
    {
        const timeval limit = {ms / 1000, ms % 1000 * 1000};
        REQUIRE(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
    }
    void send_to(Socket &to, unsigned number, std::size_t length = 100)
    {
        std::vector<char> data(length);
        std::memcpy(data.data(), &number, sizeof number);
        REQUIRE(sendto(fd, data.data(), length, 0, to.name(), to.size()) ==
                static_cast<ssize_t>(length));
    }
    /* The number of the packet, or -1 when none came in time. */
    long receive()
    {
        unsigned number;
        char data[2048];
        if (recv(fd, data, sizeof data, 0) < static_cast<ssize_t>(sizeof number))
            return -1;
        std::memcpy(&number, data, sizeof number);
        return number;
    }

    int fd = -1;
    sockaddr_storage address = {};

  private:
    static livetcp_result make(void *context, livetcp_error *error)
    {
        auto *self = static_cast<Socket *>(context);
        self->fd = socket(self->wanted_family, self->wanted_type | SOCK_CLOEXEC, 0);
        return self->fd < 0 ? lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "no socket")
                            : LIVETCP_OK;
    }
    int wanted_family, wanted_type;
};

TEST_CASE("path: packets cross in both directions, never faster than the delay")
{
    Emulated path("delay=30ms", "delay=10ms");
    if (!path.path)
        return;
    lt_path_health health;
    lt_path_get_health(path.path, &health);
    for (int family : {AF_INET, AF_INET6}) {
        if (family == AF_INET6 && !health.ipv6)
            continue;
        Socket near(path, LT_NEAR, family), far(path, LT_FAR, family);
        livetcp_usec sent = now();
        near.send_to(far, 5);
        REQUIRE(far.receive() == 5);
        CHECK(now() - sent >= 30000);
        sent = now();
        far.send_to(near, 6);
        REQUIRE(near.receive() == 6);
        CHECK(now() - sent >= 10000);
    }
    const auto forward = path.counters(LT_FORWARD);
    CHECK(forward.link.in_packets == (health.ipv6 ? 2u : 1u));
    CHECK(forward.link.out_packets == forward.link.in_packets);
    CHECK(forward.lateness_count == forward.link.out_packets);
    CHECK(forward.write_failed == 0);
    CHECK(forward.read_dropped == 0);
}

TEST_CASE("path: parameters change while it runs")
{
    Emulated path("delay=1ms");
    if (!path.path)
        return;
    Socket near(path, LT_NEAR), far(path, LT_FAR);
    near.send_to(far, 1);
    CHECK(far.receive() == 1);
    path.change(LT_FORWARD, "loss=100%");
    near.send_to(far, 2);
    /* Waits until the packet has been read: only then is it known to be lost to this setting. */
    while (path.counters(LT_FORWARD).link.in_packets < 2)
        std::this_thread::yield();
    path.change(LT_FORWARD, "loss=0,delay=40ms");
    const livetcp_usec sent = now();
    near.send_to(far, 3);
    CHECK(far.receive() == 3);
    CHECK(now() - sent >= 40000);
    CHECK(path.counters(LT_FORWARD).link.lost_random == 1);
    CHECK(path.counters(LT_BACKWARD).link.in_packets == 0);
}

TEST_CASE("path: a shorter delay takes effect on a sleeping forwarder")
{
    Emulated path("delay=3600s,rate=1kbit");
    if (!path.path)
        return;
    Socket near(path, LT_NEAR), far(path, LT_FAR);
    near.send_to(far, 1, 1000);
    while (path.counters(LT_FORWARD).link.queue_packets < 1)
        std::this_thread::yield();
    path.change(LT_FORWARD, "delay=1ms,rate=off");
    CHECK(far.receive() == 1);
}

TEST_CASE("path: the rate spaces packets and the queue drops the rest")
{
    /* 1000 bytes of IP every 8 ms, 10 of them at a time. */
    Emulated path("rate=1mbit,queue=10p");
    if (!path.path)
        return;
    Socket near(path, LT_NEAR), far(path, LT_FAR);
    const livetcp_usec start = now();
    for (unsigned i = 0; i < 50; i++)
        near.send_to(far, i, 972);
    while (path.counters(LT_FORWARD).link.in_packets < 50)
        std::this_thread::yield();
    const auto counters = path.counters(LT_FORWARD);
    const unsigned kept = 50 - static_cast<unsigned>(counters.link.dropped_queue);
    CHECK(kept >= 10);
    CHECK(counters.link.queue_max_packets == 10);
    for (unsigned i = 0; i < kept; i++)
        REQUIRE(far.receive() >= 0);
    CHECK(now() - start >= kept * 8000);
    CHECK(path.counters(LT_FORWARD).link.out_bytes == kept * 1000);
}

TEST_CASE("path: planned times count from the beginning, and a cut link loses what is sent")
{
    Emulated path("delay=1ms,outage=3600s@0");
    if (!path.path)
        return;
    Socket near(path, LT_NEAR), far(path, LT_FAR);
    near.send_to(far, 1);
    CHECK(far.receive() == 1); /* not begun */
    lt_path_begin(path.path, now());
    near.send_to(far, 2);
    while (path.counters(LT_FORWARD).link.in_packets < 2)
        std::this_thread::yield();
    CHECK(path.counters(LT_FORWARD).link.lost_outage == 1);
}

TEST_CASE("path: of two links, the address or the interface of the near end decides")
{
    lt_path_params params;
    livetcp_error error = {};
    lt_path_params_init(&params);
    params.links = 2;
    lt_path *made = lt_path_create(&params, &error);
    if (!made) {
        if (error.code != LIVETCP_ERR_PERMISSION && error.code != LIVETCP_ERR_NOT_SUPPORTED)
            FAIL(error.message);
        std::cout << "SKIPPED: " << error.message << std::endl;
        return;
    }
    REQUIRE(!lt_path_start(made, &error));
    lt_path_health health;
    lt_path_get_health(made, &health);
    struct Job {
        int family;
        const char *from, *device;
        unsigned to;
        bool sent;
    };
    const auto send = [](void *context, livetcp_error *) {
        auto *job = static_cast<Job *>(context);
        sockaddr_storage own = {}, peer = {};
        const auto put = [&](sockaddr_storage *where, const char *text) {
            where->ss_family = static_cast<sa_family_t>(job->family);
            if (job->family == AF_INET)
                inet_pton(AF_INET, text, &reinterpret_cast<sockaddr_in *>(where)->sin_addr);
            else
                inet_pton(AF_INET6, text, &reinterpret_cast<sockaddr_in6 *>(where)->sin6_addr);
        };
        const lt_path_address to =
            job->family == AF_INET ? lt_path_ipv4(job->to, LT_FAR) : lt_path_ipv6(job->to, LT_FAR);
        put(&peer, to.text);
        reinterpret_cast<sockaddr_in *>(&peer)->sin_port = htons(9);
        const int fd = socket(job->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        bool good = fd >= 0;
        if (job->device)
            good = good && !setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, job->device,
                                       static_cast<socklen_t>(std::strlen(job->device)));
        if (job->from) {
            put(&own, job->from);
            good =
                good && !bind(fd, reinterpret_cast<sockaddr *>(&own),
                              job->family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        }
        job->sent = good && sendto(fd, "x", 1, 0, reinterpret_cast<sockaddr *>(&peer),
                                   job->family == AF_INET ? sizeof(sockaddr_in)
                                                          : sizeof(sockaddr_in6)) == 1;
        close(fd);
        return LIVETCP_OK;
    };
    for (int family : {AF_INET, AF_INET6}) {
        if (family == AF_INET6 && !health.ipv6)
            continue;
        const lt_path_address first =
            family == AF_INET ? lt_path_ipv4(0, LT_NEAR) : lt_path_ipv6(0, LT_NEAR);
        const lt_path_address second =
            family == AF_INET ? lt_path_ipv4(1, LT_NEAR) : lt_path_ipv6(1, LT_NEAR);
        const struct {
            Job job;
            unsigned link;
        } cases[] = {{{family, nullptr, nullptr, 0, false}, 0},
                     {{family, nullptr, nullptr, 1, false}, 1},
                     {{family, first.text, nullptr, 1, false}, 0},
                     {{family, second.text, nullptr, 0, false}, 1},
                     {{family, nullptr, "livetcp0", 1, false}, 0},
                     {{family, nullptr, "livetcp1", 0, false}, 1}};
        for (const auto &each : cases) {
            lt_path_counters before[2], after[2];
            Job job = each.job;
            INFO("family " << family << ", from " << (job.from ? job.from : "any") << " on "
                           << (job.device ? job.device : "any") << " to link " << job.to);
            for (int i = 0; i < 2; i++)
                lt_path_get_counters(made, static_cast<lt_direction>(2 * i), &before[i]);
            REQUIRE(!lt_path_call(made, LT_NEAR, send, &job, &error));
            REQUIRE(job.sent);
            do {
                std::this_thread::yield();
                for (int i = 0; i < 2; i++)
                    lt_path_get_counters(made, static_cast<lt_direction>(2 * i), &after[i]);
            } while (after[0].link.in_packets + after[1].link.in_packets ==
                     before[0].link.in_packets + before[1].link.in_packets);
            CHECK(after[each.link].link.in_packets == before[each.link].link.in_packets + 1);
        }
    }
    lt_path_destroy(&made);
}

/* The ECN bits of the next packet, or -1. */
static int receive_ecn(Socket &from)
{
    char data[2048];
    alignas(cmsghdr) char control[128];
    iovec buffer = {data, sizeof data};
    msghdr message = {};
    message.msg_iov = &buffer;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(from.fd, &message, 0) < 0)
        return -1;
    for (cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
            return *CMSG_DATA(c) & 3;
    return -1;
}

TEST_CASE("path: marked packets arrive marked, with a checksum that the kernel accepts")
{
    Emulated path("rate=1mbit,ecn=1p,queue=off");
    if (!path.path)
        return;
    Socket near(path, LT_NEAR), far(path, LT_FAR);
    const int ect0 = 2, on = 1;
    REQUIRE(setsockopt(near.fd, IPPROTO_IP, IP_TOS, &ect0, sizeof ect0) == 0);
    REQUIRE(setsockopt(far.fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof on) == 0);
    for (unsigned i = 0; i < 20; i++)
        near.send_to(far, i, 972);
    unsigned marked = 0;
    CHECK(receive_ecn(far) == 2); /* the first finds an empty queue */
    for (unsigned i = 1; i < 20; i++) {
        const int ecn = receive_ecn(far);
        REQUIRE((ecn == 2 || ecn == 3));
        marked += ecn == 3;
    }
    CHECK(marked > 0);
    CHECK(path.counters(LT_FORWARD).link.marked == marked);
}

TEST_CASE("path: the same seed loses the same packets")
{
    const auto survivors = [](std::uint64_t seed) {
        std::set<long> out;
        Emulated path("loss=30%,burst=3", "", seed);
        if (!path.path)
            return out;
        Socket near(path, LT_NEAR), far(path, LT_FAR);
        for (unsigned i = 0; i < 300; i++)
            near.send_to(far, i);
        while (path.counters(LT_FORWARD).link.in_packets < 300)
            std::this_thread::yield();
        const auto counters = path.counters(LT_FORWARD);
        CHECK(counters.link.lost_burst > 0);
        for (auto left = 300 - counters.link.lost_burst; left > 0; left--)
            out.insert(far.receive());
        CHECK(out.count(-1) == 0);
        return out;
    };
    const auto first = survivors(11);
    if (first.empty())
        return;
    CHECK(survivors(11) == first);
    CHECK(survivors(12) != first);
}

TEST_CASE("path: TCP gets through a lossy path unharmed")
{
    Emulated path("delay=5ms,loss=1%", "delay=5ms");
    if (!path.path)
        return;
    Socket client(path, LT_NEAR, AF_INET, SOCK_STREAM), server(path, LT_FAR, AF_INET, SOCK_STREAM);
    REQUIRE(listen(server.fd, 1) == 0);
    REQUIRE(connect(client.fd, server.name(), server.size()) == 0);
    const int accepted = accept(server.fd, nullptr, nullptr);
    REQUIRE(accepted >= 0);
    std::string sent(400000, '\0'), received;
    for (std::size_t i = 0; i < sent.size(); i++)
        sent[i] = static_cast<char>(i * i >> 7);
    std::thread writer([&] {
        std::size_t done = 0;
        for (ssize_t n; done < sent.size(); done += static_cast<std::size_t>(n))
            if ((n = send(client.fd, sent.data() + done, sent.size() - done, MSG_NOSIGNAL)) < 0)
                break;
        shutdown(client.fd, SHUT_WR);
    });
    char data[65536];
    for (ssize_t n; (n = recv(accepted, data, sizeof data, 0)) > 0;)
        received.append(data, static_cast<std::size_t>(n));
    writer.join();
    close(accepted);
    CHECK(received == sent);
    CHECK(path.counters(LT_FORWARD).link.lost_random > 0);
}

TEST_CASE("path: settings of the namespaces")
{
    Emulated path;
    if (!path.path)
        return;
    livetcp_error error = {};
    CHECK(lt_path_sysctl_set(path.path, LT_NEAR, "net/ipv4/ip_default_ttl", "7", &error) ==
          LIVETCP_OK);
    CHECK(lt_path_set_congestion_control(path.path, "reno", &error) == LIVETCP_OK);
    CHECK(lt_path_set_congestion_control(path.path, "no-such-algorithm", &error) != LIVETCP_OK);
    CHECK(std::string(error.message).find("allowed:") != std::string::npos);
    CHECK(lt_path_sysctl_set(path.path, LT_FAR, "net/ipv4/no_such_key", "7", &error) ==
          LIVETCP_ERR_SYSTEM);
    CHECK(std::string(error.message).find("no_such_key") != std::string::npos);

    Socket near(path, LT_NEAR, AF_INET, SOCK_STREAM);
    char name[16] = {};
    socklen_t length = sizeof name;
    REQUIRE(getsockopt(near.fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) == 0);
    CHECK(std::string(name) == "reno");
}

namespace
{

int threads()
{
    const std::filesystem::directory_iterator tasks("/proc/self/task"), end;
    return static_cast<int>(std::distance(tasks, end));
}

/* A thread that has been joined may be listed a moment longer. */
bool comes_to_threads(int expected)
{
    for (livetcp_usec limit = now() + 10000000; threads() != expected && now() < limit;)
        std::this_thread::yield();
    return threads() == expected;
}

} // namespace

TEST_CASE("path: nothing crosses, and there is no thread, until it is started")
{
    std::thread([] {}).join(); /* with the first one ThreadSanitizer starts its own */
    int before = threads();
    Emulated path("", "", 1, false);
    if (!path.path)
        return;
    CHECK(comes_to_threads(before));
    Socket near(path, LT_NEAR), far(path, LT_FAR);
    near.send_to(far, 7);
    far.timeout(50);
    CHECK(far.receive() == -1);
    REQUIRE(!lt_path_start(path.path, nullptr));
    far.timeout(10000);
    CHECK(far.receive() == 7); /* it waited */
    lt_path_destroy(&path.path);
    CHECK(comes_to_threads(before));
}

TEST_CASE("path: bad parameters are refused, packets in flight go with the path")
{
    lt_path_params params;
    livetcp_error error = {};
    lt_path_params_init(&params);
    params.mtu = 100;
    CHECK(lt_path_create(&params, &error) == nullptr);
    CHECK(std::string(error.message).find("mtu 100") != std::string::npos);

    Emulated path("delay=3600s");
    if (!path.path)
        return;
    Socket near(path, LT_NEAR), far(path, LT_FAR);
    for (unsigned i = 0; i < 100; i++)
        near.send_to(far, i);
    while (path.counters(LT_FORWARD).link.flight_packets < 100)
        std::this_thread::yield();
}

struct Unread {
    lt_tun tun = {};
    unsigned sent = 0;
};

/* Sends more than the queue holds to a device that nobody reads. */
static livetcp_result overfill(void *context, livetcp_error *error)
{
    auto *unread = static_cast<Unread *>(context);
    const lt_tun_config config = {"test0", LT_PATH_NEAR_IPV4, LT_PATH_NEAR_IPV6, 1500, 10};
    livetcp_result result = lt_tun_open(&unread->tun, &config, error);
    if (result)
        return result;
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    inet_pton(AF_INET, LT_PATH_FAR_IPV4, &to.sin_addr);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (; unread->sent < 50; unread->sent++)
        sendto(fd, "x", 1, 0, reinterpret_cast<sockaddr *>(&to), sizeof to);
    close(fd);
    return LIVETCP_OK;
}

TEST_CASE("tun: what the reader leaves too long is dropped by the kernel, and counted")
{
    Emulated path; /* whether this system can do it at all, and the way into a user namespace */
    if (!path.path)
        return;
    Unread unread;
    livetcp_error error = {};
    int netns = -1;
    if (lt_netns_create(&netns, overfill, &unread, &error))
        FAIL(error.message);
    char packet[2048];
    unsigned read_back = 0;
    while (read(unread.tun.fd, packet, sizeof packet) > 0)
        read_back++;
    CHECK(read_back > 0);
    CHECK(read_back < unread.sent);
    CHECK(lt_tun_dropped(&unread.tun) == unread.sent - read_back);
    lt_tun_close(&unread.tun);
    close(netns);
}
