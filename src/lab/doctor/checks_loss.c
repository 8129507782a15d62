/* SPDX-License-Identifier: MIT */
/* Detection and repair of losses, which depend on the kernel version. R is the round trip and T the
 * interval between packets of one connection; numbers are for R = 100 ms and T = 20 ms. */
#include "lab/doctor/check_groups.h"

#include "lab/doctor/sysctls.h"

#include <math.h>

/* Kernel versions with changes that affect a live flow. */
static void classify_kernel(const lt_facts *facts, lt_finding *finding)
{
    if (!facts->kernel_major) {
        lt_find_unknown(finding, "its version is not known");
    } else if (lt_kernel_from(facts, 4, 18)) {
        lt_find_ok(finding, "Linux %s: RACK by default, pacing in TCP", facts->kernel);
    } else {
        lt_find_costs(finding, "Linux %s", facts->kernel);
        lt_find_price(finding, LT_WHEN_LOSS, 31, 0,
                      "Before 4.18 losses are found by counting duplicate acknowledgements first, "
                      "R + 3T; before 4.13 bbr needs the qdisc fq; before 4.9 there is none.");
        lt_find_command(finding, "(a newer kernel)");
    }
}

static void classify_sack(const lt_facts *facts, lt_finding *finding)
{
    if (!lt_find_off(facts, LT_SYSCTL_SACK, "on", finding))
        return;
    lt_find_costs(finding, "off");
    lt_find_price(
        finding, LT_WHEN_LOSS, 100, 1,
        "One more round trip for every further segment lost in a window. Without SACK there "
        "is no tail loss probe either: the loss of a last segment waits for a timeout.");
    lt_find_sysctl(finding, LT_SYSCTL_SACK, "1");
}

static void classify_dsack(const lt_facts *facts, lt_finding *finding)
{
    if (!lt_find_off(facts, LT_SYSCTL_DSACK, "on", finding))
        return;
    lt_find_costs(finding, "off");
    lt_find_price(
        finding, LT_WHEN_RARELY, NAN, 0,
        "On a path that reorders, the peer does not learn that it repaired for nothing: it "
        "neither opens its window again nor waits longer before the next repair, and what "
        "the halved window does not hold waits at the sender.");
    lt_find_sysctl(finding, LT_SYSCTL_DSACK, "1");
}

enum { RACK_ON = 1, RACK_STATIC = 2, RACK_NO_DUPTHRESH = 4 };

/* Loss detection takes R + 3T by duplicate acknowledgements, and R + min(3T, max(T, R/4 + 4 ms))
 * with RACK: 60 ms and 29 ms beyond R. */
static void classify_rack(const lt_facts *facts, lt_finding *finding)
{
    long long flags;
    const bool always = facts->kernel_major && lt_kernel_from(facts, 6, 17);
    if (!lt_find_number(facts, LT_SYSCTL_RECOVERY, &flags, finding))
        return;
    if (!(flags & RACK_ON) && !always) {
        lt_find_costs(finding, "off (%s = %lld)", lt_sysctl_name(LT_SYSCTL_RECOVERY), flags);
        lt_find_price(
            finding, LT_WHEN_LOSS, 31, 0,
            "A loss is found by three later segments, after R + 3T instead of "
            "R + max(T, R/4 + 4 ms): 31 ms more at R = 100 ms and T = 20 ms. A repair that "
            "is lost again waits for a timeout, 200 ms and more, instead of a round trip.");
        lt_find_sysctl(finding, LT_SYSCTL_RECOVERY, "1");
    } else if (flags & RACK_NO_DUPTHRESH) {
        lt_find_costs(finding, "on, but three later segments do not count (%s = %lld)",
                      lt_sysctl_name(LT_SYSCTL_RECOVERY), flags);
        lt_find_price(
            finding, LT_WHEN_LOSS, NAN, 0.25,
            "When packets follow each other faster than every R/12, a loss is found after "
            "R/4 and not after three of them.");
        lt_find_sysctl(finding, LT_SYSCTL_RECOVERY, "1");
    } else {
        lt_find_ok(finding, "on%s%s", flags & RACK_ON ? "" : ", as always since Linux 6.17",
                   flags & RACK_STATIC ? ", with a reordering window that does not adapt" : "");
    }
}

