/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/bench/command_line.h"
#include "lab/bench/options.h"
}

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

struct Parsed {
    std::unique_ptr<lt_bench_options> options{new lt_bench_options()};
    livetcp_error error = {};
    livetcp_result result;

    explicit Parsed(std::vector<const char *> args)
    {
        args.insert(args.begin(), "bench");
        args.push_back(nullptr);
        result = lt_bench_options_parse(options.get(), (int)args.size() - 1, args.data(), &error);
    }
    ~Parsed()
    {
        lt_bench_options_clear(options.get());
    }
    lt_bench_options *operator->() const
    {
        return options.get();
    }
    bool mentions(const char *word) const
    {
        return std::string(error.message).find(word) != std::string::npos;
    }
};

TEST_CASE("without options: plain against the default policy, as a session has it, with 1 % loss")
{
    Parsed p({});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    REQUIRE(p->scheme_count == 2);
    CHECK(std::string(p->schemes[0].label) == "plain");
    CHECK(p->schemes[0].config.wire == LIVETCP_WIRE_PLAIN);
    CHECK(p->schemes[0].config.connections == 1);
    CHECK(std::string(p->schemes[1].label) == "auto x8");
    CHECK(p->schemes[1].config.connections == 8);
    CHECK(p->plan.size == 1448);
    CHECK(p->plan.interval == 20000);
    CHECK(p->plan.duration == 60000000);
    CHECK(p->emulated);
    CHECK(p->link[0].delay == 50000);
    CHECK(p->link[0].loss == Approx(0.01));
    CHECK(p->link[1].delay == 50000);
    CHECK(p->link[1].loss == 0);
}

TEST_CASE("the command is kept, quoted for a shell where that is needed")
{
    Parsed p({"--policy", "single:send-buffer-segments=0", "--seed", "3"});
    REQUIRE(p.result == LIVETCP_OK);
    CHECK(std::string(p->command) ==
          "livetcp bench --policy single:send-buffer-segments=0 --seed 3");
    Parsed q({"--path", "delay=5ms, it's", "--json", ""});
    CHECK(std::string(q->command) == "livetcp bench --path 'delay=5ms, it'\\''s' --json ''");
    std::string longest(5000, '\'');
    Parsed cut({"--json", longest.c_str()});
    CHECK(std::strlen(cut->command) < sizeof cut->command);
}

TEST_CASE("schemes keep their order, whichever option names them")
{
    Parsed p({"--policy", "single,shortest-queue:connections=3:split=2",
              "--transport=socket:nagle=1", "-p", "round-robin:congestion-control=cubic",
              "--congestion-control=reno"});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    REQUIRE(p->scheme_count == 4);
    const lt_scheme *s = p->schemes;
    CHECK(std::string(s[0].label) == "single");
    CHECK(s[0].config.connections == 1);
    CHECK(std::string(s[0].config.congestion_control) == "reno");
    CHECK(std::string(s[1].label) == "shortest-queue x3 split 2");
    CHECK(std::string(s[1].config.policy) == "shortest-queue");
    CHECK(s[1].config.connections == 3);
    CHECK(s[1].config.split == 2);
    CHECK(s[2].kind == LT_TRANSPORT_SOCKET);
    CHECK(s[2].nagle);
    CHECK(std::string(s[2].label) == "socket nagle");
    CHECK(std::string(s[3].label) == "round-robin x8 cubic");
    CHECK(std::string(s[3].config.congestion_control) == "cubic");
}

TEST_CASE("numbers and paths arrive where they belong")
{
    Parsed p({"--size=174",
              "--interval=30",
              "--flows=7",
              "--warmup=0.5",
              "--duration=2.5",
              "--drain=1",
              "--seed=42",
              "--direction=both",
              "--path=delay=10ms",
              "--path-back=delay=20ms,loss=2%",
              "--ftp=5",
              "--web=25",
              "--background-cc=reno",
              "--consecutive",
              "--discard-stalls",
              "-q",
              "--csv=a",
              "--json=b",
              "--raw=c",
              "--connections=2",
              "--split=3"});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    CHECK(p->plan.size == 174);
    CHECK(p->plan.interval == 30000);
    CHECK(p->plan.flows == 7);
    CHECK(p->plan.streams == 14);
    CHECK(p->plan.warmup == 500000);
    CHECK(p->plan.duration == 2500000);
    CHECK(p->drain == 1000000);
    CHECK(p->seed == 42);
    CHECK(p->link[0].delay == 10000);
    CHECK(p->link[1].delay == 20000);
    CHECK(p->link[1].loss == Approx(0.02));
    CHECK(p->load.ftp == 5);
    CHECK(p->load.web == 25);
    CHECK(std::string(p->load.congestion_control) == "reno");
    CHECK(p->consecutive);
    CHECK(p->discard_stalls);
    CHECK(p->quiet);
    CHECK(std::string(p->csv) + p->json + p->raw == "abc");
    CHECK(p->schemes[1].config.connections == 2);
    CHECK(p->schemes[1].config.split == 3);
}

