/* SPDX-License-Identifier: MIT */
/* Over an emulated path: how long a session takes until its first media has come, by the way that
 * its connections are made, and what TLS and WebSockets add to the delays of the policies. The
 * tables of docs/guide/proxies.md. Needs TUN and network namespaces; without them it prints
 * "SKIPPED:" and the reason. */
#include "certificates.h"
#include "path_context.h"
#include "proxy_peer.h"
#include "sockets.h"

#include <algorithm>
#include <cstdio>

using namespace world;

namespace
{

const double RTT_MS = 100;

double now_ms()
{
    return (double)uv_hrtime() / 1e6;
}

struct Pki {
    certificates made;
    certificate_files files;

    Pki()
    {
        certificate_options options;
        options.name = LT_PATH_FAR_IPV4;
        files = made.make("listener", options);
    }
    Settings listener() const
    {
        return {{"tls", "on"}, {"tls-cert", files.certificate}, {"tls-key", files.key}};
    }
    Settings caller() const
    {
        return {{"tls", "on"}, {"tls-ca", made.ca}};
    }
};

int http(ProxyPeer::Stream &stream)
{
    std::string head = stream.read_head();
    stream.write("HTTP/1.1 200 OK\r\n\r\n");
    return ProxyPeer::port_of(head);
}

int http_for_user(ProxyPeer::Stream &stream)
{
    std::string head = stream.read_head();
    bool known = head.find("Proxy-Authorization: Basic ") != std::string::npos;
    stream.write(known ? "HTTP/1.1 200 OK\r\n\r\n"
                       : "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n");
    return known ? ProxyPeer::port_of(head) : ProxyPeer::CLOSE;
}

int socks(ProxyPeer::Stream &stream)
{
    stream.read_bytes(3);
    stream.write(std::string("\x05\x00", 2));
    std::string request = stream.read_bytes(10); /* an IPv4 address */
    stream.write(std::string("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x07", 10));
    return (uint8_t)request[8] << 8 | (uint8_t)request[9];
}

struct Times {
    double there = 1e9, back = 1e9; /* ms after livetcp_session_connect() until the other has it */
};

/* Both ends send as soon as they may. */
Times measure(const Path &path, const Settings &listener, const Settings &caller)
{
    Times times;
    std::atomic<double> there{0}, back{0};
    std::unique_ptr<Context> far = context_at(path, LT_FAR);
    Server server(*far, with({{"host", LT_PATH_FAR_IPV4}}, listener),
                  [&](Server &, Server::Accepted &accepted) {
                      accepted.record->when_packet = [&](livetcp_session *,
                                                         const livetcp_packet *) {
                          if (there == 0)
                              there = now_ms();
                      };
                      accepted.record->when_state = [](livetcp_session *session,
                                                       livetcp_session_state state) {
                          if (state == LIVETCP_SESSION_OPEN)
                              send(session, rtp(1));
                      };
                      return true;
                  });
    std::unique_ptr<Context> near = context_at(path, LT_NEAR);
    Caller call(*near, server.port,
                with({{"host", LT_PATH_FAR_IPV4}, {"connections", "8"}}, caller),
                [&](Record &record) {
                    record.when_packet = [&](livetcp_session *, const livetcp_packet *) {
                        if (back == 0)
                            back = now_ms();
                    };
                });
    double begin = now_ms(); /* the key of a passphrase has been derived */
    REQUIRE(call.send(rtp(1)) == LIVETCP_OK);
    REQUIRE(until(*near, [&] { return there != 0 && back != 0; }));
    times.there = there - begin;
    times.back = back - begin;
    return times;
}

struct Way {
    const char *name;
    Settings listener, caller;
    int round_trips; /* beyond TCP's, until the caller may send */
};

} // namespace

TEST_CASE("time to first media, by the way that connections are made", "[first-media]")
{
    Path path("delay=50ms", "delay=50ms");
    if (!path.path)
        return;
    Pki pki;
    path.enter(LT_FAR);
    ProxyPeer by_http(http, nullptr, LT_PATH_FAR_IPV4),
        by_user(http_for_user, nullptr, LT_PATH_FAR_IPV4),
        by_socks(socks, nullptr, LT_PATH_FAR_IPV4), by_https(http, &pki.files, LT_PATH_FAR_IPV4);
    Settings passphrase = {{"passphrase", "correct horse battery"}}, ws = {{"websocket", "on"}};
    Settings fallback = {{"fallback", "127.0.0.1:9"}};
    const Way ways[] = {
        {"plain", {}, {}, 1},
        {"TLS", pki.listener(), pki.caller(), 2},
        {"passphrase", passphrase, passphrase, 2},
        {"TLS, port shared by fallback", with(pki.listener(), fallback), pki.caller(), 2},
        {"HTTP proxy", {}, {{"proxy", "http://" + by_http.place()}}, 2},
        {"HTTP proxy that asks for a user", {}, {{"proxy", "http://u:p@" + by_user.place()}}, 4},
        {"SOCKS5 proxy", {}, {{"proxy", "socks5://" + by_socks.place()}}, 3},
        {"HTTPS proxy",
         {},
         {{"proxy", "https://" + by_https.place()}, {"proxy-ca", pki.made.ca}},
         3},
        {"HTTP proxy, TLS", pki.listener(),
         with(pki.caller(), {{"proxy", "http://" + by_http.place()}}), 3},
        {"WebSocket", ws, ws, 2},
        {"WebSocket over TLS", with(pki.listener(), ws), with(pki.caller(), ws), 3},
        {"WebSocket over TLS, port shared", with(with(pki.listener(), ws), fallback),
         with(pki.caller(), ws), 3},
    };
    std::printf("%-34s %12s %12s  %s\n", "connections", "to listener", "to caller",
                "round trips beyond TCP's");
    for (const Way &way : ways) {
        Times best;
        for (int tries = 0; tries < 5; tries++) {
            Times times = measure(path, way.listener, way.caller);
            best.there = std::min(best.there, times.there);
            best.back = std::min(best.back, times.back);
            if (tries >= 2 && best.there < (way.round_trips + 1.5 + 0.5) * RTT_MS)
                break;
        }
        std::printf("%-34s %9.0f ms %9.0f ms  %d\n", way.name, best.there, best.back,
                    (int)((best.there - 1.5 * RTT_MS) / RTT_MS + 0.5));
        INFO(way.name);
        CHECK(best.there >= (way.round_trips + 1.4) * RTT_MS);
        CHECK(best.there < (way.round_trips + 1.5 + 0.9) * RTT_MS);
        CHECK(best.back < (way.round_trips + 2 + 0.9) * RTT_MS);
    }
}

