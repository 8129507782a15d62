/* SPDX-License-Identifier: MIT */
/* Congestion control, and the queue of the outgoing interface. R is the round trip and T the
 * interval between packets of one connection; numbers are for R = 100 ms and T = 20 ms. */
#include "lab/doctor/check_groups.h"

#include "lab/doctor/sysctls.h"

#include <linux/rtnetlink.h>
#include <math.h>
#include <string.h>

/* A route can set the algorithm as well, and takes precedence. */
static void classify_congestion_control(const lt_facts *facts, lt_finding *finding)
{
    const bool by_route = facts->route.how == LT_KNOWN && facts->route.congestion_control[0];
    const char *name =
        by_route ? facts->route.congestion_control : facts->sysctl[LT_SYSCTL_CC].text;
    if (!by_route && facts->sysctl[LT_SYSCTL_CC].how != LT_KNOWN) {
        char why[160];
        lt_sysctl_why(facts, LT_SYSCTL_CC, why, sizeof why);
        lt_find_unknown(finding, "%s", why);
        return;
    }
    if (!strcmp(name, "bbr")) {
        lt_find_ok(finding, "bbr%s: hardly slowed by random loss",
                   by_route ? ", by the route" : "");
        return;
    }
    if (lt_sysctl_lists(facts, LT_SYSCTL_ALLOWED_CC, "bbr")) {
        lt_find_ok(finding, "%s; congestion-control=auto takes bbr", name);
        return;
    }
    lt_find_costs(finding, "%s, and bbr may not be chosen", name);
    lt_find_price(
        finding, LT_WHEN_LOSS, NAN, 0,
        "Video at a long round trip: with 1448 bytes every 20 ms, R = 300 ms and 1 %% of loss "
        "on one connection, delay grows without end where bbr's p99 is 441 ms over "
        "propagation. On five connections it matters little.");
    lt_find_command(finding, "modprobe tcp_bbr && sysctl -w %s=\"reno cubic bbr\"",
                    lt_sysctl_name(LT_SYSCTL_ALLOWED_CC));
}

static void classify_choice(const lt_facts *facts, lt_finding *finding)
{
    const char *mine = facts->socket.selectable;
    char why[160];
    if (facts->socket.how != LT_KNOWN) {
        lt_find_unknown(finding, "no TCP socket could be made to ask");
    } else if (facts->sysctl[LT_SYSCTL_AVAILABLE_CC].how != LT_KNOWN) {
        lt_sysctl_why(facts, LT_SYSCTL_AVAILABLE_CC, why, sizeof why);
        lt_find_unknown(finding, "%s", why);
    } else if (!strchr(mine, ' ')) {
        lt_find_costs(finding, "only %s can be chosen per connection",
                      *mine ? mine : "the default");
        lt_find_price(
            finding, LT_WHEN_LOSS, NAN, 0,
            "Nothing can be chosen for media alone: what suits this host's downloads has to "
            "suit live media.");
        lt_find_command(finding, "sysctl -w %s=\"%.80s\"", lt_sysctl_name(LT_SYSCTL_ALLOWED_CC),
                        facts->sysctl[LT_SYSCTL_AVAILABLE_CC].text);
    } else {
        lt_find_ok(finding, "per connection: %s; without privileges: %s", mine,
                   facts->sysctl[LT_SYSCTL_ALLOWED_CC].how == LT_KNOWN
                       ? facts->sysctl[LT_SYSCTL_ALLOWED_CC].text
                       : "not known here");
    }
}

static void classify_idle_restart(const lt_facts *facts, lt_finding *finding)
{
    long long on;
    if (!lt_find_number(facts, LT_SYSCTL_SLOW_START_AFTER_IDLE, &on, finding))
        return;
    if (!on) {
        lt_find_ok(finding, "off: a window survives silence");
        return;
    }
    lt_find_costs(finding, "on");
    lt_find_price(
        finding, LT_WHEN_SILENCE, 110, 1,
        "After a silence of one retransmission timeout the window is back at ten segments: "
        "the first packets of 5.8 Mbit/s had a median of 160 instead of 50 ms at R = 100 ms. "
        "Flows of up to ten segments per round trip, such as speech, do not notice; "
        "idle-packets=1 avoids it without privileges.");
    lt_find_sysctl(finding, LT_SYSCTL_SLOW_START_AFTER_IDLE, "0");
}

