/* SPDX-License-Identifier: MIT */
/* Peers that are not LiveTCP: plain sockets, and what misbehaving ones need. */
#ifndef LT_TESTS_IO_SOCKETS_H
#define LT_TESTS_IO_SOCKETS_H

#include "io/world.h"

extern "C" {
#include "wire/handshake.h"
}

#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace world
{

inline Bytes frame(const Bytes &content)
{
    Bytes bytes = {(uint8_t)(content.size() >> 8), (uint8_t)content.size()};
    bytes.insert(bytes.end(), content.begin(), content.end());
    return bytes;
}

/* A socket connected to 127.0.0.1:port, which does nothing by itself; from 127.0.0.`from`. */
class Raw
{
  public:
    explicit Raw(uint16_t port, unsigned from = 1) : fd(socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + from);
        REQUIRE(fd >= 0);
        REQUIRE(bind(fd, (sockaddr *)&address, sizeof address) == 0);
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(connect(fd, (sockaddr *)&address, sizeof address) == 0);
    }
    ~Raw()
    {
        close(fd);
    }
    Raw(const Raw &) = delete;
    Raw &operator=(const Raw &) = delete;

    void write(const Bytes &bytes)
    {
        REQUIRE(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == (ssize_t)bytes.size());
    }

    /* Takes what has come. */
    void poll()
    {
        uint8_t block[65536];
        for (;;) {
            ssize_t n = recv(fd, block, sizeof block, MSG_DONTWAIT);
            if (n <= 0) {
                ended = ended || n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
                return;
            }
            input.insert(input.end(), block, block + n);
        }
    }

    /* Waits for the next frame and returns its content; empty if the peer ended instead. */
    Bytes next_frame(Context &context)
    {
        auto whole = [&] {
            poll();
            return input.size() >= 2 && input.size() - 2 >= (size_t)(input[0] << 8 | input[1]);
        };
        REQUIRE(until(context, [&] { return whole() || ended; }));
        if (!whole())
            return {};
        size_t size = (size_t)(input[0] << 8 | input[1]);
        Bytes content(input.begin() + 2, input.begin() + 2 + (long)size);
        input.erase(input.begin(), input.begin() + 2 + (long)size);
        return content;
    }

    bool wait_for_end(Context &context)
    {
        return until(context, [&] {
            poll();
            return ended;
        });
    }

    int fd;
    Bytes input;
    bool ended = false;
};

inline livetcp_result any_bytes(void *, uint8_t *bytes, size_t size)
{
    static std::mt19937 generator(20);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)generator();
    return LIVETCP_OK;
}

/* Speaks the caller's side of the handshake over raw sockets, one step at a time, so that tests
 * can leave the path. */
class Impostor
{
  public:
    Impostor()
    {
        REQUIRE(lt_credentials_create(&credentials, nullptr, any_bytes, nullptr) == LIVETCP_OK);
    }

    static Bytes bytes_of(const lt_reply &reply)
    {
        return Bytes(reply.frame, reply.frame + reply.size);
    }

    /* CREATE, or JOIN once there is a key. */
    Bytes start(unsigned index, unsigned count = 5)
    {
        lt_opening opening = {};
        REQUIRE(lt_caller_start(&handshake, &credentials, &introduction, index, count, any_bytes,
                                nullptr, &opening) == LIVETCP_OK);
        return Bytes(opening.frame, opening.frame + opening.size);
    }

    /* The answer to ACCEPT, CHALLENGE or JOINED; *proof gets the PROOF to write. */
    livetcp_result take(const Bytes &content, Bytes *proof)
    {
        lt_control message;
        lt_reply reply = {};
        livetcp_result result = lt_control_decode(content.data(), content.size(), &message);
        if (result == LIVETCP_OK)
            result = lt_caller_receive(&handshake, &credentials, &message, &reply);
        *proof = bytes_of(reply);
        return result;
    }

    /* Creates a session, or joins it, all the way. */
    void enter(Context &context, Raw &raw, unsigned index)
    {
        Bytes proof;
        raw.write(start(index));
        Bytes answer = raw.next_frame(context);
        REQUIRE(!answer.empty());
        REQUIRE(take(answer, &proof) == LIVETCP_OK);
        raw.write(proof);
        answer = raw.next_frame(context);
        REQUIRE(!answer.empty());
        REQUIRE(take(answer, &proof) == LIVETCP_OK);
        REQUIRE(handshake.joined);
    }

    lt_credentials credentials;
    lt_introduction introduction = {LIVETCP_ROLE_BOTH, "", ""};
    lt_caller_handshake handshake;
};

/* The reason of a REJECT, or LIVETCP_OK if it is something else. */
inline livetcp_result reject_reason(const Bytes &content)
{
    lt_control message;
    if (content.empty() ||
        lt_control_decode(content.data(), content.size(), &message) != LIVETCP_OK ||
        message.type != LT_CONTROL_REJECT)
        return LIVETCP_OK;
    return (livetcp_result)-message.reason;
}

inline std::string text_of(int fd, bool peer)
{
    sockaddr_in address = {};
    socklen_t size = sizeof address;
    char host[INET_ADDRSTRLEN];
    int failed = peer ? getpeername(fd, (sockaddr *)&address, &size)
                      : getsockname(fd, (sockaddr *)&address, &size);
    if (failed || address.sin_family != AF_INET)
        return "";
    inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
    return std::string(host) + ":" + std::to_string(ntohs(address.sin_port));
}

/* What a failing network does to one connection of a session: the library finds it dead. */
inline void cut(livetcp_session *session, unsigned index)
{
    livetcp_connection_stats stats = connection_stats(session, index);
    REQUIRE(stats.local[0] != '\0');
    for (int fd = 3; fd < 4096; fd++) {
        if (text_of(fd, false) != stats.local || text_of(fd, true) != stats.remote)
            continue;
        REQUIRE(shutdown(fd, SHUT_RDWR) == 0);
        return;
    }
    FAIL("no socket of connection " << index);
}

} // namespace world

#endif
