/* SPDX-License-Identifier: MIT */
/* When copies are sent into a queue. */
#include "catch.h"
#include "policy_view.h"

extern "C" {
#include "policy/builtin.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;

struct Session : PolicyView {
    explicit Session(bool overrun)
    {
        livetcp_config_init(&config);
        state.resize(lt_policy_auto.state_size);
        lt_policy_auto.init(state.data(), &config);
        for (unsigned i = 0; i < 4; i++) {
            livetcp_path &path =
                add_path(LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT | LIVETCP_PATH_TCP_STATE |
                         LIVETCP_PATH_LINK | LIVETCP_PATH_OVERRUN);
            path.link_overrun = overrun;
            path.rtt_us = 140 * ms; /* a queue */
            path.min_rtt_us = 100 * ms;
            path.oldest_unacked_us = LIVETCP_NEVER;
        }
        view.now_us = 1000 * ms;
        view.budget_ratio = 0.3;
        view.budget_bytes = 20000;
        view.media_rate = 72000;
        packet.size = 1400;
        packet.carried_by = 0;
    }

    livetcp_config config;
    std::vector<unsigned char> state;
};

} // namespace

TEST_CASE("auto sends late packets again into a queue that others overrun, and into no other one")
{
    for (bool overrun : {false, true}) {
        INFO("overrun: " << overrun);
        Session s(overrun);
        livetcp_decision decision = {};
        decision.review_us = LIVETCP_NEVER;
        lt_policy_auto.place(s.state.data(), &s.view, &s.packet, &decision);
        CHECK(decision.connections == 1);
        CHECK(!decision.protect);
        CHECK((decision.review_us < s.view.now_us + 200 * ms) == overrun);

        s.packet.carried_by = s.packet.copies = 1;
        s.packet.first_sent_us = s.packet.last_sent_us = s.view.now_us;
        s.paths[0].oldest_unacked_us = s.view.now_us;
        s.view.now_us += 200 * ms;
        s.paths[0].ready = false;
        decision = {};
        lt_policy_auto.review(s.state.data(), &s.view, &s.packet, &decision);
        CHECK((decision.connections != 0) == overrun);
    }
}

TEST_CASE("video that waits for its budget takes no copy from audio, nor the other way round")
{
    for (bool audio_waits : {false, true}) {
        INFO("audio waits: " << audio_waits);
        Session s(false);
        for (livetcp_path &path : s.paths)
            path.rtt_us = 100 * ms;
        livetcp_packet_view late = s.packet;
        late.importance = audio_waits ? LIVETCP_IMPORTANCE_AUDIO : LIVETCP_IMPORTANCE_DELTA;
        late.carried_by = late.copies = 1;
        late.first_sent_us = late.last_sent_us = s.view.now_us - 300 * ms;
        s.view.budget_bytes = 0;
        livetcp_decision decision = {};
        lt_policy_auto.review(s.state.data(), &s.view, &late, &decision);
        CHECK(!decision.connections);

        s.view.budget_ratio = 1;
        s.view.budget_bytes = 20000;
        for (bool audio : {false, true}) {
            INFO("for audio: " << audio);
            s.packet.importance = audio ? LIVETCP_IMPORTANCE_AUDIO : LIVETCP_IMPORTANCE_DELTA;
            decision = {};
            lt_policy_auto.place(s.state.data(), &s.view, &s.packet, &decision);
            bool twice = decision.connections & (decision.connections - 1);
            CHECK(twice == (audio != audio_waits));
        }
    }
}
