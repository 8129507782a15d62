/* SPDX-License-Identifier: MIT */
/* The probe against real sockets, and the fallback beside it. */
#include "catch.h"

extern "C" {
#include "platform/probe.h"

const char *lt_platform_none_name(void);
void lt_platform_none_probe(int socket, bool briefly, livetcp_path *path);
livetcp_result lt_platform_none_prepare(int socket, livetcp_usec user_timeout_us);
livetcp_result lt_platform_none_set_congestion_control(int socket, const char *name,
                                                       livetcp_error *error);
void lt_platform_none_acknowledge_now(int socket);
bool lt_platform_none_align_segments(int socket, size_t frame);
bool lt_platform_none_limit_unsent(int socket, uint32_t bytes);
}

#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace
{

/* Two ends of a loopback connection. */
struct Pair {
    int a = -1, b = -1;

    Pair()
    {
        int listener = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = {};
        socklen_t size = sizeof address;
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(bind(listener, (sockaddr *)&address, sizeof address) == 0);
        REQUIRE(listen(listener, 1) == 0);
        REQUIRE(getsockname(listener, (sockaddr *)&address, &size) == 0);
        a = socket(AF_INET, SOCK_STREAM, 0);
        REQUIRE(connect(a, (sockaddr *)&address, sizeof address) == 0);
        b = accept(listener, nullptr, nullptr);
        REQUIRE(b >= 0);
        close(listener);
    }
    ~Pair()
    {
        close(a);
        close(b);
    }
};

bool on_linux()
{
    return std::string(lt_platform_name()) == "linux";
}

std::string congestion_control(int socket)
{
    char name[17] = {};
#ifdef TCP_CONGESTION
    socklen_t size = sizeof name - 1;
    REQUIRE(getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &size) == 0);
#else
    (void)socket;
#endif
    return name;
}

int option(int socket, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    REQUIRE(getsockopt(socket, level, name, &value, &size) == 0);
    return value;
}

/* Writes until the kernel takes no more; the other end does not read. */
size_t fill(int socket)
{
    std::vector<char> block(65536);
    size_t total = 0;
    for (;;) {
        ssize_t n = send(socket, block.data(), block.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n <= 0)
            return total;
        total += (size_t)n;
    }
}

} // namespace

TEST_CASE("a probe sees what an unread connection holds back", "[platform]")
{
    Pair pair;
    livetcp_path path = {};
    size_t written = fill(pair.a);
    lt_platform_probe(pair.a, false, &path);
    if (!on_linux()) {
        CHECK(path.known == 0);
        return;
    }
    const uint32_t expected = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_TCP_STATE |
                              LIVETCP_PATH_CWND | LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT |
                              LIVETCP_PATH_RTO | LIVETCP_PATH_MSS | LIVETCP_PATH_RETRANSMITS |
                              LIVETCP_PATH_SACKED;
    CHECK((path.known & expected) == expected);
    CHECK(path.unsent_bytes > 0);
    CHECK(path.queued_bytes >= path.unsent_bytes);
    CHECK(path.queued_bytes <= written);
    CHECK(path.sacked_bytes <= path.queued_bytes);
    CHECK(path.mss_bytes >= 500);
    CHECK(path.cwnd_bytes >= path.mss_bytes);
    CHECK(path.rtt_us > 0);
    CHECK(path.rtt_us < 10 * LIVETCP_USEC_SEC);
    CHECK(path.rto_us >= path.rtt_us);
    CHECK(path.tcp_state != LIVETCP_TCP_UNKNOWN);
}

TEST_CASE("a probe of an idle connection sees empty queues", "[platform]")
{
    Pair pair;
    livetcp_path path = {};
    path.connection = 7;
    path.queued_bytes = 99;
    lt_platform_probe(pair.a, false, &path);
    CHECK(path.connection == 7);
    if (!on_linux())
        return;
    CHECK((path.known & LIVETCP_PATH_QUEUED) != 0);
    CHECK(path.queued_bytes == 0);
    CHECK(path.unsent_bytes == 0);
}

