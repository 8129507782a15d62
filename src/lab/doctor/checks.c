/* SPDX-License-Identifier: MIT */
/* One function a check, host information in and a finding out, and the table of them all. In texts
 * R is the round trip and T the interval between packets of one connection; numbers are for
 * R = 100 ms and T = 20 ms. */
#include "lab/doctor/checks.h"

#include "lab/doctor/sysctls.h"

#include <linux/rtnetlink.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the kernel, the interface, and LiveTCP's own tools ---- */

/* Kernel versions that changed something for a live flow. */
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

static bool has_interface(const lt_facts *facts, lt_finding *finding)
{
    if (!facts->interface.name[0])
        lt_find_unknown(finding, "no interface to look at; name one with --interface");
    return facts->interface.name[0] != '\0';
}

static const char *on_off(const lt_interface_fact *i, lt_offload which)
{
    return !i->offload_known[which] ? "not known" : i->offload[which] ? "on" : "off";
}

/* TCP sizes its bursts by the pacing rate, so this costs processor time when off and nothing when
 * on. */
static void classify_send_offload(const lt_facts *facts, lt_finding *finding)
{
    const lt_interface_fact *i = &facts->interface;
    if (!has_interface(facts, finding))
        return;
    if (!i->offload_known[LT_OFFLOAD_TSO] && !i->offload_known[LT_OFFLOAD_GSO])
        lt_find_unknown(finding, "%s does not say", i->name);
    else
        lt_find_ok(finding, "TSO %s, GSO %s on %s; bursts follow the pacing rate",
                   on_off(i, LT_OFFLOAD_TSO), on_off(i, LT_OFFLOAD_GSO), i->name);
}

static void classify_receive_offload(const lt_facts *facts, lt_finding *finding)
{
    const lt_interface_fact *i = &facts->interface;
    if (!has_interface(facts, finding))
        return;
    if (!i->offload_known[LT_OFFLOAD_GRO] && !i->offload_known[LT_OFFLOAD_LRO]) {
        lt_find_unknown(finding, "%s does not say", i->name);
    } else if (i->offload[LT_OFFLOAD_LRO]) {
        lt_find_costs(finding, "LRO on, on %s", i->name);
        lt_find_price(
            finding, LT_WHEN_ALWAYS, 1, 0,
            "The interface waits for more segments to merge, and acknowledgements come in "
            "clumps: up to a millisecond, and the peer sends in bursts. GRO does not wait.");
        lt_find_command(finding, "ethtool -K %s lro off", i->name);
    } else {
        lt_find_ok(finding, "GRO %s, LRO %s on %s", on_off(i, LT_OFFLOAD_GRO),
                   on_off(i, LT_OFFLOAD_LRO), i->name);
    }
}

static void classify_coalescing(const lt_facts *facts, lt_finding *finding)
{
    enum { MUCH_US = 500 };
    const lt_interface_fact *i = &facts->interface;
    if (!has_interface(facts, finding))
        return;
    if (!i->coalescing_known) {
        lt_find_ok(finding, "%s has no such setting", i->name);
    } else if (i->coalesce_us <= MUCH_US) {
        lt_find_ok(finding, "received packets wait %u us at most on %s", i->coalesce_us, i->name);
    } else {
        lt_find_costs(finding, "received packets wait up to %u us on %s", i->coalesce_us, i->name);
        lt_find_price(finding, LT_WHEN_ALWAYS, i->coalesce_us / 1e3, 0,
                      "Every packet, and every acknowledgement, comes up to %.1f ms later.",
                      i->coalesce_us / 1e3);
        lt_find_command(finding, "ethtool -C %s rx-usecs 50", i->name);
    }
}

