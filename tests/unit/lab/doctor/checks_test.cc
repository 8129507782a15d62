/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <cmath>
#include <set>

TEST_CASE("a host where nothing costs delay")
{
    Host host;
    for (size_t i = 0; lt_check_at(i); i++) {
        lt_finding finding = host.classify(lt_check_at(i)->name);
        INFO(lt_check_at(i)->name << ": " << finding.found);
        CHECK(finding.result == LT_CHECK_OK);
        CHECK(finding.found[0]);
        CHECK(!finding.command[0]);
    }
}

TEST_CASE("checks have names of their own, and fit the report")
{
    std::set<std::string> names, titles;
    for (size_t i = 0; lt_check_at(i); i++) {
        CHECK(names.insert(lt_check_at(i)->name).second);
        CHECK(titles.insert(lt_check_at(i)->title).second);
        CHECK(std::strlen(lt_check_at(i)->title) < 33);
        CHECK(lt_check_at(i)->source[0]);
    }
    CHECK(!lt_check_at(LT_DOCTOR_CHECKS_MAX));
}

/* One setting that costs delay, the check that says so, and the command that changes it. */
TEST_CASE("each setting that costs delay is found by one check")
{
    struct {
        lt_sysctl which;
        const char *text, *check, *command;
    } bad[] = {
        {LT_SYSCTL_SACK, "0", "sack", "sysctl -w net.ipv4.tcp_sack=1"},
        {LT_SYSCTL_DSACK, "0", "dsack", "sysctl -w net.ipv4.tcp_dsack=1"},
        {LT_SYSCTL_RECOVERY, "5", "rack", "sysctl -w net.ipv4.tcp_recovery=1"},
        {LT_SYSCTL_EARLY_RETRANS, "0", "tail-loss-probe", "sysctl -w net.ipv4.tcp_early_retrans=3"},
        {LT_SYSCTL_REORDERING, "8", "reordering", "sysctl -w net.ipv4.tcp_reordering=3"},
        {LT_SYSCTL_TIMESTAMPS, "0", "timestamps", "sysctl -w net.ipv4.tcp_timestamps=1"},
        {LT_SYSCTL_RTO_MIN, "30000", "rto-min", "sysctl -w net.ipv4.tcp_rto_min_us=200000"},
        {LT_SYSCTL_RTO_MIN, "1000000", "rto-min", "sysctl -w net.ipv4.tcp_rto_min_us=200000"},
        {LT_SYSCTL_THIN_LINEAR, "0", "thin-linear-timeouts",
         "sysctl -w net.ipv4.tcp_thin_linear_timeouts=1"},
        {LT_SYSCTL_COMP_SACK_DELAY, "20000000", "sack-compression",
         "sysctl -w net.ipv4.tcp_comp_sack_delay_ns=1000000"},
        {LT_SYSCTL_SLOW_START_AFTER_IDLE, "1", "slow-start-after-idle",
         "sysctl -w net.ipv4.tcp_slow_start_after_idle=0"},
        {LT_SYSCTL_ECN, "2", "ecn", "sysctl -w net.ipv4.tcp_ecn=1"},
        {LT_SYSCTL_ECN, "0", "ecn", "sysctl -w net.ipv4.tcp_ecn=1"},
        {LT_SYSCTL_ECN, "5", "ecn", "sysctl -w net.ipv4.tcp_ecn=1"},
        {LT_SYSCTL_NO_SSTHRESH, "0", "ssthresh-inheritance",
         "sysctl -w net.ipv4.tcp_no_ssthresh_metrics_save=1"},
        {LT_SYSCTL_SYN_RETRIES, "1", "syn", "sysctl -w net.ipv4.tcp_syn_retries=6"},
        {LT_SYSCTL_SYN_LINEAR, "0", "syn", "sysctl -w net.ipv4.tcp_syn_linear_timeouts=4"},
        {LT_SYSCTL_RETRIES2, "3", "give-up", "sysctl -w net.ipv4.tcp_retries2=15"},
        {LT_SYSCTL_MTU_PROBING, "0", "mtu-probing", "sysctl -w net.ipv4.tcp_mtu_probing=1"},
        {LT_SYSCTL_RMEM, "4096 87380 262144", "receive-buffer",
         "sysctl -w net.ipv4.tcp_rmem=\"4096 87380 8388608\""},
        {LT_SYSCTL_MODERATE_RCVBUF, "0", "receive-buffer",
         "sysctl -w net.ipv4.tcp_moderate_rcvbuf=1"},
        {LT_SYSCTL_WMEM, "4096 16384 131072", "send-buffer",
         "sysctl -w net.ipv4.tcp_wmem=\"4096 16384 8388608\""},
        {LT_SYSCTL_WINDOW_SCALING, "0", "window-scaling",
         "sysctl -w net.ipv4.tcp_window_scaling=1"},
    };
    for (const auto &one : bad) {
        Host host;
        host.set(one.which, one.text);
        lt_diagnosis diagnosis;
        lt_diagnose(&diagnosis, &host.facts);
        lt_finding finding = host.classify(one.check);
        INFO(lt_sysctl_name(one.which) << " = " << one.text << ": " << finding.found);
        CHECK(finding.result == LT_CHECK_COSTS);
        CHECK(finding.cost[0]);
        CHECK(finding.command == std::string(one.command));
        CHECK(diagnosis.results[LT_CHECK_COSTS] == 1);
        CHECK(diagnosis.results[LT_CHECK_UNKNOWN] == 0);
    }
}

