/* SPDX-License-Identifier: MIT */
/* The start of a connection, and its end during an outage. R is the round trip and T the interval
 * between packets of one connection; numbers are for R = 100 ms and T = 20 ms. */
#include "lab/doctor/check_groups.h"

#include <math.h>
#include <string.h>

enum { LINUX_WINDOW = 10 }; /* segments, since 2.6.39 */

/* Number of round trips in slow start from `segments` to Linux's initial window. */
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

/* Kernels before 5.6 have only the first of the two switches. */
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
    enum { ENOUGH = 8 }; /* RFC 1122 section 4.2.3.5: at least 100 s */
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

/* ---- the table ---- */

#define BROSH   "Brosh et al., section 8.1"
#define ZHANG   "Zhang et al., section 3.5"
#define SYSCTLS "Linux, Documentation/networking/ip-sysctl.rst"

static const lt_check checks[] = {
    {"initial-window", "Initial window", BROSH "; " ZHANG, classify_initial_window},
    {"initial-receive-window", "Initial receive window", BROSH "; ip-route(8)",
     classify_initial_receive_window},
    {"ssthresh-inheritance", "Inherited ssthresh", BROSH, classify_metrics},
    {"syn", "Lost SYN", ZHANG "; " SYSCTLS, classify_syn},
    {"give-up", "Giving up on a connection", SYSCTLS, classify_give_up},
};

const lt_check_group lt_connection_checks = {checks, sizeof checks / sizeof *checks};