static void classify_tlp(const lt_facts *facts, lt_finding *finding)
{
    long long mode;
    if (!lt_find_number(facts, LT_SYSCTL_EARLY_RETRANS, &mode, finding))
        return;
    if (mode >= 3) {
        lt_find_ok(finding, "on");
        return;
    }
    lt_find_costs(finding, "off (%s = %lld)", lt_sysctl_name(LT_SYSCTL_EARLY_RETRANS), mode);
    lt_find_price(
        finding, LT_WHEN_LOSS, 100, 0,
        "The loss of the last of several segments in flight is repaired by a timeout, after "
        "R + 200 ms instead of 2R: 100 ms more at R = 100 ms, 180 ms at R = 20 ms. And the "
        "timeout shrinks the window to one segment.");
    lt_find_sysctl(finding, LT_SYSCTL_EARLY_RETRANS, "3");
}

static void classify_limited_transmit(const lt_facts *facts, lt_finding *finding)
{
    (void)facts;
    lt_find_ok(finding, "on: part of Linux since 2.4, without a switch");
}

static void classify_reordering(const lt_facts *facts, lt_finding *finding)
{
    enum { INTERVAL_MS = 20, DEFAULT = 3 };
    long long segments;
    if (!lt_find_number(facts, LT_SYSCTL_REORDERING, &segments, finding))
        return;
    if (segments <= DEFAULT) {
        lt_find_ok(finding, "%lld segments", segments);
        return;
    }
    lt_find_costs(finding, "%lld segments instead of %d", segments, DEFAULT);
    lt_find_price(
        finding, LT_WHEN_LOSS, (double)(segments - DEFAULT) * INTERVAL_MS, 0,
        "A loss is found %lld T later, %lld ms at T = 20 ms. RACK, where it is on, finds it "
        "after R/4 at the latest.",
        segments - DEFAULT, (segments - DEFAULT) * INTERVAL_MS);
    lt_find_sysctl(finding, LT_SYSCTL_REORDERING, "3");
}

static void classify_timestamps(const lt_facts *facts, lt_finding *finding)
{
    if (!lt_find_off(facts, LT_SYSCTL_TIMESTAMPS, "on", finding))
        return;
    lt_find_costs(finding, "off");
    lt_find_price(
        finding, LT_WHEN_RARELY, 100, 1,
        "The acknowledgement of a repair does not say whether it was the repair that "
        "arrived: RACK ignores it when it comes soon, timeouts that were for nothing are "
        "undone a round trip later or not at all, and the round trip is measured less often.");
    lt_find_sysctl(finding, LT_SYSCTL_TIMESTAMPS, "1");
}

/* The route's value, if set, takes precedence. */
static void classify_rto_min(const lt_facts *facts, lt_finding *finding)
{
    enum { DEFAULT_MS = 200 };
    long long us = DEFAULT_MS * 1000;
    const bool by_route = facts->route.how == LT_KNOWN && facts->route.rto_min_ms;
    const char *setting = facts->socket.rto_min ? ", and per connection (TCP_RTO_MIN_US)" : "";
    if (by_route)
        us = (long long)facts->route.rto_min_ms * 1000;
    else if (facts->sysctl[LT_SYSCTL_RTO_MIN].how != LT_ABSENT &&
             !lt_find_number(facts, LT_SYSCTL_RTO_MIN, &us, finding))
        return;
    const double ms = (double)us / 1e3;
    const char *origin = by_route ? "by the route" : "as Linux has it";
    if (us == DEFAULT_MS * 1000) {
        lt_find_ok(finding, "%g ms over the round trip, %s%s", ms, origin, setting);
        return;
    }
    lt_find_costs(finding, "%g ms over the round trip%s", ms, by_route ? ", by the route" : "");
    if (ms > DEFAULT_MS)
        lt_find_price(finding, LT_WHEN_LOSS, ms - DEFAULT_MS, 0,
                      "A loss that nothing follows is repaired %g ms later.", ms - DEFAULT_MS);
    else
        lt_find_price(
            finding, LT_WHEN_LOSS, 94, 0,
            "Timeouts come before the next packet's acknowledgement could, are taken for "
            "spurious, and the repair waits a round trip more: p99 364 instead of 270 ms "
            "with 30 ms at R = 100 ms. It helps where it is shorter than T and R is small.");
    if (by_route)
        lt_find_route(finding, facts, "rto_min 200ms");
    else
        lt_find_sysctl(finding, LT_SYSCTL_RTO_MIN, "200000");
}

