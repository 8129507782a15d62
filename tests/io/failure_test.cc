/* SPDX-License-Identifier: MIT */
/* What cannot work says why and what to do. */
#include "io/sockets.h"

#include <sys/resource.h>

using namespace world;

namespace
{

uint16_t unused_port()
{
    Context context;
    Server server(context);
    return server.port;
}

livetcp_error connect_error(Context &context, const Settings &settings)
{
    livetcp_config config = config_with(settings);
    livetcp_session *session = (livetcp_session *)1;
    livetcp_error error = {};
    livetcp_result result =
        livetcp_session_connect(context.context, &config, nullptr, nullptr, &session, &error);
    CHECK(session == nullptr);
    CHECK(result == error.code);
    return error;
}

livetcp_error listen_error(Context &context, const Settings &settings)
{
    livetcp_config config = config_with(settings);
    livetcp_listener *listener = (livetcp_listener *)1;
    livetcp_error error = {};
    livetcp_result result =
        livetcp_listener_create(context.context, &config, nullptr, nullptr, &listener, &error);
    CHECK(listener == nullptr);
    CHECK(result == error.code);
    return error;
}

bool says(const livetcp_error &error, const std::string &text)
{
    INFO(error.message);
    return std::string(error.message).find(text) != std::string::npos;
}

/* Expects every attempt to connect to fail for this reason, and returns the text. */
std::string failure(const Settings &settings, livetcp_result code, bool own_thread = false)
{
    Context context(own_thread);
    std::string message;
    Settings all = {{"reconnect-min", "10"}, {"connections", "1"}};
    all.insert(all.end(), settings.begin(), settings.end());
    Caller caller(context, 9, all);
    bool lost = until(context, [&] { return caller.record.lost_with(code, &message); });
    for (const auto &connection : caller.record.connections())
        INFO(connection.error.message);
    CHECK(lost);
    CHECK(livetcp_session_get_state(caller.session) == LIVETCP_SESSION_CONNECTING);
    return message;
}

} // namespace

TEST_CASE("nobody listens", "[failure]")
{
    bool own_thread = GENERATE(false, true);
    std::string port = std::to_string(unused_port());
    std::string message = failure({{"port", port}}, LIVETCP_ERR_REFUSED, own_thread);
    CHECK(message.find("127.0.0.1:" + port) != std::string::npos);
    CHECK(message.find("is a listener running there?") != std::string::npos);
    if (!has_ipv6())
        return;
    message = failure({{"port", port}, {"host", "::1"}}, LIVETCP_ERR_REFUSED, own_thread);
    CHECK(message.find("[::1]:" + port) != std::string::npos);
}

TEST_CASE("without reconnecting the first failure ends the session", "[failure]")
{
    Context context;
    Caller caller(context, unused_port(), {{"auto-reconnect", "false"}});
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    CHECK(caller.record.last_error().code == LIVETCP_ERR_REFUSED);
    CHECK(says(caller.record.last_error(), "127.0.0.1"));
}

TEST_CASE("a host that does not answer", "[failure]")
{
    /* Nobody accepts, and the backlog is full: the kernel drops every further SYN. */
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(bind(listener, (sockaddr *)&address, sizeof address) == 0);
    REQUIRE(listen(listener, 0) == 0);
    REQUIRE(getsockname(listener, (sockaddr *)&address, &size) == 0);
    std::vector<int> waiting;
    for (int i = 0; i < 4; i++) {
        waiting.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
        (void)connect(waiting.back(), (sockaddr *)&address, sizeof address);
    }
    std::string port = std::to_string(ntohs(address.sin_port));
    std::string message =
        failure({{"port", port}, {"connect-timeout", "100"}}, LIVETCP_ERR_UNREACHABLE);
    CHECK(message.find("127.0.0.1:" + port) != std::string::npos);
    CHECK(message.find("check the address") != std::string::npos);
    for (int fd : waiting)
        close(fd);
    close(listener);
}