TEST_CASE("what else is on the path, and when")
{
    Parsed p({"--ftp=15@5-60", "--mice=80@20-75.5", "--cbr=3mbit@40-75", "--peer"});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    CHECK(p->load.ftp == 15);
    CHECK(p->load.ftp_time.from == 5000000);
    CHECK(p->load.ftp_time.to == 60000000);
    CHECK(p->load.mice == 80);
    CHECK(p->load.mice_time.from == 20000000);
    CHECK(p->load.mice_time.to == 75500000);
    CHECK(p->load.cbr == 3000000);
    CHECK(p->load.cbr_time.from == 40000000);
    CHECK(p->load.peer);
    Parsed whole({"--mice=8", "--cbr=1mbit"});
    REQUIRE(whole.result == LIVETCP_OK);
    CHECK(whole->load.mice_time.from == 0);
    CHECK(whole->load.mice_time.to == LIVETCP_NEVER);
    CHECK(whole->load.cbr_time.to == LIVETCP_NEVER);
    CHECK_FALSE(whole->load.peer);
    CHECK_FALSE(lt_load_any(&Parsed({})->load));
}

TEST_CASE("greedy sources and talkspurts")
{
    Parsed greedy({"--greedy"});
    REQUIRE(greedy.result == LIVETCP_OK);
    CHECK(greedy->plan.greedy);
    CHECK(greedy->plan.interval == 100);
    Parsed spurts({"--talkspurt=2", "--silence=5", "--opening=10", "--check"});
    REQUIRE(spurts.result == LIVETCP_OK);
    CHECK(spurts->plan.interval == 20000);
    CHECK(spurts->plan.talkspurt == 2000000);
    CHECK(spurts->plan.silence == 5000000);
    CHECK(spurts->plan.opening == 10);
    CHECK(spurts->check);
}

TEST_CASE("playout delays, static from the path and the interval")
{
    Parsed p({"--playout=10,static", "--codec=opus", "--interval=30", "--path=delay=10ms",
              "--path-back=delay=20ms"});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    REQUIRE(p->playout.count == 2);
    CHECK(p->playout.points[1].over == 120000);
    CHECK(std::string(p->playout.codec->name) == "opus");
    CHECK(Parsed({})->playout.count == 0);
}

TEST_CASE("redundancy is of any scheme, and adds to what a session must take")
{
    Parsed p({"--size=174", "--policy=single:redundancy=1,shortest-queue",
              "--transport=socket:redundancy=2", "--poisson=8mbit@5-60", "--playout=adaptive"});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    CHECK(p->schemes[0].redundancy == 1);
    CHECK(std::string(p->schemes[0].label) == "single redundancy=1");
    CHECK(p->schemes[1].redundancy == 0);
    CHECK(p->schemes[2].redundancy == 2);
    CHECK(p->load.poisson == 8000000);
    CHECK(p->load.poisson_time.from == 5000000);
    CHECK(p->load.cbr == 0);
    CHECK(p->playout.points[0].adaptive);
    Parsed large({"--size=20002", "--policy=single:redundancy=1"});
    REQUIRE(large.result == LIVETCP_OK);
    CHECK(large->schemes[0].config.max_packet == 20000 + 1 + 4 + 1023);
}

TEST_CASE("packets over the usual limit raise it for the sessions")
{
    Parsed p({"--size=20002"});
    REQUIRE(p.result == LIVETCP_OK);
    CHECK(p->schemes[0].config.max_packet == 20000);
}

