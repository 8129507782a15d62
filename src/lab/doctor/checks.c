/* SPDX-License-Identifier: MIT */
/* The table of checks, and what its judges have in common. */
#include "lab/doctor/checks.h"

#include "lab/doctor/judges.h"
#include "lab/doctor/sysctls.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define BROSH   "Brosh et al., section 8.1"
#define GOEL    "Goel et al., section 2.2"
#define GOEL_4  "Goel et al., section 4.4"
#define ZHANG   "Zhang et al., section 3.5"
#define SYSCTLS "Linux, Documentation/networking/ip-sysctl.rst"

const lt_check lt_checks[] = {
    {"kernel", "Kernel", "docs/guide/doctor.md#kernel", lt_judge_kernel},
    {"sack", "Selective acknowledgements", BROSH, lt_judge_sack},
    {"dsack", "Duplicate SACK", "RFC 2883; RFC 8985, section 3.3.2", lt_judge_dsack},
    {"rack", "Loss found by time (RACK)", "RFC 8985; docs/guide/doctor.md#loss", lt_judge_rack},
    {"tail-loss-probe", "Tail loss probe", "RFC 8985; docs/guide/doctor.md#loss", lt_judge_tlp},
    {"limited-transmit", "Limited transmit", BROSH "; RFC 3042", lt_judge_limited_transmit},
    {"reordering", "Reordering allowed for", SYSCTLS "; docs/guide/doctor.md#loss",
     lt_judge_reordering},
    {"timestamps", "TCP time stamps", "RFC 7323; RFC 8985, section 6.2", lt_judge_timestamps},
    {"rto-min", "Shortest retransmission timeout", "docs/guide/tuning.md#loss-on-thin-connections",
     lt_judge_rto_min},
    {"thin-linear-timeouts", "Timeouts of thin streams", SYSCTLS, lt_judge_thin_linear},
    {"sack-compression", "SACK compression", SYSCTLS, lt_judge_sack_compression},
    {"delayed-ack", "Delayed acknowledgements", "docs/guide/tuning.md#loss-on-thin-connections",
     lt_judge_delayed_ack},
    {"congestion-control", "Congestion control", "docs/guide/tuning.md#congestion-control",
     lt_judge_congestion_control},
    {"congestion-control-choice", "Choice of congestion control",
     BROSH ": per connection; docs/guide/tuning.md#congestion-control", lt_judge_choice},
    {"slow-start-after-idle", "Idle restart",
     "Brosh et al., sections 6.2 and 8.2; docs/guide/tuning.md#silence", lt_judge_idle_restart},
    {"ecn", "Explicit congestion notification", GOEL_4, lt_judge_ecn},
    {"qdisc", "Queue of the interface", "docs/guide/doctor.md#the-interface", lt_judge_qdisc},
    {"initial-window", "Initial window", BROSH "; " ZHANG, lt_judge_initial_window},
    {"initial-receive-window", "Initial receive window", BROSH "; ip-route(8)",
     lt_judge_initial_receive_window},
    {"ssthresh-inheritance", "Inherited ssthresh", BROSH, lt_judge_metrics},
    {"syn", "Lost SYN", ZHANG "; " SYSCTLS, lt_judge_syn},
    {"give-up", "Giving up on a connection", SYSCTLS, lt_judge_give_up},
    {"receive-buffer", "Receive buffer", BROSH, lt_judge_receive_buffer},
    {"send-buffer", "Send buffer", GOEL, lt_judge_send_buffer},
    {"socket-buffers", "Buffers that programs set", BROSH, lt_judge_core_buffers},
    {"window-scaling", "Window scaling", BROSH "; RFC 7323", lt_judge_window_scaling},
    {"unsent-limit", "Limit on unsent data", GOEL "; docs/guide/tuning.md#send-buffer",
     lt_judge_unsent_limit},
    {"autocorking", "Autocorking", BROSH " (Nagle); " SYSCTLS, lt_judge_autocorking},
    {"mtu-probing", "Path MTU black holes", "RFC 4821; " SYSCTLS, lt_judge_mtu_probing},
    {"send-offload", "Segmentation offload", "docs/guide/doctor.md#the-interface",
     lt_judge_send_offload},
    {"receive-offload", "Receive offload", "docs/guide/doctor.md#the-interface",
     lt_judge_receive_offload},
    {"interrupt-coalescing", "Interrupt coalescing", "docs/guide/doctor.md#the-interface",
     lt_judge_coalescing},
    {"timestamping", "Time stamps of packets", "Linux, Documentation/networking/timestamping.rst",
     lt_judge_timestamping},
    {"tun", "Emulated path", "docs/research/emulate.md", lt_judge_tun},
};

const size_t lt_check_count = sizeof lt_checks / sizeof *lt_checks;

int lt_finding_order(const lt_finding *a, const lt_finding *b)
{
    if (a->when != b->when)
        return a->when < b->when ? -1 : 1;
    const double x = isnan(a->cost_ms) ? 0 : a->cost_ms, y = isnan(b->cost_ms) ? 0 : b->cost_ms;
    return x > y ? -1 : x < y;
}

const char *lt_when_text(lt_when when)
{
    static const char *const texts[] = {"always",        "at losses",  "at the start",
                                        "after silence", "under load", "rarely"};
    return texts[when];
}

#define PRINT(target, format)                                                                      \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        vsnprintf(target, sizeof target, format, arguments);                                       \
        va_end(arguments);                                                                         \
    } while (0)

void lt_find_ok(lt_finding *finding, const char *format, ...)
{
    finding->verdict = LT_VERDICT_OK;
    PRINT(finding->found, format);
}

void lt_find_unknown(lt_finding *finding, const char *format, ...)
{
    finding->verdict = LT_VERDICT_UNKNOWN;
    PRINT(finding->found, format);
}

void lt_find_costs(lt_finding *finding, const char *format, ...)
{
    finding->verdict = LT_VERDICT_COSTS;
    PRINT(finding->found, format);
}

void lt_find_price(lt_finding *finding, lt_when when, double ms, double round_trips,
                   const char *format, ...)
{
    finding->when = when;
    finding->cost_ms = ms;
    finding->cost_round_trips = round_trips;
    PRINT(finding->cost, format);
}

void lt_find_command(lt_finding *finding, const char *format, ...)
{
    PRINT(finding->command, format);
}

void lt_find_sysctl(lt_finding *finding, lt_sysctl which, const char *value)
{
    lt_find_command(finding, "sysctl -w %s=%s", lt_sysctl_name(which), value);
}

void lt_find_route(lt_finding *finding, const lt_facts *facts, const char *setting)
{
    const lt_route_fact *r = &facts->route;
    if (r->how == LT_KNOWN)
        lt_find_command(finding, "ip route replace %s%s%s dev %s %s", r->to,
                        r->gateway[0] ? " via " : "", r->gateway, r->device, setting);
}

bool lt_find_number(const lt_facts *facts, lt_sysctl which, long long *value, lt_finding *finding)
{
    char why[160];
    if (lt_sysctl_number(facts, which, value))
        return true;
    lt_sysctl_why(facts, which, why, sizeof why);
    lt_find_unknown(finding, "%s", why);
    return false;
}

bool lt_find_off(const lt_facts *facts, lt_sysctl which, const char *on, lt_finding *finding)
{
    long long value;
    if (!lt_find_number(facts, which, &value, finding))
        return false;
    if (value)
        lt_find_ok(finding, "%s", on);
    return !value;
}
