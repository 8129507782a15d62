/* SPDX-License-Identifier: MIT */
/* Socket buffers and windows. R is the round trip and T the interval between packets of one
 * connection; numbers are for R = 100 ms and T = 20 ms. */
#include "lab/doctor/check_groups.h"

#include "lab/doctor/sysctls.h"

#include <math.h>
#include <stdio.h>

enum {
    RTT_MS = 300,       /* longest round trip in the papers */
    ROUND_TRIPS = 3,    /* duration of a loss and its repair, twice, in round trips */
    WANTED_MBIT_S = 10, /* high-definition video */
};

/* The rate in Mbit/s at which a window lasts for RTT_MS * ROUND_TRIPS. The kernel advertises half
 * of the buffer, since its own structures count as well. */
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

/* LiveTCP does not set buffer sizes, since that disables autotuning. */
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
#define SYSCTLS "Linux, Documentation/networking/ip-sysctl.rst"

static const lt_check checks[] = {
    {"receive-buffer", "Receive buffer", BROSH, classify_receive_buffer},
    {"send-buffer", "Send buffer", GOEL, classify_send_buffer},
    {"socket-buffers", "Buffers that programs set", BROSH, classify_core_buffers},
    {"window-scaling", "Window scaling", BROSH "; RFC 7323", classify_window_scaling},
    {"unsent-limit", "Limit on unsent data", GOEL "; docs/guide/tuning.md#send-buffer",
     classify_unsent_limit},
    {"autocorking", "Autocorking", BROSH " (Nagle); " SYSCTLS, classify_autocorking},
};

const lt_check_group lt_buffers_checks = {checks, sizeof checks / sizeof *checks};