static void classify_timestamping(const lt_facts *facts, lt_finding *finding)
{
    const lt_socket_fact *s = &facts->socket;
    if (s->how != LT_KNOWN || s->timestamps_how == LT_FAILED)
        lt_find_unknown(finding, "a connection over the loopback failed: %s",
                        strerror(s->how != LT_KNOWN ? s->error : s->timestamps_error));
    else if (s->timestamps_how == LT_ABSENT)
        lt_find_unknown(finding,
                        "this kernel has no SO_TIMESTAMPING for TCP: the components of the delay "
                        "are estimated, not measured");
    else if (s->timestamp_sent && s->timestamp_acknowledged && s->timestamp_received)
        lt_find_ok(finding, "when sent, received and acknowledged (SO_TIMESTAMPING)");
    else
        lt_find_unknown(finding, "SO_TIMESTAMPING is accepted, but there is none of: %s%s%s",
                        s->timestamp_sent ? "" : "sent ", s->timestamp_received ? "" : "received ",
                        s->timestamp_acknowledged ? "" : "acknowledged");
}

static void classify_tun(const lt_facts *facts, lt_finding *finding)
{
    if (facts->tun.how == LT_KNOWN)
        lt_find_ok(finding, "livetcp emulate and livetcp bench work here");
    else
        lt_find_unknown(finding, "livetcp emulate does not work here: %.140s", facts->tun.why);
}

/* ---- how losses are found and repaired ---- */

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

/* Finding a loss takes R + 3T by duplicate acknowledgements and R + min(3T, max(T, R/4 + 4 ms))
 * with RACK: 60 against 29 ms over R. */
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
    enum { INTERVAL_MS = 20, USUAL = 3 };
    long long segments;
    if (!lt_find_number(facts, LT_SYSCTL_REORDERING, &segments, finding))
        return;
    if (segments <= USUAL) {
        lt_find_ok(finding, "%lld segments", segments);
        return;
    }
    lt_find_costs(finding, "%lld segments instead of %d", segments, USUAL);
    lt_find_price(
        finding, LT_WHEN_LOSS, (double)(segments - USUAL) * INTERVAL_MS, 0,
        "A loss is found %lld T later, %lld ms at T = 20 ms. RACK, where it is on, finds it "
        "after R/4 at the latest.",
        segments - USUAL, (segments - USUAL) * INTERVAL_MS);
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