TEST_CASE("an unknown policy is answered with those there are")
{
    Parsed p({"--policy=fastest"});
    CHECK(p.result == LIVETCP_ERR_UNKNOWN_POLICY);
    INFO(p.error.message);
    CHECK(p.mentions("'fastest'"));
    for (size_t i = 0; livetcp_policy_at(i) && i < 3; i++)
        CHECK(p.mentions(livetcp_policy_at(i)->name));
    CHECK(p.mentions("socket"));
}

TEST_CASE("bad options are named")
{
    struct {
        std::vector<const char *> args;
        const char *word;
    } cases[] = {
        {{"--bogus"}, "--bogus"},
        {{"stray"}, "'stray'"},
        {{"--flows=many"}, "--flows"},
        {{"--flows=0"}, "--flows"},
        {{"--flows=201"}, "200"},
        {{"--size=20"}, "20 bytes"},
        {{"--size=-5"}, "bytes"},
        {{"--interval=0"}, "--interval"},
        {{"--interval=nan"}, "--interval"},
        {{"--duration=-1"}, "--duration"},
        {{"--duration=nan"}, "--duration"},
        {{"--duration=0"}, "duration"},
        {{"--warmup=1e9"}, "--warmup"},
        {{"--connections=33"}, "--connections"},
        {{"--split=0"}, "--split"},
        {{"--direction=up"}, "forward, backward or both"},
        {{"--path=delay=fast"}, "delay"},
        {{"--path=none", "--path-back=delay=1ms"}, "--path-back"},
        {{"--ftp=1000"}, "--ftp"},
        {{"--web=-1"}, "--web"},
        {{"--ftp=1.5"}, "--ftp"},
        {{"--ftp=5@"}, "FROM-TO"},
        {{"--ftp=5@9-3"}, "FROM-TO"},
        {{"--mice=5@1-1e9"}, "FROM-TO"},
        {{"--mice=401"}, "400"},
        {{"--web=401"}, "400"},
        {{"--mice=5", "--direction=both"}, "--mice"},
        {{"--cbr=fast"}, "--cbr"},
        {{"--cbr=1bit"}, "10kbit"},
        {{"--cbr=3mbit@5"}, "FROM-TO"},
        {{"--poisson=1bit"}, "10kbit"},
        {{"--poisson=3mbit", "--direction=both"}, "--poisson"},
        {{"--policy=single:redundancy=4"}, "0 to 3"},
        {{"--policy=single:redundancy=one"}, "redundancy=one"},
        {{"--policy=single:redundancy=1", "--size=45"}, "46 bytes"},
        {{"--talkspurt=5"}, "go together"},
        {{"--silence=5"}, "go together"},
        {{"--greedy", "--talkspurt=5", "--silence=5"}, "greedy"},
        {{"--opening=0"}, "--opening"},
        {{"--playout=10,soon"}, "soon"},
        {{"--playout="}, "--playout"},
        {{"--playout=10", "--greedy"}, "--greedy"},
        {{"--playout=10", "--codec=mp3"}, "g711-plc"},
        {{"--policy=single:reconnect-min=9000"}, "reconnect-min"},
        {{"--policy=single:connections"}, "KEY=VALUE"},
        {{"--policy=single:colour=red"}, "colour"},
        {{"--policy=shortest-queue:connections=99"}, "connections"},
        {{"--policy=single:port=5004"}, "'port'"},
        {{"--transport=socket:split=2"}, "split"},
        {{"--transport=socket:nagle=2"}, "nagle"},
        {{"--policy="}, "''"},
        {{"--policy=single,single,single,single,single,single,single,single,single,single,single,"
          "single,single,single,single"},
         "14"},
        {{"--csv="}, "--csv"},
        {{"--background-cc=a-name-that-is-too-long"}, "--background-cc"},
    };
    for (auto &c : cases) {
        Parsed p(c.args);
        CAPTURE(c.args[0], p.error.message);
        CHECK(p.result != LIVETCP_OK);
        CHECK(p.mentions(c.word));
    }
}

TEST_CASE("the help lists options, policies and examples")
{
    Parsed p({"--help"});
    REQUIRE(p.result == LIVETCP_OK);
    CHECK(p->help);
    char *text = nullptr;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    lt_bench_line_help(out);
    fclose(out);
    std::string help(text, size);
    free(text);
    for (const char *word :
         {"--policy", "--path", "--discard-stalls", "shortest-queue", "delay=50ms", "Examples:"})
        CHECK(help.find(word) != std::string::npos);
}

