/* SPDX-License-Identifier: MIT */
/* What a session sets on its sockets, read back from the sockets themselves. */
#include "io/world.h"

extern "C" {
#include "platform/probe.h"
}

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <string>
#include <unistd.h>

using namespace world;

namespace
{

bool on_linux()
{
    return std::string(lt_platform_name()) == "linux";
}

/* An option of every connected TCP socket of this process, in no order; those without it are left
 * out. */
std::vector<int> values_of(int option)
{
    std::vector<int> values;
    for (int fd = 3; fd < 1024; fd++) {
        sockaddr_storage peer;
        socklen_t peer_size = sizeof peer;
        int value = 0;
        socklen_t size = sizeof value;
        if (getpeername(fd, (sockaddr *)&peer, &peer_size) == 0 && peer.ss_family == AF_INET &&
            getsockopt(fd, IPPROTO_TCP, option, &value, &size) == 0)
            values.push_back(value);
    }
    return values;
}

/* The byte of type of service or traffic class of every connected TCP socket of this process, and
 * of those that listen. */
std::vector<int> classes_of_service()
{
    std::vector<int> values;
    for (int fd = 3; fd < 1024; fd++) {
        sockaddr_storage own;
        socklen_t own_size = sizeof own;
        int value = 0, type = 0;
        socklen_t size = sizeof value, type_size = sizeof type;
        if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0 || type != SOCK_STREAM ||
            getsockname(fd, (sockaddr *)&own, &own_size) != 0)
            continue;
        if (own.ss_family == AF_INET6 &&
            getsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &value, &size) == 0)
            values.push_back(value);
        if ((own.ss_family == AF_INET6 || own.ss_family == AF_INET) &&
            getsockopt(fd, IPPROTO_IP, IP_TOS, &value, &size) == 0)
            values.push_back(value);
    }
    return values;
}

/* Ports of this process from which it calls, in order. */
std::vector<unsigned> calling_ports(uint16_t listener)
{
    std::vector<unsigned> ports;
    for (int fd = 3; fd < 1024; fd++) {
        sockaddr_in peer, own;
        socklen_t peer_size = sizeof peer, own_size = sizeof own;
        if (getpeername(fd, (sockaddr *)&peer, &peer_size) == 0 && peer.sin_family == AF_INET &&
            peer.sin_port == htons(listener) && getsockname(fd, (sockaddr *)&own, &own_size) == 0)
            ports.push_back(ntohs(own.sin_port));
    }
    std::sort(ports.begin(), ports.end());
    return ports;
}

/* The first of `count` ports in a row that nobody has, and that the system gives to nobody. Another
 * run of this test looks elsewhere. */
uint16_t free_ports(unsigned count)
{
    unsigned begin = 20000 + (unsigned)getpid() % 1000 * 8;

    for (uint16_t first = (uint16_t)begin; first < 32000; first = (uint16_t)(first + count)) {
        std::vector<int> sockets;
        for (unsigned i = 0; i < count; i++) {
            sockaddr_in address = {};
            address.sin_family = AF_INET;
            address.sin_port = htons((uint16_t)(first + i));
            int fd = socket(AF_INET, SOCK_STREAM, 0);
            if (bind(fd, (sockaddr *)&address, sizeof address) == 0)
                sockets.push_back(fd);
            else
                close(fd);
        }
        for (int fd : sockets)
            close(fd);
        if (sockets.size() == count)
            return first;
    }
    FAIL("there are no free ports");
    return 0;
}

std::string congestion_control(int fd)
{
    char name[17] = {};
    socklen_t size = sizeof name - 1;
    if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size) != 0)
        return "";
    return name;
}

/* Of every connected TCP socket of this process, in no order. */
std::vector<std::string> congestion_controls()
{
    std::vector<std::string> names;
    for (int fd = 3; fd < 1024; fd++) {
        sockaddr_storage peer;
        socklen_t peer_size = sizeof peer;
        if (getpeername(fd, (sockaddr *)&peer, &peer_size) == 0 && peer.ss_family == AF_INET)
            names.push_back(congestion_control(fd));
    }
    return names;
}

std::string best_congestion_control()
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(fd >= 0);
    for (std::string name : {"reno", "cubic", "bbr"})
        (void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), (socklen_t)name.size());
    std::string best = congestion_control(fd);
    close(fd);
    return best;
}

/* Both ends of a session with one connection, after a packet each way. */
struct Talk {
    explicit Talk(const Settings &settings = {})
        : server(context, settings), caller(context, server.port, with_one(settings))
    {
        REQUIRE(until(context, [&] {
            return server.sessions() == 1 && open_connections(caller.session) == 1;
        }));
        REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
        REQUIRE(send(server.session(), rtp(1)) == LIVETCP_OK);
        REQUIRE(until(context, [&] {
            return server.record().packets() == 1 && caller.record.packets() == 1;
        }));
    }
    static Settings with_one(Settings settings)
    {
        settings.push_back({"connections", "1"});
        return settings;
    }

