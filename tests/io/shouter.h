/* SPDX-License-Identifier: MIT */
/* A server of another protocol that shares a listener's port. */
#ifndef LT_TESTS_IO_SHOUTER_H
#define LT_TESTS_IO_SHOUTER_H

#include "sockets.h"

#include <thread>

namespace world
{

/* A server of another protocol: answers what it got, in capitals, and ends. */
class Shouter
{
  public:
    Shouter() : listening_(socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address = {};
        socklen_t size = sizeof address;
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(bind(listening_, (sockaddr *)&address, size) == 0);
        REQUIRE(listen(listening_, 8) == 0);
        REQUIRE(getsockname(listening_, (sockaddr *)&address, &size) == 0);
        port = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~Shouter()
    {
        shutdown(listening_, SHUT_RDWR);
        thread_.join();
        close(listening_);
    }
    Shouter(const Shouter &) = delete;
    Shouter &operator=(const Shouter &) = delete;

    uint16_t port;

  private:
    void serve() const
    {
        for (int fd; (fd = accept(listening_, nullptr, nullptr)) >= 0; close(fd)) {
            std::string text;
            char piece[1024];
            for (ssize_t n; (n = recv(fd, piece, sizeof piece, 0)) > 0;)
                text.append(piece, (size_t)n);
            for (char &c : text)
                c = (char)toupper(c);
            for (size_t at = 0; at < text.size();) {
                ssize_t n = ::send(fd, text.data() + at, text.size() - at, MSG_NOSIGNAL);
                if (n <= 0)
                    break;
                at += (size_t)n;
            }
        }
    }

    int listening_;
    std::thread thread_;
};

inline std::string capitals_of(std::string text)
{
    for (char &c : text)
        c = (char)toupper(c);
    return text;
}

inline std::string shouted(Context &context, uint16_t port, const std::string &text)
{
    Raw raw(port);
    std::string got;
    size_t sent = 0;
    REQUIRE(until(context, [&] {
        char piece[4096];
        if (sent < text.size()) {
            ssize_t n =
                ::send(raw.fd, text.data() + sent, text.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            sent += n > 0 ? (size_t)n : 0;
            if (sent == text.size())
                shutdown(raw.fd, SHUT_WR);
        }
        ssize_t n = recv(raw.fd, piece, sizeof piece, MSG_DONTWAIT);
        if (n > 0)
            got.append(piece, (size_t)n);
        return n == 0 || (n < 0 && errno != EAGAIN);
    }));
    return got;
}

} // namespace world

#endif