TEST_CASE("a name that cannot be resolved", "[failure]")
{
    bool own_thread = GENERATE(false, true);
    /* Labels have at most 63 characters, so this one is refused without asking DNS. */
    std::string name(70, 'x');
    std::string message = failure({{"host", name}}, LIVETCP_ERR_RESOLVE, own_thread);
    CHECK(message.find(name) != std::string::npos);
    Context context(own_thread);
    CHECK(listen_error(context, {{"host", name}}).code == LIVETCP_ERR_RESOLVE);
}

TEST_CASE("a lookup does not hold up the end", "[failure]")
{
    bool own_thread = GENERATE(false, true);
    Context context(own_thread);
    Caller first(context, 9, {{"host", "livetcp-test.invalid"}});
    Caller second(context, 9, {{"host", "livetcp-test.invalid"}});
    context.turn();
    livetcp_session_destroy(&first.session);
    /* The second one goes with the context. */
}

TEST_CASE("local addresses that cannot be", "[failure]")
{
    Context context;
    /* 192.0.2.0/24 is for documentation (RFC 5737): nobody has it. */
    Settings settings = {{"host", "127.0.0.1"}, {"port", "9"}, {"localaddress", "192.0.2.77"}};
    livetcp_error error = connect_error(context, settings);
    CHECK(error.code == LIVETCP_ERR_ADDRESS_INVALID);
    CHECK(says(error, "localaddress=192.0.2.77"));
    settings.back().second = "::1";
    error = connect_error(context, settings);
    CHECK(error.code == LIVETCP_ERR_ADDRESS_INVALID);
    CHECK(says(error, "localaddress=::1"));
    error = listen_error(context, {{"host", "192.0.2.77"}});
    CHECK(error.code == LIVETCP_ERR_ADDRESS_INVALID);
    CHECK(says(error, "192.0.2.77"));
}

TEST_CASE("a port in use", "[failure]")
{
    Context context;
    Server server(context);
    std::string port = std::to_string(server.port);
    livetcp_error error = listen_error(context, {{"host", "127.0.0.1"}, {"port", port}});
    CHECK(error.code == LIVETCP_ERR_ADDRESS_IN_USE);
    CHECK(error.system_errno == EADDRINUSE);
    CHECK(says(error, "127.0.0.1:" + port));
    CHECK(says(error, "choose another port"));
    CHECK(listen_error(context, {{"port", port}}).code == LIVETCP_ERR_ADDRESS_IN_USE);
}

TEST_CASE("a port is free again when the listener is gone", "[failure]")
{
    Context context;
    uint16_t port;
    {
        Server server(context);
        Caller caller(context, server.port);
        port = server.port;
        REQUIRE(until(context,
                      [&] { return open_connections(caller.session) == default_connections; }));
        livetcp_listener_destroy(&server.listener);
        CHECK(server.listener == nullptr);
        livetcp_session_destroy(&caller.session);
        REQUIRE(until(context, [&] { return server.record().closed(); }));
        livetcp_session_destroy(&server.at(0).session);
    }
    Server again(context, {{"port", std::to_string(port)}});
    CHECK(again.port == port);
}