    Context context;
    Server server;
    Caller caller;
};

} // namespace

TEST_CASE("sockets are writable while little is unsent, with a send limit only", "[options]")
{
    if (!on_linux())
        return;
    {
        Talk limited(Settings{{"send-buffer-windows", "1"}, {"send-buffer-segments", "3"}});
        std::vector<int> values = values_of(TCP_NOTSENT_LOWAT);
        REQUIRE(values.size() == 2);
        for (int value : values)
            CHECK(value >= 2 * 3 * 500); /* segments of loopback are larger than that */
    }
    Talk unlimited(Settings{{"send-buffer-windows", "0"}});
    CHECK(values_of(TCP_NOTSENT_LOWAT) == std::vector<int>{0, 0}); /* the system's */
}

TEST_CASE("segments hold a whole number of frames at both ends", "[options]")
{
    if (!on_linux())
        return;
    struct {
        const char *packet;
        unsigned payload; /* of a segment; 0: as without the setting */
    } cases[] = {{"172", 8 * 174}, {"722", 2 * 724}, {"1446", 1448}, {"1447", 0}, {"0", 0}};
    for (const auto &the_case : cases) {
        INFO("mss-align=" << the_case.packet);
        Talk talk(Settings{{"mss-align", the_case.packet}});
        unsigned caller = connection_stats(talk.caller.session, 0).path.mss_bytes;
        unsigned server = connection_stats(talk.server.session(), 0).path.mss_bytes;
        if (the_case.payload) {
            CHECK(caller == the_case.payload);
            CHECK(server == the_case.payload);
        } else {
            CHECK(caller > 1448); /* loopback's own */
            CHECK(server > 1448);
        }
    }
}

TEST_CASE("acknowledgements are not delayed as long as the system would", "[options]")
{
    const int delack_max_us = 46; /* TCP_DELACK_MAX_US of newer headers */
    if (!on_linux())
        return;
    Talk talk;
    /* None on an older kernel. This one rounds up to its ticks; its own limit is 40 ms or more. */
    for (int us : values_of(delack_max_us))
        CHECK((us >= 10000 && us <= 20000));
    CHECK(values_of(TCP_NODELAY) == std::vector<int>{1, 1});
}

TEST_CASE("congestion control is set at both ends, auto as the best there is", "[options]")
{
    if (!on_linux())
        return;
    {
        Talk named(Settings{{"congestion-control", "reno"}});
        CHECK(congestion_controls() == std::vector<std::string>{"reno", "reno"});
    }
    Talk talk(Settings{{"congestion-control", "auto"}});
    std::string best = best_congestion_control();
    CHECK(congestion_controls() == std::vector<std::string>{best, best});
}

TEST_CASE("a code point is that of everything sent, listening and connected", "[options]")
{
    {
        Talk talk;
        for (int value : classes_of_service())
            CHECK(value >> 2 == 0);
    }
    {
        Talk talk(Settings{{"qos-dscp", "46"}});
        std::vector<int> values = classes_of_service();
        CHECK(values.size() >= 3); /* two that talk, one that listens */
        for (int value : values)
            CHECK(value >> 2 == 46);
    }
    Talk best_effort(Settings{{"qos-dscp", "0"}});
    for (int value : classes_of_service())
        CHECK(value >> 2 == 0);
}

TEST_CASE("connections of a caller have local ports in a row", "[options]")
{
    uint16_t first = free_ports(3);
    Context context;
    Server server(context);
    {
        Caller caller(context, server.port,
                      {{"localport", std::to_string(first)}, {"connections", "3"}});
        REQUIRE(until(context, [&] { return open_connections(caller.session) == 3; }));
        CHECK(calling_ports(server.port) == std::vector<unsigned>{first, first + 1U, first + 2U});
    }
    /* And again, with the same ports to the same listener. */
    Caller again(context, server.port,
                 {{"localport", std::to_string(first)},
                  {"connections", "2"},
                  {"localaddress", "127.0.0.1"},
                  {"reconnect-max", "500"}});
    REQUIRE(until(context, [&] { return open_connections(again.session) == 2; }));
    std::vector<unsigned> ports = calling_ports(server.port);
    for (unsigned port : {unsigned{first}, first + 1U})
        CHECK(std::find(ports.begin(), ports.end(), port) != ports.end());
}

TEST_CASE("a local port that somebody has is named", "[options]")
{
    Context context;
    Server server(context), holder(context);
    Caller caller(context, server.port,
                  {{"localport", std::to_string(holder.port)},
                   {"connections", "1"},
                   {"auto-reconnect", "false"}});
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    CHECK(caller.record.last_error().code == LIVETCP_ERR_ADDRESS_IN_USE);
    CHECK(std::string(caller.record.last_error().message)
              .find("localport " + std::to_string(holder.port)) != std::string::npos);
}
