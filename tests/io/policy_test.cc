/* SPDX-License-Identifier: MIT */
/* Policies of the application's own, over sockets. */
#include "io/world.h"

#include <cstring>

using namespace world;

namespace
{

void name_nobody(void *, const livetcp_policy_view *view, const livetcp_packet_view *,
                 livetcp_decision *decision)
{
    decision->connections = UINT32_C(1) << view->path_count;
}

struct Warnings {
    std::vector<livetcp_error> heard;
    static void hear(livetcp_session *, const livetcp_error *warning, void *user)
    {
        static_cast<Warnings *>(user)->heard.push_back(*warning);
    }
};

} // namespace

TEST_CASE("a policy that names a connection which is not there is reported by name", "[policy]")
{
    static livetcp_policy policy = {};
    policy.struct_size = sizeof policy;
    policy.name = "name-nobody";
    policy.summary = "decides on a connection that is not there";
    policy.place = name_nobody;
    REQUIRE(livetcp_policy_register(&policy, nullptr) == LIVETCP_OK);

    Context context;
    Server server(context);
    livetcp_config config = config_with({{"host", "127.0.0.1"},
                                         {"port", std::to_string(server.port)},
                                         {"policy", "name-nobody"},
                                         {"connections", "3"}});
    livetcp_session_callbacks callbacks = {};
    callbacks.struct_size = sizeof callbacks;
    callbacks.on_warning = Warnings::hear;
    Warnings warnings;
    livetcp_error error = {};
    livetcp_session *session = nullptr;
    REQUIRE(livetcp_session_connect(context.context, &config, &callbacks, &warnings, &session,
                                    &error) == LIVETCP_OK);
    for (uint16_t i = 0; i < 50; i++)
        REQUIRE(send(session, rtp(i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && server.record().packets() == 50 && !warnings.heard.empty();
    }));
    CHECK(stats_of(session).sent.policy_errors >= 50);
    REQUIRE(warnings.heard.size() == 1);
    CHECK(warnings.heard[0].code == LIVETCP_ERR_BAD_DECISION);
    INFO(warnings.heard[0].message);
    CHECK(strstr(warnings.heard[0].message, "'name-nobody'") != nullptr);
    livetcp_session_destroy(&session);
}
