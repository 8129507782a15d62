/* SPDX-License-Identifier: MIT */
/* Ends that do not belong together: each says what it has met and what to do, once. */
#include "io/sockets.h"

using namespace world;

namespace
{

Bytes text(const std::string &characters)
{
    return Bytes(characters.begin(), characters.end());
}

const Bytes http = text("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
const Bytes hello = {0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x03};
const Bytes binding = {0x00, 0x01, 0x00, 0x00, 0x21, 0x12, 0xa4, 0x42, 1,  2,
                       3,    4,    5,    6,    7,    8,    9,    10,   11, 12};

bool contains(const std::string &message, const std::string &part)
{
    INFO(message);
    return message.find(part) != std::string::npos;
}

/* A port of 127.0.0.1 that answers each connection with the same bytes, once it has got some, or at
 * once, and closes it. */
class Answerer
{
  public:
    Answerer(Bytes its_answer, bool its_patience = true) : answer(its_answer), patient(its_patience)
    {
        sockaddr_in address = {};
        socklen_t size = sizeof address;
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        REQUIRE(bind(listener, (sockaddr *)&address, sizeof address) == 0);
        REQUIRE(listen(listener, 16) == 0);
        REQUIRE(getsockname(listener, (sockaddr *)&address, &size) == 0);
        port = ntohs(address.sin_port);
    }
    ~Answerer()
    {
        for (int fd : open)
            close(fd);
        close(listener);
    }
    Answerer(const Answerer &) = delete;
    Answerer &operator=(const Answerer &) = delete;

    void turn()
    {
        int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
        if (fd >= 0) {
            accepted++;
            open.push_back(fd);
        }
        for (size_t i = 0; i < open.size();) {
            uint8_t block[65536];
            ssize_t n = recv(open[i], block, sizeof block, MSG_DONTWAIT);
            if (n < 0 && patient && (errno == EAGAIN || errno == EWOULDBLOCK)) {
                i++;
                continue;
            }
            (void)send(open[i], answer.data(), answer.size(), MSG_NOSIGNAL);
            shutdown(open[i], SHUT_WR);
            close(open[i]);
            open.erase(open.begin() + (long)i);
        }
    }

    const Bytes answer;
    bool patient;
    int listener;
    uint16_t port;
    unsigned accepted = 0;
    std::vector<int> open;
};

/* Why a caller fails at a port with that answer. */
std::string failure(const std::string &wire, const Bytes &answer, livetcp_result code,
                    bool patient = true)
{
    Context context;
    Answerer server(answer, patient);
    Caller caller(context, server.port, {{"wire", wire}});
    std::string message;
    (void)caller.send(rtp(1));
    CHECK(until(context, [&] {
        server.turn();
        return caller.record.lost_with(code, &message);
    }));
    CHECK(contains(message, "127.0.0.1:" + std::to_string(server.port)));
    return message;
}

/* Losses that were told, and the connections that they were told of. */
std::vector<unsigned> lost(const Record &record)
{
    std::vector<unsigned> indexes;
    for (const auto &connection : record.connections())
        if (connection.error.code != LIVETCP_OK)
            indexes.push_back(connection.index);
    return indexes;
}

} // namespace

/* ---- a session listener ---- */

TEST_CASE("a plain sender at a session listener is told apart, and told of once", "[wrong-end]")
{
    Context context;
    Server server(context);
    for (unsigned i = 0; i < 5; i++) {
        Raw raw(server.port);
        raw.write(frame(rtp(1)));
        CHECK(reject_reason(raw.next_frame(context)) == LIVETCP_ERR_PROTOCOL);
        CHECK(raw.wait_for_end(context));
    }
    REQUIRE(server.rejections() == 1);
    CHECK(server.rejection().error.code == LIVETCP_ERR_PROTOCOL);
    CHECK(contains(server.rejection().error.message, "without a session"));
    CHECK(contains(server.rejection().error.message, "wire=plain or wire=auto here"));
    CHECK(server.sessions() == 0);
}

TEST_CASE("other protocols at a listener have names", "[wrong-end]")
{
    std::string wire = GENERATE(values<std::string>({"session", "auto"}));
    Context context;
    Server server(context, {{"wire", wire}});
    const std::pair<Bytes, const char *> peers[] = {
        {http, "it speaks HTTP"},
        {hello, "it speaks TLS"},
        {binding, "it speaks STUN"},
        {frame(binding), "it speaks STUN"},
        {text("DESCRIBE rtsp://h/s RTSP/1.0\r\n\r\n"), "it speaks RTSP"},
        {text("SSH-2.0-OpenSSH_9.2\r\n"), "it speaks SSH"}};
    for (const auto &peer : peers) {
        Server one(context, {{"wire", wire}});
        Raw raw(one.port);
        raw.write(peer.first);
        CHECK(raw.wait_for_end(context));
        REQUIRE(until(context, [&] { return one.rejections() == 1; }));
        CHECK(one.rejection().error.code == LIVETCP_ERR_GARBAGE);
        CHECK(one.rejection().remote == text_of(raw.fd, false));
        CHECK(contains(one.rejection().error.message, peer.second));
        CHECK(contains(one.rejection().error.message, "wire=" + wire));
        CHECK(one.sessions() == 0);
    }
}

TEST_CASE("one that sends its first bytes singly is told apart all the same", "[wrong-end]")
{
    Context context;
    Server server(context);
    Raw raw(server.port);
    int on = 1;
    REQUIRE(setsockopt(raw.fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on) == 0);
    for (uint8_t byte : {'H', 'E', 'A'})
        raw.write({byte});
    for (int i = 0; i < 3; i++)
        context.turn();
    CHECK(server.rejections() == 0);
    raw.write({'D', ' '});
    REQUIRE(until(context, [&] { return server.rejections() == 1; }));
    CHECK(contains(server.rejection().error.message, "HTTP"));
}

TEST_CASE("a caller that is turned away is one rejection", "[wrong-end]")
{
    Context context;
    Server server(context, {}, [](Server &, Server::Accepted &accepted) {
        accepted.session = nullptr;
        return false;
    });
    Caller caller(context, server.port, {{"reconnect", "0"}});
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    CHECK(contains(caller.record.last_error().message, "refused the session"));
    CHECK(lost(caller.record).size() == 1);
    /* Its other connections, which have nothing to say, are gone by the time a later one comes. */
    Raw last(server.port);
    last.write(http);
    REQUIRE(until(context, [&] { return server.rejected_with(LIVETCP_ERR_GARBAGE); }));
    REQUIRE(server.rejections() == 2);
    CHECK(server.rejection(0).error.code == LIVETCP_ERR_CANCELLED);
}

TEST_CASE("a refused caller tries again on the connection that was refused", "[wrong-end]")
{
    uint16_t port;
    {
        Context context;
        Server server(context);
        port = server.port;
    }
    Context context;
    Caller caller(context, port, {{"reconnect-min", "10"}});
    REQUIRE(until(context, [&] { return lost(caller.record).size() == 4; }));
    std::vector<unsigned> indexes = lost(caller.record);
    CHECK(indexes == std::vector<unsigned>(4, indexes[0]));
    CHECK(caller.record.lost_with(LIVETCP_ERR_REFUSED));
    CHECK(caller.record.states().empty()); /* connecting it was all the time */
}

/* ---- a caller ---- */

TEST_CASE("a session caller names who answered", "[wrong-end]")
{
    CHECK(
        contains(failure("session", text("HTTP/1.1 400 Bad Request\r\n\r\n"), LIVETCP_ERR_GARBAGE),
                 "it answered as HTTP; is this the right port?"));
    CHECK(contains(failure("session", {0x15, 0x03, 0x03, 0, 2, 2, 70}, LIVETCP_ERR_GARBAGE),
                   "it answered as TLS; set tls=on"));
    CHECK(contains(failure("session", text("SSH-2.0-x\r\n"), LIVETCP_ERR_GARBAGE, false),
                   "it answered as SSH"));
    CHECK(contains(failure("session", frame(rtp(1)), LIVETCP_ERR_PROTOCOL),
                   "without a session; set wire=plain here"));
}

TEST_CASE("a plain caller names who answered", "[wrong-end]")
{
    CHECK(contains(failure("plain", text("HTTP/1.1 400 Bad Request\r\n\r\n"), LIVETCP_ERR_GARBAGE),
                   "it answered as HTTP"));
    Context context;
    Server server(context);
    Caller caller(context, server.port, {{"wire", "plain"}});
    std::string message;
    REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
    REQUIRE(
        until(context, [&] { return caller.record.lost_with(LIVETCP_ERR_PROTOCOL, &message); }));
    CHECK(contains(message, "wire=session here, or wire=auto there"));
}

TEST_CASE("a session caller at a plain listener, and both say so", "[wrong-end]")
{
    Context context;
    Server server(context, {{"wire", "plain"}});
    Caller caller(context, server.port, {{"connections", "1"}});
    std::string message;
    REQUIRE(until(context, [&] {
        return caller.record.lost_with(LIVETCP_ERR_NOT_SUPPORTED, &message) &&
               server.sessions() > 0 && server.record().closed();
    }));
    CHECK(contains(message, "set wire=plain here, or wire=auto there"));
    CHECK(server.record().last_error().code == LIVETCP_ERR_PROTOCOL);
    CHECK(contains(server.record().last_error().message, "it asks for a LiveTCP session"));
    CHECK(server.record().packets() == 0);
    CHECK(stats_of(server.session()).received.protocol_errors == 1);
}

TEST_CASE("a port that closes is asked ever more slowly, and the caller says what is missing",
          "[wrong-end]")
{
    CHECK(contains(failure("session", {}, LIVETCP_ERR_CONNECTION_LOST),
                   "closed it without an answer; is it a LiveTCP listener"));
    std::string wire = GENERATE(values<std::string>({"session", "plain"}));
    Context context;
    Answerer server({}, false);
    Caller caller(context, server.port, {{"wire", wire}, {"reconnect-min", "10"}});
    uint64_t begin = uv_hrtime();
    REQUIRE(until(context, [&] {
        server.turn();
        return lost(caller.record).size() == 6;
    }));
    /* 10 + 20 + 40 + 80 + 160 ms, less a quarter at most. */
    CHECK(uv_hrtime() - begin >= UINT64_C(230) * 1000000);
    CHECK(server.accepted <= 6 + default_connections);
}

/* ---- a listener that takes either ---- */

TEST_CASE("a listener with wire=auto takes sessions and plain senders", "[wrong-end]")
{
    Context context;
    Server server(context, {{"wire", "auto"}});
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && open_connections(server.session(0)) == default_connections;
    }));
    REQUIRE(caller.send(rtp(7)) == LIVETCP_OK);
    Raw whole(server.port), pieces(server.port);
    Bytes stream = {0, 0}; /* a null packet */
    for (uint16_t i = 0; i < 3; i++) {
        Bytes one = frame(rtp(i));
        stream.insert(stream.end(), one.begin(), one.end());
    }
    whole.write(stream);
    REQUIRE(until(context, [&] { return server.sessions() == 2; }));
    int on = 1;
    REQUIRE(setsockopt(pieces.fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on) == 0);
    for (uint8_t byte : stream) {
        pieces.write({byte});
        context.turn();
    }
    REQUIRE(until(context, [&] {
        return server.sessions() == 3 && server.record(0).packets() == 1 &&
               server.record(1).packets() == 3 && server.record(2).packets() == 3;
    }));
    for (size_t i : {1, 2})
        for (const Bytes &packet : server.record(i).all_packets())
            CHECK((packet == rtp(sequence_of(packet))));
    CHECK(connection_stats(server.session(1), 0).state == LIVETCP_CONNECTION_OPEN);
    CHECK(stats_of(server.session(1)).connections == 1);
    CHECK(open_connections(server.session(0)) == default_connections);
    CHECK(server.rejections() == 0);
    /* It leaves, and that is an end and no loss. */
    shutdown(whole.fd, SHUT_RDWR);
    REQUIRE(until(context, [&] { return server.record(1).closed(); }));
    CHECK(server.record(1).last_error().code == LIVETCP_ERR_CLOSED);
}

