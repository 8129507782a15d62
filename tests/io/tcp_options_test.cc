/* SPDX-License-Identifier: MIT */
/* What a session sets on its sockets, read back from the sockets themselves. */
#include "io/world.h"

extern "C" {
#include "platform/probe.h"
}

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
        Talk limited(Settings{{"min-buf-a", "1"}, {"min-buf-b", "3"}});
        std::vector<int> values = values_of(TCP_NOTSENT_LOWAT);
        REQUIRE(values.size() == 2);
        for (int value : values)
            CHECK(value >= 2 * 3 * 500); /* segments of loopback are larger than that */
    }
    Talk unlimited(Settings{{"min-buf-a", "0"}});
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
