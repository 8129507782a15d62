/* SPDX-License-Identifier: MIT */
/* What holds for every policy of the registry on every path: it loses nothing, chooses only what
 * can take a packet, keeps the order of a connection, and sends no RTCP twice. */
#include "catch.h"
#include "wire_tap.h"

using namespace scenario;

namespace
{

const uint32_t media = 0x1234, reports = 0x5678;
const livetcp_usec second = 1000000;

/* Stands between the engine and a policy, and looks at every answer. */
struct Watched {
    static Watched *present;

    explicit Watched(const livetcp_policy &policy) : real(policy), table(policy)
    {
        present = this;
        table.place = place;
        if (real.review)
            table.review = review;
    }
    ~Watched()
    {
        present = nullptr;
    }

    static void judge(const livetcp_policy_view *view, const livetcp_decision *decision)
    {
        uint32_t ready = 0;
        for (unsigned i = 0; i < view->path_count; i++)
            if (view->paths[i].ready)
                ready |= UINT32_C(1) << i;
        if (decision->connections & ~ready)
            present->out_of_range++;
        present->asked++;
    }
    static void place(void *state, const livetcp_policy_view *view,
                      const livetcp_packet_view *packet, livetcp_decision *decision)
    {
        present->real.place(state, view, packet, decision);
        judge(view, decision);
    }
    static void review(void *state, const livetcp_policy_view *view,
                       const livetcp_packet_view *packet, livetcp_decision *decision)
    {
        present->real.review(state, view, packet, decision);
        judge(view, decision);
        if (packet->rtcp || packet->copies == 0 || !packet->carried_by)
            present->senseless_reviews++;
    }

    const livetcp_policy real;
    livetcp_policy table;
    unsigned asked = 0, out_of_range = 0, senseless_reviews = 0;
};
Watched *Watched::present;

struct Path {
    const char *name, *spec;
    size_t packet;
    size_t send_buffer;
    bool kills; /* connections, in turn, while others live */
};

const Path paths[] = {
    {"clean", "delay=20ms", 1000, 1 << 20, false},
    {"short", "delay=1ms,loss=1%", 1000, 1 << 20, false},
    {"loss", "delay=50ms,loss=3%", 1000, 1 << 20, false},
    {"bursts", "delay=30ms,loss=2%,burst=4", 1000, 1 << 20, false},
    {"jitter", "delay=30ms,jitter=8ms,loss=1%", 400, 1 << 20, false},
    {"drop-tail", "delay=20ms,rate=1mbit,queue=12p", 1000, 1 << 20, false},
    {"blocked", "delay=40ms,loss=2%", 1000, 3000, false},
    {"killed", "delay=30ms,loss=1%", 1000, 1 << 20, true},
    {"killed while blocked", "delay=60ms,loss=2%", 1000, 4000, true},
};

struct Run {
    Run(const livetcp_policy &policy, const Path &path, uint64_t seed)
        : watched(policy),
          call(path.spec, make_config(policy.name, 4), seed, path.send_buffer, &watched.table),
          tap(call, {media, reports})
    {
        lt_rng rng;
        lt_rng_seed(&rng, seed);
        call.world.run_for(2 * second);
        for (unsigned i = 0; i < 500; i++) {
            if (i % 50 == 25)
                sent_reports += call.caller.send_report(reports) == LIVETCP_OK;
            if (path.kills && i % 60 == 30)
                kill(static_cast<unsigned>(lt_rng_next(&rng) % 4));
            sent += call.caller.send(media, static_cast<uint16_t>(65400 + i), path.packet) ==
                    LIVETCP_OK;
            call.world.run_for(i % 100 < 90 ? 20000 : 2000); /* and now and then a burst */
        }
        call.world.run_for(30 * second);
        REQUIRE(call.remote() != nullptr);
    }

    /* With one connection, that one: the policy has nothing else, and waits. */
    void kill(unsigned slot)
    {
        auto connection = call.caller.connection(slot % call.caller.stats().connections);
        if (!connection)
            return;
        tap.forget(slot % call.caller.stats().connections);
        connection->reset();
    }

    Watched watched;
    SimCall call;
    WireTap tap;
    unsigned sent = 0, sent_reports = 0;
};

template <typename Check> void everywhere(Check check)
{
    for (size_t i = 0; livetcp_policy_at(i); i++)
        for (const Path &path : paths)
            for (uint64_t seed = 1; seed <= 8; seed++) {
                INFO(livetcp_policy_at(i)->name << ", " << path.name << ", seed " << seed);
                Run run(*livetcp_policy_at(i), path, seed);
                check(run, path);
            }
}

/* How often each packet of the application came out. */
void check_deliveries(const Run &run, const Path &path)
{
    std::map<uint16_t, unsigned> times;
    unsigned came_reports = 0;
    for (const Received &packet : run.call.remote()->received) {
        if (packet.rtcp)
            came_reports++;
        else if (packet.ssrc == media)
            times[packet.sequence]++;
        else
            FAIL_CHECK("a packet that nobody sent: SSRC " << packet.ssrc);
    }
    CHECK(run.sent == 500);
    CHECK(times.size() == 500);
    for (const auto &packet : times)
        CHECK(packet.second == 1);
    /* One that a broken connection had delivered without our knowing comes again. */
    CHECK(came_reports >= run.sent_reports);
    if (!path.kills)
        CHECK(came_reports == run.sent_reports);
}

void check_order(const Run &run)
{
    std::map<unsigned, int> last;
    for (const WireTap::Written &packet : run.tap.written) {
        if (packet.rtcp || !packet.own || !packet.first)
            continue;
        int sequence = static_cast<uint16_t>(packet.sequence - 65400);
        if (last.count(packet.slot))
            CHECK(sequence > last[packet.slot]);
        last[packet.slot] = sequence;
    }
}

} // namespace

TEST_CASE("every policy, every path: what holds always")
{
    everywhere([](const Run &run, const Path &path) {
        livetcp_session_stats stats = run.call.caller.stats();
        check_deliveries(run, path);
        CHECK(stats.dropped.queue_full == 0);
        CHECK(stats.dropped.connection == 0);
        CHECK(stats.sent.queue_packets == 0);

        CHECK(run.watched.asked >= 500);
        CHECK(run.watched.out_of_range == 0);
        CHECK(run.watched.senseless_reviews == 0);
        CHECK(stats.sent.policy_errors == 0);

        unsigned reports_written = 0;
        for (const WireTap::Written &packet : run.tap.written)
            reports_written += packet.rtcp;
        if (!path.kills) {
            CHECK(reports_written == run.sent_reports);
            check_order(run);
        }
    });
}