TEST_CASE("a plain receiver says nothing, and gets media after handshake-timeout", "[wrong-end]")
{
    Context context;
    Server server(context, {{"wire", "auto"}, {"handshake-timeout", "100"}});
    Raw receiver(server.port), halfway(server.port);
    halfway.write({0, 172}); /* has begun to say something */
    REQUIRE(until(context, [&] { return server.sessions() == 1 && server.rejections() == 1; }));
    CHECK(server.at(0).remote == text_of(receiver.fd, false));
    CHECK(server.rejection().error.code == LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    REQUIRE(send(server.session(), rtp(3)) == LIVETCP_OK);
    CHECK((receiver.next_frame(context) == rtp(3)));
    /* One that was only slow is told, and may try again. */
    Impostor impostor;
    receiver.write(impostor.start(0));
    CHECK(reject_reason(receiver.next_frame(context)) == LIVETCP_ERR_NOT_SUPPORTED);
    CHECK(receiver.wait_for_end(context));
}

TEST_CASE("a plain peer evicts no session from a full listener", "[wrong-end]")
{
    Context here, there;
    Server server(here, {{"wire", "auto"}, {"max-sessions", "1"}, {"linger", "600000"}});
    Caller caller(there, server.port);
    REQUIRE(until({&here, &there}, [&] {
        return server.sessions() == 1 && open_connections(server.session()) == default_connections;
    }));
    for (unsigned i = 0; i < default_connections; i++)
        cut(server.session(), i);
    REQUIRE(until(here, [&] { return open_connections(server.session()) == 0; }));
    Raw plain(server.port);
    plain.write(frame(rtp(1)));
    CHECK(plain.next_frame(here).empty());
    REQUIRE(until(here, [&] { return server.rejected_with(LIVETCP_ERR_TOO_MANY_SESSIONS); }));
    CHECK_FALSE(server.record().closed());
}

TEST_CASE("a plain peer that leaves has ended the connection", "[wrong-end]")
{
    Context context;
    Server server(context, {{"wire", "plain"}});
    {
        Raw raw(server.port);
        raw.write(frame(rtp(1)));
        REQUIRE(
            until(context, [&] { return server.sessions() == 1 && server.record().packets(); }));
    }
    REQUIRE(until(context, [&] { return server.record().closed(); }));
    CHECK(server.record().last_error().code == LIVETCP_ERR_CLOSED);
    CHECK(contains(server.record().last_error().message, "the peer ended the connection"));
    auto last = server.record().connections().back();
    CHECK(last.state == LIVETCP_CONNECTION_CLOSED); /* nobody replaces it */
    CHECK(contains(last.error.message, "ended the connection"));
}
