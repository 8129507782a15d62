/* SPDX-License-Identifier: MIT */
/* samples/own_transport.c, an owner of an engine with sockets of its own, against an ordinary
 * listener. */
#include "io/sockets.h"

#include <cstdio>
#include <set>
#include <sys/wait.h>

using namespace world;

namespace
{

/* The sample as a child process. */
class Program
{
  public:
    Program(uint16_t port, const std::string &settings, unsigned packets)
    {
        std::string command =
            "exec '" LT_OWN_TRANSPORT "' 'livetcp://127.0.0.1:" + std::to_string(port) +
            "?handshake-timeout=60000&peer-timeout=3600000&" + settings + "' " +
            std::to_string(packets) + " 2>&1";
        output_ = popen(command.c_str(), "r");
        REQUIRE(output_ != nullptr);
    }
    ~Program()
    {
        if (output_)
            pclose(output_);
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    /* Waits for its end; *said gets all that it printed. */
    int exit_code(std::string *said)
    {
        char line[512];
        while (fgets(line, sizeof line, output_))
            *said += line;
        int status = pclose(output_);
        output_ = nullptr;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    FILE *output_;
};

void send_packets(livetcp_session *session, uint16_t first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        Bytes packet = rtp((uint16_t)(first + i));
        REQUIRE(livetcp_session_send(session, packet.data(), packet.size()) == LIVETCP_OK);
    }
}

} // namespace

TEST_CASE("an owner over poll() joins, sends both ways and replaces a connection",
          "[own-transport]")
{
    const unsigned packets = 200, back = 60;
    Context context(true);
    Server server(context);
    Program program(server.port, "connections=3", packets);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    livetcp_session *session = server.session();
    REQUIRE(until(context, [&] { return open_connections(session) == 3; }));
    REQUIRE(until(context, [&] { return server.record().packets() >= 20; }));

    send_packets(session, 0, back / 2);
    cut(session, 1);
    send_packets(session, back / 2, back / 2);
    REQUIRE(until(context, [&] {
        return stats_of(session).reconnects == 1 && open_connections(session) == 3;
    }));

    std::string said;
    int code = program.exit_code(&said);
    INFO(said);
    CHECK(code == 0);
    CHECK(said.find("session open") != std::string::npos);
    CHECK(said.find("connection 1: ") != std::string::npos);
    CHECK(said.find("sent " + std::to_string(packets) + " received " + std::to_string(back)) !=
          std::string::npos);

    REQUIRE(until(context, [&] { return server.record().closed(); }));
    CHECK(server.record().last_error().code == LIVETCP_ERR_CLOSED);
    std::set<uint16_t> sequences;
    for (const Bytes &packet : server.record().all_packets())
        sequences.insert(sequence_of(packet));
    CHECK(server.record().packets() == packets);
    CHECK(sequences.size() == packets);
    CHECK(*sequences.rbegin() == packets - 1);
}

TEST_CASE("an owner over poll() ends when its peer does", "[own-transport]")
{
    Context context(true);
    Server server(context);
    Program program(server.port, "connections=2", 1000000);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    REQUIRE(until(context, [&] { return server.record().packets() >= 5; }));
    livetcp_session_destroy(&server.at(0).session);
    std::string said;
    int code = program.exit_code(&said);
    INFO(said);
    CHECK(code == 0);
    CHECK(said.find(std::string("session closed: ") + livetcp_result_text(LIVETCP_ERR_CLOSED)) !=
          std::string::npos);
}

TEST_CASE("an owner over poll() says that nobody listens", "[own-transport]")
{
    uint16_t port;
    {
        Context context(true);
        Server server(context);
        port = server.port;
    }
    Program program(port, "connections=2&auto-reconnect=false", 50);
    std::string said;
    int code = program.exit_code(&said);
    INFO(said);
    CHECK(code == 1);
    CHECK(said.find(livetcp_result_text(LIVETCP_ERR_REFUSED)) != std::string::npos);
}