TEST_CASE("a brief probe asks for more only where something is in flight", "[platform]")
{
    Pair pair;
    livetcp_path idle = {}, busy = {};
    idle.sacked_bytes = 99; /* of an earlier probe */
    lt_platform_probe(pair.a, true, &idle);
    fill(pair.a);
    lt_platform_probe(pair.a, true, &busy);
    if (!on_linux()) {
        CHECK((idle.known | busy.known) == 0);
        return;
    }
    CHECK(idle.known == (LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_TCP_STATE |
                         LIVETCP_PATH_SACKED));
    CHECK(idle.sacked_bytes == 0);
    CHECK(idle.tcp_state == LIVETCP_TCP_OPEN);
    CHECK((idle.queued_bytes | idle.unsent_bytes) == 0);
    CHECK((busy.known & LIVETCP_PATH_CWND) != 0);
    CHECK(busy.queued_bytes > 0);
}

TEST_CASE("what cannot be asked is unknown", "[platform]")
{
    int pipes[2];
    REQUIRE(pipe(pipes) == 0);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(listen(listener, 1) == 0);
    for (int fd : {-1, pipes[0], listener}) {
        livetcp_path path = {};
        path.known = UINT32_MAX;
        lt_platform_probe(fd, false, &path);
        CHECK(path.known == 0);
    }
    lt_platform_acknowledge_now(-1);
    close(pipes[0]);
    close(pipes[1]);
    close(listener);
}

TEST_CASE("prepare sets the media defaults", "[platform]")
{
    Pair pair;
    CHECK(lt_platform_prepare(pair.a, 10 * LIVETCP_USEC_SEC) == LIVETCP_OK);
    CHECK(option(pair.a, IPPROTO_TCP, TCP_NODELAY) != 0);
    CHECK(option(pair.a, SOL_SOCKET, SO_KEEPALIVE) != 0);
    CHECK((fcntl(pair.a, F_GETFD) & FD_CLOEXEC) != 0);
#ifdef TCP_USER_TIMEOUT
    if (on_linux())
        CHECK(option(pair.a, IPPROTO_TCP, TCP_USER_TIMEOUT) == 10000);
#endif
    CHECK(lt_platform_prepare(-1, 0) == LIVETCP_ERR_SYSTEM);
}

static bool writable(int socket)
{
    pollfd poll_fd = {socket, POLLOUT, 0};
    REQUIRE(poll(&poll_fd, 1, 0) >= 0);
    return poll_fd.revents & POLLOUT;
}

TEST_CASE("a socket is writable while less than its limit is unsent", "[platform]")
{
    using Limit = bool (*)(int, uint32_t);
    for (Limit limit : {Limit(lt_platform_limit_unsent), Limit(lt_platform_none_limit_unsent)}) {
        Pair pair;
        CHECK(writable(pair.a));
        if (!limit(pair.a, 10000))
            continue; /* the system does not have it */
        CHECK(writable(pair.a));
        fill(pair.a); /* nobody reads: what is beyond the window stays unsent */
        CHECK_FALSE(writable(pair.a));
    }
    CHECK_FALSE(lt_platform_limit_unsent(-1, 1));
}

TEST_CASE("the limit of what is unsent is in bytes, and can be taken away", "[platform]")
{
    Pair pair;
    livetcp_path path = {};
    if (!on_linux())
        return;
    REQUIRE(lt_platform_limit_unsent(pair.a, 10000));
    size_t limited = fill(pair.a);
    lt_platform_probe(pair.a, false, &path);
    CHECK(path.unsent_bytes >= 10000);
    REQUIRE(lt_platform_limit_unsent(pair.a, UINT32_MAX));
    CHECK(fill(pair.a) > 0); /* room that the limit had kept */
    CHECK(limited > 0);
    CHECK(lt_platform_limit_unsent(pair.a, UINT32_MAX - 1)); /* as much as an int holds */
    CHECK(option(pair.a, IPPROTO_TCP, TCP_NOTSENT_LOWAT) > 0);
}