TEST_CASE("a setting that cannot be read is unknown, with the reason")
{
    Host host;
    host.lose(LT_SYSCTL_SACK, EACCES);
    CHECK(host.classify("sack").result == LT_CHECK_UNKNOWN);
    CHECK(host.classify("sack").found ==
          std::string("net.ipv4.tcp_sack cannot be read: Permission denied"));
    host.set(LT_SYSCTL_SACK, "perhaps");
    CHECK(host.classify("sack").found ==
          std::string("net.ipv4.tcp_sack says 'perhaps', which is not the expected format"));
    host.lose(LT_SYSCTL_RMEM_MAX);
    CHECK(host.classify("socket-buffers").found ==
          std::string("net.core.rmem_max is not visible in this network namespace; ask on the host "
                      "itself"));
    host.lose(LT_SYSCTL_RECOVERY);
    host.kernel(4, 3);
    CHECK(host.classify("rack").found ==
          std::string("this kernel has no net.ipv4.tcp_recovery, which came with Linux 4.4"));
}

TEST_CASE("with nothing known at all, nothing is said to be well or to cost anything")
{
    Host host;
    host.facts = {};
    for (int i = 0; i < LT_SYSCTL_COUNT; i++)
        host.lose((lt_sysctl)i);
    host.facts.route.how = host.facts.socket.how = host.facts.tun.how = LT_FAILED;
    const std::set<std::string> certain = {"limited-transmit", "rto-min"};
    for (size_t i = 0; lt_check_at(i); i++) {
        lt_finding finding = host.classify(lt_check_at(i)->name);
        INFO(lt_check_at(i)->name << ": " << finding.found);
        CHECK(finding.found[0]);
        if (!certain.count(lt_check_at(i)->name))
            CHECK(finding.result == LT_CHECK_UNKNOWN);
    }
}

TEST_CASE("RACK cannot be off since Linux 6.17")
{
    Host host;
    host.set(LT_SYSCTL_RECOVERY, "0");
    CHECK(host.classify("rack").result == LT_CHECK_OK);
    host.kernel(6, 16);
    CHECK(host.classify("rack").result == LT_CHECK_COSTS);
    CHECK(host.classify("rack").cost_ms == 31);
}

TEST_CASE("the route speaks before the system")
{
    Host host;
    lt_route_fact &route = host.facts.route;
    host.set(LT_SYSCTL_ECN, "0");
    route.features = 1; /* RTAX_FEATURE_ECN */
    CHECK(host.classify("ecn").result == LT_CHECK_OK);
    route.rto_min_ms = 500;
    CHECK(host.classify("rto-min").result == LT_CHECK_COSTS);
    CHECK(host.classify("rto-min").cost_ms == 300);
    std::strcpy(route.congestion_control, "reno");
    host.set(LT_SYSCTL_ALLOWED_CC, "reno cubic");
    CHECK(host.classify("congestion-control").result == LT_CHECK_COSTS);
    std::strcpy(route.congestion_control, "bbr");
    CHECK(host.classify("congestion-control").result == LT_CHECK_OK);
}

TEST_CASE("initial windows cost the round trips it takes to double them")
{
    const struct {
        unsigned segments;
        int trips;
    } windows[] = {{1, 4}, {2, 3}, {3, 2}, {4, 2}, {5, 1}, {9, 1}, {10, 0}, {40, 0}};
    for (const auto &one : windows) {
        Host host;
        host.facts.route.initcwnd = host.facts.route.initrwnd = one.segments;
        for (const char *name : {"initial-window", "initial-receive-window"}) {
            lt_finding finding = host.classify(name);
            INFO(name << " " << one.segments << ": " << finding.found);
            CHECK(finding.result == (one.trips ? LT_CHECK_COSTS : LT_CHECK_OK));
            CHECK(finding.cost_round_trips == one.trips);
        }
    }
    Host host;
    host.facts.route.initcwnd = 4;
    CHECK(host.classify("initial-window").command ==
          std::string("ip route replace default via 192.0.2.1 dev eth7 initcwnd 10"));
    host.facts.route.how = LT_ABSENT;
    CHECK(host.classify("initial-window").result == LT_CHECK_UNKNOWN);
}

