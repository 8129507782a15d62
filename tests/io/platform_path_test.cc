/* SPDX-License-Identifier: MIT */
/* The probe and the options on sockets with an emulated path between them, where there are round
 * trips and losses. Needs TUN and network namespaces; without them each test prints "SKIPPED:" and
 * the reason, which ctest reports. Nothing here depends on the speed of the machine. */
#include "catch.h"

#include "path.h"

extern "C" {
#include "platform/probe.h"
}

#include <arpa/inet.h>
#include <ctime>
#include <functional>
#include <iostream>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace
{

/* Generous: reached only when a test fails. */
const double PATIENCE_S = 200;

double seconds()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool until(const std::function<bool()> &condition)
{
    for (double end = seconds() + PATIENCE_S; !condition(); usleep(500))
        if (seconds() > end)
            return false;
    return true;
}

livetcp_result make_socket(void *context, livetcp_error *)
{
    *(int *)context = socket(AF_INET, SOCK_STREAM, 0);
    return *(int *)context < 0 ? LIVETCP_ERR_SYSTEM : LIVETCP_OK;
}

using Prepare = std::function<void(int socket)>;

/* A TCP connection from the near to the far end. */
class Call : public Path
{
  public:
    using Path::Path;
    ~Call()
    {
        for (int fd : {near, far})
            if (fd >= 0)
                close(fd);
    }
    void connect(const Prepare &prepare = nullptr)
    {
        int listener = -1;
        sockaddr_in address = {};
        socklen_t size = sizeof address;
        REQUIRE(lt_path_call(path, LT_NEAR, make_socket, &near, nullptr) == LIVETCP_OK);
        REQUIRE(lt_path_call(path, LT_FAR, make_socket, &listener, nullptr) == LIVETCP_OK);
        address.sin_family = AF_INET;
        REQUIRE(inet_pton(AF_INET, LT_PATH_FAR_IPV4, &address.sin_addr) == 1);
        REQUIRE(bind(listener, (sockaddr *)&address, sizeof address) == 0);
        REQUIRE(listen(listener, 1) == 0);
        REQUIRE(getsockname(listener, (sockaddr *)&address, &size) == 0);
        if (prepare)
            prepare(near);
        REQUIRE(::connect(near, (sockaddr *)&address, sizeof address) == 0);
        far = accept(listener, nullptr, nullptr);
        close(listener);
        REQUIRE(far >= 0);
    }

    /* The near end writes what fits, the far end reads what has come. */
    void pump()
    {
        static std::vector<char> block(65536);
        while (send(near, block.data(), block.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
        }
        while (recv(far, block.data(), block.size(), MSG_DONTWAIT) > 0) {
        }
    }

    livetcp_path probe() const
    {
        livetcp_path facts = {};
        lt_platform_probe(near, false, &facts);
        return facts;
    }

    int near = -1, far = -1;
};

} // namespace

TEST_CASE("what is selectively acknowledged is seen", "[platform]")
{
    Call call("delay=5ms,loss=10%", "delay=5ms");
    if (!call.path)
        return;
    call.connect();
    livetcp_path facts = {};
    CHECK(until([&] {
        call.pump();
        facts = call.probe();
        return facts.sacked_bytes > 0;
    }));
    CHECK((facts.known & LIVETCP_PATH_SACKED) != 0);
    CHECK(facts.sacked_bytes <= facts.queued_bytes - facts.unsent_bytes);
}

TEST_CASE("marks are counted where both ends use ECN, and not known elsewhere", "[platform]")
{
    for (const char *setting : {"net.ipv4.tcp_ecn=0", "net.ipv4.tcp_ecn=1"}) {
        Call call("delay=5ms,rate=10mbit,queue=off,aqm=codel:1ms:10ms,ecn", "delay=5ms");
        if (!call.path)
            return;
        const bool wanted = setting[std::string(setting).size() - 1] == '1';
        INFO(setting);
        REQUIRE(lt_path_apply_sysctl(call.path, setting, nullptr) == LIVETCP_OK);
        call.connect();
        livetcp_path facts = {};
        CHECK(until([&] {
            lt_path_counters counters;
            lt_path_get_counters(call.path, LT_FORWARD, &counters);
            call.pump();
            facts = call.probe();
            /* With ECN CoDel marks, without it drops. */
            return wanted ? counters.link.marked && facts.marked_segments
                          : counters.link.dropped_aqm > 0;
        }));
        CHECK(((facts.known & LIVETCP_PATH_MARKS) != 0) == wanted);
        CHECK(facts.marked_segments <= facts.delivered_segments);
    }
}

TEST_CASE("a delivery rate says whether it is the path's or the application's", "[platform]")
{
    Call call("delay=5ms,rate=10mbit,queue=50p", "delay=5ms");
    if (!call.path)
        return;
    call.connect();
    auto known = [](const livetcp_path &facts) {
        return (facts.known & LIVETCP_PATH_DELIVERY_RATE) != 0;
    };
    CHECK(until([&] {
        livetcp_path facts = call.probe();
        if (facts.queued_bytes == 0) /* one small packet a round trip */
            REQUIRE(send(call.near, "packet", 6, MSG_DONTWAIT | MSG_NOSIGNAL) == 6);
        return known(facts) && facts.app_limited;
    }));
    CHECK(until([&] {
        call.pump();
        livetcp_path facts = call.probe();
        return known(facts) && !facts.app_limited;
    }));
}

TEST_CASE("aligned segments carry whole frames over a path", "[platform]")
{
    Call call("delay=5ms", "delay=5ms");
    if (!call.path)
        return;
    call.connect([](int socket) {
        CHECK(lt_platform_align_segments(socket, 174));
        CHECK_FALSE(lt_platform_align_segments(socket, 1449)); /* changes nothing */
        CHECK_FALSE(lt_platform_align_segments(socket, 0));
    });
    livetcp_path facts = {};
    call.pump();
    CHECK(until([&] {
        facts = call.probe();
        return (facts.known & LIVETCP_PATH_MSS) != 0;
    }));
    CHECK(facts.mss_bytes == 8 * 174);
    CHECK_FALSE(lt_platform_align_segments(-1, 174));
}