namespace
{

/* A stream of small packets; delays of those that came. */
class Stream
{
  public:
    Stream(const Path &path, const std::string &policy, const Settings &listener,
           const Settings &caller)
        : far_(context_at(path, LT_FAR)),
          server_(*far_, with({{"host", LT_PATH_FAR_IPV4}}, listener),
                  [this](Server &, Server::Accepted &accepted) {
                      accepted.record->when_packet = [this](livetcp_session *,
                                                            const livetcp_packet *packet) {
                          double sent;
                          memcpy(&sent, packet->data + 12, sizeof sent);
                          std::lock_guard<std::mutex> guard(lock_);
                          delays_.push_back(now_ms() - sent);
                      };
                      return true;
                  }),
          near_(context_at(path, LT_NEAR)),
          caller_(
              *near_, server_.port,
              with({{"host", LT_PATH_FAR_IPV4}, {"connections", "4"}, {"policy", policy}}, caller))
    {
        REQUIRE(until(*near_, [&] { return open_connections(caller_.session) > 0; }));
    }
    void wait_until_open()
    {
        livetcp_session_stats stats = stats_of(caller_.session);
        REQUIRE(
            until(*near_, [&] { return open_connections(caller_.session) == stats.connections; }));
    }
    void send(uint16_t sequence)
    {
        Bytes packet = rtp(sequence, 172);
        double now = now_ms();
        memcpy(&packet[12], &now, sizeof now);
        REQUIRE(caller_.send(packet) == LIVETCP_OK);
    }
    double median(size_t count)
    {
        REQUIRE(until(*near_, [&] {
            std::lock_guard<std::mutex> guard(lock_);
            return delays_.size() >= count;
        }));
        std::lock_guard<std::mutex> guard(lock_);
        std::sort(delays_.begin(), delays_.end());
        return delays_[delays_.size() / 2];
    }

  private:
    std::mutex lock_;
    std::vector<double> delays_;
    std::unique_ptr<Context> far_;
    Server server_;
    std::unique_ptr<Context> near_;
    Caller caller_;
};

} // namespace

TEST_CASE("TLS and WebSockets add less than a millisecond to the delay of each policy",
          "[filter-delay]")
{
    const uint16_t count = 200;
    Path path("delay=20ms,rate=10mbit", "delay=20ms,rate=10mbit");
    if (!path.path)
        return;
    Pki pki;
    Settings ws = {{"websocket", "on"}};
    std::printf("%-16s %9s %9s %9s %9s  (median, ms)\n", "policy", "plain", "TLS", "ws", "wss");
    for (size_t i = 0; const livetcp_policy *policy = livetcp_policy_at(i); i++) {
        double medians[4] = {};
        bool close = false;
        for (int tries = 0; tries < 4 && !close; tries++) {
            Stream plain(path, policy->name, {}, {});
            Stream tls(path, policy->name, pki.listener(), pki.caller());
            Stream websocket(path, policy->name, ws, ws);
            Stream both(path, policy->name, with(pki.listener(), ws), with(pki.caller(), ws));
            Stream *streams[4] = {&plain, &tls, &websocket, &both};
            for (Stream *stream : streams)
                stream->wait_until_open();
            for (uint16_t n = 0; n < count; n++) {
                for (int k = 0; k < 4; k++)
                    streams[(n + k) % 4]->send(n); /* in turn, as they share the machine */
                uv_sleep(5);
            }
            close = true;
            for (int k = 0; k < 4; k++)
                medians[k] = streams[k]->median(count);
            for (double median : medians)
                close = close && median < medians[0] + 1;
        }
        std::printf("%-16s %9.2f %9.2f %9.2f %9.2f\n", policy->name, medians[0], medians[1],
                    medians[2], medians[3]);
        INFO(policy->name);
        CHECK(close);
    }
}