TEST_CASE("congestion control: what the default is, and what may be chosen")
{
    Host host;
    host.set(LT_SYSCTL_ALLOWED_CC, "reno cubic");
    CHECK(host.classify("congestion-control").result == LT_CHECK_COSTS);
    host.set(LT_SYSCTL_CC, "bbr");
    CHECK(host.classify("congestion-control").result == LT_CHECK_OK);
    host.set(LT_SYSCTL_CC, "cubic");
    host.set(LT_SYSCTL_ALLOWED_CC, "reno xbbr bbr2"); /* whole words */
    CHECK(host.classify("congestion-control").result == LT_CHECK_COSTS);

    CHECK(host.classify("congestion-control-choice").result == LT_CHECK_OK);
    std::strcpy(host.facts.socket.selectable, "reno");
    CHECK(host.classify("congestion-control-choice").result == LT_CHECK_COSTS);
}

TEST_CASE("ssthresh was always inherited before there was a switch of its own")
{
    Host host;
    host.kernel(5, 4);
    host.lose(LT_SYSCTL_NO_SSTHRESH);
    CHECK(host.classify("ssthresh-inheritance").result == LT_CHECK_COSTS);
    CHECK(host.classify("ssthresh-inheritance").command ==
          std::string("sysctl -w net.ipv4.tcp_no_metrics_save=1"));
    host.set(LT_SYSCTL_NO_METRICS, "1");
    CHECK(host.classify("ssthresh-inheritance").result == LT_CHECK_OK);
}

TEST_CASE("the interface: queue, offloads, interrupts")
{
    Host host;
    lt_interface_fact &i = host.facts.interface;
    std::strcpy(i.qdisc, "pfifo_fast");
    CHECK(host.classify("qdisc").result == LT_CHECK_COSTS);
    CHECK(host.classify("qdisc").cost_ms == 120);
    CHECK(host.classify("qdisc").command == std::string("tc qdisc replace dev eth7 root fq_codel"));
    std::strcpy(i.qdisc, "mq");
    std::strcpy(i.inner_qdisc, "fq");
    CHECK(host.classify("qdisc").result == LT_CHECK_OK);
    i.offload[LT_OFFLOAD_LRO] = true;
    CHECK(host.classify("receive-offload").result == LT_CHECK_COSTS);
    i.coalesce_us = 3000;
    CHECK(host.classify("interrupt-coalescing").cost_ms == 3);
    i.coalescing_known = false;
    CHECK(host.classify("interrupt-coalescing").result == LT_CHECK_OK);
}

TEST_CASE("what older kernels lack")
{
    Host host;
    host.facts.socket.delack_max = false;
    CHECK(host.classify("delayed-ack").result == LT_CHECK_COSTS);
    CHECK(host.classify("delayed-ack").command ==
          std::string("ip route replace default via 192.0.2.1 dev eth7 quickack 1"));
    host.facts.route.quickack = 1;
    CHECK(host.classify("delayed-ack").result == LT_CHECK_OK);
    host.facts.socket.timestamp_acknowledged = false;
    CHECK(host.classify("timestamping").result == LT_CHECK_UNKNOWN);
    host.facts.socket.notsent_lowat = false;
    CHECK(host.classify("unsent-limit").result == LT_CHECK_COSTS);
    host.kernel(4, 9);
    CHECK(host.classify("kernel").result == LT_CHECK_COSTS);
}

TEST_CASE("what is paid more often, then what is dearer, is told first")
{
    lt_finding often = {}, dear = {}, cheap = {}, unpriced = {};
    often.when = LT_WHEN_LOSS;
    often.cost_ms = 1;
    dear.when = cheap.when = unpriced.when = LT_WHEN_RARELY;
    dear.cost_ms = 300;
    cheap.cost_ms = 20;
    unpriced.cost_ms = std::nan("");
    CHECK(lt_finding_order(&often, &dear) < 0);
    CHECK(lt_finding_order(&dear, &cheap) < 0);
    CHECK(lt_finding_order(&unpriced, &cheap) > 0);
    CHECK(lt_finding_order(&dear, &dear) == 0);
}