TEST_CASE("settings that contradict", "[failure]")
{
    Context context;
    CHECK(connect_error(context, {}).code == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(connect_error(context, {{"host", "::1"}}).code == LIVETCP_ERR_INVALID_ARGUMENT);
    Settings good = {{"host", "127.0.0.1"}, {"port", "9"}};
    auto with = [&](const char *name, const char *value) {
        Settings settings = good;
        settings.push_back({name, value});
        return settings;
    };
    livetcp_error error = connect_error(context, with("mode", "listener"));
    CHECK(error.code == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(says(error, "livetcp_listener_create"));
    CHECK(connect_error(context, with("policy", "no-such")).code == LIVETCP_ERR_UNKNOWN_POLICY);
    error = connect_error(context, with("localaddress", "no.address"));
    CHECK(error.code == LIVETCP_ERR_ADDRESS_INVALID);
    CHECK(says(error, "no.address"));
    error = connect_error(context, with("congestion-control", "no-such"));
    CHECK(error.code == LIVETCP_ERR_NOT_SUPPORTED);
    CHECK(says(error, "no-such"));
    CHECK(listen_error(context, {{"congestion-control", "no-such"}}).code ==
          LIVETCP_ERR_NOT_SUPPORTED);
}

TEST_CASE("arguments that are missing", "[failure]")
{
    Context context;
    livetcp_config config;
    livetcp_session *session = nullptr;
    livetcp_listener *listener = nullptr;
    livetcp_context *none = nullptr;
    livetcp_config_init(&config);
    CHECK(livetcp_session_connect(context.context, nullptr, nullptr, nullptr, &session, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_session_connect(nullptr, &config, nullptr, nullptr, &session, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_listener_create(context.context, nullptr, nullptr, nullptr, &listener, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    livetcp_session_destroy(&session);
    livetcp_listener_destroy(&listener);
    livetcp_context_destroy(&none);
    CHECK(std::string(livetcp_version()) == LIVETCP_VERSION);
}

TEST_CASE("what a program forgot is said with words, and nothing crashes", "[failure]")
{
    using Call = std::function<livetcp_result()>;
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    livetcp_session *s = caller.session;
    livetcp_playout_config config;
    livetcp_playout *playout = nullptr;
    livetcp_playout_config_init(&config);
    config.clock_rate = 8000;
    REQUIRE(livetcp_playout_create(&config, &playout, nullptr) == LIVETCP_OK);

    const Bytes packet = rtp(1);
    const Bytes large = rtp(1, 9000);
    const livetcp_packet_info info = {};
    const livetcp_session_callbacks callbacks = {};
    const livetcp_playout_attachment attachment = {};
    livetcp_playout_attachment half = {};
    half.struct_size = sizeof half;
    half.lock = [](void *) {};
    livetcp_session_stats stats = {};
    livetcp_connection_stats connection = {}, sized = {};
    sized.struct_size = sizeof sized;
    livetcp_playout_report report = {};
    livetcp_playout_path path = {};
    const struct {
        Call call;
        livetcp_result result;
        const char *words;
    } wrong[] = {
        {[&] { return livetcp_session_send(s, nullptr, 200); }, LIVETCP_ERR_INVALID_ARGUMENT,
         "packet of 200 bytes is NULL"},
        {[&] { return livetcp_session_send(s, nullptr, 0); }, LIVETCP_ERR_INVALID_ARGUMENT,
         "packet of 0 bytes is NULL"},
        {[&] { return livetcp_session_send(nullptr, packet.data(), packet.size()); },
         LIVETCP_ERR_INVALID_ARGUMENT, "livetcp_session is NULL"},
        {[&] { return livetcp_session_send(s, packet.data(), 3); }, LIVETCP_ERR_NOT_RTP,
         "3 bytes are neither"},
        {[&] { return livetcp_session_send(s, large.data(), large.size()); },
         LIVETCP_ERR_PACKET_TOO_LARGE, "9000 bytes is larger than max-packet=8190"},
        {[&] { return livetcp_session_send_with(s, packet.data(), packet.size(), &info); },
         LIVETCP_ERR_INVALID_ARGUMENT, "livetcp_packet_info has struct_size 0: set it"},
        {[&] { return livetcp_session_set_callbacks(s, &callbacks, nullptr); },
         LIVETCP_ERR_INVALID_ARGUMENT, "sizeof(livetcp_session_callbacks)"},
        {[&] { return livetcp_session_set_callbacks(nullptr, nullptr, nullptr); },
         LIVETCP_ERR_INVALID_ARGUMENT, "livetcp_session is NULL"},
        {[&] { return livetcp_session_get_stats(s, &stats); }, LIVETCP_ERR_INVALID_ARGUMENT,
         "sizeof(livetcp_session_stats)"},
        {[&] { return livetcp_session_get_stats(s, nullptr); }, LIVETCP_ERR_INVALID_ARGUMENT,
         "livetcp_session_stats is NULL"},
        {[&] { return livetcp_session_get_connection_stats(s, 0, &connection); },
         LIVETCP_ERR_INVALID_ARGUMENT, "sizeof(livetcp_connection_stats)"},
        {[&] { return livetcp_session_get_connection_stats(s, 99, &sized); },
         LIVETCP_ERR_INVALID_ARGUMENT, "no connection 99"},
        {[&] { return livetcp_session_report_playout(s, &report); }, LIVETCP_ERR_INVALID_ARGUMENT,
         "sizeof(livetcp_playout_report)"},
        {[&] { return livetcp_session_get_playout_path(s, &path); }, LIVETCP_ERR_INVALID_ARGUMENT,
         "sizeof(livetcp_playout_path)"},
        {[&] { return livetcp_session_set_clock_rate(s, 128, 90000); },
         LIVETCP_ERR_INVALID_ARGUMENT, "payload type 128"},
        {[&] { return livetcp_playout_attach(playout, s, &attachment); },
         LIVETCP_ERR_INVALID_ARGUMENT, "sizeof(livetcp_playout_attachment)"},
        {[&] { return livetcp_playout_attach(playout, s, &half); }, LIVETCP_ERR_INVALID_ARGUMENT,
         "both lock and unlock"},
        {[&] { return livetcp_playout_attach(nullptr, s, nullptr); }, LIVETCP_ERR_INVALID_ARGUMENT,
         "livetcp_playout is NULL"},
    };
    for (const auto &w : wrong) {
        CAPTURE(w.words);
        CHECK(w.call() == w.result);
        CHECK(std::string(livetcp_result_detail(w.result)).find(w.words) != std::string::npos);
    }
    livetcp_playout_destroy(&playout);
}

TEST_CASE("what fails on the library's thread has its words on the caller's", "[failure]")
{
    Context context(true);
    livetcp_config config;
    livetcp_session *session = nullptr;
    livetcp_listener *listener = nullptr;
    livetcp_config_init(&config);
    REQUIRE(livetcp_config_apply_uri(&config, "livetcp://127.0.0.1:1?congestion-control=no-such",
                                     nullptr) == LIVETCP_OK);
    CHECK(livetcp_session_connect(context.context, &config, nullptr, nullptr, &session, nullptr) ==
          LIVETCP_ERR_NOT_SUPPORTED);
    CHECK(std::string(livetcp_result_detail(LIVETCP_ERR_NOT_SUPPORTED)).find("no-such") !=
          std::string::npos);
    CHECK(livetcp_listener_create(context.context, &config, nullptr, nullptr, &listener, nullptr) ==
          LIVETCP_ERR_NOT_SUPPORTED);

    Server server(context);
    Caller caller(context, server.port);
    livetcp_playout_config playout_config;
    livetcp_playout *playout = nullptr;
    livetcp_playout_config_init(&playout_config);
    playout_config.clock_rate = 8000;
    REQUIRE(livetcp_playout_create(&playout_config, &playout, nullptr) == LIVETCP_OK);
    REQUIRE(livetcp_playout_attach(playout, caller.session, nullptr) == LIVETCP_OK);
    CHECK(livetcp_playout_attach(playout, caller.session, nullptr) == LIVETCP_ERR_BAD_STATE);
    CHECK(std::string(livetcp_result_detail(LIVETCP_ERR_BAD_STATE)).find("attached") !=
          std::string::npos);
    livetcp_playout_detach(playout, caller.session);
    livetcp_playout_destroy(&playout);
}

TEST_CASE("out of descriptors a listener says so and recovers", "[failure]")
{
    Context context;
    Server server(context);
    rlimit before;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    std::vector<std::unique_ptr<Raw>> clients;
    for (int i = 0; i < 4; i++)
        clients.push_back(std::make_unique<Raw>(server.port));
    rlimit low = before;
    low.rlim_cur = (rlim_t)clients.back()->fd + 1; /* every descriptor below is taken */
    REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
    bool told = until(context, [&] { return server.rejections() >= 2; });
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    REQUIRE(told);
    CHECK(server.rejection().error.system_errno == EMFILE);
    CHECK(says(server.rejection().error, "ulimit -n"));
    Caller caller(context, server.port);
    REQUIRE(
        until(context, [&] { return open_connections(caller.session) == default_connections; }));
}