TEST_CASE("an adaptive source: defaults")
{
    Parsed p({"--adaptive"});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    const lt_encoder_config &encoder = p->plan.encoder;
    CHECK(p->plan.adaptive);
    CHECK(p->plan.interval == 40000);
    CHECK(encoder.interval == 40000);
    CHECK(encoder.start_rate == 1.5e6);
    CHECK(encoder.max_rate == 20e6);
    CHECK(encoder.overshoot == 1);
    CHECK(encoder.key_interval == 50);
    CHECK(encoder.sizes.key > 2);
    CHECK(std::string(p->trace) == "x264");
    CHECK(p->plan.measured_from == 10000000);
    CHECK(p->plan.rounds == 1750);
    CHECK(p->plan.packets > p->plan.rounds);
}

TEST_CASE("an adaptive source: options")
{
    Parsed p({"--adaptive=300kbit", "--fps", "50", "--max-rate", "2mbit", "--key-interval", "1s",
              "--warmup", "2s", "--overshoot", "1.25"});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    CHECK(p->plan.interval == 20000);
    CHECK(p->plan.encoder.start_rate == 300e3);
    CHECK(p->plan.encoder.max_rate == 2e6);
    CHECK(p->plan.encoder.overshoot == 1.25);
    CHECK(p->plan.encoder.key_interval == 50);
    CHECK(p->plan.measured_from == 2000000);
    Parsed ideal({"--adaptive", "--trace=ideal"});
    REQUIRE(ideal.result == LIVETCP_OK);
    CHECK(ideal->plan.encoder.key_interval == 0);
    CHECK(ideal->plan.encoder.sizes.key == 1);
    CHECK_FALSE(Parsed({})->plan.adaptive);
    CHECK(Parsed({"--adaptive", "--key-interval=0"})->plan.encoder.key_interval == 0);
}

TEST_CASE("an adaptive source: what makes no sense is refused and named")
{
    const std::vector<std::pair<std::vector<const char *>, const char *>> cases = {
        {{"--fps", "30"}, "--fps is for an adaptive source"},
        {{"--trace", "ideal"}, "--trace is for"},
        {{"--max-rate", "1mbit"}, "--max-rate is for"},
        {{"--overshoot", "1.1"}, "--overshoot is for"},
        {{"--adaptive", "--overshoot", "-1"}, "--overshoot -1"},
        {{"--key-interval", "1s"}, "--key-interval is for"},
        {{"--adaptive", "--greedy"}, "--greedy and --adaptive"},
        {{"--adaptive", "--interval", "20ms"}, "--interval and --adaptive"},
        {{"--adaptive", "--playout", "static"}, "--playout and --adaptive"},
        {{"--adaptive", "--talkspurt", "1s", "--silence", "1s"}, "--talkspurt and --adaptive"},
        {{"--adaptive=fast"}, "--adaptive=fast"},
        {{"--adaptive=1kbit"}, "10kbit"},
        {{"--adaptive=3mbit", "--max-rate=2mbit"}, "above --max-rate 2mbit"},
        {{"--adaptive", "--fps", "0.5"}, "--fps 0.5"},
        {{"--adaptive", "--key-interval", "50ms"}, "two frames"},
        {{"--adaptive", "--trace=ideal", "--key-interval=1s"}, "ideal encoder"},
        {{"--adaptive", "--trace", "/no/such/file"}, "/no/such/file"},
        {{"--adaptive", "--size", "60"}, "60 bytes"},
        {{"--adaptive", "--policy", "single:redundancy=1"}, "redundancy=1 and --adaptive"},
        {{"--adaptive", "--duration", "80000s"}, "--max-rate"},
        {{"--speech", "--greedy"}, "speech goes beside video"},
        {{"--speech", "--talkspurt", "1s", "--silence", "1s"}, "speech goes beside video"},
        {{"--speech", "--policy", "single:redundancy=1"}, "redundancy=1 and --speech"}};
    for (const auto &item : cases) {
        Parsed p(item.first);
        INFO(item.second << " in: " << p.error.message);
        CHECK(p.result != LIVETCP_OK);
        CHECK(p.mentions(item.second));
    }
}