/* tcp_ecn: 1, 3 and 4 request ECN on outgoing connections, all but 0 accept it. */
static void classify_ecn(const lt_facts *facts, lt_finding *finding)
{
    long long mode;
    const bool by_route =
        facts->route.how == LT_KNOWN && (facts->route.features & RTAX_FEATURE_ECN);
    if (!lt_find_number(facts, LT_SYSCTL_ECN, &mode, finding))
        return;
    if (mode == 1 || mode == 3 || mode == 4 || by_route) {
        lt_find_ok(finding, "asked for%s", by_route ? ", by the route" : "");
        return;
    }
    lt_find_costs(finding, mode ? "only when the peer asks" : "off");
    lt_find_price(
        finding, LT_WHEN_LOAD, 100, 1,
        "Where the bottleneck marks, a full queue drops segments of this host's connections "
        "instead, and each drop costs a round trip. It is enough for the end that connects "
        "to ask.");
    lt_find_sysctl(finding, LT_SYSCTL_ECN, "1");
}

static bool is_any(const char *name, const char *const *of)
{
    for (; *of; of++)
        if (!strcmp(name, *of))
            return true;
    return false;
}

/* Since Linux 4.13 TCP paces by itself if the interface does not. */
static void classify_qdisc(const lt_facts *facts, lt_finding *finding)
{
    static const char *const fair[] = {"fq", "fq_codel", "cake", "fq_pie", "codel", "sfq", NULL};
    static const char *const none[] = {"noqueue", NULL};
    enum { PACKET_BITS = 12000, MBIT_S = 100 };
    const lt_interface_fact *i = &facts->interface;
    const char *kind = i->inner_qdisc[0] ? i->inner_qdisc : i->qdisc;
    const char *pacing = !strcmp(kind, "fq") ? ", which also paces" : "";
    if (!i->name[0]) {
        lt_find_unknown(finding, "no interface to look at; name one with --interface");
    } else if (i->qdisc_how != LT_KNOWN) {
        lt_find_unknown(finding, "the queue of %s is not known: %s", i->name,
                        i->qdisc_error ? strerror(i->qdisc_error) : "the kernel names none");
    } else if (is_any(kind, none)) {
        lt_find_ok(finding, "%s has none", i->name);
    } else if (is_any(kind, fair)) {
        lt_find_ok(finding, "%s on %s%s", kind, i->name, pacing);
    } else {
        const unsigned packets = i->queue_packets ? i->queue_packets : 1000;
        const double ms = (double)packets * PACKET_BITS / (MBIT_S * 1e3);
        lt_find_costs(finding, "%s on %s, %u packets", kind, i->name, packets);
        lt_find_price(
            finding, LT_WHEN_LOAD, ms, 0,
            "While this host sends more than its link takes, media waits behind everything "
            "else: %.0f ms for %u packets of 1500 bytes at 100 Mbit/s. fq_codel lets it pass.",
            ms, packets);
        lt_find_command(finding, "tc qdisc replace dev %s root fq_codel", i->name);
    }
}

/* ---- the table ---- */

#define BROSH  "Brosh et al., section 8.1"
#define GOEL_4 "Goel et al., section 4.4"

static const lt_check checks[] = {
    {"congestion-control", "Congestion control", "docs/guide/tuning.md#congestion-control",
     classify_congestion_control},
    {"congestion-control-choice", "Choice of congestion control",
     BROSH ": per connection; docs/guide/tuning.md#congestion-control", classify_choice},
    {"slow-start-after-idle", "Idle restart",
     "Brosh et al., sections 6.2 and 8.2; docs/guide/tuning.md#silence", classify_idle_restart},
    {"ecn", "Explicit congestion notification", GOEL_4, classify_ecn},
    {"qdisc", "Queue of the interface", "docs/guide/doctor.md#the-interface", classify_qdisc},
};

const lt_check_group lt_congestion_checks = {checks, sizeof checks / sizeof *checks};