static void classify_thin_linear(const lt_facts *facts, lt_finding *finding)
{
    if (!lt_find_off(facts, LT_SYSCTL_THIN_LINEAR,
                     "they do not double while fewer than four segments are in flight", finding))
        return;
    lt_find_costs(finding, "each is twice as long as the one before");
    lt_find_price(finding, LT_WHEN_RARELY, 300, 0,
                  "When what a timeout repaired is lost again on a connection with fewer than four "
                  "segments in flight, the next timeout comes 300 ms later than it need at "
                  "R = 100 ms, and the one after that another 900 ms.");
    lt_find_sysctl(finding, LT_SYSCTL_THIN_LINEAR, "1");
}

/* The kernel delays SACKs in a burst of acknowledgements by at most 5 % of the round trip. */
static void classify_sack_compression(const lt_facts *facts, lt_finding *finding)
{
    enum { MUCH_NS = 2000000 };
    long long ns;
    if (!lt_kernel_from(facts, 4, 18)) {
        lt_find_ok(finding, "not in this kernel");
        return;
    }
    if (!lt_find_number(facts, LT_SYSCTL_COMP_SACK_DELAY, &ns, finding))
        return;
    if (ns <= MUCH_NS) {
        lt_find_ok(finding, "%g ms at most", (double)ns / 1e6);
        return;
    }
    lt_find_costs(finding, "%g ms at most", (double)ns / 1e6);
    lt_find_price(
        finding, LT_WHEN_LOSS, fmin((double)ns / 1e6, 5), 0,
        "The peer learns of losses up to %g ms later, or a twentieth of the round trip if "
        "that is less.",
        (double)ns / 1e6);
    lt_find_sysctl(finding, LT_SYSCTL_COMP_SACK_DELAY, "1000000");
}

static void classify_delayed_ack(const lt_facts *facts, lt_finding *finding)
{
    if (facts->route.how == LT_KNOWN && facts->route.quickack) {
        lt_find_ok(finding, "none: the route says quickack");
    } else if (facts->socket.how != LT_KNOWN) {
        lt_find_unknown(finding, "no TCP socket could be made to ask");
    } else if (facts->socket.delack_max) {
        lt_find_ok(finding, "LiveTCP acknowledges at once, and within 10 ms in any case");
    } else {
        lt_find_costs(finding, "up to 40 ms (this kernel has no TCP_DELACK_MAX_US)");
        lt_find_price(
            finding, LT_WHEN_RARELY, 30, 0,
            "LiveTCP acknowledges what it reads at once, but what it does not read in time "
            "is acknowledged up to 40 ms later; a sender takes it for late and sends a copy.");
        lt_find_route(finding, facts, "quickack 1");
    }
}

/* ---- the table ---- */

#define BROSH   "Brosh et al., section 8.1"
#define SYSCTLS "Linux, Documentation/networking/ip-sysctl.rst"

static const lt_check checks[] = {
    {"kernel", "Kernel", "docs/guide/doctor.md#kernel", classify_kernel},
    {"sack", "Selective acknowledgements", BROSH, classify_sack},
    {"dsack", "Duplicate SACK", "RFC 2883; RFC 8985, section 3.3.2", classify_dsack},
    {"rack", "Loss found by time (RACK)", "RFC 8985; docs/guide/doctor.md#loss", classify_rack},
    {"tail-loss-probe", "Tail loss probe", "RFC 8985; docs/guide/doctor.md#loss", classify_tlp},
    {"limited-transmit", "Limited transmit", BROSH "; RFC 3042", classify_limited_transmit},
    {"reordering", "Reordering allowed for", SYSCTLS "; docs/guide/doctor.md#loss",
     classify_reordering},
    {"timestamps", "TCP time stamps", "RFC 7323; RFC 8985, section 6.2", classify_timestamps},
    {"rto-min", "Shortest retransmission timeout", "docs/guide/tuning.md#loss-on-thin-connections",
     classify_rto_min},
    {"thin-linear-timeouts", "Timeouts of thin streams", SYSCTLS, classify_thin_linear},
    {"sack-compression", "SACK compression", SYSCTLS, classify_sack_compression},
    {"delayed-ack", "Delayed acknowledgements", "docs/guide/tuning.md#loss-on-thin-connections",
     classify_delayed_ack},
};

const lt_check_group lt_loss_checks = {checks, sizeof checks / sizeof *checks};
