/* SPDX-License-Identifier: MIT */
/* A proxy for tests, on threads of its own: what it says is the test's, and then it passes bytes on
 * to 127.0.0.1, or the address that it has itself, whatever host it was asked for. */
#ifndef LT_TESTS_IO_PROXY_PEER_H
#define LT_TESTS_IO_PROXY_PEER_H

#include "certificates.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class ProxyPeer
{
  public:
    /* One connection from a caller. */
    class Stream
    {
      public:
        Stream(int fd, SSL *ssl, const std::atomic<bool> &stopped)
            : fd_(fd), ssl_(ssl), stopped_(stopped)
        {
        }
        /* Bytes, 0 when the caller has left, or the test is over. */
        size_t read(void *data, size_t size)
        {
            while (!(ssl_ && SSL_pending(ssl_))) {
                pollfd poll_fd = {fd_, POLLIN, 0};
                if (stopped_)
                    return 0;
                if (poll(&poll_fd, 1, 20) > 0)
                    break;
            }
            ssize_t n = ssl_ ? SSL_read(ssl_, data, (int)size) : recv(fd_, data, size, 0);
            return n > 0 ? (size_t)n : 0;
        }
        std::string read_bytes(size_t size)
        {
            std::string text;
            char c;
            while (text.size() < size && read(&c, 1))
                text += c;
            return text;
        }
        std::string read_head()
        {
            std::string text;
            char c;
            while (text.find("\r\n\r\n") == std::string::npos && read(&c, 1))
                text += c;
            return text;
        }
        void write(const std::string &text)
        {
            if (ssl_)
                SSL_write(ssl_, text.data(), (int)text.size());
            else
                (void)!send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
        }
        int fd() const
        {
            return fd_;
        }
        bool pending() const
        {
            return ssl_ && SSL_pending(ssl_);
        }

      private:
        int fd_;
        SSL *ssl_;
        const std::atomic<bool> &stopped_;
    };

    static const int CLOSE = 0, STAY = -1;

    /* Speaks to a caller. Returns the port to pass its bytes on to, CLOSE, or STAY: it says nothing
     * more. */
    using Speak = std::function<int(Stream &)>;

    explicit ProxyPeer(Speak speak, const certificate_files *tls = nullptr,
                       std::string host = "127.0.0.1")
        : speak_(std::move(speak)), host_(std::move(host)),
          listener_(socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address = {};
        socklen_t size = sizeof address;
        address.sin_family = AF_INET;
        inet_pton(AF_INET, host_.c_str(), &address.sin_addr);
        if (bind(listener_, (sockaddr *)&address, sizeof address) || listen(listener_, 64) ||
            getsockname(listener_, (sockaddr *)&address, &size))
            throw std::runtime_error("proxy: cannot listen");
        port = ntohs(address.sin_port);
        if (tls) {
            ctx_ = SSL_CTX_new(TLS_server_method());
            SSL_CTX_use_certificate_file(ctx_, tls->certificate.c_str(), SSL_FILETYPE_PEM);
            SSL_CTX_use_PrivateKey_file(ctx_, tls->key.c_str(), SSL_FILETYPE_PEM);
        }
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~ProxyPeer()
    {
        stopped_ = true;
        acceptor_.join(); /* which starts the others */
        for (std::thread &thread : threads_)
            thread.join();
        close(listener_);
        SSL_CTX_free(ctx_);
    }
    ProxyPeer(const ProxyPeer &) = delete;
    ProxyPeer &operator=(const ProxyPeer &) = delete;

    std::string place() const
    {
        return host_ + ":" + std::to_string(port);
    }

    /* The port in "CONNECT host:port HTTP/1.1". */
    static int port_of(const std::string &head)
    {
        size_t end = head.find(" HTTP/"), colon = head.rfind(':', end);
        return end == std::string::npos ? CLOSE : std::stoi(head.substr(colon + 1));
    }

    std::string
        prefix; /* what the other end gets before the caller's bytes; set before the calls */
    uint16_t port = 0;
    std::atomic<int> connections{0};

  private:
    void accept_all()
    {
        while (!stopped_) {
            pollfd poll_fd = {listener_, POLLIN, 0};
            if (poll(&poll_fd, 1, 20) <= 0)
                continue;
            int fd = accept(listener_, nullptr, nullptr);
            if (fd < 0)
                continue;
            connections++;
            threads_.emplace_back([this, fd] { serve(fd); });
        }
    }
    void serve(int fd)
    {
        SSL *ssl = ctx_ ? SSL_new(ctx_) : nullptr;
        sigset_t broken_pipe; /* which libssl would raise */
        sigemptyset(&broken_pipe);
        sigaddset(&broken_pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
        int on = 1;
        timeval patience = {5, 0}; /* of a handshake that never comes */
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (ssl)
            SSL_set_fd(ssl, fd);
        if (!ssl || SSL_accept(ssl) == 1) {
            Stream stream(fd, ssl, stopped_);
            int target = speak_(stream);
            char c;
            if (target > 0)
                pass_on(stream, target);
            while (target == STAY && stream.read(&c, 1))
                ;
        }
        SSL_free(ssl);
        close(fd);
    }
    void pass_on(Stream &stream, int target)
    {
        sockaddr_in address = {};
        int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
        std::string block(65536, '\0');
        address.sin_family = AF_INET;
        inet_pton(AF_INET, host_.c_str(), &address.sin_addr);
        address.sin_port = htons((uint16_t)target);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        bool open = connect(fd, (sockaddr *)&address, sizeof address) == 0;
        if (open && !prefix.empty())
            open = send(fd, prefix.data(), prefix.size(), MSG_NOSIGNAL) == (ssize_t)prefix.size();
        while (open && !stopped_) {
            pollfd fds[2] = {{stream.fd(), POLLIN, 0}, {fd, POLLIN, 0}};
            poll(fds, 2, stream.pending() ? 0 : 20);
            if (fds[0].revents || stream.pending()) {
                size_t n = stream.read(block.data(), block.size());
                open = n > 0 && send(fd, block.data(), n, MSG_NOSIGNAL) == (ssize_t)n;
            }
            if (open && fds[1].revents) {
                ssize_t n = recv(fd, block.data(), block.size(), 0);
                open = n > 0;
                if (open)
                    stream.write(block.substr(0, (size_t)n));
            }
        }
        close(fd);
    }

    Speak speak_;
    std::string host_;
    int listener_;
    SSL_CTX *ctx_ = nullptr;
    std::atomic<bool> stopped_{false};
    std::thread acceptor_;
    std::vector<std::thread> threads_; /* the acceptor's, and the destructor's after it */
};

/* Reads a head, answers with this text, and closes. */
inline ProxyPeer::Speak answer(const std::string &text)
{
    return [text](ProxyPeer::Stream &stream) {
        stream.read_head();
        stream.write(text);
        return ProxyPeer::CLOSE;
    };
}

#endif