TEST_CASE("a program is a transport, with a start rate of its own")
{
    Parsed p({"--adaptive=1mbit", "--program", "other=/bin/other --fast 1", "-t",
              "other:start-rate=300kbit,plain", "-p", "single:start-rate=2mbit"});
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    REQUIRE(p->scheme_count == 3);
    CHECK(p->schemes[0].kind == LT_TRANSPORT_PROGRAM);
    CHECK(std::string(p->schemes[0].program->command) == "/bin/other --fast 1");
    CHECK(std::string(p->schemes[0].label) == "other start-rate=300kbit");
    CHECK(std::string(lt_scheme_transport(&p->schemes[0])) == "program");
    CHECK(p->schemes[0].start_rate == 300e3);
    CHECK(p->schemes[1].start_rate == 1e6); /* the run's */
    CHECK(p->schemes[2].start_rate == 2e6);
    Parsed constant({"--program", "other=x", "-t", "other", "--size", "1000", "--interval", "8ms"});
    REQUIRE(constant.result == LIVETCP_OK);
    CHECK(constant->schemes[0].start_rate == Approx(1e6));
}

TEST_CASE("flows join and leave; a path changes by a schedule")
{
    const char *file = "bench-options-test.schedule";
    FILE *out = fopen(file, "w");
    REQUIRE(out);
    fputs("5s forward rate=400kbit\n10s both delay=80ms\n", out);
    fclose(out);
    Parsed p({"--adaptive", "--flows", "3", "--flow-times", "0-,5s-20s", "--schedule", file,
              "--path", "delay=30ms,rate=1mbit"});
    remove(file);
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    CHECK(p->schedule.count == 2);
    const lt_plan &plan = p->plan;
    CHECK_FALSE(lt_plan_joins_late(&plan, 0));
    CHECK(lt_plan_joins_late(&plan, 1));
    CHECK_FALSE(lt_plan_joins_late(&plan, 2));
    CHECK(lt_plan_takes_part(&plan, 0, plan.length - 1));
    CHECK(lt_plan_takes_part(&plan, 2, 0));
    CHECK_FALSE(lt_plan_takes_part(&plan, 1, 4999999));
    CHECK(lt_plan_takes_part(&plan, 1, 5000000));
    CHECK_FALSE(lt_plan_takes_part(&plan, 1, 20000000));
}

TEST_CASE("programs, times of flows and schedules: what makes no sense is refused and named")
{
    const std::vector<std::pair<std::vector<const char *>, const char *>> cases = {
        {{"--program", "noname"}, "NAME=COMMAND"},
        {{"--program", "=x"}, "NAME=COMMAND"},
        {{"--program", "a:b=x"}, "NAME=COMMAND"},
        {{"--program", "plain=x"}, "take another"},
        {{"--program", "other=x", "-t", "other:nagle=1"}, "setting of other"},
        {{"--program", "other=x", "-t", "other", "--greedy"}, "forward only"},
        {{"--program", "other=x", "-t", "other", "--direction", "both"}, "forward only"},
        {{"-t", "other"}, "'other'"},
        {{"-t", "plain:start-rate=1mbit"}, "add --adaptive"},
        {{"--adaptive", "-t", "plain:start-rate=soon"}, "start-rate="},
        {{"--adaptive", "--max-rate", "2mbit", "-t", "plain:start-rate=3mbit"}, "--max-rate"},
        {{"--flow-times", "0-"}, "add --adaptive"},
        {{"--adaptive", "--flow-times", "0-,1s-"}, "only 1 flows"},
        {{"--adaptive", "--flow-times", "5s"}, "FROM-TO"},
        {{"--adaptive", "--flow-times", "9s-5s"}, "FROM-TO"},
        {{"--adaptive", "--flow-times", "500s-"}, "within the 70 s"},
        {{"--schedule", "/no/such/file"}, "/no/such/file"},
        {{"--schedule", "/dev/null", "--path", "none"}, "loopback"}};
    for (const auto &item : cases) {
        Parsed p(item.first);
        INFO(item.second << " in: " << p.error.message);
        CHECK(p.result != LIVETCP_OK);
        CHECK(p.mentions(item.second));
    }
}
