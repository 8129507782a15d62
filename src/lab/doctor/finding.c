/* SPDX-License-Identifier: MIT */
#include "lab/doctor/finding.h"

#include "lab/doctor/sysctls.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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
    finding->result = LT_CHECK_OK;
    PRINT(finding->found, format);
}

void lt_find_unknown(lt_finding *finding, const char *format, ...)
{
    finding->result = LT_CHECK_UNKNOWN;
    PRINT(finding->found, format);
}

void lt_find_costs(lt_finding *finding, const char *format, ...)
{
    finding->result = LT_CHECK_COSTS;
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