TEST_CASE("congestion control by name", "[platform]")
{
    Pair pair;
    livetcp_error error = {};
    CHECK(lt_platform_set_congestion_control(pair.a, "", &error) == LIVETCP_OK);
    CHECK(error.code == LIVETCP_OK);
    if (on_linux()) {
        REQUIRE(lt_platform_set_congestion_control(pair.a, "reno", &error) == LIVETCP_OK);
        CHECK(congestion_control(pair.a) == "reno");
    }
    CHECK(lt_platform_set_congestion_control(pair.a, "no-such", &error) ==
          LIVETCP_ERR_NOT_SUPPORTED);
    CHECK(error.code == LIVETCP_ERR_NOT_SUPPORTED);
    CHECK(std::string(error.message).find("congestion-control=no-such") != std::string::npos);
    if (on_linux())
        CHECK(std::string(error.message).find("reno") != std::string::npos);
}

TEST_CASE("an unknown congestion control names what privileged programs may set, too", "[platform]")
{
    Pair pair;
    livetcp_error error = {};
    if (!on_linux())
        return;
    REQUIRE(lt_platform_set_congestion_control(pair.a, "no-such", &error) ==
            LIVETCP_ERR_NOT_SUPPORTED);
    std::ifstream file("/proc/sys/net/ipv4/tcp_available_congestion_control");
    std::string name, message = error.message;
    while (file >> name) {
        INFO(message);
        CHECK(message.find(name) != std::string::npos);
    }
    CHECK(message.find("auto") != std::string::npos);
}

TEST_CASE("congestion control auto is the best that can be set here", "[platform]")
{
    Pair pair, other;
    livetcp_error error = {};
    REQUIRE(lt_platform_set_congestion_control(pair.a, "auto", &error) == LIVETCP_OK);
    CHECK(error.code == LIVETCP_OK);
    if (!on_linux())
        return;
    std::string best = congestion_control(other.a);
    for (const char *name : {"reno", "cubic", "bbr"})
        if (lt_platform_set_congestion_control(other.a, name, nullptr) == LIVETCP_OK)
            best = name;
    CHECK(congestion_control(pair.a) == best);
}

TEST_CASE("congestion control auto is no reason to fail where nothing can be set", "[platform]")
{
    livetcp_error error = {};
    int no_tcp = socket(AF_INET, SOCK_DGRAM, 0);
    REQUIRE(no_tcp >= 0);
    CHECK(lt_platform_set_congestion_control(no_tcp, "auto", &error) == LIVETCP_OK);
    CHECK(error.code == LIVETCP_OK);
    if (on_linux())
        CHECK(lt_platform_set_congestion_control(no_tcp, "reno", &error) != LIVETCP_OK);
    close(no_tcp);

    Pair pair;
    if (!on_linux())
        return;
    std::string before = congestion_control(pair.a);
    CHECK(lt_platform_none_set_congestion_control(pair.a, "auto", &error) == LIVETCP_OK);
    CHECK(congestion_control(pair.a) == before);
}

TEST_CASE("the fallback knows nothing and says so", "[platform]")
{
    Pair pair;
    livetcp_path path = {};
    livetcp_error error = {};
    path.known = UINT32_MAX;
    lt_platform_none_probe(pair.a, false, &path);
    CHECK(path.known == 0);
    CHECK(std::string(lt_platform_none_name()) == "none");
    CHECK(lt_platform_none_prepare(pair.a, 10 * LIVETCP_USEC_SEC) == LIVETCP_OK);
    CHECK(option(pair.a, IPPROTO_TCP, TCP_NODELAY) != 0);
    CHECK(lt_platform_none_prepare(-1, 0) == LIVETCP_ERR_SYSTEM);
    CHECK(lt_platform_none_set_congestion_control(pair.a, "", &error) == LIVETCP_OK);
    CHECK(lt_platform_none_set_congestion_control(pair.a, "reno", &error) ==
          LIVETCP_ERR_NOT_SUPPORTED);
    CHECK_FALSE(lt_platform_none_align_segments(pair.a, 174));
    lt_platform_none_acknowledge_now(pair.a);
}