/* The route's value, if it has one, is the one that counts. */
static void classify_rto_min(const lt_facts *facts, lt_finding *finding)
{
    enum { USUAL_MS = 200 };
    long long us = USUAL_MS * 1000;
    const bool by_route = facts->route.how == LT_KNOWN && facts->route.rto_min_ms;
    const char *setting = facts->socket.rto_min ? ", and per connection (TCP_RTO_MIN_US)" : "";
    if (by_route)
        us = (long long)facts->route.rto_min_ms * 1000;
    else if (facts->sysctl[LT_SYSCTL_RTO_MIN].how != LT_ABSENT &&
             !lt_find_number(facts, LT_SYSCTL_RTO_MIN, &us, finding))
        return;
    const double ms = (double)us / 1e3;
    const char *origin = by_route ? "by the route" : "as Linux has it";
    if (us == USUAL_MS * 1000) {
        lt_find_ok(finding, "%g ms over the round trip, %s%s", ms, origin, setting);
        return;
    }
    lt_find_costs(finding, "%g ms over the round trip%s", ms, by_route ? ", by the route" : "");
    if (ms > USUAL_MS)
        lt_find_price(finding, LT_WHEN_LOSS, ms - USUAL_MS, 0,
                      "A loss that nothing follows is repaired %g ms later.", ms - USUAL_MS);
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

/* The kernel holds back SACKs, in a burst of acknowledgements, for 5 % of the round trip at most.
 */
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

/* ---- windows, buffers and the outgoing interface ---- */

/* A route may choose it as well, and then it counts. */
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

/* Linux: 1, 3 and 4 ask for ECN on connections that are made here, all but 0 agree when asked. */
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

/* Linux 4.13 and later paces by itself where the interface does not. */
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

/* ---- how connections begin, and how they end when nothing comes back ---- */

enum { LINUX_WINDOW = 10 }; /* segments, since 2.6.39 */

/* Round trips that doubling takes from `segments` to the window Linux starts with. */
static int doublings(unsigned segments)
{
    int count = 0;
    for (unsigned window = segments ? segments : 1; window < LINUX_WINDOW; window *= 2)
        count++;
    return count;
}

static void no_route(const lt_facts *facts, lt_finding *finding)
{
    if (facts->route.how == LT_ABSENT)
        lt_find_unknown(finding, "there is no default route here, and a route may change it; name "
                                 "a peer with --host");
    else
        lt_find_unknown(finding, "the route cannot be asked for: %s",
                        facts->route.error ? strerror(facts->route.error) : "no answer");
}

static void classify_window(const lt_facts *facts, unsigned segments, const char *setting,
                            const char *whose, lt_finding *finding)
{
    if (facts->route.how != LT_KNOWN) {
        no_route(facts, finding);
    } else if (!segments) {
        lt_find_ok(finding, "%d segments: the route leaves it to Linux", LINUX_WINDOW);
    } else if (segments >= LINUX_WINDOW) {
        lt_find_ok(finding, "%u segments, by the route", segments);
    } else {
        const int trips = doublings(segments);
        lt_find_costs(finding, "%u segments, by the route", segments);
        lt_find_price(finding, LT_WHEN_START, trips * 100.0, trips,
                      "What %s sends first, a key frame perhaps, takes %d round trip%s longer than "
                      "with Linux's %d segments.",
                      whose, trips, trips == 1 ? "" : "s", LINUX_WINDOW);
        lt_find_route(finding, facts, setting);
    }
}

static void classify_initial_window(const lt_facts *facts, lt_finding *finding)
{
    classify_window(facts, facts->route.initcwnd, "initcwnd 10", "this host", finding);
}

static void classify_initial_receive_window(const lt_facts *facts, lt_finding *finding)
{
    classify_window(facts, facts->route.initrwnd, "initrwnd 10", "the peer", finding);
}

/* Kernels before 5.6 had only the first of the two switches. */
static void classify_metrics(const lt_facts *facts, lt_finding *finding)
{
    long long none = 0, no_ssthresh = 0;
    const bool has_second = facts->sysctl[LT_SYSCTL_NO_SSTHRESH].how != LT_ABSENT;
    if (!lt_find_number(facts, LT_SYSCTL_NO_METRICS, &none, finding) ||
        (has_second && !lt_find_number(facts, LT_SYSCTL_NO_SSTHRESH, &no_ssthresh, finding)))
        return;
    if (none || no_ssthresh) {
        lt_find_ok(finding, "no: %s",
                   none ? "nothing is remembered of earlier connections"
                        : "it is not among what is remembered");
        return;
    }
    lt_find_costs(finding, "yes, from the last connection to the same host");
    lt_find_price(
        finding, LT_WHEN_START, 100, 1,
        "A connection after one that had losses leaves slow start early, without a loss of "
        "its own: to a window of 40 segments from an inherited ssthresh of 10 it takes 30 "
        "round trips instead of 2.");
    lt_find_sysctl(finding, has_second ? LT_SYSCTL_NO_SSTHRESH : LT_SYSCTL_NO_METRICS, "1");
}

static void classify_syn(const lt_facts *facts, lt_finding *finding)
{
    enum { ENOUGH = 3 };
    long long retries, linear = 0;
    if (!lt_find_number(facts, LT_SYSCTL_SYN_RETRIES, &retries, finding))
        return;
    if (facts->sysctl[LT_SYSCTL_SYN_LINEAR].how != LT_ABSENT &&
        !lt_find_number(facts, LT_SYSCTL_SYN_LINEAR, &linear, finding))
        return;
    if (retries < ENOUGH) {
        lt_find_costs(finding, "sent again %lld times at most", retries);
        lt_find_price(finding, LT_WHEN_START, 1000, 0,
                      "A connection attempt fails early on a lossy path, and the session begins "
                      "another: a second or more at the start.");
        lt_find_sysctl(finding, LT_SYSCTL_SYN_RETRIES, "6");
    } else if (linear) {
        lt_find_ok(finding, "sent again after 1 s, the first %lld times", linear);
    } else {
        lt_find_costs(finding, "sent again after 1, 3, 7 s ...");
        lt_find_price(finding, LT_WHEN_RARELY, 1000, 0,
                      "A SYN that is lost twice costs one second more than it need, three times "
                      "four. The other connections of a session do not wait for it.");
        if (facts->sysctl[LT_SYSCTL_SYN_LINEAR].how == LT_KNOWN)
            lt_find_sysctl(finding, LT_SYSCTL_SYN_LINEAR, "4");
        else
            lt_find_command(finding, "(Linux 6.5 or later has net.ipv4.tcp_syn_linear_timeouts)");
    }
}

static void classify_give_up(const lt_facts *facts, lt_finding *finding)
{
    enum { ENOUGH = 8 }; /* RFC 1122: 100 s */
    long long retries;
    if (!lt_find_number(facts, LT_SYSCTL_RETRIES2, &retries, finding))
        return;
    if (retries >= ENOUGH) {
        lt_find_ok(finding, "after %lld timeouts; LiveTCP has peer-timeout instead", retries);
        return;
    }
    lt_find_costs(finding, "after %lld timeouts", retries);
    lt_find_price(
        finding, LT_WHEN_RARELY, NAN, 2,
        "TCP resets a connection during an outage that it could have survived; connecting "
        "again costs a round trip for TCP, one for joining and a new slow start.");
    lt_find_sysctl(finding, LT_SYSCTL_RETRIES2, "15");
}

static void classify_mtu_probing(const lt_facts *facts, lt_finding *finding)
{
    if (!lt_find_off(facts, LT_SYSCTL_MTU_PROBING, "found and worked around", finding))
        return;
    lt_find_costs(finding, "not looked for");
    lt_find_price(finding, LT_WHEN_RARELY, NAN, 0,
                  "On a path with a smaller MTU that swallows the ICMP messages about it, as some "
                  "tunnels do, full segments never arrive: the connection stands still until it is "
                  "given up. Small packets pass.");
    lt_find_sysctl(finding, LT_SYSCTL_MTU_PROBING, "1");
}

/* ---- buffers and windows ---- */

enum {
    RTT_MS = 300,       /* the longest round trip of the papers */
    ROUND_TRIPS = 3,    /* bytes received while a loss is found and repaired, twice */
    WANTED_MBIT_S = 10, /* a video stream in high definition */
};

/* The rate, in Mbit/s, at which a window lasts for that time. The kernel counts its own structures
 * as well and announces half of the buffer. */
static double carried(long long buffer)
{
    return (double)buffer / 2 * 8 / (RTT_MS * ROUND_TRIPS) / 1e3;
}

static bool three(const lt_facts *facts, lt_sysctl which, long long values[3], lt_finding *finding)
{
    char why[160];
    if (lt_sysctl_three(facts, which, values))
        return true;
    lt_sysctl_why(facts, which, why, sizeof why);
    lt_find_unknown(finding, "%s", why);
    return false;
}

static void too_small(lt_finding *finding, const lt_facts *facts, lt_sysctl which,
                      const long long values[3], const char *consequence)
{
    char setting[80];
    const double rate = carried(values[2]);
    (void)facts;
    lt_find_costs(finding, "%lld kB at most: %.1f Mbit/s at R = 300 ms", values[2] / 1000, rate);
    lt_find_price(finding, LT_WHEN_LOSS, RTT_MS, 1, "%s", consequence);
    snprintf(setting, sizeof setting, "\"%lld %lld 8388608\"", values[0], values[1]);
    lt_find_sysctl(finding, which, setting);
}

static void classify_receive_buffer(const lt_facts *facts, lt_finding *finding)
{
    long long values[3], automatic;
    if (!three(facts, LT_SYSCTL_RMEM, values, finding) ||
        !lt_find_number(facts, LT_SYSCTL_MODERATE_RCVBUF, &automatic, finding))
        return;
    if (!automatic && carried(values[1]) < WANTED_MBIT_S) {
        lt_find_costs(finding, "does not grow beyond %lld kB", values[1] / 1000);
        lt_find_price(finding, LT_WHEN_LOSS, RTT_MS, 1,
                      "Above %.1f Mbit/s at R = 300 ms the peer stops sending while a loss is "
                      "repaired, and what it would have sent waits a round trip.",
                      carried(values[1]));
        lt_find_sysctl(finding, LT_SYSCTL_MODERATE_RCVBUF, "1");
    } else if (carried(values[2]) < WANTED_MBIT_S) {
        too_small(finding, facts, LT_SYSCTL_RMEM, values,
                  "Above that rate the peer stops sending while a loss is repaired, and what it "
                  "would have sent waits a round trip.");
    } else {
        lt_find_ok(finding, "grows to %.1f MB, for %.0f Mbit/s at R = 300 ms",
                   (double)values[2] / 1e6, carried(values[2]));
    }
}

static void classify_send_buffer(const lt_facts *facts, lt_finding *finding)
{
    long long values[3];
    if (!three(facts, LT_SYSCTL_WMEM, values, finding))
        return;
    if (carried(values[2]) < WANTED_MBIT_S)
        too_small(
            finding, facts, LT_SYSCTL_WMEM, values,
            "Above that rate the buffer is full while a loss is repaired: what comes then waits "
            "a round trip in the application.");
    else
        lt_find_ok(finding, "grows to %.1f MB, for %.0f Mbit/s at R = 300 ms",
                   (double)values[2] / 1e6, carried(values[2]));
}

/* LiveTCP sets neither, because a buffer that was set does not grow any more. */
static void classify_core_buffers(const lt_facts *facts, lt_finding *finding)
{
    long long receive, send;
    if (!lt_find_number(facts, LT_SYSCTL_RMEM_MAX, &receive, finding) ||
        !lt_find_number(facts, LT_SYSCTL_WMEM_MAX, &send, finding))
        return;
    lt_find_ok(finding, "at most %lld and %lld kB; LiveTCP sets none, so that they grow",
               receive / 1000, send / 1000);
}

static void classify_window_scaling(const lt_facts *facts, lt_finding *finding)
{
    if (!lt_find_off(facts, LT_SYSCTL_WINDOW_SCALING, "on", finding))
        return;
    lt_find_costs(finding, "off: windows of 64 kB at most");
    lt_find_price(finding, LT_WHEN_ALWAYS, NAN, 1,
                  "A connection carries 5.2 Mbit/s at R = 100 ms and 1.7 at 300 ms, and a third of "
                  "that while losses are repaired; what is beyond waits, a round trip and more.");
    lt_find_sysctl(finding, LT_SYSCTL_WINDOW_SCALING, "1");
}

static void classify_unsent_limit(const lt_facts *facts, lt_finding *finding)
{
    long long bytes;
    if (facts->socket.how == LT_KNOWN && facts->socket.notsent_lowat) {
        const bool limited = lt_sysctl_number(facts, LT_SYSCTL_NOTSENT_LOWAT, &bytes) &&
                             bytes > 0 && bytes < 1 << 20;
        lt_find_ok(finding, "LiveTCP sets it per connection%s",
                   limited ? "; the system has one, too" : "; other programs have none");
    } else if (facts->socket.how == LT_KNOWN) {
        lt_find_costs(finding, "this kernel has no TCP_NOTSENT_LOWAT");
        lt_find_price(
            finding, LT_WHEN_ALWAYS, 5, 0,
            "A timer of 1 to 5 ms has to find out when the kernel has sent; a packet waits "
            "for it while the window is full.");
        lt_find_command(finding, "(Linux 3.12 or later has it)");
    } else {
        lt_find_unknown(finding, "no TCP socket could be made to ask");
    }
}

static void classify_autocorking(const lt_facts *facts, lt_finding *finding)
{
    long long on;
    if (!lt_kernel_from(facts, 3, 14)) {
        lt_find_ok(finding, "not in this kernel");
        return;
    }
    if (lt_find_number(facts, LT_SYSCTL_AUTOCORKING, &on, finding))
        lt_find_ok(finding, on ? "on: holds a small segment until the interface has sent the last, "
                                 "microseconds"
                               : "off");
}

/* ---- the table ---- */

#define BROSH   "Brosh et al., section 8.1"
#define GOEL    "Goel et al., section 2.2"
#define GOEL_4  "Goel et al., section 4.4"
#define ZHANG   "Zhang et al., section 3.5"
#define SYSCTLS "Linux, Documentation/networking/ip-sysctl.rst"

const lt_check lt_checks[] = {
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
    {"congestion-control", "Congestion control", "docs/guide/tuning.md#congestion-control",
     classify_congestion_control},
    {"congestion-control-choice", "Choice of congestion control",
     BROSH ": per connection; docs/guide/tuning.md#congestion-control", classify_choice},
    {"slow-start-after-idle", "Idle restart",
     "Brosh et al., sections 6.2 and 8.2; docs/guide/tuning.md#silence", classify_idle_restart},
    {"ecn", "Explicit congestion notification", GOEL_4, classify_ecn},
    {"qdisc", "Queue of the interface", "docs/guide/doctor.md#the-interface", classify_qdisc},
    {"initial-window", "Initial window", BROSH "; " ZHANG, classify_initial_window},
    {"initial-receive-window", "Initial receive window", BROSH "; ip-route(8)",
     classify_initial_receive_window},
    {"ssthresh-inheritance", "Inherited ssthresh", BROSH, classify_metrics},
    {"syn", "Lost SYN", ZHANG "; " SYSCTLS, classify_syn},
    {"give-up", "Giving up on a connection", SYSCTLS, classify_give_up},
    {"receive-buffer", "Receive buffer", BROSH, classify_receive_buffer},
    {"send-buffer", "Send buffer", GOEL, classify_send_buffer},
    {"socket-buffers", "Buffers that programs set", BROSH, classify_core_buffers},
    {"window-scaling", "Window scaling", BROSH "; RFC 7323", classify_window_scaling},
    {"unsent-limit", "Limit on unsent data", GOEL "; docs/guide/tuning.md#send-buffer",
     classify_unsent_limit},
    {"autocorking", "Autocorking", BROSH " (Nagle); " SYSCTLS, classify_autocorking},
    {"mtu-probing", "Path MTU black holes", "RFC 4821; " SYSCTLS, classify_mtu_probing},
    {"send-offload", "Segmentation offload", "docs/guide/doctor.md#the-interface",
     classify_send_offload},
    {"receive-offload", "Receive offload", "docs/guide/doctor.md#the-interface",
     classify_receive_offload},
    {"interrupt-coalescing", "Interrupt coalescing", "docs/guide/doctor.md#the-interface",
     classify_coalescing},
    {"timestamping", "Time stamps of packets", "Linux, Documentation/networking/timestamping.rst",
     classify_timestamping},
    {"tun", "Emulated path", "docs/research/emulate.md", classify_tun},
};

const size_t lt_check_count = sizeof lt_checks / sizeof *lt_checks;

void lt_diagnose(lt_diagnosis *diagnosis, const lt_facts *facts)
{
    memset(diagnosis, 0, sizeof *diagnosis);
    diagnosis->facts = facts;
    diagnosis->count =
        lt_check_count < LT_DOCTOR_CHECKS_MAX ? lt_check_count : LT_DOCTOR_CHECKS_MAX;
    for (size_t i = 0; i < diagnosis->count; i++) {
        lt_finding *finding = &diagnosis->findings[i];
        finding->cost_ms = NAN;
        lt_checks[i].classify(facts, finding);
        diagnosis->results[finding->result]++;
    }
}
